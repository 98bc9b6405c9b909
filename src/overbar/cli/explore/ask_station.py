"""The ask station: a question to a table, by the command that is shown, in a process of its own.

So whatever the command line promises holds here: what it reads, refuses, books and never says. A
ledger has to pay, because its request ids are what keeps a second click from spending again. The id
is chosen before the first click and stands in the address. Tabs that spend the same request wait
for the same process, and a process goes on to its end if this one is killed: the ledger has its
answer, and the same request gets it again, at no cost.
"""

from __future__ import annotations

import asyncio
import os
import shlex
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from overbar import _check
from overbar.cli.exit import BAD_USE
from overbar.cli.explore.plan_station import on_page, question_of, typed
from overbar.cli.file_identity import identity
from overbar.cli.options import if_given
from overbar.cli.question_file import VERBS, question_text, words_of
from overbar.cli.table_options import FileOptions
from overbar.cli.tables.advice import owner_columns, table_names
from overbar.cli.tables.files import form_of
from overbar.cli.tables.source import Source
from overbar.errors import OverbarError, ParameterError
from overbar.ledger import Ledger
from overbar.ledger.address import is_address
from overbar.report.as_html import sections
from overbar.report.report import report_of
from overbar.words.account_report import NO_ROOM
from overbar.words.plan_report import DRY

#: How a file is read.
READ = ("table", "encoding", "header_row", "where")
#: Options that are sent as they were typed, where they are not empty and the question has them.
TYPED = (
    *READ,
    *("person", "catalogue", "threshold", "cutoff", "candidates", "items_per_person"),
    *("epsilon", "delta", "value", "value_range", "groups", "groups_per_person"),
)
#: What a box says that has a tick.
YES = "yes"
#: The variable that names a ledger.
LEDGER = "OVERBAR_LEDGER"
#: More files than this are not listed.
MOST_FILES = 500


def is_writable(text: str) -> bool:
    """Tell whether commands and pages can take a text: it has no NUL and no half of a letter."""
    try:
        return b"\0" not in text.encode()
    except UnicodeEncodeError:
        return False


def in_one_line(asked: Mapping[str, str]) -> str:
    """Say what is asked, for who is about to spend.

    >>> asked = {"item": "product", "person": "customer", "file": "a.csv"}
    >>> in_one_line({**asked, "question": "top", "cutoff": "3"})
    'Top 3 of product by customer, from a.csv'
    >>> in_one_line({**asked, "question": "select", "threshold": "9", "value": "price"})
    'product with 9 or more, by the sum of price, from a.csv'
    """
    question = question_of(asked)
    names = ("item", "person", "value", "cutoff", "threshold", "where", "groups", "table")
    given = {name: asked.get(name, "").strip() for name in names}
    item, person = given["item"] or "items", given["person"] or "person"
    score = f"the sum of {given['value']}" if given["value"] else person
    line = {
        "select": f"{item} with {given['threshold']} or more, by {score}",
        "top": f"Top {given['cutoff']} of {item} by {score}",
        "keys": f"What many have of {item}, by {person}",
    }[question]
    if given["groups"] and question != "keys":
        line += f", in groups {given['groups']}"
    line += f", only rows where {given['where']}" if given["where"] else ""
    inside = f"{given['table']} of " if given["table"] else ""
    return f"{line}, from {inside}{asked.get('file', '')}"


class CommandError(OverbarError):
    """The command refused; what it said."""


@dataclass(frozen=True)
class AskStation:
    """Asks tables of one folder; `named` are those to offer, all of them if there are none."""

    folder: Path
    named: Sequence[str] = ()
    address: str | None = None
    ledger: Ledger | None = None
    head: str | None = None
    _spending: dict[str, tuple[list[str], asyncio.Task[dict[str, Any]]]] = field(
        default_factory=dict
    )

    def files(self) -> list[str]:
        """Return the tables of the folder: names of files in it, no links that lead out of it."""
        root = self.folder.resolve()
        names = []
        for name in sorted(self.named or os.listdir(root))[:MOST_FILES]:
            place = (root / name).resolve()
            if name.startswith(".") or place.parent != root or not place.is_file():
                continue
            if not is_writable(name):  # bytes that are no text; the page could not show them
                continue
            if self.address is not None and identity(place) == identity(self.address):
                continue
            try:
                form_of((name,), None)
            except ParameterError:
                continue
            names.append(name)
        return names

    def schema(self, asked: Mapping[str, str]) -> dict[str, Any]:
        """Return the tables and columns of a file; off a text file too, for its owner's eyes."""
        file, table = self._file(asked, "file"), asked.get("table")
        tables = table_names([file], None)
        if table not in tables:
            table = tables[0] if tables else None
        how = typed(asked, ("encoding", "header_row"))
        row = if_given(partial(_check.whole, lowest=0), "header_row", how.pop("header_row", None))
        source = Source.of([file], table=table, header_row=row, **how)
        return {
            "tables": tables,
            "columns": [name for name in owner_columns(source) if is_writable(name)],
        }

    def _file(self, asked: Mapping[str, str], what: str) -> str:
        name = asked.get(what, "")
        if not name:
            raise ParameterError(f"{what} must be chosen: one of those listed")
        if name not in self.files():
            raise ParameterError(f"{what} must be one of those listed, got {name!r}")
        return name

    def options(self, asked: Mapping[str, str]) -> FileOptions:
        """Return a question as the command line would have read it."""
        question = question_of(asked)
        kind: Any = VERBS[question].options
        names = [name for name in TYPED if hasattr(kind, name)]
        if "catalogue" in names and asked.get("catalogue"):
            self._file(asked, "catalogue")
            names = [name for name in names if name != "candidates"]
        if self.address is not None and asked.get("dataset"):
            names += ["dataset", "request", "purpose"]
        values = typed(asked, names)
        if self.address is not None and asked.get("dataset"):
            values |= {"ledger": self.address, "head": self.head}
        if item := asked.get("item", "").strip():
            values["item"] = [item]
        if hasattr(kind, "counts") and asked.get("counts") == YES:
            values["counts"] = True
        if hasattr(kind, "decimal_comma") and asked.get("decimal_comma"):
            values["decimal_comma"] = asked["decimal_comma"] == YES
        options: FileOptions = kind(sources=[f"./{self._file(asked, 'file')}"], **values)
        return options

    async def check(self, asked: Mapping[str, str]) -> dict[str, Any]:
        """Return what ``overbar check`` says: true numbers, for the owner's eyes alone."""
        if asked.get("catalogue"):
            self._file(asked, "catalogue")
        given = typed(asked, (*READ, "item", "person", "catalogue", "value")).items()
        words = [f"--{name.replace('_', '-')}={text}" for name, text in given]
        if mark := asked.get("decimal_comma"):
            words.append("--decimal-comma" if mark == YES else "--decimal-point")
        words = ["check", f"./{self._file(asked, 'file')}", *words, "--format=json"]
        return {"html": sections(report_of(await self._output_of(words)), "checked-")}

    async def dry_run(self, asked: Mapping[str, str]) -> dict[str, Any]:
        """Return what would be asked and what it would cost; no data is touched."""
        options = self.options({**asked, "request": ""})
        words = [*words_of(options), "--dry-run", "--format=json"]
        report = report_of(await self._output_of(words))
        question = question_text(options, self.folder / "question.toml")
        if is_address(options.ledger) and self.ledger is not None:  # a password may be in it
            options = replace(options, ledger=self.ledger.name)
        copies = {"command": shlex.join(["overbar", *words_of(options)]), "question": question}
        cost = [sentence for sentence in report.section("cost").sentences if sentence != DRY]
        return {
            "html": on_page(report, "told-"),
            "line": in_one_line(asked),
            "cost": cost,
            "fits": not any(sentence.startswith(NO_ROOM) for sentence in cost),
            "copies": copies,
        }

    async def spend(self, asked: Mapping[str, str]) -> dict[str, Any]:
        """Ask, and let the ledger pay; the same request again is answered without paying."""
        request = asked.get("request", "")
        if self.address is None or not asked.get("dataset") or not request:
            raise ParameterError("a ledger must pay, for a dataset and a request: use --ledger")
        words = words_of(self.options(asked))
        before = self._spending.get(request)
        if before is None or before[0] != words:
            task = asyncio.create_task(self._answered(words))
            self._spending[request] = words, task
            task.add_done_callback(lambda done: self._forget(request, done))
        else:
            task = before[1]
        return await asyncio.shield(task)

    def _forget(self, request: str, done: asyncio.Task[dict[str, Any]]) -> None:
        if request in self._spending and self._spending[request][1] is done:
            del self._spending[request]

    async def look_back(self, asked: Mapping[str, str]) -> dict[str, Any]:
        """Return the answer of a request that was answered or is under way; this never spends."""
        request, dataset = asked.get("request", ""), asked.get("dataset", "")
        words = words_of(self.options(asked))
        before = self._spending.get(request)
        if before is not None and before[0] == words:
            return await asyncio.shield(before[1])
        if self.ledger is None or not dataset or not request:
            return {"state": "new"}
        account = await asyncio.to_thread(self.ledger.show, dataset)
        tries = [entry for entry in account.entries if entry.request_id == request]
        if all(entry.open for entry in tries):
            return {"state": "open" if tries else "new"}
        return await self._answered(words)  # the ledger gives what it has, or refuses

    async def _answered(self, words: list[str]) -> dict[str, Any]:
        with tempfile.TemporaryDirectory(prefix="overbar-") as folder:
            names = ("answer.csv", "answer.html")
            files = [f"--out={Path(folder, name)}" for name in names]
            text = await self._output_of([*words, "--format=json", *files])
            kept = {name: Path(folder, name).read_text() for name in names}
        report = report_of(text)
        return {
            "html": on_page(report, "answered-"),
            "cost": report.section("cost").sentences,
            "files": {**kept, "answer.json": text},
        }

    async def _output_of(self, words: list[str]) -> str:
        """Run the command and return what it wrote, or raise what it complained about.

        An address of a ledger is told by the environment: a process list shows words to all.
        """
        around = {**os.environ, LEDGER: ""}
        named = f"--ledger={self.address}"
        if self.address is not None and named in words:
            around[LEDGER] = self.address
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-P", "-m", "overbar", *(one for one in words if one != named),
            cwd=self.folder, env=around, stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE, start_new_session=True,
        )  # fmt: skip
        out, err = await process.communicate()
        if process.returncode == 0:
            return out.decode()
        complaint = err.decode(errors="replace").strip().removeprefix("overbar: ")
        if process.returncode == BAD_USE and complaint:
            raise CommandError(complaint)
        raise CommandError(
            "the run was stopped; if it was reserved already, it counts as spent: see the budget"
        )
