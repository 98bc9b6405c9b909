"""Pure differential privacy of a run, in exact fractions.

Paper (arXiv:2407.20068), Theorem 1: if ln f of the threshold noise is k1-Lipschitz and ln S of the
query noise is k2-Lipschitz, a run with at most c positives is (k1·Δ + c·k2·fΔ)-DP, where f is 1 for
monotonic queries and 2 otherwise.

Proof. Substitute ρ → ρ + Δ in the integral over the threshold noise, which costs k1·Δ. Then every
negative is at least as likely on the neighbour, because F increases, so negatives are free. A
positive's gap has moved by at most fΔ, which costs k2·fΔ. There are at most c of them.

On a grid that divides Δ the substitution is a bijection of the grid and the proof stands as it is,
with the discrete Laplace law for ρ and S evaluated at grid points.

Theory: :doc:`/theory/pure`.
"""

from __future__ import annotations

from fractions import Fraction

from overbar import _check
from overbar.errors import NoGuaranteeError, ParameterError, named, quoted
from overbar.noise import Noise
from overbar.plan import Plan


def pure_covers(plan: Plan) -> bool:
    """Tell whether Theorem 1 covers a plan: both constants are stated."""
    noise = plan.threshold_noise
    return (
        noise is not None
        and isinstance(noise.unit_log_density_constant, int)
        and isinstance(plan.query_noise.unit_log_survival_constant, int)
    )


def threshold_epsilon(plan: Plan) -> Fraction:
    """Return what one draw of the threshold noise costs: k1·Δ. In the paper: ε₁."""
    noise = plan.threshold_noise
    if noise is None:
        raise NoGuaranteeError(
            "a threshold without noise has no pure guarantee: one negative answer can cost any "
            f"amount. Use {named('threshold_noise', 'laplace')}, or allow delta > 0"
        )
    if not isinstance(noise.unit_log_density_constant, int):
        raise NoGuaranteeError(
            f"{noise.name} noise on the threshold has no pure guarantee: "
            f"{_why_not(noise.unit_log_density_constant, 'density')}. Use "
            f"{named('threshold_noise', 'laplace')}"
        )
    return noise.unit_log_density_constant / noise.scale * plan.sensitivity


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


def checked_positives(plan: Plan, positives: int) -> int:
    """Return a number of positives that a run of the plan can have given."""
    given = _check.whole("positives", positives, lowest=0)
    if given > plan.cutoff:
        raise ParameterError(f"positives must be at most the cutoff, got {positives}")
    return given


def pure_epsilon(plan: Plan, positives: int | None = None) -> Fraction:
    """Return the pure ε of a run: of a whole one, or of one that has given `positives` so far.

    With ``resample`` each positive is followed by fresh threshold noise, so the run is a sequence
    of runs with cutoff 1 and the total is c·ε₁ + ε₂ (the paper prints "(cε₁, ε₂)-DP"; its proof
    shows the sum). A run under way after k < c positives is in its (k+1)-th stretch and has paid
    for that stretch's threshold too.

    What a run has not used may go back to a budget that composes by pure DP: the cost so far is a
    privacy filter (Rogers, Roth, Ullman and Vadhan 2016, arXiv:1605.08294).
    """
    threshold, each = threshold_epsilon(plan), positive_epsilon(plan)
    given = plan.cutoff if positives is None else checked_positives(plan, positives)
    draws = min(given + 1, plan.cutoff) if plan.resample else 1
    return draws * threshold + given * each
