"""Parts that add up: what several runs on the same data, one after the other, keep together.

Later parts may depend on what earlier ones have given. Each part is known by what is proved about
it: δ at every ε, a Rényi bound at every order, and a pure ε if it has one.

**Rényi.** Divergences of one order add up (Mironov 2017, arXiv:1702.07476v3, Proposition 1), and
their sum is turned into (ε, δ) once.

**One part beside pure ones.** Let all parts but one be pure, ε₀ together. A pure run is a
post-processing of randomised response (Kairouz, Oh & Viswanath 2015, arXiv:1311.0776v4), whose loss
is ε₀ with probability p = 1/(1 + e^-ε₀), else -ε₀. So with D the other part's curve

    δ(ε) <= p·D(ε - ε₀) + (1 - p)·D(ε + ε₀),    D(-a) = 1 - e^-a·(1 - D(a)),

which is never above D(ε - ε₀), the plain sum of (ε₀, 0) and (ε - ε₀, D).

**Picks and other parts.** The profile of a top by Gumbel noise is that of picks, each in front of
the next (:mod:`overbar.privacy.top_with_delta`). What comes *after* them, as fresh counts do, is
what they start from. What may come *before*, and so decide about the picks, is a pair in front of
them: it would be too little to start from it.

Theory: :doc:`/theory/composition`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache

import numpy as np

from overbar import _check
from overbar._check import Number
from overbar._numbers import rounded_up
from overbar.errors import NoGuaranteeError
from overbar.privacy.profile_operator import (
    Array,
    ProfileBound,
    chords,
    nothing_to_come,
    pair_of,
)
from overbar.privacy.pure_guarantee import Guarantee, PureDP
from overbar.privacy.theorem import checked_log_delta, epsilon_at, log_delta_at
from overbar.privacy.top_with_delta import Picks

#: How fine orders are searched, in the logarithm of their excess over one, and between where. Any
#: order proves what it says.
FINEST, LOWEST, HIGHEST = Fraction(1, 64), -20, 64
#: More than the rounding of a few floats.
HAIR = 1e-12
#: Levels are whole multiples of one over this.
FINE = 1 << 60
#: No δ is one.
LARGEST = 1 - Fraction(1, 10**9)
#: How often an ε beside a pure one is looked for, and how near it must come, in parts of that.
SECANTS, NEAR = 8, Fraction(1, 200)
#: A curve is looked at so often; between, its chords lie above it.
LOOKS = 256
#: Profiles of parts go no further: what is beyond is lost for sure, and such ε's are added up.
FARTHEST = 100.0
#: Curves are looked at down to this δ at least, and profiles of more levels are not followed.
LEAST_DELTA, MOST_LEVELS = 1e-99, 100_000
#: Cells to the range of a pick: beside other parts the noise is then within 0.1 % of the least.
CELLS = 32


def composed_renyi(parts: Sequence[Guarantee], order: float) -> float:
    """Return a bound on the Rényi divergence of all parts together."""
    return _renyi(Counter(parts), order)


def _renyi(same: Counter[Guarantee], order: float) -> float:
    return sum(n * part.renyi(order) for part, n in same.items()) * (1 + HAIR)


def composed_delta(parts: Sequence[Guarantee], epsilon: Number) -> float:
    """Return a δ that all parts together keep at this ε."""
    level = _check.non_negative("epsilon", epsilon)
    low, same = -rounded_up(-level), Counter(parts)
    value = _least(lambda order: log_delta_at(_renyi(same, order), order, low))
    found = [math.exp(min(0.0, value + HAIR * (1 + abs(value))))]
    found += [_mixed(part, pure, level) for part, pure in _beside_pure(same)]
    return max(min(found), math.ulp(0.0))


def composed_epsilon(parts: Sequence[Guarantee], delta: Number) -> float:
    """Return an ε that all parts together keep at this δ; what is returned has been evaluated."""
    log_delta = checked_log_delta(delta)
    if log_delta == -math.inf:
        raise NoGuaranteeError("these parts have no pure guarantee together; allow a larger delta")
    same = Counter(parts)
    by_orders = _least(lambda order: epsilon_at(_renyi(same, order), order, log_delta))
    return min([by_orders, *(_mixed_epsilon(*pair, delta) for pair in _beside_pure(same))])


def _least(value: Callable[[float], float]) -> float:
    """Return the least value of a function of the order that has one valley, or nearly.

    Orders lie on lattices that get finer, always the same, so that what is known of one plan at an
    order serves the next plan as well.
    """

    @cache
    def at(place: Fraction) -> float:
        return value(1 + math.exp(place))

    def inside(place: Fraction) -> bool:
        return LOWEST < place < HIGHEST

    place, step = Fraction(3), Fraction(1)
    while step >= FINEST:
        best = min((place - step, place, place + step), key=at)
        place, step = (best, step) if best != place and inside(best) else (place, step / 2)
    return at(place)


def _beside_pure(same: Counter[Guarantee]) -> Iterator[tuple[Guarantee, Fraction]]:
    """Yield each part with the pure ε of all others, where these have one."""
    for part in same:
        try:
            pure = [
                (n - (other == part)) * Fraction(other.at(0))
                for other, n in same.items()
                if n > (other == part)
            ]
        except NoGuaranteeError:
            continue
        yield part, sum(pure, Fraction(0))


def _mixed(part: Guarantee, pure: Fraction, level: Fraction) -> float:
    """Return p·D(level - pure) + (1 - p)·D(level + pure), rounded up."""
    odds = math.exp(-pure)
    near, far = _profile(part, level - pure), _profile(part, level + pure)
    return min(1.0, (near + odds * far) / (1 + odds) * (1 + HAIR))


def _profile(part: Guarantee, level: Fraction) -> float:
    """Return D at any level, rounded down to a short one: D falls."""
    short = Fraction(math.floor(level * FINE), FINE)
    short = max(-_check.LARGEST, min(short, _check.LARGEST))
    if short >= 0:
        return part.delta(short)
    return -math.expm1(short) + math.exp(short) * part.delta(-short)


def _mixed_epsilon(part: Guarantee, pure: Fraction, delta: Number) -> float:
    """Return an ε at which the mixed curve is at most δ; what is returned has been evaluated.

    It lies between the ε of the part alone and the plain sum with ε₀, and is nearly the first where
    ε₀ is small. Logarithms of the curve are nearly straight there.
    """
    allowed = _check.probability("delta", delta)
    alone = Fraction(part.at(min(allowed, LARGEST)))
    low, high = alone, alone + pure
    goal, at_low, at_high = checked_log_delta(delta), _log_mixed(part, pure, low), -math.inf
    for _ in range(SECANTS):
        if high - low < NEAR * pure or at_low <= goal:
            break
        if at_high == -math.inf:
            at_high = min(_log_mixed(part, pure, high), goal)
        share = (at_low - goal) / (at_low - at_high)
        middle = low + Fraction(min(max(share, 0.05), 0.95)) * (high - low)
        value = _log_mixed(part, pure, middle)
        if value <= goal:
            high, at_high = middle, value
        else:
            low, at_low = middle, value
    return rounded_up(low if at_low <= goal else high)


def _log_mixed(part: Guarantee, pure: Fraction, level: Fraction) -> float:
    """Log of the mixed curve; what is too small for a float counts as the least one."""
    return math.log(max(_mixed(part, pure, level), math.ulp(0.0)))


# Picks --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class PicksBeside:
    """Picks, a part after them, and what may be before them: a part, and pure ones of ε₀."""

    picks: Picks
    after: Guarantee | None
    before: Guarantee | None
    pure: Fraction

    @classmethod
    def of(
        cls, picks: Sequence[Picks], after: Sequence[Guarantee], before: Sequence[Guarantee] = ()
    ) -> PicksBeside | None:
        """Return it for these parts; None where picks differ, or two on a side are not pure."""
        ranges = {run.range_ for run in picks}
        sides = [
            [part for part in side if not isinstance(part, PureDP)] for side in (after, before)
        ]
        if len(ranges) != 1 or max(map(len, sides)) > 1:
            return None
        whole = Picks(sum(run.count for run in picks), ranges.pop(), CELLS)
        pure = [part.epsilon for part in (*after, *before) if isinstance(part, PureDP)]
        last, first = (side[0] if side else None for side in sides)
        followed = whole.is_followed and sum(pure) <= FARTHEST
        return cls(whole, last, first, sum(pure, Fraction(0))) if followed else None

    def delta(self, epsilon: Number, known: float) -> float:
        """Return a δ that all parts together keep at this ε, where another is known."""
        level = -rounded_up(-_check.non_negative("epsilon", epsilon))
        profile = _beside(self, self.picks.depth(-math.log(known)))
        return known if profile is None else min(known, profile.at(level))

    def epsilon(self, delta: Number) -> float:
        """Return an ε that all parts together keep at this δ; infinite where none is found."""
        log_delta = checked_log_delta(delta)
        profile = _beside(self, self.picks.depth(-log_delta))
        return math.inf if profile is None else profile.level(log_delta)


@lru_cache(maxsize=64)
def _beside(parts: PicksBeside, depth: float) -> ProfileBound | None:
    """Return the profile of all parts, followed down to a depth, the log of a δ.

    None where it has too many levels: picks say next to nothing beside the other parts.
    """
    looks = {part: _looks(part, depth) for part in (parts.after, parts.before) if part is not None}
    pure, step = rounded_up(parts.pure), parts.picks.step
    last = parts.picks.last(depth) + pure + sum(float(levels[-1]) for levels, _ in looks.values())
    if last / step.interval > MOST_LEVELS:
        return None
    later = nothing_to_come(step.interval, last)
    if parts.after is not None:
        later = chords(*looks[parts.after], step.interval, last)
    later = step.before(later, parts.picks.count)
    if pure:
        response = np.array([0.0, pure]), np.array([math.tanh(pure / 2) * (1 + HAIR), 0.0])
        later = pair_of(*response, step.interval).before(later)
    if parts.before is not None:
        later = pair_of(*looks[parts.before], step.interval).before(later)
    return later


@lru_cache(maxsize=64)
def _looks(part: Guarantee, depth: float) -> tuple[Array, Array]:
    """Return levels down to a depth, and what a part keeps at each, in both directions."""
    least = Fraction(max(LEAST_DELTA, math.exp(-depth)))
    last = min(FARTHEST, max(HAIR, float(part.at(least))))  # levels are apart
    levels = np.linspace(0.0, last, LOOKS + 1)
    return levels, np.array([part.delta(Fraction(level)) for level in levels])
