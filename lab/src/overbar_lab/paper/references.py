"""Mechanisms that are no sparse vector runs, to compare with: everything is known beforehand.

Each selects the top c of all candidates. They need no threshold and cannot be asked online.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq

from overbar.noise import Noise
from overbar.privacy import epsilon_from_renyi
from overbar_lab.simulation.candidates import Candidates, Indices
from overbar_lab.simulation.seeded import UNITS, Seeded


@dataclass(frozen=True)
class OneShot:
    """Add noise to every score once and take the highest.

    Pure ε-DP with Laplace, exponential or Gumbel noise of scale f·c·Δ/ε (f is 1 for monotonic
    scores, else 2): on the neighbour, lift the noise of the c selected by what keeps their noisy
    scores in place, or Δ above it; each moves up by f·Δ at most, and the others cannot overtake.

    With Gumbel noise it *is* peeling with the exponential mechanism, in law: the next winner is
    drawn with odds e^(score/scale) from those left (Durfee & Rogers 2019, arXiv:1905.04273).
    """

    noise: Noise
    cutoff: int

    def run(self, candidates: Candidates, generator: np.random.Generator) -> Indices:
        """Return the candidates with the highest noisy scores, from the highest down.

        Parameters
        ----------
        candidates : Candidates
            Scores, sorted once for many runs.
        generator : numpy.random.Generator
            What to draw from.

        Returns
        -------
        array of int
            Positions of those selected.
        """
        run = Seeded(generator)
        found = run.highest(candidates, self.noise, UNITS, None, most=self.cutoff)
        return np.asarray(found.candidate)


@dataclass(frozen=True)
class PermuteAndFlip:
    """Select one after the other by permute-and-flip among those left.

    Go through those left in random order and flip a coin of chance e^((score - best)/scale) for
    each; the first success is selected (McKenna & Sheldon 2020, arXiv:2010.12603).
    So the winner is uniform among all whose coin would succeed. Pure ε-DP with scale f·c·Δ/ε.
    """

    scale: float
    cutoff: int

    def run(self, candidates: Candidates, generator: np.random.Generator) -> Indices:
        """Return the selected candidates, in the order found.

        Parameters and result are those of :meth:`overbar_lab.paper.methods.OneShot.run`.
        """
        units = candidates.falling / self.scale
        best, selected = 0, []
        for _ in range(min(self.cutoff, len(candidates))):
            while units[best] == -np.inf:
                best += 1
            # A coin of chance e^-d succeeds iff a standard exponential value is at least d.
            successes = np.flatnonzero(
                generator.standard_exponential(len(units)) >= units[best] - units
            )
            winner = int(successes[generator.integers(len(successes))])
            selected.append(winner)
            units[winner] = -np.inf
        return candidates.ranking[np.array(selected, dtype=np.int64)]


def bounded_range_scale(epsilon: float, delta: float, cutoff: int) -> float:
    """Return the scale of Gumbel noise for c picks of the exponential mechanism at (ε, δ).

    Counts of sensitivity 1. Each pick of scale s is (1/s)²/8-zCDP by its bounded range (Durfee &
    Rogers 2019, arXiv:1905.04273; Dong, Durfee & Rogers, arXiv:1909.13830).
    """
    return math.sqrt(cutoff / (8 * _concentrated(epsilon, delta)))


def _concentrated(epsilon: float, delta: float) -> float:
    """Return the largest ρ whose zCDP gives (ε, δ).

    By the conversion of Canonne, Kamath & Steinke (arXiv:2004.00010v3, Proposition 12).
    """

    def excess(rho: float) -> float:
        return epsilon_from_renyi(lambda order: order * rho, math.log(delta))[0] - epsilon

    return float(brentq(excess, 1e-12, epsilon))
