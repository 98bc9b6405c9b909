"""A plan is a value of public numbers; its file form is exact."""

import json
import pickle
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overbar.errors import ParameterError
from overbar.mechanisms import Plan
from overbar.noise import NOISES, Exponential, Gumbel, Laplace
from tests.reference.plans import any_plan


def small_plan(**changes):
    fields = {
        "query_noise": Exponential("1/3"),
        "threshold_noise": Laplace("0.5"),
        "correction": Fraction(3, 2),
        "cutoff": 5,
        "grid": Fraction(1, 2),
    } | changes
    return any_plan(**fields)


positive = st.fractions(min_value=Fraction(1, 10**6), max_value=10**6)


@given(
    st.sampled_from(sorted(NOISES)), positive, st.none() | positive, st.integers(-50, 50),
    st.integers(1, 10**6), positive, st.integers(1, 9), st.booleans(), st.booleans(),
    st.none() | st.integers(1, 10**12), st.none() | st.integers(1, 10**12),
)  # fmt: skip
def test_json_round_trip_is_exact(
    name, scale, threshold, steps, cutoff, grid, parts, monotonic, resample, rounds, limit
):
    plan = any_plan(
        NOISES[name](scale), threshold and Laplace(threshold), steps * grid, cutoff,
        parts * grid, monotonic, resample, rounds, limit, grid,
    )  # fmt: skip
    again = Plan.from_json(plan.to_json())
    assert again == plan
    assert again.query_noise.scale == scale
    assert hash(again) == hash(plan)
    assert pickle.loads(pickle.dumps(plan)) == plan


def test_repr_reads_like_a_sentence():
    assert repr(small_plan(monotonic=True, rounds=3, max_queries=1000)) == (
        "SparseVectorPlan: Exponential noise of scale 0.333 on monotonic queries of sensitivity 1 "
        "and Laplace noise of scale 0.5 on the threshold, which is moved by 1.5; each query is "
        "asked up to 3 "
        "times, and the run halts after 5 positives or 1,000 comparisons. "
        "Releases happen on a grid of 0.5."
    )
    unlimited = repr(small_plan(rounds=None, threshold_noise=None, cutoff=1, resample=False))
    assert "as often as it takes" in unlimited
    assert "no noise on the threshold" in unlimited
    assert "1 positive." in unlimited
    assert "drawn anew after each positive" in repr(small_plan(resample=True))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"cutoff": 0}, "cutoff must be a positive whole number, got 0"),
        ({"query_noise": "laplace"}, "query_noise must be a noise such as"),
        ({"query_noise": None}, "query_noise must be a noise such as"),
        ({"monotonic": 1}, "monotonic must be True or False"),
        ({"correction": "0.3"}, "correction must be a multiple of the grid 0.5, got 0.3"),
        ({"sensitivity": "0.7"}, "sensitivity must be a multiple of the grid"),
        ({"grid": 0}, "grid must be positive"),
        ({"rounds": 0}, "rounds must be a positive whole number"),
    ],
)
def test_bad_plans_are_refused(changes, message):
    with pytest.raises(ParameterError, match=message):
        small_plan(**changes)


def test_numbers_in_any_form_make_the_same_plan():
    assert small_plan(correction="1.5", cutoff="5", grid=0.5) == small_plan()


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda f: f.pop("overbar_plan"), "overbar_plan"),
        (lambda f: f.update(overbar_plan=1), "overbar_plan"),
        (lambda f: f.pop("grid"), "'grid' is missing"),
        (lambda f: f.update(extra=1), "'extra' has no meaning"),
        (lambda f: f["query_noise"].update(name="uniform"), "'query_noise name' must be one of"),
        (
            lambda f: f["query_noise"].update(scale=-1),
            "'query_noise' is wrong: scale must be positive",
        ),
        (lambda f: f.update(bar=[1]), "'bar' must be fields"),
        (lambda f: f["bar"].update(noise=[1]), "'noise' must be fields"),
        (lambda f: f.pop("kind"), "must be one of"),
        (lambda f: f.update(kind="magic"), "must be one of"),
        (lambda f: f.update(cutoff="many"), "cutoff must be"),
    ],
)
def test_bad_files_are_refused(spoil, message):
    fields = json.loads(small_plan().to_json())
    spoil(fields)
    with pytest.raises(ParameterError, match=message):
        Plan.from_json(json.dumps(fields))


@pytest.mark.parametrize("text", ["", "[]", "{", "3", "null"])
def test_what_is_not_a_plan_file_is_refused(text):
    with pytest.raises(ParameterError, match="a plan must be"):
        Plan.from_json(text)


def test_the_width_is_twice_the_sensitivity_in_general():
    assert small_plan().reach.width == 2
    assert small_plan(monotonic=True).reach.width == 1


def test_equal_numbers_with_other_noises_are_other_plans():
    assert small_plan(query_noise=Gumbel("1/3")) != small_plan()


def test_text_nested_too_deeply_is_refused():
    with pytest.raises(ParameterError, match="nested too deeply"):
        Plan.from_json("[" * 200_000)
