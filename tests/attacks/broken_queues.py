"""Known-broken sparse vector runs, named by their fault, with inputs that expose them.

First variants that were published as private, as analysed by Lyu, Su and Li; then noise of the
wrong kind; then sound noise that leaks by rounding, or by what else is computed.

M. Lyu, D. Su and N. Li, "Understanding the Sparse Vector Technique for Differential Privacy",
PVLDB 10(6), 2017, arXiv:1603.01699. Their Algorithm 1 is the sound one: Laplace noise of scale
Δ/ε₁ on the threshold, 2cΔ/ε₂ on each query, halt after c positives. Their Algorithm 2 (Dwork and
Roth) is sound as well. The numbers below are those of the other four, with Δ = 1.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from overbar.audit.interfaces import Claim, Pair
from overbar.noise import Exponential, Gumbel, Laplace, Noise
from tests.attacks.twins import ONE, UP, Says, Twin, broken, online, queue

PAPER = "Lyu, Su and Li 2017, arXiv:1603.01699"

# As published -------------------------------------------------------------------------------------

#: ε₁ = ε/4, ε₂ = 3ε/4, query noise Δ/ε₂: private only with (1 + 6c)/4 times the ε claimed.
LEE_AND_CLIFTON = queue(Laplace(Fraction(4, 3)), Laplace(4), cutoff=4)
NOISE_WITHOUT_CUTOFF_FACTOR = broken(
    "query noise without the factor c",
    "each of the c positives costs what was budgeted for all of them",
    f"Lee and Clifton 2014; Algorithm 4 of {PAPER}",
    Pair((0, 1, 1, 1, 1), (1, 0, 0, 0, 0), "a negative rises, positives fall"),
    Pair((0, 0, 0, 1, 1, 1, 1), (1, 1, 1, 0, 0, 0, 0), "negatives rise, positives fall"),
)(online(LEE_AND_CLIFTON))


@broken(
    "no noise on queries",
    "a negative and a positive pin the threshold between two exact answers",
    f"Stoddard, Chen and Machanavajjhala 2014; Algorithm 5 of {PAPER}",
    Pair((0, 1), (1, 0), "the two answers swap places"),
)
def no_query_noise(run: Any, scores: Sequence[int]) -> Hashable:
    """ε₁ = ε/2 on the threshold, nothing on queries, no end."""
    bar = run.draw(Laplace(2), ONE)
    return tuple(run.passes(score, None, ONE, bar) for score in scores)


NO_CUTOFF = broken(
    "no cutoff",
    "every positive costs, and nothing counts them",
    f"Chen, Xiao, Zhang and Xu 2015; Algorithm 6 of {PAPER}",
    Pair((0,) * 8, (1,) * 4 + (-1,) * 4, "half of the answers rise, half fall"),
)(online(queue(Laplace(2), Laplace(2), cutoff=10**6)))


def valued(noise: Noise) -> Says:
    """Return runs that tell the place of the first positive, and the value that passed."""

    def says(run: Any, scores: Sequence[int]) -> Hashable:
        bar = run.draw(Laplace(2), ONE)
        for place, score in enumerate(scores):
            for one in run.highest([score], noise, ONE, bar, most=1, values=True):
                return place, run.tell(one.value)
        return None

    return says


#: ε₁ = ε₂ = ε/2, query noise cΔ/ε₂ with c = 1; the value that passed is told with the same noise.
SAME_NOISE = broken(
    "the noisy answer told with the noise it passed with",
    "the value tells how high the threshold is at most, so the negatives before it cost",
    f"lecture notes of Roth 2011; Algorithm 3 of {PAPER}",
    Pair((0,) * 5 + (1,), (1,) * 5 + (0,), "five negatives rise, the positive falls"),
    runs=200_000,
)(valued(Laplace(2)))

# Noise, rounding, numbers from the data -----------------------------------------------------------

#: What most broken mechanisms break: it is sound for counts, with ε₁ = ε₂ = 1/2 and one positive.
SOUND = queue(Exponential(2), Laplace(2), 1, UP)


def left_tailed(noise: Noise) -> Says:
    """Return runs whose threshold noise is reflected at zero."""

    def says(run: Any, scores: Sequence[int]) -> Hashable:
        bar = 0 - run.draw(noise, ONE)
        return tuple(run.passes(score, Exponential(2), ONE, bar) for score in scores)

    return says


#: With its tail to the right, exponential noise on the threshold is private
#: (docs/theory/pure.md): only the mirror image is broken.
LEFT_TAIL = broken(
    "threshold noise with its tail to the left",
    "the threshold is never above its public level, so a score there is never negative",
    "mirror image of a sound mechanism: docs/theory/pure.md",
    Pair((0,), (-1,), "from the level to below it"),
)(left_tailed(Exponential(2)))

POSITIVES, FINE = 50, Fraction(1, 16)


@broken(
    "Rényi costs of exponential noise added up without resampling",
    "a negative proves that the threshold is high, and then every positive costs in full",
    "appendix of arXiv:2407.20068; docs/errata.md, docs/theory/counterexample.md",
    Pair((0, 4), (16, -12), "the first rises, the fifty after it fall; in sixteenths"),
    claim=Claim.of("3.56", "1e-5"),
    runs=6_000_000,
)
def renyi_without_resampling(run: Any, scores: tuple[int, int]) -> Hashable:
    """Laplace ρ with ε₁ = 0.1, exponential noise with 0.1 for each of 50 positives."""
    bar = run.draw(Laplace(10), FINE)
    if run.passes(scores[0], Exponential(20), FINE, bar):
        return "positive"
    return all(run.passes(scores[1], Exponential(20), FINE, bar) for _ in range(POSITIVES))


class Floats:
    """Exponential noise of scale two as -ln U of a float U = 2^-53, 2·2^-53, …, 1: it ends."""

    def logsf(self, gaps: Any) -> Any:
        """Return the log of P(noise >= gap)."""
        with np.errstate(divide="ignore"):
            return np.log(np.floor(2.0**53 * np.exp(-np.maximum(gaps, 0.0) / 2)) / 2.0**53)

    def logcdf(self, gaps: Any) -> Any:
        """Return the log of P(noise < gap)."""
        with np.errstate(divide="ignore"):
            return np.log1p(-np.exp(self.logsf(gaps)))

    def log_hazard(self, gaps: Any) -> Any:
        """Return the log of -ln P(noise < gap)."""
        with np.errstate(divide="ignore"):
            return np.log(-self.logcdf(gaps))


@broken(
    "exponential noise as floats draw it",
    "-ln U ends at 36.7 scales; asked often enough, who is just below wins alone",
    "Mironov 2012 for Laplace noise",
    Pair(1, 0, "one candidate rises by one among 200 equal ones"),
)
def float_noise(run: Any, score: int) -> Hashable:
    """ε₁ = ε₂ = 1/2, monotonic counts, c = 1, negatives asked again and again."""
    bar = 74 + run.draw(Laplace(2), ONE)
    won = run.passing([score] + [0] * 200, Floats(), ONE, bar, most=1, rounds=None)
    return won[0].candidate == 0 if won else None


@broken(
    "scores rounded half to even",
    "0.5 goes to 0 and 1.5 to 2: a sensitivity of one becomes two",
    "numpy.rint, round",
    Pair((0.5, 1.5), (1.5, 0.5), "the two scores swap places"),
    claim=Claim.of(2),
)
def half_even_rounding(run: Any, scores: Iterable[float]) -> Hashable:
    """ε₁ = ε₂ = 1, c = 1, general queries: query noise 2cΔ/ε₂."""
    return online(queue(Exponential(2), Laplace(1), 1))(run, map(round, scores))


CANDIDATES = 50


@broken(
    "a correction computed from the data",
    "one person moves all scores over the threshold, and the correction jumps",
    "a correction for k negatives with k counted instead of given",
    Pair((-1,) * CANDIDATES, (0,) * CANDIDATES, "all scores reach the threshold"),
)
def correction_from_data(run: Any, scores: Sequence[int]) -> Hashable:
    """The k/(k + 1) quantile of the query noise."""
    negatives = sum(score < 0 for score in scores)
    return online(SOUND, math.ceil(2 * math.log1p(negatives)))(run, scores)


RELEASED_VALUE = broken(
    "the noisy value of a positive released",
    "exponential noise is never negative, so the value bounds the score from above",
    "Algorithm 3 of arXiv:1603.01699 with one-sided noise",
    Pair((1,), (0,), "one count"),
)(valued(Exponential(2)))

RUM = Pair({"rum": 1, "tea": 30}, {"tea": 30}, "rum is one person's")


@broken(
    "candidates read off the data, every answer released",
    "that an item was asked about says that someone holds it",
    "overbar.privacy.read_off_candidates, which allows selected items only",
    RUM,
    claim=Claim.of(1, "0.02"),  # of releasing selected items only
)
def list_from_data(run: Any, counts: Mapping[str, int]) -> Hashable:
    """One answer for each item that occurs in the data."""
    answers = online(queue(Exponential(4), Laplace(2), 2, UP), 20)(run, counts.values())
    return tuple(zip(counts, answers, strict=False))  # type: ignore[call-overload]


@broken(
    "candidates read off the data, positions released",
    "a position counts the items before it, among them one that one person holds",
    "overbar.runs.selection, which hides positions there",
    RUM,
    claim=Claim.of(1, "0.02"),
)
def positions_from_data(run: Any, counts: Mapping[str, int]) -> Hashable:
    """At which place of the data's own list the first positive stands."""
    return online(SOUND, 20)(run, [counts[item] for item in sorted(counts)])


#: Rounds are counted up to here.
MOST_ROUNDS = 4


@broken(
    "rounds of a negative counted past the last positive",
    "in which round the losers would have passed is more positives than were paid for",
    "docs/theory/steps.md: a run ends with its last positive",
    Pair((0, 1, 1, 1), (1, 0, 0, 0), "the first rises, the others fall"),
    claim=Claim.of(2),
)
def rounds_after_the_end(run: Any, scores: Sequence[int]) -> Hashable:
    """ε₁ = ε₂ = 1, c = 1, general queries, asked again and again until the first is positive."""
    bar = run.draw(Laplace(1), ONE)

    def rounds(score: int) -> int:
        asked = range(1, MOST_ROUNDS)
        return next((k for k in asked if run.passes(score, Exponential(2), ONE, bar)), MOST_ROUNDS)

    return tuple(map(rounds, scores))


@broken(
    "a monitor that leaves nobody out",
    "every alarm that counts a person costs, and one was paid for",
    "docs/theory/monitor.md: hits, forgotten after each alarm",
    Pair((1,) * 8, (0,) * 8, "one person in all of eight questions"),
    claim=Claim.of(1, "0.02"),
)
def never_left_out(run: Any, weights: Sequence[int]) -> Hashable:
    """Gumbel noise that keeps (1, 0.02) for one alarm that counts a person."""
    return sum(run.passes(weight, Gumbel(Fraction(5, 2)), ONE, 2) for weight in weights)


#: All of them.
QUEUES = tuple(value for value in vars().values() if isinstance(value, Twin))
