"""What steps in a row cost: never below a slow reference that shares no code, and close to it."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from overbar.privacy.arrivals import race
from overbar.privacy.hazard import base_renyi, log_excess_faster, log_excess_slower
from overbar.privacy.histogram import Moved
from overbar.privacy.orders import composed_log_delta, pure_renyi
from overbar.privacy.pairs import Bit, Pick, Pure, Shifted, Values, bit_renyi, pick_renyi
from overbar.privacy.reading import log_delta_by_orders, log_delta_of, profile_of
from overbar.privacy.steps import Curve, Race, Worst, renyi_of, spread_of
from overbar.privacy.threshold_loss import GaussianShift, LaplaceShift
from tests.reference.best_adversary import bare_strategy, reached
from tests.reference.ways import truth

NOISE, SMOOTH = LaplaceShift(0.3, 4), GaussianShift(0.3, 64)


def values(deviations):
    """A value that is moved by so many deviations, on a fine grid."""
    return Values(Moved(1, 1000, Fraction(1000 / deviations) ** 2))


def pure(epsilon):
    return Pure(Fraction(epsilon))


EITHER = Worst(((Bit(0.1, times=4),), (Bit(0.25),)))
#: Steps, and by how much more than the truth they may be said to cost.
WAYS = {
    "even race": (race(3, 0.3, 0.3, None).steps, 0.003),
    "uneven race": (race(2, 0.3, 0.02, None).steps, 0.04),
    "rise below fall": (race(2, 0.02, 0.3, None).steps, 0.003),
    "hazards move one way": (race(4, 0.0, 0.3, None).steps, 0.003),
    "tiny steps": (race(3, 1e-7, 0.6e-7, None).steps, 0.003),
    "wide steps": (race(1, 14.0, 1.0, None).steps, 0.003),
    "laplace threshold": (race(3, 0.2, 0.1, NOISE).steps, 0.003),
    "gaussian threshold": (race(3, 0.2, 0.1, SMOOTH).steps, 0.003),
    "all of the shift": (race(3, 0.2, 0.0, NOISE).steps, 0.003),
    "threshold, rise below fall": (race(2, 0.1, 0.3, NOISE).steps, 0.003),
    "redrawn": (race(3, 0.2, 0.1, NOISE, redraws=True).steps, 0.003),
    "redrawn, rise below fall": (
        race(2, 0.1, 0.2, LaplaceShift(0.3, 2), redraws=True).steps,
        0.003,
    ),
    "race, values": ((Race(0.3, 0.1, times=2), values(0.5)), 0.006),
    "values, race": ((values(0.5), Race(0.3, 0.1, times=2)), 0.006),
    "one way up, values": ((Race(0.3, 0.0, times=2), values(0.3)), 0.02),
    "one way down, pure": ((Race(0.0, 0.3, times=2), pure("0.25")), 0.003),
    "race, pure": ((Race(0.3, 0.1, times=2), pure("0.5")), 0.003),
    "two races": ((Race(0.3, 0.1, times=2), Race(0.1, 0.2, times=2)), 0.003),
    "groups of races": ((Shifted(NOISE), Race(0.2, 0.1, times=2)) * 2, 0.003),
    "race, picks": ((Race(0.3, 0.05, times=2), Pick(0.3, times=2)), 0.003),
    "picks, race": ((Pick(0.3, times=2), Race(0.3, 0.05, times=2)), 0.006),
    "race, bits": ((Race(0.3, 0.1, times=2), Bit(0.4, times=2)), 0.03),
    "one pick": ((Pick(1.3),), 0.003),
    "few picks": ((Pick(0.298, times=5),), 0.02),
    "picks": ((Pick(0.149, times=20),), 0.02),
    "wide picks": ((Pick(14.0, times=2),), 0.003),
    "pure, picks": ((pure("0.2"), Pick(0.4, times=3)), 0.003),
    "picks, pure": ((Pick(0.4, times=3), pure("0.2")), 0.003),
    "bit": ((Bit(0.5),), 0.01),
    "wide bit": ((Bit(3.0),), 0.01),
    "bits": ((Bit(0.2, times=5),), 0.15),
    "many bits": ((Bit(0.05, times=30),), 0.2),
    "bits, pure, picks": ((Bit(0.3, times=4), pure("0.2"), Pick(0.4, times=3)), 0.03),
    "rounds of keys": ((EITHER, Worst(((Bit(0.15, times=4),), (Bit(0.4),)))), 0.04),
    "values twice": ((values(0.3), values(0.4)), 0.006),
}


def shares(claimed, way):
    """Return what is claimed for steps by the least and the most that may be true of others."""
    levels = [spread_of(way) * share for share in (0.1, 0.5, 1, 2, 3.5)]
    for level, known in zip(levels, truth(way, levels), strict=True):
        off = 1.5 * known.error
        if known.value > 1e-12 and off < 0.1:
            found = math.exp(log_delta_of(claimed, level)) / known.value
            yield found / (1 - off), found / (1 + off)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", WAYS)
def test_no_adversary_reaches_more_and_some_nearly_as_much(name):
    way, above = WAYS[name]
    found = list(shares(way, way))
    assert len(found) >= 3
    assert min(low for low, _ in found) >= 1
    assert max(high for _, high in found) <= 1 + above


@pytest.mark.parametrize(
    ("name", "twin"),
    [
        ("even race", (Race(0.3, 0.3, times=2),)),
        ("even race", (Race(0.3, 0.0, times=3),)),
        ("even race", (Race(0.29, 0.29, times=3),)),
        ("rise below fall", (Race(0.02, 0.3, times=1),)),
        ("laplace threshold", (Race(0.2, 0.1, times=3),)),
        ("redrawn", race(3, 0.2, 0.1, NOISE).steps),
        ("race, values", (values(0.5),)),
        ("two races", (Race(0.3, 0.1, times=4),)),
        ("picks, race", (Race(0.3, 0.05, times=2), Pick(0.3, times=2))),
        ("pure, picks", (Pick(0.4, times=3), pure("0.2"))),
        ("few picks", (Pick(0.298, times=4),)),
        ("bits", (Bit(0.2, times=4),)),
        ("rounds of keys", (Bit(0.1, times=4), Bit(0.15, times=4))),
    ],
)
def test_control_a_broken_twin_falls_below(name, twin):
    """A step left out or shortened, one direction, another order, not the worst of several."""
    assert min(high for _, high in shares(twin, WAYS[name][0])) < 0.995


@pytest.mark.parametrize("name", ["even race", "laplace threshold", "race, values", "picks, race"])
def test_below_zero_it_is_what_the_other_direction_can_lose(name):
    way = WAYS[name][0]
    levels = [-spread_of(way) * share for share in (0.2, 1, 2)]
    profile = profile_of(way, 8.0)
    for level, known in zip(levels, truth(way, levels), strict=True):
        assert known.value * (1 - known.error) <= profile.delta(level) <= 1.05 * known.value


def test_the_order_matters():
    """After randomised response with ε = 0.2 one pick of range 0.4 reaches 1.1 times as much."""
    first, last = (pure("0.2"), Pick(0.4)), (Pick(0.4), pure("0.2"))
    exact, other = truth(first, [0.0])[0].value, truth(last, [0.0])[0].value
    assert exact > 1.09 * other
    found = [math.exp(log_delta_of(way, 0.0)) for way in (first, last)]
    assert found == pytest.approx([exact, other], rel=5e-3)


# Races, by other routes ------------------------------------------------------------------------


@pytest.mark.parametrize("step", [1e-6, 0.05, 0.3, 1.4, 4.0])
def test_one_positive_of_a_bare_race_in_closed_form(step):
    """tanh(step/2)·e^(-ε/(e^step - 1)), down to where δ is no float."""
    way = race(1, step, step, None).steps
    for log_share in (0.0, -1.0, -5.0, -40.0, -200.0, -550.0, -640.0, -760.0):
        exact = math.log(math.tanh(step / 2)) + log_share
        found = log_delta_of(way, -log_share * math.expm1(step))
        assert exact * (1 + 1e-12) <= found
        assert found <= exact + 0.02 or log_share < -100 or step > 1


#: Positives, rise and fall in cells, and the length of a cell.
GAMES = [(1, 12, 12, 0.02), (1, 20, 4, 0.02), (2, 9, 15, 0.01), (3, 16, 8, 0.03), (4, 5, 11, 0.005)]


@pytest.mark.parametrize("game", GAMES)
def test_what_is_reached_on_a_grid_is_never_above_in_intervals(game):
    positives, rise, fall, cell = game
    below = reached(positives, rise, fall, cell, 12 * (rise + fall))
    bound = profile_of((Race(rise * cell, fall * cell, times=positives),), 24.0)
    places = range(-2 * (rise + fall), 4 * (rise + fall), 7)
    found = [bound.delta(place * cell) / float(below[place].upper()) for place in places]
    assert min(found) >= 1 - 1e-12
    assert max(found) < 1.25


@pytest.mark.parametrize(("cutoff", "step"), [(2, 0.3), (5, 0.1), (50, 0.0275), (4, 1.2)])
def test_a_bare_race_by_its_own_strategy(cutoff, step):
    cells = 400
    last = round(cells * (8 * math.sqrt(cutoff) + 12))
    below = np.array(bare_strategy(cutoff, step, cells, last))
    places = np.arange(0, last - cells, 250)
    bound = profile_of(race(cutoff, step, step, None).steps, 16.0)
    claims = bound.at(places * (step / cells))
    assert np.all(claims >= below[places] * (1 - 1e-12))
    near = (below[places] > 1e-7) & (below[places] < 1e-4)
    assert np.any(near)
    assert np.all(claims[near] <= below[places][near] * 1.06)


@pytest.mark.parametrize("times", [5, 50, 700, 5000])
@pytest.mark.parametrize("evenness", [1.0, 0.8, 0.1])
def test_a_race_lies_between_one_sign_and_orders(times, evenness):
    rise = 0.24 / math.sqrt(times)
    way = race(times, rise, evenness * rise, None).steps
    for epsilon in (0.2, 0.8):
        found = log_delta_of(way, epsilon)
        assert found >= log_excess_faster(times, rise, [epsilon])[0]
        assert found >= log_excess_slower(times, evenness * rise, [epsilon])[0]
        assert evenness < 1 or found >= composed_log_delta(rise, times, epsilon) - 1e-9
        by_orders = log_delta_by_orders(way, epsilon)
        assert found <= by_orders + 0.01
        assert found < by_orders - 0.2 or times > 100 or evenness < 0.5


@pytest.mark.parametrize("threshold", [LaplaceShift(0.05), GaussianShift(0.05)])
def test_a_race_against_numeric_composition(threshold):
    """Google's accountant composes the pairs one by one, on a grid of losses."""
    pld = pytest.importorskip("dp_accounting").pld
    interval, cutoff, step = 2e-5, 20, 0.06
    rate = -math.expm1(-step)

    def profile(epsilon):
        g = max(0.0, (step - epsilon) / rate)
        return max(0.0, -math.expm1(-g) + math.exp(epsilon) * math.expm1(-g * math.exp(-step)))

    places = np.arange(-math.ceil(30 * rate / interval), math.ceil(step / interval) + 1)
    pmf = pld.pld_pmf.create_pmf_pessimistic_connect_dots(
        interval, places, [profile(i * interval) for i in places]
    )
    composed = pld.privacy_loss_distribution.PrivacyLossDistribution(pmf).self_compose(cutoff)
    kind = "laplace" if isinstance(threshold, LaplaceShift) else "gaussian"
    made = getattr(pld.privacy_loss_distribution, f"from_{kind}_mechanism")
    composed = composed.compose(made(1 / threshold.size, value_discretization_interval=interval))
    way = race(cutoff, step, 0.0, threshold).steps
    wrong = race(cutoff, 0.98 * step, 0.0, threshold).steps
    for epsilon in (0.1, 0.3, 0.5, 0.7):
        theirs = composed.get_delta_for_epsilon(epsilon)
        assert math.exp(log_delta_of(way, epsilon)) == pytest.approx(theirs, rel=4e-3, abs=1e-12)
        assert math.exp(log_delta_of(wrong, epsilon)) != pytest.approx(theirs, rel=4e-3)


# Divergences -----------------------------------------------------------------------------------


def best_bit(range_, order, parts=400):
    """The largest divergence of a bit with losses t and t - κ, over a fine grid of t."""
    with mpmath.workdps(60):
        k, a = mpmath.mpf(range_), mpmath.mpf(order)
        best = mpmath.mpf(0)
        for j in range(1, parts):
            t = k * j / parts
            p = mpmath.expm1(t - k) / mpmath.expm1(-k)
            moment = p * mpmath.exp((a - 1) * t) + (1 - p) * mpmath.exp((a - 1) * (t - k))
            best = max(best, mpmath.log(moment) / (a - 1))
        return best


@pytest.mark.one_in(3)
@pytest.mark.parametrize("range_", [1e-6, 1e-3, 0.067, 0.5, 3.0, 20.0])
@pytest.mark.parametrize("order", [1.0001, 1.5, 3.0, 20.0, 500.0])
def test_the_divergence_of_a_pick_is_that_of_the_best_bit(range_, order):
    exact = best_bit(range_, order)
    assert exact <= pick_renyi(range_, order) <= exact * (1 + 5e-3)


def cut_divergence(shift, cut, order):
    """Rényi divergence of one bit about Gaussian noise, the larger of both directions."""
    with mpmath.workdps(50):
        p, q = (mpmath.erfc((cut - by) / mpmath.sqrt(2)) / 2 for by in (shift, 0))
        sums = (
            one**order * other ** (1 - order) + (1 - one) ** order * (1 - other) ** (1 - order)
            for one, other in ((p, q), (q, p))
        )
        return max(mpmath.log(each) for each in sums) / (order - 1)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("shift", [0.001, 0.03, 0.2, 1.0, 3.0])
@pytest.mark.parametrize("order", [1.1, 2.0, 8.0, 40.0, 300.0])
def test_no_bit_diverges_by_more_and_some_nearly_as_much(shift, order):
    cuts = np.linspace(-3, 14, 69)
    largest = max(cut_divergence(mpmath.mpf(shift), mpmath.mpf(float(u)), order) for u in cuts)
    claimed = bit_renyi(shift, order)
    assert largest <= claimed <= order * shift**2 / 2 * (1 + 1e-12)
    assert claimed <= 1.02 * largest or order * shift > 3
    # The broken twin: cuts in the middle only.
    if order * shift > 5:
        assert cut_divergence(mpmath.mpf(shift), mpmath.mpf(shift) / 2, order) < 0.9 * claimed


@pytest.mark.parametrize("order", [1e12, 1e17, 1e20])
def test_the_largest_orders_of_bits_have_an_answer_without_a_warning(order):
    """What never comes out was once multiplied by infinity, which is no number."""
    for shift in (1e-6, 0.01, 10.0):
        assert bit_renyi(shift, order) == pytest.approx(order * shift**2 / 2)


@pytest.mark.parametrize("order", [1.5, 4.0])
def test_divergences_add_up_and_the_worst_counts(order):
    one, two = Race(0.2, 0.1), Pick(0.3, times=2)
    ends = base_renyi(0.2, order), base_renyi(-0.1, order)
    assert one.renyi(order) == max(ends)
    assert replace(one, times=3).renyi(order) == 3 * max(ends)
    assert two.renyi(order) == pytest.approx(2 * pick_renyi(0.3, order), rel=1e-12)
    assert pure("0.3").renyi(order) == pytest.approx(pure_renyi(0.3, order))
    both = renyi_of((one, two), order)
    assert both == pytest.approx(one.renyi(order) + two.renyi(order))
    assert Worst(((one,), (two,)), times=2).renyi(order) == 2 * max(
        one.renyi(order), two.renyi(order)
    )
    curve = Curve(lambda a: a / 7, 2.0, times=2)
    assert curve.renyi(order) == (2 * 1.5 / 7 if order == 1.5 else math.inf)
    assert Race(0.0, 0.0, times=3).renyi(order) == 0


def test_orders_end():
    assert pick_renyi(0.067, math.inf) == 0.067
    assert Pick(0.067, times=50).renyi(1e20) <= Pick(0.067, times=50).pure
    bare = Race(0.3, 0.2)
    assert bare.largest_order == pytest.approx(1 / -math.expm1(-0.2))
    assert bare.renyi(bare.largest_order * 1.001) == math.inf
    assert bare.renyi(1 + 0.99 * (bare.largest_order - 1)) < math.inf
    assert Race(0.3, 0.0).renyi(1e9) < math.inf
    assert Race(0.3, 0.0).largest_order == Pick(0.3).largest_order > 1e9
