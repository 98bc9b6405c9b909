"""Many candidates at once: what is above the threshold, and the top c."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

from overbar._check import Number
from overbar._docstrings import described_as
from overbar.accounting import spent
from overbar.calibration.calibrate import calibrate, calibrate_top
from overbar.calibration.plan_parameters import Parameters, asked_for, plan_of
from overbar.calibration.request import (
    AllocationName,
    CorrectionName,
    MechanismChoice,
    NoiseName,
    ThresholdNoiseName,
)
from overbar.errors import ParameterError
from overbar.ledger import Booking
from overbar.ledger.answers import to_stored
from overbar.ledger.booking import checked_booking
from overbar.ledger.description import Description
from overbar.mechanism.batch_run import BatchRun, OrderName
from overbar.mechanism.counting import KnownScores
from overbar.mechanism.inputs import Piece, read_scores
from overbar.mechanism.payment import paid, storable
from overbar.mechanism.positives import Batch
from overbar.mechanism.scores import Ruler
from overbar.mechanism.secrecy import sealed
from overbar.mechanism.selection import Selection
from overbar.plans import Plan
from overbar.sampling.entropy import system


@described_as(calibrate)
@sealed
def select(
    scores: Any,
    *,
    threshold: Number,
    epsilon: Number | None = None,
    cutoff: int | None = None,
    delta: Number = 0,
    sensitivity: Number | None = None,
    monotonic: bool | None = None,
    plan: Plan | None = None,
    labels: Any = None,
    score_range: tuple[Number, Number] | None = None,
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
    items_per_person: int | None = None,
    counts: bool | Number = False,
    order: OrderName | None = None,
) -> Selection:
    """Find candidates above the threshold, up to the cutoff, privately.

    Parameters
    ----------
    scores : sequence, array, Series, mapping or iterator
        One score per candidate: a list, a NumPy array, a pandas, Polars or PyArrow series, a
        mapping from label to score; or an iterator over such batches, of which only one and the
        best candidates so far are held at a time. Scores are private; who the candidates are, how
        many, their labels and their order count as public. **Candidates taken from the data are
        not public, and then nothing is guaranteed**: give every candidate of a public list, also
        those with a score of zero.
    threshold : int, float, str, Fraction or Decimal
        The public level.
    epsilon : int, float, str, Fraction or Decimal, optional
        The privacy budget of the whole call. ``"0.1"`` means one tenth exactly. Required unless
        `plan` is given.
    cutoff : int, optional
        How many candidates to find at most. Required unless `plan` is given.
    sensitivity : int, float, str, Fraction or Decimal, optional
        How far one person can move one score; 1 if nothing is said.
    monotonic : bool, optional
        True if one person moves all scores in the same direction, as with counts. Halves the noise.
    plan : Plan, optional
        A plan made before by :func:`overbar.calibrate`, instead of all parameters of a plan.
    labels : sequence, optional
        One label per candidate, instead of those the scores bring along.
    score_range : tuple of two numbers, optional
        A public pair (low, high) to clamp scores into; without it NaN and infinities are refused.
    booking : Booking, optional
        Which dataset of a ledger pays: ``ledger.booking("sales")``. What the run may cost is held
        there before anything is drawn, and settled before the answer is returned.
    candidates : int, optional
        How many candidates there are, where scores come in batches; else they are counted.
    counts : bool or number, default False
        True gives each label with a noisy score and an interval of about 95 %
        (:func:`overbar.calibrate` says what it costs). A number is the share of ε for them.
    order : {"random", "given"}, optional
        The public order in which a sparse vector run asks: a secure shuffle (the default there), or
        the one given. It chooses such a run.

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
    overbar.calibrate : The plan alone, before anything is spent.
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
    >>> plan = overbar.calibrate(epsilon=1, cutoff=1, candidates=2)
    >>> overbar.select(sold, threshold=500, plan=plan).labels
    ('tea',)
    """
    parameters = asked_for(locals())
    payer = checked_booking(booking)
    pieces = _read(scores, labels)
    ready = plan_of(plan, _counted(parameters, pieces) if plan is None else parameters)
    ruler = Ruler.of(ready.grid, score_range)
    run = replace(BatchRun.of(ready, threshold, order), known=_known(ruler))
    payer = payer and payer.about(_public(pieces, ruler))
    return release(run, _batches(pieces, ruler), booking=payer)


@described_as(select)
@sealed
def top(
    scores: Any,
    *,
    epsilon: Number | None = None,
    cutoff: int | None = None,
    delta: Number = 0,
    sensitivity: Number | None = None,
    monotonic: bool | None = None,
    upper_bound: Number | None = None,
    plan: Plan | None = None,
    labels: Any = None,
    score_range: tuple[Number, Number] | None = None,
    booking: Booking | None = None,
    noise: NoiseName = "auto",
    threshold_noise: ThresholdNoiseName = "auto",
    allocation: AllocationName | Number = "appending",
    resample: bool = False,
    max_queries: int | None = None,
    grid: Number | None = None,
    mechanism: MechanismChoice = "auto",
    items_per_person: int | None = None,
    counts: bool | Number = False,
    order: OrderName | None = None,
) -> Selection:
    """Find the top candidates, privately: as many as the cutoff, whether high or not.

    Each candidate has one noisy value, and the highest win; nothing is spent on a threshold. With
    exponential noise this is never worse than peeling with the exponential mechanism, which is the
    same with Gumbel noise. **Candidates taken from the data are not public, and then nothing is
    guaranteed.**

    Parameters
    ----------
    cutoff : int, optional
        How many candidates to find. Required unless `plan` is given.
    upper_bound : int, float, str, Fraction or Decimal, optional
        For ``mechanism="sparse-vector"`` alone: a public number that no score exceeds. Far too high
        costs nothing; too low costs accuracy, never privacy. By default the upper end of
        `score_range`.
    plan : Plan, optional
        A plan made before by :func:`overbar.calibrate_top`, instead of all parameters of a plan.

    See Also
    --------
    overbar.select : What is above a threshold.
    overbar.calibrate_top : The plan alone, before anything is spent.
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
    >>> plan = overbar.calibrate_top(epsilon=1, cutoff=2, monotonic=True)
    >>> overbar.top(counts, plan=plan).labels
    ('tea', 'ale')
    """
    parameters = asked_for(locals(), calibrate_top)
    payer = checked_booking(booking)
    lifted = plan_of(plan, parameters, top=True)
    ruler = Ruler.of(lifted.grid, score_range)
    bound = upper_bound
    if bound is None and ruler.high is not None:
        bound = ruler.high * ruler.grid
    run = replace(BatchRun.of(lifted, bound, order), known=_known(ruler))
    pieces = _read(scores, labels)
    payer = payer and payer.about(_public(pieces, ruler))
    return release(run, _batches(pieces, ruler), booking=payer)


@sealed
def release(
    run: BatchRun,
    batches: Iterable[Batch],
    *,
    unlisted_delta: float | None = None,
    booking: Booking | None = None,
) -> Selection:
    """Make a run on the system's entropy: the one door through which every batch leaves.

    An `unlisted_delta`, however small, says that the candidates were read off the data
    (:func:`overbar.accounting.unlisted_delta`): then positions stay here, and so does whether there
    were any candidates. So they do where keys are found first, which is in the plan. A `booking`
    says which ledger pays.
    """
    if unlisted_delta is not None and not unlisted_delta > 0:
        raise ParameterError("unlisted_delta must be positive: such candidates are never free")

    plan, public = run.plan, unlisted_delta is None and run.plan.keys is None
    candidates = batches
    if booking is not None:
        candidates = run.checked(batches)
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
        order=run.order,
        unlisted_delta=Fraction(unlisted_delta or 0),
    )
    return paid(booking, description, drawn)


def _known(ruler: Ruler) -> KnownScores:
    """Return what a declared range says about all scores."""
    return KnownScores(None if ruler.low is None else ruler.low * ruler.grid)


def _counted(parameters: Parameters, pieces: Iterable[Piece]) -> Parameters:
    """Take the number of candidates from the scores, where they are all there."""
    if not isinstance(pieces, list) or "candidates" in parameters:
        return parameters
    return {**parameters, "candidates": max(1, sum(len(values) for values, _ in pieces))}


def _read(scores: Any, labels: Any) -> Iterable[Piece]:
    """Return the scores in one piece, unless they come as an iterator over batches."""
    if not isinstance(scores, Iterator):
        return [read_scores(scores, labels)]
    if labels is not None:
        raise ParameterError("labels must come with each batch, as a Series or a mapping")
    return (read_scores(piece) for piece in scores)


def _public(pieces: Iterable[Piece], ruler: Ruler) -> Iterator[object]:
    """Yield what is public about the candidates. Those of an iterator are not known yet."""
    yield [None if end is None else str(end) for end in (ruler.low, ruler.high)]
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
