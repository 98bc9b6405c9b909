"""``overbar watch``: alarms over the days of a table, for ever."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from overbar import _check
from overbar.cli.exit import Stopped, complain
from overbar.cli.file_identity import keep_apart
from overbar.cli.options import all_given, if_given
from overbar.cli.release import Delivery, Wish, carry_out, named_table
from overbar.cli.tables.public_list import fitted, read_catalogue
from overbar.cli.verbs import WatchOptions
from overbar.frames.watching import WatchQuestion
from overbar.words.plan_report import DRY

NEEDED = ("person", "time", "catalogue", "threshold", "hits_per_person", "epsilon", "delta")
PAID_BEFORE = ["The store is there and paid for: to go on costs nothing.", DRY]
NEW_STORE = "a new store was made: the budget starts anew"


def run(options: WatchOptions) -> None:
    """Check what was typed, ask about the days that were not asked yet, and write the alarms."""
    source, columns = named_table(options)
    typed = {name: getattr(options, name) for name in NEEDED}
    all_given(**{"from": options.from_}, **typed)
    keep_apart(options, catalogue=options.catalogue)
    labels = read_catalogue(typed["catalogue"], columns.item, source.encoding)
    yesterday = datetime.now().astimezone().date() - timedelta(days=1)
    typed |= {"days": (options.from_, options.to or yesterday), "store": options.store}
    typed["hits_per_person"] = _check.whole("hits_per_person", options.hits_per_person)
    typed["delta_is_large"] = options.delta_is_large
    typed["persons"] = if_given(_check.whole, "persons", options.persons)

    def asked(kinds: Sequence[str] | None) -> WatchQuestion:
        fit = fitted(labels, *kinds[1:]) if kinds else labels
        return WatchQuestion.of(**{**typed, "item": columns.item, "catalogue": fit})

    question = asked(None)  # what is wrong is said before it is saved
    went_on = question.goes_on
    wish = Wish(asked, Delivery.of(options), len(labels), budget=PAID_BEFORE * went_on)
    try:
        carry_out(options, source, replace(columns, time=options.time), wish)
    except Stopped:
        if options.store is None:
            raise
        raise Stopped(
            "stopped: what was asked so far is in the store, with its alarms; the same command "
            "goes on behind it"
        ) from None
    finally:
        if question.goes_on and not went_on:
            complain(NEW_STORE)
