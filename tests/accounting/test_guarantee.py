"""A guarantee is the best of what is proved, and answers in every currency."""

from dataclasses import replace
from fractions import Fraction

import pytest

from overbar.accounting import (
    ApproximateDP,
    PureDP,
    RenyiSpent,
    guarantee,
    spent,
    spent_text,
)
from overbar.accounting.partial_shift import shifted_delta, shifted_epsilon, shifted_renyi
from overbar.accounting.race import bare_of, race_delta, race_epsilon, race_renyi, race_spent
from overbar.accounting.renyi import resampled_epsilon
from overbar.calibration import calibrate
from overbar.errors import NoGuaranteeError
from overbar.noise import Gaussian


def plan(**changes):
    return calibrate(
        **{"epsilon": 1, "cutoff": 20, "candidates": 1000, "monotonic": True} | changes
    )


def test_exponential_noise_is_pure_and_nothing_more():
    assert guarantee(plan()) == PureDP(Fraction(1))
    assert repr(guarantee(plan())) == "PureDP(epsilon=1)"


def test_gumbel_noise_has_both():
    made = plan(noise="gumbel")
    value = guarantee(made)
    assert isinstance(value, ApproximateDP)
    assert value.epsilon() == 1
    assert value.epsilon("1e-6") == shifted_epsilon(made, "1e-6") < race_epsilon(made, "1e-6") < 1
    curves = shifted_delta(made, "0.5"), race_delta(made, "0.5"), race_delta(bare_of(made), "0.5")
    assert value.delta("0.5") == min(curves)
    assert value.delta(1) == 0
    costs = shifted_renyi(made, 3), race_renyi(made, 3), race_renyi(bare_of(made), 3)
    assert value.renyi(3) == min(costs)
    assert repr(value).startswith("ApproximateDP(epsilon=1 at delta=0, epsilon=0.")


def test_redrawn_exponential_noise_composes():
    made = plan(resample=True)
    value = guarantee(made)
    assert value.epsilon() == 1
    assert value.epsilon("1e-6") == resampled_epsilon(made, "1e-6") < 1


def test_without_threshold_noise_there_is_no_pure_guarantee():
    made = plan(noise="gumbel", threshold_noise="none", delta="1e-6")
    value = guarantee(made)
    with pytest.raises(NoGuaranteeError, match="no pure guarantee"):
        value.epsilon()
    assert value.epsilon("1e-6") <= 1
    assert repr(value) == "ApproximateDP(epsilon=1 at delta=1e-06)"
    assert spent(made, 3).renyi(2) == race_spent(made, 3, 2) < value.renyi(2)
    assert "at order 2" in repr(spent(made, 3))


def test_a_limited_gaussian_run_costs_all_of_it_from_the_start():
    made = plan(
        noise="gaussian", threshold_noise="gaussian", delta="1e-6", max_queries=500,
        correction="mean",
    )  # fmt: skip
    assert spent(made, 1).renyi(4) == guarantee(made).renyi(4)


def test_what_nothing_is_proved_about():
    with pytest.raises(NoGuaranteeError):
        guarantee(replace(plan(), threshold_noise=Gaussian(10)))
    with pytest.raises(NoGuaranteeError):
        guarantee(replace(plan(), query_noise=Gaussian(10)))


def test_a_pure_guarantee_of_nothing():
    """No loss at all: zero at every δ, also where the formula divides by zero."""
    nothing = PureDP(Fraction(0))
    for delta in ("0", "1e-9", "0.5", "0.9"):
        assert nothing.epsilon(delta) == 0
    assert nothing.delta(0) == 0


def test_a_pure_guarantee_is_not_rounded_down_in_renyi():
    for pure in (Fraction(1, 3), Fraction(2, 7), Fraction(10**17 + 1, 10**17), Fraction(700, 11)):
        assert (
            pure <= Fraction(PureDP(pure).renyi(float("inf"))) <= pure * (1 + Fraction(1, 10**14))
        )


def test_a_repr_shows_epsilon_at_one_in_a_million():
    value = guarantee(plan(noise="gumbel"))
    shown = float(value.epsilon("1e-6"))
    assert repr(value).endswith(f"epsilon={shown:.6g} at delta=1e-06)")
    assert repr(value).startswith("ApproximateDP(epsilon=1 at delta=0, ")


def test_costs_as_text():
    pure, both = PureDP(Fraction(1)), guarantee(plan(noise="gumbel", delta="1e-6"))
    assert spent_text(pure, Fraction(1, 4)) == "0.25"
    assert spent_text(both, Fraction(1, 4)) == "0.25 at delta=0, all of it at delta=1e-06"
    assert spent_text(pure, Fraction(0)) == spent_text(both, Fraction(0)) == "0"
    cost = RenyiSpent(plan(noise="gumbel", delta="1e-6"), 3)
    assert spent_text(both, cost) == "all of it at delta=1e-06"
    assert repr(cost) == f"RenyiSpent({cost.renyi(2.0):.6g} at order 2)"
