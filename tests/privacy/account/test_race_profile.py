"""The best adversary against a race: never below what can be reached, close to it; broken twins."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from overbar.privacy import race_profile as module
from overbar.privacy.hazard import log_excess_faster, log_excess_slower
from overbar.privacy.race import Part
from overbar.privacy.race_profile import race_profile
from overbar.privacy.theorem import log_delta_from_renyi
from overbar.privacy.threshold_loss import LaplaceShift
from tests.reference.best_adversary import bare_strategy, reached
from tests.reference.largest_step import gumbel_parts
from tests.reference.plain_partial_shift import reached_delta

#: Positives, rise and fall in cells, and the length of a cell.
GAMES = [(1, 12, 12, 0.02), (1, 20, 4, 0.02), (2, 9, 15, 0.01), (3, 16, 8, 0.03), (4, 5, 11, 0.005)]


def profile(cutoff, rise, fall, depth=24.0):
    return race_profile(cutoff, rise, fall, depth)


@pytest.fixture(autouse=True)
def _anew():
    race_profile.cache_clear()
    yield
    race_profile.cache_clear()


def ratios(game, first=-2):
    """The claim by what is reached, at levels on both sides of zero, or from some on."""
    positives, rise, fall, cell = game
    last = 12 * (rise + fall)
    below = reached(positives, rise, fall, cell, last)
    bound = profile(positives, rise * cell, fall * cell)
    places = range(first * (rise + fall), 4 * (rise + fall), 7)
    claims = bound.at(np.array([i * cell for i in places]))
    return [claim / float(below[i].upper()) for i, claim in zip(places, claims, strict=True)]


@pytest.mark.parametrize("game", GAMES)
def test_it_is_never_below_what_can_be_reached(game):
    assert min(ratios(game)) >= 1 - 1e-12
    assert max(ratios(game)) < 1.25  # far below zero it is looser
    assert max(ratios(game, 1)) < 1.15


@pytest.mark.parametrize("game", GAMES[2:])
def test_what_is_reached_comes_closer_on_a_finer_grid(game):
    positives, rise, fall, cell = game
    finer = positives, 4 * rise, 4 * fall, cell / 4
    coarse, fine = max(ratios(game, 1)) - 1, max(ratios(finer, 1)) - 1
    assert 0 <= fine < 0.4 * coarse


@pytest.mark.parametrize("part", [(1, 0.3, 0.2), (4, 0.1, 0.05), (50, 0.0394, 0.0253)])
def test_the_error_falls_with_the_square_of_the_interval(part, monkeypatch):
    values = []
    for cells in (256, 64, 32):
        monkeypatch.setattr(module, "cells_per_width", lambda *_, cells=cells: cells)
        race_profile.cache_clear()
        values.append(profile(*part, depth=16.0).at(np.array([3 * part[1] * math.sqrt(part[0])])))
    fine, middle, coarse = (float(value[0]) for value in values)
    assert fine <= middle <= coarse
    assert middle / fine - 1 < 0.5 * (coarse / fine - 1) + 1e-9
    assert coarse / fine < 1.1


def broken_chord(self, levels):
    """Below: read to the right of where it should be."""
    return real_at(self, levels + self.interval)


def one_less(*ends):
    """One positive less than there are."""
    return range(ends[0], ends[1] - 1) if len(ends) == 2 else range(*ends)


real_at, real_read = module.RaceProfile.at, module._between


@pytest.mark.parametrize(
    ("name", "twin"),
    [
        ("at", lambda: (module.RaceProfile, "at", broken_chord)),
        ("a positive left out", lambda: (module, "range", one_less)),
        ("payoffs read too far", lambda: (module, "_between", lambda m, h: real_read(m + h, h))),
        ("no drift", lambda: (module._Drift, "swept", lambda _self, stops, _payoff: stops)),
    ],
)
def test_control_a_broken_twin_falls_below(name, twin, monkeypatch):
    monkeypatch.setattr(*twin(), raising=False)
    assert min(min(ratios(game)) for game in GAMES) < 1 - 1e-3, name


@pytest.mark.parametrize("step", [0.05, 0.3, 1.0, 1.4])
def test_one_positive_of_a_bare_race_in_closed_form(step):
    """tanh(step/2)·e^(-ε/(e^step - 1)), also beyond steps of 1.3."""
    bound = profile(1, step, step, 8.0)
    for epsilon in (0.0, 0.3 * step, 2 * step, 5 * step):
        exact = math.tanh(step / 2) * math.exp(-epsilon / math.expm1(step))
        assert exact <= float(bound.at(np.array([epsilon]))[0]) <= exact * 1.002


@pytest.mark.parametrize(("cutoff", "step"), [(2, 0.3), (5, 0.1), (50, 0.0275), (4, 1.2)])
def test_a_bare_race_by_its_own_strategy(cutoff, step):
    cells = 400
    last = round(cells * (8 * math.sqrt(cutoff) + 12))
    below = np.array(bare_strategy(cutoff, step, cells, last))
    places = np.arange(0, last - cells, 250)
    claims = profile(cutoff, step, step, depth=16.0).at(places * (step / cells))
    assert np.all(claims >= below[places] * (1 - 1e-12))
    near = (below[places] > 1e-9) & (below[places] < 1e-4)
    assert np.any(near)
    assert np.all(claims[near] <= below[places][near] * 1.06)


@pytest.mark.parametrize("part", [(5, 0.2, 0.03), (20, 0.068, 0.034), (300, 0.014, 0.0125)])
def test_it_lies_between_one_sign_and_orders(part):
    cutoff, rise, fall = part
    run = Part(*part, None)
    for epsilon in (0.4, 1.0):
        value = log_delta_from_renyi(run.renyi, epsilon, run.largest_order)
        claim = run.best_adversary(epsilon, value)
        assert claim < value + 2e-3 if part[0] == 5 else claim < value - 0.2
        assert claim >= log_excess_faster(cutoff, rise, [epsilon])[0]
        assert claim >= log_excess_slower(cutoff, fall, [epsilon])[0]


def test_it_is_the_same_with_both_sides_exchanged():
    """W(-x) of a game is 1 - e^-x·(1 - W(x)) of the game with rise and fall exchanged."""
    there, back = profile(6, 0.15, 0.1, 8.0), profile(6, 0.1, 0.15, 8.0)
    for level in (0.1, 0.35):
        turned = 1 - math.exp(-level) * (1 - float(back.at(np.array([level]))[0]))
        assert float(there.at(np.array([-level]))[0]) == pytest.approx(turned, rel=1e-3)


def test_where_it_does_not_reach_there_is_none():
    assert race_profile(20_000, 0.003, 0.003, 24.0) is None
    assert race_profile(5, 0.1, 0.0, 24.0) is None
    assert race_profile(5, 0.0, 0.1, 24.0) is None
    assert race_profile(5, 0.1, 0.1, 1000.0) is None
    assert race_profile(5, 5.0, 5.0, 24.0) is None
    # control: it would hold in one direction only
    assert Part(5, 0.1, 0.2, None).best_adversary(1.0, -10.0) == math.inf
    assert Part(5, 0.1, 0.1, None).best_adversary(1.0, -10.0) < 0


def test_a_shift_in_part_against_plain_floats():
    """Which share no code with the package, at thirty settings; they come closer if finer."""
    rng = np.random.default_rng(28)
    for number in range(30):
        cutoff, moved = int(rng.integers(1, 9)), int(rng.integers(16, 29))
        rate, budget, epsilon = rng.uniform(0.05, 0.4), rng.uniform(0.02, 0.3), rng.uniform(0, 0.8)
        part = gumbel_parts(cutoff, rate, LaplaceShift(budget, 32), Fraction(0)).parts[moved]
        setting = epsilon, cutoff, rate, budget, 32, moved
        plain = reached_delta(*setting)
        proved = math.exp(part.best_adversary(epsilon, math.log(plain)))
        assert plain <= proved <= 1.45 * plain
        if number in (19, 25):
            plain = reached_delta(*setting, finer=4)
            assert plain <= proved <= 1.05 * plain
        # control: half of what hazards move would be too little
        less = replace(part, rise=part.rise / 2, fall=part.fall / 2)
        assert math.exp(less.best_adversary(epsilon, math.log(plain))) < plain
