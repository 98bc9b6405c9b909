"""Plans as OpenDP measurements."""

from __future__ import annotations

from fractions import Fraction

import pytest

from overbar.errors import NoGuaranteeError, ParameterError
from overbar.noise import Exponential, Gumbel, Laplace
from overbar.privacy import guarantee
from tests.reference.plans import any_plan

dp = pytest.importorskip("opendp.prelude")
integration = pytest.importorskip("overbar.integrations.opendp")

PURE = any_plan(Exponential(4), Laplace(2), 10, 2, monotonic=True, grid=Fraction(1, 2))
RACE = any_plan(Gumbel(24), Laplace(50), 200, 5, monotonic=True)


@pytest.fixture(autouse=True)
def _features():
    dp.enable_features("contrib", "honest-but-curious")
    yield
    dp.disable_features("contrib", "honest-but-curious")


def test_a_pure_run():
    made = integration.measurement(PURE, threshold=500)
    assert sorted(made([0, 90_000, 3, 80_000])) == [1, 3]
    assert made.map(1) == pytest.approx(float(guarantee(PURE).at()))
    assert made.map(3) == pytest.approx(3 * made.map(1))
    assert made.map(0) == 0
    assert made.check(1, made.map(1))
    assert not made.check(1, made.map(1) * 0.999)


def test_an_approximate_run():
    made = integration.measurement(RACE, threshold=500, delta="1e-6")
    assert sorted(made([0, 90_000, 3, 80_000])) == [1, 3]
    epsilon, delta = made.map(1)
    assert delta <= 1e-6
    assert delta == pytest.approx(1e-6)
    assert epsilon == pytest.approx(float(guarantee(RACE).at(1e-6)), rel=1e-9)
    assert guarantee(RACE).delta(epsilon) <= 1e-6
    assert made.map(0) == (0.0, 0.0)
    assert made.map(2)[0] > epsilon


def test_a_plan_without_a_proof_is_refused_at_once():
    bare = any_plan(Gumbel(24), None, 200, 5)
    with pytest.raises(NoGuaranteeError):
        integration.measurement(bare, threshold=500)
    assert integration.measurement(bare, threshold=500, delta="1e-6").map(1)[0] > 0


def test_it_composes_with_a_measurement_of_theirs():
    space = dp.vector_domain(dp.atom_domain(T="i64")), dp.linf_distance(T="i64", monotonic=True)
    made = integration.measurement(PURE, threshold=500)
    noisy_max = space >> dp.m.then_noisy_max(dp.max_divergence(), scale=10.0)
    both = dp.c.make_composition([made, noisy_max])
    selected, best = both([0, 90_000, 3, 80_000])
    assert sorted(selected) == [1, 3]
    assert best == 1
    assert both.map(1) == pytest.approx(made.map(1) + noisy_max.map(1))


def test_distances_are_checked():
    with pytest.raises(ParameterError, match="distance must be zero or positive"):
        integration.privacy_map(PURE, -1)


def test_a_plan_for_few_items_is_refused():
    """The metric bounds each entry and not how many differ: read alike, a histogram promised 1."""
    few = any_plan(Laplace(1), None, 0, 5, mechanism="histogram", items_per_person=1)
    assert guarantee(few).at() == 1
    with pytest.raises(NoGuaranteeError, match="without items_per_person"):
        integration.measurement(few, threshold=500)
    few = any_plan(Gumbel(24), None, 200, 5, monotonic=True, items_per_person=1)
    with pytest.raises(NoGuaranteeError, match="without items_per_person"):
        integration.privacy_map(few, 1, "1e-6")


def test_a_plan_with_counts_is_refused():
    plan = any_plan(*(Exponential(9), Exponential(9), 0, 2), mechanism="ranked", counts=Laplace(9))
    with pytest.raises(NoGuaranteeError, match="without counts"):
        integration.privacy_map(plan, 1)
