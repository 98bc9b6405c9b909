"""The numeric check of a Lipschitz condition, for noises whose constant nobody has proved.

It looks; it does not prove. The constants of the noises in this package are proved and stated in
their classes, and the contract suite compares them with what this check sees.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

#: How far out to look, in scales. Beyond it a log-tail that still bends is called unbounded.
REACH = 700.0
STEPS = (1.0, 2.0**-4, 2.0**-8, 2.0**-12)


def measured_constant(
    function: Callable[[NDArray[np.float64]], NDArray[np.float64]], *, falling: bool = False
) -> float:
    """Measure the Lipschitz constant of a function of z; infinity if it keeps growing.

    With `falling` only slopes that go down to the right count.

    It grows in one of three ways: a jump to minus infinity (an edge of the support), a slope that
    steepens as the step shrinks (a jump), or a slope that steepens with distance (Gaussian tails).
    """
    slopes = [_steepest(function, REACH, step, falling) for step in STEPS]
    if any(math.isinf(slope) for slope in slopes) or slopes[-1] > 4 * slopes[-2]:
        return math.inf
    if max(slopes) > 1.5 * max(_steepest(function, REACH / 2, step, falling) for step in STEPS):
        return math.inf
    return max(slopes)


def _steepest(
    function: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    reach: float,
    step: float,
    falling: bool,
) -> float:
    """Return the steepest slope over one step, on a grid that is dense around zero."""
    near = np.arange(-40.0, 40.0, 2.0**-9)
    far = np.arange(-reach, reach, 0.25)
    start = np.concatenate([near, far])
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        before, after = function(start), function(start + step)
        same = before == after  # two equal infinities differ by nothing
        fall = np.where(same, 0.0, (before - after) / step)
        slope = np.maximum(fall, 0.0) if falling else np.abs(fall)
    return float(np.max(slope))
