"""From what was typed to the keys of a table: the work of `keys`."""

from __future__ import annotations

from overbar import _check
from overbar.cli.file_identity import keep_apart
from overbar.cli.keys_command import KeysOptions
from overbar.cli.options import all_given, if_given
from overbar.cli.output.public_answer import KeyAnswer
from overbar.cli.output.screen import show_key_question
from overbar.cli.plan_options import share_typed
from overbar.cli.release import Delivery, booked, budget_words, named_table, opened
from overbar.errors import ParameterError
from overbar.frames import KeyQuestion


def run(options: KeysOptions) -> None:
    """Check what was typed, put the question to the table, and write what comes back."""
    if options.item and options.person is None:
        raise ParameterError("--person must name the column that says whose row it is")
    source, columns = named_table(options)
    if not isinstance(columns.item, str):
        raise ParameterError("--item must be one column for keys; put several into one first")
    keep_apart(options)
    all_given(epsilon=options.epsilon, delta=options.delta)
    delivery = Delivery.of(options)
    assert options.epsilon is not None
    assert options.delta is not None
    limits = ("items_per_person", "rounds", "at_least")
    question = KeyQuestion.of(
        item=columns.item,
        person=columns.person or "",
        epsilon=options.epsilon,
        delta=options.delta,
        counts=share_typed(options.counts, options.counts_share),
        **{name: if_given(_check.whole, name, getattr(options, name)) for name in limits},
    )
    if options.dry_run:
        show_key_question(question, budget_words(delivery.payer))
        return
    with opened(options, source, columns, delivery.payer) as (relation, _):
        found = question.run(relation, **booked(options, question, source, delivery.payer))
    delivery.give(KeyAnswer(found, source.name, options.purpose or ""))
