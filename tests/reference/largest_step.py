"""The largest step of hazards that keeps (ε, δ), by one proof or each: a slow search for an end."""

import math
from fractions import Fraction

import numpy as np

from overbar._numbers import safe_end
from overbar.calibration.races import gumbel_glance
from overbar.privacy.reading import log_delta_of
from overbar.privacy.shifts import MOST_SHIFTS, risen, shares_of, shifted_by
from overbar.privacy.ways import Proofs, race


def largest_step(log_delta, start, delta):
    """The largest number at which a log of δ is not passed that rises with it, from a safe one."""
    goal = math.log(delta)
    while log_delta(start) > goal:
        start /= 2
    unsafe = start
    while log_delta(unsafe) <= goal:
        unsafe *= 1.5
    return safe_end(lambda step: log_delta(step) - goal, start, unsafe, 1e-11)


def step_by_race(epsilon, delta, cutoff, threshold, *, monotonic):
    """Where the threshold's noise takes up all that one person moves, or there is none."""

    def log_delta(step):
        bare = (0.0 if monotonic else step, step)
        ends = bare if threshold is None else (step, 0.0)
        return log_delta_of(race(cutoff, *ends, threshold).steps, epsilon)

    return largest_step(log_delta, epsilon / math.sqrt(cutoff * -2 * math.log(delta)), delta)


def rate_by_shifts(epsilon, delta, cutoff, threshold, *, monotonic):
    """By the best shift of the threshold's noise: sensitivity by scale of Gumbel noise."""
    back = Fraction(not monotonic)

    def log_delta(rate):
        proved = gumbel_shifts(cutoff, rate, threshold, back)
        looks = proved.glance.log_delta(epsilon)
        best = np.argsort(looks)[:3]
        return min(log_delta_of(proved.every[place].steps, epsilon) for place in best)

    step = step_by_race(epsilon, delta, cutoff, threshold, monotonic=monotonic)
    return largest_step(log_delta, step / (1 if monotonic else 2), delta)


def gumbel_shifts(cutoff, rate, threshold, back):
    """All shifts for Gumbel noise, whose log-hazard is linear: `rate` is Δ by scale."""
    up = rate * (1 + 1e-15)
    every = tuple(
        race(
            cutoff,
            up * float(risen(share, back)),
            up * float(1 - share),
            shifted_by(threshold, share),
        )
        for share in shares_of(threshold.steps, MOST_SHIFTS)
    )
    return Proofs(every, gumbel_glance(cutoff, rate, threshold, back))
