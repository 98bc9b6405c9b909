"""Many candidates at once: what is above the threshold, and the top c."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any, TypedDict, Unpack

from overbar import _check
from overbar._check import Number
from overbar.accounting import guarantee, spent
from overbar.calibrate import calibrate
from overbar.errors import ParameterError
from overbar.ledger import Ledger
from overbar.ledger.answers import to_stored
from overbar.mechanism.booking import Booking, booked_release, booking_of
from overbar.mechanism.contest import ORDERS, Batch, Contest
from overbar.mechanism.inputs import Piece, read_scores
from overbar.mechanism.scores import Ruler, threshold_steps
from overbar.mechanism.secrecy import sealed
from overbar.mechanism.selection import Selection
from overbar.plan import Plan
from overbar.sampling import system

#: `top` lifts the bar so far above the scores that a gap below 64·ln 2 noise scales, where a
#: candidate's chance in one round is 2^-64, has a probability of at most 2^-64.
NEGLIGIBLE_BITS = 64


class Parameters(TypedDict, total=False):
    """What `select` and `top` hand on to :func:`overbar.calibrate`."""

    epsilon: Number
    delta: Number
    cutoff: int
    sensitivity: Number
    monotonic: bool
    noise: str
    threshold_noise: str
    resample: bool
    allocation: str | Number
    correction: str | Number
    candidates: int | None
    rounds: int | None
    tolerance: Number
    max_queries: int | None
    grid: Number | None


@sealed
def select(
    scores: Any,
    *,
    threshold: Number,
    plan: Plan | None = None,
    labels: Any = None,
    order: str = "random",
    score_range: object = None,
    ledger: Ledger | None = None,
    dataset: str | None = None,
    request: str | None = None,
    purpose: str = "",
    **parameters: Unpack[Parameters],
) -> Selection:
    """Find candidates above the threshold, up to the cutoff, privately.

    Parameters
    ----------
    scores
        One score per candidate: a list, a NumPy array, a pandas, Polars or PyArrow series, a
        mapping from label to score; or an iterator over such batches, of which only one and the
        best candidates so far are held at a time.
    threshold
        The public level.
    plan
        A plan made before; otherwise `parameters` go to :func:`overbar.calibrate`, and the
        number of candidates is taken from the scores unless it is given. Who the candidates are,
        how many, their labels and their order count as public: only scores are private.
    labels
        One label per candidate, instead of those the scores bring along.
    order
        The public order in which candidates are asked: "random" is a secure shuffle, "given" is
        the caller's own.
    score_range
        A public pair (low, high) to clamp scores into; without it NaN and infinities are refused.
    ledger, dataset
        A ledger, and the dataset in it whose budget pays. What the run may cost is held there
        before anything is drawn, and settled before the answer is returned.
    request
        An id of your own, with a ledger. The same id and the same question again give the stored
        answer again and cost nothing.
    purpose
        What the answer is for, to be read in the ledger.

    Examples
    --------
    >>> import overbar
    >>> found = overbar.select({"tea": 9_000, "rum": 2}, threshold=500, cutoff=1, epsilon=1)
    >>> found.labels, found.guarantee
    (('tea',), PureDP(epsilon=1))
    """
    booking = booking_of(ledger, dataset, request, purpose)
    pieces = _read(scores, labels)
    ready = _plan(plan, parameters, pieces)
    ruler = Ruler.of(ready.grid, score_range)
    contest = Contest(ready, _level(ready, threshold_steps(threshold, ready.grid)), _order(order))
    booking = booking and booking.about(_public(pieces, ruler))
    return release(contest, _batches(pieces, ruler), booking=booking)


@sealed
def top(
    scores: Any,
    *,
    upper_bound: Number | None = None,
    threshold: Number | None = None,
    labels: Any = None,
    order: str = "random",
    score_range: object = None,
    ledger: Ledger | None = None,
    dataset: str | None = None,
    request: str | None = None,
    purpose: str = "",
    **parameters: Unpack[Parameters],
) -> Selection:
    """Find the top candidates, privately: as many as the cutoff, whether high or not.

    Candidates are asked again and again against a bar that lies far above all of them, until the
    cutoff is reached. The winners are then drawn one by one with odds e^(score/scale), as by
    peeling with the exponential mechanism.

    Parameters
    ----------
    scores, labels, order, score_range, ledger, dataset, request, purpose
        As for :func:`select`.
    upper_bound
        A public number that no score exceeds. Far too high costs nothing; too low costs accuracy,
        never privacy. By default the upper end of `score_range`.
    threshold
        A public level to use as it is, instead of a bound.
    parameters
        They go to :func:`overbar.calibrate`, with ``rounds=None`` and ``allocation="appending"``.

    Examples
    --------
    >>> import overbar
    >>> counts = {"tea": 9_000, "rum": 2, "ale": 5_000}
    >>> overbar.top(counts, upper_bound=10_000, cutoff=2, epsilon=1, monotonic=True).labels
    ('tea', 'ale')
    """
    booking = booking_of(ledger, dataset, request, purpose)
    lifted = top_plan(parameters)
    ruler = Ruler.of(lifted.grid, score_range)
    contest = Contest(
        lifted, _level(lifted, _ceiling(upper_bound, threshold, ruler)), _order(order)
    )
    pieces = _read(scores, labels)
    booking = booking and booking.about(_public(pieces, ruler))
    return release(contest, _batches(pieces, ruler), booking=booking)


@sealed
def release(
    contest: Contest,
    batches: Iterable[Batch],
    *,
    unlisted_delta: float | None = None,
    booking: Booking | None = None,
) -> Selection:
    """Run a contest on the system's entropy: the one door through which every batch leaves.

    An `unlisted_delta`, however small, says that the candidates were read off the data
    (:func:`overbar.accounting.unknown_delta`): then positions stay here, and so does whether there
    were any candidates. A `booking` says which ledger pays.
    """
    if unlisted_delta is not None and not unlisted_delta > 0:
        raise ParameterError("unlisted_delta must be positive: such candidates are never free")

    def run(asked: Iterable[Batch]) -> Selection:
        found = contest.run(asked, system)
        if unlisted_delta is None:
            return found
        return replace(
            found,
            indices=None,
            unlisted_delta=unlisted_delta,
            spent=spent(contest.plan, len(found)),
        )

    if booking is None:
        return run(batches)
    return booked_release(booking, contest, batches, unlisted_delta, run)


def _order(order: object) -> str:
    return _check.choice("order", order, ORDERS)


def _level(plan: Plan, steps: int) -> int:
    """Return threshold plus correction in grid steps: all of the bar that is public."""
    return steps + int(plan.correction / plan.grid)


def _plan(plan: Plan | None, parameters: Parameters, pieces: Iterable[Piece]) -> Plan:
    """Return the plan given, or the one the parameters ask for; refuse one without a proof."""
    if plan is None:
        for name in ("epsilon", "cutoff"):
            if name not in parameters:
                raise ParameterError(f"{name} must be given, or a plan")
        if isinstance(pieces, list) and "candidates" not in parameters:
            parameters = {**parameters, "candidates": max(1, sum(len(v) for v, _ in pieces))}
        return calibrate(**parameters)
    if not isinstance(plan, Plan):
        raise ParameterError("plan must be a Plan; make one with calibrate")
    if parameters:
        raise ParameterError(
            f"a plan brings its own numbers: leave out {', '.join(sorted(parameters))}"
        )
    guarantee(plan)
    return plan


def top_plan(parameters: Parameters) -> Plan:
    """Return a plan whose correction puts the bar above every score, but for a negligible chance.

    P(ρ <= -t) <= e^(-t/b) for the threshold noise, so with probability 1 - 2^-64 every gap is at
    least 64·ln 2 query scales.
    """
    for name in ("rounds", "correction"):
        if name in parameters:
            raise ParameterError(
                f"{name} must not be given to top, which asks as often as it takes against a bar "
                "above all scores; use select"
            )
    chosen: Parameters = {"allocation": "appending", **parameters}
    flat = _plan(None, {**chosen, "rounds": None, "correction": "none"}, ())
    scales = flat.query_noise.scale + (flat.threshold_noise.scale if flat.threshold_noise else 0)
    lift = math.ceil(scales * Fraction(NEGLIGIBLE_BITS * math.log(2)) / flat.grid) * flat.grid
    return replace(flat, correction=lift)


def _ceiling(upper_bound: object, threshold: object, ruler: Ruler) -> int:
    """Return the public level that no score is expected to exceed, in grid steps."""
    if upper_bound is not None:
        return threshold_steps(_check.rational("upper_bound", upper_bound), ruler.grid)
    if threshold is not None:
        return threshold_steps(threshold, ruler.grid)
    if ruler.high is not None:
        return ruler.high
    raise ParameterError(
        "upper_bound must be given: a public number that no score exceeds, such as the number of "
        "people. Far too high costs nothing"
    )


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
