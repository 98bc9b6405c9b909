"""What is read off a sequence of steps: ε at a δ, δ at an ε, down to where its profile is followed.

A profile is followed from the end of the sequence to its beginning, on a grid. Where that would
take too long, and for steps of which only divergences are known, these add up and are turned into
(ε, δ) once. A single pair of which all is known in closed form keeps its formula.

Theory: :doc:`/theory/steps`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cache, lru_cache, partial

import numpy as np

from overbar._numbers import rounded_up, safe_end
from overbar.privacy.choices import TINY
from overbar.privacy.loss_profile import HAIR, Array, LossProfile, nothing
from overbar.privacy.orders import (
    best_order,
    composed_epsilon,
    composed_log_delta,
    epsilon_at,
    epsilon_from_renyi,
    log_delta_at,
    log_delta_from_renyi,
)
from overbar.privacy.pairs import NARROWEST, WIDEST, Bit, Pick, Pure, Shifted, Values
from overbar.privacy.steps import (
    Race,
    Steps,
    Worst,
    follow,
    largest_order,
    pure_of,
    renyi_of,
    spread_of,
)

#: Profiles are made for depths that are this far apart (in logs of δ), so that few serve for many.
APART = 16.0
#: They are followed so much further (in logs of δ); to where floats still tell them from nothing.
BEYOND, DEEPEST = 12.0, 600.0
#: No more cells to the spread of all steps; more in all, and more steps times cells, take too long.
FINEST = 1000.0
MOST_CELLS, MOST_WORK = 60_000, 40_000_000
#: Beyond this loss e^x is no float.
FARTHEST = 600.0


#: What is lost at levels: upper bounds at any real ones.
Reader = Callable[[Array], Array]


def epsilon_of(way: Steps, log_delta: float) -> float:
    """Return an ε >= 0 that a sequence keeps at δ > 0; what is returned has been evaluated."""
    if not way:
        return 0.0
    step, most = way[0], _largest(way)
    if len(way) == 1 and isinstance(step, Values) and step.times == 1:
        return step.moved.epsilon(log_delta)
    if len(way) == 1 and isinstance(step, Pure):
        return composed_epsilon(rounded_up(step.epsilon), step.times, log_delta)
    found, level = reader_of(way, depth_of(-log_delta)), math.inf
    rough, _ = rough_epsilon(way, log_delta)
    if isinstance(found, LossProfile):
        level = found.level(log_delta)
    elif found is not None:
        level = _search(found, log_delta, min(most, 1.1 * rough))
    # Far out, and close to the largest loss, a grid may say less than divergences.
    if not level < rough:
        level = min(level, epsilon_by_orders(way, log_delta)[0])
    return min(level, most)


def _largest(way: Steps) -> float:
    """Return the largest loss of a sequence, rounded up."""
    pure = pure_of(way)
    return rounded_up(pure) if isinstance(pure, Fraction) else pure


def _search(reader: Reader, log_delta: float, high: float) -> float:
    """Return an ε whose δ is at most the one given; infinite where that is not so at `high`."""

    @cache
    def excess(level: float) -> float:
        return _log_of(reader, level) - log_delta

    if excess(high) > 0:
        return math.inf
    return 0.0 if excess(0.0) <= 0 else safe_end(excess, high, 0.0)


def _log_of(reader: Reader, level: float) -> float:
    value = float(reader(np.array([level * (1 - HAIR)]))[0]) + TINY
    return math.log(value) * (1 - HAIR) + HAIR


def log_delta_of(way: Steps, epsilon: float) -> float:
    """Log of a δ that a sequence keeps at ε >= 0; minus infinity where none is needed."""
    if epsilon >= pure_of(way):
        return -math.inf
    step = way[0]
    if len(way) == 1 and isinstance(step, Values) and step.times == 1:
        return step.moved.log_delta(epsilon)
    if len(way) == 1 and isinstance(step, Pure):
        return composed_log_delta(rounded_up(step.epsilon), step.times, epsilon)
    value = rough = rough_log_delta(way, epsilon)
    for _ in range(2):  # so that it is read where ε is at the same δ
        found = reader_of(way, depth_of(-value))
        if found is None:
            return log_delta_by_orders(way, epsilon)
        value = _log_of(read(found), epsilon)
    return value if value < rough else min(value, log_delta_by_orders(way, epsilon))


def reader_of(way: Steps, depth: float) -> LossProfile | Reader | None:
    """Return what a sequence loses, close where that is about e^-depth; None if not followed.

    A pair in front of all is read exactly, and so is a race in closed form; the rest on a grid.
    """
    if depth > DEEPEST:
        return None
    step, rest = way[0], way[1:]
    if isinstance(step, Worst) and step.times == 1 and not isinstance(step.of[0][0], Bit):
        every = [reader_of((*one, *rest), depth) for one in step.of]
        known = [read(one) for one in every if one is not None]
        return partial(_worst, known) if len(known) == len(every) else None
    if isinstance(step, Race) and not rest and not (step.rise and step.fall):
        return step.alone
    if isinstance(step, Shifted | Pure) and (rest or step.times > 1):
        fewer = (replace(step, times=step.times - 1), *rest)
        later = profile_of(fewer, depth) if step.times > 1 else reader_of(rest, depth)
        return None if later is None else partial(_behind, step.outcomes(depth), read(later))
    return profile_of(way, depth)


def read(found: LossProfile | Reader) -> Reader:
    """Return what reads it."""
    return found.at if isinstance(found, LossProfile) else found


def _worst(every: list[Reader], levels: Array) -> Array:
    """Read the worst of several."""
    return np.asarray(np.max([one(levels) for one in every], axis=0))


def _behind(pair: tuple[Array, Array], later: Reader, levels: Array) -> Array:
    """Read a pair with few outcomes, and what stands behind it, at each of its losses."""
    masses, losses = pair
    every = later((levels[:, None] - losses).ravel()).reshape(levels.size, -1)
    return np.asarray(np.fmin(1.0, every @ masses * (1 + 100 * HAIR)))


def epsilon_by_orders(way: Steps, log_delta: float) -> tuple[float, float]:
    """Return the ε that divergences prove at δ, and the order."""
    return epsilon_from_renyi(lambda order: renyi_of(way, order), log_delta, largest_order(way))


def log_delta_by_orders(way: Steps, epsilon: float) -> float:
    """Log of the δ that divergences prove at ε."""
    return log_delta_from_renyi(lambda order: renyi_of(way, order), epsilon, largest_order(way))


def rough_epsilon(way: Steps, log_delta: float) -> tuple[float, float]:
    """Return about the ε that divergences prove at δ, and the order: to choose by."""
    order, value = best_order(
        lambda order: epsilon_at(_rough(way, order), order, log_delta),
        largest_order(way),
        close=0.02,
    )
    return value, order


@lru_cache(maxsize=256)  # asked for before a sequence is followed, and while it is
def rough_log_delta(way: Steps, epsilon: float) -> float:
    """Return about the log of the δ that divergences prove at ε: to choose by."""
    return best_order(
        lambda order: log_delta_at(_rough(way, order), order, epsilon),
        largest_order(way),
        close=0.02,
    )[1]


def _rough(way: Steps, order: float) -> float:
    return sum(step.rough(order) for step in way)


def depth_of(depth: float) -> float:
    """Return one of few depths that is no less."""
    return APART * math.ceil(max(1.0, depth / APART)) if math.isfinite(depth) else math.inf


@lru_cache(maxsize=256)
def profile_of(way: Steps, depth: float, fine: float = 1.0) -> LossProfile | None:
    """Return the profile of a sequence, close where about e^-depth is lost.

    None where it would take too long, and where only divergences are known. On a grid less `fine`
    it says less.
    """
    followed = all(NARROWEST < step.spread <= WIDEST for step in way)
    if depth > DEEPEST or not followed:
        return None
    middle, order = rough_epsilon(way, -depth)
    end = epsilon_at(_rough(way, order), order, -depth - BEYOND)
    interval, end = grid_of(way) / fine, min(end, _largest(way))
    low = min(end, max(end - middle, 4 * interval, 8 * spread_in_front(way)))
    if not end + low < interval * MOST_CELLS or end > FARTHEST:
        return None
    first, last = -math.ceil(low / interval) - 1, math.ceil(end / interval) + 1
    if (last - first) * sum(step.work for step in way) > MOST_WORK:
        return None
    return follow(way, nothing(interval, first, last, depth))


def grid_of(way: Steps) -> float:
    """Return the coarsest grid that serves every step; atoms of loss lie on its levels."""
    cells = max(step.cells for step in way)
    interval = min(*(step.grain for step in way), spread_of(way) / cells)
    interval = max(interval, spread_of(way) / FINEST)  # what is small beside others needs no more
    atoms = [step.range_ for step in way if isinstance(step, Pick)]
    atoms += [rounded_up(step.epsilon) for step in way if isinstance(step, Pure)]
    if atoms and min(atoms) > interval / 4:
        interval = min(atoms) / math.ceil(min(atoms) / interval * (1 - 1e-9))
    return interval


def spread_in_front(way: Steps) -> float:
    """Return how far losses in front of the first race spread, about."""
    races = [place for place, step in enumerate(way) if isinstance(step, Race)]
    return spread_of(way[: races[0]]) if races else spread_of(way)
