"""Many candidates at once: what is above the threshold, and the top c."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

from overbar._check import Number
from overbar.errors import ParameterError, ScoreError
from overbar.ledger import Booking
from overbar.ledger.answers import to_stored
from overbar.ledger.booking import checked_booking
from overbar.ledger.description import Description
from overbar.mechanisms import Plan
from overbar.planning.plan_parameters import plan_of, those_given
from overbar.privacy import spent
from overbar.runs.batch_run import BatchRun
from overbar.runs.counting import KnownScores
from overbar.runs.payment import paid, storable
from overbar.runs.positives import Batch
from overbar.runs.scores import Piece, Ruler, read_scores
from overbar.runs.secrecy import sealed
from overbar.runs.selection import Selection
from overbar.sampling.entropy import system


@sealed
def select(
    scores: Any,
    *,
    threshold: Number | Iterable[Number],
    cutoff: int | None = None,
    epsilon: Number | None = None,
    delta: Number | None = None,
    sensitivity: Number | None = None,
    monotonic: bool | None = None,
    items_per_person: int | None = None,
    counts: bool | Number | None = None,
    labels: Any = None,
    score_range: tuple[Number, Number] | None = None,
    plan: Plan | None = None,
    booking: Booking | None = None,
) -> Selection:
    """Find candidates above the threshold, up to the cutoff, privately.

    Parameters
    ----------
    scores : sequence, array, Series, mapping or iterator
        One score per candidate: a list, a NumPy array, a pandas, Polars or PyArrow series, a
        mapping from label to score; or an iterator over such batches, of which only one and the
        best candidates so far are held at a time: it needs a `plan`. Scores are private; who the
        candidates are, how many, their labels and their order count as public. **Candidates taken
        from the data are not public, and then nothing is guaranteed**: give every candidate of a
        public list, also those with a score of zero.
    threshold : int, float, str, Fraction, Decimal, sequence or mapping
        The public level; or one for each candidate, in the order of the scores or by label. Then
        those furthest above their own come first, and counts are still those of the scores. A label
        that is no candidate is refused.
    cutoff : int, optional
        How many candidates to find at most. Required unless `plan` is given.
    epsilon : int, float, str, Fraction or Decimal, optional
        The privacy budget of the whole call. ``"0.1"`` means one tenth exactly. Required unless
        `plan` is given.
    delta : int, float, str, Fraction or Decimal, optional
        The δ of (ε, δ)-differential privacy; if nothing is said, 0: pure differential privacy.
    sensitivity : int, float, str, Fraction or Decimal, optional
        How far one person can move one score; 1 if nothing is said.
    monotonic : bool, optional
        True if one person moves all scores in the same direction, as with counts. Halves the noise.
    items_per_person : int, optional
        How many scores one person can move at most. With few, far less noise is needed.
    counts : bool or number, optional
        True gives each label with a noisy score and an interval of about 95 %
        (:func:`overbar.plan` says what it costs). A number is the share of ε for them.
    labels : sequence, optional
        One label per candidate, instead of those the scores bring along.
    score_range : tuple of two numbers, optional
        A public pair (low, high) to clamp scores into; without it NaN and infinities are refused.
    plan : Plan, optional
        A plan made before by :func:`overbar.plan`, which has every other choice. It brings its own
        numbers: cutoff, ε, δ, sensitivity, items and counts are left out beside it.
    booking : Booking, optional
        Which dataset of a ledger pays: ``ledger.booking("sales")``. What the run may cost is held
        there before anything is drawn, and settled before the answer is returned.

    Returns
    -------
    Selection
        The labels found, the highest noisy values first, with what was proved and spent. It holds
        nothing private.

    Raises
    ------
    ParameterError
        If a public parameter is wrong; the message says what to write instead.
    ScoreError
        If scores are not numbers, or not finite without a `score_range`.
    LedgerError
        If the ledger cannot pay; nothing was drawn then.

    See Also
    --------
    overbar.top : The highest scores, without a threshold.
    overbar.plan : The plan alone, with every choice there is, before anything is spent.
    overbar.SparseVector : One question after another.
    overbar.frames.select : The same from a table of rows.

    Examples
    --------
    >>> import overbar
    >>> sold = {"tea": 9_000, "rum": 2}
    >>> found = overbar.select(sold, threshold=500, cutoff=1, epsilon=1)
    >>> found.labels, found.guarantee
    (('tea',), PureDP(epsilon=1))
    >>> found = overbar.select(sold, threshold=500, cutoff=1, epsilon=1, delta="1e-6")
    >>> found.labels, found.guarantee.implies(1, "1e-6")
    (('tea',), True)
    >>> overbar.select(sold, threshold={"tea": 10**5, "rum": -(10**5)}, cutoff=1, epsilon=1).labels
    ('rum',)
    >>> plan = overbar.plan(epsilon=1, cutoff=1, candidates=2, noise="gumbel", delta="1e-6")
    >>> overbar.select(sold, threshold=500, plan=plan).labels
    ('tea',)
    """
    parameters = those_given(
        cutoff=cutoff,
        epsilon=epsilon,
        delta=delta,
        sensitivity=sensitivity,
        monotonic=monotonic,
        items_per_person=items_per_person,
        counts=counts,
    )
    payer = checked_booking(booking)
    pieces = _read(scores, labels)
    if plan is None:
        parameters["candidates"] = _counted(pieces)
    ready = plan_of(plan, parameters)
    if isinstance(threshold, str) or not isinstance(threshold, Iterable):
        run = BatchRun.of(ready, threshold)
    else:
        run = BatchRun.of_each(ready, _one_for_each(threshold, pieces))
    return _released(run, pieces, Ruler.of(ready.grid, score_range), payer)


@sealed
def top(
    scores: Any,
    *,
    cutoff: int | None = None,
    epsilon: Number | None = None,
    delta: Number | None = None,
    sensitivity: Number | None = None,
    monotonic: bool | None = None,
    items_per_person: int | None = None,
    counts: bool | Number | None = None,
    labels: Any = None,
    score_range: tuple[Number, Number] | None = None,
    plan: Plan | None = None,
    booking: Booking | None = None,
) -> Selection:
    """Find the top candidates, privately: as many as the cutoff, whether high or not.

    Each candidate has one noisy value, and the highest win; nothing is spent on a threshold. With
    exponential noise this is never worse than peeling with the exponential mechanism, which is the
    same with Gumbel noise. **Candidates taken from the data are not public, and then nothing is
    guaranteed.**

    The parameters are those of :func:`overbar.select`; a `plan` is made with ``top=True``.

    Returns
    -------
    Selection
        The labels found, the highest noisy values first, with what was proved and spent.

    See Also
    --------
    overbar.select : What is above a threshold.
    overbar.plan : The plan alone, before anything is spent, with ``top=True``.
    overbar.frames.top : The same from a table of rows.

    Examples
    --------
    >>> import overbar
    >>> counts = {"tea": 9_000, "rum": 2, "ale": 5_000}
    >>> overbar.top(counts, cutoff=2, epsilon=1, monotonic=True).labels
    ('tea', 'ale')
    >>> found = overbar.top(counts, cutoff=2, epsilon=1, delta="1e-6", monotonic=True)
    >>> found.labels, found.guarantee.implies(1, "1e-6")
    (('tea', 'ale'), True)
    >>> plan = overbar.plan(epsilon=1, cutoff=2, monotonic=True, top=True)
    >>> overbar.top(counts, plan=plan).labels
    ('tea', 'ale')
    """
    parameters = those_given(
        cutoff=cutoff,
        epsilon=epsilon,
        delta=delta,
        sensitivity=sensitivity,
        monotonic=monotonic,
        items_per_person=items_per_person,
        counts=counts,
    )
    payer = checked_booking(booking)
    ready = plan_of(plan, parameters, top=True)
    ruler = Ruler.of(ready.grid, score_range)
    bound = None if ruler.high is None else ruler.high * ruler.grid
    run = BatchRun.of(ready, bound)  # refused before the scores are read
    return _released(run, _read(scores, labels), ruler, payer)


def _released(
    run: BatchRun, pieces: Iterable[Piece], ruler: Ruler, booking: Booking | None
) -> Selection:
    """Make a run on scores that were read."""
    run = replace(run, known=_known(ruler))
    payer = booking and booking.about(_public(pieces, ruler, run.own))
    return release(run, _batches(pieces, ruler), booking=payer)


def release(
    run: BatchRun,
    batches: Iterable[Batch],
    *,
    unlisted_delta: float | None = None,
    booking: Booking | None = None,
) -> Selection:
    """Make a run on the system's entropy: the one door through which every batch leaves.

    An `unlisted_delta`, however small, says that the candidates were read off the data
    (:func:`overbar.privacy.unlisted_delta`): then positions stay here, and so does whether there
    were any candidates. So they do where keys are found first, which is in the plan. A `booking`
    says which ledger pays. Whoever calls it is sealed.
    """
    if unlisted_delta is not None and not unlisted_delta > 0:
        raise ParameterError("unlisted_delta must be positive: such candidates are never free")

    plan, public = run.plan, unlisted_delta is None and run.plan.keys is None
    candidates = batches
    if booking is not None:
        run.check()
        if booking.request_id is not None and public:
            candidates = storable(candidates)

    def drawn() -> Selection:
        selection = run.run(candidates, system)
        if public:
            return selection
        return replace(
            selection,
            indices=None,
            unlisted_delta=unlisted_delta or 0.0,
            spent=spent(plan, len(selection)),
        )

    description = Description(
        kind="batch",
        plan=plan,
        threshold=run.threshold,
        unlisted_delta=Fraction(unlisted_delta or 0),
    )
    return paid(booking, description, drawn)


def _known(ruler: Ruler) -> KnownScores:
    """Return what a declared range says about all scores."""
    return KnownScores(None if ruler.low is None else ruler.low * ruler.grid)


def _counted(pieces: Iterable[Piece]) -> int:
    """Return how many candidates there are."""
    if not isinstance(pieces, list):
        raise ParameterError(
            "plan must be given with scores that come in batches: how many there will be is not "
            "known yet. Write plan=overbar.plan(candidates=…, …)"
        )
    return max(1, sum(len(values) for values, _ in pieces))


def _read(scores: Any, labels: Any) -> Iterable[Piece]:
    """Return the scores in one piece, unless they come as an iterator over batches."""
    if not isinstance(scores, Iterator):
        return [read_scores(scores, labels)]
    if labels is not None:
        raise ParameterError("labels must come with each batch, as a Series or a mapping")
    return (read_scores(piece) for piece in scores)


def _one_for_each(thresholds: Any, pieces: Iterable[Piece]) -> Iterable[Any]:
    """Return the threshold of each candidate: by label where they have labels, else in order."""
    if not isinstance(pieces, list):
        raise ParameterError("threshold must be one number for scores that come in batches")
    ((scores, labels),) = pieces
    try:
        own, names = read_scores(thresholds)
    except ScoreError:
        raise ParameterError(
            "threshold must be a number, or a list or a mapping with one for each candidate"
        ) from None
    if names is not None:
        by_name = dict(zip(names, own, strict=True))
        wanted = dict.fromkeys(range(len(scores)) if labels is None else labels)
        for name in names:  # who the candidates are is public: a slip in a label can be said
            if name not in wanted:
                raise ParameterError(
                    f"threshold must be for candidates alone, got one for {name!r}"
                )
        if len(by_name) != len(names):
            raise ParameterError("threshold must have each label once")
        own = [by_name[label] for label in wanted if label in by_name]
    if len(own) != len(scores):
        raise ParameterError(
            "threshold must be one number, or one for each candidate, in the order of the scores "
            f"or by label: got {len(own)} for {len(scores)}"
        )
    return own


def _public(pieces: Iterable[Piece], ruler: Ruler, own: tuple[int, ...] | None) -> Iterator[object]:
    """Yield what is public about the candidates. Those of an iterator are not known yet."""
    yield [None if end is None else str(end) for end in (ruler.low, ruler.high)]
    if own is not None:
        yield [str(steps) for steps in own]
    if isinstance(pieces, list):
        for values, labels in pieces:
            yield len(values)
            if labels is not None:
                yield from map(to_stored, labels)


def _batches(pieces: Iterable[Piece], ruler: Ruler) -> Iterable[Batch]:
    """Return the candidates as grid steps; a list is checked before anything is drawn."""
    if isinstance(pieces, list):
        return [Batch(ruler.many(values), labels) for values, labels in pieces]
    return (Batch(ruler.many(values), labels) for values, labels in pieces)
