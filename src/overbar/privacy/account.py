"""The account of a plan: what all its parts keep together, by the proofs that say most.

Parts come one after the other, and a later one may depend on what earlier ones gave: their steps
are one sequence. Of several proofs of a part all hold, and so does each sequence that is made of them.
So a search for the one that says most needs no certificate: what it finds is read off that one.

Theory: :doc:`/theory/steps`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby, product

import numpy as np

from overbar.plans import Plan
from overbar.privacy.profile import Array
from overbar.privacy.pure import pure_covers, pure_epsilon
from overbar.privacy.reading import epsilon_of, log_delta_of, rough_epsilon, rough_log_delta
from overbar.privacy.shifts import Curve
from overbar.privacy.steps import Pure, Step, Way, Worst, renyi_of
from overbar.privacy.ways import Proof, Proofs, one, proofs

#: A proof whose divergences say so much less than what is known already is not followed.
FAR = 1.6
#: Orders between which divergences of other parts are read, to choose by.
_LOGS = np.linspace(math.log(1e-3), math.log(1e6), 80)


@dataclass(frozen=True, eq=False)
class Account:
    """All proofs of the parts of a plan.

    `order` says which part comes when, and `labels` which of them gives the labels.
    """

    parts: tuple[tuple[Proofs, ...], ...]
    order: tuple[int, ...]
    labels: int

    def epsilon(self, log_delta: float) -> float:
        """Return an ε that all parts keep at this δ; what is returned has been evaluated."""
        return self._least(
            lambda way: epsilon_of(way, log_delta),
            lambda way: rough_epsilon(way, log_delta)[0],
            lambda proved, runs, more: proved.epsilon(log_delta, runs, more),
        )[0]

    def log_delta(self, epsilon: float) -> float:
        """Log of a δ that all parts keep at this ε."""
        return self._least(
            lambda way: log_delta_of(way, epsilon),
            lambda way: rough_log_delta(way, epsilon),
            lambda proved, runs, more: proved.log_delta(epsilon, runs, more),
        )[0]

    def way(self, log_delta: float) -> Way:
        """Return the sequence that says most at this δ."""
        return self._least(
            lambda way: epsilon_of(way, log_delta),
            lambda way: rough_epsilon(way, log_delta)[0],
            lambda proved, runs, more: proved.epsilon(log_delta, runs, more),
        )[1]

    def renyi(self, order: float) -> float:
        """Return a bound on the divergence of all parts."""
        each = [self.best_proof(part, order).renyi(order) for part in range(len(self.parts))]
        return sum(each[place] for place in self.order) * (1 + 1e-12 * (len(self.order) > 1))

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
                yield proved.every[place]

    def _least(
        self,
        value: Callable[[Way], float],
        by_orders: Callable[[Way], float],
        look: Callable[..., Array],
    ) -> tuple[float, Way]:
        """Return the least value of a sequence that is found, and that sequence."""
        best: tuple[float, Way] = (math.inf, ())
        for kinds in product(*self.parts):
            best = min(best, self._least_of(kinds, best[0], value, by_orders, look), key=_first)
        return best

    def _least_of(
        self,
        kinds: tuple[Proofs, ...],
        known: float,
        value: Callable[[Way], float],
        by_orders: Callable[[Way], float],
        look: Callable[..., Array],
    ) -> tuple[float, Way]:
        places = [0] * len(kinds)
        wide = [place for place, proved in enumerate(kinds) if proved.glance is not None]
        for part in wide:
            glance = kinds[part].glance
            rough = look(glance, self.order.count(part), self._others(kinds, places, part))
            places[part] = int(np.nanargmin(rough))
        way = self.sequence(kinds, places)
        if known < math.inf and by_orders(way) > _far(known):
            return math.inf, way
        best = value(way), way
        for part in wide:
            best = self._climbed(kinds, places, part, best, value)
        return best

    def _climbed(
        self,
        kinds: tuple[Proofs, ...],
        places: list[int],
        part: int,
        best: tuple[float, Way],
        value: Callable[[Way], float],
    ) -> tuple[float, Way]:
        """Go on from a shift to those beside it while that pays."""
        start = places[part]
        for step in (-1, 1):
            place = start + step
            while 0 <= place < len(kinds[part].every):
                way = self.sequence(kinds, [*places[:part], place, *places[part + 1 :]])
                found = value(way)
                if not found < best[0]:
                    break
                best, place = (found, way), place + step
        return best

    def sequence(self, kinds: tuple[Proofs, ...], places: list[int]) -> Way:
        """Return the steps of all parts in the order of time, equal ones in a row as one."""
        every = [
            many
            for part, runs in groupby(self.order)
            for many in repeated(kinds[part].every[places[part]].steps, len(list(runs)))
        ]
        steps: list[Step] = []
        # Whoever knows a pure part first knows more: it may be put in front of all, where it is
        # read exactly.
        for step in sorted(every, key=lambda step: not isinstance(step, Pure)):
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


def repeated(way: Way, runs: int) -> Way:
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


def _first(pair: tuple[float, Way]) -> float:
    return pair[0]


def _far(known: float) -> float:
    """Return a value that is so far from one that is known that it is no use to look closer."""
    return known * FAR if known > 0 else known / FAR


@lru_cache(maxsize=256)
def account_of(plan: Plan) -> Account:
    """Return the account of all parts of a plan; a part without any proof has none."""
    before = () if plan.first is None else plan.first.paid()
    own = plan.paid()[: len(plan.paid()) - len(before)]
    parts = tuple(dict.fromkeys((*before, *own)))
    order = tuple(parts.index(part) for part in (*before, *own))
    return Account(tuple(map(proofs_of, parts)), order, parts.index(own[0]))


@lru_cache(maxsize=256)
def proofs_of(part: Plan) -> tuple[Proofs, ...]:
    """Return all proofs of a plan of one part, the pure one included."""
    pure = [one(Proof((Pure(pure_epsilon(part)),)))] if pure_covers(part) else []
    return (*pure, *proofs(part))
