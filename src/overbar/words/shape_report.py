"""What is said about the shape of a table: a line and a small picture for each column."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import groupby

from overbar.mechanism.counting import Count
from overbar.mechanism.selection import Selection, label_columns
from overbar.plans import Plan
from overbar.plans.shape_plan import ShapePlan
from overbar.report import Gauge, ReportTable, Section

#: How many common values a line names.
SHOWN = 5
MISSING = "Missing: the share of persons who have no value there."
NO_DELTA = "not looked for, as that takes a δ"


def shape_sections(selection: Selection) -> tuple[Section, ...]:
    """Return how many persons there are, and a table for columns of numbers and one for text."""
    assert selection.counts is not None
    parts = zip(*label_columns(selection).values(), selection.counts, strict=True)
    lines = [(str(name), str(line), str(at), count) for name, line, at, count in parts]
    everybody = lines[0][-1]
    nothing = "none came out" if _looks_for_values(selection.plan) else NO_DELTA
    numbers: list[tuple[str | Gauge, ...]] = []
    texts: list[tuple[str | Gauge, ...]] = []
    for name, group in groupby(lines[1:], key=lambda line: line[0]):
        (_, _, _, persons), *rest = group
        head, values = (name, _missing(persons, everybody)), [(at, one) for _, _, at, one in rest]
        if rest and rest[0][1] != "text":
            shown = (one.shown for _, one in values)
            numbers.append((*head, *shown, _box([one.value for _, one in values])))
        else:
            texts.append((*head, *_common(values, persons, nothing)))
    shares = [at for _, line, at, _ in lines if line != "text" and at][:5]
    tables = (
        (
            "numbers",
            "Columns of numbers and days",
            (*(f"{100 * float(at):g} %" for at in shares), "picture"),
            numbers,
        ),
        ("texts", "Columns of text", ("common values, of persons with one", "together"), texts),
    )
    return (
        Section(name="answer", title="The table", lead=f"Persons: {everybody}."),
        *(
            Section(
                name=kind,
                title=title,
                table=ReportTable(
                    ("column", "missing", *head), tuple(rows), words=1 + 2 * (kind == "texts")
                ),
                notes=(MISSING,),
            )
            for kind, title, head, rows in tables
            if rows
        ),
    )


def _looks_for_values(plan: Plan) -> bool:
    """Tell whether common values of text are looked for."""
    columns = plan.columns if isinstance(plan, ShapePlan) else ()
    return all(each.plan is not None for each in columns)


def _missing(persons: Count, everybody: Count) -> str:
    """Return the share of persons without a value, by two noisy numbers."""
    share = 1 - persons.value / max(Fraction(1), everybody.value)
    return f"{100 * float(min(max(share, Fraction(0)), Fraction(1))):.1f} %"


def _box(values: Sequence[Fraction]) -> Gauge:
    """Draw quartiles between bounds."""
    low, first, middle, last, high = values
    width = max(high - low, Fraction(1, 10**9))
    ends = [float((value - low) / width) for value in (first, middle, last)]
    return Gauge(0.0, "half of all persons between the ends of the box", ends[0], ends[2], ends[1])


def _common(values: Sequence[tuple[str, Count]], persons: Count, nothing: str) -> tuple[str, Gauge]:
    """Return the most common values with their shares, or nothing, and a bar for all of them."""
    all_ = max(Fraction(1), persons.value)
    highest = sorted(values, key=lambda pair: -pair[1].value)
    parts = [
        f"{key} {100 * float(min(one.value / all_, Fraction(1))):.0f} %" for key, one in highest
    ]
    more = [f"and {len(parts) - SHOWN:,} more"] if len(parts) > SHOWN else []
    covered = min(sum((one.value for _, one in values), Fraction(0)) / all_, Fraction(1))
    return ", ".join([*parts[:SHOWN], *more]) or nothing, Gauge(
        float(covered), "share of all these values"
    )
