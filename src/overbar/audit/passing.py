"""Who passes when a list is asked, and in which order: log-chances at every value of the bar.

With unlimited rounds there is no last comparison; there the next winner is drawn around the circle
of those that remain, and the chance that query k is next, with the others F before it, is
F·…·F·S / (1 - product of all F).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator

import numpy as np

from overbar.audit.points import refuse_many
from overbar.audit.profile import Array

#: Log-chances by who was found, in order.
Chances = dict[tuple[int, ...], Array]
#: Log-chance that a place passes, or that it does not.
Answer = Callable[[int, bool], Array]


def _add(chances: dict[tuple[int, ...], Array], key: tuple[int, ...], more: Array) -> None:
    before = chances.get(key)
    chances[key] = more if before is None else np.logaddexp(before, more)


def asked_once(answer: Answer, size: int, most: int) -> Chances:
    """Ask all once: whoever passes comes out, in an order by lot."""
    chances: Chances = {}
    for answers in itertools.product((True, False), repeat=size):
        log_chance = sum((answer(k, yes) for k, yes in enumerate(answers)), np.zeros(1))
        passed = [k for k, yes in enumerate(answers) if yes]
        length = min(most, len(passed))
        log_order = -math.log(math.perm(len(passed), length))
        for first in itertools.permutations(passed, length):
            _add(chances, first, log_chance + log_order)
        refuse_many(len(chances))
    return chances


def asked_in_rounds(answer: Answer, size: int, most: int, rounds: int) -> Chances:
    """Ask in turn, where whoever fails is asked again in the next round; equal states add up."""
    done: Chances = {}
    going: Chances = {(): np.zeros(1)}
    for _, place in itertools.product(range(rounds), range(size)):
        later: Chances = {}
        for found, log_chance in going.items():
            if place in found:
                _add(later, found, log_chance)
                continue
            _add(later, found, log_chance + answer(place, False))
            now = (*found, place)
            _add(done if len(now) == most else later, now, log_chance + answer(place, True))
        going = later
        refuse_many(len(done) + len(going))
    for found, log_chance in going.items():
        _add(done, found, log_chance)
    return done


def asked_around(
    answer: Answer, log_hazard: Callable[[int], Array], size: int, most: int
) -> Chances:
    """Ask in turn, round after round without end."""

    def further(found: tuple[int, ...], start: int, log_chance: Array) -> Iterator[Chances]:
        left = [k % size for k in range(start, start + size) if k % size not in found]
        if len(found) == most or not left:
            yield {found: log_chance}
            return
        # 1 - e^-(sum of hazards), where a sum as small as it likes keeps its digits.
        log_sum = np.logaddexp.reduce([log_hazard(k) for k in left], axis=0)
        never = np.isneginf(log_sum)
        if never.any():
            yield {found: np.where(never, log_chance, -math.inf)}
        log_any = np.where(never, 0.0, _log_one_minus_exp(log_sum))
        passed = np.where(never, -math.inf, 0.0)
        for k in left:
            chance = np.minimum(passed + answer(k, True) - log_any, 0.0)
            yield from further((*found, k), k + 1, log_chance + chance)
            passed = passed + answer(k, False)

    chances: Chances = {}
    for one in further((), 0, np.zeros(1)):
        for found, log_chance in one.items():
            _add(chances, found, log_chance)
        refuse_many(len(chances))
    return chances


def _log_one_minus_exp(log_hazard: Array) -> Array:
    """Log of 1 - e^-h, from the log of h."""
    with np.errstate(over="ignore", divide="ignore"):
        hazard = np.exp(log_hazard)
        near = np.log(-np.expm1(-hazard))
    return np.where(log_hazard < -18.5, log_hazard - np.minimum(hazard, 1.0) / 2, near)
