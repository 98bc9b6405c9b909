"""Every answer of small ranked selections, with counts beside labels or without.

The worst loss by how many labels come out is what is claimed of so many, and not less.
"""

from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
import pytest

import overbar
from overbar.audit.between import law, side_by_side
from overbar.mechanisms import Composed
from overbar.noise import Exponential, Gaussian, Gumbel, Laplace
from overbar.privacy import PureDP, guarantee
from tests.reference.counted import peeled
from tests.reference.plans import any_plan, other_plan

#: Scales of the noise and of the bar in grid steps: free, too low, between, too high, no bar.
SCALES = [("0.7", "0.7"), ("0.7", "0.35"), ("0.7", "0.5"), ("0.5", "0.7"), ("0.7", None)]
TWO, THREE = ((1, 0), (0, 0), (2, 1)), ((1, 1, 0),)
SLACK = 1e-8


def ranked(scale="0.7", bar="0.7", cutoff=2, **more):
    over = None if bar is None else Exponential(bar)
    return any_plan(
        Exponential(scale), over, 0, cutoff, is_top=bar is None, mechanism="ranked", **more
    )


def neighbours(plan, base, items):
    """All ways one person can move the scores, by whole steps up to the sensitivity."""
    most = int(plan.reach.most)
    ranges = [range(-most, most + 1)]
    if plan.reach.one_way:
        ranges = [range(most + 1), range(-most, 1)]
    moves = sorted({move for steps in ranges for move in product(steps, repeat=len(base))})
    for move in moves:
        if 0 < sum(map(bool, move)) <= items:
            yield tuple(q + d for q, d in zip(base, move, strict=True))


def worst_losses(plan, bases=TWO, items=9):
    """The largest loss in either direction, by how many labels come out."""
    found = cache(lambda scores: law(plan, scores, threshold=1, depth=40.0))
    worst = {}
    for base in bases:
        for after in neighbours(plan, base, items):
            profile = side_by_side(found(base), found(after))
            for said, (one, most), (other, least) in zip(
                profile.outcomes, profile.one, profile.other, strict=True
            ):
                labels = said[0] if isinstance(plan, Composed) else said
                loss = max(one - least, other - most)
                worst[len(labels)] = max(worst.get(len(labels), 0.0), loss)
    return worst


def check(plan, bases=TWO):
    """Return the worst losses; raise if any is above its claim."""
    worst = worst_losses(plan, bases)
    assert all(loss <= float(plan.pure(size)) + SLACK for size, loss in worst.items())
    return worst


@pytest.mark.parametrize("monotonic", [True, False])
@pytest.mark.parametrize("cutoff", [1, 2])
@pytest.mark.parametrize(("scale", "bar"), SCALES)
@pytest.mark.parametrize("sensitivity", [1, 2])
def test_worst_loss_is_the_claim_for_two(scale, bar, cutoff, monotonic, sensitivity):
    plan = ranked(scale, bar, cutoff, monotonic=monotonic, sensitivity=sensitivity)
    worst = check(plan)
    if bar is not None:  # not passing for weakness: fewer than the cutoff costs the bar too
        assert worst[cutoff - 1] == pytest.approx(float(plan.pure(cutoff - 1)), abs=1e-6)


@pytest.mark.parametrize("cutoff", [1, 2])
@pytest.mark.parametrize(("scale", "bar"), [SCALES[0], SCALES[-1]])
def test_worst_loss_is_the_claim_for_three(scale, bar, cutoff):
    for monotonic in (True, False):
        plan = ranked(scale, bar, cutoff, monotonic=monotonic)
        assert check(plan, THREE)[cutoff] >= 0.95 * float(plan.pure(cutoff))


def test_the_bar_is_free_at_equal_scales():
    """With b = s (monotonic) or b = s/2 (general) no outcome costs more than a full answer."""
    for monotonic, bar in ((True, "0.7"), (False, "0.35")):
        plan = ranked("0.7", bar, monotonic=monotonic)
        assert max(worst_losses(plan).values()) <= float(plan.pure(2)) + SLACK
    # Control: an answer that is not full costs the bar, beside its labels.
    assert worst_losses(ranked(monotonic=True))[1] > 1 / 0.7 + 0.01


# Counts beside labels -----------------------------------------------------------------------------


@pytest.mark.parametrize("monotonic", [True, False])
@pytest.mark.parametrize("cutoff", [1, 2])
@pytest.mark.parametrize("bar", ["0.7", None])
def test_worst_loss_with_counts_is_the_claim(cutoff, monotonic, bar):
    plan = ranked("0.7", bar, cutoff, monotonic=monotonic, counts=Laplace(2))
    worst = check(plan)
    assert max(worst.values()) <= float(guarantee(plan).epsilon) + SLACK
    # Not passing for weakness. A monotonic move that raises the price of a label lowers that of its
    # count, unless the answer is full.
    size = cutoff if monotonic else cutoff - 1
    if bar:
        assert worst[size] == pytest.approx(float(plan.pure(size)), abs=1e-6)


def test_few_items_of_a_person_move_few_counts():
    plan = ranked(monotonic=True, counts=Laplace(2), items_per_person=1)
    half = Fraction(1, 2)
    assert max(worst_losses(plan, items=1).values()) <= float(guarantee(plan).epsilon) + SLACK
    assert (
        guarantee(plan).epsilon == guarantee(other_plan(plan, items_per_person=None)).epsilon - half
    )
    # Control: one who has two items moves two counts.
    assert worst_losses(plan)[2] > float(plan.pure(2)) + 0.1


def calibrated(**changes):
    asked = {"epsilon": 3, "cutoff": 2, "monotonic": True, "grid": 1, "counts": "0.4"} | changes
    return overbar.plan(**asked, candidates=2, correction=0)


def test_what_is_calibrated_keeps_its_epsilon_and_uses_it():
    plan = calibrated()
    assert guarantee(plan) == PureDP(3)
    assert max(worst_losses(plan).values()) == pytest.approx(3, abs=1e-6)
    # Controls: noise for one count where two come out; labels with all of ε beside counts.
    one = other_plan(plan, counts=Laplace(plan.counts.scale / 2))
    assert max(worst_losses(one).values()) > 4
    twice = other_plan(calibrated(counts=False), counts=plan.counts)
    assert max(worst_losses(twice).values()) > 4


def test_a_refund_of_all_counts_is_caught():
    plan = calibrated(monotonic=False, epsilon=9)
    worst = check(plan)
    assert worst[1] > float(other_plan(plan, counts=None).pure(1)) + 0.5


# With δ -------------------------------------------------------------------------------------------


def worst_delta(plan, epsilon, noise=None):
    scores, worst = (1, 0, 0), 0.0
    for move in product((0, 1), repeat=3):
        pair = scores, tuple(np.add(scores, move).tolist())
        for before, after in (pair, pair[::-1]):
            one, other = (peeled(plan, which, noise or plan.counts) for which in (before, after))
            total = sum(
                float(np.maximum(one[labels] - np.exp(epsilon) * other[labels], 0).sum())
                for labels in one
            )
            worst = max(worst, total)
    return worst


@pytest.mark.parametrize("share", ["0.3", "0.9"])
def test_gaussian_counts_beside_gumbel_labels_keep_delta(share):
    asked = {"epsilon": 2, "delta": "0.01", "cutoff": 2, "monotonic": True, "grid": 1}
    plan = overbar.plan(top=True, **asked, noise="gumbel", counts=share)
    assert worst_delta(plan, 2) <= guarantee(plan).delta(2) <= 0.01


def test_gaussian_noise_for_one_count_is_caught():
    plan = any_plan(
        *(Gumbel(40), None, 0, 2),
        monotonic=True,
        is_top=True,
        mechanism="ranked",
        counts=Gaussian(2),
    )
    claimed = guarantee(plan).delta(1)
    assert claimed / 4 < worst_delta(plan, 1) <= claimed
    assert worst_delta(plan, 1, Gaussian(Fraction(141, 100))) > claimed
