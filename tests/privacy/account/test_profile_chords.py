"""A profile between and beyond the losses it was computed at."""

import math

import numpy as np
import pytest

from overbar.privacy.profile_operator import ProfileBound

PROFILE = ProfileBound(0.5, np.array([0.8, 0.4, 0.1, 0.05]))


def chord(left, epsilon):
    """Linear in e^ε between two losses."""
    ends = math.exp(0.5 * left), math.exp(0.5 * left + 0.5)
    share = (math.exp(epsilon) - ends[0]) / (ends[1] - ends[0])
    return PROFILE.values[left] + (PROFILE.values[left + 1] - PROFILE.values[left]) * share


@pytest.mark.parametrize(
    ("left", "epsilon"), [(0, 0.0), (0, 0.2), (0, 0.49), (1, 0.5), (1, 0.9), (2, 1.0), (2, 1.4)]
)
def test_between_two_losses_it_is_their_chord_rounded_up(left, epsilon):
    found = PROFILE.at(epsilon)
    exact = chord(left, epsilon)
    assert exact < found < exact * (1 + 3e-9)


def test_at_and_beyond_the_last_loss_it_stays_at_its_last_value():
    for epsilon in (1.5, 1.6, 40.0):
        assert 0.05 <= PROFILE.at(epsilon) < 0.05 * (1 + 3e-9)


def test_below_zero_it_is_mirrored():
    for epsilon in (0.3, 1.1):
        expected = 1 - math.exp(-epsilon) * (1 - PROFILE.at(epsilon))
        assert PROFILE.at(-epsilon) == pytest.approx(expected, rel=1e-12)


def test_it_is_never_above_one():
    assert ProfileBound(0.5, np.array([1.0, 0.4, 0.1])).at(0.0) == 1.0
