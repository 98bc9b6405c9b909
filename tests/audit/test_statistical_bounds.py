"""Clopper-Pearson bounds cover what they say, by summation and by simulation; power is power."""

import math

import numpy as np
import pytest
from scipy import stats

from overbar.audit.binomial_bounds import (
    detectable,
    lower_bound,
    power,
    proved_epsilon,
    upper_bound,
)


@pytest.mark.parametrize("runs", [1, 7, 60, 500])
@pytest.mark.parametrize("level", [0.2, 0.01, 1e-6])
def test_coverage_summed_over_all_counts(runs, level):
    hits = np.arange(runs + 1)
    low, high = lower_bound(hits, runs, level), upper_bound(hits, runs, level)
    for chance in [1e-6, 0.003, 0.1, 0.37, 0.5, 0.77, 0.999]:
        weights = stats.binom.pmf(hits, runs, chance)
        assert weights[low > chance].sum() <= level
        assert weights[high < chance].sum() <= level


def test_coverage_simulated():
    generator, level, runs = np.random.default_rng(11), 0.05, 400
    for chance in (0.01, 0.2, 0.6):
        hits = generator.binomial(runs, chance, size=20_000)
        outside = np.mean(lower_bound(hits, runs, level) > chance)
        assert outside <= level + 4 * math.sqrt(level / 20_000)
        # A control: the normal approximation, which the same check must reject at a small chance.
        if chance == 0.01:
            mean = hits / runs
            spread = stats.norm.isf(level) * np.sqrt(mean * (1 - mean) / runs)
            assert np.mean(mean + spread < chance) > level + 4 * math.sqrt(level / 20_000)


def test_bounds_are_not_wider_than_they_must_be():
    hits = np.array([0, 3, 50, 97, 100])
    for count in hits:
        exact = stats.binomtest(int(count), 100).proportion_ci(0.98, "exact")
        assert lower_bound(count, 100, 0.01) == pytest.approx(exact.low, rel=1e-7, abs=1e-12)
        assert upper_bound(count, 100, 0.01) == pytest.approx(exact.high, rel=1e-7)


@pytest.mark.parametrize("runs", [10**4, 10**7])
@pytest.mark.parametrize("share", [0.0, 1e-3, 0.2, 0.9])
def test_tiny_levels_are_exact_on_the_safe_side(runs, share):
    count, level = round(runs * share), 1e-10
    if count:
        assert stats.binom.sf(count - 1, runs, float(lower_bound(count, runs, level))) <= level
    assert stats.binom.cdf(count, runs, float(upper_bound(count, runs, level))) <= level


def test_nothing_is_proved_where_nothing_was_seen():
    assert proved_epsilon(0, 0, runs=100, delta=0, level=0.1) == -math.inf
    assert proved_epsilon(100, 100, runs=100, delta=0, level=0.1) < 0
    assert proved_epsilon(5, 0, runs=100, delta=0.2, level=0.1) == -math.inf
    assert 0 < proved_epsilon(90, 0, runs=100, delta=0.2, level=0.1) < math.inf


@pytest.mark.parametrize("true_epsilon", [1.0, 1.3, 1.5])
@pytest.mark.parametrize("delta", [0.0, 0.02])
def test_power_is_the_share_of_tests_that_find_it(true_epsilon, delta):
    runs, chance, level, times = 4000, 0.3, 1e-3, 20_000
    generator = np.random.default_rng(5)
    hits = generator.binomial(runs, chance, size=times)
    others = generator.binomial(runs, (chance - delta) * math.exp(-true_epsilon), size=times)
    found = np.mean(proved_epsilon(hits, others, runs=runs, delta=delta, level=level) > 1)
    stated = power(true_epsilon, 1.0, runs=runs, probability=chance, level=level, delta=delta)
    assert found == pytest.approx(stated, abs=0.02)
    assert (stated > 0.3) == (true_epsilon > 1)  # neither case is empty


def test_a_claim_that_is_kept_is_hardly_ever_called_broken():
    for chance in (0.01, 0.3, 0.99):
        assert power(1.0, 1.0, runs=5000, probability=chance, level=1e-3) <= 1e-3


def test_what_is_detectable_is_found_nine_times_in_ten():
    numbers = {"runs": 20_000, "probability": 0.1, "level": 1e-6}
    found = detectable(1.0, **numbers)
    assert power(found, 1.0, **numbers) == pytest.approx(0.9, abs=0.02)
    assert detectable(1.0, **{**numbers, "runs": 40_000}) < found
    assert detectable(1.0, runs=20, probability=0.01, level=1e-6) == math.inf
