"""The same privacy by other noises, side by side."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from overbar import _check
from overbar._check import Number
from overbar.errors import ParameterError
from overbar.plan import Plan

__all__ = ["Method", "methods"]

#: Query noise, threshold noise, and whether δ is used, in the order shown.
PURE = (("exponential", "laplace"), ("gumbel", "laplace"), ("laplace", "laplace"))
RACED = (("gumbel", "laplace"), ("gumbel", "gaussian"), ("gumbel", "none"), ("laplace", "laplace"))

#: Makes a plan from query noise, threshold noise and δ; everything else stays the same.
Make = Callable[[str, str, Number], Plan]


class Method(NamedTuple):
    """A way to keep the privacy asked for."""

    name: str
    plan: Plan


def methods(make: Make, delta: Number) -> list[Method]:
    """Return the sound ways to meet a request; those that are refused are left out.

    With δ > 0, exponential noise is shown as the pure plan it still is.

    >>> from overbar import calibrate
    >>> def make(noise, threshold_noise, delta):
    ...     return calibrate(epsilon=1, delta=delta, cutoff=5, candidates=100, noise=noise,
    ...                      threshold_noise=threshold_noise)
    >>> [method.name for method in methods(make, "1e-6")]
    ['gumbel', 'gumbel, Gaussian threshold', 'gumbel, bare threshold', 'laplace',
     'exponential, δ unused']
    """
    ways: list[tuple[str, str, Number]]
    if _check.probability("delta", delta) == 0:
        ways = [(*pair, 0) for pair in PURE]
    else:
        ways = [*[(*pair, delta) for pair in RACED], ("exponential", "laplace", 0)]
    found = []
    for noise, threshold, allowed in ways:
        try:
            plan = make(noise, threshold, allowed)
        except ParameterError:
            continue
        found.append(Method(_name(noise, threshold, unused=allowed != delta), plan))
    return found


def _name(noise: str, threshold: str, *, unused: bool) -> str:
    about = {"laplace": "", "gaussian": ", Gaussian threshold", "none": ", bare threshold"}
    return noise + about[threshold] + (", δ unused" if unused else "")
