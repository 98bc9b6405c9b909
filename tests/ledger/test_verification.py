"""Edited, deleted, swapped and restored rows are noticed."""

import contextlib
import json
import shutil
import sqlite3

import pytest

import overbar
from overbar import LedgerError
from overbar.ledger.rows import BEGINNING, canonical, link
from tests.ledger.hammer import PLAN, ask

EDITED = "DROP TRIGGER IF EXISTS never_edited; DROP TRIGGER IF EXISTS never_deleted;"


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """A ledger with a row of every kind, and with a field of every kind that is not empty."""
    path = tmp_path_factory.mktemp("written") / "ledger.db"
    ledger = overbar.Ledger(path)
    ledger.open("shared", epsilon=1, note="a note")
    ledger.open("other", epsilon=2, delta="1e-6")
    assert ask(ledger, "first") is not None
    overbar.SparseVector(PLAN, threshold=5, booking=ledger.booking("other", purpose="lost"))
    with overbar.SparseVector(PLAN, threshold=5, booking=ledger.booking("other")) as run:
        run.ask(10**9)
    ledger.close("shared")
    return path


@pytest.fixture
def path(written, tmp_path):
    return shutil.copy(written, tmp_path / "ledger.db")


def tamper(path, script):
    """Change the file behind the ledger's back, triggers put aside and put back."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA synchronous = OFF")
        triggers = "SELECT sql FROM sqlite_master WHERE type = 'trigger'"
        kept = [text for (text,) in connection.execute(triggers)]
        connection.executescript(EDITED)
        script(connection)
        for text in kept:
            connection.execute(text)
        connection.commit()


def rewrite(number, **columns):
    """Put other values into a row."""

    def script(connection):
        for name, value in columns.items():
            connection.execute(f"UPDATE events SET {name} = ? WHERE number = ?", (value, number))

    return script


def insert(connection, *row):
    connection.execute("INSERT INTO events (number, content, hash) VALUES (?, ?, ?)", row)


def rows_of(path):
    connection = sqlite3.connect(path)
    found = connection.execute(
        "SELECT number, content, hash FROM events ORDER BY number"
    ).fetchall()
    connection.close()
    return found


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


def test_an_untouched_ledger_is_intact(path):
    ledger = overbar.Ledger(path)
    assert ledger.verify() == ledger.head == rows_of(path)[-1][2]
    for _, _, hash_ in rows_of(path):
        assert ledger.verify(head=hash_) == ledger.head
    assert ledger.verify(head=BEGINNING) == ledger.head


def test_every_edit_of_every_field_is_noticed(path):
    whole = path.read_bytes()
    tried = 0
    for number, content, hash_ in rows_of(path):
        edits = [edit(content, way) for way in leaves(json.loads(content))]
        assert len(edits) > 8
        for text in edits:
            tamper(path, rewrite(number, content=text))
            with pytest.raises(LedgerError, match="was edited"):
                overbar.Ledger(path).verify()
            path.write_bytes(whole)
            tried += 1
        tamper(path, rewrite(number, hash=("0" if hash_[0] != "0" else "1") + hash_[1:]))
        with pytest.raises(LedgerError, match="was edited"):
            overbar.Ledger(path).verify()
        path.write_bytes(whole)
    assert tried > 100
    overbar.Ledger(path).verify()


def test_edits_with_hashes_recomputed_break_a_rule_or_lose_the_head(path):
    """Someone who carries the chain on: most edits break a rule, and all of them lose the head."""
    whole, head = path.read_bytes(), overbar.Ledger(path).head
    rows = rows_of(path)
    unnoticed = set()
    for index, (_, content, _) in enumerate(rows):
        for way in leaves(json.loads(content)):
            texts = [edit(content, way), *[text for _, text, _ in rows[index + 1 :]]]

            def forge(connection, index=index, texts=texts):
                previous = BEGINNING if index == 0 else rows[index - 1][2]
                for number, text in enumerate(texts, index + 1):
                    previous = link(previous, text)
                    rewrite(number, content=text, hash=previous)(connection)

            try:
                tamper(path, forge)
            except sqlite3.IntegrityError:  # a second settlement of one run
                path.write_bytes(whole)
                continue
            ledger = overbar.Ledger(path)
            with pytest.raises(LedgerError):
                ledger.verify(head)
            with contextlib.suppress(LedgerError):
                ledger.verify()
                unnoticed.add(way[0])
            path.write_bytes(whole)
    # What no other row depends on; the head alone tells. Costs, charges and balances are not here.
    free = "time note description budget form unfinished answer request"
    assert unnoticed <= set(free.split())


@pytest.mark.parametrize("number", range(1, 8))
def test_a_deleted_row_is_noticed(path, number):
    ledger = overbar.Ledger(path)
    head, last = ledger.head, len(rows_of(path))
    tamper(path, lambda c: c.execute("DELETE FROM events WHERE number = ?", (number,)))
    with pytest.raises(LedgerError):
        ledger.verify(head)
    if number < last:  # the last row leaves no gap: only the head kept elsewhere tells
        with pytest.raises(LedgerError, match=rf"row {number} is missing|row {number + 1} was"):
            ledger.verify()


def test_swapped_and_inserted_rows_are_noticed(path):
    whole = path.read_bytes()
    rows = rows_of(path)
    ledger = overbar.Ledger(path)

    def swap(connection):
        (a, text_a, hash_a), (b, text_b, hash_b) = rows[2:4]
        connection.execute("DELETE FROM events WHERE number IN (?, ?)", (a, b))
        connection.execute(
            "INSERT INTO events (number, content, hash) VALUES (?, ?, ?)", (a, text_b, hash_b)
        )
        connection.execute(
            "INSERT INTO events (number, content, hash) VALUES (?, ?, ?)", (b, text_a, hash_a)
        )

    tamper(path, swap)
    with pytest.raises(LedgerError):
        ledger.verify()
    path.write_bytes(whole)
    number, content, _ = rows[-1]
    again = canonical(json.loads(content) | {"number": number + 1})
    tamper(
        path,
        lambda c: insert(c, number + 1, again, "0" * 64),
    )
    with pytest.raises(LedgerError, match="was edited"):
        ledger.verify()


def forged(path, *fields):
    """Append rows with right hashes, as someone would who knows how."""

    def script(connection):
        number, _, previous = rows_of(path)[-1]
        for one in fields:
            number += 1
            text = canonical(one | {"number": number})
            previous = link(previous, text)
            insert(connection, number, text, previous)

    tamper(path, script)


def test_rows_that_break_a_rule_are_noticed_whatever_their_hash(path):
    whole = path.read_bytes()
    contents = [json.loads(content) for _, content, _ in rows_of(path)]
    opened, reserved, settled = contents[0], contents[4], contents[6]
    assert (opened["kind"], reserved["kind"], settled["kind"]) == ("opened", "reserved", "settled")
    for fields, message in [
        (opened, "opened before"),
        (contents[2], "the dataset was closed"),
        (reserved, "its balance is wrong"),
        (settled, "UNIQUE"),
        (settled | {"run": 99}, "does not follow"),
        (settled | {"kind": "gift", "run": 98}, "unknown kind"),
        (opened | {"dataset": "third", "balance": settled["balance"]}, "its balance is wrong"),
        (opened | {"dataset": "third", "closed": True}, "whether the dataset is closed"),
    ]:
        try:
            forged(path, fields)
        except sqlite3.IntegrityError:
            assert "UNIQUE" in message
            path.write_bytes(whole)
            continue
        with pytest.raises(LedgerError, match=message):
            overbar.Ledger(path).verify()
        path.write_bytes(whole)


def test_a_budget_that_was_overspent_is_noticed(path):
    """A forged reservation with a right hash and a right sum, only over the budget."""
    *_, last = [json.loads(content) for _, content, _ in rows_of(path) if '"other"' in content]
    reserved = next(
        json.loads(content) for _, content, _ in rows_of(path)
        if '"kind":"reserved"' in content and '"dataset":"other"' in content
    )  # fmt: skip
    huge = {"pure": "100", "renyi": ["100"] * len(reserved["charge"]["renyi"]), "delta": "0"}
    balance = overbar.ledger.Balance.from_fields(last["balance"])
    after = balance.reserve(overbar.ledger.Charge.from_fields(huge))
    forged(path, reserved | {"charge": huge, "balance": after.to_fields()})
    with pytest.raises(LedgerError, match="over the budget"):
        overbar.Ledger(path).verify()


def test_an_old_copy_is_noticed_with_a_head_kept_elsewhere(path, tmp_path):
    ledger = overbar.Ledger(path)
    copy = shutil.copy(path, tmp_path / "backup.db")
    early = ledger.head
    overbar.SparseVector(PLAN, threshold=5, booking=ledger.booking("other")).close()
    late = ledger.head
    assert ledger.verify(head=early) == late
    shutil.copy(copy, path)
    restored = overbar.Ledger(path)
    assert restored.verify() == early
    with pytest.raises(LedgerError, match="an older copy was put back"):
        restored.verify(head=late)


def test_changed_tables_are_noticed(path):
    connection = sqlite3.connect(path)
    connection.execute("DROP TRIGGER never_edited")
    connection.close()
    with pytest.raises(LedgerError, match="its tables were changed"):
        overbar.Ledger(path).verify()


def test_rows_are_neither_edited_nor_deleted_by_accident(path):
    connection = sqlite3.connect(path)
    with pytest.raises(sqlite3.IntegrityError, match="never edited"):
        connection.execute("UPDATE events SET content = '{}'")
    with pytest.raises(sqlite3.IntegrityError, match="never deleted"):
        connection.execute("DELETE FROM events")
    connection.close()


def test_an_edited_balance_is_noticed_before_anything_is_spent_on_it(path):
    """Spending trusts only rows whose hash fits, without going through the whole ledger."""
    number, content, _ = [row for row in rows_of(path) if '"other"' in row[1]][-1]
    fields = json.loads(content)
    fields["balance"]["held"]["pure"] = "0"
    tamper(
        path,
        lambda c: c.execute(
            "UPDATE events SET content = ? WHERE number = ?", (canonical(fields), number)
        ),
    )
    with pytest.raises(LedgerError, match="was edited"):
        overbar.SparseVector(PLAN, threshold=5, booking=overbar.Ledger(path).booking("other"))
    with pytest.raises(overbar.ParameterError, match="head must be text"):
        overbar.Ledger(path).verify(head=3)
