"""From what was typed to the keys of a table: the work of `keys`."""

from __future__ import annotations

from fractions import Fraction

from overbar import _check
from overbar.calibration.counts import checked_share
from overbar.cli.file_identity import keep_apart
from overbar.cli.keys_command import KeysOptions
from overbar.cli.options import all_given, if_given
from overbar.cli.output.answer_files import WritingError, checked_targets, save
from overbar.cli.output.key_answer import KeyAnswer, lone_words, promised
from overbar.cli.output.screen import Screen, checked_format, show_answer
from overbar.cli.output.words import promise
from overbar.cli.question_file import save_question
from overbar.cli.release import (
    booked,
    budget_words,
    named_table,
    opened,
    paid,
    payer_of,
    point_to_check,
    purse_of,
)
from overbar.errors import ParameterError
from overbar.frames import KeyQuestion
from overbar.ledger.address import is_address


def run(options: KeysOptions) -> None:
    """Check what was typed, put the question to the table, and write what comes back."""
    if options.item and options.person is None:
        raise ParameterError("--person must name the column that says whose row it is")
    source, columns = named_table(options)
    if not isinstance(columns.item, str):
        raise ParameterError("--item must be one column for keys; put several into one first")
    outputs = options.out or []
    ledger = None if is_address(options.ledger) else options.ledger
    written = [*outputs, options.report, options.save]
    keep_apart(options.sources, ledger=ledger, outputs=written, force=options.force)
    all_given(epsilon=options.epsilon, delta=options.delta)
    payer = payer_of(options)
    targets = checked_targets(outputs, options.report)
    form = checked_format(options.format_)
    save_question(options, options.save)
    assert options.epsilon is not None
    assert options.delta is not None
    limits = ("items_per_person", "rounds", "at_least")
    question = KeyQuestion.of(
        item=columns.item,
        person=columns.person or "",
        epsilon=options.epsilon,
        delta=options.delta,
        counts=share_typed(options),
        **{name: if_given(_check.whole, name, getattr(options, name)) for name in limits},
    )
    if options.dry_run:
        show_keys_question(question, budget_words(payer))
        return
    with opened(options, source, columns, payer) as (relation, _):
        found = question.run(relation, **booked(options, question, source, payer))
    answer = KeyAnswer(found, source.name, options.purpose or "")
    with paid(payer):
        failed = save(answer, targets, purse_of(payer))
        show_answer(answer, "csv" if failed else form)
    if failed:
        raise WritingError(f"{'; '.join(failed)}; the answer is on standard output")
    point_to_check(found)


def share_typed(options: KeysOptions) -> bool | Fraction:
    """Return whether counts are asked for, or the share that was typed."""
    if options.counts_share is None:
        return options.counts
    if not options.counts:
        raise ParameterError("--counts-share goes with --counts")
    return checked_share(options.counts_share, "counts_share")


def show_keys_question(question: KeyQuestion, budget: str) -> None:
    """Show what would be asked, what would come out and what it would cost."""
    screen, said = Screen(), promised(question)
    screen.heading(f"Asked: {question.in_words}")
    screen.heading("Expected, computed without data")
    screen.say(question.forecast)
    screen.heading(f"Guaranteed: {said}")
    for line in promise(said):
        screen.say(line)
    screen.say(lone_words(question))
    screen.heading("The cost")
    screen.say(budget)
    screen.say("This was a dry run: no data was touched and nothing was spent.")
