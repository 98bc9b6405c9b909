"""Searches for keys that nobody listed: by noisy weights in rounds, or by chances (``one_key``).

In a round each person keeps t <= m of the keys that are not out yet, by lot, and adds to each the
weight that the plan says for t. Each key whose weight is above zero takes part: it gets noise of
its own, discrete Gaussian on the grid, and comes out if its noisy weight reaches the bar. What
rounds and counts cost by themselves adds up; on top comes, for each round,

    δ₂ = max over t <= m of 1 - (1 - P(N >= b - w_t))^t,

the chance that one of t keys reaches the bar that take part because of one person alone. The
grid is so fine that it costs less than 10^-300.

Weighted Gaussian: Gopi et al. 2020, arXiv:2002.09745. Rounds: Swanberg et al. 2023,
arXiv:2301.01998.

Theory: :doc:`/theory/keys`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Protocol

from overbar._numbers import at_most_text, people_text, rounded_up
from overbar.errors import NoGuaranteeError, ParameterError
from overbar.mechanisms.key_forecast import key_forecast, persons, surely
from overbar.mechanisms.key_values import (
    HIDING,
    MOST_ITEMS,
    MOST_ROUNDS,
    STEPS,
    CountNoise,
    Round,
    Weight,
    counts_variance,
    limited,
    root,
    root_weight,
)
from overbar.mechanisms.plan import NO_SCORES, Pairs, Plan, part
from overbar.mechanisms.reach_and_bar import set_checked
from overbar.mechanisms.run import Answer, Run
from overbar.mechanisms.sentences import noise_text, noise_words
from overbar.noise import Gaussian
from overbar.noise.grid_tails import gaussian_tail
from overbar.privacy.histogram import PRECISION, Moved, any_of
from overbar.privacy.pairs import Bit, Values
from overbar.privacy.proofs import Proof, Proofs, one
from overbar.privacy.steps import Steps, Worst

#: The line that counts what is not in the answer.
EVERYTHING_ELSE = "everything else"
#: More than all that the grid can cost, for every ε.
GRID_COST = Fraction(1, 10**300)


class Holdings(Protocol):
    """Who holds which keys: a table, or a mapping from persons to their keys."""

    def weighed(self, plan: KeyPlan, out: Sequence[Any]) -> tuple[Sequence[Any], Any]:
        """Return keys that are not out, and what they weigh above the least, by new lots."""


@dataclass(frozen=True)
class Held:
    """A mapping from persons to their keys. Whoever runs the search draws the lots."""

    run: Run
    keys: Mapping[Any, Collection[Any]]

    def weighed(self, plan: KeyPlan, out: Sequence[Any]) -> tuple[Sequence[Any], Any]:
        """Return keys that are not out, and what they weigh above the least, by new lots."""
        total: Counter[Any] = Counter()
        for own in self.keys.values():
            kept = self.run.lot(sorted(set(own) - set(out)), plan.items_per_person)
            total.update(dict.fromkeys(kept, plan.weight(max(1, len(kept)))))
        less = (plan.at_least - 1) * STEPS
        weights = {key: total[key] - less for key in sorted(total) if total[key] > less}
        return list(weights), list(weights.values())


class KeyPlan(Plan):
    """What both searches for keys have in common. Each key that is found comes out."""

    label_name, ordered, not_predicted = "key", False, NO_SCORES
    found_form = "{:,} key{} found"
    cost_texts = ("This run has cost {}, whatever came out.",)
    asked_text = "Which values of {what} do many persons have?"
    count_noise: CountNoise | None
    at_least: int
    if TYPE_CHECKING:

        @property
        def items_per_person(self) -> int:
            """How many keys of each person count at most."""

        @property
        def rounds(self) -> tuple[Round, ...]:
            """Rounds with noise; none where keys come out by chances."""

        @property
        def rounds_text(self) -> Pairs:
            """How keys come out, round by round."""

        @property
        def half(self) -> tuple[int, int]:
            """How many persons make a key come out half of the time.

            Of persons with no other key, and of persons with as many keys as count.
            """

        @property
        def which_text(self) -> str:
            """Which keys come out."""

        def run(self, run: Run, table: Holdings, _: None = None) -> Answer:
            """Find keys of a table."""

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

    def numbers(self, threshold: Fraction | None = None) -> Pairs:  # noqa: ARG002  # it has none
        """Return its numbers as people read them, by name."""
        noise = self.count_noise
        return (
            ("keys per person", f"at most {self.items_per_person:,}, by lot"),
            ("held by", f"at least {self.at_least:,}" if self.at_least > 1 else ""),
            *self.rounds_text,
            ("counts", noise_words(noise.each) if noise else ""),
            (EVERYTHING_ELSE, noise_words(noise.rest) if noise else ""),
        )

    def conditions(self, unlisted: float | None) -> list[str]:  # noqa: ARG002  # it has its own
        """Say what the δ on top pays for."""
        alone = at_most_text(self.lone_delta())
        return [f"Of δ, {alone} is the chance that a key comes out that one person alone has."]

    def found_sentence(self, ranks: Sequence[int], _: int | None = None) -> str:
        """Say in a sentence how many came out."""
        order = "the highest counts first" if self.gives_counts else "sorted"
        return f"{self.found_text(ranks)}, {order}. How many others there are stays hidden."

    @property
    def expected_text(self) -> str:
        """Which keys come out, and how far their counts are off."""
        return key_forecast(self)

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

    def run(self, run: Run, table: Holdings, _: None = None) -> Answer:
        """Weigh keys by new lots in each round; those that reach its bar come out."""
        out: list[Any] = []
        for each in self.rounds:
            keys, weights = table.weighed(self, out)
            noise, most = Gaussian(each.sigma), len(keys)
            reached = run.passing(weights, noise, self.grid, each.bar, most=most, on_grid=True)
            out += (keys[one.candidate] for one in reached)
        return Answer(tuple(sorted(out)))

    def _check_weights(self) -> None:
        weights = self.weights
        if not isinstance(weights, tuple) or not all(isinstance(each, Weight) for each in weights):
            raise ParameterError(f"weights must be Weights, got {weights!r}")
        rising = all(few.items < many.items for few, many in pairwise(weights))
        if not rising or weights[-1].items != self.items_per_person:
            raise ParameterError("weights must be for rising items, up to items_per_person")
        if self.count_noise is not None:
            raise ParameterError("weights must be left out where counts come out beside keys")

    def pure(self, positives: int | None = None) -> Fraction:  # noqa: ARG002  # there is none
        """Refuse, and say why if nothing at all is proved."""
        shown_rounds(self)
        raise NoGuaranteeError(f"Gaussian noise has no pure guarantee, got {self!r}")

    def proofs(self) -> list[Proofs]:
        """In each round a person moves weights of some keys; only who reaches the bar is told."""
        try:
            found = [one(Proof((Values(shown_rounds(self)),)))]
        except NoGuaranteeError:
            return []
        if self.weights and self.count_noise is None:
            found.insert(0, one(Proof(key_bits(self))))
        return found

    def lone_delta(self) -> Fraction:
        """Return Σδ₂."""
        return _lone_delta(self)

    def weight(self, items: int) -> int:
        """Return what a person who keeps so many keys adds to each, in grid steps."""
        for each in self.weights:
            if items <= each.items:
                return each.steps
        return root_weight(items)

    @property
    def worst_items(self) -> tuple[int, ...]:
        """Numbers of keys of which one is the worst: of equal weights that for the most keys."""
        every = tuple(range(1, self.items_per_person + 1))
        return tuple(each.items for each in self.weights) or every

    @property
    def grid(self) -> Fraction:
        """Every weight is a multiple of this."""
        return Fraction(1, STEPS)

    @property
    def half(self) -> tuple[int, int]:
        """How many persons make a key come out half of the time."""
        return persons(self, 1), persons(self, self.items_per_person)

    @property
    def which_text(self) -> str:
        """Which keys come out."""
        most = self.items_per_person
        few, many = self.half
        if few == many:
            often = f"at least 95 times of 100 from {surely(self, 1):,} on"
            return f"Keys held by about {few:,} persons or more come out, {often}."
        return (
            f"Keys held by about {few:,} persons or more come out if these hold no other key, and "
            f"by about {many:,} if they hold {most:,} keys or more. At least 95 times of 100, "
            f"{surely(self, 1):,} persons with no other key are enough, and "
            f"{surely(self, most):,} persons with up to {most:,} keys each."
        )

    @property
    def rounds_text(self) -> Pairs:
        """How keys come out, round by round."""
        scales = [people_text(each.sigma) for each in self.rounds]
        return tuple(
            (f"round {place}", f"Gaussian noise of scale {scale} on weights")
            for place, scale in enumerate(scales, 1)
        )

    def __str__(self) -> str:
        scales = ", ".join(people_text(each.sigma) for each in self.rounds)
        return (
            f"Gaussian noise of scale {scales} on the weights of keys, of which at most "
            f"{self.items_per_person:,} of each person count in each round; those that reach the "
            f"bar come out.{self._besides()}"
        )


# What rounds cost ---------------------------------------------------------------------------------


def key_bits(plan: SetUnionPlan, every: int = 1) -> Steps:
    """Return the rounds of a search; with fewer numbers of keys it is a look and no proof."""
    rounds = []
    for each in plan.rounds:
        scale = root(each.sigma**2 - Fraction(HIDING, STEPS * STEPS)) * STEPS
        bits = [(Bit(rounded_up(w.steps / scale), times=w.items),) for w in plan.weights]
        rounds.append(Worst((*bits[::every], bits[-1])))
    return tuple(rounds)


@lru_cache(maxsize=64)
def shown_rounds(plan: SetUnionPlan) -> Moved:
    """Return what all rounds and counts cost beside δ₂, even if noisy weights are shown.

    One value of sensitivity 1; a round in which a person moves weights by more costs more.
    """
    hiding = Fraction(HIDING, STEPS * STEPS)
    longest = max((each.items * each.steps**2 for each in plan.weights), default=STEPS**2)
    exact = [each.sigma**2 - hiding for each in plan.rounds]
    if min(exact) <= hiding:
        raise NoGuaranteeError("the noise must be wider than the grid that hides it")
    exact = [each * STEPS**2 / longest for each in exact]
    if plan.count_noise is not None:
        exact.append(counts_variance(plan.count_noise, plan.items_per_person))
    variance = 1 / sum((1 / each for each in exact), Fraction(0)) - hiding
    if variance <= hiding:
        raise NoGuaranteeError("the noise must be wider than the grid that hides it")
    return Moved(1, STEPS, (root(variance) * STEPS) ** 2)


@lru_cache(maxsize=64)
def _lone_delta(plan: SetUnionPlan) -> Fraction:
    """Return Σδ₂, rounded up: that a key comes out that takes part for one person alone."""
    worst = [
        max(unlisted_chance(each, t, plan.weight(t)) for t in plan.worst_items)
        for each in plan.rounds
    ]
    return Fraction(rounded_up(sum(map(Fraction, worst)) + GRID_COST))


@lru_cache(maxsize=1 << 14)
def unlisted_chance(each: Round, items: int, weight: int) -> float:
    """Return 1 - (1 - P(N >= b - w_t))^t, rounded up; a value equal to the bar reaches it."""
    variance = (each.sigma * STEPS) ** 2
    return any_of(items, gaussian_tail(variance, each.bar - weight, PRECISION))
