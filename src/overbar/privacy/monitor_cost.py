"""What a monitor gives away about one person, however long it runs.

**Hits** (Theorem 7): everyone is left out once k alarms have counted them. Then all answers cost
together what k positives against a bare threshold do.

**Weights** (Theorem 8): at an order that is fixed an alarm charges a person by how far they move
its log-hazard, and whoever could be charged more than k full hits cost is left out. Then that is
what all answers cost at this order.

Theory: :doc:`/theory/monitor`.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

from overbar.errors import NoGuaranteeError
from overbar.mechanisms import MonitorPlan
from overbar.noise import Gumbel
from overbar.privacy.hazard import base_renyi, hazard_step

#: What a full hit is charged where weights are paid for: parts of it are rounded up to whole ones.
FULL = 2**40
#: More than the relative error of a divergence, twice.
ROUNDED = 1 + 1e-9
#: A bare threshold loses about e^step with every positive: beyond this, orders and floats run out.
LARGEST_BARE_STEP = 15.0


def weight_cost(step: float, order: float) -> float:
    """Return what an alarm costs a person who moves its log-hazard by so much; rounded up.

    Infinite from an order of 1/(1 - e^-step) on.
    """
    return max(base_renyi(step, order), base_renyi(-step, order))


def monitor_step(plan: MonitorPlan) -> float:
    """Return how far a person moves the log-hazard of an alarm; say why, if nothing is proved."""
    if type(plan.query_noise) is not Gumbel:
        raise NoGuaranteeError(f"a monitor has a proof for gumbel noise, got {plan.query_noise!r}")
    step = hazard_step(plan.query_noise, plan.reach.most)
    order = plan.renyi_order
    if order is None and step <= LARGEST_BARE_STEP:
        return step
    if order is not None and math.isfinite(weight_cost(step, float(order))):
        return step
    raise NoGuaranteeError(
        "with so little noise a monitor has no guarantee worth the name; use a larger scale, or "
        "a lower renyi_order"
    )


class Charges(NamedTuple):
    """What an alarm charges a person, by the grid steps of their weight, and how much in all."""

    by_steps: tuple[int, ...]
    most: int


@lru_cache(maxsize=8)
def charges_of(plan: MonitorPlan) -> Charges:
    """Return the charges of a plan that has a guarantee.

    Whoever has been charged m so far is left out of a question that may charge c if m + c is more
    than the most. One who does not count is charged nothing.
    """
    monitor_step(plan)
    steps = range(1, plan.steps + 1)
    if plan.renyi_order is None:
        return Charges((0, *(1 for _ in steps)), plan.hits)
    order = float(plan.renyi_order)
    costs = [weight_cost(hazard_step(plan.query_noise, many * plan.grid), order) for many in steps]
    parts = [math.ceil(cost / costs[-1] * FULL * ROUNDED) for cost in costs]
    return Charges((0, *(min(part, FULL) for part in parts)), plan.hits * FULL)
