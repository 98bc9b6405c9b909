"""A report as HTML. Every tag of every page comes from here.

A page is one file without scripts, readable in light and dark, on a desk, a phone and paper. Texts
are escaped here and cannot steer what shows the page; what is called `body` is HTML already.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cache
from html import escape
from importlib import resources

from overbar.report.as_text import clean, visible
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

#: How many lines of a picture can be told apart by colour and dashes.
LINE_STYLES = 6
#: How wide a gauge is.
GAUGE = 160
WIDTH, HEIGHT = 460, 300
LEFT, RIGHT, TOP, BOTTOM = 52, 14, 12, 48
#: How far a line of numbers is from the edge and from the top, and how many dots there are on it.
EDGE, ON_LINE, DOTS = 8, 46, 16
#: How wide a letter is in a picture, about.
LETTER = 6.8
FOLDED = "For researchers and reviewers"
#: A table of more columns than this is shown as cards where there is no room for it.
MOST_COLUMNS = 5


def report_page(report: Report) -> str:
    """Return a report as a whole page."""
    head = (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f"<title>{_safe(report.title)}</title><style>{style_sheet()}</style></head>"
        "<body><main>"
    )
    parts = (head, f"<h1>{_safe(report.title)}</h1>", sections(report))
    return "\n".join([*filter(None, parts), "</main></body></html>\n"])


def sections(report: Report, within: str = "") -> str:
    """Return the sections of a report; where several are on one page, `within` keeps ids apart."""
    shown = [_section(part, within) for part in report.sections if not part.folded]
    more = [_section(part, within) for part in report.sections if part.folded]
    summary = f"<summary>{FOLDED}</summary>"
    details = [f'<details class="more">{summary}\n', *more, "</details>"] if more else []
    return "\n".join([*shown, *details])


def notebook_html(report: Report) -> str:
    """Return a report for a notebook, which has a style sheet of its own."""
    parts = []
    for part in report.sections:
        parts += [f"<h4>{_safe(part.title)}</h4>" if part.title else "", _body(part)]
    return f"<div>{paragraphs([report.summary])}{''.join(parts)}</div>"


@cache
def style_sheet() -> str:
    """Return the style sheet of all pages."""
    return resources.files("overbar.report").joinpath("report.css").read_text(encoding="utf-8")


def redirection(address: str) -> str:
    """Return a page that leads to another."""
    return f'<meta http-equiv="refresh" content="0; url={escape(address)}">'


def paragraphs(lines: Iterable[str], look: str = "") -> str:
    """Return one paragraph for each text."""
    opening = f'<p class="{look}">' if look else "<p>"
    return "".join(f"{opening}{_safe(line)}</p>" for line in lines if line)


def pairs(items: Iterable[tuple[str, str | Gauge]]) -> str:
    """Return names with their values; a name without a value is left out."""
    shown = [(name, value) for name, value in items if value]
    inside = "".join(f"<dt>{_safe(name)}</dt><dd>{_content(value)}</dd>" for name, value in shown)
    return f"<dl>{inside}</dl>" if inside else ""


def _safe(text: str) -> str:
    return escape(visible(text))


def _section(part: Section, within: str) -> str:
    """Return a section that its heading names."""
    if not part.title:
        return f"<div>{_body(part)}</div>"
    name = f"{within}{part.name}"
    heading = f'<h2 id="{name}">{_safe(part.title)}</h2>'
    return f'<section aria-labelledby="{name}">{heading}\n{_body(part)}</section>'


def _body(part: Section) -> str:
    return "".join(
        [
            paragraphs([part.lead], "promise"),
            paragraphs(part.warnings, "warning"),
            paragraphs(part.sentences),
            "" if part.scale is None else _scale(part.scale),
            pairs(part.pairs),
            _pictures(part.curves),
            "" if part.table is None else _table(part.table),
            paragraphs(part.notes, "soft"),
            *(f"<pre><code>{escape(clean(code))}</code></pre>" for code in part.code),
        ]
    )


def _table(shown: ReportTable) -> str:
    """Return a table that can be scrolled, or as cards where there is no room for it."""
    if len(shown.head) == 1:
        items = "".join(f"<li>{_content(content)}</li>" for (content,) in shown.rows)
        return f'<ol class="answer">{items}</ol>' if items else ""
    top = "".join(
        f'<th scope="col"{" class=number" if place >= shown.words else ""}>{_safe(name)}</th>'
        for place, name in enumerate(shown.head)
    )
    label = f' role="group" aria-label="{_safe(shown.caption)}"' if shown.caption else ""
    title = f"<caption>{_safe(shown.caption)}</caption>" if shown.caption else ""
    look = " class=cards" if len(shown.head) > MOST_COLUMNS else ""
    rows = "".join(_row(shown, number) for number in range(len(shown.rows)))
    return (
        f'<div class="scroll" tabindex="0"{label}><table{look}>{title}'
        f"<thead><tr>{top}</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _row(shown: ReportTable, number: int) -> str:
    """Return a row; for cards with a name in each cell."""
    look = f" class={shown.look(number)}" if shown.look(number) else ""
    cells = []
    for place, (name, content) in enumerate(zip(shown.head, shown.rows[number], strict=True)):
        numeric = " class=number" if place >= shown.words else ""
        kind = " class=bar" if isinstance(content, Gauge) else numeric
        named = f' data-name="{_safe(name)}"' if place and len(shown.head) > MOST_COLUMNS else ""
        cells.append(f"<td{kind}{named}>{_content(content)}</td>")
    return f"<tr{look}>{''.join(cells)}</tr>"


def _content(content: str | Gauge) -> str:
    return _gauge(content) if isinstance(content, Gauge) else _safe(content)


def _gauge(gauge: Gauge) -> str:
    """Draw a bar in the colours of the text around it, so that it needs no style sheet."""
    end = GAUGE * gauge.share
    drawn = f'<rect x="0" y="2" width="{end:.1f}" height="8" fill="currentColor" opacity=".3"/>'
    if gauge.low is not None and gauge.high is not None:
        first, last = GAUGE * gauge.low, GAUGE * gauge.high
        drawn += _stroke(f"M{first:.1f} 6H{last:.1f}M{first:.1f} 3V9M{last:.1f} 3V9")
    else:
        drawn += _stroke(f"M0 2H{GAUGE}V10H0Z", 0.5)
    return (
        f'<svg class="gauge" viewBox="0 0 {GAUGE} 12" width="{GAUGE}" height="12" role="img" '
        f'aria-label="{_safe(gauge.label)}">{drawn}</svg>'
    )


def _stroke(path: str, width: float = 1.5) -> str:
    return f'<path d="{path}" stroke="currentColor" stroke-width="{width}" fill="none"/>'


def _scale(scale: Scale) -> str:
    """Draw a line of numbers in the colours of the text around it."""

    def x(place: float) -> float:
        return EDGE + (WIDTH - 2 * EDGE) * (place - scale.start) / (scale.end - scale.start)

    low, high, middle = (x(mark.at) for mark in (scale.low, scale.high, scale.middle))
    parts = [
        f'<rect x="{low:.1f}" y="{ON_LINE - 11}" width="{high - low:.1f}" height="22" '
        'fill="currentColor" opacity=".13"/>',
        _stroke(f"M{EDGE} {ON_LINE}H{WIDTH - EDGE}", 1),
        _stroke(
            f"M{low:.1f} {ON_LINE - 13}V{ON_LINE + 15}M{high:.1f} {ON_LINE - 13}V{ON_LINE + 15}"
        ),
        _stroke(f"M{middle:.1f} {ON_LINE - 22}V{ON_LINE + 13}", 3),
    ]
    for number in range(DOTS if scale.with_dots else 0):
        place = EDGE + (WIDTH - 2 * EDGE) * (number + 0.5) / DOTS
        full = "1" if place >= high else "0" if place <= low else ".4"
        parts.append(
            f'<circle cx="{place:.1f}" cy="{ON_LINE}" r="5" fill="var(--paper, white)"/>'
            f'<circle cx="{place:.1f}" cy="{ON_LINE}" r="5" stroke="currentColor" '
            f'stroke-width="1.5" fill="currentColor" fill-opacity="{full}"/>'
        )
    # Words stand outside of the marks, and inside where there is no room.
    below, half = ON_LINE + 32, _room(scale.middle) / 2
    to_left, to_right = low > _room(scale.low), high < WIDTH - _room(scale.high)
    parts += _words(scale.middle, min(max(middle, half), WIDTH - half), 14, "middle")
    parts += _words(scale.low, low, below, "end" if to_left else "start")
    parts += _words(scale.high, high, below, "start" if to_right else "end")
    return (
        f'<figure class="scale"><svg viewBox="0 0 {WIDTH} {ON_LINE + 56}" role="img" '
        f'aria-label="{_safe(scale.label)}">{"".join(parts)}</svg></figure>'
    )


def _room(mark: Mark) -> float:
    return LETTER * max(map(len, mark.words), default=0)


def _words(mark: Mark, x: float, y: float, anchor: str) -> list[str]:
    return [
        f'<text x="{x:.1f}" y="{y + 17 * number}" text-anchor="{anchor}" fill="currentColor">'
        f"{_safe(line)}</text>"
        for number, line in enumerate(mark.words)
    ]


def _pictures(curves: Sequence[Curve]) -> str:
    if not curves:
        return ""
    series = curves[0].series
    items = "".join(
        '<li><svg viewBox="0 0 40 12" aria-hidden="true">'
        f'<line class="curve s{look}" x1="0" y1="6" x2="40" y2="6"/></svg>{_safe(one.name)}</li>'
        for look, one in _looks(series)
    )
    key = f'<ul class="key" aria-label="Methods">{items}</ul>'
    return f'<div class="plots">{"".join(map(_picture, curves))}</div>{key}'


def _picture(curve: Curve) -> str:
    """Return a figure of one share against a number, a curve for each method."""
    places = [place for one in curve.series for place, _ in one.points]
    start, end = min(places), max(places)
    if start == end:  # where all are found there is no distance to speak of
        end = start + 1

    def x(place: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * (place - start) / (end - start)

    def y(share: float) -> float:
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * share

    parts = []
    for percent in (0, 25, 50, 75, 100):
        at, rule = y(percent / 100), "rule" if percent else "axis"
        parts.append(
            f'<line class="{rule}" x1="{LEFT}" y1="{at:.1f}" x2="{WIDTH - RIGHT}" y2="{at:.1f}"/>'
            f'<text x="{LEFT - 7}" y="{at + 4.5:.1f}" text-anchor="end">{percent} %</text>'
        )
    for tick in _ticks(start, end):
        parts.append(
            f'<line class="axis" x1="{x(tick):.1f}" y1="{y(0):.1f}" x2="{x(tick):.1f}" '
            f'y2="{y(0) + 5:.1f}"/><text x="{x(tick):.1f}" y="{y(0) + 20:.1f}" '
            f'text-anchor="middle">{tick:,.6g}</text>'
        )
    middle = (LEFT + WIDTH - RIGHT) / 2
    parts.append(
        f'<text x="{middle}" y="{HEIGHT - 8}" text-anchor="middle">{_safe(curve.axis)}</text>'
    )
    for look, one in reversed(_looks(curve.series)):  # the chosen one is drawn last
        points = " ".join(f"{x(place):.1f},{y(share):.1f}" for place, share in one.points)
        parts.append(f'<polyline class="curve s{look}" points="{points}"/>')
    return (
        f"<figure><figcaption>{_safe(curve.title)}</figcaption>"
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{_safe(curve.label)}">'
        f"{''.join(parts)}</svg></figure>"
    )


def _looks(series: Sequence[Series]) -> list[tuple[int, Series]]:
    """Return the style of each line; the chosen one comes first and is the solid one."""
    others = [one for one in series if not one.chosen]
    chosen = [(0, one) for one in series if one.chosen]
    return [*chosen, *((1 + n % (LINE_STYLES - 1), one) for n, one in enumerate(others))]


def round_step(rough: float) -> Fraction:
    """Return the nearest of 1, 2 and 5 times a power of ten.

    >>> round_step(86.0), round_step(0.3)
    (Fraction(100, 1), Fraction(1, 5))
    """
    power = Fraction(10) ** math.floor(math.log10(rough))
    return min((power * size for size in (1, 2, 5, 10)), key=lambda one: abs(float(one) - rough))


def _ticks(start: float, end: float) -> list[float]:
    """Return round numbers, about five of them, above where the axis begins.

    >>> _ticks(0.0, 430.0)
    [0.0, 100.0, 200.0, 300.0, 400.0]
    """
    step = float(round_step((end - start) / 5))
    first, last = math.ceil(start / step - 1e-9), math.floor(end / step + 1e-9)
    return [step * number for number in range(first, last + 1)]
