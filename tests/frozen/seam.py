"""What the frozen suites ask of the house below its public names: this file, and nothing else.

Whoever replaces a room writes its answers here anew; the suites in front stay as they are. Leaks
and twins are put back by name (`broken`): a suite that does not notice one is no net.
"""

from __future__ import annotations

import functools
import json
import math
import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from fractions import Fraction
from typing import Any, NamedTuple
from unittest import mock

import numpy as np
from typer.testing import CliRunner, Result

from overbar.cli import app
from overbar.cli.tables import NamedColumns, Source, start_engine
from overbar.frames import key_search, narwhals_table, postgres_table, question_plan, scoring
from overbar.frames.catalogue import OUTSIDE
from overbar.frames.discretion import discreetly
from overbar.frames.measure import measure_of
from overbar.ledger.answers import StoredAnswer
from overbar.ledger.description import Description
from overbar.ledger.reservation import Stored
from overbar.ledger.rows import canonical, link
from overbar.mechanisms.key_values import STEPS
from overbar.planning.key_rounds import set_union
from overbar.runs.exact import Exact
from overbar.runs.hidden_bar import raise_bar
from overbar.runs.person_store import PersonStore
from overbar.runs.positives import Batch
from overbar.sampling.entropy import system
from overbar.sampling.race import race_above
from tests import leaks, twins
from tests.ledger.chaining import chained
from tests.ledger.places import FilePlace
from tests.reference.laws import Numbers
from tests.reference.sampling import seeded

# Tables, files, commands -------------------------------------------------------------------------

#: Lots are drawn by a secret key; with this one, a plain loop draws the same.
KEY = "0" * 32
ASKED = ("value", "score", "sensitivity", "groups", "groups_per_person", "catalogue")


@contextmanager
def _lots(key: str) -> Iterator[None]:
    with ExitStack() as stack:
        for module in (narwhals_table, postgres_table, key_search):
            stack.enter_context(mock.patch.object(module, "fresh_key", return_value=key))
        yield


def scores(table: Any, *, grid: Any = 1, key: str = KEY, **asked: Any) -> dict[Any, int]:
    """Return the score of each label before noise, in whole steps of the grid, sorted by label.

    Any engine's table, and the words of `frames.select`; of a list, what is on it.
    """
    told = {"item": "what", "person": "who", "items_per_person": None, **dict.fromkeys(ASKED)}
    what, listed = question_plan.measured(**told | asked)
    with _lots(key):
        found = scoring.scored(table, what, Fraction(grid), listed)
    with discreetly():
        inside = [True] * len(found.steps)
        if listed is not None:
            inside = (listed.places(found.items) != OUTSIDE).tolist()
        each = zip(found.items.to_list(), found.steps.tolist(), inside, strict=True)
        return {label: steps for label, steps, known in each if known}


class Weighed(NamedTuple):
    """Of a round of a search for keys: what they weigh, what is counted, what is allowed."""

    weights: dict[Any, int]
    #: Persons who keep each key that is out, and all other kept pairs.
    counts: list[int]
    #: What who keeps 1, 2, … keys may add to each of them.
    allowed: list[int]


def weighed(table: Any, *, most: int, by_bits: bool, out: Sequence[Any]) -> Weighed:
    """Return what the keys weigh that are not out, where everybody keeps so many."""
    union = set_union(1, "0.01", items_per_person=most, rounds=1, by_bits=by_bits)
    allowed = [math.isqrt(STEPS**2 // kept) for kept in range(1, most + 1)]
    for one in reversed(union.weights):
        allowed[: one.items] = [one.steps] * min(one.items, most)
    with discreetly(), _lots(KEY):
        pairs = scoring.pairs_of(table, measure_of(item="what", person="who"))
        found = key_search.weighed(pairs, union, out)
        each, rest = key_search.counted(pairs, most, out)
        weights = dict(zip(found.items.to_list(), found.steps.tolist(), strict=True))
    return Weighed(weights, [*each, rest], allowed)


@functools.cache
def _reader() -> Any:
    return start_engine("1GB", 1)  # one for all files: to start one takes longer than to ask it


@contextmanager
def opened(files: Any, *named: Any, others: Any = (), **reading: Any) -> Iterator[Any]:
    """Open files, or a table of a server, with item, person and value, as commands read them."""
    wanted = NamedColumns(*named, others=others)
    try:
        yield Source.of(list(files), **reading).opened(_reader(), wanted)[0]
    finally:
        for kept in ("kept_rows", "standard_input"):
            _reader().execute(f"drop table if exists {kept}")
        if _reader().execute("select current_setting('lock_configuration')").fetchall()[0][0]:
            _reader.cache_clear()  # it has opened a database, and opens nothing else any more


def file_rows(files: Any, *named: Any, **reading: Any) -> list[tuple[Any, ...]]:
    """Return the rows of files: labels as they are counted, values as numbers."""
    with opened(files, *named, **reading) as table:
        return list(table.fetchall())


def command(*words: object) -> Result:
    """Run the command line in this process; raise what it raises beside its end."""
    found = CliRunner().invoke(app, list(map(str, words)))
    if found.exception is not None and not isinstance(found.exception, SystemExit):
        raise found.exception
    return found


# Secrets and leaks -------------------------------------------------------------------------------


def drawn_from(seed: int) -> AbstractContextManager[object]:
    """While it lasts the system's random bytes are those of a seed."""
    return mock.patch.object(os, "urandom", seeded(seed))


def holders(plan: Any, values: Sequence[int]) -> list[Any]:
    """Return what holds secrets while a run is under way, and no user gets."""
    how: dict[str, Any] = {"noise": plan.query_noise, "grid": plan.grid, "count": 1}
    exact, batch = Exact(), Batch(np.array(values), None)
    hidden = exact.draw(plan.threshold_noise, plan.grid)
    found = exact.highest([batch], plan.query_noise, plan.grid, None, most=1)
    return [raise_bar(plan, system), hidden, *found, *race_above(np.array(values), 0, **how)]


def overheard(patch: Any, hear: Callable[[list[int]], None]) -> None:
    """Have somebody hear the scores of each release, where they are there."""
    leaks.overheard(patch, hear)


# Laws, ledgers, damage, monitors ------------------------------------------------------------------


def numbers(plan: Any) -> Numbers:
    """Return what is public of a plan and decides its law, in grid steps."""
    labels, bar, repeats = plan.labels, plan.labels.bar, plan.labels.repeats
    noise = None if bar is None else bar.noise
    return Numbers(
        finds="in turn" if labels.kind == "sparse-vector" else "highest",
        noise=labels.query_noise.name,
        scale=float(labels.query_noise.scale / plan.grid),
        bar_noise=None if noise is None else noise.name,
        bar_scale=None if noise is None else float(noise.scale / plan.grid),
        lift=None if bar is None else int(bar.correction / plan.grid),
        cutoff=plan.cutoff,
        rounds=repeats.rounds,
        resample=repeats.resample,
        most=repeats.max_queries,
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
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as file:
            return int(file.execute("SELECT count(*) FROM alarms").fetchone()[0])
    except sqlite3.Error:
        return 0


def broken(patch: Any, what: str) -> None:
    """Break the house as in `tests/leaks.py` or `tests/twins.py`; a suite must notice."""
    (leaks.LEAKS | twins.TWINS)[what](patch)
