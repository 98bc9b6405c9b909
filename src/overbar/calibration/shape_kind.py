"""From ε and δ to a plan for the shape of a table: all columns have the same share.

Theory: :doc:`/theory/quantiles`.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from overbar import _check
from overbar._check import Number
from overbar.accounting import guarantee
from overbar.calibration.key_kind import key_forecast, key_plan
from overbar.calibration.quantile_kind import MISSES, margin
from overbar.errors import ParameterError
from overbar.noise import Exponential, Gaussian, Gumbel, Laplace
from overbar.plans.quantile_plan import QuantilePlan
from overbar.plans.shape_plan import Columns, ShapePlan

#: Bounds and quartiles.
SHARES = tuple(Fraction(part, 100) for part in (5, 25, 50, 75, 95))
#: Which part of ε counts persons; the columns share the rest evenly.
PERSONS_PART = Fraction(1, 10)
#: Steps to find how much less noise a δ allows.
SEARCH = 12


@lru_cache(maxsize=8, typed=True)  # a retry asks for the same
def shape_plan(
    epsilon: Number, delta: Number, numbers: int, days: int, texts: int, rungs: tuple[int, int]
) -> ShapePlan:
    """Return a plan for so many columns of numbers, of days and of text; ladders have `rungs`.

    All of ε is shared out evenly, as if costs added up. Where a δ is allowed they do not: then all
    shares grow by the largest factor for which the whole is still (ε, δ)-DP.

    >>> plan = shape_plan(1, "1e-6", 40, 0, 0, (3243, 1))
    >>> guarantee(plan).implies(1, "1e-6"), plan.paid()[0].query_noise.scale < 100
    (True, True)
    """
    level, allowed = _check.positive("epsilon", epsilon), _check.probability("delta", delta)
    asked, cells = numbers + days + (texts if allowed else 0), 1 + numbers + days + texts
    if cells == 1:
        raise ParameterError("there must be a column to describe")
    part = PERSONS_PART if asked else Fraction(1)
    each, cell = level * (1 - part) / max(1, asked), level * part / cells

    def made(factor: Fraction | None) -> ShapePlan:
        more = factor or Fraction(1)
        law = Exponential if factor is None else Gumbel
        columns = [
            Columns(
                QuantilePlan(
                    law(2 * len(SHARES) / (more * each)), SHARES, rung, None, False, days=is_days
                ),
                number,
            )
            for number, rung, is_days in ((numbers, rungs[0], False), (days, rungs[1], True))
            if number
        ]
        keys = None
        if texts and allowed:
            keys = key_plan(
                more * each,
                allowed / texts / (1 if factor is None else 2),
                items_per_person=1,
                counts=True,
            )
        columns += [Columns(keys, texts)] if texts else []
        persons = (Laplace if factor is None else Gaussian)(1 / (more * cell))
        return ShapePlan(persons, tuple(columns))

    if not allowed:
        return made(None)
    low, high = Fraction(1), Fraction(cells)
    for _ in range(SEARCH):
        middle = Fraction(round(64 * (low + high) / 2), 64)
        if guarantee(made(middle)).implies(level, allowed):
            low = middle
        else:
            high = middle
    best = made(low)
    return best if low > 1 and guarantee(best).implies(level, allowed) else made(None)


def shape_forecast(plan: ShapePlan) -> str:
    """Say how near answers come, from public numbers alone."""
    sentences = []
    for each in plan.columns:
        if isinstance(each.plan, QuantilePlan):
            off = max(margin(each.plan, share, MISSES) for share in each.plan.shares)
            sentences.append(
                f"With a chance of 95 % a quantile is off by at most {off:,} persons, on a ladder "
                f"of {each.plan.rungs:,} rungs."
            )
        elif each.plan is not None:
            sentences.append(f"Of text: {key_forecast(each.plan)}")  # type: ignore[arg-type]
    return " ".join(sentences)
