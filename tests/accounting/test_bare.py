"""A bare threshold in general: the best adversary, by other routes, and the steps of its proof."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import integrate

from overbar.accounting.hazard import log_excess_faster, log_excess_slower
from overbar.accounting.race import LARGEST_STEP, Race, bare_profile
from overbar.accounting.renyi import composed_log_delta
from tests.reference.divergence import hockey_stick


@pytest.mark.parametrize("step", [0.01, 0.2, 1.0])
def test_one_positive_in_closed_form(step):
    profile = bare_profile(1, step, 30 * step)
    for epsilon in (0.0, 0.3 * step, 2 * step, 15.2 * step):
        exact = math.tanh(step / 2) * math.exp(-epsilon / math.expm1(step))
        assert exact <= profile.at(epsilon) <= exact * 1.002


def value_iteration(cutoff, step, last, per_step=24):
    """The adversary's own problem: at each loss take the better sign, until nothing improves.

    On cells of a grid, with the two equations solved exactly for chords. It does not know which
    strategy is best, and stops from below.
    """
    h = step / per_step
    x = np.arange(-math.ceil(last / h), math.ceil(last / h) + 1) * h
    z, cells = np.exp(x), x.size - 1
    up, down = math.exp(h / math.expm1(-step)), math.exp(-h / math.expm1(step))
    value = np.maximum(0.0, -np.expm1(x))
    for _ in range(cutoff):
        slope = np.diff(value) / np.diff(z)
        base = value[:-1] - slope * z[:-1]
        lower = np.clip(np.arange(cells) - per_step, 0, cells - 1)
        upper = np.clip(np.arange(cells) + per_step, 0, cells - 1)
        rise = base[lower] + slope[lower] * z[:-1] - up * (base[lower] + slope[lower] * z[1:])
        fall = base[upper] + slope[upper] * z[1:] - down * (base[upper] + slope[upper] * z[:-1])
        rise, fall, now = rise.tolist(), fall.tolist(), value.tolist()
        for _ in range(60):
            for i in range(cells - 1, -1, -1):
                now[i] = max(now[i], rise[i] + up * now[i + 1])
            for i in range(cells):
                now[i + 1] = max(now[i + 1], fall[i] + down * now[i])
        value = np.array(now)
    return x, value


@pytest.mark.parametrize(("cutoff", "step"), [(1, 0.3), (2, 0.3), (3, 0.1), (4, 1.2)])
def test_no_choice_of_signs_does_better(cutoff, step):
    last = step * (6 * math.sqrt(cutoff) + 6)
    x, value = value_iteration(cutoff, step, 1.5 * last)
    profile = bare_profile(cutoff, step, 1.5 * last)
    for epsilon in np.linspace(-last / 2, last, 9):
        found = np.interp(epsilon, x, value)
        assert profile.at(epsilon) >= found * (1 - 5e-3)
        assert profile.at(epsilon) == pytest.approx(found, rel=0.02)
    # control: one sign for the whole run falls short of it
    half = 0.5 * step * math.sqrt(cutoff)
    one_sign = max(
        float(log_excess_faster(cutoff, step, [half])[0]),
        float(log_excess_slower(cutoff, step, [half])[0]),
    )
    assert math.exp(one_sign) < 0.98 * np.interp(half, x, value)


def test_the_strategy_reaches_it():
    """Simulate the strategy: down while short of the target, up beyond it, both at the target."""
    rng = np.random.default_rng(3)
    cutoff, step, epsilon, count = 6, 0.3, 0.9, 400_000
    x = np.full(count, epsilon)
    for _ in range(cutoff):
        wait = rng.exponential(size=count)
        rate = np.where(x > 0, math.expm1(step), -math.expm1(-step))
        arrives = wait * rate < np.abs(x)
        moved = np.where(x > 0, x - wait * rate + step, x + wait * rate - step)
        coin = np.where(rng.random(count) < 1 / (1 + math.exp(-step)), -step, step)
        x = np.where(arrives, moved, coin)
    gains = np.maximum(0.0, -np.expm1(x))
    mean, error = gains.mean(), gains.std() / math.sqrt(count)
    value = bare_profile(cutoff, step, 6.0).at(epsilon)
    assert abs(mean - value) < 4 * error + 2e-3 * value
    assert abs(mean - bare_profile(cutoff, 0.95 * step, 6.0).at(epsilon)) > 10 * error  # control


def test_a_run_reaches_it():
    """One positive: tiny hazards that fall on the neighbour's side, then both kinds in turn."""
    step, epsilon, hazard = 0.3, 0.5, 1e-4
    first = round(epsilon / math.expm1(step) / hazard)
    signs = np.where(np.arange(first + 200_000) < first, -1, 1)
    signs[first:][1::2] = -1
    # In turn, with hazards such that x stays where it is.
    one = np.where(signs > 0, hazard, hazard)
    one[first:] = np.where(signs[first:] > 0, hazard, hazard * math.exp(-step))
    other = one * np.exp(-step * signs)
    laws = [-np.expm1(-h) * np.exp(-(np.cumsum(h) - h)) for h in (one, other)]
    reached = hockey_stick(*laws, epsilon)
    bound = math.exp(Race(1, step, None, monotonic=False).log_delta(epsilon))
    assert 0.95 < reached / bound <= 1


@pytest.mark.parametrize(("cutoff", "step"), [(5, 0.1), (50, 0.03), (700, 0.008)])
def test_it_lies_between_what_is_possible_and_what_renyi_gives(cutoff, step):
    race = Race(cutoff, step, None, monotonic=False)
    for epsilon in (0.2, 0.8):
        value = race.log_delta(epsilon)
        assert value >= Race(cutoff, step, None, monotonic=True).log_delta(epsilon)
        assert value >= composed_log_delta(step, cutoff, epsilon) - 1e-9
        orders = 1 + np.logspace(-1, math.log10(race.part.largest_order - 1) - 0.01, 200)
        by_renyi = min(
            (a - 1) * (race.renyi(a) - epsilon) + (a - 1) * math.log(a - 1) - a * math.log(a)
            for a in orders
        )
        assert value < by_renyi - 0.5


@pytest.mark.parametrize("step", np.linspace(0.01, LARGEST_STEP, 30))
def test_the_induction_of_the_proof_starts(step):
    """The first difference: φ rises from zero, with a mean of at most three quarters of its end."""
    b = math.expm1(step)

    def e(y):
        return b - math.exp(y / b) * (math.exp(step) - math.exp(y)) if y < step else b

    def phi(x):
        return e(step + x) - math.exp((1 + 2 / b) * x) * e(step - x)

    x = np.linspace(0, step, 400)
    values = np.array([phi(t) for t in x])
    assert np.all(np.diff(values) >= -1e-12)
    assert integrate.quad(phi, 0, step)[0] <= 0.75 * step * phi(step)


def test_the_induction_of_the_proof_goes_on():
    """The largest step keeps 3/4·e^(2(P - 1)) at most one, P = (step/2)·coth(step/2)."""
    p = LARGEST_STEP / 2 / math.tanh(LARGEST_STEP / 2)
    assert 0.75 * math.exp(2 * (p - 1)) <= 1
    for share in np.linspace(0, 1, 200):
        for q in np.linspace(0, 1, 50):
            mass = min((1 - share) * q, 0.75 - share * q)
            assert 1 + math.exp(2 * p * share) * (q - 2 * p * mass) >= -1e-12


def test_below_zero_it_is_mirrored():
    profile = bare_profile(4, 0.2, 4.0)
    for epsilon in (0.1, 0.5):
        mirrored = 1 - math.exp(-epsilon) * (1 - profile.at(epsilon))
        assert profile.at(-epsilon) == pytest.approx(mirrored, rel=1e-12)
