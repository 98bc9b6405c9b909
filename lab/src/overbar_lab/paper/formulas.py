"""What needs no simulation: accuracy, variance, the law of Z, success."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from fractions import Fraction
from functools import cache, partial

import numpy as np
from numpy.typing import NDArray

from overbar.accuracy import (
    Difference,
    correction_term,
    failure_probability,
    success_probability,
)
from overbar.noise import Noise, measured_constant
from overbar.planning import budget_ratio
from overbar_lab.paper.least_variance import minimise_variance
from overbar_lab.paper.methods import Setting
from overbar_lab.paper.setting import NOISES, budgets, gaussian_width, threshold_noise_beside
from overbar_lab.paper.study import Conditions, Row, Table, rows_of

Array = NDArray[np.float64]
#: The four query noises the paper compares, and how each is corrected there.
CORRECTIONS = {"exponential": "optimal", "laplace": "none", "gumbel": "mean", "gaussian": "none"}
#: The logarithm of a density or survival function.
Log = Callable[[Array], Array]
#: What the paper does not print where it uses Gaussian noise.
GAUSSIAN_DELTA = 1e-5


def pair(
    noise: str, *, epsilon: float, cutoff: int = 1, monotonic: bool = False, ratio: float = 0.0
) -> tuple[Noise, Noise]:
    """Return query noise and threshold noise at scales f·c·Δ/ε₂ and Δ/ε₁, sensitivity one.

    Gaussian noise replaces both, with √(2 ln(1.25/δ)) times these scales. ``ratio`` is ε₂/ε₁, by
    default the one of least variance. In the paper: w.
    """
    setting = Setting(epsilon, cutoff, candidates=cutoff, threshold=0, monotonic=monotonic)
    first, second = budgets(setting, noise)
    if ratio:
        first, second = epsilon / (1 + ratio), ratio * (epsilon / (1 + ratio))
    width = gaussian_width(GAUSSIAN_DELTA) if noise == "gaussian" else 1.0
    return (
        NOISES[noise](Fraction(width * int(setting.query_shift) * cutoff / second)),
        NOISES[threshold_noise_beside(noise)](Fraction(width / first)),
    )


def accuracy_by_noise(
    conditions: Conditions,
    *,
    tolerances: tuple[int, ...] = (*range(0, 34, 2), *range(40, 88, 8)),
    negatives: int = 50,
    epsilon: float = 1.0,
    gaussian_delta: float = GAUSSIAN_DELTA,
) -> Table:
    """β as a function of α: as the paper multiplies, and with the one ρ that a run has.

    With one ρ also for every noise with its own best correction, and with none.
    """
    del gaussian_delta  # shown with the other parameters

    def at(place: tuple[str, int]) -> Row:
        noise, alpha = place
        # Theorem 4 is about one positive, halves of the budget and general queries.
        noises = pair(noise, epsilon=epsilon, ratio=1.0)
        moved = correction_term(
            CORRECTIONS[noise], *noises, negatives=negatives, tolerance=Fraction(alpha)
        )
        best = correction_term("optimal", *noises, negatives=negatives, tolerance=Fraction(alpha))

        @cache
        def failure(term: float, shared: bool) -> float:
            return failure_probability(
                alpha, *noises, negatives=negatives, correction=term, shared=shared
            )

        return {
            "noise": noise,
            "tolerance": alpha,
            "correction": moved,
            "failure": failure(moved, False),
            "failure_shared": failure(moved, True),
            "best_correction": best,
            "failure_best": failure(best, True),
            "failure_none": failure(0.0, True),
            # Theorem 4; and the bound that the paper compares it with.
            "theorem_4": min(1.0, 2 * negatives * math.exp(-alpha * epsilon / 4)),
            "dwork_roth": min(1.0, 2 * negatives * math.exp(-alpha * epsilon / 8)),
        }

    return conditions.each(at, [(noise, alpha) for noise in CORRECTIONS for alpha in tolerances])


def accuracy_by_traverses(
    conditions: Conditions,
    *,
    tolerances: tuple[int, ...] = tuple(range(0, 34, 4)),
    traverses: tuple[int, ...] = (1, 10),
    negatives: int = 50,
    epsilon: float = 1.0,
    gaussian_delta: float = GAUSSIAN_DELTA,
) -> Table:
    """β with one ρ where every query is asked again, without a correction and with the best.

    A factor of ε moves α and every noise alike, so one ε stands for all.
    """
    del gaussian_delta

    def at(place: tuple[str, int, int]) -> Row:
        noise, rounds, alpha = place
        noises = pair(noise, epsilon=epsilon, ratio=1.0)
        best = correction_term("optimal-shared", *noises, negatives, alpha, rounds)
        none, corrected = (
            failure_probability(
                alpha, *noises, negatives=negatives, correction=term, rounds=rounds, shared=True
            )
            for term in (0.0, best)
        )
        return {
            "noise": noise,
            "rounds": rounds,
            "tolerance": alpha,
            "best_correction": best,
            "failure_none": none,
            "failure_best": corrected,
        }

    return conditions.each(at, list(itertools.product(CORRECTIONS, traverses, tolerances)))


def variance_by_budget(
    conditions: Conditions,
    *,
    budgets: tuple[float, ...] = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0),
    cutoff: int = 50,
    gaussian_delta: float = GAUSSIAN_DELTA,
) -> Table:
    """Var(v) + Var(ρ) at the split that makes it least."""
    del conditions, gaussian_delta
    return [
        {
            "noise": noise,
            "epsilon": epsilon,
            "variance": sum(v.variance for v in pair(noise, epsilon=epsilon, cutoff=cutoff)),
        }
        for noise in CORRECTIONS
        for epsilon in budgets
    ]


def law_of_difference(
    conditions: Conditions,
    *,
    budgets: tuple[float, ...] = (0.1, 0.2, 0.5),
    cutoff: int = 1,
    reach: tuple[float, float] = (-150.0, 250.0),
) -> Table:
    """Density and distribution function of Z = v - ρ, exponential v and Laplace ρ."""
    del conditions
    rows: Table = []
    for epsilon in budgets:
        noises = pair("exponential", epsilon=epsilon, cutoff=cutoff)
        law = Difference(*noises)
        # Evenly, and closely around the summit.
        z = _places(*reach, 0.0, float(noises[0].scale))
        rows += rows_of(
            {
                "epsilon": epsilon,
                "z": z,
                "density": np.exp(law.logpdf(z)),
                "cdf": law.cdf(z),
                "mean_of_noise": noises[0].mean,
            }
        )
    return rows


def success_by_correction(
    conditions: Conditions,
    *,
    negatives: tuple[int, ...] = (10,),
    tolerances: tuple[int, ...] = (0,),
    budgets: tuple[float, ...] = (0.1,),
    cutoff: int = 1,
    reach: float = 400.0,
) -> Table:
    """p(r), with its summit and the mean of the query noise; one of three numbers may vary."""
    del conditions
    rows: Table = []
    for epsilon, k, alpha in itertools.product(budgets, negatives, tolerances):
        noises = pair("exponential", epsilon=epsilon, cutoff=cutoff)
        best = correction_term("optimal", *noises, negatives=k, tolerance=alpha)
        r = _places(0, reach, best, float(noises[0].scale))
        rows += rows_of(
            {
                "epsilon": epsilon,
                "negatives": k,
                "tolerance": alpha,
                "correction": r,
                "success": success_probability(r, *noises, negatives=k, tolerance=alpha),
                "best_correction": best,
                "mean_of_noise": noises[0].mean,
            }
        )
    return rows


def _places(low: float, high: float, summit: float, width: float) -> Array:
    """Return places from low to high, many of them near the summit, which is one of them."""
    near = summit + width * np.linspace(-2, 2, 161)
    return np.unique(np.concatenate([np.linspace(low, high, 161), near.clip(low, high), [summit]]))


def allocation(
    conditions: Conditions, *, monotonic: bool, cutoffs: tuple[int, ...] = (1, 5, 50)
) -> Table:
    """ε₂/ε₁ of least variance: the printed formula, and a search that knows no formula."""
    del conditions
    formulas = {
        "SVT-Exp": ("exponential", "laplace", "(√2·c)^(2/3)", "(c/√2)^(2/3)"),
        "SVT-Gum": ("gumbel", "laplace", "(π·c/√3)^(2/3)", "(π·c/(2√3))^(2/3)"),
        "SVT-Lap": ("laplace", "laplace", "(2c)^(2/3)", "c^(2/3)"),
        "SVT-Gau": ("gaussian", "gaussian", "(2c)^(2/3)", "c^(2/3)"),
    }
    rows: Table = []
    for method, (query, threshold, general, counts) in formulas.items():
        noises = NOISES[query](Fraction(1)), NOISES[threshold](Fraction(1))
        for cutoff in cutoffs:
            by_formula, by_search = (
                route(*noises, cutoff=cutoff, back=Fraction(not monotonic), resample=False)
                for route in (budget_ratio, minimise_variance)
            )
            rows.append(
                {
                    "method": method,
                    "formula": counts if monotonic else general,
                    "cutoff": cutoff,
                    "ratio": by_formula,
                    "ratio_by_search": by_search,
                }
            )
    return rows


def feasible_noises(
    conditions: Conditions, *, noises: tuple[str, ...] = tuple(CORRECTIONS)
) -> Table:
    """Where each noise may go: what the paper says, its condition, and what its proof needs.

    A query needs a bound on how fast ln S falls. For the threshold the theorem asks for a bound on
    the slope of ln f both ways; its proof only ever moves the threshold up, so a bound on how fast
    ln f falls to the right is enough.
    """
    del conditions
    rows: Table = []
    for name in noises:
        noise = NOISES[name](Fraction(1))
        rows.append(_feasible(name, "query", True, [noise.logsf]))
        both: list[Log] = [noise.logpdf, partial(_mirrored, noise)]
        allowed = name in ("laplace", "gaussian")
        rows.append(_feasible(name, "threshold", allowed, both))
        if not allowed:
            rows.append(_feasible(name, "threshold, mirrored", False, both[::-1]))
    return rows


def _mirrored(noise: Noise, x: Array) -> Array:
    return noise.logpdf(-x)


def _feasible(name: str, place: str, printed: bool, logs: list[Log]) -> Row:
    slopes = [measured_constant(log, falling=True) for log in logs]
    falls = [round(slope, 6) if math.isfinite(slope) else None for slope in slopes]
    return {
        "noise": name,
        "where": place,
        "paper": printed,
        "steepest_slope": None if None in falls else max(fall for fall in falls if fall),
        "condition_met": None not in falls,
        "steepest_fall": falls[0],
        "private": falls[0] is not None,
    }
