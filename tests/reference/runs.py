"""The law of a small run, summed over every transcript: slow, plain, and not by the library.

Noises are written out again here, so that an error in the library's own forms would show.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np

NEVER = -1e4  # stands for the log of zero; e^NEVER is zero, and zero times NEVER is zero


def log_survival(name: str, z: np.ndarray) -> np.ndarray:
    """Log of P(V >= z) at scale one."""
    z = np.asarray(z, dtype=float)
    if name == "exponential":
        return -np.maximum(z, 0)
    if name == "gumbel":
        hazard = np.exp(-np.maximum(z, -600))
        return np.log(-np.expm1(-hazard))
    if name == "laplace":
        return np.where(z > 0, -np.abs(z) - math.log(2), np.log1p(-np.exp(-np.abs(z)) / 2))
    raise KeyError(name)


def log_distribution(name: str, z: np.ndarray) -> np.ndarray:
    """Log of P(V < z) at scale one."""
    z = np.asarray(z, dtype=float)
    if name == "exponential":
        inside = np.where(z > 0, z, 1.0)
        return np.where(z > 0, np.log(-np.expm1(-inside)), NEVER)
    if name == "gumbel":
        return np.maximum(-np.exp(-np.maximum(z, -600)), NEVER)
    if name == "laplace":
        return log_survival("laplace", -z)
    raise KeyError(name)


def transcripts(queries: int, cutoff: int) -> list[tuple[int, ...]]:
    """Every transcript of a run that stops at its cutoff-th positive, as answers 0 and 1."""
    found = set()
    for answers in itertools.product((0, 1), repeat=queries):
        total, cut = 0, queries
        for place, answer in enumerate(answers):
            total += answer
            if total == cutoff:
                cut = place + 1
                break
        found.add(answers[:cut])
    return sorted(found)


def discrete_laplace(steps_per_scale: float, depth: float = 42.0) -> tuple[np.ndarray, np.ndarray]:
    """Grid points and masses, out to e^-depth."""
    last = math.ceil(depth * steps_per_scale)
    j = np.arange(-last, last + 1)
    return j, np.tanh(0.5 / steps_per_scale) * np.exp(-np.abs(j) / steps_per_scale)


def discrete_gaussian(
    steps_per_scale: float, deviations: float = 9.5
) -> tuple[np.ndarray, np.ndarray]:
    """Grid points and masses, out to a number of standard deviations."""
    last = math.ceil(deviations * steps_per_scale)
    j = np.arange(-last, last + 1)
    weights = np.exp(-((j / steps_per_scale) ** 2) / 2)
    return j, weights / weights.sum()


def run_law(
    noise: str,
    scale: float,
    queries: np.ndarray,
    cutoff: int,
    thresholds: np.ndarray,
    masses: np.ndarray,
) -> np.ndarray:
    """Probability of each transcript, for queries given in advance and a list of thresholds."""
    gaps = (thresholds[None, :] - np.asarray(queries, dtype=float)[:, None]) / scale
    log_s, log_f = log_survival(noise, gaps), log_distribution(noise, gaps)
    listed = transcripts(len(queries), cutoff)
    positive = np.zeros((len(listed), len(queries)))
    negative = np.zeros((len(listed), len(queries)))
    for row, answers in enumerate(listed):
        for place, answer in enumerate(answers):
            (positive if answer else negative)[row, place] = 1
    return np.exp(np.maximum(positive @ log_s + negative @ log_f, NEVER)) @ masses


Tree = Callable[[tuple[int, ...]], tuple[float, float] | None]


def tree_laws(
    noise: str,
    scale: float,
    tree: Tree,
    cutoff: int,
    thresholds: np.ndarray,
    masses: np.ndarray,
    *,
    redraws: bool = False,
) -> tuple[np.ndarray, np.ndarray]:
    """Probability of each transcript on both data sets, when the next query depends on answers.

    ``tree`` maps the answers so far to the next query's value on both data sets, or to None. Where
    the threshold is drawn anew after a positive, nothing is left of what was known of it.
    """
    first, second = [], []

    def walk(history: tuple[int, ...], p: np.ndarray, q: np.ndarray) -> None:
        values = tree(history) if sum(history) < cutoff else None
        if values is None:
            first.append(float(p @ masses))
            second.append(float(q @ masses))
            return
        gap, other = ((thresholds - value) / scale for value in values)
        s, t = np.exp(log_survival(noise, gap)), np.exp(log_survival(noise, other))
        f, g = np.exp(log_distribution(noise, gap)), np.exp(log_distribution(noise, other))
        walk((*history, 0), p * f, q * g)
        after = p * s, q * t
        if redraws:
            after = tuple(np.full_like(masses, float(one @ masses)) for one in after)
        walk((*history, 1), *after)

    one = np.ones_like(masses)
    walk((), one, one)
    return np.array(first), np.array(second)
