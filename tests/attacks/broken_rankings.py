"""Broken twins of the mechanisms that give the highest noisy values, and of the search for keys.

They are the controls of the audit: an auditor that misses one of them is too weak.
``BROKEN`` has all of them.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from overbar.audit.interfaces import Claim, Pair
from overbar.mechanisms import Bar, Composed, HistogramPlan, RankedPlan, SetUnionPlan
from overbar.mechanisms.key_values import Round
from overbar.mechanisms.keys import STEPS, Held
from overbar.mechanisms.run import Answer
from overbar.noise import Exponential, Gaussian, Laplace
from tests.attacks.broken_queues import QUEUES
from tests.attacks.twins import ONE, UP, Twin, batch, broken, queue

#: Sound for counts with ε = 1: s = b = 1, one item.
RANKED = RankedPlan(Exponential(1), Bar(Exponential(1)), 1, UP)


class LeftTailedBar(RankedPlan):
    """A plan of which one line is another."""

    def run(self, run: Any, scores: Any, level: Any) -> Answer:
        """Find the highest that reach a bar with noise that is taken off."""
        bar = level - run.draw(self.threshold_noise, self.grid)
        return Answer(run.highest(scores, self.query_noise, self.grid, bar, most=self.cutoff))


LEFT_TAILED_BAR = broken(
    "ranked selection, bar noise with its tail to the left",
    "the bar is never above its public level, so a score there is always found",
    "mirror image of a sound mechanism: docs/theory/ranked.md",
    Pair((0, -9), (-1, -9), "from the level to below it"),
)(batch(LeftTailedBar(**vars(RANKED))))

#: Two items cost 2Δ/s = 1, and a bar of scale 1/2 costs 2 more where one or none is found.
UNPAID_BAR = broken(
    "ranked selection, bar not paid for where fewer than c are found",
    "an answer that is not full says that all others are below the bar",
    "docs/theory/ranked.md: only a full answer does not pay for the bar",
    Pair((0, 0), (1, 1), "both scores rise above the level"),
)(batch(RankedPlan(Exponential(2), Bar(Exponential(Fraction(1, 2))), 2, UP)))

NO_FACTOR_CUTOFF = broken(
    "ranked selection, noise without the factor c",
    "each of the c items costs what was budgeted for all of them",
    "docs/theory/ranked.md with s = Δ/ε",
    Pair((-1, -1), (0, 0), "both scores rise to the level"),
)(batch(RankedPlan(Exponential(1), Bar(Exponential(1)), 2, UP)))


@broken(
    "ranked selection, equal values ordered by their true scores",
    "on the grid values are often equal, and then the true score decides without noise",
    "a stable sort of candidates that come sorted by score",
    Pair((0, 0), (1, 0), "one of two equal scores rises"),
)
def ties_by_score(run: Any, scores: Sequence[int]) -> Hashable:
    """The top one; scores that are equal too come by lot."""
    noises = run.draws(Exponential(1), ONE, len(scores))
    keys = [(run.tell(score + own), score) for score, own in zip(scores, noises, strict=True)]
    first = [place for place, key in enumerate(keys) if key == max(keys)]
    return tuple(run.lot(first, 1))


#: Laplace noise of scale Δ/ε, where it has to be m·Δ/ε.
NO_FACTOR_ITEMS = broken(
    "a histogram with noise for one item of each person",
    "a person with two items moves two values, and each costs all of the budget",
    "docs/theory/histogram.md with m = 1",
    Pair((0, 0), (1, 1), "a person with two items"),
)(batch(HistogramPlan(Laplace(1), None, 2, UP, ONE, 2, values=True)))

#: Gaussian noise of scale 2 on one value of sensitivity 1 is (1, 0.007)-DP.
NO_FACTOR_BITS = broken(
    "a bare set with noise for one item of each person",
    "a person with two items moves two bits, and each costs all of the budget",
    "docs/theory/histogram.md with m = 1",
    Pair((-2, -2), (-1, -1), "a person with two items"),
    claim=Claim.of(1, Fraction(7, 1000)),
    runs=100_000,
)(batch(queue(Gaussian(2), None, 2, UP)))


@broken(
    "a count with the noise that selected it",
    "exponential noise is never negative, so the value shows a score that it exceeds",
    "docs/theory/counts.md: a count needs noise of its own",
    Pair((0, 0), (1, 1), "both scores rise"),
)
def noise_used_again(run: Any, scores: Sequence[int]) -> Hashable:
    """The top one of two, with the value that won beside it."""
    (best,) = run.highest(scores, Exponential(1), ONE, None, most=1, values=True)
    return best.candidate, run.tell(best.value)


#: The top one of two costs ε = 1, and a count with Laplace noise of scale one as much again.
UNPAID_COUNT = broken(
    "a label with all of the budget, and a count beside it",
    "fresh noise is not enough: the count costs what its noise says, and labels get the rest",
    "docs/theory/counts.md: a share of the budget that is given away twice",
    Pair((-1, 0), (-2, 0), "the lower of two scores falls"),
)(batch(Composed(RankedPlan(Exponential(1), None, 1, UP), Laplace(1))))

# Keys ---------------------------------------------------------------------------------------------

#: Gaussian noise of scale 1.9 on one value of sensitivity 1 is (1, 0.01)-DP; lone keys are rare.
SIGMA, PERSONS = Fraction(19, 10), 12


class RoundedUp(SetUnionPlan):
    """A plan of which one line is another."""

    def weight(self, items: int) -> int:  # that is the fault
        """Return one, also for each of several keys."""
        return STEPS


def crowd(persons: int) -> dict[int, str]:
    """Return so many persons who hold the same four keys."""
    return dict.fromkeys(range(persons), "abcd")


@broken(
    "keys, weights rounded up",
    "who holds four keys adds one to each, and moves the weights by two",
    "docs/theory/keys.md, where weights are rounded down",
    Pair(crowd(PERSONS - 1), crowd(PERSONS), "one more person with four keys"),
    claim=Claim.of(1, "0.02"),
)
def rounded_up(run: Any, table: Mapping[int, str]) -> Hashable:
    """The keys that come out, of one round."""
    plan = RoundedUp(4, (Round(SIGMA, PERSONS * STEPS),))
    return plan.run(run, Held(run, table)).found  # type: ignore[arg-type]  # a tuple


@broken(
    "keys, a bar for > and a comparison by >=",
    "a noisy weight that equals the bar comes out, and its chance was not counted",
    "docs/theory/keys.md: the atom at the bar",
    Pair(1, 0, "a key of one person"),
    claim=Claim.of(3, "0.01"),
)
def reached(run: Any, persons: int) -> Hashable:
    """P(N > 3) = 0.009 and P(N >= 3) = 0.045 for discrete Gaussian noise of scale 3/2."""
    return bool(persons) and run.passes(0, Gaussian(Fraction(3, 2)), ONE, 3, on_grid=True)


@broken(
    "keys, lots drawn after a look at what others hold",
    "one person decides what all others keep, and moves every weight",
    "docs/theory/keys.md: what a person keeps is a function of their own keys",
    Pair(1, 0, "one more person, with the second key"),
    claim=Claim.of(1, "0.02"),
)
def looked(run: Any, extra: int) -> Hashable:
    """Ten persons hold both of two keys, and keep what most hold, the first in ties."""
    weights = (0, 11) if extra else (10, 0)
    return tuple(run.passes(weight, Gaussian(SIGMA), ONE, 6, on_grid=True) for weight in weights)


#: All that must be caught.
BROKEN = (*QUEUES, *(value for value in vars().values() if isinstance(value, Twin)))
