"""Counts of keys that are out: which part of the budget they get, their noise, and back again."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from overbar import _check
from overbar._check import Number
from overbar.accounting.set_union import COUNTS_SHARE
from overbar.errors import ParameterError, named
from overbar.ledger.fields import unreadable
from overbar.noise import Gaussian, Laplace
from overbar.sampling.entropy import Source
from overbar.sampling.histogram_draw import noisy_values
from overbar.sampling.integers import as_array


def share_of(counts: bool, share: Number | None) -> Fraction:
    """Return which part of the budget counts get: none where they are not asked for."""
    if not _check.flag("counts", counts):
        if share is not None:
            raise ParameterError(f"{named('counts_share')} goes with {named('counts')}")
        return Fraction(0)
    part = COUNTS_SHARE if share is None else _check.positive("counts_share", share)
    if part >= 1:
        raise ParameterError(f"{named('counts_share')} must be below 1: keys need the rest")
    return part


def noisy_counts(
    scores: list[int], noise: Gaussian | Laplace, grid: Fraction, source: Source
) -> tuple[int, ...]:
    """Return counts with noise, in whole persons."""
    unit = int(1 / grid)
    steps = as_array([score * unit for score in scores])
    values = noisy_values(steps, noise=noise, grid=grid, source=source)
    return tuple((2 * value + unit) // (2 * unit) for value in values)


def stored_counts(answer: Any, asked: bool, number: int) -> tuple[tuple[int, ...], int] | None:
    """Return the counts of a stored answer, and everything else."""
    counts = answer.get("counts")
    if not asked and counts is None:
        return None
    if (
        not asked
        or not isinstance(counts, list)
        or len(counts) != number + 1
        or not all(type(count) is int for count in counts)
    ):
        raise unreadable("counts", "one whole number for each label, and one for the rest")
    return tuple(counts[:-1]), counts[-1]
