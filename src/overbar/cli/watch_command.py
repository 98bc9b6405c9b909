"""``overbar watch``: alarms over the days of a table, for ever."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from overbar import _check
from overbar.cli.exit import Stopped
from overbar.cli.file_identity import keep_apart
from overbar.cli.options import all_given, if_given
from overbar.cli.release import Delivery, booked, named_source, opened
from overbar.cli.screen import show
from overbar.cli.tables.public_list import fitted, read_catalogue
from overbar.cli.verbs import WatchOptions
from overbar.errors import ParameterError
from overbar.frames.watching import WatchQuestion
from overbar.words.plan_report import DRY, how_good, question_report
from overbar.words.promise import statement
from overbar.words.released_answer import Answer

NEEDED = ("person", "time", "catalogue", "threshold", "hits_per_person", "epsilon", "delta")
PAID_BEFORE = "The store is there and paid for: to go on costs nothing."


def run(options: WatchOptions) -> None:
    """Check what was typed, ask about the days that were not asked yet, and write the alarms."""
    source = named_source(options)
    if source.form == "dat":
        raise ParameterError("a .dat file has no days to watch; use a table with --time")
    typed = {name: getattr(options, name) for name in NEEDED}
    all_given(**{"from": options.from_}, **typed)
    columns = source.columns(options.item or (), options.person, None, None)
    columns = replace(columns, time=options.time)
    keep_apart(options, catalogue=options.catalogue)
    labels = read_catalogue(typed["catalogue"], columns.item, source.encoding)
    yesterday = datetime.now().astimezone().date() - timedelta(days=1)
    typed |= {"days": (options.from_, options.to or yesterday), "store": options.store}
    typed["hits_per_person"] = _check.whole("hits_per_person", options.hits_per_person)
    typed["persons"] = if_given(_check.whole, "persons", options.persons)

    def asked(kinds: Sequence[str]) -> WatchQuestion:
        fit = fitted(labels, *kinds) if kinds else labels
        return WatchQuestion.of(**{**typed, "item": columns.item, "catalogue": fit})

    question = asked(())  # what is wrong with it is said before it is saved
    delivery, promise = Delivery.of(options), statement(question.plan, options.delta)
    if options.dry_run:
        budget = [PAID_BEFORE, DRY] if question.goes_on else delivery.budget(question.plan)
        report = question_report(question, promise, how_good(question, len(labels)), budget)
        show(report, as_json=delivery.form == "json")
        return
    try:
        with opened(options, source, columns, delivery.payer) as (relation, kinds):
            question = asked(kinds[1:])
            alarms = question.run(relation, **booked(options, question, source, delivery.payer))
    except Stopped:
        if options.store is None:
            raise
        raise Stopped(
            "stopped: what was asked so far is in the store, with its alarms; the same command "
            "goes on behind it"
        ) from None
    answer = Answer(
        selection=alarms,
        question=replace(question, plan=alarms.plan),  # a store goes on with its own
        promised=promise,
        source=source.in_public,
        candidates=len(labels),
        purpose=options.purpose or "",
    )
    delivery.give(answer)
