"""Steps of the package as steps of the slow reference, one for one."""

from __future__ import annotations

import math

import numpy as np

from overbar.privacy import pairs
from overbar.privacy import steps as ours
from overbar.privacy.threshold_loss import LaplaceShift
from tests.reference import steps as slow
from tests.reference.step_deltas import Known, deltas


def slow_steps(way: ours.Steps) -> tuple[slow.Step, ...]:
    """Return the same steps, slow and obvious."""
    return tuple(one for step in way for one in _slow(step))


def truth(way: ours.Steps, levels, fine: int = 16) -> list[Known]:
    """Return δ at every level, of the direction that the steps are written for."""
    return deltas(slow_steps(way), levels, fine)


def _slow(step: pairs.Step) -> list[slow.Step]:
    match step:
        case pairs.Pick():
            return [slow.Picks(step.times, step.range_)]
        case pairs.Bit():
            return [slow.normal_bits(step.shift, step.times)]
        case ours.Race():
            return [slow.Race(step.times, step.rise, step.fall)]
        case ours.Worst():
            return [slow.Worst(tuple(map(slow_steps, step.of)))] * step.times
    return [_pair(step)] * step.times


def _pair(step: pairs.Step) -> slow.Step:
    match step:
        case pairs.Pure():
            return slow.response(float(step.epsilon))
        case pairs.Values():
            return slow.gaussian(math.sqrt(step.moved.distance))
        case pairs.Shifted() if isinstance(step.shift, LaplaceShift):
            return laplace(step.shift.size, step.shift.steps)
        case pairs.Shifted():
            return slow.gaussian(step.shift.size)
    raise TypeError(step)


def laplace(size: float, steps: int) -> slow.Pair:
    """Return noise with chances in proportion to e^(-|k|·size/steps), and it moved by steps."""
    rate = size / steps
    places = np.arange(-math.ceil(45 / rate) - steps, math.ceil(45 / rate) + 1)
    here, moved = np.exp(-rate * np.abs(places)), np.exp(-rate * np.abs(places + steps))
    return slow.Pair(tuple(here / here.sum()), tuple(moved / here.sum()))
