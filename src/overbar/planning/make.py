"""Every plan is made here: for what is above a threshold, and for the top."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Literal

from overbar import _check
from overbar._check import Number
from overbar._numbers import calm, exact_text
from overbar.errors import ParameterError, named
from overbar.mechanisms import Reach, ScorePlan
from overbar.mechanisms.way import Request
from overbar.noise import NOISES
from overbar.planning.choice import WAYS, best, with_mechanism
from overbar.planning.counts import checked_counts
from overbar.planning.request import (
    THRESHOLD_NOISES,
    AllocationName,
    CorrectionName,
    NoiseName,
    ThresholdNoiseName,
    WantedCorrection,
    checked_allocation,
    checked_groups,
)
from overbar.planning.search import Found, rounded
from overbar.privacy import guarantee

#: A δ next to one promises nothing, and floats do not tell it from one.
LARGEST_DELTA = 1 - Fraction(1, 10**9)
#: How often a plan may be given a little more noise before it is refused: a part in a thousand.
WIDENINGS = 24
#: The mechanism of a monitor; questions a day, where nobody has said how many there are; and grid
#: steps of a full weight, where there are weights.
MONITOR, USUAL_QUESTIONS, WEIGHT_STEPS = "monitor", 100, 1000
#: Asked as often as it takes.
UNLIMITED = "unlimited"


@_check.known_keywords
def plan(
    *,
    epsilon: Number,
    cutoff: int | None = None,
    hits_per_person: int | None = None,
    weights: bool = False,
    top: bool = False,
    delta: Number = 0,
    sensitivity: Number | None = None,
    monotonic: bool | None = None,
    reach: Reach | None = None,
    candidates: int | None = None,
    items_per_person: int | None = None,
    counts: bool | Number = False,
    groups: int | None = None,
    groups_per_person: int | None = None,
    mechanism: str = "auto",
    noise: NoiseName = "auto",
    threshold_noise: ThresholdNoiseName = "auto",
    correction: CorrectionName | Number | None = None,
    tolerance: Number | None = None,
    rounds: int | Literal["unlimited"] | None = None,
    allocation: AllocationName | Number | None = None,
    resample: bool = False,
    max_queries: int | None = None,
    upper_bound: Number | None = None,
    grid: Number | None = None,
) -> ScorePlan:
    """Find the plan that tells candidates apart best, for the privacy asked for.

    A plan for the top that is not asked in turn has no bar at all. In a sparse vector run the top
    is asked as often as it takes against a bar above all: P(ρ <= -t) <= e^(-t/b) for the threshold
    noise, so with probability 1 - 2^-64 every gap is at least 64·ln 2 query scales, and winners are
    drawn with odds e^(score/scale).

    Parameters
    ----------
    epsilon : int, float, str, Fraction or Decimal
        The privacy budget of the whole run. ``"0.1"`` means one tenth exactly.
    cutoff : int, optional
        How many positives the run may give; of the top, how many are found. Required, but for a
        monitor.
    hits_per_person : int, optional
        Instead of a cutoff, for :class:`overbar.Monitor`: in how many alarms one person counts.
        There is no limit on alarms then, and `candidates` is how many questions a day there are:
        a hundred if nothing is said.
    weights : bool, default False
        Whether the persons of a monitor have weights: an alarm costs them the square of it.
    top : bool, default False
        Whether it is for :func:`overbar.top`, which has no threshold, instead of
        :func:`overbar.select`.
    delta : int, float, str, Fraction or Decimal, default 0
        The δ of (ε, δ)-differential privacy; 0 asks for pure differential privacy.
    sensitivity : int, float, str, Fraction or Decimal, optional
        How far one person can move one query's answer: 1 if nothing is said.
    monotonic : bool, optional
        True if one person moves all answers in the same direction, as with counts when a person
        is added or removed. Halves the query noise.
    reach : Reach, optional
        In place of both: how far up and how far down one person can move an answer, where these
        differ. The noise is for the width between.
    candidates : int, optional
        About how many queries will be asked; most corrections need it.
    items_per_person : int, optional
        How many scores, of each group, one person can move at most. With few, ``"histogram"`` is
        best.
    counts : bool or number, default False
        True gives a noisy count beside each label, with an interval. In a histogram it is free,
        and with δ nearly so; elsewhere it takes 30 % of ε. Or the share of ε for new noise where
        it is not free, such as 0.3.
    groups : int, optional
        In how many public groups the plan will be run, each by itself, with a cutoff for each.
    groups_per_person : int, optional
        How many of these groups one person is in at most: ε is for all of them together.
    mechanism : str, default "auto"
        How the answer is found (:class:`overbar.Plan`): ``"ranked"``, ``"histogram"``,
        ``"bare-set"`` or ``"sparse-vector"``. ``"auto"`` takes the most accurate for
        these numbers and logs why. ``"bare-set"`` tells who passes and nothing else, in no order,
        so that less noise hides the few items of a person; ``"auto"`` looks at it where there are
        no more candidates than the cutoff. ``"sparse-vector"`` asks one by one, as the paper does
        and a run online must; `resample`, `max_queries`, an `allocation`, an `upper_bound` or more
        rounds than one choose it.
    noise : {"auto", "exponential", "gumbel", "laplace", "gaussian"}, default "auto"
        The noise on the queries. ``"auto"`` takes the most accurate of those proved for this ε
        and δ (the reason is logged).
    threshold_noise : {"auto", "exponential", "laplace", "gaussian", "none"}, default "auto"
        The noise on the threshold, where there is one. ``"none"`` leaves the threshold bare, which
        needs δ > 0.
    correction : str or number, optional
        What is added to the threshold. ``"halfway"``, the usual one, lies halfway between where
        half of the noise passes and where twice the cutoff of all candidates do (in a sparse vector
        run a quarter of the cutoff); it is good at any margin. ``"optimal"`` is the paper's,
        ``"optimal-shared"`` the same with one threshold noise for all queries, as in a real run. Or
        ``"mean"``, ``"none"``, or a number.
    tolerance : int, float, str, Fraction or Decimal, optional
        How far from the threshold an error does not count, for the optimal corrections; 0 if
        nothing is said. In the paper: α.
    rounds : int or "unlimited", optional
        How often a query is asked in all: once if nothing is said. The top is asked without limit.
    allocation : str or number, optional
        How ε is split between threshold and queries: ``"variance"``, the usual one, minimises the
        variance of a comparison; ``"appending"``, the usual one of the top, puts 99 % on the
        queries, best when negatives are asked again until the cutoff is reached; a number is the
        query budget divided by the threshold budget.
    resample : bool, default False
        Draw the threshold noise anew after each positive; for a run online.
    max_queries : int, optional
        A limit on comparisons; for a run online.
    upper_bound : int, float, str, Fraction or Decimal, optional
        For the top in a sparse vector run: a public number that no score exceeds, such as the
        number of people. Far too high costs nothing; too low costs accuracy, never privacy. By
        default the upper end of the range of scores that is given with them.
    grid : int, float, str, Fraction or Decimal, optional
        The grid of releases; it must divide the sensitivity. By default the sensitivity halved
        until a noise scale holds at least eight steps; with δ > 0 and noise on the threshold at
        most a 64th of it, so that the noise can be shifted in part.

    Returns
    -------
    Plan
        The public numbers of the run. :func:`overbar.guarantee` says what they keep.

    Raises
    ------
    ParameterError
        If a number is out of its range.
    NoGuaranteeError
        If nothing is proved about the combination; the message says what to write instead.

    See Also
    --------
    overbar.guarantee : What a plan keeps.
    overbar.select, overbar.top, overbar.SparseVector : What runs it.

    Examples
    --------
    >>> import overbar
    >>> plan = overbar.plan(epsilon=1, cutoff=50, monotonic=True, candidates=10_000)
    >>> overbar.guarantee(plan)
    PureDP(epsilon=1)

    With a δ many positives need far less noise:

    >>> with_delta = overbar.plan(
    ...     epsilon=1, delta="1e-6", cutoff=50, monotonic=True, candidates=10_000
    ... )
    >>> with_delta.query_noise.scale < plan.query_noise.scale / 2
    True

    A plan for the top:

    >>> plan = overbar.plan(epsilon=1, cutoff=2, monotonic=True, top=True)
    >>> overbar.top({"tea": 9_000, "rum": 2, "ale": 5_000}, plan=plan).labels
    ('tea', 'ale')
    """
    in_groups = checked_groups(groups, groups_per_person)
    per_person = None if in_groups is None else in_groups.per_person
    hits = _checked_hits(hits_per_person, cutoff, weights, mechanism)
    if hits is not None and monotonic is None and reach is None:
        monotonic = True  # persons are counted
    most = 1 if hits is not None else _check.whole("cutoff", cutoff)
    items = _whole_or_none("items_per_person", items_per_person)
    _check.product(groups_per_person=per_person, cutoff=most)
    _check.product(groups_per_person=per_person, items_per_person=items)
    if _check.flag("top", top):
        refuse_bar_numbers(
            correction=correction, tolerance=tolerance, rounds=rounds, candidates=candidates
        )
    elif upper_bound is not None:
        raise ParameterError(
            f"{named('upper_bound')} is for the top: leave it out, or write {named('top', True)}"
        )
    usual = "appending" if top else "variance"
    request = Request(
        epsilon=_check.positive("epsilon", epsilon),
        delta=_check.probability("delta", delta),
        cutoff=most,
        reach=_reach(reach, sensitivity, monotonic),
        noise=_check.choice("noise", noise, (*NOISES, "auto")),
        threshold_noise=_check.choice("threshold_noise", threshold_noise, THRESHOLD_NOISES),
        resample=_check.flag("resample", resample),
        allocation=checked_allocation(usual if allocation is None else allocation),
        max_queries=_whole_or_none("max_queries", max_queries),
        grid=None if grid is None else _check.positive("grid", grid),
        mechanism=_check.choice("mechanism", mechanism, (*WAYS, "auto")),
        rounds=_checked_rounds(rounds),
        items_per_person=items,
        top=top,
        counts=checked_counts(counts),
        groups=in_groups,
        upper_bound=None if upper_bound is None else _check.rational("upper_bound", upper_bound),
    )
    if hits is not None:
        request = _monitored(request, hits, weights)
        candidates = USUAL_QUESTIONS if candidates is None else candidates
    wanted = WantedCorrection()
    if not top:
        wanted = WantedCorrection.of(correction, candidates, tolerance)
    return _planned(replace(request, candidates=wanted.candidates), wanted)


@calm
def _planned(request: Request, wanted: WantedCorrection) -> ScorePlan:
    """Fill in what is open, and make the plan."""
    if request.delta > LARGEST_DELTA:
        raise ParameterError(
            f"{named('delta')} must be at most {exact_text(LARGEST_DELTA)}: from there on a "
            "plan without "
            "any noise would do"
        )
    if request.grid is not None:
        try:
            request.reach.check_grid(request.grid)
        except ParameterError:
            raise ParameterError(
                f"{named('grid')} must divide the sensitivity {request.reach}, "
                f"got {exact_text(request.grid)}"
            ) from None
    found = best(with_mechanism(request))
    plan = _kept(found)
    return plan if request.top else wanted.put(plan, found.way)


def refuse_bar_numbers(**numbers: object) -> None:
    """Refuse for the top what belongs to a threshold."""
    for name, number in numbers.items():
        if number is not None:
            raise ParameterError(
                f"{named(name)} must not be given for the top, which has no threshold and is asked "
                "as often as it takes; use select"
            )


def _checked_rounds(rounds: object) -> int | None:
    """Return how often a query is asked; None for as often as it takes."""
    if rounds is None:
        return 1
    return None if rounds == UNLIMITED else _check.whole("rounds", rounds)


def _checked_hits(hits: object, cutoff: object, weights: object, mechanism: str) -> int | None:
    """Return in how many alarms a person counts; None where it is no monitor."""
    has_weights = _check.flag("weights", weights)
    if hits is None:
        if has_weights or mechanism == MONITOR:
            raise ParameterError(
                f"{named('hits_per_person')} must be given for a monitor: in how many alarms may "
                f"one person count? Others have a {named('cutoff')}"
            )
        return None
    if cutoff is not None or mechanism not in ("auto", MONITOR):
        raise ParameterError(
            f"{named('hits_per_person')} is for a monitor, which never halts: leave out "
            f"{named('cutoff')} and {named('mechanism')}, or use a cutoff alone"
        )
    return _check.whole("hits_per_person", hits)


def _whole_or_none(name: str, value: object) -> int | None:
    return None if value is None else _check.whole(name, value)


def _reach(reach: object, sensitivity: Number | None, monotonic: bool | None) -> Reach:
    """Return how far one person moves an answer, said in one of two ways."""
    if reach is None:
        most = 1 if sensitivity is None else sensitivity
        return Reach.of(most, monotonic=False if monotonic is None else monotonic)
    if not isinstance(reach, Reach):
        raise ParameterError(f"reach must be a Reach, such as Reach(-10, 100), got {reach!r}")
    if sensitivity is not None or monotonic is not None:
        raise ParameterError(
            "sensitivity and monotonic must be left out with reach, which says both"
        )
    return reach


def _monitored(request: Request, hits: int, weights: bool) -> Request:
    """Return the request of a monitor: nothing is counted by the run, all by each person."""
    grid = request.grid
    if grid is None and weights:
        grid = request.coarsest_grid / WEIGHT_STEPS
    return replace(request, mechanism=MONITOR, hits=hits, weights=weights, grid=grid)


def _kept(found: Found) -> ScorePlan:
    """Return a plan that keeps what was asked for, with a hair more noise where that is needed.

    It is needed for huge cutoffs alone, where the rounding of floats reaches the ninth digit of ε.
    """
    request = found.way.request
    for widening in range(WIDENINGS):
        plan = found.plan
        if guarantee(plan).at(request.delta) <= request.epsilon:
            return plan
        wider = float(found.scale) * (1 + 1e-10 * 2**widening)
        found = replace(found, scale=rounded(wider))
    raise ParameterError(
        f"a cutoff of {request.cutoff} is too large to keep to this epsilon and delta; make it "
        f"smaller, or write {named('delta', 0)}"
    )
