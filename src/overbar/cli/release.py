"""From what was typed to an answer: the work that `select` and `top` share.

Everything public is checked first, outputs included. Then the table's columns are looked at, then
the rows are read and aggregated, then the ledger holds what the run may cost, then noise is drawn,
then the ledger is settled, and only then the answer is shown and written.

A table that cannot be read costs nothing: nothing was drawn. No row of a text file can make reading
fail, nor can text in Parquet or SQLite that is not UTF-8. A broken Parquet or database file and an
engine out of memory can, and that this happens is about the data and outside the guarantee; whoever
runs the command has the table anyway, and the message says no more. Once a run is reserved, a
failure costs all of the reservation.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

from overbar.cli.exit import complain, fail
from overbar.cli.wording import in_options
from overbar.errors import LedgerError, MissingExtraError, OverbarError, ParameterError
from overbar.mechanism.selection import visible

if TYPE_CHECKING:
    from overbar.cli.output.answer_page import Purse
    from overbar.cli.output.targets import Target
    from overbar.cli.output.words import Statement
    from overbar.cli.tables import NamedColumns, Source
    from overbar.cli.tables.public_list import Label
    from overbar.frames import Question
    from overbar.ledger import Ledger
    from overbar.mechanism import Selection

    Make = Callable[[Sequence[Label] | None], Question]

__all__ = [
    "Outputs",
    "Payment",
    "Reading",
    "ask",
    "outputs_of",
    "payment_of",
    "reading_of",
    "refusing",
]

#: What reading needs, and where to get it.
PACKAGES = ("duckdb", "pyarrow")
#: A purpose that nobody wrote is no longer than this.
LONGEST_PURPOSE = 400


class Roles(TypedDict):
    """The columns of a question."""

    item: str
    person: str | None
    value: str | None
    score: str | None


@dataclass(frozen=True)
class Payment:
    """Which ledger pays, and for what."""

    path: Path
    ledger: Ledger
    dataset: str
    request: str | None
    purpose: str | None

    def purse(self) -> Purse | None:
        """Return what is left, for the page; nothing if the ledger cannot be read just now.

        The answer is paid for by then, and must not be lost for a line about the budget.
        """
        from overbar.cli.output.answer_page import Purse

        try:
            account = self.ledger.show(self.dataset)
        except LedgerError:
            return None
        return Purse(self.dataset, account.left, account.granted)


@dataclass(frozen=True)
class Reading:
    """How the table is read."""

    source: Source
    columns: NamedColumns
    memory: str
    threads: int | None
    temp_folder: Path | None

    @property
    def roles(self) -> Roles:
        """Return which columns play which part."""
        columns = self.columns
        return {
            "item": columns.item,
            "person": columns.person,
            "value": columns.value,
            "score": columns.score,
        }


@dataclass(frozen=True)
class Outputs:
    """Where the answer goes."""

    targets: tuple[Target, ...]
    form: str


def ask(
    reading: Reading,
    make: Make,
    *,
    kind: str,
    candidates: int | None,
    delta: str | None,
    catalogue: str | None,
    payment: Payment | None,
    outputs: Outputs,
    dry_run: bool,
) -> None:
    """Make the question, put it to the table, and write what comes back.

    `make` turns the labels of a catalogue into the question. `candidates` is what was said about
    their number, where there is no catalogue.
    """
    from overbar.cli.output.answer import Answer
    from overbar.cli.output.answer_files import save
    from overbar.cli.output.answer_screen import show_answer, show_question
    from overbar.cli.tables.public_list import read_catalogue

    labels = None if catalogue is None else read_catalogue(catalogue)
    if labels is not None:
        candidates = len(labels)
    if dry_run:
        question = make(labels)
        show_question(question, _said(question, delta), _budget(payment))
        return
    try:
        found, question, said = _asked(reading, make, labels, payment, delta)
    except KeyboardInterrupt:
        if payment is not None:
            again = (
                ""
                if payment.request is None
                else "; if it had ended, the same --request gives its answer and costs nothing"
            )
            complain(
                "stopped; if the run was reserved already, it counts as spent: "
                f"overbar ledger show {payment.path}{again}"
            )
        raise
    answer = Answer(found, question, said, reading.source.name, kind, candidates)
    # Files first: they outlive a pipe that nobody reads.
    save(answer, outputs.targets, None if payment is None else payment.purse())
    show_answer(answer, outputs.form)


def _said(question: Question, delta: str | None) -> Statement:
    """Return what is proved, at the δ that was asked for."""
    from overbar.cli.output.words import statement

    if question.unlisted_delta is not None:
        return statement(question.plan, question.plan_delta or None, question.unlisted_delta)
    return statement(question.plan, delta)


def _asked(
    reading: Reading,
    make: Make,
    labels: Sequence[Label] | None,
    payment: Payment | None,
    delta: str | None,
) -> tuple[Selection, Question, Statement]:
    from overbar.cli.progress import stoppable, watched
    from overbar.cli.tables import start_engine
    from overbar.cli.tables.public_list import fitted

    limits = (reading.memory, reading.threads, reading.temp_folder)
    with closing(start_engine(*limits)) as engine:
        with stoppable(), watched(engine, reading.source.name):
            relation = reading.source.open(engine, reading.columns)
            kind = str(relation.types[0])
            question = make(None if labels is None else fitted(labels, kind))
            said = _said(question, delta)  # all that may be refused is, before it is paid for
            found = _run(question, relation, payment, reading.source)
        return found, question, said


def _run(
    question: Question, relation: object, payment: Payment | None, source: Source
) -> Selection:
    if payment is None:
        return question.run(relation)
    from overbar.cli.tables.source_identity import source_digest, source_words

    # Without words of the user the ledger remembers the question.
    made_up = visible(f"{question.measure}, in {source_words(source)}")
    if len(made_up) > LONGEST_PURPOSE:
        made_up = f"{made_up[: LONGEST_PURPOSE - 1]}…"
    return question.run(
        relation,
        ledger=payment.ledger,
        dataset=payment.dataset,
        request=payment.request,
        purpose=payment.purpose or made_up,
        source=source_digest(source, payment.path),
    )


def _budget(payment: Payment | None) -> str:
    """Say what is left, for a dry run."""
    if payment is None:
        return "No ledger pays, so nothing keeps count of what is spent: give one with --ledger."
    left = payment.ledger.show(payment.dataset).left
    return f"The ledger has {left} left for {payment.dataset}."


def reading_of(
    places: list[str],
    *,
    item: str | None,
    person: str | None,
    value: str | None,
    score: str | None,
    table: str | None,
    input_format: str | None,
    delimiter: str | None,
    header: bool,
    decimal_comma: bool,
    memory: str,
    threads: int | None,
    temp_folder: Path | None,
) -> Reading:
    """Check what was typed about the table, without looking at it."""
    from overbar.cli.tables import Source, check_engine

    source = Source.of(
        places,
        table=table,
        input_format=input_format,
        delimiter=delimiter,
        header=header,
        decimal_comma=decimal_comma,
    )
    check_engine(memory, threads, temp_folder)
    columns = source.columns(item, person, value, score)
    return Reading(source, columns, memory, threads, temp_folder)


def outputs_of(out: list[Path] | None, report: Path | None, form: str | None) -> Outputs:
    """Return where the answer goes, before it is paid for."""
    from overbar.cli.output.answer_screen import checked_format
    from overbar.cli.output.targets import checked_targets

    return Outputs(checked_targets(out or [], report), checked_format(form))


def payment_of(
    ledger: Path | None, dataset: str | None, request: str | None, purpose: str | None
) -> Payment | None:
    """Return who pays. A ledger is never made by the way: a typing slip would be a new budget."""
    if ledger is None:
        for name, value in (("dataset", dataset), ("request", request), ("purpose", purpose)):
            if value is not None:
                raise ParameterError(f"--{name} goes with --ledger FILE")
        return None
    if dataset is None:
        raise ParameterError("--ledger needs --dataset NAME: whose budget pays?")
    if not ledger.exists():
        raise LedgerError(
            f"there is no ledger {ledger}; make it with: overbar ledger open {ledger} {dataset} "
            "--epsilon TOTAL"
        )
    from overbar.ledger import Ledger
    from overbar.ledger.names import checked_name, checked_words

    if request is not None:
        checked_name("--request", request)
    checked_words("--purpose", purpose or "")
    opened = Ledger(ledger, create=False)
    opened.remaining(dataset)  # refuses a dataset that is not there
    return Payment(ledger, opened, dataset, request, purpose)


def refusing(work: Callable[[], None]) -> None:
    """Do the work; say what is refused in one line, in the words of the command line."""
    try:
        for package in PACKAGES:
            if importlib.util.find_spec(package) is None:
                raise MissingExtraError(
                    f"reading tables needs {package}; install it: pip install 'overbar[cli]' "
                    f"{package}"
                )
        work()
    except OverbarError as error:
        fail(in_options(str(error)))
