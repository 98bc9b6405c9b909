"""One path through a run: what was asked, what came out, and how likely that is on both sides.

A pure loss is the loss of one transcript, and along one transcript it makes no difference whether
the queries were chosen adaptively. So the search for the largest loss looks at paths. A step that
is taken many times in a row counts with its power, which makes long runs cheap.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from overbar._numbers import exact_text, short_text
from overbar.audit.exact.comparison import comparisons
from overbar.audit.exact.law import Law
from overbar.audit.exact.profile import Profile
from overbar.audit.exact.threshold_points import DEEP, Array
from overbar.audit.exact.transcripts import bounds
from overbar.errors import ParameterError


@dataclass(frozen=True)
class Step:
    """A query with its score on both data sets and the answer it gets, some times in a row.

    Where the mechanism releases values, a positive step has the ``value`` in grid steps.
    """

    positive: bool
    score: Fraction
    neighbour: Fraction
    times: int = 1
    value: int | None = None

    def __str__(self) -> str:
        answer = "above" if self.positive else "below"
        said = answer if self.value is None else f"{answer} with value {self.value}"
        often = "" if self.times == 1 else f", {self.times} times"
        return f"{short_text(self.score)} | {short_text(self.neighbour)}: {said}{often}"


@dataclass(frozen=True)
class Path:
    """Steps in the order taken. It reads: score on one data set | on its neighbour: answer."""

    steps: tuple[Step, ...]

    def __str__(self) -> str:
        return "; ".join(map(str, self.steps))

    @property
    def positives(self) -> int:
        """How many answers are positive."""
        return sum(step.times for step in self.steps if step.positive)

    @property
    def comparisons(self) -> int:
        """How many answers there are."""
        return sum(step.times for step in self.steps)


def check_path(law: Law, path: Path) -> None:
    """Raise unless the path is one of this law's, between neighbours."""
    check_moves(law, [(step.score, step.neighbour) for step in path.steps])
    if law.cutoff is not None:
        last = path.steps[-1] if path.steps else None
        before = path.positives - (last.times if last is not None and last.positive else 0)
        if path.positives > law.cutoff or before >= law.cutoff:
            raise ParameterError(f"a run halts after {law.cutoff} positives, and this path goes on")
    if law.max_queries is not None and path.comparisons > law.max_queries:
        raise ParameterError(f"a run has at most {law.max_queries} comparisons, and this path more")


def check_moves(law: Law, moves: Sequence[tuple[Fraction, Fraction]]) -> None:
    """Raise unless one person can move all scores so."""
    changes = [other - one for one, other in moves]
    if any(abs(change) > law.sensitivity for change in changes):
        raise ParameterError(
            f"neighbouring scores must differ by at most {exact_text(law.sensitivity)}"
        )
    if law.monotonic and min(changes, default=0) < 0 < max(changes, default=0):
        raise ParameterError("scores of monotonic queries must all move in the same direction")
    if law.items is not None and sum(map(bool, changes)) > law.items:
        raise ParameterError(f"neighbouring scores must differ in {law.items} places at most")


def log_chance(law: Law, path: Path, *, neighbour: bool, depth: float = DEEP) -> Array:
    """Return the lower and upper log-probability that a run takes this path."""
    scores = [law.steps(s.neighbour if neighbour else s.score) for s in path.steps]
    asked = tuple(
        score for score, step in zip(scores, path.steps, strict=True) for _ in range(step.times)
    )
    run = comparisons(law, asked, depth)
    weights = run.start()
    for score, step in zip(scores, path.steps, strict=True):
        outcome = step.positive if step.value is None else step.value
        if not (step.positive and law.resample):
            weights = weights + step.times * run.answer(score, outcome)
            continue
        for _ in range(step.times):
            weights = run.redrawn(weights + run.answer(score, outcome))
    return weights


def path_profile(law: Law, path: Path, depth: float = DEEP) -> Profile:
    """Return what the event "this path was taken" alone gives away."""
    check_path(law, path)
    one, other = (
        {path: bounds(log_chance(law, path, neighbour=side, depth=depth))} for side in (False, True)
    )
    return Profile.between(one, other, certified=law.certified)
