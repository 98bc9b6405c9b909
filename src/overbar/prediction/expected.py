"""How accurate a plan can be expected to be, before any data is touched.

**The model.** Of n candidates, `above` lie at threshold + margin and all others at
threshold - margin; they are asked in a random order. No data is more even than this, so it
says what a margin is worth and nothing about a particular table: where scores spread out, those
farther from the threshold than the margin do better than predicted, and those nearer do worse.

**What is computed.** Given the noisy threshold, everyone is asked independently, or has a value
that is independent of the others, and :mod:`overbar.prediction.population` counts. One threshold
noise is shared by the whole run, so the counts are averaged over it by quadrature: nothing is
simulated. Noise is continuous, as in :func:`overbar.simulate`; releases round it to the plan's
grid.

**top.** There is no threshold. The margin is then half of the distance between the top and the
rest. In a sparse vector run the bar lies far above all scores, and with unlimited rounds it drops
out: winners are drawn with odds e^(score/scale).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from overbar import _check
from overbar._check import Number
from overbar.errors import ParameterError, named
from overbar.plans import Plan, SparseVectorPlan
from overbar.prediction.highest_values import highest_values
from overbar.prediction.knots import bars
from overbar.prediction.population import Population


@dataclass(frozen=True)
class Accuracy:
    """What can be expected, each between 0 and 1, as :mod:`overbar.metrics` measures it.

    Attributes
    ----------
    recall
        Share of what is above that is found; of the cutoff, if more are above than can be found.
    precision
        Share of the found that is above; zero where nothing is found.
    ncr
        Normalized cumulative rank, with all that are above tied: the recall again if the cutoff or
        more are above.
    """

    recall: float
    precision: float
    ncr: float


@_check.known_keywords
def expected_accuracy(
    plan: Plan, margin: Number, *, candidates: int, above: int | None = None
) -> Accuracy:
    """Return the accuracy to expect if all candidates are a margin away from the threshold.

    Parameters
    ----------
    plan : Plan
        What would be run. Redrawing the threshold noise, and a limit on comparisons below
        candidates times rounds, are not covered.
    margin : int, float, str, Fraction or Decimal
        How far every score is from the threshold.
    candidates : int
        How many candidates there are.
    above : int, optional
        How many of them are above; as many as the cutoff by default.

    Returns
    -------
    Accuracy
        Recall, precision and NCR.

    Raises
    ------
    ParameterError
        If more are above than there are, or the plan is not covered.

    Examples
    --------
    >>> from overbar import calibrate
    >>> plan = calibrate(epsilon=1, cutoff=50, monotonic=True, candidates=10_000)
    >>> found = expected_accuracy(plan, 280, candidates=10_000)
    >>> round(found.recall, 3), round(found.precision, 3)
    (0.996, 0.996)
    """
    number = _check.whole("candidates", candidates)
    right = min(plan.cutoff, number) if above is None else _check.whole("above", above)
    if right > number:
        raise ParameterError(
            f"{named('above')} must be at most the {number:,} candidates, got {right:,}"
        )
    _refuse_what_is_not_covered(plan, number)
    distance = float(_check.non_negative("margin", margin))
    population = Population(right, number - right, plan.cutoff)
    plan = plan.labels
    if isinstance(plan, SparseVectorPlan):
        hits, precision = _asked_in_turn(plan, distance, population)
    else:
        hits, precision = highest_values(plan, distance, population)
    most = min(right, plan.cutoff)
    worth = (2 * plan.cutoff - most + 1) / 2  # mean rank score of a place among the first `most`
    return Accuracy(
        recall=_share(hits / most),
        precision=_share(precision),
        ncr=_share(hits * worth / (plan.cutoff * (plan.cutoff + 1) / 2)),
    )


def _asked_in_turn(
    plan: SparseVectorPlan, distance: float, population: Population
) -> tuple[float, float]:
    """Return expected hits and expected precision of a sparse vector run."""
    if plan.bar.above_all:
        places, weights = np.full(1, float(plan.correction) + distance), np.ones(1)
    else:
        places, weights = bars(plan, distance, population)
    near, far = (plan.query_noise.log_hazard(places + side) for side in (-distance, distance))
    found = population.found(near, far, plan.repeats.rounds)
    return float(weights @ found.hits), float(weights @ found.precision)


def _refuse_what_is_not_covered(plan: Plan, candidates: int) -> None:
    labels = plan.labels
    if not isinstance(labels, SparseVectorPlan):
        return
    repeats = labels.repeats
    if repeats.resample:
        raise ParameterError(
            f"accuracy is not predicted for {named('resample', True)}; simulate it instead"
        )
    if repeats.max_queries is not None and (
        repeats.rounds is None or repeats.max_queries < candidates * repeats.rounds
    ):
        raise ParameterError(
            f"accuracy is not predicted where {named('max_queries')} cuts a run short: it is "
            f"{repeats.max_queries:,} for {candidates:,} candidates; simulate it instead"
        )


def _share(value: float) -> float:
    """Return a share of at most one; rounding may leave it a hair beyond."""
    return min(1.0, max(0.0, value))
