"""A report as lines of text, each with how it stands out. No line can steer a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import replace
from unicodedata import east_asian_width

from overbar.report.report import Gauge, Report, ReportTable, Section

#: Lines are no longer than this, however wide a screen is.
WIDEST = 88
#: How many letters a gauge has.
GAUGE = 24
#: A column of words is no narrower than this.
NARROWEST = 8
#: Where no line ends: a number and its sign of per cent stay together, and what ε, δ and ρ are.
UNBROKEN = (" %", "ε = ", "δ = ", "ρ = ")
LOOKS = {"chosen": "bold"}
#: A line, and how it looks: "", "bold" or "dim".
Styled = tuple[str, str]


def lines(report: Report, width: int = WIDEST, most: int | None = None) -> list[Styled]:
    """Return all of a report; tables may be as wide as `most`."""
    whole = [*_wrapped(report.title, width, "", "bold")]
    for section in report.sections:
        whole += [("", ""), *_section(section, width, most or width)]
    if report.summary:
        whole += [("", ""), *_wrapped(report.summary, width, "")]
    return whole if report.title else whole[1:]


def brief(
    report: Report, width: int = WIDEST, most: int | None = None, *, wrap: bool = False
) -> Iterator[Styled]:
    """Yield what came out, what it cost, the sentences that stand out, and where it is written.

    What came out and what it cost are one line, for a search, unless it is to `wrap`.
    """
    for section in report.sections:
        if section.table is not None:
            yield from _table(section.table, most or width, "")
    summary = visible(report.summary)
    yield from _wrapped(summary, most or width, "") if wrap else [(summary, "")]
    for section in report.sections:
        if section.lead:
            yield from _wrapped(section.lead, width, "")
        yield from ((visible(sentence), "bold") for sentence in section.warnings)
    record = replace(report.section("record"), title="", notes=(), code=())
    yield from _section(record, width, width)


def plain_text(report: Report) -> str:
    """Return all of a report as text without looks."""
    return "\n".join(text for text, _ in lines(report))


def _section(section: Section, width: int, most: int) -> Iterator[Styled]:
    if section.title:
        yield from _wrapped(section.title, width, "", "bold")
    for sentence in section.warnings:  # whole, so that they are found by a search
        yield visible(sentence), "bold"
    for sentence in (section.lead, *section.sentences):
        yield from _wrapped(sentence, width, "  ")
    pairs = [(visible(name), value) for name, value in section.pairs if value]
    longest = max((len(name) for name, _ in pairs), default=0)
    for name, value in pairs:
        text = f"{_bar(value)} {value.label}" if isinstance(value, Gauge) else value
        yield from _wrapped(text, width, f"  {name:<{longest}}  ")
    if section.table is not None:
        if section.table.caption:
            yield from _wrapped(section.table.caption, width, "  ")
        yield from _table(section.table, most, "  " if section.title else "")
    for sentence in section.notes:
        yield from _wrapped(sentence, width, "  - ")
    for text in "\n".join(section.code).split("\n") if section.code else ():
        yield f"  {visible(text)}", ""


def _wrapped(text: str, width: int, first: str, look: str = "") -> Iterator[Styled]:
    """Yield a paragraph; `first` opens it, and the other lines are indented as far."""
    joined = visible(text)
    for part in UNBROKEN:
        joined = joined.replace(part, part.replace(" ", "\u00a0"))
    indent = " " * len(first)
    for line in textwrap.wrap(
        joined, width, initial_indent=first, subsequent_indent=indent, break_on_hyphens=False
    ):
        yield line.replace("\u00a0", " "), look


def _table(table: ReportTable, most: int, indent: str) -> Iterator[Styled]:
    if not table.rows:
        return
    head, rows, words = table.head, table.rows, table.words
    if len(head) == 1:
        head, words = ("", *head), 2
        rows = tuple((str(place), *row) for place, row in enumerate(rows, 1))
    # What cannot be shown by letters is there in words beside it.
    shown = [
        place
        for place in range(len(head))
        if not isinstance(cell := rows[0][place], Gauge) or cell.is_plain
    ]
    texts = [[_text(row[place]) for place in shown] for row in (head, *rows)]
    widths = [max(map(columns, column)) for column in zip(*texts, strict=True)]
    spare = most - len(indent) - sum(widths) - 2 * (len(widths) - 1)
    while spare < 0:  # the widest column of words is folded
        widest = max(range(min(words, len(widths))), key=widths.__getitem__)
        if widths[widest] <= NARROWEST:
            break
        cut = min(-spare, widths[widest] - NARROWEST)
        widths[widest], spare = widths[widest] - cut, spare + cut
    for number, row in enumerate(texts, -1):
        look = "dim" if number < 0 else LOOKS.get(table.look(number), "")
        yield from ((indent + line, look) for line in _row(row, widths, words))


def _row(cells: Sequence[str], widths: Sequence[int], words: int) -> Iterator[str]:
    """Yield the lines of a row: words to the left, and numbers to the right."""
    folded = [_folded(cell, width) for cell, width in zip(cells, widths, strict=True)]
    for number in range(max(map(len, folded))):
        parts = []
        for place, (cell, width) in enumerate(zip(folded, widths, strict=True)):
            text = cell[number] if number < len(cell) else ""
            blank = " " * (width - columns(text))
            to_left = place < words and not cells[place].isdigit()
            parts.append(text + blank if to_left else blank + text)
        yield "  ".join(parts).rstrip()


def _folded(text: str, width: int) -> list[str]:
    """Return a text in lines that are no wider than this."""
    if columns(text) <= width:
        return [text]
    return textwrap.wrap(text, width, break_on_hyphens=False) or [""]


def _text(cell: str | Gauge) -> str:
    return _bar(cell) if isinstance(cell, Gauge) else visible(cell)


def _bar(gauge: Gauge) -> str:
    return ("█" * round(GAUGE * gauge.share)).ljust(GAUGE, "·")


def columns(text: str) -> int:
    """Return how many columns of a screen a text takes."""
    return sum(2 if east_asian_width(letter) in "WF" else 1 for letter in text)


def visible(text: str) -> str:
    r"""Write a text so that it cannot steer a terminal.

    >>> visible("tea\x1b[31m")
    'tea\\x1b[31m'
    """
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode()
        for letter in text
    )


def clean(text: str) -> str:
    r"""Write a text so that it cannot steer a terminal; its lines stay lines.

    >>> clean("tea\x1b[31m\nrum")
    'tea\\x1b[31m\nrum'
    """
    return "\n".join(map(visible, text.split("\n")))
