"""From what was typed to the keys of a table: the work of `keys`."""

from __future__ import annotations

from overbar.cli.file_identity import keep_apart
from overbar.cli.keys_command import KeysOptions
from overbar.cli.output.answer_files import WritingError, checked_targets, save
from overbar.cli.output.key_answer import KeyAnswer
from overbar.cli.output.screen import checked_format, show_answer
from overbar.cli.planned_keys import all_numbers, key_question, show_keys_question
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
    all_numbers(options)
    payer = payer_of(options)
    targets = checked_targets(outputs, options.report)
    form = checked_format(options.format_)
    save_question(options, options.save)
    question = key_question(options, columns.item, columns.person or "")
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
