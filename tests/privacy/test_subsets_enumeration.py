"""A top by subsets costs 2w/s and no more, and the bound is attained."""

import itertools
import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

import overbar
from overbar.audit.exact import audit_plan
from overbar.audit.exact.law import SetLaw, law_of
from overbar.errors import NoGuaranteeError, ParameterError
from overbar.noise import Gumbel
from overbar.plans import Reach, SubsetsPlan
from overbar.words.plan_words import quality_of


def worst(plan, scores, moves):
    """Return the largest loss over all ways to move the scores, in both directions."""
    law = law_of(replace(plan, reach=Reach(0, 1)))  # what comes out does not depend on it
    one = law.outcomes(scores).chances
    losses = [0.0]
    for move in itertools.product(moves, repeat=len(scores)):
        other = law.outcomes(tuple(map(sum, zip(scores, move, strict=True)))).chances
        losses += [abs(one[places][0] - other[places][0]) for places in one]
    return max(losses)


@pytest.mark.parametrize(
    ("reach", "moves"),
    [(Reach(0, 1), (0, 1)), (Reach(-1, 1), (-1, 0, 1)), (Reach(-1, 2), (-1, 0, 1, 2))],
)
def test_no_person_moves_a_set_by_more_than_the_claim(reach, moves):
    plan = SubsetsPlan(Gumbel(Fraction(4)), 2, reach)
    claim = float(overbar.guarantee(plan).epsilon)
    assert claim == float(2 * reach.width / 4)
    lists = itertools.combinations_with_replacement((0, 2, 9), 4)
    losses = [worst(plan, scores, moves) for scores in lists]
    assert max(losses) <= claim + 1e-9
    # Far behind, one set moves up by the width while the total falls by it.
    assert worst(plan, (0, 40, 40), moves) > 0.9 * claim


def test_half_the_scale_is_caught():
    """A twin that is calibrated as if a lead moved one way only."""
    plan = overbar.plan(epsilon=1, cutoff=1, top=True, monotonic=True, mechanism="subsets", grid=1)
    assert all(row.worst <= row.allowed for row in audit_plan(plan))
    twin = SubsetsPlan(Gumbel(plan.query_noise.scale / 2), 1, plan.reach)
    assert worst(twin, (0, 40, 0), (0, 1)) > 1.9
    assert 0.95 < worst(plan, (0, 40, 0), (0, 1)) <= 1 + 1e-9


def test_release_and_simulation_have_the_law_of_the_definition():
    plan = overbar.plan(epsilon=1, cutoff=2, top=True, monotonic=True, mechanism="subsets", grid=1)
    scores, runs = (5, 3, 3, 0, 1), 4000
    law = law_of(plan)
    assert type(law) is SetLaw
    wanted = {key: math.exp(low) for key, (low, _) in law.outcomes(scores).chances.items()}
    simulated = overbar.simulate(plan, scores, threshold=0, runs=runs, seed=3).selected
    for selections in (
        [tuple(sorted(selected.tolist())) for selected in simulated],
        [overbar.top(scores, plan=plan).indices for _ in range(runs)],
    ):
        counted = [selections.count(key) for key in wanted]
        assert sum(counted) == runs
        expected = np.array(list(wanted.values())) / sum(wanted.values()) * runs
        assert stats.chisquare(counted, expected).pvalue > 1e-9
        even = np.full(len(counted), runs / len(counted))
        assert stats.chisquare(counted, even).pvalue < 1e-9


def test_it_is_planned_booked_and_said_in_words(tmp_path):
    plan = overbar.plan(epsilon=1, cutoff=2, top=True, monotonic=True, mechanism="subsets")
    assert overbar.Plan.from_json(plan.to_json()) == plan
    ledger = overbar.Ledger(tmp_path / "budget.db")
    ledger.open("sales", epsilon=1)
    answer = overbar.top({"a": 900, "b": 0, "c": 800}, plan=plan, booking=ledger.booking("sales"))
    assert answer.labels == ("a", "c")  # as the candidates come, not by score
    assert ledger.show("sales").spent.pure == 1
    assert "subsets: one draw" in plan._repr_html_()
    assert "If place 2 leads place 3 by" in quality_of(plan, None, 9).sentence
    assert overbar.plan(epsilon=1, cutoff=2, top=True, monotonic=True).kind == "ranked"
    with pytest.raises(NoGuaranteeError, match="for the top"):
        overbar.plan(epsilon=1, cutoff=2, candidates=9, mechanism="subsets")
    with pytest.raises(NoGuaranteeError, match="for the top"):
        overbar.plan(epsilon=1, cutoff=2, top=True, mechanism="subsets", noise="exponential")
    with pytest.raises(ParameterError, match="all scores at once"):
        overbar.top(iter([[1, 2], [3, 4]]), plan=plan)
