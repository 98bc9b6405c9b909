"""The best any adversary can do who begins, asks and ends races, by trying everything.

What may be spent is a filter's: a charge is held when a race begins, and what `settled` says of it
stays when it is ended, which the adversary may do whenever it likes. When a race begins, the shift
of its threshold is shown: a loss of ±shift, as on a grid of one step. A question lasts one unit of
time with a hazard, which is e^move times as large on one side. Both sides know all of that, so no
real run shows more. Every strategy of so many questions is tried.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache, partial

from overbar.ledger import Charge


@dataclass(frozen=True)
class RaceGame:
    """A kind of race, what is charged for it, and when another may begin."""

    cutoff: int
    shift: float
    questions: tuple[tuple[float, float], ...]
    reserved: Charge
    settled: Callable[[int], Charge]
    allows: Callable[[Charge], bool]

    def outcomes(self, question: tuple[float, float]) -> tuple[tuple[float, float, bool], ...]:
        """Return chance and loss of a positive and of a negative."""
        hazard, move = question
        faster = hazard * math.exp(move)
        chance = -math.expm1(-faster)
        loss = math.log(chance) - math.log(-math.expm1(-hazard))
        return (chance, loss, True), (1 - chance, hazard - faster, False)

    @property
    def shown(self) -> tuple[tuple[float, float], ...]:
        """Chance and loss of what is shown when a race begins."""
        likely = 1 / (1 + math.exp(-self.shift))
        return ((likely, self.shift), (1 - likely, -self.shift)) if self.shift else ((1.0, 0.0),)

    def best(
        self,
        nothing: Charge,
        moves: int,
        end: Callable[[float], float],
        follow: Callable[[float, float], tuple[float, float]],
    ) -> float:
        """Return the most that any strategy reaches of what `end` says of the loss.

        `follow` takes the past and a loss to a factor and to the past after it.
        """

        def mean(
            past: float, branches: Iterable[tuple[float, float, Callable[..., float]]]
        ) -> float:
            reached = 0.0
            for chance, loss, rest in branches:
                factor, after = follow(past, loss)
                reached += chance * factor * rest(after)
            return reached

        @cache
        def value(past: float, total: Charge, given: int | None, left: int) -> float:
            ways = [end(past)]
            if given is None:
                if left and self.allows(total + self.reserved):
                    used = bool(self.shift)
                    begun = partial(value, total=total, given=0, left=left - used)
                    ways.append(mean(past, [(*each, begun) for each in self.shown]))
                return max(ways)
            if given or self.shift:
                ways.append(value(past, total + self.settled(given), None, left))
            if given < self.cutoff and left:
                for question in self.questions:
                    asked = [
                        (
                            chance,
                            loss,
                            partial(value, total=total, given=given + more, left=left - 1),
                        )
                        for chance, loss, more in self.outcomes(question)
                    ]
                    ways.append(mean(past, asked))
            return max(ways)

        return value(0.0, total=nothing, given=None, left=moves)

    def largest_delta(self, epsilon: float, nothing: Charge, moves: int) -> float:
        """Return the largest δ(ε) of any strategy."""
        return self.best(
            nothing,
            moves,
            lambda loss: max(0.0, -math.expm1(epsilon - loss)),
            lambda past, loss: (1.0, round(past + loss, 12)),
        )

    def largest_divergence(self, order: float, nothing: Charge, moves: int) -> float:
        """Return the largest Rényi divergence of any strategy.

        Its moment is a product along each path, so what is best does not depend on the past.
        """
        moment = self.best(
            nothing,
            moves,
            lambda _: 1.0,
            lambda past, loss: (math.exp((order - 1) * loss), past),
        )
        return math.log(moment) / (order - 1)
