"""What is said, as plain data, and how it is shown: as text, as HTML and as JSON.

A :class:`~overbar.report.report.Report` is made by `overbar.words`, one function for each subject.
Nothing else composes a sentence, and nothing but `as_html` writes a tag.
"""

from __future__ import annotations

from overbar.report.report import Curve, Gauge, Report, ReportTable, Section, Series

__all__ = ["Curve", "Gauge", "Report", "ReportTable", "Section", "Series"]
