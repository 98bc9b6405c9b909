"""A run as an OpenDP measurement, with its privacy map.

>>> import overbar, opendp.prelude as dp
>>> from overbar.integrations.opendp import measurement
>>> dp.enable_features("contrib", "honest-but-curious")
>>> plan = overbar.plan(epsilon=1, cutoff=2, candidates=4, monotonic=True)
>>> select = measurement(plan, threshold=500)
>>> sorted(select([2, 90_000, 5, 80_000])), select.map(1)
([1, 3], 1.0)

Needs the extra ``opendp`` (:doc:`/dependencies`) and OpenDP's features "contrib" and
"honest-but-curious", which this module does not switch on for you: OpenDP has not checked our
proofs. The input is a vector of scores under the largest distance between two of its entries; the
output is the list of selected positions.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from overbar import _check
from overbar._numbers import rounded_up
from overbar.errors import MissingExtraError, NoGuaranteeError, ParameterError
from overbar.mechanisms import Plan, Reach, ScorePlan
from overbar.mechanisms.score_plan import of_scores
from overbar.privacy import guarantee
from overbar.runs import select

try:
    import opendp.prelude as dp
except ImportError as error:
    raise MissingExtraError(
        "opendp is not installed; write: pip install 'overbar[opendp]'"
    ) from error

__all__ = ["measurement", "stated_cost"]


@_check.known_keywords
def measurement(plan: Plan, threshold: _check.Number, delta: _check.Number = 0) -> Any:
    """Return an OpenDP measurement that selects candidates above the threshold.

    With ``delta=0`` its measure is ``max_divergence()`` and its map gives ε; otherwise it is
    ``approximate(max_divergence())`` and the map gives (ε, δ) at that δ. Scores are integers
    (``i64``), and the candidates are public: the vector has one entry for each on every data set.

    Parameters
    ----------
    plan : Plan
        The plan of the run.
    threshold : int, float, str, Fraction or Decimal
        The public level.
    delta : int, float, str, Fraction or Decimal, default 0
        The δ at which its map gives ε.

    Returns
    -------
    Measurement
        One of OpenDP's.
    """
    pure = _check.probability("delta", delta) == 0
    scored = of_scores(plan)
    privacy_map(scored, 1, delta)  # refuse a plan without a proof here, not when it is run

    def run(scores: Sequence[int]) -> list[int]:
        return list(select(list(scores), threshold=threshold, plan=plan).indices or ())

    return dp.m.make_user_measurement(
        input_domain=dp.vector_domain(dp.atom_domain(T="i64")),
        input_metric=dp.linf_distance(T="i64", monotonic=scored.reach.one_way),
        output_measure=dp.max_divergence() if pure else dp.approximate(dp.max_divergence()),
        function=run,
        privacy_map=lambda distance: privacy_map(scored, distance, delta),
        TO="Vec<i64>",
    )


def privacy_map(
    plan: ScorePlan, distance: int, delta: _check.Number = 0
) -> float | tuple[float, float]:
    """Return what is proved when one person moves each score by at most a distance.

    It is the guarantee of the same noise read at that sensitivity, rounded up to the grid.
    """
    if len(plan.paid()) > 1 or plan.groups is not None:
        raise NoGuaranteeError(
            "an OpenDP measurement gives positions alone, of one run; make the plan without counts "
            "and groups"
        )
    if plan.items_per_person is not None:
        raise NoGuaranteeError(
            "OpenDP's distance says how far each score may move and not how many of them do; make "
            "the plan without items_per_person"
        )
    if distance < 0:
        raise ParameterError(f"distance must be zero or positive, got {distance}")
    allowed = _check.probability("delta", delta)
    # Rounded down: a smaller δ asks for more.
    shown = -rounded_up(-allowed)
    steps = math.ceil(Fraction(distance) / plan.grid)
    if steps == 0:
        return 0.0 if allowed == 0 else (0.0, 0.0)
    # The correction is on the grid already, so only the reach changes.
    moved = Reach.of(steps * plan.grid, monotonic=plan.reach.one_way)
    epsilon = guarantee(replace(plan, reach=moved)).at(Fraction(shown))  # type: ignore[type-var]
    value = rounded_up(Fraction(epsilon))
    return value if allowed == 0 else (value, shown)


@_check.known_keywords
def stated_cost(measurement: Any, distance: Any, delta: _check.Number = 0) -> dict[str, Fraction]:
    """Return what a measurement costs, for ``booking.spend(**stated_cost(...))``.

    Parameters
    ----------
    measurement : Measurement
        One of OpenDP's. All that one person has must be within the distance.
    distance : int or float
        How far one person's data can move its input, in its own metric.
    delta : int, float, str, Fraction or Decimal, default 0
        The δ at which a privacy profile is read.

    Returns
    -------
    dict
        Its epsilon and delta, or its rho, as the measure says.

    Raises
    ------
    NoGuaranteeError
        If a ledger cannot add up what its map gives.
    """
    measure, loss = str(measurement.output_measure), measurement.map(distance)
    if measure == "MaxDivergence":
        return {"epsilon": Fraction(loss)}
    if measure == "Approximate(MaxDivergence)":
        return {"epsilon": Fraction(loss[0]), "delta": Fraction(loss[1])}
    if measure == "ZeroConcentratedDivergence":
        return {"rho": Fraction(loss)}
    if measure == "SmoothedMaxDivergence":
        allowed = -rounded_up(-_check.probability("delta", delta))
        return {"epsilon": Fraction(loss.epsilon(allowed)), "delta": Fraction(allowed)}
    raise NoGuaranteeError(
        f"a ledger cannot add up costs by {measure}; make the measurement one of max_divergence, "
        "approximate(max_divergence) or zero_concentrated_divergence"
    )
