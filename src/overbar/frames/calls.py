"""Select from a table, take its top, or find its keys: the calls an analyst makes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from overbar._check import Number
from overbar.frames.catalogue import refuse_own_column
from overbar.frames.measure import Sensitivity, measure_of
from overbar.frames.question import Question
from overbar.frames.scoring import count_items
from overbar.ledger import Booking
from overbar.mechanisms import Plan
from overbar.runs.secrecy import sealed
from overbar.runs.selection import Selection


@sealed
def select(
    frame: Any,
    *,
    item: str | Sequence[str],
    person: str | None = None,
    threshold: Number,
    cutoff: int | None = None,
    epsilon: Number | None = None,
    delta: Number | None = None,
    catalogue: Any = None,
    candidates: int | None = None,
    items_per_person: int | None = None,
    groups: Mapping[str, Any] | None = None,
    groups_per_person: int | None = None,
    value: Mapping[str, tuple[Number, Number]] | None = None,
    score: str | Mapping[str, tuple[Number, Number]] | None = None,
    sensitivity: Sensitivity | None = None,
    counts: bool | Number | None = None,
    plan: Plan | None = None,
    booking: Booking | None = None,
    delta_is_large: bool = False,
) -> Selection:
    """Find the items of a table above a threshold, up to the cutoff, privately.

    Two tables are neighbours if one has all rows of one more person. Rows without an item or
    without a person are dropped.

    Parameters
    ----------
    frame : table
        A table of pandas, Polars (eager or lazy), PyArrow, DuckDB (also by Ibis), PySpark, or a
        :class:`overbar.frames.DatabaseTable`.
    item : str or list of str
        The column that says what. Several columns name an item together, such as
        ``["region", "product"]``: labels are tuples then, and a catalogue lists tuples or is a
        frame with these columns.
    person : str, optional
        The column that says whose. The score of an item is the number of persons that have it,
        however often.
    threshold : int, float, str, Fraction or Decimal
        The public level that scores must be above.
    cutoff : int, optional
        How many items to find at most. Required unless `plan` is given.
    epsilon : int, float, str, Fraction or Decimal, optional
        The privacy budget of the whole call. ``"0.1"`` means one tenth exactly. Required unless
        `plan` is given.
    delta : int, float, str, Fraction or Decimal, optional
        The δ of (ε, δ)-differential privacy; if nothing is said, 0: pure differential privacy.
        Items that are read off the table need one, also beside a `plan`.
    catalogue : sequence or column, optional
        The public list of items, all of which take part; what is not on it is ignored. **A list
        taken from the data is not public, and then nothing is guaranteed.** Without a list
        the items are read off the table, which costs some of `delta` and keeps positions hidden.
        Where the threshold is too low for that, or `items_per_person` is not given, keys that many
        persons hold are found first (:func:`overbar.frames.keys`), from the same budget.
    candidates : int, optional
        About how many items there are, where no catalogue says so.
    items_per_person : int, optional
        At most this many items per person are counted, in each group by itself, chosen at random.
        If nobody has more, say so: with few, a histogram needs far less noise.
    groups : dict of a column and a sequence or column, optional
        A column of groups with the public list of them, such as
        ``{"region": ["north", "south"]}``, in the order in which they come out. Each group is asked
        by itself, with a cutoff of its own, and labels are tuples that begin with the group. All of
        it costs ε together. Rows of other groups are dropped.
    groups_per_person : int, optional
        In how many groups a person counts at most, to be given with `groups`: 1 if everybody is in
        one. Whoever has rows in more counts in that many, chosen at random. A run in one group
        costs ε over this number, or with δ less.
    value : dict of a column and two numbers, optional
        A column to sum instead of counting persons, with the public range that a person's sum for
        an item is clamped to: ``{"amount": (0, 100)}``. Missing values count as zero. A good range
        is known before a look at the data: what a sum could be at most, so wide that few lie
        outside. Noise grows with its width.
    score : str or dict of a column and two numbers, optional
        Instead of a person: a column that has the score already, with a declared `sensitivity`.
        **Without a `catalogue` the items of the table are taken as public**: which items it lists,
        and how many, must not depend on who is in the data, or nothing is guaranteed. Of several
        rows for an item the largest counts. A range clamps scores: ``{"stars": (0, 5)}``. Missing
        ones, and without a range infinite ones, are skipped; an item without any has a score of
        zero.
    sensitivity : number, tuple of two numbers or Reach, optional
        How far one more person can move one score: a number, up or down; or (low, high), as in
        ``(0, 1)`` for counts, which needs less noise. It follows from the columns, unless they are
        scores.
    counts : bool or number, optional
        True gives each item with a noisy score and an interval of about 95 %; a number is the share
        of ε for them (:func:`overbar.plan`). Counts of persons are whole and never below zero.
    plan : Plan, optional
        A plan made before by :func:`overbar.plan`, which has every other choice. It brings its own
        numbers: cutoff, ε, candidates and counts are left out beside it.
    booking : Booking, optional
        Which dataset of a ledger pays: ``ledger.booking("sales")``. The table is read before the
        ledger is asked, so a table that cannot be read costs nothing.
    delta_is_large : bool, default False
        Allows a `delta` above 0.01, which protects nobody with that chance.

    Returns
    -------
    Selection
        The labels found, the highest noisy values first, with what was proved and spent. It holds
        nothing private.

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

    >>> plan = overbar.plan(epsilon=1, cutoff=2, monotonic=True, candidates=3)
    >>> sorted(frames.select(
    ...     rows, item="product", person="customer", catalogue=["ale", "rum", "tea"],
    ...     threshold=1000, plan=plan,
    ... ).labels)
    ['rum', 'tea']
    """
    refuse_own_column(frame, catalogue)
    for listed in groups.values() if isinstance(groups, Mapping) else ():
        refuse_own_column(frame, listed, "groups")
    if score is not None and catalogue is None and plan is None and candidates is None:
        # The items of a column of scores are public, and so is how many there are.
        column = score if isinstance(score, str) else next(iter(score), "")
        scores = measure_of(item=item, score=column, sensitivity=sensitivity)
        candidates = max(1, count_items(frame, scores))
    question = Question.select(
        item=item,
        person=person,
        threshold=threshold,
        cutoff=cutoff,
        epsilon=epsilon,
        delta=delta,
        catalogue=catalogue,
        candidates=candidates,
        items_per_person=items_per_person,
        groups=groups,
        groups_per_person=groups_per_person,
        value=value,
        score=score,
        sensitivity=sensitivity,
        counts=counts,
        plan=plan,
        delta_is_large=delta_is_large,
    )
    return question.run(frame, booking=booking)


@sealed
def top(
    frame: Any,
    *,
    item: str | Sequence[str],
    person: str | None = None,
    cutoff: int | None = None,
    epsilon: Number | None = None,
    delta: Number | None = None,
    catalogue: Any = None,
    items_per_person: int | None = None,
    groups: Mapping[str, Any] | None = None,
    groups_per_person: int | None = None,
    value: Mapping[str, tuple[Number, Number]] | None = None,
    score: str | Mapping[str, tuple[Number, Number]] | None = None,
    sensitivity: Sensitivity | None = None,
    counts: bool | Number | None = None,
    plan: Plan | None = None,
    booking: Booking | None = None,
    delta_is_large: bool = False,
) -> Selection:
    """Find the top items of a table, privately: as many as the cutoff, whether high or not.

    With a catalogue the top is filled up with items that nobody has. **Without a `catalogue` the
    items of the table count as public where a column has a `score`**, and must be. Elsewhere keys
    that many persons hold are found first (:func:`overbar.frames.keys`), from the same budget, and
    the top is taken of these.

    The parameters are those of :func:`overbar.frames.select`; a `plan` is made with ``top=True``.

    Returns
    -------
    Selection
        The labels found, the highest noisy values first, with what was proved and spent.

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
    >>> plan = overbar.plan(top=True, epsilon=1, cutoff=2, monotonic=True)
    >>> sorted(frames.top(
    ...     rows, item="product", person="customer", catalogue=["ale", "rum", "tea"], plan=plan
    ... ).labels)
    ['rum', 'tea']
    """
    refuse_own_column(frame, catalogue)
    for listed in groups.values() if isinstance(groups, Mapping) else ():
        refuse_own_column(frame, listed, "groups")
    question = Question.top(
        item=item,
        person=person,
        cutoff=cutoff,
        epsilon=epsilon,
        delta=delta,
        catalogue=catalogue,
        items_per_person=items_per_person,
        groups=groups,
        groups_per_person=groups_per_person,
        value=value,
        score=score,
        sensitivity=sensitivity,
        counts=counts,
        plan=plan,
        delta_is_large=delta_is_large,
    )
    return question.run(frame, booking=booking)


@sealed
def keys(
    frame: Any,
    *,
    item: str,
    person: str,
    epsilon: Number,
    delta: Number,
    items_per_person: int | None = None,
    rounds: int | None = None,
    at_least: int | None = None,
    counts: bool | Number = False,
    booking: Booking | None = None,
    delta_is_large: bool = False,
) -> Selection:
    """Find the keys of a column that many persons hold, privately, without a list of them.

    Two tables are neighbours if one has all rows of one more person. Rows without a key or
    without a person are dropped. A repeated row changes nothing.

    Parameters
    ----------
    frame : table
        A table of pandas, Polars (eager or lazy), PyArrow, DuckDB (also by Ibis), PySpark, or a
        :class:`overbar.frames.DatabaseTable`.
    item : str
        The column that has the keys.
    person : str
        The column that says whose row it is.
    epsilon : int, float, str, Fraction or Decimal
        The privacy budget of the whole call. ``"0.1"`` means one tenth exactly.
    delta : int, float, str, Fraction or Decimal
        The δ of (ε, δ)-differential privacy. It must be positive: about half of it is the chance
        that a key comes out that one person alone holds.
    items_per_person : int, optional
        So many keys of each person count in each round, chosen by lot; 10 if nothing is said. Who
        has fewer counts for more in each. With 1 and no `rounds`, the best of all ways to choose is
        taken. With few, fewer persons bring a key out and counts are closer; what persons have
        beyond it is lost.
    rounds : int, optional
        Keys that are out make room for others: each round leaves them aside, and has five times
        the budget of the one before. 3 if nothing is said.
    at_least : int, optional
        Keys that fewer persons hold never come out, whatever the noise is.
    counts : bool or number, default False
        True counts the persons of each key that came out, and everything else, each with an
        interval of 95 %, from a quarter of the budget; a number is that part. Of each person at
        most `items_per_person` keys count, by lot.
    booking : Booking, optional
        Which dataset of a ledger pays: ``ledger.booking("sales")``.
    delta_is_large : bool, default False
        Allows a `delta` above 0.01, which protects nobody with that chance.

    Returns
    -------
    Selection
        The keys that came out, sorted, with their counts if asked for, and then a `rest`. How many
        others there are stays hidden.

    Raises
    ------
    ParameterError
        If a public parameter is wrong; the message says what to write instead.
    LedgerError
        If the ledger cannot pay; nothing was drawn then.

    See Also
    --------
    overbar.frames.select, overbar.frames.top : The highest of a public list, or of such keys.
    overbar.frames.Question.keys : What would be asked, without a table.

    Examples
    --------
    >>> import polars
    >>> from overbar import frames
    >>> rows = polars.DataFrame({"product": ["tea", "rum"] * 5000, "customer": range(10_000)})
    >>> frames.keys(rows, item="product", person="customer", epsilon=1, delta="1e-6")
    Selection: 2 keys found; UnlistedDP(epsilon=0.966 at delta=1.51e-6), spent all of it
      rum
      tea
    >>> selection = frames.keys(
    ...     rows, item="product", person="customer", epsilon=1, delta="1e-6", counts=True
    ... )
    >>> len(selection.counts), 4000 < selection.counts[0].value < 6000
    (2, True)
    >>> selection.guarantee.implies(1, "1e-6")
    True
    """
    question = Question.keys(
        item=item,
        person=person,
        epsilon=epsilon,
        delta=delta,
        items_per_person=items_per_person,
        rounds=rounds,
        at_least=at_least,
        counts=counts,
        delta_is_large=delta_is_large,
    )
    return question.run(frame, booking=booking)
