import math
from fractions import Fraction

import pytest

from overbar.accuracy.difference import comparison_variance
from overbar.errors import ParameterError
from overbar.mechanisms.way import APPENDING_RATIO
from overbar.noise import Exponential, Gaussian, Gumbel, Laplace
from overbar.planning import budget_ratio

# What the paper prints: the inner factor for c = 1, general queries, in terms of its own table.
FORMULAS = [
    (Exponential, Laplace, math.sqrt(2)),
    (Gumbel, Laplace, math.pi / math.sqrt(3)),
    (Laplace, Laplace, 2.0),
    (Gaussian, Gaussian, 2.0),
]


@pytest.mark.parametrize(("query", "threshold", "inner"), FORMULAS)
@pytest.mark.parametrize("monotonic", [False, True])
@pytest.mark.parametrize("resample", [False, True])
@pytest.mark.parametrize("cutoff", [1, 5, 50, 10**6])
def test_every_formula_is_the_minimum_of_the_variance(
    query, threshold, inner, monotonic, resample, cutoff
):
    setting = {"cutoff": cutoff, "back": Fraction(not monotonic), "resample": resample}
    ratio = budget_ratio(query, threshold, **setting)
    printed = (inner * (1 if resample else cutoff) / (2 if monotonic else 1)) ** (2 / 3)
    assert ratio == pytest.approx(printed, rel=1e-14)


@pytest.mark.parametrize("monotonic", [False, True])
@pytest.mark.parametrize("resample", [False, True])
def test_no_other_split_has_less_variance_in_the_noises_themselves(monotonic, resample):
    """The scales of a real plan, from the budget up: c·ε₁ + ε₂ = 1 or ε₁ + ε₂ = 1."""
    cutoff, factor = 7, 1 if monotonic else 2

    def variance(ratio):
        threshold_budget = 1 / (1 + ratio) / (cutoff if resample else 1)
        query_budget = ratio / (1 + ratio)
        return comparison_variance(
            Exponential(factor * cutoff / query_budget), Laplace(1 / threshold_budget)
        )

    best = budget_ratio(
        Exponential, Laplace, cutoff=cutoff, back=Fraction(not monotonic), resample=resample
    )
    for other in (0.5, 0.9, 0.999, 1.001, 1.1, 2):
        assert variance(best) < variance(best * other)
    # The control: leaving out the other setting's cutoff is seen.
    wrong = budget_ratio(
        Exponential, Laplace, cutoff=cutoff, back=Fraction(not monotonic), resample=not resample
    )
    assert variance(wrong) > 1.05 * variance(best)


def test_only_the_kinds_matter():
    setting = {"cutoff": 50, "back": Fraction(1), "resample": False}
    assert budget_ratio(Exponential(3), Laplace(9), **setting) == budget_ratio(
        Exponential, Laplace, **setting
    )


def test_appending_leaves_about_one_per_cent_to_the_threshold():
    threshold_share = 1 / (1 + APPENDING_RATIO)
    assert threshold_share == pytest.approx(0.01)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"cutoff": 0}, "cutoff must be a positive whole number, got 0"),
        ({"resample": None}, "resample must be True or False, got None"),
        ({"query_noise": "laplace"}, "query_noise must be a noise such as Laplace"),
        ({"threshold_noise": None}, "threshold_noise must be a noise such as Laplace"),
        ({"threshold_noise": int}, "threshold_noise must be a noise such as Laplace"),
    ],
)
def test_what_it_refuses(change, message):
    arguments = {
        "query_noise": Exponential,
        "threshold_noise": Laplace,
        "cutoff": 5,
        "back": Fraction(0),
        "resample": False,
    } | change
    with pytest.raises(ParameterError, match=message):
        budget_ratio(**arguments)
