"""Searches for keys that nobody listed: by noisy weights in rounds, or by chances (``one_key``).

In a round each person keeps t <= m of the keys that are not out yet, by lot, and adds to each the
weight that the plan says for t. Each key whose weight is above zero takes part: it gets noise of
its own, discrete Gaussian on the grid, and comes out if its noisy weight reaches the bar. What
rounds and counts cost by themselves adds up; on top comes, for each round,

    δ₂ = max over t <= m of 1 - (1 - P(N >= b - w_t))^t,

the chance that one of t keys reaches the bar that take part because of one person alone.

After the keys are out each person keeps at most m of their pairs, by new lots among all keys. The
count of a key that is out is how many persons kept it; *everything else* is all other kept pairs.

Weighted Gaussian: Gopi et al. 2020, arXiv:2002.09745. Rounds: Swanberg et al. 2023,
arXiv:2301.01998.

Theory: :doc:`/theory/keys`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

from overbar import _check
from overbar._numbers import people_text
from overbar.errors import ParameterError, named
from overbar.mechanisms.plan import Plan, noise_text, part
from overbar.mechanisms.reach_and_bar import Bar, Reach, set_checked
from overbar.noise import Gaussian, Laplace, Noise

#: Grid steps in a weight of one. The weights of 2^38 persons fit in 62 bits.
STEPS = 1 << 24
MOST_ITEMS, MOST_ROUNDS = 1000, 10
#: No answer has as many keys.
UNLIMITED = 10**18
LARGEST_BAR, LARGEST_EPSILON = 10**120, 1000
#: Below this ε the chances of single keys would be too many to list.
LEAST_EPSILON = Fraction(1, 10**4)


@dataclass(frozen=True)
class Round:
    """One round: the scale of the noise, and the bar in grid steps."""

    sigma: Fraction
    bar: int

    def __post_init__(self) -> None:
        set_checked(
            self,
            sigma=_check.positive("sigma", self.sigma),
            bar=_check.whole("bar", self.bar, lowest=0, largest=LARGEST_BAR),
        )


@dataclass(frozen=True)
class Weight:
    """Who keeps up to so many keys adds so many grid steps to each; at most one."""

    items: int
    steps: int

    def __post_init__(self) -> None:
        items = limited("items", self.items, MOST_ITEMS)
        set_checked(self, items=items, steps=limited("steps", self.steps, STEPS))


@dataclass(frozen=True)
class CountNoise:
    """The noise of the count of each key that is out and of everything else, on a grid.

    Parameters
    ----------
    each, rest : Gaussian or Laplace
        The noises, in persons.
    grid : Fraction
        One person is a whole number of steps of it.
    """

    each: Gaussian | Laplace
    rest: Gaussian | Laplace
    grid: Fraction

    def __post_init__(self) -> None:
        if not {type(self.each), type(self.rest)} <= {Gaussian, Laplace}:
            raise ParameterError("counts of keys must have laplace or gaussian noise")
        set_checked(self, grid=_check.positive("grid", self.grid))
        if self.grid.numerator != 1:
            raise ParameterError("the grid of counts must divide one")


class KeyPlan(Plan):
    """What both searches for keys have in common. Each key that is found comes out."""

    finds = "keys"
    count_noise: CountNoise | None
    at_least: int
    if TYPE_CHECKING:

        @property
        def items_per_person(self) -> int:
            """How many keys of each person count at most."""

        @property
        def rounds(self) -> tuple[Round, ...]:
            """Rounds with noise; none where keys come out by chances."""

    def weight(self, items: int) -> int:
        """Return what a person who keeps so many keys adds to each.

        Parameters
        ----------
        items : int
            How many keys the person keeps.

        Returns
        -------
        int
            Grid steps.
        """
        return root_weight(items)

    @property
    def query_noise(self) -> Noise:
        """Refuse: there are no scores that noise is added to."""
        raise ParameterError("a search for keys has no noise on scores: ask for keys of a table")

    @property
    def bar(self) -> Bar | None:
        """None: rounds have bars of their own, and chances need none."""
        return None

    @property
    def cutoff(self) -> int:
        """More than any table has."""
        return UNLIMITED

    @property
    def reach(self) -> Reach:
        """One more person adds at most one to the weight of a key."""
        return Reach(Fraction(0), Fraction(1))

    @property
    def for_top(self) -> bool:
        """Whether it finds the top: it does not."""
        return False

    @property
    def gives_counts(self) -> bool:
        """Whether a count comes out beside each key, and one of everything else."""
        return self.count_noise is not None

    @property
    def keys(self) -> KeyPlan | None:
        """The search for keys in it: itself."""
        return self

    @property
    def answer_text(self) -> str:
        """What it answers."""
        return "Keys that many persons hold, sorted."

    def _check_keys(self) -> None:
        """Check what both have."""
        set_checked(self, at_least=limited("at_least", self.at_least, STEPS))
        if not isinstance(self.count_noise, CountNoise | None):
            raise ParameterError(f"count_noise must be CountNoise, got {self.count_noise!r}")

    def _besides(self) -> str:
        """Say what both have."""
        least, noise = self.at_least, self.count_noise
        text = f" Keys that fewer than {least:,} persons have take no part." if least > 1 else ""
        if noise is None:
            return text
        return (
            f"{text} Counts have {noise_text(noise.each)}, and everything else "
            f"{noise_text(noise.rest)}."
        )


@part("set-union")
@dataclass(frozen=True, repr=False)
class SetUnionPlan(KeyPlan):
    """Keys whose noisy weight reaches a bar, in rounds that leave aside what is out.

    Parameters
    ----------
    items_per_person : int
        So many keys of each person count in each round, by lot; who has t of them adds 1/√t to
        each, if nothing else is said.
    rounds : tuple of Round
        The scale of the Gaussian noise of each round, and its bar in grid steps.
    at_least : int, default 1
        So many persons must hold a key for it to take part at all.
    count_noise : CountNoise, optional
        The noise of counts of the keys that are out; None if no counts come out.
    weights : tuple of Weight, optional
        What a person adds to each of their keys, by how many they keep. Not with counts.
    """

    items_per_person: int
    rounds: tuple[Round, ...]
    at_least: int = 1
    count_noise: CountNoise | None = None
    weights: tuple[Weight, ...] = ()

    def __post_init__(self) -> None:
        self._check_keys()
        if not isinstance(self.rounds, tuple) or not all(
            isinstance(each, Round) for each in self.rounds
        ):
            raise ParameterError(f"rounds must be Rounds, got {self.rounds!r}")
        limited("rounds", len(self.rounds), MOST_ROUNDS)
        items = limited("items_per_person", self.items_per_person, MOST_ITEMS)
        set_checked(self, items_per_person=items)
        if self.weights != ():
            self._check_weights()

    def _check_weights(self) -> None:
        weights = self.weights
        if not isinstance(weights, tuple) or not all(isinstance(one, Weight) for one in weights):
            raise ParameterError(f"weights must be Weights, got {weights!r}")
        rising = all(few.items < many.items for few, many in pairwise(weights))
        if not rising or weights[-1].items != self.items_per_person:
            raise ParameterError("weights must be for rising items, up to items_per_person")
        if self.count_noise is not None:
            raise ParameterError("weights must be left out where counts come out beside keys")

    def weight(self, items: int) -> int:
        """Return what a person who keeps so many keys adds to each, in grid steps."""
        for one in self.weights:
            if items <= one.items:
                return one.steps
        return root_weight(items)

    @property
    def worst_items(self) -> tuple[int, ...]:
        """Numbers of keys of which one is the worst: of equal weights that for the most keys."""
        every = tuple(range(1, self.items_per_person + 1))
        return tuple(one.items for one in self.weights) or every

    @property
    def grid(self) -> Fraction:
        """Every weight is a multiple of this."""
        return Fraction(1, STEPS)

    def __str__(self) -> str:
        scales = ", ".join(people_text(each.sigma) for each in self.rounds)
        return (
            f"Gaussian noise of scale {scales} on the weights of keys, of which at most "
            f"{self.items_per_person:,} of each person count in each round; those that reach the "
            f"bar come out.{self._besides()}"
        )


def root_weight(items: int) -> int:
    """Return 1/√t in grid steps, rounded down.

    >>> root_weight(1) == STEPS, 2 * root_weight(2) ** 2 <= STEPS**2 < 2 * (root_weight(2) + 1) ** 2
    (True, True)
    """
    return math.isqrt(STEPS * STEPS // items)


def limited(name: str, value: object, most: int) -> int:
    """Return a positive whole number up to a limit."""
    number = _check.whole(name, value)
    if number > most:
        raise ParameterError(f"{named(name)} must be at most {most:,}, got {number:,}")
    return number
