"""Pure differential privacy of a run, in exact fractions.

Paper (arXiv:2407.20068), Theorem 2: if ln f of the threshold noise falls by at most k1 for each
step to the right and ln S of the query noise is k2-Lipschitz, a sparse vector run with at most c
positives is (k1·Δ + c·k2·fΔ)-DP, where f is 1 for monotonic queries and 2 otherwise.

Proof. Substitute ρ → ρ + Δ in the integral over the threshold noise, which costs k1·Δ. Then every
negative is at least as likely on the neighbour, because F increases, so negatives are free. A
positive's gap has moved by at most fΔ, which costs k2·fΔ. There are at most c of them.

The shift is always up, so one-sided noise serves as well (the paper asks for a Lipschitz ln f). On
a grid that divides Δ the substitution maps the grid into itself and the proof stands as it is, with
the discrete law for ρ and S evaluated at grid points.

Ranked selection with exponential noise has its own theorem (:mod:`overbar.accounting.ranked`). With
Gumbel noise it is the limit of runs with ever more rounds against an ever higher bar, so Theorem 2
holds as it stands; without a bar nothing is paid for one. A histogram costs the same whatever it
finds (:mod:`overbar.accounting.histogram`).

Theory: :doc:`/theory/pure`, :doc:`/theory/ranked`.
"""

from __future__ import annotations

from fractions import Fraction

from overbar.accounting.histogram import histogram_epsilon
from overbar.accounting.ranked import ranked_epsilon
from overbar.accounting.theorem import checked_positives
from overbar.errors import NoGuaranteeError, named, quoted
from overbar.noise import Exponential, Gumbel, Laplace, Noise
from overbar.plan import Plan

#: The noises whose highest values have a proof. Not what derives from them.
RANKED_NOISES = (Exponential, Gumbel)


def pure_covers(plan: Plan) -> bool:
    """Tell whether a theorem covers a plan at δ = 0: its constants are stated."""
    if len(plan.parts) > 1:
        return all(map(pure_covers, plan.parts))
    (plan,) = plan.parts
    if plan.mechanism == "histogram":
        bounded = plan.items_per_person is not None and plan.threshold_noise is None
        return bounded and type(plan.query_noise) is Laplace
    if plan.mechanism == "ranked" and type(plan.query_noise) not in RANKED_NOISES:
        return False
    noise = plan.threshold_noise
    if noise is None:
        bar = plan.mechanism == "ranked" and plan.is_top
    else:
        bar = isinstance(noise.unit_log_density_fall, int)
    return bar and isinstance(plan.query_noise.unit_log_survival_constant, int)


def threshold_epsilon(plan: Plan) -> Fraction:
    """Return what one draw of the threshold noise costs: k1·Δ. In the paper: ε₁."""
    noise = plan.threshold_noise
    if plan.mechanism == "ranked" and plan.is_top:
        return Fraction(0)  # there is no bar
    if noise is None:
        raise NoGuaranteeError(
            "a threshold without noise has no pure guarantee: one negative answer can cost any "
            f"amount. Use {named('threshold_noise', 'laplace')}, or allow delta > 0"
        )
    if not isinstance(noise.unit_log_density_fall, int):
        raise NoGuaranteeError(
            f"{noise.name} noise on the threshold has no pure guarantee: "
            f"{_why_not(noise.unit_log_density_fall, 'density')}. Use "
            f"{named('threshold_noise', 'laplace')}"
        )
    return noise.unit_log_density_fall / noise.scale * plan.sensitivity


def positive_epsilon(plan: Plan) -> Fraction:
    """Return what one positive answer costs: k2·fΔ. In the paper: ε₂/c."""
    noise: Noise = plan.query_noise
    if not isinstance(noise.unit_log_survival_constant, int):
        raise NoGuaranteeError(
            f"{noise.name} noise on queries has no pure guarantee: "
            f"{_why_not(noise.unit_log_survival_constant, 'survival function')}. "
            f"Use {named('noise', 'exponential')}, {quoted('gumbel')} or {quoted('laplace')}"
        )
    return noise.unit_log_survival_constant / noise.scale * plan.query_shift


def _why_not(constant: float | None, what: str) -> str:
    if constant is None:
        return f"nobody has stated a Lipschitz constant for the logarithm of its {what}"
    return f"the logarithm of its {what} is not Lipschitz, so a single answer can cost any amount"


def _refuse_other_mechanisms(plan: Plan) -> None:
    if plan.mechanism == "histogram" and not pure_covers(plan):
        raise NoGuaranteeError(
            "a histogram has a guarantee with laplace or gaussian noise on each score, no noise on "
            f"the threshold, and items_per_person; got {plan!r}"
        )
    if plan.mechanism == "ranked" and type(plan.query_noise) not in RANKED_NOISES:
        raise NoGuaranteeError(
            "ranked selection has a proof for exponential and gumbel noise alone, got "
            f"{plan.query_noise.name} noise"
        )


def pure_epsilon(plan: Plan, positives: int | None = None) -> Fraction:
    """Return the pure ε of a run: of a whole one, or of one that has given `positives` so far.

    With ``resample`` each positive is followed by fresh threshold noise, so the run is a sequence
    of runs with cutoff 1 and the total is c·ε₁ + ε₂ (the paper prints "(cε₁, ε₂)-DP"; its proof
    shows the sum). A run under way after k < c positives is in its (k+1)-th stretch and has paid
    for that stretch's threshold too.

    What a run has not used may go back to a budget that composes by pure DP: the cost so far is a
    privacy filter (Rogers, Roth, Ullman and Vadhan 2016, arXiv:1605.08294). Counts cost what
    the counts given do, and of what was run before all is used. So is all of a run in groups: how
    many were found in each is not told apart.

    Parameters
    ----------
    plan : Plan
        The plan of the run.
    positives : int, optional
        How many it has given; all that it may give if nothing is said.

    Returns
    -------
    Fraction
        The exact ε.
    """
    if plan.groups is not None:
        positives = None
    own, *others = plan.parts
    if others:
        whole = pure_epsilon(own, positives) + sum(map(pure_epsilon, others))
        places = others[0].items_per_person or 1
        if positives is None or plan.counts is None or plan.gives_values:
            return whole
        empty = 1 - Fraction(min(positives, places), places)
        return whole - empty * pure_epsilon(others[0])
    plan = own
    _refuse_other_mechanisms(plan)
    if plan.mechanism == "histogram":
        assert plan.items_per_person is not None  # checked above
        return histogram_epsilon(
            items=plan.items_per_person, sensitivity=plan.sensitivity, scale=plan.query_noise.scale
        )
    threshold, each = threshold_epsilon(plan), positive_epsilon(plan)
    if plan.mechanism == "ranked" and type(plan.query_noise) is Exponential:
        found = None if positives is None else checked_positives(plan, positives)
        bar = None if plan.is_top else threshold
        return ranked_epsilon(found, cutoff=plan.cutoff, each=each, bar=bar)
    given = plan.cutoff if positives is None else checked_positives(plan, positives)
    draws = min(given + 1, plan.cutoff) if plan.resample else 1
    return draws * threshold + given * each
