"""The methods of the paper, our own, and references to compare with, each a small declaration.

Theory: :doc:`/theory/mechanism`.

A method is a name and a function from a :class:`Setting` to something that runs: a plan, or any
object with a ``cutoff`` and a ``run``. Another noise or correction takes a line: see
`sparse_vector`. For a mechanism of your own see the scripts in ``examples/``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

from overbar import planning
from overbar.accuracy import correction_term
from overbar.errors import ParameterError
from overbar.mechanisms import Bar, Reach, Repeats, ScorePlan, SparseVectorPlan
from overbar.noise import Exponential, Gumbel, Laplace, Noise
from overbar.planning import budget_ratio
from overbar_lab.paper.references import (
    OneShot,
    PermuteAndFlip,
    bounded_range_scale,
)
from overbar_lab.paper.setting import (
    STEPS_PER_SENSITIVITY,
    ComparedMethod,
    Setting,
    budgets,
    gaussian_plan,
    renyi_plan,
)
from overbar_lab.paper.study import CONVENTION
from overbar_lab.simulation.candidates import Mechanism

__all__ = ["METHODS", "ComparedMethod", "OneShot", "Setting"]

Build = Callable[[Setting], ScorePlan]

SEQUENTIAL = "pure ε, Theorem 2 of the paper"

#: As :func:`overbar.top` does: gaps below 64·ln 2 noise scales have a chance of at most 2^-64.
NEGLIGIBLE = 64 * math.log(2)


def sparse_vector(
    noise: str,
    correction: str,
    *,
    threshold_noise: str = "laplace",
    allocation: str = "variance",
    with_delta: bool = False,
) -> Build:
    """Return what calibrates a sparse vector run for a setting, at a proved guarantee.

    The paper's correction assumes that each query is asked once, however often it is. With
    `with_delta` δ of the setting may be used; all else is as for :func:`overbar.plan`.
    """

    def build(setting: Setting) -> ScorePlan:
        chosen: dict[str, Any] = {
            "noise": noise,
            "threshold_noise": threshold_noise,
            "allocation": allocation,
            "correction": correction,
        }
        plan = planning.plan(
            **setting.request,
            **chosen,
            delta=setting.failure if with_delta else 0,
            resample=setting.resample,
            candidates=setting.candidates,
            tolerance=setting.tolerance,
            grid=setting.threshold_shift / STEPS_PER_SENSITIVITY,
            mechanism="sparse-vector",
        )
        assert isinstance(plan, SparseVectorPlan)  # as it was asked for
        return replace(plan, repeats=replace(plan.repeats, rounds=setting.rounds))

    return build


def with_noise(kind: Callable[[Fraction], Noise], correction: str = "optimal") -> Build:
    """Return what sets a sparse vector run with a noise of your own on queries, for a setting.

    The budget is split for least variance beside Laplace noise on the threshold, and all of ε is
    used. Simulated only: a release needs a noise that is drawn exactly.

    Parameters
    ----------
    kind : callable
        From a scale to the noise: its class. It must state ``unit_log_survival_constant``.
    correction : {"optimal", "optimal-shared", "mean", "none"}, default "optimal"
        What is added to the threshold in public.

    Returns
    -------
    callable
        From a :class:`Setting` to a plan, for a :class:`ComparedMethod`.

    Raises
    ------
    ParameterError
        When it is called, if the noise states no such constant.
    """

    def build(setting: Setting) -> ScorePlan:
        stated = kind(Fraction(1)).unit_log_survival_constant
        if stated is None or not 0 < stated < math.inf:
            raise ParameterError(
                f"{kind(Fraction(1)).name} noise must state unit_log_survival_constant, a positive "
                "number: how steeply ln S falls at scale one"
            )
        # A float may be a little less than what was meant.
        constant = Fraction(
            math.nextafter(stated, math.inf) if isinstance(stated, float) else stated
        )
        ratio = budget_ratio(
            kind(constant),
            Laplace(Fraction(1)),
            cutoff=setting.cutoff,
            back=Fraction(not setting.monotonic),
            resample=setting.resample,
        )
        first = setting.budget / (1 + Fraction(ratio))
        draws = setting.cutoff if setting.resample else 1
        shift = constant * setting.query_shift * setting.cutoff
        query = kind(shift / (setting.budget - first))
        threshold = Laplace(setting.threshold_shift * draws / first)
        negatives = max(1, setting.candidates // setting.cutoff)
        term = correction_term(correction, query, threshold, negatives, setting.tolerance)
        grid = setting.threshold_shift / STEPS_PER_SENSITIVITY
        return SparseVectorPlan(
            query,
            Bar.on_grid(threshold, term, grid),
            setting.cutoff,
            Reach.of(setting.threshold_shift, monotonic=setting.monotonic),
            grid,
            Repeats(setting.rounds, setting.resample),
        )

    return build


def at_bar(build: Callable[[Setting], ScorePlan | Mechanism], share: Fraction) -> Build:
    """Move the bar to a share of the correction that was built."""

    def move(setting: Setting) -> ScorePlan:
        plan = build(setting)
        assert isinstance(plan, SparseVectorPlan)
        bar = Bar.on_grid(plan.bar.noise, share * plan.correction, plan.grid)
        return replace(plan, bar=bar)

    return move


def lifted(build: Build) -> Build:
    """Put the bar so far above the public bound that scores alone decide, and ask without end."""

    def lift(setting: Setting) -> ScorePlan:
        plan = build(replace(setting, rounds=None))
        scales = plan.query_noise.scale
        scales += 0 if plan.threshold_noise is None else plan.threshold_noise.scale
        above = setting.bound_above_threshold + scales * Fraction(NEGLIGIBLE)
        raised = math.ceil(above / plan.grid) * plan.grid
        assert isinstance(plan, SparseVectorPlan)  # there is no other to lift
        return replace(plan, bar=Bar(plan.threshold_noise, raised, above_all=True))

    return lift


def _upper_bound(factor: Callable[[Setting], Fraction]) -> Callable[[Setting], OneShot]:
    def build(setting: Setting) -> OneShot:
        _, second = budgets(setting, "exponential")
        return OneShot(Exponential(factor(setting) / Fraction(second)), setting.cutoff)

    return build


#: The methods of the paper that are sparse vector runs: query noise and correction.
RUNS: dict[str, tuple[str, str]] = {
    "SVT-Exp (optimal)": ("exponential", "optimal"),
    "SVT-Exp (mean)": ("exponential", "mean"),
    "SVT-Exp (no)": ("exponential", "none"),
    "SVT-Gum": ("gumbel", "mean"),
    "SVT-Lap": ("laplace", "none"),
    "SVT-Gau": ("gaussian", "none"),
}
#: The methods of the paper's comparison, sequential composition.
PAPER = (
    *(
        ComparedMethod(name, sparse_vector(*run), SEQUENTIAL)
        for name, run in RUNS.items()
        if name != "SVT-Gau"
    ),
    ComparedMethod(
        "SVT-Gau", gaussian_plan, "the paper's Gaussian calibration: no guarantee", False
    ),
    ComparedMethod(
        "upper bound (as printed)",
        _upper_bound(lambda setting: setting.threshold_shift),
        "scale Δ/ε₂ for all c selections: no guarantee",
        False,
    ),
    ComparedMethod(
        "upper bound (comparable)",
        _upper_bound(lambda setting: setting.cutoff * setting.query_shift),
        "pure ε₂, noise f·c·Δ/ε₂ added once",
    ),
)

RENYI = "the paper's RDP convention: no guarantee"
#: The same under the paper's RDP convention; Gaussian noise by both readings of how it is set.
PAPER_RENYI = (
    *(
        ComparedMethod(
            f"{name}{CONVENTION}",
            partial(renyi_plan, noise=noise, correction=correction),
            RENYI,
            False,
        )
        for name, (noise, correction) in RUNS.items()
    ),
    ComparedMethod(
        f"SVT-Gau (each at ε₂′){CONVENTION}",
        partial(renyi_plan, noise="gaussian", correction="none", literal=True),
        RENYI,
        False,
    ),
)

_RACES: dict[str, str] = {
    "race-accounted": "laplace",
    "race-accounted, bare threshold": "none",
}


def _top(setting: Setting, delta: Fraction | None = Fraction(0)) -> ScorePlan:
    """Return what :func:`overbar.top` does: the highest of scores with noise, and no bar."""
    delta = setting.failure if delta is None else delta
    return planning.plan(**setting.request, delta=delta, top=True)


def _select(setting: Setting) -> ScorePlan:
    """Return what :func:`overbar.select` does: the highest values that reach the bar."""
    return planning.plan(**setting.request, candidates=setting.candidates)


#: What this project adds.
OURS = (
    ComparedMethod("top", _top, "pure ε, ranked selection without a bar"),
    *(
        ComparedMethod(name, partial(_top, delta=delta), "(ε, δ), ranked selection without a bar")
        for name, delta in (("top, δ = 10⁻⁶", Fraction(1, 10**6)), ("top with δ", None))
    ),
    ComparedMethod("select", _select, "pure ε, ranked selection"),
    ComparedMethod("SVT-Exp (halfway)", sparse_vector("exponential", "halfway"), SEQUENTIAL),
    ComparedMethod("SVT-Gum (optimal)", sparse_vector("gumbel", "optimal"), SEQUENTIAL),
    ComparedMethod("SVT-Lap (optimal)", sparse_vector("laplace", "optimal"), SEQUENTIAL),
    ComparedMethod("SVT-Exp (shared)", sparse_vector("exponential", "optimal-shared"), SEQUENTIAL),
    ComparedMethod(
        "appending",
        lifted(sparse_vector("exponential", "none", allocation="appending")),
        SEQUENTIAL,
    ),
    *(
        ComparedMethod(
            name,
            lifted(
                sparse_vector(
                    "gumbel", "none", threshold_noise=bar, allocation="appending", with_delta=True
                )
            ),
            "(ε, δ), as a race",
        )
        for name, bar in _RACES.items()
    ),
)


def _peeling_with_delta(setting: Setting) -> OneShot:
    scale = bounded_range_scale(float(setting.budget), float(setting.failure), setting.cutoff)
    return OneShot(Gumbel(setting.query_shift * Fraction(scale)), setting.cutoff)


#: What is best known when all candidates are at hand.
REFERENCES = (
    ComparedMethod(
        "peeling",
        lambda setting: OneShot(Gumbel(setting.pure_scale), setting.cutoff),
        "pure ε, c times the exponential mechanism, drawn as one-shot Gumbel noise",
    ),
    ComparedMethod(
        "permute-and-flip",
        lambda setting: PermuteAndFlip(float(setting.pure_scale), setting.cutoff),
        "pure ε, c times permute-and-flip",
    ),
    ComparedMethod(
        "one-shot Laplace",
        lambda setting: OneShot(Laplace(setting.pure_scale), setting.cutoff),
        "pure ε, noise f·c·Δ/ε added once",
    ),
    ComparedMethod(
        "peeling with δ",
        _peeling_with_delta,
        "(ε, δ), c picks of the exponential mechanism, each of bounded range",
    ),
)

#: All of them by name.
METHODS: dict[str, ComparedMethod] = {
    one.name: one for one in (*PAPER, *PAPER_RENYI, *OURS, *REFERENCES)
}
