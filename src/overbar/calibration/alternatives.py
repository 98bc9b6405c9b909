"""The same privacy by other mechanisms and noises, side by side."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from overbar import _check
from overbar._check import Number
from overbar.calibration.kind import KINDS
from overbar.calibration.plan_parameters import Parameters
from overbar.errors import ParameterError
from overbar.plans import Plan

#: What a threshold noise adds to a name.
ABOUT = {"gaussian": ", Gaussian bar", "none": ", bare bar"}

#: Makes a plan from mechanism, noises and δ; everything else stays the same.
Make = Callable[[Parameters], Plan]


class Method(NamedTuple):
    """A way to keep the privacy asked for."""

    name: str
    plan: Plan


def methods(make: Make, delta: Number) -> list[Method]:
    """Return the sound ways to meet a request; those that are refused are left out.

    With δ > 0, exponential noise, and Laplace noise in a histogram, are shown as the pure plans
    they still are. `make` gives the plan for parameters of :func:`overbar.plan`.

    >>> import overbar
    >>> def make(way):
    ...     return overbar.plan(epsilon=1, cutoff=5, candidates=100, **way)
    >>> [method.name for method in methods(make, 0)]
    ['ranked, exponential', 'sparse-vector, exponential', 'sparse-vector, gumbel',
     'sparse-vector, laplace']
    """
    kinds = list(KINDS.values())
    ways = [(kind, *way, delta, "") for kind in kinds for way in kind.shown]
    if _check.probability("delta", delta) > 0:
        ways = [(kind, *way, delta, "") for kind in kinds for way in kind.shown_with_delta]
        ways += [(kind, *way, 0, ", δ = 0") for kind in kinds for way in kind.shown[:1]]
    sound: list[Method] = []
    for kind, noise, threshold, allowed, unused in ways:
        barless = not kind.in_turn and any(method.plan.for_top for method in sound)
        if barless and threshold in ABOUT:
            continue
        way: Parameters = {
            "mechanism": kind.name,
            "noise": noise,
            "threshold_noise": threshold,
            "delta": allowed,
        }
        try:
            plan = make(way)
        except ParameterError:
            continue
        if any(method.plan == plan for method in sound):  # what was left open came to the same
            continue
        sound.append(Method(f"{kind.name}, {noise}{ABOUT.get(threshold, '')}{unused}", plan))
    return sound
