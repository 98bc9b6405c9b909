"""The address of a ledger, or of a table, in a database: who may see what of it.

The password is handed to the driver and to nobody else. It is in no name, message or repr, and the
frames that know it are left before an error is raised.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn
from urllib.parse import parse_qsl, quote, urlencode

from overbar.errors import (
    LedgerError,
    MissingExtraError,
    OverbarError,
    ParameterError,
    SecrecyError,
)

if TYPE_CHECKING:
    from psycopg import Connection, Error

#: How addresses begin.
SCHEMES = ("postgresql:", "postgres:")
#: The schema that holds the ledger, unless the address names another with `?schema=`.
SCHEMA = "overbar"
#: What of an address is shown.
READABLE = "postgresql://USER@HOST:5432/DATABASE"
#: What else of it is nobody's business.
SECRETS = ("password", "sslpassword", "oauth_client_secret", "scram_client_key", "scram_server_key")
#: Seconds to wait for a server, for another writer, and for a client that has stopped half-way.
PATIENCE = 60


def is_address(path: object) -> bool:
    """Return whether a ledger is meant that is kept by a server."""
    return isinstance(path, str | os.PathLike) and os.fsdecode(path).lower().startswith(SCHEMES)


class ServerAddress:
    """Where something is in a database, and how to get there."""

    #: What is there, which part of the database an address may name, and which one is meant if it
    #: does not.
    what: ClassVar[str]
    part: ClassVar[str]
    standard: ClassVar[str] = ""

    def __init__(self, text: object) -> None:
        self._parameters: dict[str, Any] = {}
        self.chosen = self.standard
        driver(self.what)
        parsed, text = _parsed(text, self.part), ""
        if parsed is None:
            raise ParameterError(
                f"the address of the {self.what} is not readable (it is not shown: it may have a "
                f"password in it); write {READABLE!r} as text, and %40 for @, %2F for / and %3F "
                "for ? within a password"
            )
        self._parameters, chosen = parsed
        self.chosen = self.chosen if chosen is None else chosen

    @property
    def name(self) -> str:
        """What it is called in messages: without the password."""
        user, host, port, base = (
            quote(str(self._parameters.get(name) or ""), safe="/,:[]")
            for name in ("user", "host", "port", "dbname")
        )
        name = f"postgresql://{user and user + '@'}{host}{port and ':' + port}/{base}"
        named = f"?{self.part}={quote(self.chosen)}"
        return name if self.chosen == self.standard else name + named

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"

    def _refuse(self, *_: object) -> NoReturn:
        raise SecrecyError(
            f"a {self.what} in a database is not pickled or copied: its address may have a "
            "password in it. Open it anew with its address"
        )

    __reduce__ = __reduce_ex__ = __getstate__ = __copy__ = __deepcopy__ = _refuse

    def trouble(self, what: str) -> OverbarError:
        """Return the error that names the place and what is wrong with it."""
        raise NotImplementedError

    def in_words(self, what: str) -> str:
        """Say what is wrong, without the password."""
        for secret in (str(self._parameters.get(name) or "") for name in SECRETS):
            for form in {secret, quote(secret), quote(secret, safe="")} - {""}:
                what = what.replace(form, "…")
        shown = " ".join("".join(one if one.isprintable() else " " for one in what).split())
        return f"the {self.what} {self.name!r} cannot be used: {shown}"

    def connect(self) -> Connection[Any]:
        """Return a new connection that is ready for use."""
        reached = self._reached()
        if isinstance(reached, str):
            raise self.trouble(reached)  # out here: no frame of the driver comes along
        return reached

    def _reached(self) -> Connection[Any] | str:
        psycopg = driver()
        try:
            connection: Connection[Any] = psycopg.connect(autocommit=True, **self._parameters)
        except psycopg.Error as error:
            return server_words(error)
        try:
            wrong = self._made_ready(connection)
        except psycopg.Error as error:
            wrong = server_words(error)
        if wrong:
            connection.close()
        return wrong or connection

    def _made_ready(self, connection: Connection[Any]) -> str:
        """Set what must be set for every transaction, or say what is wrong with the server."""
        raise NotImplementedError


class Address(ServerAddress):
    """Where a ledger is; commits of its connections are on the server's disk when they return."""

    what, part, standard = "ledger", "schema", SCHEMA

    @property
    def schema(self) -> str:
        """The schema that holds the ledger."""
        return self.chosen

    def trouble(self, what: str) -> LedgerError:
        """Return the error that names the ledger and what is wrong with it."""
        return LedgerError(self.in_words(what))

    def _made_ready(self, connection: Connection[Any]) -> str:
        # A server that does not force its log to the disk forgets what was spent.
        row = connection.execute(
            "SELECT current_setting('fsync'), set_config('search_path', 'pg_catalog', false), "
            "set_config('synchronous_commit', CASE current_setting('synchronous_commit') "
            "WHEN 'off' THEN 'on' ELSE current_setting('synchronous_commit') END, false), "
            f"set_config('lock_timeout', '{PATIENCE}s', false), "
            f"set_config('idle_in_transaction_session_timeout', '{PATIENCE}s', false)"
        ).fetchone()
        if row is None or row[0] != "on":
            return "its server runs with fsync off and may forget what was spent; switch it on"
        return ""


def driver(what: str = "ledger") -> Any:
    """Return the package that talks to the server."""
    try:
        import psycopg
    except ImportError:
        raise MissingExtraError(
            f"a {what} in PostgreSQL needs psycopg: pip install 'overbar[postgres]'"
        ) from None
    return psycopg


def server_words(error: Error) -> str:
    """Return what is wrong without the row it was wrong about, which `str` would show."""
    diagnosis: str | None = error.diag.message_primary
    if diagnosis is None:  # the server has said nothing: it is not there, or has gone away
        return str(error)
    if error.sqlstate == "42501":
        return f"{diagnosis}; your role may not do this: its owner grants it"
    if error.sqlstate == "55P03":
        return f"someone else has held its lock for {PATIENCE} seconds (see pg_locks); try again"
    return diagnosis


def _parsed(text: object, part: str) -> tuple[dict[str, Any], str | None] | None:
    """Return what the driver is to be told, and the part that is named; None if not clear."""
    psycopg = driver()
    if not isinstance(text, str) or "://" not in text or "\0" in text:
        return None
    place, _, query = text.partition("?")
    authority = place.partition("://")[2].partition("/")[0]
    # A raw @, / or ? in a password would make a part of it the host or the database.
    if text.count("@") != authority.count("@") or authority.count("@") > 1:
        return None
    options = dict(parse_qsl(query, keep_blank_values=True))
    chosen = options.pop(part, None)
    try:
        parameters = psycopg.conninfo.conninfo_to_dict(
            place + (f"?{urlencode(options, quote_via=quote)}" if options else "")
        )
    except psycopg.Error:
        return None
    if part == "schema" and re.fullmatch(r"[a-z_][a-z0-9_]{0,39}", chosen or SCHEMA) is None:
        return None
    if re.fullmatch("[0-9,]*", str(parameters.get("port") or "")) is None:
        return None  # "ann:password/base" makes the password a port
    standard = {"connect_timeout": PATIENCE, "application_name": "overbar"}
    return {**standard, **parameters, "client_encoding": "utf8"}, chosen
