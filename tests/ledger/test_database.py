"""A ledger in a database: who may do what, copies, and its server."""

import contextlib
import os
import re
import shutil
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import psycopg
import pytest

import overbar
from overbar import LedgerError
from overbar.ledger.description import Description
from tests.ledger.booked import plan
from tests.ledger.places import DatabasePlace, FilePlace

ASKED = Description("batch", plan(), Fraction(5))
needs_tools = pytest.mark.skipif(
    not (shutil.which("sqlite3") and shutil.which("psql")), reason="sqlite3 and psql are not here"
)


@pytest.fixture
def database(server):
    found = DatabasePlace(server)
    yield found
    found.close()


# Roles --------------------------------------------------------------------------------------------

WHO = ("reader", "spender", "keeper")
PAGE = Path(__file__).parents[2] / "docs/ledger.md"


def documented(kind, section):
    """The blocks of one kind in a section of the page about ledgers."""
    _, _, text = PAGE.read_text().partition(f"# {section}\n")
    text = re.split(r"^##", text, maxsplit=1, flags=re.MULTILINE)[0]
    return re.findall(rf"^```{kind}\n(.*?)\n```$", text, re.MULTILINE | re.DOTALL)


def of_schema(text, database):
    """What is written for a ledger in the usual schema, for one in another."""
    named = r"\boverbar(?=_|\.form|\.events)|(?<=SCHEMA )overbar\b"
    return re.sub(named, database.schema, text)


@pytest.fixture
def people(database):
    """A ledger with a dataset, and where it is for one person of each role."""
    ledger = database.ledger()
    ledger.open("data", epsilon=10)
    (grants,) = documented("sql", "A budget for a team: PostgreSQL")
    database.sql(*of_schema(grants, database).split(";"))
    for what in WHO:
        role = f"{database.schema}_{what}"
        database.sql(f"CREATE ROLE {role}_person LOGIN IN ROLE {role}")
    yield {
        what: database.server.address(database.schema, f"{database.schema}_{what}_person")
        for what in WHO
    }
    for what in WHO:
        name = f"{database.schema}_{what}"
        database.sql(f"DROP ROLE {name}_person", f"DROP OWNED BY {name}", f"DROP ROLE {name}")


def refused_by(where, statement):
    """What the database itself says to someone who does not ask the ledger."""
    plain, _, schema = where.rpartition("&schema=")
    with psycopg.connect(plain, autocommit=True) as connection:
        connection.execute(f"SET search_path = {schema}")
        with pytest.raises(psycopg.errors.InsufficientPrivilege) as caught:
            connection.execute(statement)
    return str(caught.value)


ADD = (
    "INSERT INTO events (number, content, hash, kind) "
    """VALUES (99, '{{"kind":"{0}"}}', '', '{0}')"""
)


def test_who_may_only_read_cannot_spend(people):
    ledger = overbar.Ledger(people["reader"])
    assert ledger.remaining("data") == 10
    assert ledger.verify() == ledger.head
    assert len(ledger.show("data").entries) == 0
    for verb in (
        lambda: ledger.reserve("data", ASKED),
        lambda: ledger.booking("data").spend(epsilon=1, neighbours="person"),
        lambda: ledger.close("data"),
        lambda: ledger.open("more", epsilon=1),
    ):
        with pytest.raises(LedgerError, match=r"permission denied for table events; your role"):
            verb()
    assert "permission denied" in refused_by(people["reader"], ADD.format("reserved"))
    assert ledger.remaining("data") == 10


def test_who_may_spend_cannot_open_edit_or_delete(people):
    ledger = overbar.Ledger(people["spender"])
    ledger.reserve("data", ASKED).settle(positives=1, asked=True)
    ledger.booking("data").spend(epsilon=1, neighbours="person")
    for verb in (lambda: ledger.open("more", epsilon=1), lambda: ledger.close("data")):
        with pytest.raises(LedgerError, match="row-level security"):
            verb()
    for statement in (
        "UPDATE events SET content = content",
        "DELETE FROM events",
        "TRUNCATE events",
        "ALTER TABLE events DISABLE TRIGGER ALL",
        "DROP TABLE events",
        "UPDATE form SET version = 4",
        "SET session_replication_role = replica",
        ADD.format("opened"),
        ADD.format("closed"),
    ):
        assert refused_by(people["spender"], statement)
    assert overbar.Ledger(people["reader"]).verify() == ledger.head


#: An opening that a spender calls a reservation; the old check looked for the words anywhere.
DISGUISED = (
    '{"description":{"kind":"reserved"},"kind":"opened"}',
    '{"kind":"reserved","kind":"opened"}',
    r'{"kind":"reserved","\u006bind":"opened"}',
    '{"note":"\\"kind\\":\\"reserved\\"","kind":"opened"}',
    r'{"kind":"reserved","k\u0069nd":"opened","x":"\\"}',
    r'{"kind":"reserved","x":"\\","\u006Bind":"opened"}',
    '{"text":"reserved"}',
    "no JSON",
)


@pytest.mark.parametrize("content", DISGUISED)
def test_an_opening_cannot_be_called_a_reservation(people, content):
    plain, _, schema = people["spender"].rpartition("&schema=")
    with psycopg.connect(plain, autocommit=True) as connection:
        wanted = (psycopg.errors.CheckViolation, psycopg.errors.InvalidTextRepresentation)
        with pytest.raises(wanted):
            connection.execute(
                f"INSERT INTO {schema}.events (number, content, hash, kind) "
                "VALUES (99, %s, '', 'reserved')",
                (content,),
            )


def test_a_schema_of_someone_else_is_refused(server):
    """Who owns a schema can drop what is in it."""
    schema = DatabasePlace(server).schema
    with psycopg.connect(server.plain, autocommit=True) as connection:
        connection.execute(f"CREATE ROLE {schema}_other")
        connection.execute(f"CREATE ROLE {schema}_ann LOGIN")
        connection.execute(f"CREATE SCHEMA {schema} AUTHORIZATION {schema}_other")
        connection.execute(f"GRANT ALL ON SCHEMA {schema} TO {schema}_ann")
        # IF NOT EXISTS asks for it even where the schema is there
        connection.execute(f"GRANT CREATE ON DATABASE postgres TO {schema}_ann")
    with pytest.raises(LedgerError, match="belongs to someone else"):
        overbar.Ledger(server.address(schema, f"{schema}_ann"))


def test_who_holds_the_lock_is_waited_for_once(database):
    """A wait is not begun anew on every connection that is kept."""
    ledger = database.ledger()
    ledger.open("data", epsilon=1)
    held = [ledger._store._address.connect() for _ in range(3)]
    for connection in held:
        connection.execute("SET lock_timeout = '50ms'")
    ledger._store._idle += [(os.getpid(), connection) for connection in held]
    with psycopg.connect(database.server.plain) as other:
        other.execute(ledger._store._lock)
        with pytest.raises(LedgerError, match="someone else has held its lock"):
            ledger.reserve("data", ASKED)
    assert len(ledger._store._idle) == 3
    ledger.reserve("data", ASKED)


def test_who_opens_and_closes_cannot_spend(people):
    ledger = overbar.Ledger(people["keeper"])
    ledger.open("more", epsilon=1)
    with pytest.raises(LedgerError, match="row-level security"):
        ledger.reserve("more", ASKED)
    ledger.close("more")
    assert "row-level security" in refused_by(people["keeper"], ADD.format("reserved"))
    for statement in ("UPDATE events SET content = content", "DELETE FROM events"):
        assert refused_by(people["keeper"], statement)


# Copies -------------------------------------------------------------------------------------------


@pytest.fixture
def written(ledger):
    ledger.reserve("pure", ASKED, request_id="r")
    ledger.reserve("both", ASKED).settle(positives=1, asked=True)
    ledger.booking("both", request_id="other").spend(
        epsilon="1/9", delta="1e-9", neighbours="person"
    )
    labels = ["\ud800", 'a,"b\n', "\\u0000", "tea"]
    overbar.top(dict.fromkeys(labels, 9), cutoff=3, epsilon="0.1", booking=ledger.booking("pure"))
    return ledger


def done(commands, database, folder, ledger):
    """Do what the page says, in this folder and with this database."""
    there, text = "postgresql://ann@db.example.org/budgets", of_schema(commands, database)
    for here, mine in (
        (" budgets.db", f" {ledger.name}"),
        (f"Ledger('{there}')", f"Ledger('{database.where}')"),
        (there, f"'{database.server.plain}'"),
        ("python -c", f"{sys.executable} -c"),
    ):
        text = text.replace(here, mine)
    subprocess.run(["bash", "-euo", "pipefail", "-c", text], cwd=folder, check=True)


@needs_tools
def test_a_file_is_copied_by_sqlite(written, database, tmp_path):
    copy_file, *_ = documented("text", "Copies")
    done(copy_file, database, tmp_path, written)
    copy = overbar.Ledger(tmp_path / "copy.db")
    assert copy.verify() == written.verify()
    assert copy.show("both") == written.show("both")


@needs_tools
def test_a_ledger_is_copied_into_a_database_and_back(written, database, tmp_path):
    _, into, back = documented("text", "Copies")
    done(into, database, tmp_path, written)
    done(back, database, tmp_path, written)
    there, again = overbar.Ledger(database.where), overbar.Ledger(tmp_path / "back.db")
    assert written.verify() == there.verify() == again.verify()
    assert FilePlace(written.name).rows() == database.rows() == FilePlace(again.name).rows()
    for name in ("pure", "both"):
        assert written.show(name) == there.show(name) == again.show(name)


@needs_tools
def test_a_copy_of_an_edited_ledger_is_noticed(written, database, tmp_path):
    place = FilePlace(written.name)
    number, content, hash_ = place.rows()[0]
    place.write([(number, content.replace("pure", "poor"), hash_), *place.rows()[1:]])
    _, into, _ = documented("text", "Copies")
    done(into, database, tmp_path, written)
    with pytest.raises(LedgerError, match="was edited"):
        overbar.Ledger(database.where).verify()


# The server ---------------------------------------------------------------------------------------


def test_a_ledger_is_not_made_by_the_way(database):
    with pytest.raises(LedgerError, match="there is no ledger 'postgresql:"):
        overbar.Ledger(database.where, create=False)
    database.ledger()
    assert overbar.Ledger(database.where, create=False).datasets() == ()


def test_a_ledger_comes_back_with_its_server(database):
    ledger = database.ledger()
    ledger.open("data", epsilon=1)
    held = ledger.reserve("data", ASKED)
    database.server.stop_at_once()
    with pytest.raises(LedgerError, match="cannot be used"):
        held.settle(positives=1, asked=True)
    database.server.start()
    assert ledger.show("data").entries[0].open
    held.settle(positives=1, asked=True)
    with pytest.raises(LedgerError, match="settled already"):
        held.settle(positives=1, asked=True)
    ledger.verify()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("UPDATE events SET run = 9 WHERE number = 1", "what stands beside row 1"),
        ("UPDATE events SET run = 7 WHERE number = 2", "what stands beside row 2"),
        ("ALTER TABLE events DISABLE TRIGGER never_edited", "its tables were changed"),
        ("CREATE RULE lost AS ON INSERT TO events DO INSTEAD NOTHING", "its tables were changed"),
        ("ALTER TABLE events SET UNLOGGED", "its tables were changed"),
        ("DROP INDEX settled_once", "its tables were changed"),
        ("UPDATE form SET version = 2", r"it has form \[\(2,\)\], and this overbar knows form 4"),
    ],
)
def test_what_a_superuser_changes_is_noticed(database, change, message):
    ledger = database.ledger()
    ledger.open("data", epsilon=1)
    ledger.reserve("data", ASKED)
    ledger.verify()
    database.sql("SET session_replication_role = replica", change)
    with pytest.raises(LedgerError, match=message):
        ledger.verify()


def test_a_row_that_is_not_written_is_noticed(database):
    ledger = database.ledger()
    ledger.open("data", epsilon=1)
    database.sql("CREATE RULE lost AS ON INSERT TO events DO INSTEAD NOTHING")
    with pytest.raises(LedgerError, match="a row was not written"):
        ledger.reserve("data", ASKED)


def test_a_server_that_may_forget_is_refused(server):
    def set_fsync(value):
        with psycopg.connect(server.plain, autocommit=True) as connection:
            connection.execute(f"ALTER SYSTEM SET fsync = {value}")
            connection.execute("SELECT pg_reload_conf()")
        for _ in range(200):
            with psycopg.connect(server.plain) as connection:
                if connection.execute("SHOW fsync").fetchone() == (value,):
                    return

    set_fsync("off")
    try:
        with pytest.raises(LedgerError, match="fsync off and may forget what was spent"):
            overbar.Ledger(server.address("forgetful"))
    finally:
        set_fsync("on")


def test_a_parents_connection_survives_its_child(database):
    ledger = database.ledger()
    ledger.open("data", epsilon=1)
    (kept,) = ledger._store._idle
    child = os.fork()
    if child == 0:
        with contextlib.suppress(BaseException):
            ledger.remaining("data")
            del ledger
            os._exit(0)
        os._exit(1)
    assert os.waitpid(child, 0)[1] == 0
    assert ledger.remaining("data") == 1
    assert ledger._store._idle == [kept]


def test_labels_that_json_of_the_database_would_refuse(database):
    """No error may depend on a label: half a letter, a zero, a backslash before a u."""
    ledger = database.ledger()
    ledger.open("data", epsilon=1)
    labels = ["\ud800", "a\0b", "\\u0000", "\\\\ud83d\ude00", "😀"]
    for number, label in enumerate(labels):
        scores = {label: 10**9}
        ask = {"threshold": 5, "cutoff": 1, "epsilon": "0.1"}
        booking = ledger.booking("data", request_id=f"{number} 😀")
        first = overbar.select(scores, **ask, booking=booking)
        assert overbar.select(scores, **ask, booking=booking).labels == first.labels == (label,)
    ledger.verify()


def test_a_booking_reads_by_the_index_whatever_the_statistics_say(database):
    """A plan that was made for few rows, and kept, would read all of them ever after."""
    ledger = database.ledger()
    names = [f"data {number}" for number in range(6)]
    for name in names:
        ledger.open(name, epsilon=10)
    database.sql("ALTER TABLE events SET (autovacuum_enabled = off)", "ANALYZE events")
    ((_, connection),) = ledger._store._idle  # one is kept, and with it its plans

    def scans():
        connection.execute("SELECT pg_stat_force_next_flush()")
        connection.commit()
        query = "SELECT seq_scan FROM pg_stat_all_tables WHERE relid = %s::regclass"
        return connection.execute(query, (f"{database.schema}.events",)).fetchone()

    before = scans()
    connection.commit()
    for number in range(4):
        for name in names:  # one that rested is found in several steps
            ledger.reserve(name, ASKED, request_id=f"{name} {number}")
    assert ledger._store._idle[0][1] is connection
    assert scans() == before
