"""Many releases of one plan, by the public doors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import overbar


def draws(plan: Any, scores: Sequence[int], threshold: int, runs: int, how: str = "at once") -> Any:
    """Return what so many releases give: places as they were found, with values if there are some.

    The threshold stands among the scores, without the correction.
    """
    return [WAYS[how](plan, list(scores), threshold) for _ in range(runs)]


def _at_once(plan: Any, scores: Any, threshold: int) -> object:
    on = {} if plan.for_top else {"threshold": threshold}
    found = (overbar.top if plan.for_top else overbar.select)(scores, plan=plan, **on)
    if found.counts is None:
        return found.indices
    values = (count.value for count in found.counts)
    return tuple(zip(found.indices, values, strict=True))


def _one_by_one(plan: Any, scores: Any, threshold: int) -> object:
    run, found = overbar.SparseVector(plan, threshold=threshold), []
    for place, score in enumerate(scores):
        if not run.halted and run.ask(score):
            found.append(place)
    return tuple(found)


def _many_at_once(plan: Any, scores: Any, threshold: int) -> object:
    answers = overbar.SparseVector(plan, threshold=threshold).ask_many(scores)
    return tuple(place for place, answer in enumerate(answers) if answer)


WAYS: dict[str, Callable[[Any, Any, int], object]] = {
    "at once": _at_once,
    "in pieces": lambda plan, told, level: _at_once(plan, iter([told[:2], told[2:]]), level),
    "one by one": _one_by_one,
    "many at once": _many_at_once,
}
