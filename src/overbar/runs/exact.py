"""A release: whoever runs a mechanism on the system's entropy, with laws that floats do not decide.

What is drawn is hidden, and so are scores and values of those who come out. Candidates come in
batches, of which one is held at a time, and the best so far. Scores may be handed out by code that
forks on the way: a child is refused.

Theory: :doc:`/theory/exact`, :doc:`/theory/mechanism`, :doc:`/theory/appending`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from overbar.errors import ParameterError
from overbar.mechanisms import ScorePlan
from overbar.noise import Exponential, Gaussian, Laplace, Noise
from overbar.noise.grid_tails import check_symmetric
from overbar.runs.positives import Batch, Hidden, Positives, opened
from overbar.runs.scores import Steps
from overbar.runs.secrecy import FORKS, Unshareable
from overbar.sampling.bernoulli import noise_table, positives_above
from overbar.sampling.coin import by_count
from overbar.sampling.enclosure import check_exact
from overbar.sampling.entropy import Source, random_below, random_words, system
from overbar.sampling.highest import fineness, highest
from overbar.sampling.on_grid import OnGrid
from overbar.sampling.race import race_above
from overbar.sampling.threshold import (
    discrete_exponential,
    discrete_gaussian,
    discrete_laplace,
)

if TYPE_CHECKING:
    from fractions import Fraction

#: How each threshold noise is drawn, in a time that does not depend on what comes out.
THRESHOLD_DRAWS: dict[type[Noise], Callable[..., int]] = {
    Exponential: discrete_exponential,
    Laplace: discrete_laplace,
    Gaussian: discrete_gaussian,
}


#: Candidates: in batches, or all without labels.
Scores = Iterable[Batch] | Steps
#: Who came out of a batch: what they sort by, and their places in it.
Passed = tuple[list[Any], list[int]]


class Exact(Unshareable):
    """Runs mechanisms on a source of bits: see :class:`overbar.mechanisms.run.Run`."""

    __slots__ = ("_forks", "_source")

    def __init__(self, source: Source = system) -> None:
        self._source, self._forks = source, FORKS.here()

    def draw(self, noise: Noise | None, grid: Fraction) -> Hidden | int:
        """Draw noise on the grid; without any it is zero, and no secret."""
        FORKS.check(self._forks)
        if noise is None:
            return 0
        check_threshold(noise)
        return Hidden(THRESHOLD_DRAWS[type(noise)](noise.scale, grid, self._source))

    def draws(self, noise: Noise, grid: Fraction, count: int) -> list[Hidden]:
        """Draw so many, independently."""
        FORKS.check(self._forks)
        check_symmetric(noise)
        return [Hidden(int(one)) for one in OnGrid(noise, grid).draw(count, self._source)]

    def passing(
        self,
        scores: Scores,
        noise: Noise,
        grid: Fraction,
        bar: Hidden | int,
        *,
        most: int,
        rounds: int | None = 1,
        on_grid: bool = False,
    ) -> Positives:
        """Return who passes first: of those asked once by lot, else by a race."""
        source = self._source

        def once(steps: Steps) -> Passed:
            """The order of the few that pass is all that matters."""
            table = noise_table(noise, grid, floored=not on_grid)
            places = positives_above(steps, opened(bar), table, source)
            keys = random_words(len(places), 64, source)
            first = np.argsort(keys, kind="stable")[:most]
            return keys[first].tolist(), places[first].tolist()

        def again(steps: Steps) -> Passed:
            """Lots decide between those of one round."""
            runners = race_above(
                steps,
                opened(bar),
                count=most,
                rounds=rounds,
                noise=noise,
                grid=grid,
                source=source,
            )
            return list(runners), [runner.place for runner in runners]

        check_exact(noise, once=rounds == 1)
        return self._best(scores, once if rounds == 1 else again, most)

    def passes(self, score: int, noise: Noise, grid: Fraction, bar: Hidden | int) -> bool:
        """Tell whether one score plus noise reaches the bar."""
        one = Batch(np.array([score], dtype=np.object_), None)
        return bool(self.passing([one], noise, grid, bar, most=1))

    def highest(
        self,
        scores: Scores,
        noise: Noise,
        grid: Fraction,
        bar: Hidden | int | None,
        *,
        most: int,
        values: bool = False,
    ) -> Positives:
        """Return those with the highest values, equal ones by lot."""
        fine = fineness(noise, grid)

        def ranked(steps: Steps) -> Passed:
            best = highest(
                steps,
                None if bar is None else opened(bar),
                count=most,
                noise=noise,
                grid=grid,
                source=self._source,
                public_bar=not isinstance(bar, Hidden),
            )
            return list(best), [one.place for one in best]

        check_ranked(noise)
        return self._best(scores, ranked, most, fine if values else 0)

    def choose(self, counts: Any, chances: Sequence[int], bits: int) -> list[int]:
        """Return the places that come out, by the chance of each count."""
        FORKS.check(self._forks)
        found = by_count(np.array(counts, np.int64), chances, bits, source=self._source)
        return np.flatnonzero(found).tolist()

    def lot(self, things: Sequence[Any], most: int) -> list[Any]:
        """Return so many of the things, each as likely as another, in their order."""
        FORKS.check(self._forks)
        left = list(range(len(things)))
        while len(left) > most:
            left.pop(random_below(len(left), self._source))
        return [things[place] for place in left]

    def tell(self, number: Hidden | int) -> int:
        """Return a number that may be known."""
        FORKS.check(self._forks)
        return opened(number)

    def _best(
        self, batches: Scores, find: Callable[[Steps], Passed], most: int, fine: int = 0
    ) -> Positives:
        """Return the first of all that are found, batch after batch."""
        if isinstance(batches, np.ndarray):
            batches = [Batch(batches, None)]
        best = Positives()
        before = 0
        for batch in batches:
            FORKS.check(self._forks)
            found = Positives.of(batch, before, *find(batch.steps), fine)
            best = best.first(most, found) if before else found
            before += len(batch.steps)
        FORKS.check(self._forks)
        return best


class Undrawn:
    """Looks at the noises that a mechanism would draw, and draws none."""

    def draw(self, noise: Noise | None, _: Fraction) -> int:
        """Refuse what no threshold can have."""
        if noise is not None:
            check_threshold(noise)
        return 0

    def draws(self, noise: Noise, _: Fraction, count: int) -> Sequence[int]:
        """Refuse what no count can have."""
        check_symmetric(noise)
        return [0] * count

    def passing(self, *how: Any, rounds: int | None = 1, **_: Any) -> Sequence[Any]:
        """Refuse what cannot be compared exactly."""
        check_exact(how[1], once=rounds == 1)
        return ()

    def passes(self, *how: Any) -> bool:
        """Refuse what cannot be compared exactly."""
        check_exact(how[1], once=True)
        return False

    def highest(self, *how: Any, **_: Any) -> Sequence[Any]:
        """Refuse what cannot be ranked exactly."""
        check_ranked(how[1])
        return ()

    def choose(self, *_: Any) -> Sequence[int]:
        """Whole odds can always be drawn."""
        return ()

    def lot(self, things: Sequence[Any], _: int) -> Sequence[Any]:
        """As can lots."""
        return things

    def tell(self, number: int) -> int:
        """Nothing was drawn."""
        return number


def check_drawable(plan: ScorePlan) -> None:
    """Refuse noises that cannot be drawn exactly; without drawing, so before anything is paid."""
    plan.run(Undrawn(), (), None if plan.bar is None else 0)


def check_threshold(noise: Noise) -> None:
    """Refuse noise that no threshold can have; also of a class that derives from one."""
    if type(noise) not in THRESHOLD_DRAWS:
        raise ParameterError(
            "threshold_noise must be exponential, laplace, gaussian or none to be drawn exactly, "
            f"got {noise!r}"
        )


def check_ranked(noise: Noise) -> None:
    """Refuse noise on values that cannot be drawn exactly."""
    if type(noise) is not Gaussian:
        check_exact(noise)
