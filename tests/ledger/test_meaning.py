"""A table of forged edits, with right hashes and links: what has no meaning is refused.

Every field of every kind of row is taken out, gets values of other types and other forms, and has
fields put beside it. What passes is what an honest ledger could have written just as well.
"""

import copy
import json
import os
from fractions import Fraction
from itertools import islice

import pytest

import overbar
from overbar.errors import LedgerError
from overbar.ledger.answers import StoredAnswer
from overbar.ledger.description import Description
from overbar.ledger.rows import Rows
from overbar.ledger.verification import verify_rows
from tests.frozen.hammer import PLAN
from tests.ledger.chaining import chained
from tests.ledger.places import FilePlace
from tests.queue_plans import queue_plan

#: All of them take two minutes: ``OVERBAR_ALL_EDITS=1``.
EVERY = 1 if os.environ.get("OVERBAR_ALL_EDITS") else 41
TIME = "2031-01-31T12:00:00+00:00"
VALUES = (
    None, True, False, 0, 1, -1, 1.5, "", "x", "0", "1", "2/4", "01", "-1", "-0", "1e3", [], {},
    [None], ["1"], [1], "person", "row", "curves", TIME, "2031-01-31", "now", "\x1b[2J",
)  # fmt: skip


class Listed:
    """A table of rows in memory, as a store has it."""

    def __init__(self, rows):
        self.rows = rows

    def trouble(self, what):
        return LedgerError(what)

    def sound(self):
        """Nothing is below these rows."""

    def oldest_first(self):
        return iter(self.rows)


@pytest.fixture(scope="module")
def contents(tmp_path_factory):
    """Rows of every kind: runs with and without an id, lost ones, others, in ρ, a closing."""
    place = FilePlace(tmp_path_factory.mktemp("meaning") / "ledger.db")
    ledger = place.ledger()
    ledger.open("pure", epsilon=1, note="a note")
    ledger.open("both", epsilon=2, delta="1e-6", neighbours="row")
    scores = {"tea": 10**9, "rum": -(10**9)}
    asked = Description("batch", PLAN, Fraction(5), purpose="a list")
    ledger.reserve("pure", asked, request_id="monday")  # lost
    held = ledger.reserve("pure", asked, request_id="monday")
    held.settle(positives=1, asked=True, answer=StoredAnswer.of(["tea"], [0]))
    overbar.top(scores, cutoff=1, epsilon="1/9", counts=True, booking=ledger.booking(
        "both", request_id="counts", neighbours="row"
    ))  # fmt: skip
    ledger.booking("both").spend(renyi={8: "0.01", 64: "0.05"}, neighbours="row")
    with overbar.SparseVector(PLAN, threshold=5, booking=ledger.booking("pure")) as run:
        run.ask(10**9)
    ledger.open("races", epsilon=1, delta="1e-6", neighbours="row")
    race = queue_plan(epsilon="0.1", delta="1e-8", cutoff=9, noise="gumbel", candidates=100)
    booking = ledger.booking("races", neighbours="row")
    with overbar.SparseVector(race, threshold=5, booking=booking) as run:
        run.ask(10**9)
    ledger.close("pure")
    return [json.loads(text) for _, text, _ in place.rows()]


def verified(contents, own_links=()):
    """Return whether a ledger of these rows passes."""
    try:
        verify_rows(Rows(Listed(chained(contents, own_links=own_links))), None)
    except LedgerError:
        return False
    return True


def places(fields, before=()):
    """Every place in nested fields: values, and the lists and fields that hold them."""
    items = enumerate(fields) if isinstance(fields, list) else fields.items()
    for name, value in list(items):
        if before[:1] != ("links",) or isinstance(fields, dict):
            yield (*before, name)
        if isinstance(value, dict | list):
            yield from places(value, (*before, name))


def edits(fields):
    """Every edit of a row: where, what is there then, and the row with it."""
    yield ("unknown",), 1, fields | {"unknown": 1}
    for way in places(fields):
        for value in (*VALUES, ...):
            edited, holder = held(fields, way[:-1])
            if json.dumps(holder[way[-1]]) == json.dumps(0 if value is ... else value):
                continue
            if value is not ...:
                holder[way[-1]] = value
            elif isinstance(holder, dict):
                del holder[way[-1]]
            else:
                holder.append(holder[-1])
            yield way, value, edited
        edited, holder = held(fields, way)
        if isinstance(holder, dict):
            holder["unknown"] = 1
            yield (*way, "unknown"), 1, edited


def held(fields, way):
    """Return a copy of a row, and what is at the end of a way in it."""
    copied = holder = copy.deepcopy(fields)
    for name in way:
        holder = holder[name]
    return copied, holder


def means_something(way, value, fields):
    """Whether an honest ledger could have written this just as well."""
    if way == ("time",):
        return value == TIME
    if way in (("note",), ("description", "purpose")):
        return isinstance(value, str) and value.isprintable()
    if way == ("description", "threshold"):
        return value in (None, "0", "1", "-1")
    if way == ("description", "question"):
        return value == ""
    if way == ("answer", "labels"):
        return value == ["1"]
    if way[:2] == ("answer", "labels"):
        return isinstance(value, str)
    if way == ("answer", "indices"):
        return value in (None, [1])
    if way == ("answer", "counts", 0, 1):  # the lower end, which may be missing
        return value in (None, "0", "1", "-1")
    if way[:2] == ("answer", "indices"):
        return type(value) is int and value >= 0
    # A row may have been charged more than its plan costs.
    return way[:3] in (("description", "plan", "renyi"), ("description", "unlisted_delta"))


def test_every_edit_without_a_meaning_is_refused(contents):
    assert verified(contents)
    tried, passed, wrong = 0, 0, []
    kinds = set()
    for index, fields in enumerate(contents):
        shape = (fields["kind"], fields.get("request"), str(fields.get("description"))[:30])
        shape += (fields["dataset"] == "races",)
        if shape in kinds:
            continue
        kinds.add(shape)
        for way, value, edited in islice(edits(fields), index % EVERY, None, EVERY):
            tried += 1
            own = {index} if way[0] == "links" else ()
            if verified([*contents[:index], edited, *contents[index + 1 :]], own):
                passed += 1
                if not means_something(way, value, edited):
                    wrong.append((fields["kind"], way, value))
    assert wrong == []
    assert tried > 5_000 / EVERY
    assert 0 < passed < tried / 10
