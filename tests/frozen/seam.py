"""The one file through which the frozen suites ask the house; behind it everything may change."""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from types import SimpleNamespace
from typing import Any, NamedTuple
from unittest import mock

import overbar
from overbar.accounting import spent
from overbar.ledger import postgres, row_events, store
from overbar.ledger.answers import StoredAnswer
from overbar.ledger.budget import Budget
from overbar.ledger.costs import Balance
from overbar.ledger.description import Description
from overbar.ledger.fields import from_fields
from overbar.ledger.reservation import Stored
from overbar.ledger.rows import Rows, canonical, link
from overbar.ledger.values import Standing
from overbar.mechanism import counting
from overbar.mechanism.person_store import PersonStore
from overbar.plans.key_plans import STEPS
from tests.ledger.chaining import chained
from tests.ledger.places import DatabasePlace, FilePlace
from tests.reference.laws import Numbers
from tests.reference.sampling import seeded

__all__ = ["DatabasePlace", "FilePlace"]

# Laws, ledgers, damage, monitors ------------------------------------------------------------------


def drawn_from(seed: int) -> contextlib.AbstractContextManager[object]:
    """While it lasts the system's random bytes are those of a seed."""
    return mock.patch.object(os, "urandom", seeded(seed))


def numbers(plan: Any) -> Numbers:
    """Return what is public of a plan and decides its law, in grid steps."""
    labels, bar = plan.labels, plan.labels.bar
    noise = None if bar is None else bar.noise
    repeats = getattr(labels, "repeats", None)
    return Numbers(
        finds=labels.finds,
        noise=labels.query_noise.name,
        scale=float(labels.query_noise.scale / plan.grid),
        bar_noise=None if noise is None else noise.name,
        bar_scale=None if noise is None else float(noise.scale / plan.grid),
        lift=None if bar is None else int(bar.correction / plan.grid),
        cutoff=plan.cutoff,
        rounds=1 if repeats is None else repeats.rounds,
        resample=repeats is not None and repeats.resample,
        most=None if repeats is None else repeats.max_queries,
        values=plan.gives_values,
    )


def key_rounds(plan: Any) -> list[tuple[float, float]]:
    """Return the scale of the noise and the bar of each round of a search for keys, in persons."""
    return [(float(one.sigma), one.bar / STEPS) for one in plan.rounds]


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


def cost(plan: Any, positives: int) -> Fraction:
    """Return the pure ε of a run that gave so many."""
    return spent(plan, positives)


class Held(NamedTuple):
    """What a ledger gave to a request: a row that pays for it, or an answer that was stored."""

    number: int
    labels: tuple[object, ...] | None
    held: Any = None


def reserve(
    ledger: Any, dataset: str, plan: Any, *, request: str | None = None, purpose: str = "",
    unlisted: Fraction = Fraction(0),
) -> Held:  # fmt: skip
    """Have a dataset hold what a batch at a threshold of 5 may cost."""
    asked = Description("batch", plan, Fraction(5), purpose=purpose, unlisted_delta=unlisted)
    given = ledger.reserve(dataset, asked, request_id=request)
    if isinstance(given, Stored):
        return Held(given.receipt.number, given.answer.given)
    return Held(given.receipt.number, None, given)


def settle(held: Held, positives: int, labels: Sequence[object] | None = None) -> None:
    """End a run; with labels these are stored as its answer, as far as they can be."""
    answer = None if labels is None else StoredAnswer.of(labels)
    held.held.settle(positives=positives, asked=True, answer=answer)


def rows(path: object) -> list[dict[str, Any]]:
    """Return the fields of all rows of a ledger in a file."""
    return [json.loads(content) for _, content, _ in FilePlace(path).rows()]


def forge(path: object, changes: Mapping[int, object]) -> None:
    """Put these fields or texts in place of some rows, and chain and link all of them anew."""
    told = dict(enumerate(rows(path))) | dict(changes)
    FilePlace(path).write(chained([told[index] for index in sorted(told)]))


def alter(path: object, number: int, fields: Mapping[str, Any]) -> None:
    """Change a row and its hash and nothing after it: what a page that was put back may hold."""
    place, text = FilePlace(path), canonical(fields)
    found = place.rows()
    found[number - 1] = (number, text, link(found[number - 2][2], text))
    place.write(found)


def counted(path: object) -> tuple[int, dict[str, int], list[str]]:
    """Return how many alarms the store of a monitor has, who has used up how much, and labels."""
    about, used, labels = PersonStore(path).take({})
    return int(about["alarms"]), used, labels


def written(path: object) -> int:
    """Return how many alarms with a label are in a store that somebody else may be writing."""
    try:
        with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as file:
            return int(file.execute("SELECT count(*) FROM alarms").fetchone()[0])
    except sqlite3.Error:
        return 0


def _written_late(*_: object) -> dict[str, Any]:
    write, late = PersonStore.write, list[Any]()

    def write_later(*alarm: Any) -> None:
        for one in late:
            write(*one)
        late[:] = [alarm]

    return {"write": write_later}


def _opened(path: object) -> dict[str, Any]:
    budget = from_fields(Budget, rows(path)[0]["budget"])

    def believed(row: Any) -> SimpleNamespace:
        balance = from_fields(Balance, row.fields["balance"])
        standing = Standing("data", budget, balance, is_closed=False)
        return SimpleNamespace(budget=budget, balance=balance, closed=False, standing=standing)

    return {"event_of": believed}


def _of_the_table(table: Any, number: int | None) -> Any:
    wanted = (store.LAST, ()) if number is None else (store.ONE, (number,))
    return table.connection.execute(*wanted).fetchone()


def _as_if_all_came_out(*_: object) -> dict[str, Any]:
    plain, value = counting.interval, counting.value_interval
    return {
        "interval": lambda n, g, y, *_, **__: plain(n, g, y),
        "value_interval": lambda n, s, g, y, *_, **__: value(n, s, g, y),
    }


#: What is broken in the house, and what of it is replaced by what.
BROKEN: dict[str, tuple[Any, Callable[[object], dict[str, Any]]]] = {
    "commits of the database are not forced": (postgres, lambda _: {"FORCE": "SELECT 1"}),
    "hits are written with the next question": (PersonStore, _written_late),
    "the index of rows has no say": (store.SqliteTable, lambda _: {"row": _of_the_table}),
    "a row is believed by its number": (
        Rows, lambda _: {"at": lambda found, pointer: next(found.backwards(pointer[0]))},
    ),
    "the opening row is believed": (row_events, _opened),
    "intervals as if nobody were selected": (counting, _as_if_all_came_out),
}  # fmt: skip


def broken(what: str, path: object = None) -> contextlib.AbstractContextManager[object]:
    """While it lasts the house is broken in this way, and a suite must notice."""
    where, parts = BROKEN[what]
    return mock.patch.multiple(where, **parts(path))
