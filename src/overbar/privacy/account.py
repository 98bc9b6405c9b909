"""The account of a plan: what all its parts keep together, by the proofs that say most.

Parts come one after the other: their steps are one sequence. Of several proofs of a part all hold,
and so does each sequence that is made of them. So a search for the one that says most needs no
certificate.

Theory: :doc:`/theory/steps`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache, cached_property, lru_cache
from itertools import groupby, product
from typing import Literal, NamedTuple

import numpy as np

from overbar._numbers import rounded_up, safe_end
from overbar.privacy.loss_profile import HAIR, Array
from overbar.privacy.pairs import Pure, Step, response
from overbar.privacy.plan import Plan
from overbar.privacy.proofs import Proof, Proofs, one
from overbar.privacy.pure import pure_covers
from overbar.privacy.reading import epsilon_of, log_delta_of, rough_epsilon, rough_log_delta
from overbar.privacy.shifts import Curve, Glance
from overbar.privacy.steps import Steps, Worst, renyi_of

#: A proof whose divergences say so much less than what is known already is not followed: by a
#: factor, and of ε and of the log of δ by so much more, as divergences say little of small ones.
FAR, LOOSE_EPSILON, LOOSE = 1.6, 0.1, 4.0
#: From this δ on (in logs) a rough look misses the sequence that says most.
LARGE_DELTA = math.log(0.01)
#: Orders between which divergences of other parts are read, to choose by.
_LOGS = np.linspace(math.log(1e-3), math.log(1e6), 80)


class Question(NamedTuple):
    """What is asked of a sequence, and how to choose by a rough look; less is better."""

    value: Callable[[Steps], float]
    rough: Callable[[Steps], float]
    glance: Callable[[Glance, int, Curve | None], Array]


def at_delta(log_delta: float) -> Question:
    """Ask for the least ε at a δ."""
    return Question(
        lambda way: epsilon_of(way, log_delta),
        lambda way: rough_epsilon(way, log_delta)[0],
        lambda glance, runs, more: glance.epsilon(log_delta, runs, more),
    )


def at_epsilon(epsilon: float) -> Question:
    """Ask for the least δ at an ε, in logs."""
    return Question(
        lambda way: log_delta_of(way, epsilon),
        lambda way: rough_log_delta(way, epsilon),
        lambda glance, runs, more: glance.log_delta(epsilon, runs, more),
    )


#: Which kinds of proofs of the parts, and which proof of each.
Place = tuple[int, tuple[int, ...]]


class Best(NamedTuple):
    """The least value that is found, the sequence that says it, and where that was."""

    value: float
    way: Steps = ()
    place: Place = (0, ())


@dataclass(eq=False)
class Near:
    """Where the sequences were that say most of plans that differ by a scale, by the answer.

    Who looks there alone, "near", finds a δ that holds, and about the least. "glance" compares them
    with those that look best by orders; "closely" looks around as well, and what it finds is kept
    beside what a glance finds. "roughly" is by orders alone, and no proof.
    """

    places: dict[int, tuple[Place, ...]] = field(default_factory=dict)
    kept: dict[int, Place] = field(default_factory=dict)
    how: Literal["near", "glance", "closely", "roughly"] = "near"


@dataclass(frozen=True, eq=False)
class Account:
    """All proofs of the parts of a plan.

    `order` says which part comes when, and `labels` which of them gives the labels. Parts of which
    nothing but a pure ε is known are `pure`.
    """

    parts: tuple[tuple[Proofs, ...], ...]
    order: tuple[int, ...]
    labels: int | None
    pure: tuple[Pure, ...] = ()

    @property
    def told_first(self) -> float:
        """What pure parts cost together."""
        return rounded_up(sum((step.epsilon for step in self.pure), Fraction(0)))

    def epsilon(self, log_delta: float) -> float:
        """Return an ε that all parts keep at this δ; what is returned has been evaluated."""
        alone = self._least_epsilon(log_delta).value
        if not self.pure:
            return alone
        excess = cache(lambda level: self.log_delta(level) - log_delta)
        most = alone + self.told_first * (1 + HAIR)
        return alone if excess(alone) <= 0 else safe_end(excess, most, alone)

    def log_delta(self, epsilon: float, near: Near | None = None) -> float:
        """Log of a δ that all parts keep at this ε; pure parts are told first."""
        if not self.pure:
            return self._least(epsilon, 0, near)
        masses, losses = response(self.told_first)
        levels = [epsilon - float(loss) for loss in losses]
        each = [self._beyond(level, answer, near) for answer, level in enumerate(levels)]
        with np.errstate(divide="ignore"):  # it may be too small for a float, and so may a mass
            total = float(np.logaddexp(*(np.log(masses) + each)))
        return total + 10 * HAIR * (1 + abs(total)) if total > -math.inf else total

    def _beyond(self, level: float, answer: int, near: Near | None) -> float:
        """Log of what all but the pure parts lose at a level, which may be below zero."""
        low = level - HAIR * (1 + abs(level))
        lost = self._least(abs(low), answer, near)
        return lost if low >= 0 else math.log(math.exp(low + lost) - math.expm1(low))

    def _least(self, epsilon: float, answer: int, near: Near | None) -> float:
        """Return the least δ that is found, in logs; pure proofs, which have a cliff, each time."""
        question = at_epsilon(epsilon)
        if near is None:
            return self.best(question).value
        pure = [self._at((number, (0,) * len(self.parts))) for number in self._pure_kinds]
        least = min(map(question.value, pure), default=math.inf)
        if near.how == "roughly":
            others = (n for n in range(len(self._kinds)) if n not in self._pure_kinds)
            return min(least, *(self._rough(number, question) for number in others), math.inf)
        known = near.places.get(answer, ())
        if near.how == "near" and known:
            return min(least, *(question.value(self._at(place)) for place in known))
        start = known[0] if known else None
        best = self.best(question, start, closely=near.how == "closely", every=False)
        if -math.inf < best.value < math.inf:  # else it may be far from the least noise
            if near.how == "closely":
                near.kept[answer] = best.place
            both = best.place, near.kept.get(answer, best.place)
            near.places[answer] = tuple(dict.fromkeys(both))
        return min(least, best.value)

    def renyi(self, order: float) -> float:
        """Return a bound on the divergence of all parts."""
        return self._sum(self.order, order)

    def rest(self, order: float) -> float:
        """Return a bound on the divergence of all parts beside the one that gives the labels."""
        own = len(self.order) if self.labels is None else self.order.index(self.labels)
        return self._sum((*self.order[:own], *self.order[own + 1 :]), order)

    def _sum(self, parts: tuple[int, ...], order: float) -> float:
        each = [self.best_proof(part, order).renyi(order) for part in parts]
        each += [step.renyi(order) for step in self.pure]
        return sum(each) * (1 + 1e-12 * (len(each) > 1))

    def best_proof(self, part: int, order: float) -> Proof:
        """Return the proof of a part with the least divergence of a whole run."""
        return min(self._worth(self.parts[part], order), key=lambda proof: proof.renyi(order))

    @staticmethod
    def _worth(part: tuple[Proofs, ...], order: float) -> Iterator[Proof]:
        """Yield the proofs of a part that look about best at an order."""
        for proved in part:
            if proved.glance is None or math.isinf(order):
                yield from proved.every
                continue
            with np.errstate(all="ignore"):
                rough = proved.glance.renyi(np.full((len(proved.every), 1), order))[:, 0]
            for place in np.flatnonzero(~(rough > 1.1 * np.nanmin(rough))):
                yield proved.every[int(place)]

    def way(self, log_delta: float) -> Steps:
        """Return the sequence that says most at this δ."""
        return (*self.pure, *self._least_epsilon(log_delta).way)

    def _least_epsilon(self, log_delta: float) -> Best:
        """Return the least ε at a δ; of a large δ also what is found at this ε."""
        found = self.best(at_delta(log_delta))
        if log_delta > LARGE_DELTA and found.value < math.inf:
            other = self.best(at_epsilon(max(found.value, 0.0)))
            found = min(found, other._replace(value=epsilon_of(other.way, log_delta)), key=_first)
        return found

    def best(
        self,
        question: Question,
        start: Place | None = None,
        *,
        closely: bool = True,
        every: bool = True,
    ) -> Best:
        """Return what says most beside the pure parts: around a start too, or at a glance.

        Not `every` kind of proofs leaves out those that are pure, which have a cliff.
        """
        best = Best(math.inf)
        if start is not None:
            way = self._at(start)
            best = Best(question.value(way), way, start)
        for number in range(len(self._kinds)):
            if number in self._pure_kinds and not every:
                continue
            best = self._best_of(number, best, question, closely=closely)
        return best

    @cached_property
    def _kinds(self) -> tuple[tuple[Proofs, ...], ...]:
        return tuple(product(*self.parts))

    @cached_property
    def _pure_kinds(self) -> tuple[int, ...]:
        return tuple(
            number
            for number, kinds in enumerate(self._kinds)
            if all(_is_pure(proved.every[0].steps) for proved in kinds)
        )

    def _best_of(self, number: int, best: Best, question: Question, *, closely: bool) -> Best:
        kinds, known = self._kinds[number], best
        wide = [(part, proved.glance) for part, proved in enumerate(kinds) if proved.glance]
        places = [0] * len(kinds)
        for part, glance in wide:
            more = self._others(kinds, places, part)
            rough = question.glance(glance, self.order.count(part), more)
            places[part] = int(np.nanargmin(rough))
        way = self.sequence(kinds, places)
        if known.value < math.inf and question.rough(way) > _far(known.value):
            return best
        best = min(best, Best(question.value(way), way, (number, tuple(places))), key=_first)
        for part, _ in wide if closely else ():
            starts = [places[part], len(kinds[part].every) - 1, 0]
            if known.place[0] == number and known.way:
                starts.insert(0, known.place[1][part])
            for start in dict.fromkeys(starts):
                best = self._climbed(
                    (number, (*places[:part], start, *places[part + 1 :])), part, best, question
                )
        return best

    def _rough(self, number: int, question: Question) -> float:
        """Return about the least value with some kinds of proofs, by orders."""
        kinds = self._kinds[number]
        places = [0] * len(kinds)
        for part, proved in enumerate(kinds):
            if proved.glance is not None:
                more = self._others(kinds, places, part)
                rough = question.glance(proved.glance, self.order.count(part), more)
                return float(np.nanmin(rough))
        return question.rough(self.sequence(kinds, places))

    def _climbed(self, start: Place, part: int, best: Best, question: Question) -> Best:
        """Go on from a shift to those beside it while that pays."""
        number, places = start
        kinds = self._kinds[number]

        def look(shift: int) -> Best:
            there = (*places[:part], shift, *places[part + 1 :])
            way = self.sequence(kinds, [*there])
            return Best(question.value(way), way, (number, there))

        if question.rough(self._at(start)) > _far(best.value):
            return best
        found = look(places[part])
        if found.value > best.value:
            return best
        for step in (-1, 1):
            shift = places[part] + step
            while (
                0 <= shift < len(kinds[part].every) and (next_ := look(shift)).value < found.value
            ):
                found, shift = next_, shift + step
        return min(best, found, key=_first)

    def _at(self, place: Place) -> Steps:
        """Return the sequence at a place; the last one where there are fewer."""
        kinds = self._kinds[min(place[0], len(self._kinds) - 1)]
        last = (len(proved.every) - 1 for proved in kinds)
        return self.sequence(kinds, [*map(min, place[1], last)])

    def sequence(self, kinds: tuple[Proofs, ...], places: list[int]) -> Steps:
        """Return the steps of all parts in the order of time, equal ones in a row as one."""
        every = [
            many
            for part, runs in groupby(self.order)
            for many in repeated(kinds[part].every[places[part]].steps, len(list(runs)))
        ]
        steps: list[Step] = []
        for step in every:
            if steps and replace(steps[-1], times=1) == replace(step, times=1):
                step = replace(step, times=step.times + steps.pop().times)  # noqa: PLW2901
            steps.append(step)
        return tuple(steps)

    def _others(self, kinds: tuple[Proofs, ...], places: list[int], part: int) -> Curve | None:
        """Return the divergences of all other parts, to choose by."""
        others = [
            step
            for other in self.order
            if other != part
            for step in kinds[other].every[places[other]].steps
        ]
        if not others:
            return None
        values = [renyi_of(tuple(others), 1 + math.exp(log)) for log in _LOGS]
        finite = np.where(np.isfinite(values), values, 1e300)

        def read(orders: Array) -> Array:
            return np.asarray(np.interp(np.log(orders - 1), _LOGS, finite))

        return read


def repeated(way: Steps, runs: int) -> Steps:
    """Return the steps of so many equal runs, asked in turns: each step of all of them at once.

    In turns an answer of one run may come before another has begun, so that all pairs are told
    first; the races of all are one race, and the direction of neighbours is one for all.
    """
    if runs == 1:
        return way
    if len(way) == 1 and isinstance(way[0], Worst):
        inner = tuple(repeated(one, runs * way[0].times) for one in way[0].of)
        return inner[0] if len(inner) == 1 else (Worst(inner),)
    return tuple(replace(step, times=step.times * runs) for step in way)


def _first(best: Best) -> float:
    return best.value


def _far(known: float) -> float:
    """Return a value that is so far from one that is known that it is no use to look closer."""
    return known * FAR + LOOSE_EPSILON if known > 0 else known / FAR + LOOSE


@lru_cache(maxsize=256)
def account_of(plan: Plan) -> Account:
    """Return the account of all parts of a plan; a part without any proof has none."""
    before = () if plan.first is None else plan.first.paid()
    own = plan.paid()[: len(plan.paid()) - len(before)]
    every = (*before, *own)
    known = {part: proofs_of(part) for part in every}
    pure = [part for part in every if _is_all_pure(known[part])] if len(known) > 1 else []
    pure = [] if len(pure) == len(every) else pure
    parts = tuple(part for part in known if part not in pure)
    order = tuple(parts.index(part) for part in every if part in parts)
    labels = parts.index(own[0]) if own[0] in parts else None
    told = tuple(Pure(part.pure()) for part in pure)
    return Account(tuple(known[part] for part in parts), order, labels, told)


def _is_all_pure(known: tuple[Proofs, ...]) -> bool:
    """Tell whether nothing but a pure ε is known of a part."""
    return len(known) == 1 and _is_pure(known[0].every[0].steps)


def _is_pure(steps: Steps) -> bool:
    """Tell whether a sequence is pure once."""
    return len(steps) == 1 and isinstance(steps[0], Pure) and steps[0].times == 1


@lru_cache(maxsize=256)
def proofs_of(part: Plan) -> tuple[Proofs, ...]:
    """Return all proofs of a plan of one part, the pure one included."""
    pure = [one(Proof((Pure(part.pure()),)))] if pure_covers(part) else []
    return (*pure, *part.proofs())
