"""What a search for keys costs: against slow sums, and against the curve of Gaussian noise."""

import random
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from overbar.accounting.set_union import (
    GROWTH,
    HIDING,
    STEPS,
    Round,
    SetUnion,
    set_union,
    unlisted_chance,
    weight,
)
from overbar.errors import NoGuaranteeError, ParameterError
from overbar.noise import Gaussian
from tests.reference.histogram import Tails
from tests.reference.set_union import root_down

GRID = Fraction(1, STEPS)


@pytest.mark.parametrize("items", [1, 2, 3, 4, 7, 99, 100, 256, 1000])
def test_weights_are_rounded_down_so_that_one_person_moves_one_at_most(items):
    assert weight(items) == root_down(items)
    assert items * weight(items) ** 2 <= STEPS**2
    if items not in (1, 4, 100, 256):  # the control: rounded up they are too much
        assert items * (weight(items) + 1) ** 2 > STEPS**2


@pytest.mark.parametrize("items", [1, 2, 5])
@pytest.mark.parametrize("above", [0, 1, 4, 9])
def test_the_chance_of_a_lone_key_is_that_of_slow_sums(items, above):
    """Noise of two steps: what is equal to the bar weighs a lot."""
    each = Round(2 * GRID, weight(items) + above)
    tails = Tails(Gaussian(each.sigma), GRID)
    with mpmath.workdps(60):
        slow = 1 - (1 - tails(above)) ** items
    found = unlisted_chance(each, items)
    assert slow <= found <= slow * (1 + 1e-14)
    # The controls: without what is equal to the bar, and without the other keys.
    assert 1 - (1 - tails(above + 1)) ** items < 0.95 * found
    if items > 1:
        assert tails(above) < 0.95 * found


@pytest.mark.parametrize(
    ("epsilon", "delta", "items", "rounds"),
    [(1, "1e-6", 100, 3), ("0.1", "1e-9", 1, 1), (3, "0.01", 7, 2), (20, "1e-30", 30, 5)],
)
def test_all_of_the_budget_is_used_and_no_more(epsilon, delta, items, rounds):
    union = set_union(epsilon, delta, items_per_person=items, rounds=rounds)
    spent = Fraction(union.guarantee.delta(epsilon)) + union.unlisted_delta
    assert Fraction(delta) * Fraction("0.9999") <= spent <= Fraction(delta)
    assert len(union.rounds) == rounds


@pytest.mark.parametrize("seed", range(12))
def test_no_budget_is_exceeded_by_a_digit(seed):
    """Scales have twelve digits, so that what they cost is not quite what was asked for."""
    draw = random.Random(seed)
    epsilon = Fraction(f"{10 ** draw.uniform(-2, 1.5):.5g}")
    delta = Fraction(f"{10 ** draw.uniform(-60, -0.5):.5g}")
    union = set_union(epsilon, delta, items_per_person=draw.choice((1, 3)), rounds=seed % 4 + 1)
    spent = Fraction(union.guarantee.delta(epsilon)) + union.unlisted_delta
    assert delta * Fraction("0.999") <= spent <= delta


def test_bars_are_the_least():
    union = set_union(1, "1e-6", items_per_person=30)
    lower = [
        SetUnion(30, tuple(Round(e.sigma, e.bar - (e is one)) for e in union.rounds))
        for one in union.rounds
    ]
    total = Fraction(sum(GROWTH**place for place in range(3)))
    for place, (one, down) in enumerate(zip(union.rounds, lower, strict=True)):
        share = Fraction("1e-6") / 2 * GROWTH**place / total
        worst = max(unlisted_chance(one, t) for t in range(1, 31))
        assert worst <= share
        assert max(unlisted_chance(down.rounds[place], t) for t in range(1, 31)) > share * (
            1 - Fraction(1, 1 << 39)
        )


def test_rounds_cost_what_gaussian_noise_costs_together():
    """δ of μ-GDP with μ² = Σ 1/σ², by the formula; and no Rényi order costs more."""
    union = set_union(1, "1e-6")
    square = sum(1 / one.sigma**2 for one in union.rounds)
    mu = mpmath.sqrt(mpmath.mpf(square.numerator) / square.denominator)
    for epsilon in (0.5, 1.0, 2.0):
        exact = mpmath.ncdf(mu / 2 - epsilon / mu)
        exact -= mpmath.exp(epsilon) * mpmath.ncdf(-mu / 2 - epsilon / mu)
        assert exact <= union.guarantee.delta(epsilon) <= exact * (1 + 1e-6)
    for order in (1.5, 8.0, 100.0):
        renyi = float(order * square / 2)
        assert renyi <= union.guarantee.renyi(order) <= renyi * (1 + 1e-9)


def test_noise_that_the_grid_would_show_through_is_refused():
    narrow = Round(Fraction(HIDING, STEPS * STEPS), STEPS)
    with pytest.raises(NoGuaranteeError, match="wider than the grid"):
        _ = SetUnion(1, (narrow,)).plan


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"epsilon": 0}, "epsilon must be positive"),
        ({"epsilon": 1001}, "epsilon must be at most 1000"),
        ({"delta": 0}, "delta must be positive: a key that only one person holds"),
        ({"items_per_person": 0}, "items_per_person must be a positive whole number"),
        ({"items_per_person": 1001}, "items_per_person must be at most 1,000, got 1,001"),
        ({"rounds": 11}, "rounds must be at most 10"),
        ({"at_least": 0}, "at_least must be a positive whole number"),
    ],
)
def test_what_has_no_meaning_is_refused(changed, said):
    with pytest.raises(ParameterError, match=said):
        set_union(**{"epsilon": 1, "delta": "1e-6"} | changed)


def test_forecast_is_in_persons():
    union = set_union(1, "1e-6", items_per_person=4)
    least = min(one.bar for one in union.rounds) / STEPS
    assert union.persons(1) == int(least) + 1
    assert union.persons(4) == union.persons(9) == int(2 * least) + 1
    assert f"about {union.persons(1)} persons" in union.forecast
    assert set_union(1, "1e-6", items_per_person=4, at_least=50).persons(1) == int(least) + 50


@pytest.mark.parametrize("items", [1, 10, 100])
@pytest.mark.parametrize("least", [1, 20])
def test_a_key_that_is_said_to_come_out_does_so_95_times_in_100(items, least):
    """On exactly so many persons, in seeded draws of each round; a tenth fewer are caught."""
    union = set_union("0.1", "1e-6", at_least=least)
    rounds = [(each.bar / STEPS, float(each.sigma)) for each in union.rounds]
    noise = np.random.default_rng(16).normal(size=(2000, 1))

    def share(persons):
        """How often the best of the rounds lets it out."""
        held = persons * weight(items) / STEPS - (least - 1)
        return max(np.mean(held + sigma * noise >= bar) for bar, sigma in rounds)

    assert 0.93 <= share(union.surely(items)) <= 0.97
    assert share(0.9 * union.surely(items)) < 0.93
    assert f"{union.surely(1):,} persons with no other key are enough" in union.forecast
