"""The statistical auditor: the largest loss that samples prove.

Three sets of runs, one after the other, never mixed:

1. *Learn.* A reader (:mod:`overbar.audit.outcomes`) turns outcomes into codes, and codes are
   ranked by how much more often one input gave them than the other.
2. *Choose.* The events are the first so many codes of the ranking, in both directions. The one
   that promises the largest proved ε is kept for each direction, and of all pairs of inputs the
   one with the best promise.
3. *Test.* Fresh runs decide: Clopper-Pearson bounds on the chances of the kept events.

Nothing that the test counts has had a part in choosing what is counted, and how many runs it takes
is settled before the first of them. So a sound mechanism is called broken with a chance of at
most 1 - confidence, whatever the search did.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from overbar import _check
from overbar._check import Number
from overbar.audit.binomial_bounds import proved_epsilon
from overbar.audit.interfaces import (
    Claim,
    Outcomes,
    Pair,
    Subject,
    Verdict,
    as_mechanism,
    as_pairs,
    count_of,
    shortened,
)
from overbar.audit.outcomes import UNSEEN, Codes, Reader, learn
from overbar.errors import ParameterError

#: One sound mechanism in a million is called broken.
CONFIDENCE = 1 - 1e-6
#: Entries of all outcomes held at a time.
LARGEST_CHUNK = 1 << 22
#: Runs of one input in one call to begin with, while its speed is measured.
FIRST_RUNS = 128
#: The search takes this share of all runs, and never more than so many of one input.
SEARCH_SHARE = 0.4
MOST_SEARCH_RUNS = 1 << 19
#: No test has fewer runs of each input, however little time there is.
FEWEST_RUNS = 500
MOST_RUNS = 1 << 24
#: Outcomes that describe an event.
SHOWN = 3


@dataclass(frozen=True)
class Event:
    """Some codes, likelier on one input than on the other."""

    codes: Codes
    swapped: bool
    promise: float
    probability: float
    words: str


@dataclass(frozen=True)
class Suspicion:
    """A pair of inputs, how to read what it gives, and an event for each direction."""

    pair: Pair
    reader: Reader
    events: tuple[Event, ...]

    @property
    def promise(self) -> float:
        """The largest ε that the search expects a test to prove."""
        return max(event.promise for event in self.events)


def audit(
    mechanism: Any,
    pairs: Iterable[Any],
    *,
    epsilon: Number,
    delta: Number = 0,
    confidence: float = CONFIDENCE,
    seconds: float = 10.0,
    runs: int | None = None,
) -> Verdict:
    """Try to prove with samples that a mechanism is not (ε, δ)-differentially private.

    Parameters
    ----------
    mechanism : object or callable
        Anything with ``sample(data, runs)``, or a function from data to one outcome.
    pairs : iterable of pairs
        Neighbouring inputs: a list of pairs. The more of them are worth looking at, the better.
    epsilon, delta : int, float, str, Fraction or Decimal
        What is claimed.
    confidence : float
        The chance that a mechanism which keeps its claim is not called broken.
    seconds : float, default 10
        About how long the audit may take.
    runs : int, optional
        How many runs of each input decide, instead of `seconds`; the search takes two thirds as
        many again for each pair.

    Returns
    -------
    Verdict
        Whether it was shown to be broken, and by what.

    Raises
    ------
    ParameterError
        If a number is out of its range.

    Examples
    --------
    >>> import random
    >>> generator = random.Random(3)
    >>> def respond(bit):  # randomised response that lies one time in ten: ε = ln 9 = 2.197
    ...     return bool(bit) ^ bool(generator.random() < 0.1)
    >>> audit(respond, [(0, 1)], epsilon=1, runs=2000)
    Verdict: VIOLATED; claimed ε = 1
      found       ε > 1.8... (allowed 1), confidence 1 - 1e-06
      ...
    >>> audit(respond, [(0, 1)], epsilon="2.2", runs=2000).passed
    True
    """
    claim = Claim.of(epsilon, delta)
    if not 0 < confidence < 1:
        raise ParameterError(f"confidence must be between 0 and 1, got {confidence!r}")
    level = (1 - confidence) / 2  # for each of two directions
    subject, inputs = as_mechanism(mechanism), as_pairs(pairs)
    searched, tested = _runs(subject, inputs, seconds, runs)
    suspicions = [_suspicion(subject, pair, claim, searched, tested, level) for pair in inputs]
    worst = max(suspicions, key=lambda suspicion: suspicion.promise)
    return _test(subject, worst, claim, tested, level)


def _runs(
    mechanism: Subject, pairs: tuple[Pair, ...], seconds: float, runs: int | None
) -> tuple[int, int]:
    """Return how many runs of each input the search takes for each of its two parts, and the test.

    By time: the mechanism's speed on the first pair is measured and its outcomes thrown away.
    """
    if runs is not None:
        tested = _check.whole("runs", runs)
        share = SEARCH_SHARE / (1 - SEARCH_SHARE) / 2
        return min(MOST_SEARCH_RUNS, max(1, math.ceil(tested * share))), tested
    allowed = float(_check.positive("seconds", seconds))
    tried, spent = FIRST_RUNS, 0.0
    while True:
        start = time.perf_counter()
        samples = [mechanism.sample(data, tried) for data in (pairs[0].first, pairs[0].second)]
        reader = learn(*samples)
        for outcomes in samples:
            count_of(outcomes, tried)
            reader(outcomes)
        spent = time.perf_counter() - start
        if spent > allowed / 40 or tried >= MOST_SEARCH_RUNS:
            break
        tried *= 4
    rate = tried / max(spent, 1e-9)
    searched = int(rate * allowed * SEARCH_SHARE / (2 * len(pairs)))
    tested = int(rate * allowed * (1 - SEARCH_SHARE))
    return (
        min(MOST_SEARCH_RUNS, max(FEWEST_RUNS // 2, searched)),
        min(MOST_RUNS, max(FEWEST_RUNS, tested)),
    )


def _suspicion(
    mechanism: Subject, pair: Pair, claim: Claim, searched: int, tested: int, level: float
) -> Suspicion:
    """Learn to read a pair's outcomes, and choose the most promising event in each direction."""
    sides = (pair.first, pair.second)
    samples = [_sampled(mechanism, data, searched) for data in sides]
    reader = learn(*samples)
    ranks = [reader(outcomes) for outcomes in samples]
    fresh = [reader(_sampled(mechanism, data, searched)) for data in sides]
    size = 1 + max(int(codes.max()) for codes in (*ranks, *fresh))
    learned = [np.bincount(codes, minlength=size) for codes in ranks]
    counted = [np.bincount(codes, minlength=size) for codes in fresh]
    events = []
    for one, other, swapped in ((0, 1, False), (1, 0, True)):
        ratio = (learned[one] + 0.5) / (learned[other] + 0.5)
        order = np.argsort(-ratio, kind="stable")
        order = order[order != UNSEEN]
        ends = np.flatnonzero(np.diff(ratio[order], append=-1.0))  # equal ratios stay together
        hits = np.cumsum(counted[one][order])[ends]
        others = np.cumsum(counted[other][order])[ends]
        promise = proved_epsilon(
            hits * (tested / searched),
            others * (tested / searched),
            runs=tested,
            delta=float(claim.delta),
            level=level,
        )
        # Where no event promises anything, the one that tells the inputs apart best is as good.
        chosen = int(np.argmax(promise if promise.max() > 0 else hits - others))
        codes = order[: ends[chosen] + 1]
        events.append(
            Event(
                codes=codes,
                swapped=swapped,
                promise=float(promise[chosen]),
                probability=float(hits[chosen] / searched),
                words=_words(samples[one], ranks[one], codes),
            )
        )
    return Suspicion(pair, reader, tuple(events))


def _test(
    mechanism: Subject, suspicion: Suspicion, claim: Claim, tested: int, level: float
) -> Verdict:
    """Count the events in fresh runs of both inputs, and say what the counts prove."""
    pair, events, delta = suspicion.pair, suspicion.events, float(claim.delta)
    counts = np.zeros((2, len(events)), dtype=np.int64)
    for side, data in enumerate((pair.first, pair.second)):
        for outcomes in _chunks(mechanism, data, tested):
            codes = suspicion.reader(outcomes)
            counts[side] += [np.count_nonzero(np.isin(codes, event.codes)) for event in events]
    swaps = [event.swapped for event in events]
    hits = np.where(swaps, counts[1], counts[0])
    others = np.where(swaps, counts[0], counts[1])
    proved = proved_epsilon(hits, others, runs=tested, delta=delta, level=level)
    # The direction that the counts speak for; the promise decides where they prove nothing.
    worst = max(range(len(events)), key=lambda number: (proved[number], events[number].promise))
    event = events[worst]
    return Verdict(
        claim=claim,
        found=max(0.0, float(proved[worst])),
        confidence=1 - 2 * level,
        pair=pair,
        inputs=(pair.second, pair.first) if event.swapped else (pair.first, pair.second),
        event=event.words,
        hits=int(hits[worst]),
        other_hits=int(others[worst]),
        runs=tested,
        probability=event.probability,
    )


def _chunks(mechanism: Subject, data: Any, runs: int) -> Iterator[Outcomes]:
    """Sample in pieces whose outcomes fit in memory."""
    size, left = min(runs, FIRST_RUNS), runs
    while left:
        outcomes = mechanism.sample(data, size)
        count_of(outcomes, size)
        yield outcomes
        left -= size
        width = max(1, outcomes.size // size) if isinstance(outcomes, np.ndarray) else 16
        size = min(left, max(1, LARGEST_CHUNK // width))


def _sampled(mechanism: Subject, data: Any, runs: int) -> Outcomes:
    pieces = list(_chunks(mechanism, data, runs))
    arrays = [piece for piece in pieces if isinstance(piece, np.ndarray)]
    if len(arrays) == len(pieces):
        return np.concatenate(arrays)
    return [outcome for piece in pieces for outcome in piece]


def _words(outcomes: Outcomes, codes: Codes, event: Codes) -> str:
    """Describe an event by the outcomes of it that speak most."""
    parts = []
    for code in event[:SHOWN].tolist():
        places = np.flatnonzero(codes == code)
        if len(places):
            parts.append(shortened(repr(_rounded(outcomes[int(places[0])])), 40))
    rest = len(event) - len(parts)
    return " or ".join(parts) + (f" or one of {rest:,} more kinds" if rest and parts else "")


def _rounded(outcome: object) -> object:
    """Return an outcome with floats in few digits: for people to read."""
    if isinstance(outcome, np.ndarray | np.generic):
        outcome = outcome.tolist()
    if isinstance(outcome, list):
        return [_rounded(one) for one in outcome]
    return float(f"{outcome:.4g}") if isinstance(outcome, float) else outcome
