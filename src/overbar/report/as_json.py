"""A report as JSON: the numbers for programs, and the sections as data."""

from __future__ import annotations

import json
from typing import Any

from overbar._fields import Form
from overbar.report.report import Report, Section


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
