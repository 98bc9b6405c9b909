"""The methods of the paper, our own, and references to compare with, each a small declaration.

Theory: :doc:`/theory/mechanism`.

A method is a name and a function from a :class:`Setting` to something that runs: a plan, or any
object with a ``cutoff`` and a ``run``. Another noise or correction takes a line: see
:func:`sparse_vector`. For a mechanism of your own see the scripts in ``examples/``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial

from overbar import _check
from overbar._numbers import safe_end
from overbar.accounting.renyi import composed_log_delta
from overbar.calibration import calibrate, calibrate_top
from overbar.calibration.request import (
    AllocationName,
    CorrectionName,
    NoiseName,
    ThresholdNoiseName,
)
from overbar.noise import Exponential, Gumbel, Laplace
from overbar.paper.methods.conventions import (
    STEPS_PER_SENSITIVITY,
    budgets,
    gaussian_plan,
    renyi_plan,
)
from overbar.paper.methods.references import OneShot, PermuteAndFlip
from overbar.paper.methods.setting import ComparedMethod, Setting
from overbar.plan import Plan

Build = Callable[[Setting], Plan]

SEQUENTIAL = "pure ε, Theorem 2 of the paper"
RACE = "(ε, δ), companion theorem of the race"
RENYI = "the paper's RDP convention: no guarantee"

#: As :func:`overbar.top` does: gaps below 64·ln 2 noise scales have a chance of at most 2^-64.
NEGLIGIBLE = 64 * math.log(2)


def sparse_vector(
    noise: NoiseName,
    correction: CorrectionName,
    *,
    threshold_noise: ThresholdNoiseName = "laplace",
    allocation: AllocationName = "variance",
    with_delta: bool = False,
) -> Build:
    """Return what calibrates a sparse vector run for a setting, at a proved guarantee.

    The paper's correction assumes that each query is asked once, however often it is.

    Parameters
    ----------
    noise, correction, threshold_noise, allocation : optional
        As for :func:`overbar.calibrate`.
    with_delta : bool, default False
        Whether δ of the setting may be used.

    Returns
    -------
    callable
        From a :class:`Setting` to a plan.
    """

    def build(setting: Setting) -> Plan:
        plan = calibrate(
            epsilon=setting.epsilon,
            delta=setting.failure if with_delta else 0,
            cutoff=setting.cutoff,
            sensitivity=setting.sensitivity,
            monotonic=setting.monotonic,
            noise=noise,
            threshold_noise=threshold_noise,
            resample=setting.resample,
            allocation=allocation,
            correction=correction,
            candidates=setting.candidates,
            tolerance=setting.tolerance,
            grid=_check.positive("sensitivity", setting.sensitivity) / STEPS_PER_SENSITIVITY,
            mechanism="sparse-vector",
        )
        return replace(plan, rounds=setting.rounds)

    return build


def lifted(build: Build) -> Build:
    """Put the bar so far above the public bound that scores alone decide, and ask without end."""

    def lift(setting: Setting) -> Plan:
        plan = build(replace(setting, rounds=None))
        scales = plan.query_noise.scale
        scales += 0 if plan.threshold_noise is None else plan.threshold_noise.scale
        above = setting.bound_above_threshold + scales * Fraction(NEGLIGIBLE)
        raised = math.ceil(above / plan.grid) * plan.grid
        return replace(plan, correction=raised, is_top=True)

    return lift


def _composed_peeling(setting: Setting) -> OneShot:
    """Peeling at (ε, δ): c selections, each pure, by the optimal composition theorem.

    Optimal for pure mechanisms in general. One selection by the exponential mechanism leaks less
    than pure ε allows (its range is bounded), so this reference is sound but not the best known.
    """
    epsilon = float(_check.positive("epsilon", setting.epsilon))
    log_delta = math.log(setting.failure)

    def excess(each: float) -> float:
        return composed_log_delta(each, setting.cutoff, epsilon) - log_delta

    safe = unsafe = epsilon / setting.cutoff * (1 - 1e-12)
    while excess(unsafe) <= 0:
        unsafe *= 2
    each = safe_end(excess, safe, unsafe)
    return OneShot(Gumbel(setting.query_shift / Fraction(each)), setting.cutoff)


def _upper_bound(factor: Callable[[Setting], Fraction]) -> Callable[[Setting], OneShot]:
    def build(setting: Setting) -> OneShot:
        _, second = budgets(setting, "exponential", "laplace")
        return OneShot(Exponential(factor(setting) / Fraction(second)), setting.cutoff)

    return build


#: The methods of the paper's comparison, sequential composition.
PAPER = (
    ComparedMethod("SVT-Exp (optimal)", sparse_vector("exponential", "optimal"), SEQUENTIAL),
    ComparedMethod("SVT-Exp (mean)", sparse_vector("exponential", "mean"), SEQUENTIAL),
    ComparedMethod("SVT-Exp (no)", sparse_vector("exponential", "none"), SEQUENTIAL),
    ComparedMethod("SVT-Gum", sparse_vector("gumbel", "mean"), SEQUENTIAL),
    ComparedMethod("SVT-Lap", sparse_vector("laplace", "none"), SEQUENTIAL),
    ComparedMethod(
        "SVT-Gau", gaussian_plan, "the paper's Gaussian calibration: no guarantee", False
    ),
    ComparedMethod(
        "upper bound (as printed)",
        _upper_bound(lambda setting: _check.positive("sensitivity", setting.sensitivity)),
        "scale Δ/ε₂ for all c selections: no guarantee",
        False,
    ),
    ComparedMethod(
        "upper bound (comparable)",
        _upper_bound(lambda setting: setting.cutoff * setting.query_shift),
        "pure ε₂, noise f·c·Δ/ε₂ added once",
    ),
)

#: The same under the paper's RDP convention.
PAPER_RENYI = tuple(
    ComparedMethod(
        f"{name}, paper's RDP",
        partial(renyi_plan, noise=noise, correction=correction),
        RENYI,
        False,
    )
    for name, noise, correction in (
        ("SVT-Exp (optimal)", "exponential", "optimal"),
        ("SVT-Exp (mean)", "exponential", "mean"),
        ("SVT-Exp (no)", "exponential", "none"),
        ("SVT-Gum", "gumbel", "mean"),
        ("SVT-Lap", "laplace", "none"),
        ("SVT-Gau", "gaussian", "none"),
    )
)

_raced = lifted(sparse_vector("gumbel", "none", allocation="appending", with_delta=True))


def _ranked(setting: Setting, delta: Fraction = Fraction(0)) -> OneShot:
    """Return what :func:`overbar.top` does: the highest of scores with noise, and no bar."""
    plan = calibrate_top(
        epsilon=setting.epsilon,
        delta=delta,
        cutoff=setting.cutoff,
        sensitivity=setting.sensitivity,
        monotonic=setting.monotonic,
    )
    return OneShot(plan.query_noise, plan.cutoff)


#: What this project adds.
OURS = (
    ComparedMethod("top", _ranked, "pure ε, ranked selection without a bar"),
    ComparedMethod(
        "top, δ = 10⁻⁶",
        partial(_ranked, delta=Fraction(1, 10**6)),
        "(ε, δ), ranked selection without a bar",
    ),
    ComparedMethod("SVT-Gum (optimal)", sparse_vector("gumbel", "optimal"), SEQUENTIAL),
    ComparedMethod("SVT-Lap (optimal)", sparse_vector("laplace", "optimal"), SEQUENTIAL),
    ComparedMethod("SVT-Exp (shared)", sparse_vector("exponential", "optimal-shared"), SEQUENTIAL),
    ComparedMethod(
        "appending",
        lifted(sparse_vector("exponential", "none", allocation="appending")),
        SEQUENTIAL,
    ),
    ComparedMethod("race-accounted", _raced, RACE),
    ComparedMethod(
        "race-accounted, δ = 10⁻⁶",
        lambda setting: _raced(replace(setting, delta=Fraction(1, 10**6))),
        RACE,
    ),
    ComparedMethod(
        "race-accounted, bare threshold",
        lifted(
            sparse_vector(
                "gumbel", "none", threshold_noise="none", allocation="appending", with_delta=True
            )
        ),
        RACE,
    ),
)

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
        "peeling with δ", _composed_peeling, "(ε, δ), optimal composition of pure selections"
    ),
)

#: All of them by name.
METHODS: dict[str, ComparedMethod] = {
    one.name: one for one in (*PAPER, *PAPER_RENYI, *OURS, *REFERENCES)
}
