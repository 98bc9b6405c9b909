"""How accurate a plan can be expected to be, before any data is touched.

**The model.** Of n candidates, `above` lie at threshold + margin and all others at
threshold - margin; they are asked in a random order. No data is more even than this, so it
says what a margin is worth and nothing about a particular table: where scores spread out, those
farther from the threshold than the margin do better than predicted, and those nearer do worse.

**What is computed.** Given the noisy threshold, everyone is asked independently and
:mod:`overbar.prediction.population` counts. One threshold noise is shared by the whole run, so the
counts are averaged over it by quadrature: nothing is simulated. Noise is continuous, as in
:func:`overbar.simulate`; releases round it to the plan's grid.

**top.** With unlimited rounds and a bar far above all scores the threshold drops out, and winners
are drawn with odds e^(score/scale). The margin is then half of the distance between the top and the
rest.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from overbar import _check
from overbar._check import Number
from overbar.errors import ParameterError, named
from overbar.noise.noise import Array
from overbar.plan import Plan
from overbar.prediction.population import Population

__all__ = ["Accuracy", "expected_accuracy"]

#: Threshold noise beyond this chance, on either side, is left out.
LEFT_OUT = 1e-11
#: Where to cut around a place at which something happens, in widths of what happens there.
_AROUND = np.array([-27.0, -9.0, -3.0, -1.0, 0.0, 1.0, 3.0, 9.0, 27.0])
_POINTS, _WEIGHTS = np.polynomial.legendre.leggauss(6)


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


def expected_accuracy(
    plan: Plan, margin: Number, *, candidates: int, above: int | None = None
) -> Accuracy:
    """Return the accuracy to expect if all candidates are a margin away from the threshold.

    Parameters
    ----------
    plan
        What would be run. Redrawing the threshold noise, and a limit on comparisons below
        candidates times rounds, are not covered.
    margin
        How far every score is from the threshold.
    candidates, above
        How many candidates there are, and how many of them above; as many as the cutoff by default.

    >>> from overbar import calibrate
    >>> plan = calibrate(epsilon=1, cutoff=50, monotonic=True, candidates=10_000)
    >>> found = expected_accuracy(plan, 280, candidates=10_000)
    >>> round(found.recall, 3), round(found.precision, 3)
    (0.78, 0.993)
    """
    number = _check.whole("candidates", candidates)
    right = min(plan.cutoff, number) if above is None else _check.whole("above", above)
    if right > number:
        raise ParameterError(
            f"{named('above')} must be at most the {number:,} candidates, got {right:,}"
        )
    _refuse_what_is_not_covered(plan, number)
    distance = float(_check.non_negative("margin", margin))
    level = float(plan.correction)
    population = Population(right, number - right, plan.cutoff)
    if plan.is_top:
        weights = np.ones(1)
        gaps = np.full(1, level), np.full(1, level + 2 * distance)
    else:
        moves, weights = _threshold_noise(plan, distance, population)
        gaps = moves + (level - distance), moves + (level + distance)
    near, far = (plan.query_noise.log_hazard(gap) for gap in gaps)
    found = population.found(near, far, plan.rounds)
    hits = float(weights @ found.hits)
    most = min(right, plan.cutoff)
    worth = (2 * plan.cutoff - most + 1) / 2  # mean rank score of a place among the first `most`
    return Accuracy(
        recall=_share(hits / most),
        precision=_share(float(weights @ found.precision)),
        ncr=_share(hits * worth / (plan.cutoff * (plan.cutoff + 1) / 2)),
    )


def _refuse_what_is_not_covered(plan: Plan, candidates: int) -> None:
    if plan.resample:
        raise ParameterError(
            f"accuracy is not predicted for {named('resample', True)}; simulate it instead"
        )
    if plan.max_queries is not None and (
        plan.rounds is None or plan.max_queries < candidates * plan.rounds
    ):
        raise ParameterError(
            f"accuracy is not predicted where {named('max_queries')} cuts a run short: it is "
            f"{plan.max_queries:,} for {candidates:,} candidates; simulate it instead"
        )


def _share(value: float) -> float:
    """Return a share of at most one; rounding may leave it a hair beyond."""
    return min(1.0, max(0.0, value))


def _threshold_noise(plan: Plan, distance: float, population: Population) -> tuple[Array, Array]:
    """Return values of the threshold noise and their weights, fine wherever something happens."""
    noise = plan.threshold_noise
    if noise is None:
        return np.zeros(1), np.ones(1)
    ends = float(noise.quantile(LEFT_OUT)), float(noise.isf(LEFT_OUT))
    level, width = float(plan.correction), float(plan.query_noise.scale)
    knots = [
        (0.0, float(noise.scale)),
        (distance - level, width),
        (-distance - level, width),
        (
            _crossing(plan, population, distance, ends, float(plan.cutoff)),
            width / population.cutoff**0.5,
        ),
        (_crossing(plan, population, distance, ends, 1.0), width),
    ]
    cuts = np.concatenate([place + size * _AROUND for place, size in knots])
    edges = np.unique(np.clip(cuts, *ends))
    edges = np.unique(np.concatenate([ends, edges]))
    half = np.diff(edges)[:, None] / 2
    places = (edges[:-1, None] + half + half * _POINTS).ravel()
    weights = (half * _WEIGHTS).ravel() * noise.pdf(places)
    kept = weights > 1e-15
    return places[kept], weights[kept] / weights.sum()


def _crossing(
    plan: Plan, population: Population, distance: float, ends: tuple[float, float], level: float
) -> float:
    """Return the threshold noise at which so many are positive on average; an end if none is."""

    def positives(move: float) -> float:
        gaps = np.array([-distance, distance]) + float(plan.correction) + move
        logs = plan.query_noise.logcdf(gaps)
        times = math.inf if plan.rounds is None else plan.rounds
        with np.errstate(invalid="ignore"):
            missed = np.where(logs == 0, 0.0, times * logs)
        return float(population.mean(missed[:1], missed[1:])[0])

    low, high = ends
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if positives(middle) >= level else (low, middle)
    return low
