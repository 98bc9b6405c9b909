"""Whether curves over cells bound one arrival of a race in front of a profile: in balls.

W is the profile behind: values at levels, lines in z = e^x between them, below the first a line
from (0, 1), beyond the last no more. V is the profile with the arrival in front: on every cell the
larger of the curves D = l + c·(z/z_lower)^(-1/β) and S = l + d·(z/z_upper)^(1/α). What is asked:

    where D solves D + β·z·D' = (its line, read at z·e^fall), that is at least W(z·e^fall),
    where S solves S - α·z·S' = (its line, read at z·e^-rise), that is at least W(z·e^-rise),
    V >= C = (β·W(z·e^-rise) + α·W(z·e^fall))/(α + β) all over the cell,

and the same to the left of all cells for the line from (0, 1), to the right for what V is at the
end. Where V jumps from cell to cell, it holds when multiplied by all the jumps.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from flint import arb, ctx, fmpq

BITS = 160
#: A cell is halved so many times before it is given up.
HALVINGS = 40


def exact(value):
    whole = Fraction(float(value)) if not isinstance(value, Fraction) else value
    return arb(fmpq(whole.numerator, whole.denominator))


@dataclass(frozen=True)
class Line:
    """A line in z, by two points."""

    at: arb
    value: arb
    slope: arb

    @classmethod
    def through(cls, one, two):
        (x, a), (y, b) = one, two
        return cls(x, a, (b - a) / (y - x))

    def __call__(self, z):
        return self.value + self.slope * (z - self.at)


class Polygon:
    """A profile as it is read."""

    def __init__(self, profile):
        self.first, self.last = profile.first, profile.first + len(profile.values) - 1
        self.interval = Fraction(float(profile.interval))
        self.values = [exact(one) for one in profile.values]

    def z(self, place):
        return (exact(self.interval * place)).exp()

    def line(self, cell):
        """The line from one level to the next."""
        if cell < self.first:
            return Line.through((arb(0), arb(1)), (self.z(self.first), self.values[0]))
        if cell >= self.last:
            return Line(arb(1), self.values[-1], arb(0))
        low, high = self.values[cell - self.first], self.values[cell - self.first + 1]
        return Line.through((self.z(cell), low), (self.z(cell + 1), high))

    def at(self, place):
        """The value so many intervals up."""
        return self.line(math.floor(place))(self.z(place))

    def knots(self, low, high):
        """Places where lines meet, from one place to another, and those two."""
        first, last = max(math.floor(low) + 1, self.first), min(math.ceil(high) - 1, self.last)
        return [low, *map(Fraction, range(first, last + 1)), high]


@dataclass(frozen=True)
class Curve:
    """A line and a power of z."""

    line: Line
    added: arb
    from_: arb
    power: arb

    def __call__(self, z):
        return self.line(z) + self.added * (z / self.from_) ** self.power

    def slope(self, z):
        return self.line.slope + self.added * self.power / z * (z / self.from_) ** self.power

    def is_above(self, line, low, high):
        """Whether it is above a line from one place to another; a line if not known for sure."""
        ends = [self(z) - line(z) for z in (low, high)]
        if not all(end >= 0 for end in ends):
            return False
        if not self.added > 0:
            return bool(self.added <= 0)
        middle = (low + high) / 2
        least, tilt = self(middle) - line(middle), self.slope(middle) - line.slope
        return bool(least >= 0) and all(least + tilt * (z - middle) >= 0 for z in (low, high))


@dataclass(frozen=True)
class Certificate:
    """Curves, and what they are said to bound."""

    cells: object
    later: object
    rise: float
    fall: float

    def __post_init__(self):
        assert self.cells.interval == self.later.interval

    @cached_property
    def behind(self):
        return Polygon(self.later)

    @property
    def moves(self):
        return Fraction(-self.rise) / self.behind.interval, Fraction(
            self.fall
        ) / self.behind.interval

    @property
    def speeds(self):
        return -exact(-self.rise).expm1(), exact(self.fall).expm1()

    def place(self, number):
        return self.cells.first + Fraction(float(self.cells.places[number]))

    @property
    def count(self):
        return len(self.cells.falling)

    def curves(self, number):
        """The falling and the rising curve of a cell, None for one that is not there."""
        low, high = (self.behind.z(self.place(number + k)) for k in (0, 1))
        found = []
        for row, speed, from_, sign in (
            (self.cells.rising[number], self.speeds[0], high, 1),
            (self.cells.falling[number], self.speeds[1], low, -1),
        ):
            one, two, added = map(exact, row)
            line = Line.through((low, one), (high, two))
            found.append(Curve(line, added, from_, sign / speed) if speed != 0 else None)
        return found

    def is_paid(self, number):
        """Whether both lines pay what is due, where they are read."""
        low, high = self.place(number), self.place(number + 1)
        for curve, move in zip(self.curves(number), self.moves, strict=True):
            if curve is None:
                continue
            for knot in self.behind.knots(low + move, high + move):
                if not curve.line(self.behind.z(knot)) >= self.behind.at(knot):
                    return False
        return True

    def in_turn(self, place, side):
        """The line of C on the side of a place, or W itself where hazards move one way."""
        up, down = self.speeds
        lines = []
        for move, speed in zip(self.moves, (down, up), strict=True):
            cell = math.floor(place + move) if side > 0 else math.ceil(place + move) - 1
            line, ratio = self.behind.line(cell), self.behind.z(move)
            lines.append((line, ratio, speed / (up + down)))
        z = self.behind.z(place)
        value = sum(share * line(z * ratio) for line, ratio, share in lines)
        return Line(z, value, sum(share * line.slope * ratio for line, ratio, share in lines))

    def is_stopped(self, number):
        """Whether the larger of both curves is above C, all over the cell."""
        low, high = self.place(number), self.place(number + 1)
        knots = {low, high}
        for move in self.moves:
            knots |= {
                k - move for k in self.behind.knots(low + move, high + move) if low < k - move < high
            }
        curves = [curve for curve in self.curves(number) if curve is not None]
        ends = sorted(knots)
        return all(
            self._is_above(curves, self.in_turn(a, 1), self.behind.z(a), self.behind.z(b))
            for a, b in zip(ends, ends[1:], strict=False)
        )

    def _is_above(self, curves, line, low, high, left=HALVINGS):
        if any(curve.is_above(line, low, high) for curve in curves):
            return True
        if left == 0:
            return False
        middle = ((low + high) / 2).mid()
        return self._is_above(curves, line, low, middle, left - 1) and self._is_above(
            curves, line, middle, high, left - 1
        )

    def value(self, number, place):
        """V on a cell."""
        z = self.behind.z(place)
        found = [curve(z) for curve in self.curves(number) if curve is not None]
        return max(found, key=lambda ball: ball.mid())

    def jumps(self):
        """All the factors together by which V jumps."""
        total = arb(0)
        for number in range(1, self.count):
            place = self.place(number)
            total += abs((self.value(number, place) / self.value(number - 1, place)).log())
        return total.exp()

    def is_ended(self):
        """Whether the lines beyond both ends pay what is due."""
        first, last = self.place(0), self.place(self.count)
        start, end = self.value(0, first), self.value(self.count - 1, last)
        line = Line.through((arb(0), arb(1)), (self.behind.z(first), start))
        paid = self.behind.knots(first + self.moves[0] - 1, first + self.moves[1])
        left = all(line(self.behind.z(k)) >= self.behind.at(k) for k in paid)
        left = left and bool(line.slope <= self.behind.line(self.behind.first - 1).slope) is not None
        paid = self.behind.knots(last + self.moves[0], max(last + self.moves[1], last + 1))
        return left and all(end >= self.behind.at(k) for k in paid)

    def covers(self, profile):
        """Whether a profile is never below it, jumps and all."""
        jumps = self.jumps()
        for value, place in zip(profile.values, range(profile.first, 10**9), strict=False):
            number = next(k for k in range(self.count) if self.place(k + 1) >= place)
            if not (value >= 1 or exact(value) >= jumps * self.value(number, Fraction(place))):
                return False
        return True

    def holds(self):
        """Whether all that is asked is so, for sure."""
        with ctx.workprec(BITS):
            every = range(self.count)
            return (
                all(map(self.is_paid, every))
                and all(map(self.is_stopped, every))
                and self.is_ended()
            )
