"""From what was typed to an answer: the work that all verbs share that ask a table.

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

import errno
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import typer

from overbar import _check
from overbar.cli.exit import BAD_USE, Stopped, complain, tell
from overbar.cli.file_identity import keep_apart
from overbar.cli.options import all_given, column_and_list, if_given, pair
from overbar.cli.plan_options import key_parameters, parameters_of, read_plan
from overbar.cli.question_file import save_question
from overbar.cli.table_options import FileOptions, ListOptions, ReadOptions, TableOptions
from overbar.cli.verbs import KeysOptions, SelectOptions, TopOptions
from overbar.errors import LedgerError, MissingExtraError, ParameterError
from overbar.frames import Question
from overbar.frames.discretion import stoppable
from overbar.frames.measure import GOOD_RANGE
from overbar.ledger import Booking, Ledger, Standing
from overbar.ledger.address import is_address
from overbar.ledger.description import checked_name, checked_words
from overbar.mechanisms import Plan
from overbar.planning.plan_parameters import Parameters
from overbar.report.as_text import visible

try:
    import duckdb
    import pyarrow
except ImportError as error:
    raise MissingExtraError(
        f"reading tables needs {error.name}; install it: pip install 'overbar[cli]' {error.name}"
    ) from None
else:
    del duckdb, pyarrow
    from overbar.cli.answer_files import WritingError, checked_targets, csv_changes, csv_text, save
    from overbar.cli.screen import checked_format, show, show_answer, watched
    from overbar.cli.tables import NamedColumns, Source, check_engine, start_engine
    from overbar.cli.tables.engine import DEFAULT_MEMORY, within_memory
    from overbar.cli.tables.public_list import (
        Label,
        fitted,
        fitted_groups,
        list_on_record,
        read_catalogue,
        read_groups,
    )
    from overbar.cli.tables.source import Opened
    from overbar.words.account_report import what_would_be_left
    from overbar.words.plan_report import DRY, how_good, promised_by, question_report
    from overbar.words.promise import Statement, statement
    from overbar.words.released_answer import Answer, PublicList, by_count

Options = SelectOptions | TopOptions | KeysOptions

#: A purpose that nobody wrote is no longer than this.
LONGEST_PURPOSE = 400


def run(options: Options) -> None:
    """Check what was typed, put the question to the table, and write what comes back."""
    if isinstance(options, KeysOptions) and options.item and options.person is None:
        raise ParameterError("--person must name the column that says whose row it is")
    source, columns = named_table(options)
    if isinstance(options, KeysOptions):
        wish = _about_keys(options, columns)
    else:
        wish = _about_scores(options, source, columns)
    carry_out(options, source, columns, wish)


def carry_out(options: FileOptions, source: Source, columns: NamedColumns, wish: Wish) -> None:
    """Put a question to the table, and write what comes back; or say what would be asked."""
    delivery, delta = wish.delivery, getattr(options, "delta", None)
    if options.dry_run:
        question = wish.question(None)
        quality = how_good(question, wish.candidates)
        budget = wish.budget or delivery.budget(question.plan, question.unlisted_delta)
        report = question_report(question, _said(question, delta), quality, budget, compared=True)
        show(report, as_json=delivery.form == "json")
        return
    with opened(options, source, columns, delivery.payer) as (relation, kinds):
        question = wish.question(kinds)
        promise = _said(question, delta)  # all that may be refused is, before it is paid for
        selection = question.run(relation, **booked(options, question, source, delivery.payer))
    answer = Answer(
        selection=by_count(selection),
        question=question,
        promised=promise,
        source=source.in_public,
        candidates=wish.candidates,
        purpose=options.purpose or "",
        public_list=wish.public_list,
    )
    delivery.give(answer)


@dataclass(frozen=True)
class Wish:
    """What is asked and where the answer goes; what a list may hold, the table's columns say."""

    question: Callable[[Sequence[str] | None], Question]
    delivery: Delivery
    candidates: int | None = None
    public_list: PublicList | None = None
    budget: Sequence[str] = ()


def _about_scores(
    options: SelectOptions | TopOptions, source: Source, columns: NamedColumns
) -> Wish:
    """Check all that was typed for `select` or `top`."""
    listed, item = options.catalogue, columns.item
    grouped = None if options.groups is None else column_and_list(options.groups)[1]
    keep_apart(options, catalogue=listed, groups=grouped, plan=options.plan_file)
    parameters = _given_numbers(options)
    plan = None if options.plan_file is None else read_plan(options.plan_file)
    labels = None if listed is None else read_catalogue(listed, item, source.encoding)
    groups = None if grouped is None else read_groups(grouped, source.encoding)

    def question(kinds: Sequence[str] | None) -> Question:
        fit = labels
        if kinds is not None and fit is not None:
            fit = fitted(fit, *(kinds if groups is None else kinds[1:]))
        return _question(options, parameters, columns, plan, fit, fitted_groups(groups, kinds))

    candidates = parameters.get("candidates") if labels is None else len(labels)
    return Wish(question, Delivery.of(options), candidates, list_on_record(listed, labels))


def _about_keys(options: KeysOptions, columns: NamedColumns) -> Wish:
    """Check all that was typed for `keys`."""
    if not isinstance(columns.item, str):
        raise ParameterError("--item must be one column for keys; put several into one first")
    keep_apart(options)
    parameters = key_parameters(options)
    question = Question.keys(item=columns.item, person=columns.person or "", **parameters)
    return Wish(lambda _: question, Delivery.of(options))


@dataclass(frozen=True)
class Payer:
    """Who pays, and where the dataset stood when this was checked."""

    booking: Booking
    before: Standing


@dataclass(frozen=True)
class Delivery:
    """Who pays and where the answer goes, checked before the data are touched."""

    payer: Payer | None
    targets: list[tuple[Path, str]]
    form: str

    @classmethod
    def of(cls, options: FileOptions) -> Delivery:
        """Check what was typed, and write the question if it is to be kept."""
        payer = payer_of(options)
        targets = checked_targets(options.out or [])
        delivery = cls(payer, targets, checked_format(options.format_))
        save_question(options, options.save)
        return delivery

    def budget(self, plan: Plan, unlisted_delta: float | None = None) -> list[str]:
        """Say what is left, what a run would leave, and that this was none."""
        before = None if self.payer is None else self.payer.before
        return [*what_would_be_left(before, plan, Fraction(unlisted_delta or 0)), DRY]

    def give(self, answer: Answer) -> None:
        """Write and show an answer that is paid for; stopped now, it is spent and may be lost."""
        again = self.payer is not None and self.payer.booking.request_id is not None
        try:
            # Files first: they outlive a pipe that nobody reads.
            failed = save(answer, self.targets)
            try:
                show_answer(answer, "csv" if failed else self.form)  # paid for: it must not be lost
            except (OSError, SystemExit) as error:  # rich leaves where nobody reads on
                why = os.strerror(getattr(error, "errno", None) or errno.EPIPE)
                self._hand_over(answer, why, has_files=len(failed) < len(self.targets), again=again)
                if isinstance(error, SystemExit | BrokenPipeError):
                    raise
                raise typer.Exit(BAD_USE) from None  # all was said
        except KeyboardInterrupt:
            raise Stopped(
                "stopped after the answer was drawn: all of it is spent; "
                + ("the same --request gives it again" if again else "files may lack it")
            ) from None
        if failed:
            raise WritingError(f"{'; '.join(failed)}; the answer is on standard output")
        is_csv = "csv" in {self.form, *dict(self.targets).values()}
        for sentence in [*answer.advice, *(csv_changes(answer) if is_csv else [])]:
            complain(sentence)

    def _hand_over(self, answer: Answer, why: str, *, has_files: bool, again: bool) -> None:
        """Say where an answer is that standard output does not take; if nowhere else, say it."""
        place = "the files have it" if has_files else "the same --request gives it again, for free"
        if not has_files and not again:
            place = "here it is"
        complain(f"standard output cannot be written ({why}). The answer is spent, and {place}")
        if not has_files and not again:
            with suppress(OSError):
                tell(csv_text(answer).rstrip("\n"), err=True)


def named_source(options: ReadOptions) -> Source:
    """Check what was typed about the table and how it is read, without looking at it."""
    source = Source.of(
        options.sources,
        table=options.table,
        input_format=options.input_format,
        delimiter=options.delimiter,
        decimal_comma=getattr(options, "decimal_comma", None),
        encoding=options.encoding,
        where=options.where,
        header_row=if_given(partial(_check.whole, lowest=0), "header_row", options.header_row),
    )
    limits = (options.memory, options.temp_folder)
    check_engine(*limits)
    if source.served is not None and limits != (DEFAULT_MEMORY, None):
        raise ParameterError(
            "--memory and --temp-folder are for files: a database counts with what its "
            "server gives it; leave them out"
        )
    return source


def named_table(options: ReadOptions) -> tuple[Source, NamedColumns]:
    """Check what was typed about the table and its columns, without looking at it."""
    source = named_source(options)
    more = options if isinstance(options, ListOptions) else ListOptions()
    groups = options.groups if isinstance(options, TableOptions) else None
    named = (more.value, more.score, groups and column_and_list(groups)[0])
    return source, source.columns(options.item or (), options.person, *named)


def _given_numbers(options: SelectOptions | TopOptions) -> Parameters:
    """Return the numbers of a plan that were typed; refuse a command that lacks one."""
    parameters = parameters_of(options)
    needed = {} if options.plan_file else {"cutoff": options.cutoff, "epsilon": options.epsilon}
    if isinstance(options, SelectOptions):
        needed = {"threshold": options.threshold, **needed}
    all_given(**needed)
    return parameters


def _question(
    options: SelectOptions | TopOptions,
    parameters: Parameters,
    columns: NamedColumns,
    plan: Plan | None,
    labels: Sequence[Label] | None,
    groups: Sequence[Label] | None,
) -> Question:
    """Return what is asked; no data is needed for it."""
    limits = if_given(partial(pair, hint=GOOD_RANGE), "value_range", options.value_range)
    if limits is not None and not columns.numbers():
        raise ParameterError("--value-range goes with --value or --score: name the column")
    shared: dict[str, Any] = {
        "item": columns.item,
        "person": columns.person,
        "value": columns.value if limits is None else columns.value and {columns.value: limits},
        "score": columns.score if limits is None else columns.score and {columns.score: limits},
        "items_per_person": if_given(_check.whole, "items_per_person", options.items_per_person),
        "catalogue": labels,
        "groups": None if columns.groups is None else {columns.groups: groups},
        "groups_per_person": if_given(_check.whole, "groups_per_person", options.groups_per_person),
        "plan": plan,
        "delta_is_large": options.delta_is_large,
        **parameters,
    }
    if isinstance(options, SelectOptions):
        assert options.threshold is not None
        return Question.select(threshold=options.threshold, **shared)
    return Question.top(**shared)


def _said(question: Question, delta: str | None) -> Statement:
    """Return what is proved, at the δ that was asked for; of keys, what was asked for."""
    if question.promise is not None:
        return promised_by(question)
    if question.unlisted_delta is not None or question.plan.keys is not None:
        return statement(question.plan, question.plan_delta or None, question.unlisted_delta)
    return statement(question.plan, delta)


@contextmanager
def opened(
    options: ReadOptions, source: Source, columns: NamedColumns, payer: Payer | None
) -> Iterator[Opened]:
    """Open the table for one release, and say what becomes of the budget if it is stopped."""
    limits = (options.memory, options.temp_folder)
    looking = not isinstance(options, FileOptions)  # its owner, whom nothing is kept from
    try:
        with (
            closing(start_engine(*limits)) as engine,
            stoppable(),
            within_memory(),
            watched(engine, source, everywhere=looking),
        ):
            yield source.opened(engine, columns)
    except KeyboardInterrupt:
        raise Stopped(_stopped(payer)) from None


def _stopped(payer: Payer | None) -> str:
    """Say what a run that was stopped has cost, as far as the ledger can be read just now."""
    if payer is None:
        return "stopped: no answer came out, so nothing was spent"
    booking = payer.booking
    with suppress(LedgerError):
        after = booking.ledger.standing(booking.dataset)
        if after.balance == payer.before.balance:
            return f"stopped: nothing was spent, {after.left} is left for {after.dataset}"
    more = "; if it had ended, the same --request gives its answer and costs nothing"
    return (
        "stopped: the run was reserved and counts as spent, all of it, unless another one paid "
        f"meanwhile; see overbar ledger show {booking.ledger.name}{more * bool(booking.request_id)}"
    )


def booked(
    options: FileOptions, question: Question, source: Source, payer: Payer | None
) -> dict[str, Any]:
    """Return who pays for a run and what the ledger is told about it."""
    if payer is None or options.ledger is None:
        return {}
    # Without words of the user the ledger remembers the question.
    made_up = visible(f"{question.measure}, in {source.in_words()}")
    if len(made_up) > LONGEST_PURPOSE:
        made_up = f"{made_up[: LONGEST_PURPOSE - 1]}…"
    booking = payer.booking.about(purpose=made_up)
    return {"booking": booking, "source": source.digest(options.ledger)}


def payer_of(options: FileOptions) -> Payer | None:
    """Return who pays. A ledger is never made by the way: a typing slip would be a new budget."""
    ledger, dataset = options.ledger, options.dataset
    request, purpose = options.request, options.purpose or ""
    if ledger is None:
        for name in ("dataset", "request", "head"):
            if getattr(options, name) is not None:
                raise ParameterError(f"--{name} goes with --ledger FILE")
        if options.purpose and not any(one.suffix.lower() == ".html" for one in options.out or []):
            raise ParameterError("--purpose goes with --ledger FILE or --out FILE.html")
        return None
    if dataset is None:
        raise ParameterError("--ledger needs --dataset NAME: whose budget pays?")
    if not is_address(ledger) and not os.path.exists(ledger):
        raise LedgerError(
            f"there is no ledger {ledger}; make it with: overbar ledger open {ledger} {dataset} "
            "--epsilon TOTAL"
        )
    if request is not None:
        checked_name("--request", request)
    checked_words("--purpose", purpose)
    book = Ledger(ledger, create=None, head=options.head)
    booking = book.booking(dataset, request_id=request, purpose=purpose)
    return Payer(booking, booking.ledger.standing(dataset))  # refuses a dataset that is not there
