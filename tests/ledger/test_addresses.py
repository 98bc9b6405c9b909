"""The address of a ledger in a database: a password in it is shown to nobody."""

import contextlib
import pickle
import traceback
from pathlib import Path

import pytest

import overbar
from overbar import LedgerError
from overbar.ledger import address, postgres

SECRET = "hunter2/@?x"
WRITTEN = "hunter2%2F%40%3Fx"
#: Where our own code lies: not the tests, whatever their folder is called.
OWN = str(Path(overbar.__file__).parent)


def shown_by(error):
    """All that anyone can see of an error: its text, and the variables of every frame of ours."""
    found = [*traceback.format_exception(error)]
    while error is not None:
        for frame, _ in traceback.walk_tb(error.__traceback__):
            if frame.f_code.co_filename.startswith(OWN) or "psycopg" in frame.f_code.co_filename:
                for value in frame.f_locals.values():
                    with contextlib.suppress(AttributeError):  # a ledger that is not there yet
                        found.append(repr(value))
        error = error.__context__
    return "\n".join(found)


def test_a_password_is_not_shown(server, monkeypatch):
    base = server.plain.replace("postgres:@", f"postgres:{WRITTEN}@")
    ledger = overbar.Ledger(f"{base}&schema=secretive")
    assert "postgres@" in repr(ledger)
    shown = [repr(ledger), ledger.name, repr(ledger._store._address), repr(ledger.booking("data"))]
    refused = []
    for where in (
        f"postgresql://ann:{WRITTEN}@127.0.0.1:1/none",  # nobody is there
        f"postgresql://ann:{SECRET}@127.0.0.1:1/none",  # written as it must not be
        f"postgresql://ann:{WRITTEN}@127.0.0.1:hunter2/none",
        "postgresql://ann:hunter2/none",  # the host was forgotten
        f"postgresql://ann:{WRITTEN}@127.0.0.1:1/none?hunter2=1",
        f"postgres:/ann:{WRITTEN}@127.0.0.1/none",
        f"{base}&schema=hunter2-",
    ):
        with pytest.raises((LedgerError, overbar.ParameterError)) as caught:
            overbar.Ledger(where)
        del where
        refused.append(caught.value)
    with pytest.raises(overbar.SecrecyError, match="password") as caught:
        pickle.dumps(ledger)
    monkeypatch.setattr(postgres, "FORCE", f"SELECT '{SECRET}'::int")  # the server repeats it
    with pytest.raises(LedgerError, match="cannot be used") as repeated:
        ledger.open("data", epsilon=1)
    for text in [*shown, *map(shown_by, refused), shown_by(caught.value), str(repeated.value)]:
        assert "hunter2" not in text


def test_a_misspelt_keyword_shows_no_address():
    with pytest.raises(TypeError, match="did you mean 'path'") as caught:
        overbar.Ledger(pathh=f"postgresql://ann:{WRITTEN}@127.0.0.1:1/none")
    assert "hunter2" not in shown_by(caught.value)


def test_an_address_must_be_readable():
    for where in ("postgresql:ann", "PostgreSQL:/ann@host/base", "postgresql://a@b@c/base"):
        assert address.is_address(where)
        with pytest.raises(overbar.ParameterError, match="write 'postgresql://USER@HOST:5432"):
            overbar.Ledger(where)
    assert not address.is_address("postgresql.db")
    assert not address.is_address(7)


def test_without_the_driver_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "psycopg", None)
    with pytest.raises(overbar.MissingExtraError, match=r"pip install 'overbar\[postgres\]'"):
        overbar.Ledger("postgresql://ann@host/base")


@pytest.mark.parametrize("name", ["password", "sslpassword"])
def test_no_secret_of_an_address_is_in_a_message(name):
    where = address.Address(f"postgresql://ann@here/base?{name}={WRITTEN}")
    message = str(where.trouble(f"what the server says: {SECRET} and {WRITTEN}"))
    assert "hunter2" not in message + repr(where)
