"""The highest of many noisy values, each drawn once.

The noise of a candidate is a whole number of grid steps N >= 0 with P(N >= n) = e^(-n·grid/scale):
exponential noise, floored to the grid. With V uniform and E = -ln(1 - V), N = floor(E·scale/grid).
The value is the score plus N; the highest values win, equal ones by a random key.

To find the first few of a million, the first 8 bits of each V bound its N from both sides, and one
comparison of whole numbers drops all that lie below a value that enough others reach. The few left
over reveal 64 bits. Floats bound their N with a wide margin, and where that leaves more than one
whole number open, further bits of V and ball arithmetic decide. So the law of what comes out does
not depend on floats; how long it takes depends on the scores.

Theory: :doc:`/theory/ranked`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple, NoReturn, Protocol

import numpy as np
from flint import arb, ctx
from numpy.typing import NDArray

from overbar.errors import SecrecyError
from overbar.noise import Gumbel
from overbar.noise.grid_tails import ball
from overbar.sampling.bounds import Floats, exponential_bounds
from overbar.sampling.enclosure import GUARD_BITS, exponential
from overbar.sampling.entropy import Source, random_bits, random_words, system
from overbar.sampling.integers import (
    HIGHEST,
    LOWEST,
    Integers,
    as_array,
    exact_sums,
    sieve,
    whole_numbers,
)
from overbar.sampling.race_draw import FEW, race_above
from overbar.sampling.runner import Runner

WORD_BITS = 64
GLANCE_BITS = 8
KEY_BITS = 63
#: Bounds on noise are moved outward by this, relative to their size; floats err by less than 1e-13.
MARGIN = 1e-9
#: Noise below this is held in an int64 beside a score.
SMALL = 2.0**60


class Ranked(NamedTuple):
    """A candidate among the highest. They sort by value, the highest first, then by key."""

    below: int
    key: int
    place: int

    @classmethod
    def of(cls, value: int, key: int, place: int) -> Ranked:
        """Make one from its value in grid steps."""
        return cls(-value, key, place)

    @property
    def value(self) -> int:
        """Score plus noise, in grid steps: private, but in a histogram."""
        return -self.below

    def __repr__(self) -> str:
        return f"Ranked at place {self.place}"

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise SecrecyError(
            "a ranked candidate holds a secret value: it cannot be pickled or copied"
        )


class Known(NamedTuple):
    """What is known of the noise of some candidates: between two whole numbers.

    Where the upper one is not known at all, `open` says so and `high` means nothing; where the
    lower one is not, `sunk` says so and `low` means nothing.
    """

    low: Integers
    high: Integers
    open: NDArray[np.bool_]
    sunk: NDArray[np.bool_]


class NoiseLaw(Protocol):
    """The law of one candidate's noise, in grid steps, as a function of a uniform V."""

    def known(self, words: NDArray[np.uint64], bits: int) -> Known:
        """Bound the noise from both sides, given the first `bits` bits of V."""

    def exact(self, word: int, bits: int, source: Source) -> int:
        """Return the noise, revealing as many further bits of V as it takes."""


def highest(
    scores: Integers,
    bar: int | None = None,
    *,
    count: int,
    scale: Fraction,
    grid: Fraction,
    source: Source = system,
    word_bits: int = WORD_BITS,
) -> list[Ranked]:
    """Return the `count` highest of score plus noise among those that reach the bar, in order.

    Precondition: scores and bar are in grid steps, of any size; count >= 1; scale and grid are
    positive. Without a bar all candidates take part.
    Postcondition: the noises are independent and have the law above, exactly. Keys are uniform
    words; should two be equal, the candidate given first comes first.
    """
    law = FlooredExponential(scale / grid)
    return highest_by(law, scores, bar, count=count, source=source, word_bits=word_bits)


@np.errstate(all="ignore")  # what NumPy was told to raise must not depend on scores
def highest_by(
    law: NoiseLaw,
    scores: Integers,
    bar: int | None = None,
    *,
    count: int,
    source: Source = system,
    word_bits: int = WORD_BITS,
) -> list[Ranked]:
    """Return what :func:`highest` does, for noise of any law.

    Exact because a candidate is dropped only if its value is below the bar, or below the values of
    `count` others, for certain; the bits that it never drew could not have changed that.
    """
    scores = whole_numbers(scores)
    first = min(GLANCE_BITS, word_bits)
    glance = random_words(len(scores), first, source)

    # A value that `count` candidates of a sample reach is one that `count` of all reach.
    places, line = np.arange(len(scores)), bar
    if scores.dtype == np.int64 and len(scores) > FEW:
        known = law.known(np.arange(1 << first, dtype=np.uint64), first)
        size = max(8 * math.isqrt(len(scores)), 32 * count)
        sample = np.arange(0, len(scores), max(1, len(scores) // size))
        sample = sample[~known.sunk[glance[sample]]]
        line = _line(exact_sums(scores[sample], known.low[glance[sample]]), count, bar)
        if line is not None:
            reach = zip(known.high.tolist(), known.open.tolist(), strict=True)
            lowest = as_array([LOWEST if unknown else line - most for most, unknown in reach])
            places, _ = sieve(scores, glance, lowest, np.full(len(lowest), HIGHEST))

    more = random_words(len(places), word_bits - first, source).astype(np.uint64)
    words = glance[places].astype(np.uint64) << np.uint64(word_bits - first) | more
    noise = law.known(words, word_bits)
    sure = ~noise.sunk
    line = _line(exact_sums(scores[places[sure]], noise.low[sure]), count, line)
    kept = noise.open.copy()
    if line is None:
        kept[:] = True
    else:
        kept |= (exact_sums(scores[places], noise.high) >= line).astype(np.bool_)
    chosen = np.flatnonzero(kept)

    keys = random_words(len(chosen), KEY_BITS, source)
    values = exact_sums(scores[places[chosen]], noise.low[chosen]).tolist()
    certain = sure & ~noise.open & (noise.low == noise.high).astype(np.bool_)
    for at in np.flatnonzero(~certain[chosen]).tolist():
        steps = law.exact(int(words[chosen[at]]), word_bits, source)
        values[at] = int(scores[places[chosen[at]]]) + steps
    order = np.lexsort((keys, ~as_array(values)))[:count].tolist()  # ~ is less than minus by one
    found = [Ranked.of(values[at], int(keys[at]), int(places[chosen[at]])) for at in order]
    return [one for one in found if bar is None or one.value >= bar]


def highest_by_gumbel(
    scores: Integers,
    bar: int | None = None,
    *,
    count: int,
    noise: Gumbel,
    grid: Fraction,
    source: Source = system,
    word_bits: int = WORD_BITS,
) -> list[Runner]:
    """Return what :func:`highest` does, with Gumbel noise, which is not rounded to the grid.

    With v = -scale·ln E, score + v falls as ln E - score/scale rises: it is a race by time, and
    whoever arrives before e^(-bar/scale) has reached the bar.
    """
    runners = race_above(
        scores, 0, count=count, noise=noise, grid=grid, source=source, word_bits=word_bits,
        timed=True,
    )  # fmt: skip
    return [runner for runner in runners if bar is None or runner.reaches(1, -bar)]


def _line(least: Integers, count: int, known: int | None) -> int | None:
    """Return a value below which nobody can win: `count` reach it for certain, or it is the bar."""
    if len(least) < count:
        return known
    place = len(least) - count
    reached = int(np.partition(least, place)[place])
    return reached if known is None else max(reached, known)


@dataclass(frozen=True)
class FlooredExponential:
    """N = floor(E · ratio) with E = -ln(1 - V): P(N >= n) = e^(-n/ratio)."""

    ratio: Fraction

    def known(self, words: NDArray[np.uint64], bits: int) -> Known:
        """Bound N by floats with a wide margin, or by balls where floats are too short."""
        low, high = exponential_bounds(words, bits)
        try:
            steps = float(self.ratio)
        except OverflowError:
            steps = np.inf
        if steps * WORD_BITS < SMALL:
            lower, upper = floors(low * steps * (1 - MARGIN)), high * steps * (1 + MARGIN)
            unknown = ~(upper < SMALL)
            nobody = np.zeros(len(words), dtype=np.bool_)
            return Known(lower, floors(np.where(unknown, 0, upper)), unknown, nobody)
        return known_of([_floor_bounds(word, bits, self.ratio) for word in words.tolist()])

    def exact(self, word: int, bits: int, source: Source) -> int:
        """Reveal bits of V until the floor is certain."""
        while True:
            with ctx.workprec(bits + GUARD_BITS):
                drawn = exponential(word, bits) * ball(self.ratio)
                exact = drawn.floor().unique_fmpz() if drawn.is_finite() else None
            if exact is not None:
                return int(exact)
            word, bits = word << WORD_BITS | random_bits(WORD_BITS, source), bits + WORD_BITS


def known_of(bounds: list[tuple[int, int | None]]) -> Known:
    """Gather bounds that are Python ints of any size; None for no upper bound."""
    return Known(
        np.array([least for least, _ in bounds], dtype=np.object_),
        np.array([most or 0 for _, most in bounds], dtype=np.object_),
        np.array([most is None for _, most in bounds], dtype=np.bool_),
        np.zeros(len(bounds), dtype=np.bool_),
    )


def floors(values: Floats) -> NDArray[np.int64]:
    """Return whole numbers. Precondition: they fit."""
    return np.floor(values).astype(np.int64)


def _floor_bounds(word: int, bits: int, ratio: Fraction) -> tuple[int, int | None]:
    """Bound floor(E · ratio) by ball arithmetic; None where there is no upper bound."""
    with ctx.workprec(bits + GUARD_BITS):
        drawn = exponential(word, bits) * ball(ratio)
        if drawn.is_finite():
            return floor_of(drawn.lower()), floor_of(drawn.upper())
        # V may be 1: only the lower end of E is known.
        return floor_of((-(1 - arb(word) / arb(2) ** bits).log() * ball(ratio)).lower()), None


def floor_of(point: arb) -> int:
    """Return the floor of a ball without radius, such as an end of another."""
    whole = point.floor().unique_fmpz()
    assert whole is not None  # of a point there is one
    return int(whole)
