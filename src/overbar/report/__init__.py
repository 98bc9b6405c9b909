"""What is said, as plain data, and how it is shown: as text, as HTML and as JSON.

A :class:`~overbar.report.report.Report` is made by `overbar.words`, one function for each subject.
Nothing else composes a sentence, and nothing but `as_html` writes a tag. Values show themselves by
the reports that there are about them.
"""

from __future__ import annotations

from functools import singledispatch
from importlib import import_module

from overbar.report.as_html import notebook_html
from overbar.report.as_text import plain_text
from overbar.report.report import (
    Curve,
    Gauge,
    Mark,
    Report,
    ReportTable,
    Scale,
    Section,
    Series,
)

__all__ = [
    "Curve", "Gauge", "Mark", "Report", "ReportTable", "Scale", "Section", "Series",
    "html_of", "text_of",
]  # fmt: skip

#: Where the functions are. They are loaded when something is shown: no import waits for them.
WORDS = "overbar.words"


@singledispatch
def report_about(subject: object) -> Report:
    """Return what is said about a value; each kind has a function in `overbar.words`."""
    raise TypeError(f"there is no report about {type(subject).__name__}")


def html_of(subject: object) -> str:
    """Return a value as a notebook shows it."""
    import_module(WORDS)
    return notebook_html(report_about(subject))


def text_of(subject: object) -> str:
    """Return a value as text."""
    import_module(WORDS)
    return plain_text(report_about(subject))
