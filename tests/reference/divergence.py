"""Divergences by definition, and the race's closed forms in interval arithmetic."""

from __future__ import annotations

import math

import flint
import numpy as np
from flint import arb


def hockey_stick(p: np.ndarray, q: np.ndarray, epsilon: float) -> float:
    """Sum of (p - e^ε q)₊."""
    return float(np.sum(np.maximum(p - math.exp(epsilon) * q, 0.0)))


def log_faster(cutoff: int, step: float, level: float) -> arb:
    """Log of P(c, g) - e^level·P(c, g·e^-step), g = (c·step - level)/(1 - e^-step), as a series.

    With P(c, g) = g^c·e^-g/Γ(c+1)·Σ g^k/(c+1)_k the factors in front of both sums are equal, so the
    difference is that factor times Σ g^k·(1 - e^(-k·step))/(c+1)_k: every term is positive.
    """
    flint.ctx.prec = 300
    g = (cutoff * arb(step) - arb(level)) / (1 - (-arb(step)).exp())
    ratio = (-arb(step)).exp()
    term, power, total = arb(1), arb(1), arb(0)
    k, small, summit = 0, arb(2) ** -100, float(g)
    # Beyond the summit terms shrink.
    while k == 0 or cutoff + k <= summit or term > total * small:
        k += 1
        term = term * g / (cutoff + k)
        power = power * ratio
        total += term * (1 - power)
    return g.log() * cutoff - g - arb(cutoff + 1).lgamma() + total.log()


def log_slower(cutoff: int, step: float, level: float) -> arb:
    """Log of Q(c, g) - e^level·Q(c, g·e^step), g = (c·step + level)/(e^step - 1)."""
    flint.ctx.prec = 600
    grown = arb(step).exp()
    g = (cutoff * arb(step) + arb(level)) / (grown - 1)
    if not g > 0:
        return (1 - arb(level).exp()).log()
    first = g.gamma_upper(arb(cutoff), regularized=1)
    second = (g * grown).gamma_upper(arb(cutoff), regularized=1)
    return (first - arb(level).exp() * second).log()
