"""A race under a threshold that is shifted in part, in plain floats, from below.

Nothing of the package is used. The adversary drifts on a grid of the log-hazard's own steps and is
paid a little less than it could be; the threshold's noise is summed atom by atom.
"""

import math


def reached_delta(epsilon, cutoff, rate, budget, steps, moved, finer=1):
    """δ at ε that is reached if the noise of the threshold takes so many of the grid's steps.

    Each step has as many cells as is said: the more, the less is given away.
    """
    cell, rise, fall = rate / steps / finer, finer * moved, finer * (steps - moved)
    last = math.ceil((epsilon + budget) / cell) + 4 * steps * finer
    values = race_values(cutoff, cell, rise, fall, last)
    ratio = math.exp(-budget / steps)
    total = 0.0
    far = math.ceil(25 * steps / budget)
    for place in range(-far, far + 1):
        mass = ratio ** abs(place) * (1 - ratio) / (1 + ratio)
        loss = (abs(place - moved) - abs(place)) * budget / steps
        at = math.ceil((epsilon - loss) / cell)  # a higher level, where less is lost
        total += mass * values.get(at, 0.0)
    return total


def race_values(cutoff, cell, rise, fall, last):
    """What is reached at the levels i·cell, |i| <= last."""
    up, down = 1 - math.exp(-cell * rise), math.exp(cell * fall) - 1
    stay_up, stay_down = math.exp(-cell / up), math.exp(-cell / down)
    levels = range(-last, last + 1)
    values = {i: max(0.0, 1 - math.exp(i * cell)) for i in levels}
    for _ in range(cutoff):
        risen = {i: values.get(i - rise, 1 - math.exp((i - rise) * cell)) for i in levels}
        fallen = {i: values.get(i + fall, 0.0) for i in levels}
        values = {i: (down * risen[i] + up * fallen[i]) / (up + down) for i in levels}
        for i in levels[1:]:
            values[i] = max(values[i], stay_down * values[i - 1] + (1 - stay_down) * fallen[i])
        for i in reversed(levels[:-1]):
            values[i] = max(values[i], stay_up * values[i + 1] + (1 - stay_up) * risen[i + 1])
    return values
