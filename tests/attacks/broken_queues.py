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
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from overbar.audit.interfaces import Claim, Outcomes, Pair
from overbar.noise import Exponential, Gumbel, Laplace
from tests.attacks.checks import Answers, Array, Check, broken, law_runs, transcripts
from tests.attacks.strategies import Path, Step
from tests.attacks.twin_law import Law

PAPER = "Lyu, Su and Li 2017, arXiv:1603.01699"


#: ε₁ = ε/4, ε₂ = 3ε/4, query noise Δ/ε₂: private only with (1 + 6c)/4 times the ε claimed.
NOISE_WITHOUT_CUTOFF_FACTOR = broken(
    name="query noise without the factor c",
    fault="each of the c positives costs what was budgeted for all of them",
    source=f"Lee and Clifton 2014; Algorithm 4 of {PAPER}",
    pairs=(
        Pair((0, 1, 1, 1, 1), (1, 0, 0, 0, 0), "a negative rises, positives fall"),
        Pair((0, 0, 0, 1, 1, 1, 1), (1, 1, 1, 0, 0, 0, 0), "negatives rise, positives fall"),
    ),
    law=Law(Laplace(Fraction(4, 3)), Laplace(Fraction(4)), cutoff=4, continuous=True),
)


#: ε₁ = ε/2 on the threshold, nothing on queries, no end.
NO_QUERY_NOISE = broken(
    name="no noise on queries",
    fault="a negative and a positive pin the threshold between two exact answers",
    source=f"Stoddard, Chen and Machanavajjhala 2014; Algorithm 5 of {PAPER}",
    pairs=(Pair((0, 1), (1, 0), "the two answers swap places"),),
    law=Law(None, Laplace(Fraction(2)), cutoff=None, continuous=True),
)


#: ε₁ = ε₂ = ε/2, query noise Δ/ε₂, as many positives as there are.
NO_CUTOFF = broken(
    name="no cutoff",
    fault="every positive costs, and nothing counts them",
    source=f"Chen, Xiao, Zhang and Xu 2015; Algorithm 6 of {PAPER}",
    pairs=(
        Pair((0,) * 60, (1,) * 30 + (-1,) * 30, "half of the answers rise, half fall"),
        Pair((0,) * 8, (1,) * 4 + (-1,) * 4, "the same, short"),
    ),
    law=Law(Laplace(Fraction(2)), Laplace(Fraction(2)), cutoff=None, continuous=True),
)


def _place_and_value(answers: Answers, noisy: Array) -> Outcomes:
    place = np.argmax(answers == 1, axis=1)
    rows = np.arange(len(answers))
    passed = answers[rows, place] == 1
    value = np.where(passed, noisy[rows, place], np.nan)
    return np.column_stack([np.where(passed, place, -1.0), value])


#: ε₁ = ε₂ = ε/2, query noise cΔ/ε₂ with c = 1; the value that passed is told with the same noise.
SAME_NOISE = broken(
    name="the noisy answer told with the noise it passed with",
    fault="the value tells how high the threshold is at most, so the negatives before it cost",
    source=f"lecture notes of Roth 2011; Algorithm 3 of {PAPER}",
    pairs=(Pair((0,) * 8 + (1,), (1,) * 8 + (0,), "eight negatives rise, the positive falls"),),
    run=law_runs(
        Law(Laplace(Fraction(2)), Laplace(Fraction(2)), cutoff=1, continuous=True),
        tell=_place_and_value,
    ),
    runs=200_000,
)

#: What most broken mechanisms break: a law that is sound for counts, with ε₁ = ε₂ = 1/2 and one
#: positive.
SOUND = Law(Exponential(Fraction(2)), Laplace(Fraction(2)), cutoff=1, monotonic=True)

#: With its tail to the right, exponential noise on the threshold is private
#: (docs/theory/pure.md): only the mirror image is broken.
LEFT_TAIL = broken(
    name="threshold noise with its tail to the left",
    fault="the threshold is never above its public level, so a score there is never negative",
    source="mirror image of a sound mechanism: docs/theory/pure.md",
    pairs=(Pair((0,), (-1,), "from the level to below it"),),
    law=replace(SOUND, threshold=Exponential(Fraction(2)), mirrored=True),
)

POSITIVES = 50


def _renyi(scores: Any, runs: int, generator: np.random.Generator) -> Outcomes:
    """Return the first answer and how many of the others were positive: the run is fixed so far."""
    first, later = scores
    bar = generator.laplace(scale=10.0, size=runs)
    begun = generator.random(runs) < _survival(bar - first)
    count = generator.binomial(POSITIVES, _survival(bar - later))
    # The run halts at its fiftieth positive, whichever it is.
    return np.column_stack([begun, np.minimum(begun + count, POSITIVES)])


def _survival(gaps: Array) -> Array:
    return np.exp(-np.maximum(gaps, 0.0) / 20.0)


#: Laplace ρ with ε₁ = 0.1, exponential noise with 0.1 for each of 50 positives.
RENYI_WITHOUT_RESAMPLING = broken(
    name="Rényi costs of exponential noise added up without resampling",
    fault="a negative proves that the threshold is high, and then every positive costs in full",
    source="appendix of arXiv:2407.20068; docs/errata.md, docs/theory/counterexample.md",
    claim=Claim.of("3.56", "1e-5"),
    pairs=(Pair((0.0, 0.25), (1.0, -0.75), "the first rises, the fifty after it fall"),),
    run=_renyi,
    law=Law(
        query=Exponential(Fraction(20)),
        threshold=Laplace(Fraction(10)),
        continuous=True,
        cutoff=POSITIVES,
        grid=Fraction(1, 4),
    ),
    path=Path(
        (
            Step(False, Fraction(0), Fraction(1)),
            Step(True, Fraction(1, 4), Fraction(-3, 4), times=POSITIVES),
        )
    ),
    runs=6_000_000,
)

#: Bits of a float's uniform draw, and so the largest value of -ln U in scales: 36.7.
BITS = 53
SCALE = 2.0
COMPETITORS = 200
LEVEL = SCALE * (BITS * math.log(2) + 0.25)


def _float_race(score: Any, runs: int, generator: np.random.Generator) -> Outcomes:
    """Ask one candidate and its competitors, all of score zero, until the first is positive.

    In each round a candidate passes if -ln U >= gap, U one of 2^-53, 2·2^-53, …, 1: a chance of
    ⌊2^53·e^-gap⌋/2^53. The rounds until then are geometric, so whole runs are one draw.
    """
    bar = LEVEL + generator.laplace(scale=2.0, size=runs)
    mine, theirs = _float_chance(bar - score), _float_chance(bar)
    with np.errstate(divide="ignore"):
        my_round = np.ceil(generator.standard_exponential(runs) / mine)
        their_round = np.ceil(generator.standard_exponential(runs) / (COMPETITORS * theirs))
    ahead = (my_round < their_round) | (
        (my_round == their_round) & (generator.random(runs) < 1 / (1 + COMPETITORS))
    )
    nobody = np.isinf(my_round) & np.isinf(their_round)
    return np.where(nobody, -1, ahead.astype(np.int64))


def _float_chance(gaps: Array) -> Array:
    return np.floor(2.0**BITS * np.exp(-np.maximum(gaps, 0.0) / SCALE)) / 2.0**BITS


#: ε₁ = ε₂ = 1/2, monotonic counts, c = 1, negatives asked again and again.
FLOAT_NOISE = broken(
    name="exponential noise as floats draw it",
    fault="-ln U ends at 36.7 scales; asked often enough, who is just below wins alone",
    source="Mironov 2012 for Laplace noise",
    pairs=(Pair(1, 0, "one candidate rises by one among 200 equal ones"),),
    run=_float_race,
)

#: ε₁ = ε₂ = 1, c = 1, general queries: query noise 2cΔ/ε₂.
HALF_EVEN_ROUNDING = broken(
    name="scores rounded half to even",
    fault="0.5 goes to 0 and 1.5 to 2: a sensitivity of one becomes two",
    source="numpy.rint, round",
    claim=Claim.of(2),
    pairs=(Pair((0.5, 1.5), (1.5, 0.5), "the two scores swap places"),),
    law=replace(SOUND, threshold=Laplace(Fraction(1)), monotonic=False, rounding=round),
)

CANDIDATES = 50

CORRECTION_FROM_DATA = broken(
    name="a correction computed from the data",
    fault="one person moves all scores over the threshold, and the correction jumps",
    source="a correction for k negatives with k counted instead of given",
    pairs=(Pair((-1,) * CANDIDATES, (0,) * CANDIDATES, "all scores reach the threshold"),),
    law=replace(
        SOUND,
        # The k/(k + 1) quantile of the query noise.
        level_moves=lambda steps: math.ceil(2 * math.log1p(sum(step < 0 for step in steps))),
    ),
)

RELEASED_VALUE = broken(
    name="the noisy value of a positive released",
    fault="exponential noise is never negative, so the value bounds the score from above",
    source="Algorithm 3 of arXiv:1603.01699 with one-sided noise",
    pairs=(Pair((1,), (0,), "one count"),),
    law=replace(SOUND, continuous=True, releases_value=True),
)

CATALOGUE = ("ale", "rum", "tea")
LISTED = replace(SOUND, level=20)
TWO_LISTED = replace(LISTED, query=Exponential(Fraction(4)), cutoff=2)


def _list_from_data(counts: Any, runs: int, generator: np.random.Generator) -> Outcomes:
    """Return one answer for each item that occurs in the data, and nothing for the others."""
    answers = np.full((runs, len(CATALOGUE)), -2, dtype=np.int8)
    listed = [place for place, item in enumerate(CATALOGUE) if counts.get(item)]
    scores = [counts[CATALOGUE[place]] for place in listed]
    answers[:, listed] = transcripts(TWO_LISTED, scores, runs, generator)[0]
    return answers


def _position(counts: Any, runs: int, generator: np.random.Generator) -> Outcomes:
    """Return at which place of the data's own list the first positive stands."""
    answers, _ = transcripts(LISTED, [counts[item] for item in sorted(counts)], runs, generator)
    passed = (answers == 1).any(axis=1)
    return np.where(passed, np.argmax(answers == 1, axis=1), -1)


#: The δ of both is that of releasing selected items only.
LIST_FROM_DATA = broken(
    name="candidates read off the data, every answer released",
    fault="that an item was asked about says that someone holds it",
    source="overbar.privacy.read_off_candidates, which allows selected items only",
    claim=Claim.of(1, "0.02"),
    pairs=(Pair({"rum": 1, "tea": 30}, {"tea": 30}, "rum is one person's"),),
    run=_list_from_data,
)

POSITIONS_FROM_DATA = broken(
    name="candidates read off the data, positions released",
    fault="a position counts the items before it, among them one that one person holds",
    source="overbar.runs.selection, which hides positions there",
    claim=Claim.of(1, "0.02"),
    pairs=(Pair({"rum": 1, "tea": 30}, {"tea": 30}, "rum is one person's"),),
    run=_position,
)

#: Rounds are counted up to here.
MOST_ROUNDS = 8


def _rounds_after_the_end(scores: Any, runs: int, generator: np.random.Generator) -> Outcomes:
    """Return in which round each candidate turned positive, or would have had the run gone on."""
    bar = generator.laplace(scale=1.0, size=(runs, 1))
    chance = np.exp(-np.maximum(bar - np.asarray(scores, dtype=np.float64), 0.0) / 2)
    rounds = generator.geometric(np.maximum(chance, 1e-12))
    return np.minimum(rounds, MOST_ROUNDS)


#: ε₁ = ε₂ = 1, c = 1, general queries, asked again and again until the first is positive.
ROUNDS_AFTER_THE_END = broken(
    name="rounds of a negative counted past the last positive",
    fault="in which round the losers would have passed is more positives than were paid for",
    source="docs/theory/steps.md: a run ends with its last positive",
    claim=Claim.of(2),
    pairs=(Pair((0, 1, 1, 1), (1, 0, 0, 0), "the first rises, the others fall"),),
    run=_rounds_after_the_end,
)

#: Gumbel noise that keeps (1, 0.02) for one alarm that counts a person, on a bare threshold.
ONE_HIT = Law(Gumbel(Fraction(5, 2)), None, cutoff=None, level=5)

NEVER_LEFT_OUT = broken(
    name="a monitor that leaves nobody out",
    fault="every alarm that counts a person costs, and one was paid for",
    source="docs/theory/monitor.md: hits, forgotten after each alarm",
    claim=Claim.of(1, "0.02"),
    pairs=(Pair((1,) * 40, (0,) * 40, "one person in all of 40 questions"),),
    run=law_runs(ONE_HIT),
)

#: All of them.
QUEUES = tuple(value for value in vars().values() if isinstance(value, Check))
