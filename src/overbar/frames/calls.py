"""Select from a table, or take its top: the calls an analyst makes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from overbar._check import Number
from overbar._docstrings import described_as
from overbar.calibration.request import (
    AllocationName,
    CorrectionName,
    MechanismChoice,
    NoiseName,
    ThresholdNoiseName,
)
from overbar.frames.measure import measured
from overbar.frames.own_column import refuse_own_column
from overbar.frames.scoring import count_items
from overbar.ledger import Booking
from overbar.mechanism import batch
from overbar.mechanism.batch_run import OrderName
from overbar.mechanism.secrecy import sealed
from overbar.mechanism.selection import Selection
from overbar.plans import Plan

if TYPE_CHECKING:
    from overbar.frames.question import Question


@described_as(batch.select)
@sealed
def select(
    frame: Any,
    *,
    item: str | Sequence[str],
    person: str | None = None,
    threshold: Number,
    epsilon: Number | None = None,
    cutoff: int | None = None,
    delta: Number = 0,
    catalogue: Any = None,
    by: str | None = None,
    groups: Any = None,
    groups_per_person: int | None = None,
    items_per_person: int | None = None,
    value: str | None = None,
    value_range: tuple[Number, Number] | None = None,
    score: str | None = None,
    sensitivity: Number | None = None,
    monotonic: bool | None = None,
    plan: Plan | None = None,
    booking: Booking | None = None,
    candidates: int | None = None,
    noise: NoiseName = "auto",
    threshold_noise: ThresholdNoiseName = "auto",
    correction: CorrectionName | Number = "halfway",
    tolerance: Number = 0,
    rounds: int | None = 1,
    allocation: AllocationName | Number = "variance",
    resample: bool = False,
    max_queries: int | None = None,
    grid: Number | None = None,
    mechanism: MechanismChoice = "auto",
    counts: bool | Number = False,
    order: OrderName | None = None,
) -> Selection:
    """Find the items of a table above a threshold, up to the cutoff, privately.

    Two tables are neighbours if one has all rows of one more person. Rows without an item or
    without a person are dropped.

    Parameters
    ----------
    frame : table
        A table of pandas, Polars (eager or lazy), PyArrow, DuckDB (a relation) or PySpark, or a
        :class:`overbar.frames.DatabaseTable`.
    item : str or list of str
        The column that says what. Several columns name an item together, such as
        ``["region", "product"]``: labels are tuples then, and a catalogue lists tuples or is a
        frame with these columns.
    person : str, optional
        The column that says whose. The score of an item is the number of persons that have it,
        however often.
    cutoff : int, optional
        How many items to find at most. Required unless `plan` is given.
    catalogue : sequence or column, optional
        The public list of items, all of which take part; what is not on it is ignored. **A list
        taken from the data is not public, and then nothing is guaranteed.** Without a list
        the items are read off the table, which costs some of `delta` and keeps positions hidden.
        Where the threshold is too low for that, or `items_per_person` is not given, keys that many
        persons hold are found first (:func:`overbar.frames.keys`), from the same budget.
    by : str, optional
        A column of groups, such as a region. Each group is asked by itself, with a cutoff of its
        own, and labels are tuples that begin with the group. All of it costs ε together.
    groups : sequence or column, optional
        The public list of groups, in the order in which they come out. Rows of others are dropped.
    groups_per_person : int, optional
        In how many groups a person counts at most, to be given with `groups`: 1 if everybody is in
        one. Whoever has rows in more counts in that many, chosen at random. A run in one group
        costs ε over this number, or with δ less.
    items_per_person : int, optional
        At most this many items per person are counted, in each group by itself, chosen at random.
        If nobody has more, say so: with few, a histogram needs far less noise.
    value : str, optional
        A column to sum instead of counting persons. Missing values count as zero.
    value_range : tuple of two numbers, optional
        The public range that a person's sum for an item is clamped to.
    score : str, optional
        Instead of a person: a column that has the score already, with a declared `sensitivity`.
        **Without a `catalogue` the items of the table are taken as public**: which items it lists,
        and how many, must not depend on who is in the data, or nothing is guaranteed. Of several
        rows for an item the largest counts. A `value_range`
        clamps scores. Missing ones, and without a range infinite ones, are skipped; an item
        without any has a score of zero.
    sensitivity : int, float, str, Fraction or Decimal, optional
        How far one person can move one score. It follows from the columns, unless they are scores.
    monotonic : bool, optional
        Whether one person moves all scores in the same direction. It follows from the columns,
        unless they are scores.
    booking : Booking, optional
        Which dataset of a ledger pays: ``ledger.booking("sales")``. The table is read before the
        ledger is asked, so a table that cannot be read costs nothing.
    candidates : int, optional
        About how many items there are, where no catalogue says so.
    counts : bool or number, default False
        True gives each item with a noisy score and an interval of about 95 %; a number is the share
        of ε for them (:func:`overbar.calibrate`). Counts of persons are whole and never below zero.

    Raises
    ------
    ParameterError
        If a public parameter is wrong; the message says what to write instead.
    LedgerError
        If the ledger cannot pay; nothing was drawn then.

    See Also
    --------
    overbar.frames.top : The items that most persons have.
    overbar.frames.keys : All items that many persons have, where there is no list.
    overbar.frames.Question.select : What would be asked, without a table.

    Examples
    --------
    >>> import overbar, polars
    >>> from overbar import frames
    >>> rows = polars.DataFrame({"product": ["tea", "rum"] * 5000, "customer": range(10_000)})
    >>> found = frames.select(
    ...     rows, item="product", person="customer", catalogue=["ale", "rum", "tea"],
    ...     threshold=1000, cutoff=2, epsilon=1,
    ... )
    >>> sorted(found.labels), sorted(found.indices), found.guarantee
    (['rum', 'tea'], [1, 2], PureDP(epsilon=1))

    Without a list, with a δ, and nobody has more than one product:

    >>> found = frames.select(
    ...     rows, item="product", person="customer", items_per_person=1,
    ...     candidates=100, threshold=1000, cutoff=2, epsilon=1, delta="1e-6",
    ... )
    >>> sorted(found.labels), found.guarantee.implies(1, "1e-6")
    (['rum', 'tea'], True)

    With a plan made before:

    >>> plan = overbar.calibrate(epsilon=1, cutoff=2, monotonic=True, candidates=3)
    >>> sorted(frames.select(
    ...     rows, item="product", person="customer", catalogue=["ale", "rum", "tea"],
    ...     threshold=1000, plan=plan,
    ... ).labels)
    ['rum', 'tea']
    """
    return _question("select", frame, locals()).run(frame, booking=booking)


@described_as(select)
@sealed
def top(
    frame: Any,
    *,
    item: str | Sequence[str],
    person: str | None = None,
    upper_bound: Number | None = None,
    epsilon: Number | None = None,
    cutoff: int | None = None,
    delta: Number = 0,
    catalogue: Any = None,
    by: str | None = None,
    groups: Any = None,
    groups_per_person: int | None = None,
    items_per_person: int | None = None,
    value: str | None = None,
    value_range: tuple[Number, Number] | None = None,
    score: str | None = None,
    sensitivity: Number | None = None,
    monotonic: bool | None = None,
    plan: Plan | None = None,
    booking: Booking | None = None,
    noise: NoiseName = "auto",
    threshold_noise: ThresholdNoiseName = "auto",
    allocation: AllocationName | Number = "appending",
    resample: bool = False,
    max_queries: int | None = None,
    grid: Number | None = None,
    mechanism: MechanismChoice = "auto",
    counts: bool | Number = False,
    order: OrderName | None = None,
) -> Selection:
    """Find the top items of a table, privately: as many as the cutoff, whether high or not.

    Parameters
    ----------
    upper_bound : int, float, str, Fraction or Decimal, optional
        For ``mechanism="sparse-vector"`` alone: a public number that no score exceeds, such as the
        number of persons. Far too high costs nothing; too low costs accuracy, never privacy.
    cutoff : int, optional
        How many items to find. Required unless `plan` is given.
    catalogue : sequence or column, optional
        The public list of items; the top is filled up with items that nobody has. A column of
        scores brings its own, which must be public. **A list taken from the data is not public, and
        then nothing is guaranteed.** Without one, keys that many persons hold are found first
        (:func:`overbar.frames.keys`), from the same budget, and the top is taken of these.
    plan : Plan, optional
        A plan made before by :func:`overbar.calibrate_top`, instead of all parameters of a plan.

    See Also
    --------
    overbar.frames.select : What is above a threshold.
    overbar.frames.Question.top : What would be asked, without a table.

    Examples
    --------
    >>> import overbar, polars
    >>> from overbar import frames
    >>> rows = polars.DataFrame({"product": ["tea", "rum"] * 5000, "customer": range(10_000)})
    >>> frames.top(
    ...     rows, item="product", person="customer", catalogue=["ale", "rum", "tea"],
    ...     cutoff=2, epsilon=1,
    ... ).labels in {("rum", "tea"), ("tea", "rum")}
    True

    Without a list, with a δ; and with a plan made before:

    >>> found = frames.top(
    ...     rows, item="product", person="customer", cutoff=2, epsilon=1, delta="1e-6"
    ... )
    >>> sorted(found.labels), found.guarantee.implies(1, "1e-6")
    (['rum', 'tea'], True)
    >>> plan = overbar.calibrate_top(epsilon=1, cutoff=2, monotonic=True)
    >>> sorted(frames.top(
    ...     rows, item="product", person="customer", catalogue=["ale", "rum", "tea"], plan=plan
    ... ).labels)
    ['rum', 'tea']
    """
    return _question("top", frame, locals()).run(frame, booking=booking)


def _question(how: str, frame: Any, arguments: Mapping[str, Any]) -> Question:
    """Return the question of a call: everything public that it was given."""
    from overbar.frames.question import NOT_ASKED, Question  # which takes its parameters from here

    for name in ("catalogue", "groups"):
        refuse_own_column(frame, arguments[name], name)
    asked = {name: given for name, given in arguments.items() if name not in NOT_ASKED}
    known = (asked[name] is not None for name in ("catalogue", "plan", "candidates"))
    if how == "select" and asked["score"] is not None and not any(known):
        # The items of a column of scores are public, and so is how many there are.
        asked["candidates"] = max(1, count_items(frame, measured(asked)))
    make: Callable[..., Question] = getattr(Question, how)
    return make(**asked)
