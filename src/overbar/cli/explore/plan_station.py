"""The plan station: what a question would guarantee, find and cost. It reads no data.

Everything is computed by what ``overbar plan`` uses. A plan with δ and the other methods take up to
a second; so a first look without them comes at once, and says so, while the rest is computed in a
process of its own. Plans are kept by their public numbers: a slider that moves back is answered at
once.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from fractions import Fraction
from html import escape
from math import ceil
from multiprocessing import parent_process
from typing import Any

from overbar import _check, _html
from overbar._numbers import exact_text, short_text
from overbar.cli.explore.copies import key_copies, options_of, plan_copies
from overbar.cli.options import if_given
from overbar.cli.output.forecast import ENOUGH, Forecast, Planned, margin_words
from overbar.cli.output.plot import key, plot
from overbar.cli.output.words import (
    Statement,
    percent,
    plan_pairs,
    promise_about,
    rounded_up,
    what_it_does,
)
from overbar.cli.plan_command import PlanOptions
from overbar.cli.planned import asked_of
from overbar.cli.planned_keys import PlannedKeys, planned_keys
from overbar.errors import OverbarError
from overbar.ledger import Ledger
from overbar.ledger.charges import reserved
from overbar.plans import Plan

#: How many plans are kept.
KEPT = 1000
SHARE = f"{float(100 * ENOUGH):g} %"


@dataclass(frozen=True)
class PlanStation:
    """Answers what a plan gives, with what it would leave of a ledger's budget."""

    ledger: Ledger | None = None
    worker: Executor | None = None
    _kept: dict[tuple[PlanOptions, bool], Planned] = field(default_factory=dict)

    def answer(self, asked: Mapping[str, str]) -> dict[str, Any]:
        """Return all that the station shows; with `look` "first", what can be computed at once."""
        options = options_of(asked)
        persons = if_given(_check.whole, "persons", asked.get("persons") or None)
        if options.keys:
            keys = planned_keys(options)
            budget = self._budget(keys.said, *keys.cost, asked.get("dataset"))
            html, copied = "".join(_key_parts(keys, persons, budget)), key_copies(options)
            return {"html": html, "whole": True, "level": None, "copies": copied}
        note, made = "", self._kept.get((options, False))
        if made is None and asked.get("look") == "first":
            note = "Curves and other mechanisms follow."
            if options.delta:
                note = f"A first look at δ = 0. The plan with δ = {options.delta} follows."
            made = self._made(replace(options, delta=None, unlisted=False), alone=True)
        elif made is None:
            made = self._made(options, alone=False)
        unlisted = Fraction(made.said.unlisted or 0)
        budget = self._budget(made.said, made.plan, unlisted, asked.get("dataset"))
        return {
            "html": "".join(_parts(made, persons, note, budget)),
            "whole": not note,
            "level": None if made.seen is None else exact_text(made.seen.chosen.enough_at),
            "copies": {} if note else plan_copies(options, made),
        }

    def _made(self, options: PlanOptions, *, alone: bool) -> Planned:
        found = self._kept.get((options, alone))
        if found is None:
            if alone or self.worker is None:
                found = planned(options, alone=alone)
            else:
                found = self.worker.submit(planned, options, alone=alone).result()
            if len(self._kept) >= KEPT:
                self._kept.clear()
            self._kept[options, alone] = found
        return found

    def _budget(
        self, said: Statement, plan: Plan, unlisted: Fraction, dataset: str | None
    ) -> list[str]:
        """Say what a run costs, and what it would leave."""
        besides = "" if said.pure else f" and δ = {rounded_up(said.total_delta)}"
        lines = [f"A run costs at most ε = {short_text(said.epsilon)}{besides}."]
        if self.ledger is None or not dataset:
            return [*lines, "No ledger pays: start with --ledger to see what would be left."]
        account = self.ledger.standing(dataset)
        lines.append(f"Of {account.granted} for {dataset}, {account.left} is left.")
        if account.is_closed:
            return [*lines, f"{dataset} is closed: nothing more is spent on it."]
        try:
            then, _, _ = reserved(account, plan, unlisted)
        except OverbarError as error:
            return [*lines, f"This run does not fit: {error.as_typed()}"]
        return [*lines, f"After this run {then.left} would be left."]


def planned(options: PlanOptions, *, alone: bool) -> Planned:
    """Return the plan alone, or with curves and other mechanisms."""
    return asked_of(options).planned(curves=not alone, alone=alone)


def ends_with_page() -> None:
    """Have the process of whole plans leave Ctrl-C to the page, and end with it, even killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = parent_process()
    assert parent is not None

    def wait() -> None:
        parent.join()
        os._exit(0)

    threading.Thread(target=wait, daemon=True).start()


def _parts(made: Planned, persons: int | None, note: str, budget: list[str]) -> Iterator[str]:
    plan, said = made.plan, made.said
    if note:
        yield f'<p class="note" data-first>{escape(note)}</p>'
    yield from _first_parts(*_level(made, persons), promise_about(plan, said), said, budget)
    if made.seen is not None:
        yield from _accuracy(made, made.seen)
    pairs = _html.pairs(plan_pairs(plan, made.threshold))
    yield _html.section("numbers", "The plan", _html.paragraphs([what_it_does(plan)]), pairs)


def _key_parts(made: PlannedKeys, persons: int | None, budget: list[str]) -> Iterator[str]:
    weak = _weak(made.said, persons)
    found, _, besides = made.sentence.partition(". ")
    yield from _first_parts(f"{found.rstrip('.')}.", weak, made.promise, made.said, budget)
    if besides:
        yield _html.section("accuracy", "What accuracy to expect", _html.paragraphs([besides]))
    yield _html.section("numbers", "The plan", _html.pairs(made.pairs))


def _first_parts(
    found: str, warnings: list[str], promised: list[str], said: Statement, budget: list[str]
) -> Iterator[str]:
    """Return what every question says: what is found, what it protects, what it costs."""
    first, *rest = promised
    yield _html.section(
        "level",
        "What is found",
        _html.paragraphs([found], "promise"),
        _html.paragraphs(warnings, "warning"),
    )
    yield _html.section(
        "learns",
        "What an attacker learns",
        _html.paragraphs([first], "promise"),
        f"<details><summary>Precisely</summary>{_html.paragraphs([*rest, f'{said}.'])}</details>",
    )
    yield _html.section("left", "The budget", _html.paragraphs(budget))


def _weak(said: Statement, persons: int | None) -> list[str]:
    if persons is None or said.total_delta * persons <= 1:
        return []
    return ["δ is above one in the number of persons: that protects little."]


def _level(made: Planned, persons: int | None) -> tuple[str, list[str]]:
    """Say from which score on most are found, and what looks wrong with the numbers."""
    warnings = _weak(made.said, persons)
    if made.seen is None:
        return made.unseen, warnings
    margin = made.seen.chosen.enough_at
    score = None if made.threshold is None else made.threshold + margin
    if score is None:
        what = "if they" if made.plan.for_top else "that"
        text = f"{SHARE} are found {what} are a margin of {short_text(margin)} "
        text += (
            "above the line between them and the rest."
            if made.plan.for_top
            else ("above the threshold.")
        )
    else:
        share = "" if persons is None else f" ({percent(float(score / persons))} of all persons)"
        text = f"{SHARE} of the items that {ceil(score):,} persons{share} or more have are found."
    if score is not None and persons is not None and score > persons:
        warnings.append("No item can have so many persons: raise ε, or lower the threshold.")
    return text, warnings


def _accuracy(made: Planned, seen: Forecast) -> Iterator[str]:
    """Return the chance to be found by score, and the mechanisms side by side."""
    start, axis = (Fraction(0), "margin")
    if made.threshold is not None:
        start, axis = made.threshold, "score"
    head = [axis, "found"]
    rows = [[short_text(start + margin), percent(found.above)] for margin, found in seen.rows]
    figures = ""
    if seen.chosen.points:
        words = f"against the {axis}; the table has the numbers"
        look: dict[str, Any] = {"start": float(start), "axis": axis}
        figure = plot("Chance to be found", seen.lines, f"Chance to be found {words}", **look)
        figures = f'<div class="plots">{figure}</div>{key(seen.lines)}'
    yield _html.section(
        "accuracy",
        "What accuracy to expect",
        _html.paragraphs([f"Computed without data. {margin_words(made.plan)}"], "soft"),
        _html.table(head, map(_row, rows), caption=f"By {axis}", first=0),
        figures,
    )
    if len(seen.lines) > 1:
        ways = ["mechanism", "scale", "on threshold", f"margin for {SHARE}"]
        lines = (
            _row(row, line.chosen) for row, line in zip(seen.by_method(), seen.lines, strict=True)
        )
        yield _html.section(
            "ways", "The same privacy by other mechanisms", _html.table(ways, lines, look="ways")
        )


def _row(texts: list[str], chosen: bool = False) -> str:
    cells = "".join(_html.cell(text, number=not text[:1].isalpha()) for text in texts)
    return f"<tr{' class=chosen' if chosen else ''}>{cells}</tr>"
