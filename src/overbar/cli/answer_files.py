"""The files that an answer is written to: CSV, JSON, Parquet, or a page."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

from overbar._files import write_whole
from overbar.errors import OverbarError, ParameterError
from overbar.mechanisms.keys import EVERYTHING_ELSE
from overbar.report.as_html import report_page
from overbar.report.report import json_text
from overbar.runs.selection import count_columns
from overbar.words.answer_report import answer_report
from overbar.words.released_answer import Answer, plain

#: What the ending of a file says.
KINDS = {".csv": "csv", ".json": "json", ".parquet": "parquet", ".html": "html"}
#: The column that tells the order in which items were found.
FOUND = "found"
#: Where a spreadsheet may begin another cell, even in quotes: it may not count a comma as an end.
CELL_ENDS = re.compile(r"([;\t\r\n])")
#: How a text begins that a spreadsheet may take for a formula.
FORMULA = re.compile(r'["\s]*[=+\-@＝＋－＠]')
NUMBER = re.compile(r"[+-]?[0-9]+([.,][0-9]+)?")
LARGEST_SIGNED = 2**63 - 1


class WritingError(OverbarError):
    """An answer was found and paid for, but a file could not be written."""


def checked_targets(out: list[Path]) -> list[tuple[Path, str]]:
    """Return what to write as what, before the data are touched and the budget is spent.

    That it can be written, `keep_apart` makes sure.
    """
    return [(path, _kind(path)) for path in out]


def _kind(path: Path) -> str:
    kind = KINDS.get(path.suffix.lower())
    if kind is None:
        raise ParameterError(f"--out must end in one of {', '.join(KINDS)}, got {path}")
    return kind


def save(answer: Answer, targets: list[tuple[Path, str]]) -> list[str]:
    """Write every file; return what is to say about those that cannot be written."""
    failed: list[str] = []
    for path, kind in targets:
        try:
            write_whole(path, _content(answer, kind))
        except Exception as error:  # whatever it is: the budget is spent already
            why = error.strerror if isinstance(error, OSError) else None
            failed.append(f"{path} cannot be written: {why or type(error).__name__}")
    return failed


def _content(answer: Answer, kind: str) -> str | bytes:
    if kind == "html":
        return report_page(answer_report(answer, details=True))
    if kind == "parquet":
        return parquet_bytes(answer)
    return csv_text(answer) if kind == "csv" else json_text(answer_report(answer))


def csv_text(answer: Answer) -> str:
    """Return one line an item, in the order found; none of it is a formula to a spreadsheet."""
    columns, counts = answer.columns, count_columns(answer.selection.counts)
    cells = [[_field(plain(label)) for label in column] for column in columns.values()]
    cells += [["" if end is None else str(end) for end in column] for column in counts.values()]
    lines = [[FOUND, *map(_field, columns), *counts]]
    lines += ([str(n), *row] for n, *row in zip(answer.selection.ranks, *cells, strict=True))
    if answer.rest is not None:  # without a number in front: it is no label
        rest = (str(end) for (end,) in count_columns((answer.rest,)).values())
        lines.append(["", EVERYTHING_ELSE, *rest])
    return "".join(",".join(line) + "\n" for line in lines)


def csv_changes(answer: Answer) -> list[str]:
    """Say that labels are not in a CSV as they are, if some are not."""
    words = [*answer.columns, *(plain(each) for some in answer.columns.values() for each in some)]
    changed = sum(no_formula(word) != word for word in words)
    if not changed:
        return []
    what, have = ("labels", "have") if changed > 1 else ("label", "has")
    return [
        f"{changed:,} {what} {have} an apostrophe in the CSV that the table does not have, before "
        "what a spreadsheet would compute; JSON and Parquet have labels as they are"
    ]


def _field(label: object) -> str:
    """Write a field; csv.writer leaves a CR without quotes, and what follows begins a row."""
    text = str(no_formula(label))
    quoted = any(sign in text for sign in ',;\t"\r\n')
    return '"' + text.replace('"', '""') + '"' if quoted else text


def no_formula(label: object) -> object:
    """Put an apostrophe before whatever a spreadsheet would compute; numbers stay.

    >>> no_formula("=1+1"), no_formula("@tea"), no_formula("-1.5"), no_formula(-7)
    ("'=1+1", "'@tea", '-1.5', -7)
    >>> no_formula("tea;=1+1")
    "tea;'=1+1"
    """
    if not isinstance(label, str):
        return label
    cells = CELL_ENDS.split(label)
    text = "".join(
        f"'{cell}" if FORMULA.match(cell) and not NUMBER.fullmatch(cell) else cell for cell in cells
    )
    return f"'{text}" if label.startswith(("\t", "\r", "\n")) else text


def parquet_bytes(answer: Answer) -> bytes:
    """Return the items with their own type, in the order found."""
    import pyarrow
    from pyarrow import parquet

    rest = () if answer.rest is None else (answer.rest,)
    counts = count_columns((*(answer.selection.counts or ()), *rest) or answer.selection.counts)
    last = [None] * len(rest)
    arrays = {FOUND: pyarrow.array([*answer.selection.ranks, *last], pyarrow.int64())}
    for name, labels in answer.columns.items():
        kind = None if labels else pyarrow.string()
        if any(type(label) is int and label > LARGEST_SIGNED for label in labels):
            kind = pyarrow.uint64()  # Arrow would take them for signed ones and fail
        free = "item" if name in (FOUND, *counts) else name  # these columns have their names
        while free != name and free in (*answer.question.measure.items, *arrays):
            free += "_"
        arrays[free] = pyarrow.array([*labels, *last], kind)
    table = pyarrow.table({**arrays, **counts})
    notes = {"overbar": json.dumps(answer.fields(), ensure_ascii=False)}
    content = io.BytesIO()
    parquet.write_table(table.replace_schema_metadata(notes), content)
    return content.getvalue()
