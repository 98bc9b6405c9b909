"""From options to plans, as `plan`, `select` and `top` share it."""

from fractions import Fraction

import pytest

import overbar
from overbar.cli.plan_options import PlanOptions, made_plan, parameters_of, read_plan
from overbar.errors import NoGuaranteeError, ParameterError
from tests.queue_plans import queue_plan


def test_only_what_was_given_is_handed_on():
    def given(**typed):
        return parameters_of(PlanOptions(**typed))

    assert given() == {}
    assert given(counts=False, resample=False) == {}
    assert given(counts=True, sensitivity="2") == {"counts": True, "sensitivity": "2"}
    assert given(counts_share="0.3", sensitivity="0, 1") == {
        "counts": Fraction(3, 10),
        "sensitivity": (0, 1),
    }
    assert given(rounds="unlimited") == {"rounds": "unlimited"}
    assert given(rounds="7", candidates="1e4") == {"rounds": 7, "candidates": 10_000}


@pytest.mark.parametrize(
    ("given", "noise"),
    [
        ({}, "exponential"),
        ({"delta": "1e-6"}, "gumbel"),
        ({"noise": "laplace"}, "laplace"),
        ({"threshold_noise": "laplace"}, "exponential"),
        ({"threshold_noise": "none", "delta": "1e-6"}, "gumbel"),
        ({"threshold_noise": "laplace", "delta": "1e-6", "resample": True}, "exponential"),
    ],
)
def test_the_noise_that_was_left_open(given, noise):
    plan = made_plan({"epsilon": 1, "cutoff": 50, "candidates": 1000, **given})
    assert plan.query_noise.name == noise
    threshold = given.get("threshold_noise")
    named = plan.threshold_noise.name if plan.threshold_noise else "none"
    assert threshold in (None, named)


def test_a_plan_is_made_as_the_library_makes_it():
    wanted = {"epsilon": "1/3", "cutoff": 5, "candidates": 100}
    assert made_plan(wanted) == overbar.plan(**wanted)
    wanted.pop("candidates")
    assert made_plan(wanted, top=True) == overbar.plan(**wanted, top=True)


def test_a_plan_without_a_proof_is_refused_when_it_is_read(tmp_path):
    """Who reads a plan may go on to run it: the refusal must not wait for somebody to look."""
    file = tmp_path / "plan.json"
    plan = queue_plan(epsilon=1, cutoff=5, candidates=9)
    file.write_text(plan.to_json())
    assert read_plan(file) == plan
    file.write_text(plan.to_json().replace("laplace", "gaussian"))
    with pytest.raises(NoGuaranteeError):
        read_plan(file)
    file.write_text(" " * (1 << 20) + plan.to_json())
    with pytest.raises(ParameterError, match="too long"):
        read_plan(file)


def test_a_plan_brings_its_own_numbers(tmp_path):
    with pytest.raises(ParameterError, match="leave out --cutoff, --epsilon, or --plan"):
        made_plan({"epsilon": 1, "cutoff": 5}, tmp_path / "plan.json")
    with pytest.raises(ParameterError, match="leave out --top"):
        made_plan({}, tmp_path / "plan.json", top=True)
