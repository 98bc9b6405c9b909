"""Candidates read off the data: what an item that only one person holds can give away.

If a run over a fixed list is (ε, δ)-DP and a person holds at most m items, the same over the items
that occur, of which only the selected ones come out, is (ε, δ + δ′)-DP with

    δ′ = m · E_ρ[1 - F(T + r + ρ - Δ)^R],

m times the chance that an item of score Δ is positive in one of its R rounds.

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
from overbar.noise import Exponential, Noise
from overbar.privacy.loss_profile import Array
from overbar.privacy.plan import Plan
from overbar.privacy.threshold_loss import GaussianShift, threshold_shift

#: The threshold noise is summed point by point up to this many points, then in blocks.
MOST_POINTS = 400_000
#: Threshold noise is summed out to e^-REACH, and what is beyond is added in full.
REACH = 60.0
#: What a round may lose to underflow: 2^-1074 at each of some hundred thousand points, and more.
LOST = sys.float_info.min


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
    return plan.labels.unlisted_delta(threshold, items)


def unlisted_scores(
    noise: Noise, shared: Noise | None, gap: Fraction, grid: Fraction, *, rounds: int, items: int
) -> float:
    """Return δ′ of the claim, for a gap of T + r - Δ on the grid."""
    chance = _expected_positive(noise, shared, gap, grid, rounds) * (1 + 1e-9)
    exact = items * (Fraction(chance) + rounds * Fraction(LOST))
    return rounded_up(min(Fraction(1), exact))


def _expected_positive(
    noise: Noise, shared: Noise | None, gap: Fraction, grid: Fraction, rounds: int
) -> float:
    """Return E_ρ[1 - F(gap + ρ)^rounds] with ρ on the grid, rounded up but for underflow."""
    first = float(gap / grid)  # a whole number, so that a gap of zero is one

    def positive(steps: Array) -> Array:
        x = (first + steps) * float(grid)
        log_survival, log_cdf = noise.logsf(x), noise.logcdf(x)
        # Where S is tiny, ln F = -S to the last digit, and S keeps its own digits.
        log_cdf = np.where(log_survival < -30, -np.exp(log_survival), log_cdf)
        with np.errstate(over="ignore"):
            return np.asarray(-np.expm1(rounds * log_cdf))

    if shared is None:
        return float(positive(np.zeros(1))[0])
    starts, masses, beyond = _blocks(shared, gap, grid)
    return float(np.sum(masses * positive(starts))) + beyond


def _blocks(shared: Noise, gap: Fraction, grid: Fraction) -> tuple[Array, Array, float]:
    """Return where blocks of the threshold's noise begin, their masses, and what is left of them.

    The first point of a block is its worst, and the last block has no end. To the left the chance
    rises to one by the time ρ has eaten up the gap, and not before.
    """
    scale, one_sided = float(shared.scale / grid), type(shared) is Exponential
    shift = None if one_sided else threshold_shift(shared, grid, grid)
    right = math.ceil(REACH * scale) + 1
    left = 0 if one_sided else right + max(0, math.ceil(gap / grid))
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
    """Return the masses of blocks of discrete Gaussian noise, rounded up as for thresholds."""
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
