"""Edited, deleted, swapped and restored rows are noticed."""

import contextlib
import json

import pytest

import overbar
from overbar import LedgerError
from overbar.ledger.fields import from_fields, to_fields
from overbar.ledger.rows import BEGINNING, canonical
from tests.frozen.hammer import PLAN, ask
from tests.ledger.chaining import chained
from tests.ledger.places import FilePlace

pytestmark = pytest.mark.one_in(3)


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """Rows of every kind, with a field of every kind that is not empty."""
    place = FilePlace(tmp_path_factory.mktemp("written") / "ledger.db")
    ledger = place.ledger()
    ledger.open("shared", epsilon=1, note="a note")
    ledger.open("other", epsilon=2, delta="1e-6")
    assert ask(ledger, "first") is not None
    overbar.SparseVector(PLAN, threshold=5, booking=ledger.booking("other", purpose="lost"))
    with overbar.SparseVector(PLAN, threshold=5, booking=ledger.booking("other")) as run:
        run.ask(10**9)
    ledger.close("shared")
    ledger.booking("other", request_id="another", purpose="a mean").spend(
        epsilon="1/8", delta="1e-9", neighbours="person"
    )
    return place.rows()


@pytest.fixture
def kept(place, written):
    """A place with these rows in it."""
    place.ledger()
    place.write(written)
    return place


def with_row(rows, number, content=None, hash_=None):
    """Return rows with other values in one of them."""
    changed = list(rows)
    _, before, previous = changed[number - 1]
    changed[number - 1] = (number, content or before, hash_ or previous)
    return changed


def leaves(fields, before=()):
    """Every value in nested fields, by the way that leads to it."""
    items = enumerate(fields) if isinstance(fields, list) else fields.items()
    for name, value in items:
        if isinstance(value, dict | list) and value:
            yield from leaves(value, (*before, name))
        else:
            yield (*before, name)


def changed(value):
    """Another value of the same kind."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if value is None or isinstance(value, list | dict):
        return "x"
    try:
        return str(int(value) + 1)
    except ValueError:
        return value + "0"


def edit(content, way):
    fields = json.loads(content)
    place = fields
    for name in way[:-1]:
        place = place[name]
    place[way[-1]] = changed(place[way[-1]])
    return canonical(fields)


def test_an_untouched_ledger_is_intact(kept, written):
    ledger = kept.ledger()
    assert ledger.verify() == ledger.head == written[-1][2]
    for _, _, hash_ in written:
        assert ledger.verify(head=hash_) == ledger.head
    assert ledger.verify(head=BEGINNING) == ledger.head


def test_every_edit_of_every_field_is_noticed(kept, written):
    tried = 0
    for number, content, hash_ in written:
        edits = [edit(content, way) for way in leaves(json.loads(content))]
        assert len(edits) > 8
        for text in edits:
            kept.write(with_row(written, number, text))
            with pytest.raises(LedgerError, match="was edited"):
                kept.ledger().verify()
            tried += 1
        kept.write(with_row(written, number, hash_=("1" if hash_[0] == "0" else "0") + hash_[1:]))
        with pytest.raises(LedgerError, match="was edited"):
            kept.ledger().verify()
    assert tried > 100
    kept.write(written)
    kept.ledger().verify()


def test_edits_with_hashes_recomputed_break_a_rule_or_lose_the_head(kept, written):
    """Someone who carries the chain on: most edits break a rule, and all of them lose the head."""
    head, unnoticed = kept.ledger().head, set()
    for index, (_, content, _) in enumerate(written):
        for way in leaves(json.loads(content)):
            forged = [json.loads(text) for _, text, _ in written]
            forged[index] = json.loads(edit(content, way))
            try:
                kept.write(chained(forged, own_links={index} if way[0] == "links" else ()))
            except kept.refused:  # a second settlement of one run
                continue
            ledger = kept.ledger()
            with pytest.raises(LedgerError):
                ledger.verify(head)
            with contextlib.suppress(LedgerError):
                ledger.verify()
                unnoticed.add(way[0])
    # What no other row depends on; the head alone tells. Costs, charges and balances are not here.
    free = "note description answer"
    assert unnoticed <= set(free.split())


def test_a_deleted_row_is_noticed(kept, written):
    ledger = kept.ledger()
    head = ledger.head
    for number in range(1, len(written) + 1):
        kept.write([row for row in written if row[0] != number])
        with pytest.raises(LedgerError):
            ledger.verify(head)
        if number < len(written):  # the last leaves no gap: only the head kept elsewhere tells
            with pytest.raises(LedgerError, match=rf"row {number} is missing|row {number + 1} was"):
                ledger.verify()


def test_swapped_and_inserted_rows_are_noticed(kept, written):
    ledger = kept.ledger()
    (_, text_a, hash_a), (_, text_b, hash_b) = written[2:4]
    kept.write([*written[:2], (3, text_b, hash_b), (4, text_a, hash_a), *written[4:]])
    with pytest.raises(LedgerError):
        ledger.verify()
    _, content, _ = next(row for row in written if '"kind":"closed"' in row[1])
    again = canonical(json.loads(content) | {"number": len(written) + 1})
    kept.write([*written, (len(written) + 1, again, "0" * 64)])
    with pytest.raises(LedgerError, match="was edited"):
        ledger.verify()


def append(place, rows, *fields):
    """Append rows with right hashes and links, as someone would who knows how."""
    told = [json.loads(text) for _, text, _ in rows]
    more = [one | {"number": number} for number, one in enumerate(fields, len(rows) + 1)]
    place.write(chained([*told, *more]))


def test_rows_that_break_a_rule_are_noticed_whatever_their_hash(kept, written):
    contents = [json.loads(content) for _, content, _ in written]
    opened, reserved, settled = contents[0], contents[4], contents[6]
    assert (opened["kind"], reserved["kind"], settled["kind"]) == ("opened", "reserved", "settled")
    booked = contents[-2] | {"request": "more", "balance": contents[-1]["balance"]}
    spent = opened["balance"] | {"settled": opened["balance"]["settled"] | {"pure": "1/9"}}
    dear = booked["description"]["plan"] | {"epsilon": "1", "delta": "0"}
    claim = booked["description"] | {"plan": dear}
    for fields, message in [
        (opened, "opened before"),
        (contents[2], "the dataset was closed"),
        (reserved, "its balance is wrong"),
        (settled, "UNIQUE"),
        (settled | {"run": 99}, "does not follow"),
        (settled | {"kind": "gift", "run": 98}, "'kind' of a row must be one of"),
        (opened | {"dataset": "third", "balance": spent}, "its balance is wrong"),
        (opened | {"dataset": "third", "closed": True}, "whether the dataset is closed"),
        (booked | {"description": claim}, "its charge is less than its plan costs"),
        (booked | {"form": "curves"}, "its charge is less than its plan costs"),
    ]:
        if message == "UNIQUE":
            with pytest.raises(kept.refused):
                append(kept, written, fields)
            continue
        append(kept, written, fields)
        with pytest.raises(LedgerError, match=message):
            kept.ledger().verify()


def test_a_budget_that_was_overspent_is_noticed(kept, written):
    """A forged reservation with a right hash and a right sum, only over the budget."""
    *_, last = [json.loads(content) for _, content, _ in written if '"other"' in content]
    reserved = next(
        json.loads(content) for _, content, _ in written
        if '"kind":"reserved"' in content and '"dataset":"other"' in content
    )  # fmt: skip
    huge = {"pure": "100", "renyi": ["100"] * len(reserved["charge"]["renyi"]), "delta": "0"}
    huge |= {"gaussian": "100"}
    balance = from_fields(overbar.ledger.costs.Balance, last["balance"])
    after = balance.reserve(from_fields(overbar.ledger.Charge, huge))
    append(kept, written, reserved | {"charge": huge, "balance": to_fields(after)})
    with pytest.raises(LedgerError, match="over the budget"):
        kept.ledger().verify()


def test_an_old_copy_is_noticed_with_a_head_kept_elsewhere(kept, written):
    ledger = kept.ledger()
    early = ledger.head
    overbar.SparseVector(PLAN, threshold=5, booking=ledger.booking("other")).close()
    late = ledger.head
    assert ledger.verify(head=early) == late
    kept.write(written)
    restored = kept.ledger()
    assert restored.verify() == early
    with pytest.raises(LedgerError, match="an older copy was put back"):
        restored.verify(head=late)


def test_changed_tables_are_noticed(kept):
    dropped = {"FilePlace": "DROP TRIGGER never_edited"}
    kept.sql(dropped.get(type(kept).__name__, "DROP TRIGGER never_edited ON events"))
    with pytest.raises(LedgerError, match="its tables were changed"):
        kept.ledger().verify()


def test_rows_are_neither_edited_nor_deleted_by_accident(kept):
    with pytest.raises(Exception, match="never edited"):
        kept.sql("UPDATE events SET content = '{}'")
    with pytest.raises(Exception, match=r"never.* deleted"):
        kept.sql("DELETE FROM events")


def test_an_edited_balance_is_noticed_before_anything_is_spent_on_it(kept, written):
    """Spending trusts only rows whose hash fits, without going through the whole ledger."""
    number, content, _ = [row for row in written if '"other"' in row[1]][-1]
    fields = json.loads(content)
    fields["balance"]["held"]["pure"] = "0"
    kept.write(with_row(written, number, canonical(fields)))
    with pytest.raises(LedgerError, match="was edited"):
        overbar.SparseVector(PLAN, threshold=5, booking=kept.ledger().booking("other"))
    with pytest.raises(overbar.ParameterError, match="head must be text"):
        kept.ledger().verify(head=3)
