"""A release: whoever runs a mechanism on the system's entropy, with laws that floats do not decide.

What is drawn is hidden, and so are scores and values of those who come out. Candidates come in
batches, of which one is held at a time, and the best so far. Scores may be handed out by code that
forks on the way: a child is refused.

Theory: :doc:`/theory/exact`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import numpy as np

from overbar.errors import ParameterError, SecrecyError
from overbar.mechanisms import Plan
from overbar.noise import Exponential, Gaussian, Laplace, Noise
from overbar.noise.grid_tails import check_symmetric
from overbar.runs.scores import Steps
from overbar.runs.secrecy import FORKS, Unshareable
from overbar.sampling.bernoulli import noise_table, positives_above
from overbar.sampling.coin import by_count
from overbar.sampling.enclosure import check_exact
from overbar.sampling.entropy import Source, random_below, random_words, system
from overbar.sampling.highest import Ranked, fineness, highest
from overbar.sampling.on_grid import OnGrid
from overbar.sampling.race import race_above
from overbar.sampling.runner import Runner
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


class Hidden(Unshareable):
    """A whole number that nobody is told. It can be added up and handed on, and nothing else.

    It lives in a closure and nowhere else: no attribute holds it, so no repr, pickle or traceback
    that walks attributes prints it by accident.
    """

    __slots__ = ("_opened",)

    _opened: Callable[[], int]

    def __init__(self, number: int) -> None:
        self._opened = lambda: number

    def __add__(self, other: Hidden | int) -> Hidden:
        return Hidden(opened(self) + opened(other))

    __radd__ = __add__

    def __sub__(self, other: Hidden | int) -> Hidden:
        return Hidden(opened(self) - opened(other))

    def __repr__(self) -> str:
        return "a hidden number"

    def _kept(self, *_: object) -> NoReturn:
        raise SecrecyError("a hidden number cannot be compared, converted or told")

    __eq__ = __lt__ = __le__ = __gt__ = __ge__ = __bool__ = __int__ = __index__ = _kept
    __float__ = __hash__ = __format__ = _kept


def opened(number: Hidden | int) -> int:
    """Return the number itself, for a draw or a comparison."""
    return number._opened() if isinstance(number, Hidden) else number


class Batch(NamedTuple):
    """Some of the candidates, as grid steps."""

    steps: Steps
    labels: Sequence[Hashable] | None


#: Candidates: in batches, or all without labels.
Scores = Iterable[Batch] | Steps
#: What those who come out sort by: when they were found, or how high their values are.
Key = Runner | Ranked | int


class Positive(NamedTuple):
    """A candidate that came out. They sort by when that was."""

    when: Key
    candidate: int
    label: Hashable
    score: Hidden
    value: Hidden | None = None

    def __repr__(self) -> str:
        return f"Positive at {self.candidate}"

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise SecrecyError("a positive holds a secret score: it cannot be pickled or copied")


#: Who came out of a batch: when, the place in it, and a value where one may be told.
Passed = Iterable[tuple[Key, int, Hidden | None]]


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
    ) -> list[Positive]:
        """Return who passes first: of those asked once by lot, else by a race."""
        source = self._source

        def once(steps: Steps) -> Passed:
            """The order of the few that pass is all that matters."""
            table = noise_table(noise, grid, floored=not on_grid)
            places = positives_above(steps, opened(bar), table, source)
            keys = random_words(len(places), 64, source)
            first = np.argsort(keys, kind="stable")[:most]
            return ((keys.item(one), places.item(one), None) for one in first)

        def again(steps: Steps) -> Passed:
            """Places decide between those of one round."""
            runners = race_above(
                steps,
                opened(bar),
                count=most,
                rounds=rounds,
                noise=noise,
                grid=grid,
                source=source,
            )
            return ((runner, runner.place, None) for runner in runners)

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
    ) -> list[Positive]:
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
            return ((one, one.place, Hidden(one.value // fine) if values else None) for one in best)

        check_ranked(noise)
        return self._best(scores, ranked, most)

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

    def _best(self, batches: Scores, find: Callable[[Steps], Passed], most: int) -> list[Positive]:
        """Return the first of all that are found, batch after batch."""
        if isinstance(batches, np.ndarray):
            batches = [Batch(batches, None)]
        best: list[Positive] = []
        before = 0
        for steps, labels in batches:
            FORKS.check(self._forks)
            best += (
                Positive(
                    when,
                    before + place,
                    before + place if labels is None else labels[place],
                    Hidden(int(steps[place])),
                    value,
                )
                for when, place, value in find(steps)
            )
            best = sorted(best)[:most]
            before += len(steps)
        FORKS.check(self._forks)
        return best


class Undrawn:
    """Looks at the noises that a mechanism would draw, and draws none."""

    def draw(self, noise: Noise | None, _: Fraction) -> int:
        """Refuse what no threshold can have."""
        if noise is not None:
            check_threshold(noise)
        return 0

    def draws(self, noise: Noise, _: Fraction, __: int) -> tuple[int, ...]:
        """Refuse what no count can have."""
        check_symmetric(noise)
        return ()

    def passing(self, *how: Any, rounds: int | None = 1, **_: Any) -> tuple[Any, ...]:
        """Refuse what cannot be compared exactly."""
        check_exact(how[1], once=rounds == 1)
        return ()

    def highest(self, *how: Any, **_: Any) -> tuple[Any, ...]:
        """Refuse what cannot be ranked exactly."""
        check_ranked(how[1])
        return ()


def check_drawable(plan: Plan) -> None:
    """Refuse noises that cannot be drawn exactly; without drawing, so before anything is paid."""
    plan.run(Undrawn(), (), None if plan.bar is None else 0)  # type: ignore[arg-type]


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
