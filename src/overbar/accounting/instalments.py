"""What a run pays on its way: when it begins, and with each positive. What is not paid comes back.

A charge on average, such as a Rényi divergence, may be paid by *instalments* if a theorem proves
more than a sum: that e^((a-1)·(loss - paid so far)) never rises on average, wherever the run is
ended. Theorems for which that is proved are filters (``Theorem`` in ``accounting/theorem.py``).
They are all of one form: something at the start, such as the shift of the threshold's noise, and
the same for each positive. One theorem and one shift are taken for a run, before it begins.

**ρ** (zero-concentrated privacy, Bun & Steinke 2016, arXiv:1605.02065): the divergence of every
order a is at most ρ·a. What is proved about a part of a plan:

- pure ε: ε·tanh(ε/2) <= ε²/2, paid at once; a threshold that is drawn anew pays for each draw;
- a pick of the highest value under Gumbel noise, of range κ: κ²/8;
- a race with noise on its threshold: the shift's own, and κ - 1 + e^-κ <= κ²/2 with each positive;
- values under Gaussian noise: m·Δ²/2σ², paid at once.

Theory: :doc:`/theory/zero_concentrated`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial

from overbar.accounting.bare_set import BARE_SET, shown_total
from overbar.accounting.guarantees import proved_about
from overbar.accounting.histogram import HISTOGRAM, Moved
from overbar.accounting.partial_shift import PartialShift
from overbar.accounting.pure import pure_covers, pure_epsilon
from overbar.accounting.race import RACE, Race
from overbar.accounting.renyi import resampled_covers, resampled_epsilon_each
from overbar.accounting.theorem import CURVES
from overbar.accounting.threshold_loss import LaplaceShift
from overbar.accounting.top_with_delta import PICKS, Picks
from overbar.plans import Plan

#: A difference of floats is raised by this part of them: more than both are off by.
ROUNDING = Fraction(1, 2**50)
NOTHING = Fraction(0)


@dataclass(frozen=True)
class Instalments:
    """What is paid when a run begins and with each positive, and in all: never more than that."""

    start: Fraction
    each: Fraction
    whole: Fraction

    def with_rest(self, rest: Fraction) -> Instalments:
        """Return the same beside other parts, which are paid at once."""
        return Instalments(self.start + rest, self.each, self.whole + rest)


def at_once(cost: Fraction) -> Instalments:
    """Return what is paid when a run begins, and does not come back."""
    return Instalments(cost, NOTHING, cost)


def _pays_on_the_way(plan: Plan) -> bool:
    """Tell whether the positives of an answer are those of its first part, and no values beside."""
    return plan.groups is None and not plan.gives_values


@lru_cache(maxsize=64)
def renyi_instalments(plan: Plan, order: float) -> tuple[Instalments, ...]:
    """Return all ways to pay for a run at an order on its way that are proved; the least first."""
    if not _pays_on_the_way(plan):
        return ()
    own, *others = plan.paid()
    rest = sum(proved_about(part).renyi(order) for part in others)
    ways = []
    for theorem in CURVES:
        if not theorem.is_filter or not theorem.covers(own):
            continue
        bound = theorem.bound(own)
        # Each shift is a filter by itself; the least of several on the way would be none.
        for run in bound.parts if isinstance(bound, PartialShift) else (bound,):
            whole = run.renyi(order)
            if math.isfinite(whole + rest):
                start, first = Fraction(run.spent(0, order)), Fraction(run.spent(1, order))
                each = first - start + first * ROUNDING if first > start else NOTHING
                ways.append(Instalments(start, each, Fraction(whole)).with_rest(Fraction(rest)))
    return tuple(sorted(ways, key=lambda way: way.whole))


@lru_cache(maxsize=64)
def rho_instalments(plan: Plan) -> Instalments | None:
    """Return the least ρ that is proved about a run, and how it is paid; None if there is none.

    Exact, but for hazards of Laplace noise, which are floats and rounded up. Parts add up, whatever
    the later ones are told about the earlier ones.
    """
    least = partial(min, key=lambda way: way.whole, default=None)
    own, *others = (least(_rho_of_part(part)) for part in plan.paid())
    if own is None or None in others:
        return None
    whole = own.with_rest(sum((part.whole for part in others if part), NOTHING))
    return whole if _pays_on_the_way(plan) else at_once(whole.whole)


def _rho_of_part(part: Plan) -> list[Instalments]:
    """Return all that is proved about ρ of a plan of one part."""
    ways = []
    if pure_covers(part):
        ways.append(at_once(pure_rho(pure_epsilon(part))))
    if resampled_covers(part):
        each = pure_rho(resampled_epsilon_each(part))
        ways.append(Instalments(each, each, part.cutoff * each))
    if PICKS.covers(part):
        picks = PICKS.bound(part)
        assert isinstance(picks, Picks)
        each = Fraction(picks.range_) ** 2 / 8
        ways.append(Instalments(NOTHING, each, picks.count * each))
    if RACE.covers(part):
        race = RACE.bound(part)
        assert isinstance(race, Race)
        ways += _rho_of_race(race)
    if HISTOGRAM.covers(part):
        moved = HISTOGRAM.bound(part)
        assert isinstance(moved, Moved)
        ways.append(at_once(moved.items * moved.steps**2 / (2 * moved.variance)))
    if BARE_SET.covers(part):  # as if values were told
        ways.append(at_once(shown_total(part) / 2))
    return ways


def _rho_of_race(race: Race) -> list[Instalments]:
    """Return ρ of a race. On a bare threshold hazards fall as well, and high orders have no end."""
    shift = race.threshold
    if shift is None:
        return []
    moved = (
        pure_rho(Fraction(shift.epsilon))
        if isinstance(shift, LaplaceShift)
        else Fraction(shift.distance) ** 2 / 2
    )
    step = Fraction(race.step)
    # The first is no less than step - 1 + e^-step: the terms of its series alternate.
    each = min(step**2 / 2 * (1 - step / 3 + step**2 / 12), step**2 / 2)
    again = moved if race.resample else NOTHING
    whole = race.part.draws * moved + race.cutoff * each
    return [Instalments(moved, each + again, whole)]


def pure_rho(epsilon: Fraction) -> Fraction:
    """Return a ρ of every run that is pure ε: ε·tanh(ε/2), rounded up.

    tanh x <= x·(15 + x²)/(15 + 6x²), the third convergent of its continued fraction.

    >>> pure_rho(Fraction(1)), pure_rho(Fraction(1, 10)) < Fraction(1, 200)
    (Fraction(61, 132), True)
    """
    square = epsilon**2
    return min(epsilon, square / 2 * (60 + square) / (60 + 6 * square))
