"""Losses of runs that add up, in plain floats: δ and divergences that an adversary reaches.

Nothing of the package is used. A law is a list of losses on a grid, rounded down, with the chance
of each under the first side; what is cut off is lost. So all that comes out is reached, or more is.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
#: Losses are kept on a grid of so many cells, from -span to span.
CELLS = 1 << 13


class Losses:
    """Chances of the losses (i - CELLS/2)·cell under the first side."""

    def __init__(self, span: float, masses: Array | None = None) -> None:
        self.span, self.cell = span, 2 * span / CELLS
        self.masses = np.zeros(CELLS) if masses is None else masses

    @classmethod
    def of(cls, span: float, losses: Array, chances: Array) -> Losses:
        """Round losses down to the grid."""
        law = cls(span)
        places = np.floor(losses / law.cell + 1e-9).astype(int) + CELLS // 2
        kept = (places >= 0) & (places < CELLS)
        np.add.at(law.masses, places[kept], chances[kept])
        return law

    def times(self, count: int) -> Losses:
        """Add up so many of them, by squaring."""
        total, power = None, self
        while count:
            if count & 1:
                total = power if total is None else total.and_(power)
            count >>= 1
            power = power.and_(power) if count else power
        assert total is not None
        return total

    def and_(self, other: Losses) -> Losses:
        """Add up two; losses beyond the grid are cut off."""
        both = np.fft.irfft(
            np.fft.rfft(self.masses, 2 * CELLS) * np.fft.rfft(other.masses, 2 * CELLS)
        )
        return Losses(self.span, np.maximum(0.0, both[CELLS // 2 : CELLS // 2 + CELLS]))

    def delta(self, epsilon: float) -> float:
        """E[(1 - e^(ε - loss))₊]."""
        losses = (np.arange(CELLS) - CELLS // 2) * self.cell
        return float(np.sum(self.masses * -np.expm1(np.minimum(0.0, epsilon - losses))))


def gaussian(mu: float, places: int = 4001) -> tuple[Array, Array]:
    """Losses of a normal value moved by μ deviations: N(μ²/2, μ²), the low ends of cells."""
    ends = np.linspace(-9.0, 9.0, places)
    below = np.array([math.erfc(-end / math.sqrt(2)) / 2 for end in ends])
    return mu * mu / 2 + mu * ends[:-1], np.diff(below)


def two_points(high: float, low: float) -> tuple[Array, Array]:
    """A loss that is high or low, with E[e^-loss] = 1: of a pick, or a randomised response."""
    chance = math.expm1(-low) / (math.expm1(-low) - math.expm1(-high))
    return np.array([high, low]), np.array([chance, 1 - chance])


def laplace_on_a_grid(rate: float, steps: int) -> tuple[Array, Array]:
    """Losses of noise with chances in proportion to e^(-rate·|k|) that is moved by whole steps."""
    far = math.ceil(60 / rate) + steps
    places = np.arange(-far, far + 1)
    weights = np.exp(-rate * np.abs(places - steps))
    return rate * (np.abs(places) - np.abs(places - steps)), weights / np.sum(weights)


def divergence(law: tuple[Array, Array], order: float) -> float:
    """The Rényi divergence of a law, at an order above one."""
    losses, chances = law
    return math.log(float(np.sum(chances * np.exp((order - 1) * losses)))) / (order - 1)
