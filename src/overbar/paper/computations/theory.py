"""What needs no simulation: accuracy, variance, the law of Z and the success probability."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from overbar.accuracy import (
    Difference,
    comparison_variance,
    failure_probability,
    success_probability,
)
from overbar.accuracy.correction import correction_term
from overbar.paper.computations.noise_pairs import FOUR, correction_of, pair
from overbar.paper.study import Conditions, Row, Table


@dataclass(frozen=True)
class AccuracyByNoise:
    """β as a function of α: once as the paper multiplies, once with the one ρ that a run has."""

    tolerances: tuple[int, ...]
    negatives: int = 50
    epsilon: float = 1.0
    gaussian_delta: float = 1e-5

    def __call__(self, conditions: Conditions) -> Table:
        """Compute the table."""
        del conditions
        return [self._row(noise, alpha) for noise in FOUR for alpha in self.tolerances]

    def _row(self, noise: str, alpha: int) -> Row:
        # Theorem 3 is about one positive, halves of the budget and general queries.
        noises = pair(
            noise,
            epsilon=self.epsilon,
            cutoff=1,
            monotonic=False,
            delta=self.gaussian_delta,
            ratio=1.0,
        )
        moved = correction_of(noise, noises, negatives=self.negatives, tolerance=alpha)
        bound = 2 * self.negatives * math.exp(-alpha * self.epsilon / 4)
        row: Row = {"noise": noise, "tolerance": alpha, "correction": moved}
        for name, shared in (("failure", False), ("failure_shared", True)):
            row[name] = failure_probability(
                alpha, *noises, negatives=self.negatives, correction=moved, shared=shared
            )
        return row | {"theorem_3": min(1.0, bound) if noise == "exponential" else None}


@dataclass(frozen=True)
class VarianceByBudget:
    """Var(v) + Var(ρ) at the split that makes it least."""

    budgets: tuple[float, ...]
    cutoff: int = 50
    gaussian_delta: float = 1e-5

    def __call__(self, conditions: Conditions) -> Table:
        """Compute the table."""
        del conditions
        rows: Table = []
        for noise in FOUR:
            for epsilon in self.budgets:
                noises = pair(
                    noise,
                    epsilon=epsilon,
                    cutoff=self.cutoff,
                    monotonic=False,
                    delta=self.gaussian_delta,
                )
                rows.append(
                    {"noise": noise, "epsilon": epsilon, "variance": comparison_variance(*noises)}
                )
        return rows


@dataclass(frozen=True)
class LawOfDifference:
    """Density and distribution function of Z = v - ρ, exponential v and Laplace ρ."""

    budgets: tuple[float, ...]
    cutoff: int = 1
    reach_low: float = -150.0
    reach_high: float = 250.0
    places: int = 161

    def __call__(self, conditions: Conditions) -> Table:
        """Compute the table."""
        del conditions
        rows: Table = []
        for epsilon in self.budgets:
            noises = pair(
                "exponential", epsilon=epsilon, cutoff=self.cutoff, monotonic=False, delta=1.0
            )
            law = Difference(*noises)
            z = np.linspace(self.reach_low, self.reach_high, self.places)
            for place, density, below in zip(z, np.exp(law.logpdf(z)), law.cdf(z), strict=True):
                rows.append(
                    {
                        "epsilon": epsilon,
                        "z": float(place),
                        "density": float(density),
                        "cdf": float(below),
                        "mean_of_noise": noises[0].mean,
                    }
                )
        return rows


@dataclass(frozen=True)
class SuccessByCorrection:
    """p(r), with its summit and the mean of the query noise; one of three numbers may vary."""

    negatives: tuple[int, ...] = (10,)
    tolerances: tuple[int, ...] = (0,)
    budgets: tuple[float, ...] = (0.1,)
    cutoff: int = 1
    reach: float = 400.0
    places: int = 201

    def __call__(self, conditions: Conditions) -> Table:
        """Compute the table."""
        del conditions
        rows: Table = []
        for epsilon in self.budgets:
            noises = pair(
                "exponential", epsilon=epsilon, cutoff=self.cutoff, monotonic=False, delta=1.0
            )
            for k in self.negatives:
                for alpha in self.tolerances:
                    best = correction_term("optimal", *noises, negatives=k, tolerance=alpha)
                    # The summit itself is one of the places.
                    r = np.sort(np.append(np.linspace(0, self.reach, self.places), best))
                    p = success_probability(r, *noises, negatives=k, tolerance=Fraction(alpha))
                    rows += [
                        {
                            "epsilon": epsilon,
                            "negatives": k,
                            "tolerance": alpha,
                            "correction": float(place),
                            "success": float(height),
                            "best_correction": best,
                            "mean_of_noise": noises[0].mean,
                        }
                        for place, height in zip(r, p, strict=True)
                    ]
        return rows
