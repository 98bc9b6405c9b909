"""The one file through which the frozen suites ask the house; behind it everything may change."""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple
from unittest import mock

from overbar.ledger.answers import StoredAnswer
from overbar.ledger.description import Description
from overbar.ledger.reservation import Stored
from overbar.ledger.rows import canonical, link
from overbar.mechanism.person_store import PersonStore
from overbar.plans.key_plans import STEPS
from tests import twins
from tests.ledger.chaining import chained
from tests.ledger.places import FilePlace
from tests.reference.laws import Numbers
from tests.reference.sampling import seeded

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


#: What the file of a ledger calls its rows, the index of their numbers, and that of settlements.
TABLE, BY_NUMBER, SETTLED_ONCE = "events", "by_number", "settled_once"


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


def broken(patch: Any, what: str) -> None:
    """Break the house as one of those in `tests/twins.py` is broken; a suite must notice."""
    twins.TWINS[what](patch)
