"""The strongest statement about a plan: the best of all theorems that cover it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from overbar import _check
from overbar._check import Number
from overbar._numbers import short_text
from overbar.accounting.capped import capped_covers, capped_delta, capped_epsilon, capped_renyi
from overbar.accounting.composition import composed_delta, composed_epsilon, composed_renyi
from overbar.accounting.histogram import (
    histogram_covers,
    histogram_curve_delta,
    histogram_curve_epsilon,
    histogram_curve_renyi,
)
from overbar.accounting.partial_shift import (
    shifted_covers,
    shifted_delta,
    shifted_epsilon,
    shifted_renyi,
    shifted_spent,
)
from overbar.accounting.pure import pure_covers, pure_epsilon
from overbar.accounting.pure_guarantee import Guarantee, PureDP
from overbar.accounting.race import (
    bare_covers,
    bare_delta,
    bare_epsilon,
    bare_renyi,
    race_covers,
    race_delta,
    race_epsilon,
    race_renyi,
    race_spent,
)
from overbar.accounting.renyi import (
    resampled_covers,
    resampled_delta,
    resampled_epsilon,
    resampled_renyi,
    resampled_spent,
)
from overbar.errors import NoGuaranteeError
from overbar.plan import Plan

#: The δ at which a repr shows ε.
SHOWN_DELTA = Fraction(1, 10**6)


class Curve(NamedTuple):
    """A theorem that gives a whole curve of (ε, δ) for the plans it covers."""

    covers: Callable[[Plan], bool]
    epsilon: Callable[[Plan, Number], float]
    delta: Callable[[Plan, Number], float]
    renyi: Callable[[Plan, float], float]
    #: What a run has cost after so many positives, at an order; None where that is all of it.
    spent: Callable[[Plan, int, float], float] | None


#: The theorems beyond Theorem 1.
CURVES = (
    Curve(race_covers, race_epsilon, race_delta, race_renyi, race_spent),
    Curve(shifted_covers, shifted_epsilon, shifted_delta, shifted_renyi, shifted_spent),
    Curve(bare_covers, bare_epsilon, bare_delta, bare_renyi, None),
    Curve(resampled_covers, resampled_epsilon, resampled_delta, resampled_renyi, resampled_spent),
    Curve(capped_covers, capped_epsilon, capped_delta, capped_renyi, None),
    Curve(
        histogram_covers,
        histogram_curve_epsilon,
        histogram_curve_delta,
        histogram_curve_renyi,
        None,
    ),
)


@dataclass(frozen=True, repr=False)
class ApproximateDP(Guarantee):
    """(ε, δ)-differential privacy for every δ: the best of all theorems that cover the plan.

    Made by :func:`overbar.guarantee`.

    Parameters
    ----------
    plan : Plan
        The plan it is about.
    curves : tuple of Curve
        The theorems that cover it.
    pure : PureDP or None
        What is proved at δ = 0, if anything is.

    Examples
    --------
    >>> import overbar
    >>> plan = overbar.calibrate(epsilon=1, delta="1e-6", cutoff=9, candidates=99, noise="gumbel")
    >>> proved = overbar.guarantee(plan)
    >>> proved.implies(1, "1e-6"), proved.implies(1)
    (True, False)
    """

    plan: Plan
    curves: tuple[Curve, ...]
    pure: PureDP | None

    def __repr__(self) -> str:
        at_zero = f"epsilon={short_text(self.pure.epsilon)} at delta=0, " if self.pure else ""
        return (
            f"ApproximateDP({at_zero}epsilon={short_text(self.at(SHOWN_DELTA))} "
            f"at delta={float(SHOWN_DELTA):g})"
        )

    def at(self, delta: Number = 0) -> Fraction | float:
        """Return the smallest ε proved at this δ; exact at δ = 0.

        Parameters
        ----------
        delta : int, float, str, Fraction or Decimal, default 0
            The δ allowed.

        Returns
        -------
        Fraction or float
            An ε that holds, rounded up.

        Raises
        ------
        NoGuaranteeError
            At δ = 0, if nothing is proved there.
        """
        if _check.probability("delta", delta) == 0:
            if self.pure is None:
                raise NoGuaranteeError(
                    "this plan has no pure guarantee; ask for epsilon at a positive delta"
                )
            return self.pure.epsilon
        proved: list[Fraction | float] = [curve.epsilon(self.plan, delta) for curve in self.curves]
        return min([*proved, *([self.pure.at(delta)] if self.pure else [])])

    def delta(self, epsilon: Number) -> float:
        """Return the smallest δ proved at this ε.

        Parameters
        ----------
        epsilon : int, float, str, Fraction or Decimal
            The ε allowed.

        Returns
        -------
        float
            A δ that holds.
        """
        proved = [curve.delta(self.plan, epsilon) for curve in self.curves]
        return min([*proved, *([self.pure.delta(epsilon)] if self.pure else [])])

    def renyi(self, order: float) -> float:
        """Return the smallest bound proved on the Rényi divergence of this order.

        Parameters
        ----------
        order : float
            The order, above 1.

        Returns
        -------
        float
            A bound, rounded up.
        """
        proved = [curve.renyi(self.plan, order) for curve in self.curves]
        return min([*proved, *([self.pure.renyi(order)] if self.pure else [])])


def proved_parts(plan: Plan) -> tuple[PureDP | ApproximateDP, ...]:
    """Return what is proved about each of the parts of a plan."""
    known = {part: guarantee(part) for part in dict.fromkeys(plan.parts)}
    return tuple(known[part] for part in plan.parts)


def _is_more_than_pure(plan: Plan) -> bool:
    return not all(isinstance(proved, PureDP) for proved in proved_parts(plan))


#: For plans of several parts, of which not all are pure.
COMPOSED = Curve(
    _is_more_than_pure,
    lambda plan, delta: composed_epsilon(proved_parts(plan), delta),
    lambda plan, epsilon: composed_delta(proved_parts(plan), epsilon),
    lambda plan, order: composed_renyi(proved_parts(plan), order),
    None,
)


def guarantee(plan: Plan) -> PureDP | ApproximateDP:
    """Return the strongest statement proved about a plan; raise if there is none.

    Parameters
    ----------
    plan : Plan
        Any plan, also one made by hand.

    Returns
    -------
    PureDP or ApproximateDP
        A value: ``at(delta)`` is the ε at a δ, and ``delta(epsilon)`` the δ at an ε.

    Raises
    ------
    NoGuaranteeError
        If nothing is proved; the message says what to change.

    Examples
    --------
    >>> from overbar import calibrate
    >>> guarantee(calibrate(epsilon="0.1", cutoff=50, candidates=10_000))
    PureDP(epsilon=0.1)
    >>> plan = calibrate(epsilon=1, delta="1e-6", cutoff=50, noise="gumbel", candidates=10_000)
    >>> round(guarantee(plan).at("1e-6"), 9)
    1.0
    """
    first, *others = plan.parts
    if not others:
        plan = first
    theorems = (COMPOSED,) if others else CURVES
    curves = tuple(curve for curve in theorems if curve.covers(plan))
    if curves and not pure_covers(plan):
        return ApproximateDP(plan, curves, None)
    pure = PureDP(pure_epsilon(plan))  # says why, if nothing covers the plan
    return ApproximateDP(plan, curves, pure) if curves else pure
