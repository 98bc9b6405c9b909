"""Every method carries the noise it says, and keeps the privacy it claims."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import overbar
from overbar.errors import NoGuaranteeError, ParameterError
from overbar.mechanisms import Plan
from overbar.noise import Exponential, Gaussian, Gumbel, Laplace
from overbar.planning.plan_parameters import plan_of
from overbar.privacy import guarantee
from overbar_lab.paper.methods import OURS, PAPER, PAPER_RENYI, REFERENCES, Setting
from overbar_lab.paper.setting import renyi_budget_of_each
from tests.reference.plans import other_plan

ALL = {method.name: method for method in (*PAPER, *PAPER_RENYI, *OURS, *REFERENCES)}
ZIPF = Setting(
    epsilon=1, cutoff=50, candidates=10_000, threshold=200, delta="1e-6", rounds=100,
    upper_bound=10_000,
)  # fmt: skip


def test_names_are_unique():
    assert len(ALL) == len(PAPER) + len(PAPER_RENYI) + len(OURS) + len(REFERENCES)


@pytest.mark.parametrize("name", ALL)
def test_what_is_called_guaranteed_is_proved(name):
    method = ALL[name]
    for setting in (ZIPF, replace(ZIPF, monotonic=False), replace(ZIPF, cutoff=5, epsilon="0.1")):
        built = method(setting)
        assert built.cutoff == setting.cutoff
        if isinstance(built, Plan) and method.guaranteed:
            assert guarantee(built).at(Fraction(setting.delta)) <= Fraction(setting.epsilon)
    assert ("no guarantee" in str(method)) is not method.guaranteed
    assert ("no guarantee" in method.privacy) is not method.guaranteed


def test_the_papers_conventions_claim_more_than_is_proved():
    """A control: the check above would catch them."""
    for name in ("SVT-Gau", "SVT-Gau, paper's RDP"):
        with pytest.raises(NoGuaranteeError):
            guarantee(ALL[name](ZIPF))
    plan = ALL["SVT-Exp (optimal), paper's RDP"](ZIPF)
    assert guarantee(plan).at(Fraction("1e-6")) > 1.3
    printed = ALL["upper bound (as printed)"](ZIPF)
    assert printed.noise.scale * 50 == ALL["upper bound (comparable)"](ZIPF).noise.scale


def test_noises_and_corrections_are_those_of_the_paper():
    optimal = ALL["SVT-Exp (optimal)"](ZIPF)
    assert optimal.repeats.rounds == 100
    assert float(optimal.correction) == pytest.approx(292.377992, abs=1e-3)
    assert float(optimal.query_noise.scale) == pytest.approx(54.641589)
    assert float(ALL["SVT-Exp (shared)"](ZIPF).correction) == pytest.approx(291.7575, abs=1e-3)
    assert float(ALL["SVT-Exp (mean)"](ZIPF).correction) == pytest.approx(54.641589, abs=1e-3)
    assert ALL["SVT-Exp (no)"](ZIPF).correction == 0
    gumbel = ALL["SVT-Gum"](ZIPF)
    assert isinstance(gumbel.query_noise, Gumbel)
    assert float(gumbel.correction / gumbel.query_noise.scale) == pytest.approx(0.5772157, abs=1e-4)
    laplace = ALL["SVT-Lap"](ZIPF)
    assert (type(laplace.query_noise), laplace.correction) == (Laplace, 0)


def test_gaussian_noise_as_the_paper_sets_it():
    plan = ALL["SVT-Gau"](replace(ZIPF, monotonic=False, delta=None, people=10_000))
    ratio = 100 ** (2 / 3)
    width = math.sqrt(2 * math.log(1.25e4))
    assert isinstance(plan.query_noise, Gaussian)
    assert float(plan.threshold_noise.scale) == pytest.approx(width * (1 + ratio))
    assert float(plan.query_noise.scale) == pytest.approx(width * 100 * (1 + ratio) / ratio)


def test_the_papers_renyi_convention():
    """Fifty positives of 0.1 are claimed to cost 3.46 at 1e-5; pure cost is 5."""
    assert renyi_budget_of_each(3.4602934, Fraction(1, 10**5), 50) == pytest.approx(0.1, rel=1e-6)
    pure = ALL["SVT-Exp (optimal)"](ZIPF)
    claimed = ALL["SVT-Exp (optimal), paper's RDP"](ZIPF)
    assert claimed.threshold_noise.scale == pytest.approx(pure.threshold_noise.scale, rel=1e-9)
    assert claimed.query_noise.scale < pure.query_noise.scale
    second = 10.772173 / 11.772173
    each = 1 / float(claimed.query_noise.scale)
    assert each == pytest.approx(renyi_budget_of_each(second, Fraction("1e-6"), 50), rel=1e-6)


def test_top_is_what_top_runs():
    wanted = {"epsilon": 1, "cutoff": 50, "monotonic": True}
    assert ALL["top"](ZIPF) == plan_of(None, wanted, top=True)
    assert ALL["top"](ZIPF).query_noise == Exponential(50)
    with_delta = plan_of(None, {**wanted, "delta": "1e-6"}, top=True)
    assert ALL["top, δ = 10⁻⁶"](ZIPF) == with_delta
    assert ALL["top with δ"](replace(ZIPF, delta="1e-6")) == with_delta
    assert ALL["select"](ZIPF) == overbar.plan(**wanted, candidates=ZIPF.candidates)


def test_appending_is_what_top_runs_in_turn():
    lifted = ALL["appending"](ZIPF)
    wanted = {"epsilon": 1, "cutoff": 50, "monotonic": True}
    wanted |= {"mechanism": "sparse-vector", "threshold_noise": "laplace"}
    released = plan_of(None, {**wanted, "grid": lifted.grid}, top=True)
    assert other_plan(lifted, correction=lifted.correction - 9_800) == released
    raced = ALL["race-accounted"](ZIPF)
    wanted |= {"noise": "gumbel", "delta": "1e-6", "grid": raced.grid}
    assert other_plan(raced, correction=raced.correction - 9_800) == plan_of(None, wanted, top=True)
    assert raced.repeats.rounds is None
    assert float(1 / raced.query_noise.scale) == pytest.approx(0.0646721, rel=1e-3)
    assert ALL["race-accounted, bare threshold"](ZIPF).threshold_noise is None


def test_references_spend_all_on_selections():
    assert ALL["peeling"](ZIPF).noise == Gumbel(50)
    assert ALL["peeling"](replace(ZIPF, monotonic=False)).noise == Gumbel(100)
    assert ALL["one-shot Laplace"](ZIPF).noise == Laplace(50)
    assert ALL["permute-and-flip"](replace(ZIPF, sensitivity=3)).scale == 150
    assert isinstance(ALL["upper bound (comparable)"](ZIPF).noise, Exponential)
    each = float(1 / ALL["peeling with δ"](ZIPF).noise.scale)
    rho = 50 * each**2 / 8
    log_delta = min(
        (order - 1) * (order * rho - 1) + (order - 1) * math.log1p(-1 / order) - math.log(order)
        for order in np.linspace(5, 200, 20_001)
    )
    assert log_delta == pytest.approx(math.log(1e-6), abs=1e-4)


def test_missing_numbers_are_asked_for():
    with pytest.raises(ParameterError, match="delta must be given"):
        ALL["SVT-Gau"](replace(ZIPF, delta=None))
    with pytest.raises(ParameterError, match="delta must be positive"):
        ALL["race-accounted"](replace(ZIPF, delta=0))
    with pytest.raises(ParameterError, match="upper_bound must be given"):
        ALL["appending"](replace(ZIPF, upper_bound=None))
