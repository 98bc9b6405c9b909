"""A guarantee is the best of what is proved, and answers in every currency."""

import math
import pickle
from dataclasses import FrozenInstanceError
from decimal import Decimal
from fractions import Fraction

import pytest

import overbar
from overbar._numbers import at_most_text, read_up
from overbar.errors import NoGuaranteeError, ParameterError
from overbar.noise import Gaussian
from overbar.privacy import ApproximateDP, PureDP, guarantee, spent
from overbar.privacy.account import account_of, proofs_of
from overbar.privacy.instalments import RenyiSpent, spent_text
from overbar.privacy.orders import checked_log_delta
from tests.queue_plans import queue_plan
from tests.reference.plans import other_plan


def plan(**changes):
    return queue_plan(
        **{"epsilon": 1, "cutoff": 20, "candidates": 1000, "monotonic": True} | changes
    )


def test_exponential_noise_is_pure_and_nothing_more():
    assert guarantee(plan()) == PureDP(Fraction(1))
    assert repr(guarantee(plan())) == "PureDP(epsilon=1)"


@pytest.mark.parametrize("changes", [{"noise": "gumbel"}, {"resample": True}])
def test_what_is_pure_may_say_more_at_a_positive_delta(changes):
    made = plan(**changes)
    value, account = guarantee(made), account_of(made)
    assert isinstance(value, ApproximateDP)
    assert value.at() == 1
    assert value.at("1e-6") == read_up(account.epsilon(checked_log_delta("1e-6"))) < 1
    assert value.delta("0.5") == pytest.approx(math.exp(account.log_delta(0.5)), rel=1e-12)
    assert value.delta(1) == 0
    assert value.renyi(3) == account.renyi(3)
    assert repr(value).startswith("ApproximateDP(epsilon=1 at delta=0, epsilon=0.")


def test_without_threshold_noise_there_is_no_pure_guarantee():
    made = plan(noise="gumbel", threshold_noise="none", delta="1e-6")
    value = guarantee(made)
    with pytest.raises(NoGuaranteeError, match="no pure guarantee"):
        value.at()
    assert value.at("1e-6") <= 1
    assert repr(value) == "ApproximateDP(epsilon=1 at delta=1e-6)"
    (proved,) = proofs_of(made)
    assert spent(made, 3).renyi(2) == proved.every[0].spent(3, 2) < value.renyi(2)
    assert "at order 2" in repr(spent(made, 3))


def test_a_limited_gaussian_run_costs_all_of_it_from_the_start():
    made = plan(
        noise="gaussian", threshold_noise="gaussian", delta="1e-6", max_queries=500,
        correction="mean",
    )  # fmt: skip
    assert spent(made, 1).renyi(4) == pytest.approx(guarantee(made).renyi(4), rel=1e-11)


def test_what_nothing_is_proved_about():
    with pytest.raises(NoGuaranteeError):
        guarantee(other_plan(plan(), threshold_noise=Gaussian(10)))
    with pytest.raises(NoGuaranteeError):
        guarantee(other_plan(plan(), query_noise=Gaussian(10)))


def test_a_pure_guarantee_of_nothing():
    """No loss at all: zero at every δ, also where the formula divides by zero."""
    nothing = PureDP(Fraction(0))
    for delta in ("0", "1e-9", "0.5", "0.9"):
        assert nothing.at(delta) == 0
    assert nothing.delta(0) == 0


def test_a_pure_guarantee_is_not_rounded_down_in_renyi():
    for pure in (Fraction(1, 3), Fraction(2, 7), Fraction(10**17 + 1, 10**17), Fraction(700, 11)):
        assert (
            pure <= Fraction(PureDP(pure).renyi(float("inf"))) <= pure * (1 + Fraction(1, 10**14))
        )


def test_a_repr_shows_epsilon_at_one_in_a_million():
    value = guarantee(plan(noise="gumbel"))
    shown = float(value.at("1e-6"))
    assert repr(value).endswith(f"epsilon={at_most_text(shown)} at delta=1e-6)")
    assert repr(value).startswith("ApproximateDP(epsilon=1 at delta=0, ")


def test_costs_as_text():
    pure, both = PureDP(Fraction(1)), guarantee(plan(noise="gumbel", delta="1e-6"))
    assert spent_text(pure, Fraction(1, 4)) == "0.25"
    assert spent_text(both, Fraction(1, 4)) == "all of it at delta=1e-6"
    assert spent_text(pure, Fraction(0)) == spent_text(both, Fraction(0)) == "0"
    cost = RenyiSpent(plan(noise="gumbel", delta="1e-6"), 3)
    assert spent_text(both, cost) == "all of it at delta=1e-6"
    assert repr(cost) == f"RenyiSpent({cost.renyi(2.0):.6g} at order 2)"


def test_guarantees_are_values():
    for written in (1, 1.0, "1", "2/2", Decimal(1), Fraction(1)):
        assert PureDP(written) == PureDP(epsilon=1)
        assert hash(PureDP(written)) == hash(PureDP(1))
        assert PureDP(written).epsilon == Fraction(1)
        assert isinstance(PureDP(written).epsilon, Fraction)
    assert guarantee(plan()) == PureDP(1) != PureDP(2)
    assert PureDP(0.1).epsilon == Fraction(1, 10)
    assert max(PureDP(2), PureDP("0.1"), PureDP(1)) == PureDP(2)
    assert PureDP(1) <= PureDP(1) < PureDP("1.1")
    assert eval(repr(PureDP("0.1"))) == PureDP("0.1")
    assert guarantee(plan(noise="gumbel")) == guarantee(plan(noise="gumbel"))
    # A fraction may come from a plan, and then be longer than what anyone may write.
    assert PureDP(Fraction(1, 3**2000)).epsilon == Fraction(1, 3**2000)
    for wrong in (-1, "one", None, True, float("inf"), Fraction(-1, 3)):
        with pytest.raises(ParameterError, match="epsilon must be"):
            PureDP(wrong)
    with pytest.raises(FrozenInstanceError):
        PureDP(1).epsilon = 2


def test_what_follows_from_a_guarantee():
    for value in (guarantee(plan()), guarantee(plan(noise="gumbel"))):
        assert value.implies(1)
        assert value.implies("1.5", "1e-9")
        assert not value.implies("0.999999")
        assert not value.implies("0.1", "1e-9")
    bare = guarantee(plan(noise="gumbel", threshold_noise="none", delta="1e-6"))
    assert bare.implies(1, "1e-6")
    assert not bare.implies(1, "1e-7")
    assert not bare.implies(10**6)  # at δ = 0 nothing is proved about it
    with pytest.raises(ParameterError, match="epsilon must be zero or positive"):
        bare.implies(-1)


@pytest.mark.parametrize("made", [plan(), plan(noise="gumbel"), plan(resample=True)])
def test_what_at_says_is_implied(made):
    """A float is read at its shortest decimal form, which may lie below it."""
    proved = guarantee(made)
    for step in range(40):
        delta = 10 ** (-0.3 - 0.3 * step)
        assert proved.implies(proved.at(delta), delta)
    assert proved.implies(proved.at("1e-99"), "1e-99")


def test_a_float_is_rounded_up_to_where_its_decimal_form_is_not_below_it():
    values = [math.sqrt(number) / 1000 for number in range(1, 400)]
    assert sum(Fraction(repr(value)) < Fraction(value) for value in values) > 100  # the control
    for value in values:
        up = read_up(value)
        assert Fraction(value) <= Fraction(up) <= Fraction(repr(up)) < Fraction(value * (1 + 1e-14))
    assert read_up(math.inf) == math.inf


@pytest.mark.parametrize("top", [False, True])
@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"delta": "1e-6"},
        {"delta": "1e-6", "counts": True},
        {"delta": "1e-6", "counts": "0.5"},
        {"delta": "1e-6", "items_per_person": 3},
        {"delta": "1e-6", "resample": True},
        {"delta": "1e-6", "groups": 9, "groups_per_person": 2},
    ],
)
@pytest.mark.one_in(5)
def test_a_guarantee_goes_to_another_process(top, asked):
    more = {"top": True} if top else {"candidates": 100}
    proved = guarantee(overbar.plan(epsilon=1, cutoff=20, **asked, **more))
    assert pickle.loads(pickle.dumps(proved)) == proved
