"""The exact law of small runs, slowly, from public numbers alone: what comes out, and how likely.

Scores, levels and scales are in grid steps. Noise on a threshold lies on the grid, and so does that
of values that come out; noise that is compared with a threshold is real. Nothing here imports the
library. What is left out in all has a chance below 1e-8.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import special

Places = tuple[int, ...]
#: Noise beyond so many scales is left out.
REACH = {"exponential": 22, "laplace": 22, "gaussian": 7}


@dataclass(frozen=True)
class Numbers:
    """What decides the law of a run. `lift` is what is added to the threshold; None for a top."""

    finds: str
    noise: str
    scale: float
    bar_noise: str | None = None
    bar_scale: float | None = None
    lift: int | None = 0
    cutoff: int = 1
    rounds: int | None = 1
    resample: bool = False
    most: int | None = None
    values: bool = False


def masses(noise: str, scale: float) -> dict[int, float]:
    """Return how likely noise on the grid is to be each number of steps."""
    last = math.ceil(REACH[noise] * scale) + 1
    steps = range(0 if noise == "exponential" else -last, last + 1)
    power = {k: k * k / (2 * scale**2) if noise == "gaussian" else abs(k) / scale for k in steps}
    total = math.fsum(math.exp(-one) for one in power.values())
    return {k: math.exp(-one) / total for k, one in power.items()}


def survival(noise: str, scale: float, gap: np.ndarray) -> np.ndarray:
    """Return how likely real noise is to be at least a gap."""
    z = np.asarray(gap, dtype=float) / scale
    if noise == "exponential":
        return np.exp(-np.maximum(z, 0))
    if noise == "laplace":
        return np.where(z > 0, np.exp(-np.abs(z)) / 2, 1 - np.exp(-np.abs(z)) / 2)
    if noise == "gaussian":
        return special.ndtr(-z)
    return -np.expm1(-np.exp(-z))


def bars(run: Numbers, threshold: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the places where the noisy threshold may lie, and how likely each is."""
    law = {0: 1.0} if run.bar_noise is None else masses(run.bar_noise, run.bar_scale or 0.0)
    return np.array([*law]) + threshold + (run.lift or 0), np.array([*law.values()])


def outcomes(run: Numbers, scores: Sequence[int], threshold: int = 0) -> dict[object, float]:
    """Return {who comes out of a batch, in the order found: probability}."""
    if run.finds == "in turn":
        orders = list(itertools.permutations(range(len(scores))))
        return mixed((in_turn(run, scores, threshold, order), 1 / len(orders)) for order in orders)
    if run.noise == "gumbel":
        return raced(run, scores, threshold)
    return highest(run, scores, threshold)


def mixed(laws: Iterable[tuple[Mapping[object, float], float]]) -> dict[object, float]:
    """Return the law of whoever first draws one of these laws."""
    total = Counter[object]()
    for law, share in laws:
        for outcome, chance in law.items():
            total[outcome] += share * chance
    return dict(total)


def in_turn(
    run: Numbers, scores: Sequence[int], threshold: int, order: Places
) -> dict[object, float]:
    """Ask one by one in this order; who is negative is asked again in the next round."""
    places, likely = bars(run, threshold)
    passes = [survival(run.noise, run.scale, places - score) for score in scores]
    found = Counter[object]()

    def go(queue: Places, said: int, out: Places, terms: np.ndarray) -> None:
        """Ask the first of a queue; `terms` are the chances so far, for each place of the bar."""
        rest = tuple(one for one in order if one not in out)
        if len(out) == run.cutoff or said == run.most or not rest:
            found[out] += float(terms.sum())
        elif queue:
            first, later = queue[0], queue[1:]
            yes = terms * passes[first]
            again = tuple(one for one in later if one != first)
            go(again, said + 1, (*out, first), yes.sum() * likely if run.resample else yes)
            go(later, said + 1, out, terms * (1 - passes[first]))
        elif run.rounds is None:
            for some, chance in somebody(rest):
                go((), said, (*out, *some)[: run.cutoff], terms * chance)
        else:
            found[out] += float(terms.sum())

    def somebody(rest: Places) -> Iterator[tuple[Places, np.ndarray]]:
        """All ways a round may go in which somebody passes; the others change nothing."""
        nobody = np.prod([1 - passes[one] for one in rest], axis=0)
        for bits in itertools.product((True, False), repeat=len(rest)):
            pairs = list(zip(rest, bits, strict=True))
            chance = np.prod(
                [passes[one] if bit else 1 - passes[one] for one, bit in pairs], axis=0
            )
            if any(bits):
                yield tuple(one for one, bit in pairs if bit), chance / (1 - nobody)

    go(order * (run.rounds or 0), 0, (), likely)
    return dict(found)


State = tuple[tuple[int, int], ...]


def highest(run: Numbers, scores: Sequence[int], threshold: int) -> dict[object, float]:
    """Go down from the highest value: who has it comes next, equals in any order alike."""
    law = masses(run.noise, run.scale)
    least = {k: math.fsum(law[j] for j in law if j < k) for k in law}  # P(noise < k)
    first, last = min(law), max(law)
    places, likely = bars(run, threshold)
    bottom = min(scores) + first
    ends = {bottom: 1.0} if run.lift is None else dict(zip(places.tolist(), likely, strict=True))
    bar_below = 1.0  # the chance that the bar is no higher than the value
    states: dict[State, float] = {(): 1.0}
    found = Counter[object]()

    def smaller(value: int, out: set[int]) -> float:
        """The chance that all others have values below."""
        gaps = [value - score for one, score in enumerate(scores) if one not in out]
        return math.prod(float(gap > last) if gap not in least else least[gap] for gap in gaps)

    def after(state: State, value: int) -> Iterator[tuple[State, float]]:
        """All orders of those who may have just this value, and how likely they have it."""
        out = {one for one, _ in state}
        rest = [one for one in range(len(scores)) if one not in out and value - scores[one] in law]
        for size in range(1, len(rest) + 1):
            for some in itertools.permutations(rest, size):
                drawn = math.prod(law[value - scores[one]] for one in some)
                yield (*state, *((one, value) for one in some)), drawn / math.factorial(size)

    def tell(state: State, chance: float) -> None:
        shown = state[: run.cutoff]
        found[shown if run.values else tuple(one for one, _ in shown)] += chance

    for value in range(max(max(scores) + last, *ends), min(bottom, *ends) - 1, -1):
        for state, chance in list(states.items()):
            for new, drawn in after(state, value):
                if len(new) < run.cutoff:
                    states[new] = states.get(new, 0.0) + chance * drawn
                else:  # whoever comes later does not count
                    tell(new, bar_below * chance * drawn * smaller(value, {one for one, _ in new}))
        if value in ends:
            for state, chance in states.items():
                tell(state, ends[value] * chance * smaller(value, {one for one, _ in state}))
            bar_below -= ends[value]
    return dict(found)


def raced(run: Numbers, scores: Sequence[int], threshold: int) -> dict[object, float]:
    """Gumbel noise: the order in which clocks ring that run e^(score/scale) times as fast.

    Whoever rings before time 1 is above the threshold.
    """
    if run.lift is None:
        return dict(peeling(scores, run.scale, run.cutoff))
    places, likely = bars(run, threshold)
    rates = np.exp((np.array(scores)[:, None] - places) / run.scale)
    law = before_one(rates, run.cutoff)
    return {order: float(chances @ likely) for order, chances in law.items()}


def peeling(scores: Sequence[int], scale: float, cutoff: int) -> dict[Places, float]:
    """The exponential mechanism again and again: odds e^(score/scale), in turn."""
    weights = [math.exp(score / scale) for score in scores]
    law = {}
    for order in itertools.permutations(range(len(scores)), min(cutoff, len(scores))):
        chance, left = 1.0, sum(weights)
        for one in order:
            chance, left = chance * weights[one] / left, left - weights[one]
        law[order] = chance
    return law


def before_one(rates: np.ndarray, cutoff: int) -> dict[object, np.ndarray]:
    """Who rings before time 1, in order, the first `cutoff` of them: a chain of deaths.

    Each clock has a rate for each place of the bar.
    """
    law: dict[object, np.ndarray] = {}
    most = min(cutoff, len(rates))
    for size in range(most + 1):
        for order in itertools.permutations(range(len(rates)), size):
            moves = np.zeros((rates.shape[1], size + 1, size + 1))
            for at, one in enumerate(order):
                moves[:, at, at + 1] = rates[one]
            for at in range(size + (size < most)):
                left = [one for one in range(len(rates)) if one not in order[:at]]
                moves[:, at, at] = -rates[left].sum(axis=0)
            law[order] = exponential(moves)[:, 0, -1]
    return law


def exponential(moves: np.ndarray) -> np.ndarray:
    """Return e^M of many small matrices at once: a series for M/2^s, squared s times."""
    times = max(0, math.ceil(math.log2(np.abs(moves).max() + 1e-9))) + 4
    term = total = np.broadcast_to(np.eye(moves.shape[-1]), moves.shape)
    for power in range(1, 14):
        term = term @ moves / 2**times / power
        total = total + term
    for _ in range(times):
        total = total @ total
    return total


def online(run: Numbers, scores: Sequence[int], threshold: int) -> dict[object, float]:
    """Return {places of the positives: probability} of a run that is asked in this order."""
    return in_turn(run, scores, threshold, tuple(range(len(scores))))


def monitor(
    scale: float, hits: int, asked: Sequence[tuple[frozenset[str], int]]
) -> dict[object, float]:
    """Return {answers: probability} of a monitor that is asked of these persons at these levels."""
    found = Counter[object]()

    def go(history: tuple[bool, ...], used: Counter[str], chance: float) -> None:
        if len(history) == len(asked):
            found[history] += chance
            return
        persons, level = asked[len(history)]
        counted = {one for one in persons if used[one] < hits}
        alarm = float(survival("gumbel", scale, np.array(level - len(counted))))
        go((*history, True), used + Counter(counted), chance * alarm)
        go((*history, False), used, chance * (1 - alarm))

    go((), Counter(), 1.0)
    return dict(found)


def keys(
    rounds: Sequence[tuple[float, float]], items: int, at_least: int, held: Mapping[int, str]
) -> dict[object, float]:
    """Return {keys that come out: probability}; each round is (scale of the noise, bar)."""

    def go(place: int, out: frozenset[str]) -> dict[object, float]:
        if place == len(rounds):
            return {out: 1.0}
        left = [sorted(set(found) - out) for found in held.values()]
        lots = list(itertools.product(
            *(list(itertools.combinations(some, min(len(some), items))) for some in left)
        ))  # fmt: skip
        return mixed((round_(place, out, kept), 1 / len(lots)) for kept in lots)

    def round_(place: int, out: frozenset[str], kept: Sequence[Places]) -> dict[object, float]:
        total = Counter[str]()
        for some in kept:
            for key in some:
                total[key] += 1 / math.sqrt(len(some))
        sigma, bar = rounds[place]
        passes = {
            key: float(special.ndtr((weight - at_least + 1 - bar) / sigma))
            for key, weight in total.items() if weight > at_least - 1
        }  # fmt: skip
        return mixed(
            (go(place + 1, out | {key for key, bit in zip(passes, bits, strict=True) if bit}),
             math.prod(p if bit else 1 - p for p, bit in zip(passes.values(), bits, strict=True)))
            for bits in itertools.product((True, False), repeat=len(passes))
        )  # fmt: skip

    return go(0, frozenset())
