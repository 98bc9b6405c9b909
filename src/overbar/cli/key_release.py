"""From what was typed to the keys of a table: the work of `keys`."""

from __future__ import annotations

from overbar.cli.file_identity import keep_apart
from overbar.cli.keys_command import KeysOptions
from overbar.cli.output.screen import show
from overbar.cli.planned_keys import all_numbers, key_question
from overbar.cli.release import Delivery, booked, named_table, opened
from overbar.errors import ParameterError
from overbar.words.answer_report import Answer
from overbar.words.plan_report import key_report, promised_by


def run(options: KeysOptions) -> None:
    """Check what was typed, put the question to the table, and write what comes back."""
    if options.item and options.person is None:
        raise ParameterError("--person must name the column that says whose row it is")
    source, columns = named_table(options)
    if not isinstance(columns.item, str):
        raise ParameterError("--item must be one column for keys; put several into one first")
    keep_apart(options)
    all_numbers(options)
    delivery = Delivery.of(options)
    question = key_question(options, columns.item, columns.person or "")
    if options.dry_run:
        budget = delivery.budget(question.plan)
        show(key_report(question, budget), as_json=delivery.form == "json")
        return
    with opened(options, source, columns, delivery.payer) as (relation, _):
        found = question.run(relation, **booked(options, question, source, delivery.payer))
    answer = Answer(
        selection=found,
        question=question,
        promised=promised_by(question),
        source=source.in_public,
        purpose=options.purpose or "",
    )
    delivery.give(answer)
