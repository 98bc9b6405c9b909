"""Pure accounting in exact fractions, of ranked values outcome by outcome, and what is refused."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overbar.errors import NoGuaranteeError, ParameterError
from overbar.mechanisms.ranked import ranked_epsilon
from overbar.noise import Exponential, Gaussian, Gumbel, Laplace, Noise
from overbar.privacy import PureDP, guarantee, spent
from tests.queue_plans import queue_plan
from tests.reference.plans import any_plan, other_plan

fractions = st.fractions(min_value=Fraction(1, 1000), max_value=1000)


@given(fractions, fractions, st.integers(1, 100), fractions, st.booleans(), st.booleans())
def test_the_formula(query, threshold, cutoff, sensitivity, monotonic, resample):
    for make in (Exponential, Gumbel, Laplace):
        plan = any_plan(
            make(query), Laplace(threshold), Fraction(0), cutoff, sensitivity, monotonic, resample,
            grid=sensitivity,
        )  # fmt: skip
        shift = sensitivity if monotonic else 2 * sensitivity
        each = shift / query
        draws = cutoff if resample else 1
        assert plan.pure() == draws * sensitivity / threshold + cutoff * each
        for given_so_far in (0, cutoff // 2, cutoff):
            paid = min(given_so_far + 1, cutoff) if resample else 1
            expected = paid * sensitivity / threshold + given_so_far * each
            assert spent(plan, given_so_far) == expected <= plan.pure()
        assert spent(plan) == plan.pure()


@pytest.mark.one_in(5)
@pytest.mark.parametrize("noise", ["exponential", "gumbel", "laplace"])
@pytest.mark.parametrize("resample", [True, False])
@pytest.mark.parametrize("monotonic", [True, False])
@pytest.mark.parametrize("cutoff", [1, 7, 50])
@pytest.mark.parametrize("epsilon", ["0.1", "1/3", 1e-6, 1000])
def test_calibration_is_exact(noise, resample, monotonic, cutoff, epsilon):
    plan = queue_plan(
        epsilon=epsilon, noise=noise, resample=resample, monotonic=monotonic, cutoff=cutoff,
        candidates=1000,
    )  # fmt: skip
    proved = guarantee(plan).at()
    assert isinstance(proved, Fraction)
    assert proved == Fraction(str(epsilon))


def sound(**changes):
    return other_plan(any_plan(Exponential(2), Laplace(2), Fraction(0), 3), **changes)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"threshold_noise": Gaussian(2)}, "gaussian noise on the threshold has no pure"),
        ({"threshold_noise": None}, "a threshold without noise has no pure"),
        ({"query_noise": Gaussian(2)}, "gaussian noise on queries has no pure"),
    ],
)
def test_plans_without_a_proof(changes, message):
    with pytest.raises(NoGuaranteeError, match=message):
        sound(**changes).pure()


@pytest.mark.parametrize("noise", [Exponential(2), Gumbel(2)])
def test_noise_with_its_tail_to_the_right_costs_what_laplace_noise_does(noise):
    assert sound(threshold_noise=noise).pure() == sound().pure()


def test_a_noise_nobody_has_proved_anything_about_is_refused():
    class Homemade(Noise):
        name = "homemade"
        scale = Fraction(2)
        unit_logpdf = unit_logcdf = unit_logsf = Laplace.unit_logpdf

    for place in ("query_noise", "threshold_noise"):
        with pytest.raises(NoGuaranteeError, match="nobody has stated"):
            guarantee(sound(**{place: Homemade()}))


@given(st.fractions(Fraction(1, 100), 20), st.floats(1e-12, 0.9))
def test_what_follows_from_a_pure_guarantee(pure, delta):
    """Against randomised response, computed by its definition."""
    value = PureDP(pure)
    high = 1 / (1 + math.exp(-pure))
    low = 1 / (1 + math.exp(pure))
    for share in (0.0, 0.3, 0.99):
        epsilon = share * float(pure)
        exact = max(0.0, high - math.exp(epsilon) * low)
        assert value.delta(epsilon) == pytest.approx(exact, rel=1e-9, abs=1e-14)
    assert value.delta(pure) == 0
    epsilon = value.at(delta)
    assert value.delta(epsilon) <= delta * (1 + 1e-6)
    for order in (1.5, 2, 10):
        exact = math.log(high**order * low ** (1 - order) + low**order * high ** (1 - order))
        assert value.renyi(order) == pytest.approx(exact / (order - 1), rel=1e-6)


def test_bad_questions():
    with pytest.raises(ParameterError, match="delta must be below 1"):
        PureDP(Fraction(1)).at(1)
    with pytest.raises(ParameterError, match="epsilon must be zero or positive"):
        PureDP(Fraction(1)).delta(-1)
    with pytest.raises(ParameterError, match="order must be above 1"):
        PureDP(Fraction(1)).renyi(1)


def test_outcomes_cost_what_the_theorem_says():
    cost = {"cutoff": 3, "each": Fraction(1, 4), "bar": Fraction(1, 2)}
    found = [ranked_epsilon(k, **cost) for k in (0, 1, 2, 3, None)]
    assert found == [Fraction(k, 4) for k in (2, 3, 4, 3, 4)]
    assert ranked_epsilon(None, cutoff=3, each=Fraction(1, 4), bar=None) == Fraction(3, 4)
