"""One candidate of the race: the round in which it turns positive, drawn only as far as needed.

With the chance S of a positive answer in each round, the round G of the first one is geometric:
P(G > k) = F^k = e^(-kH). So G = ceil(E / H) with E = -ln(1 - V) for a uniform V. The bits of V are
revealed as questions demand them, and until then the runner *is* the law of its remaining bits.
G itself may have a hundred thousand digits; most questions need only the first few of ln(E / H).

Theory: :doc:`/theory/appending`, :doc:`/theory/exact`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import NoReturn

from flint import arb, ctx

from overbar.errors import SecrecyError
from overbar.noise import Exponential, Noise
from overbar.sampling import enclosure
from overbar.sampling.enclosure import GUARD_BITS
from overbar.sampling.entropy import Source, random_bits, system

#: Bits of V that a question starts with; doubled until it is answered.
FIRST_BITS = 64


@dataclass(frozen=True, repr=False)
class Course:
    """What runners of one race have in common."""

    noise: Noise
    grid: Fraction
    source: Source = system
    #: Bounds on ranks are those of a race whose bar lies nearer by so many steps.
    nearer: int = 0


class Runner:
    """A candidate with a secret gap; runners compare by (round, position, place), exactly.

    `place` is where the candidate stood in the array it came from. `word` holds the first `bits`
    bits of V, and the rank of G (see :mod:`overbar.sampling.bounds`) is in [low, high] for certain;
    it says something only about runners whose bar was as much nearer.
    """

    __slots__ = ("_bits", "_course", "_gap", "_high", "_low", "_word", "place", "position")

    def __init__(
        self,
        course: Course,
        gap: int,
        position: int,
        place: int = 0,
        word: int = 0,
        bits: int = 0,
        low: float = -math.inf,
        high: float = math.inf,
    ) -> None:
        self._course, self._gap, self.position, self.place = course, gap, position, place
        self._word, self._bits, self._low, self._high = word, bits, low, high

    def __repr__(self) -> str:
        return f"Runner at position {self.position}"

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise SecrecyError("a runner holds a secret gap: it cannot be pickled or copied")

    @property
    def _is_sure(self) -> bool:
        """Whether F = 0: positive in the first round, whatever V is."""
        return self._gap <= 0 and isinstance(self._course.noise, Exponential)

    def reaches(self, rounds: int) -> bool:
        """Tell whether G <= rounds. Exact: E / H <= rounds is decided by enclosures."""
        if rounds < 1 or self._is_sure:
            return rounds >= 1
        for bits in _doubled():
            with ctx.workprec(bits + GUARD_BITS):
                limit, key = arb(rounds).log(), self._log_ratio(bits)
                if key <= limit:
                    return True
                if key > limit:
                    return False
        raise AssertionError  # bits never end

    @property
    def round(self) -> int:
        """The exact round G. Ask only where it is known to be of a printable size.

        It reveals as many bits of V as G has digits, and some more.
        """
        if self.reaches(1):
            return 1
        # A guess at how many bits G has saves doubling up to there; nothing else rests on it.
        for bits in _doubled(FIRST_BITS + int(1.45 * float(self._log_ratio(FIRST_BITS).mid()))):
            with ctx.workprec(bits + GUARD_BITS):
                exact = self._log_ratio(bits).exp().ceil().unique_fmpz()
            if exact is not None:
                return int(exact)
        raise AssertionError

    def __lt__(self, other: Runner) -> bool:
        """Tell whether this runner comes first, by round, by position and then by place."""
        if self._course.nearer == other._course.nearer:
            if self._high < other._low:
                return True
            if other._high < self._low:
                return False
        if (self.position, self.place) < (other.position, other.place):
            return self._no_later_than(other)
        return not other._no_later_than(self)

    def _no_later_than(self, other: Runner) -> bool:
        """Tell whether G <= the other's G, without computing either unless they are close.

        With k = ln(E / H): k <= k' gives G <= G'. And e^k - e^k' >= e^k' (k - k') >= 1 puts a whole
        number between the two, which gives G > G'.
        """
        same = self._course.nearer == other._course.nearer
        if self._is_sure or (same and self._high <= other._low):
            return True
        if other._is_sure:
            return self.reaches(1)
        for bits in _doubled():
            with ctx.workprec(bits + GUARD_BITS):
                mine, theirs = self._log_ratio(bits), other._log_ratio(bits)
                if mine <= theirs:
                    return True
                if mine > theirs and theirs + (mine - theirs).log() >= 0:
                    return False
            # One of the rounds has no more digits than bits are revealed already: compute that one.
            if theirs < bits:
                return self.reaches(other.round)
            if mine < bits:
                return not other.reaches(self.round - 1)
        raise AssertionError

    def _log_ratio(self, bits: int) -> arb:
        """Enclose ln(E / H) from the first `bits` bits of V. Precondition: F > 0."""
        course, precision = self._course, bits + GUARD_BITS
        log_hazard = enclosure.log_hazard(course.noise, course.grid, self._gap, precision)
        with ctx.workprec(precision):
            return self._exponential(bits).log() - log_hazard

    def _exponential(self, bits: int) -> arb:
        """Enclose E = -ln(1 - V); not a number while V may still be 1."""
        if self._bits < bits:
            more = bits - self._bits
            self._word = self._word << more | random_bits(more, self._course.source)
            self._bits = bits
        return enclosure.exponential(self._word, self._bits)


def _doubled(bits: int = FIRST_BITS) -> Iterator[int]:
    """Yield numbers of bits without end, each twice the one before."""
    while True:
        yield bits
        bits *= 2
