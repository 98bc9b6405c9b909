"""A report: a title and sections of sentences, pairs, a table and curves; and all of it as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from overbar._fields import Form


@dataclass(frozen=True)
class Gauge:
    """A number as a bar; all lengths are shares of the whole scale.

    Parameters
    ----------
    share : float
        How far the bar goes.
    label : str
        The same in words, for those who do not see it.
    low, high : float, optional
        The ends of an interval on top of it.
    """

    share: float
    label: str
    low: float | None = None
    high: float | None = None

    @property
    def is_plain(self) -> bool:
        """Whether letters can show all of it."""
        return self.high is None


@dataclass(frozen=True)
class ReportTable:
    """A table; one of a single column is a numbered list.

    Parameters
    ----------
    head : tuple of str
        What the columns are called.
    rows : tuple of tuples
        Texts and gauges.
    caption : str, default ""
        What it shows.
    words : int, default 1
        So many columns at the left hold words; the others hold numbers.
    looks : tuple of str, optional
        Which rows stand out: "chosen" or "" for each.
    """

    head: tuple[str, ...]
    rows: tuple[tuple[str | Gauge, ...], ...]
    caption: str = ""
    words: int = 1
    looks: tuple[str, ...] = ()

    def look(self, row: int) -> str:
        """Return how a row stands out."""
        return self.looks[row] if self.looks else ""


@dataclass(frozen=True)
class Series:
    """One curve of a picture, from left to right; the chosen one is drawn on top."""

    name: str
    points: tuple[tuple[float, float], ...]
    chosen: bool = False


@dataclass(frozen=True)
class Curve:
    """A picture of shares against a number; `label` says in words what it shows."""

    title: str
    axis: str
    label: str
    series: tuple[Series, ...]


@dataclass(frozen=True)
class Mark:
    """A place on a line, and what is written there."""

    at: float
    words: tuple[str, ...]


@dataclass(frozen=True)
class Scale:
    """A picture of a line of numbers on which three places are marked.

    Parameters
    ----------
    label : str
        What it shows, for those who do not see it.
    start, end : float
        The ends of the line.
    low, high : Mark
        Where it begins and ends to be open what happens.
    middle : Mark
        What both are compared with.
    with_dots : bool, default False
        Whether there are dots on it: empty up to `low`, full from `high` on, half full between.
    """

    label: str
    start: float
    end: float
    low: Mark
    high: Mark
    middle: Mark
    with_dots: bool = False


@dataclass(frozen=True, kw_only=True)
class Section:
    """A part of a report, in the order in which it is read.

    `lead` stands out, `warnings` do so too, and `notes` are small print below all else. `code` is
    to be copied as it is. What is `folded` is for researchers and reviewers: a page shows it on
    demand.
    """

    name: str
    title: str = ""
    lead: str = ""
    warnings: tuple[str, ...] = ()
    sentences: tuple[str, ...] = ()
    scale: Scale | None = None
    pairs: tuple[tuple[str, str | Gauge], ...] = ()
    curves: tuple[Curve, ...] = ()
    table: ReportTable | None = None
    notes: tuple[str, ...] = ()
    code: tuple[str, ...] = ()
    folded: bool = False


@dataclass(frozen=True)
class Report:
    """All that is said about a plan, an answer, a look at a table or a budget.

    Parameters
    ----------
    title : str
        What it is about.
    sections : tuple of Section
        Its parts.
    summary : str, default ""
        All of it in one line.
    fields : dict, optional
        The same for programs: exact numbers under names that stay.
    """

    title: str
    sections: tuple[Section, ...]
    summary: str = ""
    fields: Mapping[str, Any] = field(default_factory=dict)

    def section(self, name: str) -> Section:
        """Return the section of this name; an empty one if there is none."""
        return next((part for part in self.sections if part.name == name), Section(name=name))


def _same(_: str, value: object) -> Any:
    return value


#: Texts and numbers are what they are.
PLAIN = (str, bool, float, int)
FORM = Form(dict.fromkeys(PLAIN, lambda value: value), dict.fromkeys(PLAIN, _same))


def json_text(report: Report) -> str:
    """Return the fields of a report, and under ``report`` what is said in words."""
    sections = FORM.write(report.sections)
    words = {"title": report.title, "sections": sections, "summary": report.summary}
    whole = {**report.fields, "report": words}
    return json.dumps(whole, indent=2, ensure_ascii=False, allow_nan=False, default=str) + "\n"


def report_of(text: str) -> Report:
    """Return the report that was written as JSON."""
    fields = json.loads(text)
    words = fields.pop("report")
    sections = FORM.read(tuple[Section, ...], words["sections"], "sections")
    return Report(words["title"], sections, words["summary"], fields)
