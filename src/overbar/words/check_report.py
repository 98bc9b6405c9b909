"""What is said about a look at a table, for its owner's eyes alone. It is **not private**.

Every report says so at its beginning and at its end.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from overbar.frames.owner_check import SHARES, WARNING, OwnerCheck
from overbar.report import Gauge, Report, ReportTable, Section

MORE = "to see more, say what is counted and whose row it is: add --item COLUMN and --person COLUMN"
MARK = Section(name="not-private", warnings=(WARNING,))


def check_report(check: OwnerCheck) -> Report:
    """Return true numbers about the rows of a table."""
    numbers: list[tuple[str, int | None]] = [
        *_rows(check.rows, check.left_out),
        ("rows that count", check.counted),
        ("items", check.items),
        ("persons", check.persons),
        ("rows without a number", check.no_number),
        ("entries of the catalogue", check.listed),
        ("of these occur", check.occurring),
        ("rows with another item", check.unlisted_rows),
    ]
    pairs = [(name, f"{number:,}") for name, number in numbers if number is not None]
    sections = []
    if check.persons:
        shares = (f"{check.share_has(share):,} ({share} %)" for share in SHARES)
        pairs.append(("items of a person, at most", ", ".join(shares)))
        sections.append(_histogram(check))
    if check.largest is not None:
        rows = tuple((str(label), f"{count:,}") for label, count in check.largest)
        table = ReportTable(("item", "true count"), rows)
        sections.append(
            Section(name="largest", title="true counts of the largest items", table=table)
        )
    if check.notes:
        sections.append(Section(name="notes", notes=check.notes))
    return Report(
        "",
        (MARK, Section(name="rows", pairs=tuple(pairs)), *sections, MARK),
        fields=check.to_dict(),
    )


def outline_report(
    rows: int, left_out: Mapping[str, int], columns: Sequence[str], hint: str = ""
) -> Report:
    """Return what a file has, before any column is named."""
    pairs = tuple((name, f"{count:,}") for name, count in _rows(rows, left_out))
    return Report(
        "",
        (
            MARK,
            Section(name="rows", pairs=pairs),
            Section(
                name="columns",
                title="columns",
                table=ReportTable(("name",), tuple((name,) for name in columns)),
                notes=(MORE, *filter(None, [hint])),
            ),
            MARK,
        ),
        fields={
            "not_private": WARNING,
            "rows": rows,
            "left_out": dict(left_out),
            "columns": list(columns),
        },
    )


def _rows(rows: int, left_out: Mapping[str, int]) -> list[tuple[str, int]]:
    return [("rows", rows), *((f"left out: {why}", count) for why, count in left_out.items())]


def _histogram(check: OwnerCheck) -> Section:
    """Return how many persons have how many items, in classes that grow."""
    classes: Counter[int] = Counter()
    for items, persons in check.per_person.items():
        classes[1 << (items - 1).bit_length()] += persons
    most = max(classes.values(), default=1)
    rows = tuple(
        (
            f"{1 + high // 2:,} to {high:,}" if high > 2 else str(high),
            f"{count:,}",
            Gauge(count / most, f"{count:,} persons"),
        )
        for high, count in classes.items()
    )
    return Section(
        name="per-person",
        title="items of a person, and how many persons have so many",
        table=ReportTable(("items", "persons", ""), rows, words=0),
    )
