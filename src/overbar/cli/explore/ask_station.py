"""The ask station: a question to a table, by the command that is shown, in a process of its own.

So whatever the command line promises holds here: what it reads, refuses, books and never says. A
ledger has to pay, because its request ids are what keeps a second click from spending again. The id
is chosen before the first click and stands in the address. Tabs that spend the same request wait
for the same process, and a process goes on to its end if this one is killed: the ledger has its
answer, and the same request gets it again, at no cost.
"""

from __future__ import annotations

import asyncio
import json
import os
import shlex
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from html import escape
from pathlib import Path
from typing import Any

from overbar import _html
from overbar._numbers import short_text
from overbar.cli.exit import BAD_USE, clean
from overbar.cli.explore.plan_station import QUESTIONS
from overbar.cli.file_identity import identity
from overbar.cli.tables.files import form_of
from overbar.cli.tables.schema import column_names, table_names
from overbar.errors import OverbarError, ParameterError
from overbar.ledger import Ledger
from overbar.ledger.address import is_address

#: Options of the command that are sent as they were typed, where they are not empty.
SHARED = ("table", "item", "person", "catalogue", "cutoff", "epsilon", "delta", "items_per_person")
#: What the JSON of an answer has for each label.
COUNT_COLUMNS = ("count", "low", "high")
#: More files than this are not listed.
MOST_FILES = 500


class CommandError(OverbarError):
    """The command refused; what it said."""


@dataclass(frozen=True)
class AskStation:
    """Asks tables of one folder; `named` are those to offer, all of them if there are none."""

    folder: Path
    named: Sequence[str] = ()
    address: str | None = None
    ledger: Ledger | None = None
    _spending: dict[str, tuple[list[str], asyncio.Task[dict[str, Any]]]] = field(
        default_factory=dict
    )

    def files(self) -> list[str]:
        """Return the tables of the folder: names of files in it, no links that lead out of it."""
        root = self.folder.resolve()
        found = []
        for name in sorted(self.named or os.listdir(root))[:MOST_FILES]:
            place = (root / name).resolve()
            if name.startswith(".") or place.parent != root or not place.is_file():
                continue
            if self.address is not None and identity(place) == identity(self.address):
                continue
            try:
                form_of((name,), None)
            except ParameterError:
                continue
            found.append(name)
        return found

    def schema(self, asked: Mapping[str, str]) -> dict[str, Any]:
        """Return the tables and columns that a file states; nothing is read off a text file."""
        file, table = self._file(asked, "file"), asked.get("table")
        tables = table_names([file], None)
        if tables and table not in tables:
            table = tables[0]
        return {"tables": tables, "columns": column_names([file], None, table if tables else None)}

    def _file(self, asked: Mapping[str, str], what: str) -> str:
        name = asked.get(what, "")
        if name not in self.files():
            raise ParameterError(f"{what} must be one of those listed, got {name!r}")
        return name

    def words(self, asked: Mapping[str, str]) -> list[str]:
        """Return the command of a question, without its verb `overbar`."""
        question = asked.get("question", "select")
        if question not in QUESTIONS:
            raise ParameterError(f"question must be one of {', '.join(QUESTIONS)}")
        listed = bool(asked.get("catalogue"))
        if listed:
            self._file(asked, "catalogue")
        names = [*SHARED, *(["threshold"] if question == "select" else [])]
        names += [] if listed or question == "top" else ["candidates"]
        if self.address is not None and asked.get("dataset"):
            names += ["dataset", "request", "purpose"]
        given = {name: asked.get(name, "").strip() for name in names}
        if given["delta"] == "0":
            given["delta"] = ""
        words = [f"--{name.replace('_', '-')}={text}" for name, text in given.items() if text]
        if asked.get("counts") == "yes":
            words.append("--counts")
        if self.address is not None and asked.get("dataset"):
            words.append(f"--ledger={self.address}")
        return [question, f"./{self._file(asked, 'file')}", *words]

    async def check(self, asked: Mapping[str, str]) -> dict[str, Any]:
        """Return what ``overbar check`` says: true numbers, for the owner's eyes alone."""
        if asked.get("catalogue"):
            self._file(asked, "catalogue")
        names = ("table", "item", "person", "catalogue")
        words = [f"--{name}={asked[name]}" for name in names if asked.get(name)]
        return {"text": await self._told(["check", f"./{self._file(asked, 'file')}", *words])}

    async def dry_run(self, asked: Mapping[str, str]) -> dict[str, Any]:
        """Return what would be asked and what it would cost; no data is touched."""
        words = self.words({**asked, "request": ""})
        text = await self._told([*words, "--dry-run"])
        cost = [
            line.strip().replace("Guaranteed:", "At most this is spent:")
            for line in text.splitlines()
            if line.startswith("Guaranteed") or "The ledger has" in line
        ]
        if self.ledger is not None and is_address(self.address):  # it may have a password in it
            safe = f"--ledger={self.ledger.name}"
            words = [safe if one.startswith("--ledger=") else one for one in words]
        return {"text": text, "cost": cost, "command": shlex.join(["overbar", *words])}

    async def spend(self, asked: Mapping[str, str]) -> dict[str, Any]:
        """Ask, and let the ledger pay; the same request again is answered without paying."""
        request = asked.get("request", "")
        if self.address is None or not asked.get("dataset") or not request:
            raise ParameterError("a ledger must pay, for a dataset and a request: use --ledger")
        words = self.words(asked)
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
        words = self.words(asked)
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
            table, report = Path(folder, "answer.csv"), Path(folder, "answer.html")
            out = await self._told(
                [*words, "--format=json", f"--out={table}", f"--report={report}"]
            )
            files = {"answer.csv": table.read_text(), "answer.html": report.read_text()}
        fields = json.loads(out)
        return {
            "html": _answer(fields),
            "files": {**files, "answer.json": out},
            "repeated": fields["ledger"]["repeated"],
        }

    async def _told(self, words: list[str]) -> str:
        """Run the command and return what it said, or raise what it complained about."""
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "overbar", *words,
            cwd=self.folder, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE, start_new_session=True,
        )  # fmt: skip
        out, err = await process.communicate()
        if process.returncode == 0:
            return out.decode()
        said = err.decode(errors="replace").strip().removeprefix("overbar: ")
        if process.returncode == BAD_USE and said:
            raise CommandError(said)
        raise CommandError(
            "the run was stopped; if it was reserved already, it counts as spent: see the budget"
        )


def _answer(fields: Mapping[str, Any]) -> str:
    """Return the answer as a table; noisy counts with a bar and its interval."""
    head, counts = ["found", clean(fields["item"])], fields.get("counts")
    ends = [[one[name] for name in COUNT_COLUMNS] for one in counts or ()]
    numbers = [[None if end is None else Fraction(end) for end in row] for row in ends]
    most = max((high for _, _, high in numbers if high is not None), default=Fraction(0))
    rows = []
    for rank, label in enumerate(fields["labels"], 1):
        cells = [_html.cell(str(rank), number=True), _html.cell(clean(str(label)))]
        if counts is not None:
            count, low, high = numbers[rank - 1]
            assert count is not None
            assert high is not None
            span = f"{'–' if low is None else short_text(low)} to {short_text(high)}"
            cells += [_html.cell(short_text(count), number=True), _html.cell(span, number=True)]
            cells.append(f"<td>{_html.error_bar(count, low, high, most)}</td>")
        rows.append(f"<tr>{''.join(cells)}</tr>")
    if counts is not None:
        head += ["count", "interval of 95 %", ""]
    said, again = fields["guarantee"]["statement"], fields["ledger"]["repeated"]
    told = f"This run has cost ε = {fields['spent']}."
    if again:
        told = "The stored answer again: nothing was spent now."
    found = _html.table(head, rows, caption="The answer", first=2)
    nothing = "" if fields["labels"] else "<p>Nothing was found.</p>"
    return f"{found}{nothing}<p>Guaranteed: {escape(said)}. {escape(told)}</p>"
