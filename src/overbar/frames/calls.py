"""Select from a table, or take its top: the calls an analyst makes."""

from __future__ import annotations

from typing import Any, Unpack

from overbar._check import Number
from overbar.calibration.request import Parameters
from overbar.frames.measure import measure_of
from overbar.frames.own import refuse_own_column
from overbar.frames.question import NamedColumns, Question
from overbar.frames.scoring import count_items
from overbar.ledger import Ledger
from overbar.mechanism.secrecy import sealed
from overbar.mechanism.selection import Selection
from overbar.plan import Plan


@sealed
def select(
    frame: Any,
    *,
    item: str,
    person: str | None = None,
    value: str | None = None,
    value_range: tuple[Number, Number] | None = None,
    score: str | None = None,
    catalogue: Any = None,
    items_per_person: int | None = None,
    threshold: Number,
    plan: Plan | None = None,
    order: str = "random",
    ledger: Ledger | None = None,
    dataset: str | None = None,
    request: str | None = None,
    purpose: str = "",
    **parameters: Unpack[Parameters],
) -> Selection:
    """Find the items of a table above a threshold, up to the cutoff, privately.

    Two tables are neighbours if one has all rows of one more person. Rows without an item or
    without a person are dropped.

    Parameters
    ----------
    frame
        A table of pandas, Polars (eager or lazy), PyArrow, DuckDB (a relation) or PySpark.
    item, person
        The columns that say what and whose. The score of an item is the number of persons that
        have it, however often.
    value, value_range
        A column to sum instead, and the public range that a person's sum for an item is clamped
        to. Missing values count as zero before that.
    score
        Instead of a person: a column that has the score already, with a declared `sensitivity`.
        Items are then public, and of several rows for an item the largest counts. A `value_range`
        clamps scores. Missing ones, and without a range infinite ones, are skipped; an item
        without any has a score of zero.
    catalogue
        The public list of items, all of which take part; what is not on it is ignored. **A list
        taken from the data is not public, and then nothing is guaranteed.** Without a list
        the items are read off the table, which costs some of `delta`, needs `items_per_person`,
        and keeps positions hidden.
    items_per_person
        How many items of each person count; which, is drawn by lot.
    threshold, plan, order
        As for :func:`overbar.select`; an order "given" is the catalogue's.
    ledger, dataset, request, purpose
        As for :func:`overbar.select`. The table is read before the ledger is asked, so a table
        that cannot be read costs nothing.
    parameters
        They go to :func:`overbar.calibrate`. The sensitivity follows from the columns.

    Examples
    --------
    >>> import polars
    >>> from overbar import frames
    >>> rows = polars.DataFrame({"product": ["tea", "rum"] * 5000, "customer": range(10_000)})
    >>> found = frames.select(
    ...     rows, item="product", person="customer", catalogue=["ale", "rum", "tea"],
    ...     threshold=1000, cutoff=2, epsilon=1,
    ... )
    >>> sorted(found.labels), sorted(found.indices), found.guarantee
    (['rum', 'tea'], [1, 2], PureDP(epsilon=1))
    """
    refuse_own_column(frame, catalogue)
    columns: NamedColumns = {
        "item": item,
        "person": person,
        "value": value,
        "value_range": value_range,
        "score": score,
        "items_per_person": items_per_person,
    }
    return Question.select(
        threshold=threshold,
        catalogue=catalogue,
        plan=plan,
        order=order,
        parameters=_counted(frame, columns, catalogue, plan, parameters),
        **columns,
    ).run(frame, ledger=ledger, dataset=dataset, request=request, purpose=purpose)


@sealed
def top(
    frame: Any,
    *,
    item: str,
    person: str | None = None,
    value: str | None = None,
    value_range: tuple[Number, Number] | None = None,
    score: str | None = None,
    catalogue: Any = None,
    items_per_person: int | None = None,
    upper_bound: Number | None = None,
    order: str = "random",
    ledger: Ledger | None = None,
    dataset: str | None = None,
    request: str | None = None,
    purpose: str = "",
    **parameters: Unpack[Parameters],
) -> Selection:
    """Find the top items of a table, privately: as many as the cutoff, whether high or not.

    Parameters
    ----------
    frame, item, person, value, value_range, score, items_per_person, order, ledger, dataset, \
    request, purpose
        As for :func:`select`.
    catalogue
        The public list of items. It is required, because the top is filled up with items that
        nobody has; a column of scores brings its own. **A list taken from the data is not public,
        and then nothing is guaranteed.**
    upper_bound
        A public number that no score exceeds, such as the number of persons. Far too high costs
        nothing; too low costs accuracy, never privacy.
    parameters
        As for :func:`overbar.top`.
    """
    refuse_own_column(frame, catalogue)
    return Question.top(
        upper_bound=upper_bound,
        catalogue=catalogue,
        order=order,
        parameters=parameters,
        item=item,
        person=person,
        value=value,
        value_range=value_range,
        score=score,
        items_per_person=items_per_person,
    ).run(frame, ledger=ledger, dataset=dataset, request=request, purpose=purpose)


def _counted(
    frame: Any, columns: NamedColumns, catalogue: Any, plan: Plan | None, parameters: Parameters
) -> Parameters:
    """Take the number of candidates from a column of scores, whose items are public."""
    if columns["score"] is None or catalogue is not None or plan or "candidates" in parameters:
        return parameters
    measure = measure_of(
        **columns,
        sensitivity=parameters.get("sensitivity"),
        monotonic=parameters.get("monotonic"),
    )
    return {**parameters, "candidates": max(1, count_items(frame, measure))}
