"""The largest step of hazards that keeps (ε, δ), by one theorem: a slow search for a safe end."""

import math
from fractions import Fraction

from overbar._numbers import safe_end
from overbar.privacy.partial_shift import every_shift
from overbar.privacy.race import Race


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
    """By the companion theorem."""

    def log_delta(step):
        return Race(cutoff, step, threshold, monotonic).log_delta(epsilon)

    return largest_step(log_delta, epsilon / math.sqrt(cutoff * -2 * math.log(delta)), delta)


def rate_by_parts(epsilon, delta, cutoff, threshold, *, monotonic):
    """By partial shift: sensitivity by scale of Gumbel noise."""

    def log_delta(rate):
        return gumbel_parts(cutoff, rate, threshold, Fraction(not monotonic)).log_delta(epsilon)

    step = step_by_race(epsilon, delta, cutoff, threshold, monotonic=monotonic)
    return largest_step(log_delta, step / (1 if monotonic else 2), delta)


def gumbel_parts(cutoff, rate, threshold, back):
    """All shifts for Gumbel noise, whose log-hazard is linear: `rate` is Δ by scale."""

    def step(share):
        return rate * (1 + 1e-15) * float(share)

    return every_shift(cutoff, step, threshold, back)
