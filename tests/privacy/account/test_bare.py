"""A bare threshold in general: the best adversary, by other routes."""

from __future__ import annotations

import math

import numpy as np
import pytest

from overbar.privacy.hazard import log_excess_faster, log_excess_slower
from overbar.privacy.race import Race
from overbar.privacy.renyi import composed_log_delta
from tests.reference.divergence import hockey_stick


def bare_delta(cutoff, step, epsilon):
    """The δ of a bare race in general."""
    return math.exp(Race(cutoff, step, None, monotonic=False).log_delta(epsilon))


def value_iteration(cutoff, step, last, per_step=24):
    """The adversary's own problem: at each loss take the better sign, until nothing improves.

    On cells of a grid, with the two equations solved exactly for chords. It does not know which
    strategy is best, and stops from below.
    """
    h = step / per_step
    x = np.arange(-math.ceil(last / h), math.ceil(last / h) + 1) * h
    z, cells = np.exp(x), x.size - 1
    up, down = math.exp(h / math.expm1(-step)), math.exp(-h / math.expm1(step))
    value = np.maximum(0.0, -np.expm1(x))
    for _ in range(cutoff):
        slope = np.diff(value) / np.diff(z)
        base = value[:-1] - slope * z[:-1]
        lower = np.clip(np.arange(cells) - per_step, 0, cells - 1)
        upper = np.clip(np.arange(cells) + per_step, 0, cells - 1)
        rise = base[lower] + slope[lower] * z[:-1] - up * (base[lower] + slope[lower] * z[1:])
        fall = base[upper] + slope[upper] * z[1:] - down * (base[upper] + slope[upper] * z[:-1])
        rise, fall, now = rise.tolist(), fall.tolist(), value.tolist()
        for _ in range(60):
            for i in range(cells - 1, -1, -1):
                now[i] = max(now[i], rise[i] + up * now[i + 1])
            for i in range(cells):
                now[i + 1] = max(now[i + 1], fall[i] + down * now[i])
        value = np.array(now)
    return x, value


@pytest.mark.parametrize(("cutoff", "step"), [(1, 0.3), (2, 0.3), (3, 0.1), (4, 1.2)])
def test_no_choice_of_signs_does_better(cutoff, step):
    last = step * (6 * math.sqrt(cutoff) + 6)
    x, value = value_iteration(cutoff, step, 1.5 * last)
    for epsilon in np.linspace(-last / 2, last, 9):
        found = np.interp(epsilon, x, value)
        assert bare_delta(cutoff, step, epsilon) >= found * (1 - 5e-3)
        assert bare_delta(cutoff, step, epsilon) == pytest.approx(found, rel=0.02)
    # control: one sign for the whole run falls short of it
    half = 0.5 * step * math.sqrt(cutoff)
    one_sign = max(
        float(log_excess_faster(cutoff, step, [half])[0]),
        float(log_excess_slower(cutoff, step, [half])[0]),
    )
    assert math.exp(one_sign) < 0.98 * np.interp(half, x, value)


def test_the_strategy_reaches_it():
    """Simulate the strategy: down while short of the target, up beyond it, both at the target."""
    rng = np.random.default_rng(3)
    cutoff, step, epsilon, count = 6, 0.3, 0.9, 400_000
    x = np.full(count, epsilon)
    for _ in range(cutoff):
        wait = rng.exponential(size=count)
        rate = np.where(x > 0, math.expm1(step), -math.expm1(-step))
        arrives = wait * rate < np.abs(x)
        moved = np.where(x > 0, x - wait * rate + step, x + wait * rate - step)
        coin = np.where(rng.random(count) < 1 / (1 + math.exp(-step)), -step, step)
        x = np.where(arrives, moved, coin)
    gains = np.maximum(0.0, -np.expm1(x))
    mean, error = gains.mean(), gains.std() / math.sqrt(count)
    value = bare_delta(cutoff, step, epsilon)
    assert abs(mean - value) < 4 * error + 2e-3 * value
    assert abs(mean - bare_delta(cutoff, 0.95 * step, epsilon)) > 10 * error  # control


def test_a_run_reaches_it():
    """One positive: tiny hazards that fall on the neighbour's side, then both kinds in turn."""
    step, epsilon, hazard = 0.3, 0.5, 1e-4
    first = round(epsilon / math.expm1(step) / hazard)
    signs = np.where(np.arange(first + 200_000) < first, -1, 1)
    signs[first:][1::2] = -1
    # In turn, with hazards such that x stays where it is.
    one = np.where(signs > 0, hazard, hazard)
    one[first:] = np.where(signs[first:] > 0, hazard, hazard * math.exp(-step))
    other = one * np.exp(-step * signs)
    laws = [-np.expm1(-h) * np.exp(-(np.cumsum(h) - h)) for h in (one, other)]
    reached = hockey_stick(*laws, epsilon)
    bound = math.exp(Race(1, step, None, monotonic=False).log_delta(epsilon))
    assert 0.95 < reached / bound <= 1


@pytest.mark.parametrize(("cutoff", "step"), [(5, 0.1), (50, 0.03), (700, 0.008)])
def test_it_lies_between_what_is_possible_and_what_renyi_gives(cutoff, step):
    race = Race(cutoff, step, None, monotonic=False)
    for epsilon in (0.2, 0.8):
        value = race.log_delta(epsilon)
        assert value >= Race(cutoff, step, None, monotonic=True).log_delta(epsilon)
        assert value >= composed_log_delta(step, cutoff, epsilon) - 1e-9
        orders = 1 + np.logspace(-1, math.log10(race.part.largest_order - 1) - 0.01, 200)
        by_renyi = min(
            (a - 1) * (race.renyi(a) - epsilon) + (a - 1) * math.log(a - 1) - a * math.log(a)
            for a in orders
        )
        assert value < by_renyi - 0.5


def test_below_zero_it_is_mirrored():
    for epsilon in (0.1, 0.5):
        mirrored = 1 - math.exp(-epsilon) * (1 - bare_delta(4, 0.2, epsilon))
        assert bare_delta(4, 0.2, -epsilon) == pytest.approx(mirrored, rel=1e-12)
