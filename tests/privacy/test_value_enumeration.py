"""Labels and values of a top, every outcome of small runs: no δ is above the claim.

All values that a run looks at are taken as released, also the one after the last, which only the
intervals show. Then the same on twins that are broken in one place each: all are caught.
"""

import math
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from itertools import permutations, product

import numpy as np
import pytest

import overbar
from overbar.audit.between import law
from overbar.errors import ParameterError
from overbar.mechanisms import Bar, Composed, Plan
from overbar.noise import Exponential, Gaussian, Gumbel, Laplace
from overbar.privacy import guarantee
from overbar.runs import batch_run
from overbar.runs.batch_run import BatchRun
from overbar.runs.counting import Count
from overbar.runs.positives import Batch
from tests.reference.plans import any_plan, other_plan
from tests.reference.sampling import seeded

#: Values are enumerated this far around zero, in scales of their noise.
BELOW, ABOVE = 5, 18


def small_plan(scale=4, shared=4, cutoff=1, **changes):
    noise = Gumbel(Fraction(scale))
    told = {"monotonic": True, "is_top": True, "mechanism": "ranked", "counts": noise}
    return any_plan(noise, Gaussian(Fraction(shared)), Fraction(0), cutoff, **(told | changes))


def shared_masses(noise):
    if noise is None:
        return np.zeros(1, dtype=int), np.ones(1)
    reach = np.arange(-9 * int(noise.scale) - 9, 9 * int(noise.scale) + 10)
    weights = np.exp(-(reach**2) / (2 * float(noise.scale) ** 2))
    return reach, weights / weights.sum()


@lru_cache(maxsize=64)
def released(plan, scores):
    """P(order, values less ρ) for two candidates of which both values are looked at.

    With y = q + G the first lies in cell a and the second in cell b <= a; in one cell the first has
    the higher value, with ∫ f₁·(F₂ - F₂(a)) = λ₁/(λ₁ + λ₂)·[F₁F₂] - F₂(a)·[F₁].
    """
    scale = float(plan.query_noise.scale)
    ends = np.arange(-int(BELOW * scale), int(ABOVE * scale) + 1, dtype=float)
    reach, masses = shared_masses(plan.threshold_noise)
    found = {}
    for order in permutations(range(2)):
        rates = [np.exp(scores[place] / scale) for place in order]
        first, second = (np.exp(-rate * np.exp(-ends / scale)) for rate in rates)
        table = np.triu(np.multiply.outer(np.diff(second), np.diff(first)), 1).T  # [first, second]
        both = np.diff(first * second) * rates[0] / sum(rates) - second[:-1] * np.diff(first)
        table = table + np.diag(np.maximum(both, 0.0))
        wide = np.zeros(np.add(table.shape, len(reach) - 1))
        for shift, mass in enumerate(masses):  # ρ is symmetric
            wide[shift : shift + len(table), shift : shift + len(table)] += mass * table
        found[order] = wide
    return found


def test_the_mechanism_itself_has_these_chances():
    plan = small_plan(2, 1)
    least, shift = -int(BELOW * 2), len(shared_masses(plan.threshold_noise)[0]) // 2
    told = law(plan, (1, 0), depth=14.0).chances
    for order, table in released(plan, (1, 0)).items():
        for (found, values), (low, high) in told.items():
            if found == order[:1]:
                place = tuple(value - least + shift for value in values)
                assert (math.exp(low) + math.exp(high)) / 2 == pytest.approx(table[place], abs=1e-5)


MONOTONIC = tuple(product((0, 1), repeat=2))
GENERAL = tuple(product((-1, 0, 1), repeat=2))


def worst_delta(plan, epsilon):
    worst = 0.0
    for base in ((0, 0), (3, 0)):
        for move in MONOTONIC if plan.reach.one_way else GENERAL:
            pair = base, tuple(np.add(base, move).tolist())
            for before, after in (pair, pair[::-1]):
                one, other = released(plan, before), released(plan, after)
                lost = (np.maximum(one[way] - np.exp(epsilon) * other[way], 0).sum() for way in one)
                worst = max(worst, float(sum(lost)))
    return worst


def test_the_enumeration_adds_up_to_one():
    tables = released(small_plan(), (3, 0)).values()
    assert sum(table.sum() for table in tables) == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize("monotonic", [True, False])
@pytest.mark.parametrize(("scale", "shared"), [(4, 4), (8, 3), (3, 8)])
def test_no_delta_is_above_the_claim(scale, shared, monotonic):
    plan = small_plan(scale, shared, monotonic=monotonic)
    for epsilon in (0.1, 0.25, 0.5, 1):
        claimed = guarantee(plan).delta(epsilon)
        if claimed > 1e-6:  # what lies beyond the enumeration has less
            assert worst_delta(plan, epsilon) <= claimed


def test_the_claim_is_not_far_above():
    plan = small_plan(8, 3)
    assert worst_delta(plan, 0.25) > 0.5 * guarantee(plan).delta(0.25)


def test_what_is_calibrated_keeps_its_budget():
    """A bar hides the values below it, and so tells less than is enumerated."""
    asked = {
        "noise": "gumbel",
        "threshold_noise": "gaussian",
        "mechanism": "ranked",
        "counts": True,
    }
    asked |= {"epsilon": 1, "delta": "0.01", "monotonic": True, "grid": 1, "correction": 0}
    plan = overbar.plan(cutoff=1, **asked)
    assert plan.gives_values
    assert worst_delta(plan, 1) <= guarantee(plan).delta(1) <= 0.01


# Broken twins


def test_the_claim_of_labels_alone_is_caught():
    plan = small_plan(8, 3)
    alone = other_plan(plan, counts=None, threshold_noise=None)
    assert worst_delta(plan, 0.25) > 1.5 * guarantee(alone).delta(0.25)


def test_the_value_after_the_last_is_paid_for():
    """With the claim of as many values as labels, the one that intervals show is too much."""
    plan = small_plan(8, 3)
    assert plan.paid()[0].cutoff == plan.cutoff + 1
    fewer = replace(plan.paid()[0], cutoff=plan.cutoff)
    assert worst_delta(plan, 0.25) > 1.1 * guarantee(fewer).delta(0.25)


def test_values_without_the_noise_that_they_share_are_caught():
    plan = small_plan(8, 3)
    bare = other_plan(plan, counts=None, threshold_noise=None)
    assert worst_delta(bare, 1.5) > 1.5 * guarantee(plan).delta(1.5)


# What a run draws


def drawn(plan, scores, runs, monkeypatch):
    """The order of the values that runs look at, and the values."""
    seen = []

    def remembered(values, plan, level):
        first, *_, beaten = values
        seen.append((first, beaten))
        return tuple(Count(Fraction(value), None, Fraction(value)) for value in values[:-1])

    monkeypatch.setattr(batch_run, "counted_values", remembered)
    run = BatchRun.of(plan, None)
    firsts = [
        run.run([Batch(np.array(scores), None)], seeded(seed)).indices[0] for seed in range(runs)
    ]
    return firsts, np.array(seen)


def squares(plan, scores, runs, monkeypatch):
    """χ² of what was drawn beside the enumeration, over cells that are not rare, and their number.

    Cells are the order and both values in blocks of two.
    """
    firsts, values = drawn(plan, scores, runs, monkeypatch)
    told = small_plan(plan.query_noise.scale)
    start = -int(BELOW * float(plan.query_noise.scale)) + shared_masses(told.threshold_noise)[0][0]
    total, cells = 0.0, 0
    for order, table in released(told, scores).items():
        size = len(table) // 2 * 2
        expected = runs * table[:size, :size].reshape(size // 2, 2, size // 2, 2).sum(axis=(1, 3))
        places = (values[np.equal(firsts, order[0])] - start) // 2
        counts = np.zeros_like(expected)
        np.add.at(counts, tuple(places.T), 1)
        common = expected >= 8
        total += float(((counts - expected)[common] ** 2 / expected[common]).sum())
        cells += int(common.sum())
    return total, cells


def test_a_run_draws_the_law_that_was_enumerated(monkeypatch):
    total, cells = squares(small_plan(), (3, 0), 2000, monkeypatch)
    assert cells > 50
    assert total < cells + 6 * np.sqrt(2 * cells)  # seeded: the same on every run


def test_a_run_that_shares_less_noise_is_told_apart(monkeypatch):
    """The control: a shared noise of a quarter of the scale."""
    total, cells = squares(small_plan(4, 1), (3, 0), 2000, monkeypatch)
    assert total > cells + 12 * np.sqrt(2 * cells)


# Plans


@pytest.mark.parametrize(
    "changes",
    [
        {"query_noise": Exponential(4)},
        {"shared": Laplace(4)},
        {"bar": Bar(Gaussian(4))},
    ],
)
def test_values_come_out_only_where_that_is_proved(changes):
    with pytest.raises(ParameterError, match="values come out of gumbel noise"):
        replace(small_plan(), **changes)
    with pytest.raises(ParameterError, match="counts must be new laplace or gaussian noise"):
        Composed(small_plan(), Laplace(4))
    with pytest.raises(ParameterError, match="counts must be new laplace or gaussian noise"):
        Composed(replace(small_plan(), shared=None), Gumbel(4))


def test_a_file_of_such_a_plan_is_read_back():
    plan = small_plan()
    assert Plan.from_json(plan.to_json()) == plan


def test_nothing_comes_back_of_values():
    plan = small_plan(cutoff=3)
    spent = overbar.top({"a": 1, "b": 2}, plan=plan).spent
    assert spent.renyi(4.0) == guarantee(plan).renyi(4.0)


def test_groups_pay_for_each_that_a_person_is_in():
    plan = small_plan(groups=5, groups_per_person=2)
    assert plan.paid() == small_plan().paid() * 2
