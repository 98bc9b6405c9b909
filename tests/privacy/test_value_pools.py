"""Values of runs of any cutoff, against pools of ever more and ever smaller candidates.

Many small candidates arrive as a Poisson process of rate Λ = Σ e^(score/scale). One person moves a
pool of them up, or one up and one down. What n arrivals tell is of which pools they are and when
the last of them came: T is Gamma(n) by Λ, and its value is -scale·ln T less ρ. With a bar, at
moment one, fewer may come, and then only their pools tell. It is a sum over few numbers for any n.
"""

from fractions import Fraction
from functools import lru_cache

import numpy as np
import pytest
from scipy import stats

from overbar.mechanisms import Plan
from overbar.noise import Gaussian, Gumbel
from overbar.privacy import guarantee
from tests.reference.plans import any_plan

GRID = Fraction(1, 2)
#: Shares of the pool that moves up; the other stays, or moves down.
SHARES = (0.1, 0.5, 0.9, 1 - 1e-12)


def values_plan(scale, shared, cutoff, **changes):
    noise = Gumbel(Fraction(scale))
    told = {"mechanism": "ranked", "counts": noise, "grid": GRID, "is_top": True}
    return any_plan(noise, Gaussian(Fraction(shared)), Fraction(0), cutoff, **(told | changes))


def shared_noise(plan):
    step, sigma = float(plan.grid), float(plan.threshold_noise.scale)
    reach = np.arange(-int(9 * sigma / step) - 1, int(9 * sigma / step) + 2) * step
    weights = np.exp(-((reach / sigma) ** 2) / 2)
    return reach, weights / weights.sum()


@lru_cache(maxsize=16)
def law(plan, rates, arrivals):
    """P(so many arrivals, so many of them of the second pool, cell of the last), as rows."""
    scale, total = float(plan.query_noise.scale), sum(rates)
    reach, weights = shared_noise(plan)
    hazards = total * np.exp(-reach / scale)
    width = float(plan.grid) / scale
    last = 0 if not plan.for_top else int(20 / width)
    ends = np.append(0.0, np.exp(np.arange(-int(20 / width), last + 1) * width))
    arrived = stats.gamma.cdf(np.multiply.outer(ends, hazards), arrivals) @ weights

    def pools(number):
        return stats.binom.pmf(np.arange(number + 1), number, rates[1] / total)

    rows = [np.multiply.outer(pools(arrivals), np.diff(arrived)).ravel()]
    if not plan.for_top:
        few = (float(stats.poisson.pmf(number, hazards) @ weights) for number in range(arrivals))
        rows += [pools(number) * mass for number, mass in enumerate(few)]
    return np.concatenate(rows)


def worst_delta(plan, epsilon, arrivals=None):
    number = plan.cutoff + 1 if arrivals is None else arrivals
    moved = np.exp(1 / float(plan.query_noise.scale))
    down = 1 if plan.reach.one_way else 1 / moved
    worst = 0.0
    for share in SHARES:
        rates = number * (1 - share), number * share
        after = rates[0] * down, rates[1] * moved
        one, other = law(plan, rates, number), law(plan, after, number)
        for first, second in ((one, other), (other, one)):
            worst = max(worst, float(np.maximum(first - np.exp(epsilon) * second, 0).sum()))
    return worst


@pytest.mark.parametrize("is_top", [True, False])
@pytest.mark.parametrize("monotonic", [True, False])
@pytest.mark.parametrize(("scale", "shared", "cutoff"), [(2, 2, 1), (6, 4, 5), (12, 6, 20)])
def test_no_delta_is_above_the_claim(scale, shared, cutoff, monotonic, is_top):
    plan = values_plan(scale, shared, cutoff, monotonic=monotonic, is_top=is_top)
    for delta in (0.1, 0.01, 0.0001):
        epsilon = float(guarantee(plan).at(delta))
        assert worst_delta(plan, epsilon) <= delta


@pytest.mark.parametrize("cutoff", [1, 5])
def test_with_hardly_any_shared_noise_the_claim_is_attained(cutoff):
    plan = values_plan(4, "0.001", cutoff, monotonic=True, grid=Fraction(1, 8))
    for delta in (0.1, 0.001):
        epsilon = float(guarantee(plan).at(delta))
        assert 0.98 * delta <= worst_delta(plan, epsilon) <= delta


def test_the_claim_of_as_many_values_as_labels_is_caught():
    """The broken twin: the value after the last is not paid for."""
    plan = values_plan(4, "0.001", 1, monotonic=True)
    (race,) = plan.paid()
    fewer = guarantee(Plan.from_json(race.to_json().replace('"cutoff": 2', '"cutoff": 1')))
    epsilon = float(fewer.at(0.01))
    assert worst_delta(plan, epsilon, arrivals=1) <= 0.01
    assert worst_delta(plan, epsilon) > 0.02
