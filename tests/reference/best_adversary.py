"""A race against an adversary who may do less: a profile from below, in interval arithmetic.

The adversary drifts from one level of a grid to a neighbouring one, or stays where it is by taking
both ends in turn. What a positive on the way is worth is taken to be what it is worth at the end
where that is least. So all that comes out can be reached, and is approached as the grid gets finer.
"""

from __future__ import annotations

import math

from flint import arb, ctx


def reached(positives: int, rise: int, fall: int, cell: float, last: int) -> dict[int, arb]:
    """What is reached at the levels i·cell, i = -last … last; rise and fall are whole cells."""
    ctx.prec = 80
    unit = arb(cell)
    odds = {i: (unit * i).exp() for i in range(-last, last + 1)}
    up, down = 1 - (-unit * rise).exp(), (unit * fall).exp() - 1
    stay_up, stay_down = (-unit / up).exp(), (-unit / down).exp()
    value = {i: max(arb(0), 1 - odds[i], key=float) for i in range(-last, last + 1)}
    for _ in range(positives):
        # Beyond the grid: nothing, and what is sure.
        payoff_up = {i: value.get(i - rise, 1 - odds[i] / odds[rise]) for i in value}
        payoff_down = {i: value.get(i + fall, arb(0)) for i in value}
        best = {i: (down * payoff_up[i] + up * payoff_down[i]) / (up + down) for i in sorted(value)}
        for i in range(-last + 1, last + 1):
            drifted = stay_down * best[i - 1] + (1 - stay_down) * payoff_down[i]
            best[i] = max(best[i], drifted, key=float)
        for i in range(last - 1, -last - 1, -1):
            drifted = stay_up * best[i + 1] + (1 - stay_up) * payoff_up[i + 1]
            best[i] = max(best[i], drifted, key=float)
        value = best
    return value


def bare_strategy(positives: int, step: float, cells: int, last: int) -> list[float]:
    """What one strategy reaches at the levels i·step/cells >= 0, to the fineness of the grid.

    It drifts down to level zero and takes both ends in turn there (mirrored below zero).
    """
    interval, growth = step / cells, math.expm1(step)
    stay, tangent = math.exp(-interval / growth), math.tanh(step / 2)
    value = [0.0] * (last + 1)
    for _ in range(positives):
        ahead = [*value[cells:], *[0.0] * cells]
        value = [tangent + (1 - tangent) * ahead[0]]
        for place in range(1, last + 1):
            value.append(stay * value[-1] + (1 - stay) * ahead[place])
    return value
