"""Whether curves over cells bound one arrival of a race in front of a profile: in balls.

W is the profile behind: values at levels, lines in z = e^x between them, below the first a line
from (0, 1), beyond the last no more. V is the profile with the arrival in front: on every cell the
larger of two curves, line + c·z^(-1/β) and line + d·z^(1/α). A curve of the first kind solves
V + β·z·V' = (its line, read at z·e^fall), one of the second V - α·z·V' = (its line, read at
z·e^-rise). So it is enough that

    lines are never below W, where they are read,
    V is never below C = (β·W(z·e^-rise) + α·W(z·e^fall))/(α + β),

all over every cell; that to the left of all cells the line from (0, 1) to V is never below W as far
as it is read, and to the right V, as it is at the end; and that V is continuous. Where it jumps,
V is multiplied on each cell by a number >= 1, so that it does not: by all jumps together at most.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise

from flint import arb, ctx, fmpq

BITS = 160
#: A cell is halved so many times before it is given up.
HALVINGS = 60


def exact(value) -> arb:
    whole = Fraction(float(value)) if not isinstance(value, Fraction) else value
    return arb(fmpq(whole.numerator, whole.denominator))


@dataclass(frozen=True)
class Line:
    """A line in z, by a point and its slope."""

    at: arb
    value: arb
    slope: arb

    @classmethod
    def through(cls, one, two):
        (x, a), (y, b) = one, two
        return cls(x, a, (b - a) / (y - x))

    def __call__(self, z):
        return self.value + self.slope * (z - self.at)


@dataclass(frozen=True)
class Curve:
    """A line, and a power of z that makes it `value` at one place."""

    line: Line
    place: arb
    value: arb
    power: arb

    @cached_property
    def added(self):
        return self.value - self.line(self.place)

    def __call__(self, z):
        return self.line(z) + self.added * (z / self.place) ** self.power

    def slope(self, z):
        return self.line.slope + self.added * self.power / z * (z / self.place) ** self.power

    def is_above(self, line, low, high):
        """Whether it surely is above a line in between: at both ends, and by its tangent."""
        if not all(self(z) >= line(z) for z in (low, high)):
            return False
        if self.added <= 0:
            return True
        middle = (low + high) / 2
        over, tilt = self(middle) - line(middle), self.slope(middle) - line.slope
        return all(over + tilt * (z - middle) >= 0 for z in (low, high))


class Polygon:
    """A profile as it is read; places are in intervals."""

    def __init__(self, profile):
        self.first, self.last = profile.first, profile.first + len(profile.values) - 1
        self.interval = Fraction(float(profile.interval))
        self.values = [exact(one) for one in profile.values]

    def z(self, place):
        return exact(self.interval * place).exp()

    def line(self, cell):
        if cell < self.first:
            return Line.through((arb(0), arb(1)), (self.z(self.first), self.values[0]))
        if cell >= self.last:
            return Line(arb(1), self.values[-1], arb(0))
        low, high = self.values[cell - self.first : cell - self.first + 2]
        return Line.through((self.z(cell), low), (self.z(cell + 1), high))

    def at(self, place):
        return self.line(math.floor(place))(self.z(place))

    def knots(self, low, high):
        """Return two places, and those in between where lines meet."""
        first, last = max(math.floor(low) + 1, self.first), min(math.ceil(high) - 1, self.last)
        return [low, *map(Fraction, range(first, last + 1)), high]


@dataclass(frozen=True)
class Certificate:
    """Curves, and what they are said to bound."""

    cells: object
    later: object
    rise: float
    fall: float

    @cached_property
    def behind(self):
        return Polygon(self.later)

    @cached_property
    def moves(self):
        return [Fraction(move) / self.behind.interval for move in (-self.rise, self.fall)]

    @cached_property
    def speeds(self):
        return -exact(-self.rise).expm1(), exact(self.fall).expm1()

    @property
    def count(self):
        return len(self.cells.places) - 1

    def place(self, number):
        return self.cells.first + Fraction(float(self.cells.places[number]))

    def ends(self, number):
        return self.place(number), self.place(number + 1)

    def curves(self, number):
        """Return both curves of a cell, and how far from it their lines are read."""
        low, high = ends = [self.behind.z(place) for place in self.ends(number)]
        found = []
        for move, speed, sign, payoffs, place, value in (
            (self.moves[0], self.speeds[0], 1, self.cells.rises, high, self.cells.up[number + 1]),
            (self.moves[1], self.speeds[1], -1, self.cells.falls, low, self.cells.down[number]),
        ):
            if move:
                points = [
                    (z * self.behind.z(move), exact(payoffs[number + k]))
                    for k, z in enumerate(ends)
                ]
                line = Line.through(*points)
                found.append((Curve(line, place, exact(value), sign / speed), move))
        return found

    def is_paid(self, number):
        """Whether lines are never below W where they are read."""
        low, high = self.ends(number)
        return all(
            curve.line(self.behind.z(knot)) >= self.behind.at(knot)
            for curve, move in self.curves(number)
            for knot in self.behind.knots(low + move, high + move)
        )

    def in_turn(self, low, high):
        """Return C between two places without a knot in between, as a line."""
        middle, z = (low + high) / 2, self.behind.z(low)
        both, total = sum(self.speeds), Line(z, arb(0), arb(0))
        for move, speed in zip(self.moves, reversed(self.speeds), strict=True):
            line, ratio = self.behind.line(math.floor(middle + move)), self.behind.z(move)
            value, slope = line(z * ratio) * speed / both, line.slope * ratio * speed / both
            total = Line(z, total.value + value, total.slope + slope)
        return total

    def is_stopped(self, number):
        """Whether V is never below C."""
        low, high = self.ends(number)
        knots = {
            knot - move
            for move in self.moves
            for knot in self.behind.knots(low + move, high + move)
        }
        curves = [curve for curve, _ in self.curves(number)]
        return all(
            self._is_above(curves, self.in_turn(one, two), *map(self.behind.z, (one, two)))
            for one, two in pairwise(sorted(knots))
        )

    def _is_above(self, curves, line, low, high, left=HALVINGS):
        if any(curve.is_above(line, low, high) for curve in curves):
            return True
        middle = ((low + high) / 2).mid()
        return left > 0 and all(
            self._is_above(curves, line, *ends, left - 1)
            for ends in ((low, middle), (middle, high))
        )

    def value(self, number, place):
        """Return V on a cell."""
        z = self.behind.z(place)
        return max((curve(z) for curve, _ in self.curves(number)), key=lambda ball: ball.mid())

    def is_ended(self):
        """Whether the lines beyond both ends are never below W, as far as they are read."""
        first, last = self.place(0), self.place(self.count)
        left = Line.through((arb(0), arb(1)), (self.behind.z(first), self.value(0, first)))
        right = Line(arb(1), self.value(self.count - 1, last), arb(0))
        (down, up), at_first = self.moves, self.behind.first
        return all(
            line(self.behind.z(knot)) >= self.behind.at(knot)
            for line, knots in (
                (left, self.behind.knots(min(first, at_first) + down, first + up)),
                (right, self.behind.knots(last + down, max(last, self.behind.last) + up)),
            )
            for knot in knots
        )

    def jumps(self):
        """Return all factors together by which V jumps, the way that a level drifts."""
        total, (down, up) = arb(0), self.moves
        for number in range(1, self.count):
            place = self.place(number)
            before, after = (self.value(k, place) for k in (number - 1, number))
            jump = (after / before).log()
            total += max(
                jump if down else arb(0), -jump if up else arb(0), key=lambda one: one.mid()
            )
        return total.exp()

    def is_below(self, profile):
        """Whether V, with its jumps, is below a profile at all its levels."""
        jumps = self.jumps()
        for number in range(self.count + 1):
            place = self.place(number)
            if place.denominator > 1:
                continue
            claim = profile.values[int(place) - profile.first]
            value = self.value(min(number, self.count - 1), place)
            if not (claim >= 1 or exact(claim) >= jumps * value):
                return False
        return True

    def bounds(self, profile):
        """Whether it is surely proved that a profile bounds the arrival in front."""
        with ctx.workprec(BITS):
            every = range(self.count)
            return (
                self.is_ended()
                and all(map(self.is_paid, every))
                and all(map(self.is_stopped, every))
                and self.is_below(profile)
            )
