"""Candidates read off the data: what an item that only one person holds can give away.

Let the candidates be the items that occur in the data, in a random order, each asked at most R
times, and let only the selected ones come out. If the same run over a fixed list is (ε, δ)-DP and a
person holds at most m items, this one is (ε, δ + δ′)-DP with

    δ′ = m · E_ρ[1 - F(T + r + ρ - Δ)^R],

m times the chance that an item of score Δ is positive in one of its R rounds. A limit on
comparisons would let an item of one person use up those of others, so it is refused.

Theory: :doc:`/theory/read_off_candidates`.
"""

from __future__ import annotations

import math
import sys
from fractions import Fraction

import numpy as np
import scipy

from overbar import _check
from overbar._numbers import rounded_up
from overbar.errors import NoGuaranteeError, named
from overbar.mechanisms import HistogramPlan, Plan, RankedPlan, SparseVectorPlan
from overbar.mechanisms.by_kind import ByKind
from overbar.noise import Exponential
from overbar.noise.grid_tails import grid_tail
from overbar.privacy.histogram import PRECISION, any_of
from overbar.privacy.loss_profile import Array
from overbar.privacy.threshold_loss import GaussianShift, threshold_shift

#: The threshold noise is summed point by point up to this many points, then in blocks.
MOST_POINTS = 400_000
#: Threshold noise is summed out to e^-REACH, and what is beyond is added in full.
REACH = 60.0
#: What a round may lose to underflow: 2^-1074 at each of some hundred thousand points, and more.
LOST = sys.float_info.min


@ByKind
def unlisted_cost(plan: Plan, threshold: _check.Number, items: int) -> float:  # noqa: ARG001  # as above
    """Return the δ of candidates read off the data, of which a person holds so many at most."""
    raise NoGuaranteeError(
        f"reading candidates off the data has no proof for {plan.kind} plans; give a public "
        f"catalogue of candidates, or another {named('mechanism')}"
    )


@ByKind
def lone_cost(plan: Plan) -> Fraction:
    """Return the chance that a key comes out that one person alone holds."""
    if plan.keys is not None:
        raise NoGuaranteeError(f"nothing is proved about keys that {plan.kind} plans find")
    return Fraction(0)


def unlisted_delta(plan: Plan, threshold: _check.Number, items_per_person: int) -> float:
    """Return the δ to add to a run's guarantee when its candidates are read off the data.

    For what a release draws: threshold noise on the grid, threshold plus correction rounded up to
    it. Rounded up, and never zero: what one person alone holds can always come out.

    Parameters
    ----------
    plan : Plan
        The plan of the run.
    threshold : int, float, str, Fraction or Decimal
        The public level.
    items_per_person : int
        How many items of one person count at most.

    Returns
    -------
    float
        The δ to add.

    Raises
    ------
    NoGuaranteeError
        If nothing is proved for such a plan; the message says what to change.
    """
    items = _check.whole("items_per_person", items_per_person)
    few = plan.items_per_person
    if few is not None and items > few:
        raise NoGuaranteeError(
            f"the plan is for persons with at most {few:,} items; write "
            f"{named('items_per_person', few)}"
        )
    if plan.groups is not None:
        raise NoGuaranteeError(
            "reading candidates off the data in groups has no proof; give a public catalogue of "
            "candidates"
        )
    plan = plan.labels
    if plan.repeats.rounds is None or plan.for_top:
        raise NoGuaranteeError(
            "with unlimited rounds an item that one person holds is selected sooner or later; "
            f"limit {named('rounds')}, or give a public catalogue of candidates"
        )
    return unlisted_cost(plan, threshold, items)


@unlisted_cost.of(HistogramPlan)
def histogram_unlisted_delta(plan: HistogramPlan, threshold: _check.Number, _: int = 1) -> float:
    """Return the δ to add when the candidates are read off the data and reach the threshold or not.

    1 - (1 - P(N >= τ - Δ))^m, the chance that one of m items of score Δ reaches the threshold τ, to
    which a value equal to it belongs. Rounded up, and never zero. m is that of the plan.
    """
    items, steps = plan.items_per_person, int(plan.reach.most / plan.grid)
    chance = grid_tail(plan.query_noise, plan.grid, plan.level(threshold) - steps, PRECISION)
    return any_of(items, chance)


@unlisted_cost.of(RankedPlan, SparseVectorPlan)
def _unlisted(plan: RankedPlan | SparseVectorPlan, threshold: _check.Number, items: int) -> float:
    """Return δ′ of the claim."""
    repeats = plan.repeats
    if repeats.resample or repeats.max_queries is not None:
        raise NoGuaranteeError(
            "candidates read off the data are found in a batch, which has neither "
            f"{named('resample')} nor {named('max_queries')}: leave them out"
        )
    level = _check.rational("threshold", threshold) + plan.correction
    level = -(-level // plan.grid) * plan.grid
    assert repeats.rounds is not None  # that is refused for every kind
    rounds = repeats.rounds
    chance = _expected_positive(plan, level - plan.reach.most, rounds) * (1 + 1e-9)
    exact = items * (Fraction(chance) + rounds * Fraction(LOST))
    return rounded_up(min(Fraction(1), exact))


def _expected_positive(plan: Plan, gap: Fraction, rounds: int) -> float:
    """Return E_ρ[1 - F(gap + ρ)^rounds] with ρ on the grid, rounded up but for underflow."""
    first = float(gap / plan.grid)  # a whole number, so that a gap of zero is one

    def positive(steps: Array) -> Array:
        x = (first + steps) * float(plan.grid)
        log_survival = plan.query_noise.logsf(x)
        log_cdf = plan.query_noise.logcdf(x)
        # Where S is tiny, ln F = -S to the last digit, and S keeps its own digits.
        log_cdf = np.where(log_survival < -30, -np.exp(log_survival), log_cdf)
        with np.errstate(over="ignore"):
            return np.asarray(-np.expm1(rounds * log_cdf))

    if plan.threshold_noise is None:
        return float(positive(np.zeros(1))[0])
    starts, masses, beyond = _blocks(plan, gap)
    return float(np.sum(masses * positive(starts))) + beyond


def _blocks(plan: Plan, gap: Fraction) -> tuple[Array, Array, float]:
    """Return where blocks of the threshold's noise begin, their masses, and what is left of them.

    The first point of a block is its worst, and the last block has no end. To the left the chance
    rises to one by the time ρ has eaten up the gap, and not before.
    """
    noise = plan.threshold_noise
    assert noise is not None
    scale, one_sided = float(noise.scale / plan.grid), type(noise) is Exponential
    shift = None if one_sided else threshold_shift(plan)
    right = math.ceil(REACH * scale) + 1
    left = 0 if one_sided else right + max(0, math.ceil(gap / plan.grid))
    block = max(1, math.ceil((left + right) / MOST_POINTS))
    starts = block * np.arange(-left // block, -(-right // block) + 1, dtype=np.float64)
    if isinstance(shift, GaussianShift):
        return starts, _normal_masses(starts, block, scale), 4 * float(scipy.special.ndtr(-REACH))
    rate = 1 / scale
    both = 1.0 if one_sided else 1 + math.exp(-rate)
    nearest = np.where(starts < 0, 1 - block - starts, starts)
    masses = np.exp(-rate * nearest) / both
    masses[:-1] *= -math.expm1(-rate * block)
    return starts, masses, 0.0 if one_sided else math.exp(rate * (starts[0] - 1)) / both


def _normal_masses(starts: Array, block: int, scale: float) -> Array:
    """Return the masses of blocks of discrete Gaussian noise, rounded up.

    A point's mass is at most e^(1/24 scale²) times that of the normal law on the cell around it
    (Jensen; the normaliser is at least that of the density, by Poisson summation).
    """
    if block == 1:
        weights = np.exp(-((starts / scale) ** 2) / 2)
        return np.asarray(weights / np.sum(weights))
    low, high = (starts - 0.5) / scale, (starts + block - 0.5) / scale
    inside = np.where(
        low > 0,
        scipy.special.ndtr(-low) - scipy.special.ndtr(-high),
        scipy.special.ndtr(high) - scipy.special.ndtr(low),
    )
    return np.asarray(inside * math.exp(1 / (24 * scale * scale)))
