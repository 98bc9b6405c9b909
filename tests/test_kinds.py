"""A mechanism is a plan, what it costs and how it meets a request: nothing else has to know it."""

import math
import re
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

import overbar
import overbar_lab
from overbar.audit import between
from overbar.errors import NoGuaranteeError
from overbar.mechanisms import (
    Composed,
    HistogramPlan,
    RankedPlan,
    Reach,
    ScorePlan,
    SparseVectorPlan,
)
from overbar.mechanisms.plan import PARTS, part
from overbar.mechanisms.run import Answer
from overbar.mechanisms.sentences import highest_text
from overbar.mechanisms.way import Split, Way
from overbar.noise import Exponential, Gumbel, Laplace
from overbar.planning.choice import WAYS
from overbar.privacy import unlisted_delta
from overbar.privacy.account import account_of, proofs_of
from overbar.privacy.pure import positive_epsilon
from overbar.runs.batch_run import BatchRun
from overbar.runs.exact import Exact, check_drawable
from overbar.runs.positives import Batch
from tests.attacks.worst_case import audit_plan

#: Where a single kind is asked for: by a run online, which is one, and by its attack.
ONE_KIND = {"runs/live_run.py", "audit/between.py"}
ONE = re.compile(r"isinstance\([^)]*\b(Ranked|Histogram|SparseVector|Key|OneKey|SetUnion)Plan")


def test_nobody_asks_for_the_kind_of_a_plan():
    folder = Path(overbar.__file__).parent
    asking = {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*.py")
        if ONE.search(path.read_text(encoding="utf-8"))
    }
    assert asking == ONE_KIND


@pytest.mark.parametrize("kind", [RankedPlan, HistogramPlan, SparseVectorPlan])
def test_what_derives_from_a_plan_has_none_of_its_theorems(kind):
    own = overbar.plan(epsilon=1, cutoff=2, candidates=9, mechanism=kind.kind, items_per_person=1)
    assert overbar.guarantee(own) == overbar.PureDP(1)
    derived = type("Derived", (kind,), {})(**vars(own))
    assert proofs_of(own)
    assert proofs_of(derived) == ()
    assert account_of(derived).epsilon(-9.0) == math.inf
    for ask in (
        lambda: overbar.guarantee(derived),
        lambda: overbar.select([9, 1], threshold=3, plan=derived),
        lambda: unlisted_delta(derived, 50, 1),
    ):
        with pytest.raises(NoGuaranteeError, match=rf"{kind.kind} plans"):
            ask()


def test_what_derives_from_parts_paid_together_has_no_proof():
    own = overbar.plan(epsilon=1, cutoff=2, candidates=9, counts=True)
    assert overbar.guarantee(own) == overbar.PureDP(1)
    derived = type("Derived", (Composed,), {})(own.labels, own.counts)
    with pytest.raises(NoGuaranteeError, match="composed plans"):
        overbar.guarantee(derived)


def test_what_derives_from_a_plan_may_have_proofs_of_its_own():
    own = overbar.plan(epsilon=1, cutoff=2, candidates=9, mechanism="ranked")
    dearer = {"pure": lambda self, positives=None: 2 * RankedPlan.pure(self, positives)}
    derived = type("Derived", (RankedPlan,), dearer)(**vars(own))
    assert overbar.guarantee(derived) == overbar.PureDP(2)


@dataclass(frozen=True, repr=False)
class PermuteAndFlip(ScorePlan):
    """The highest of scores with exponential noise, which is what permute-and-flip draws."""

    bar, cutoff, items_per_person = None, 1, None

    query_noise: Exponential
    reach: Reach
    grid: Fraction

    def pure(self, positives=None):  # it costs the same
        return positive_epsilon(self.query_noise, self.reach.width)

    @classmethod
    def ways(cls, request):
        def make(noise, _, grid):
            return cls(noise, request.reach, grid)

        (own,) = request.filled((Fraction(0), "exponential", "none"))
        return [Way(own, make, loss=lambda _: 0.0, passing=Fraction(2), split=Split())]

    def run(self, run, scores, _):
        return Answer(run.highest(scores, self.query_noise, self.grid, None, most=1))

    def __str__(self):
        return highest_text(self)


@pytest.fixture
def flips(monkeypatch):
    """Know one more mechanism, as a file and a line would have it."""
    monkeypatch.setattr(PermuteAndFlip, "kind", "flips", raising=False)
    known = len(PARTS)
    part("flips")(PermuteAndFlip)
    monkeypatch.setitem(WAYS, "flips", PermuteAndFlip.ways)
    yield overbar.plan(epsilon=1, cutoff=1, top=True, monotonic=True, mechanism="flips", grid=1)
    del PARTS[known:]


def test_a_new_mechanism_is_planned_run_booked_simulated_and_audited(flips, tmp_path):
    assert overbar.guarantee(flips) == overbar.PureDP(1)
    assert overbar.Plan.from_json(flips.to_json()) == flips
    assert "flips: " in flips._repr_html_()
    scores = {"tea": 900, "rum": 2, "ale": 5}
    assert overbar.top(scores, plan=flips).labels == ("tea",)
    counted = overbar.plan(epsilon=1, cutoff=1, top=True, mechanism="flips", counts=True)
    assert overbar.guarantee(counted) == overbar.PureDP(1)
    assert overbar.top(scores, plan=counted).counts[0].low > 800
    ledger = overbar.Ledger(tmp_path / "budget.db")
    ledger.open("sales", epsilon=1)
    booking = ledger.booking("sales", request_id="once")
    first = overbar.top(scores, plan=flips, booking=booking)
    assert overbar.top(scores, plan=flips, booking=booking) == first
    assert ledger.show("sales").spent.pure == 1
    simulated = overbar_lab.simulate(flips, [900, 2, 5], threshold=0, runs=1, seed=1)
    assert simulated.selected[0].tolist() == [0]
    assert all(row.worst <= row.allowed for row in audit_plan(flips))
    with pytest.raises(NoGuaranteeError):
        unlisted_delta(flips, 50, 1)


def test_numbers_of_a_plan_of_ones_own_are_checked_and_made_exact():
    plan = PermuteAndFlip(Exponential(2), Reach(0, "1/2"), "1/4")
    assert (plan.grid, plan.reach.high) == (Fraction(1, 4), Fraction(1, 2))
    for wrong in ((Exponential(2), Reach(0, "1/2"), 1), (2, Reach(0, 1), 1), ("x", None, 1)):
        with pytest.raises(overbar.ParameterError):  # half a step would count as a whole one
            PermuteAndFlip(*wrong)


@dataclass(frozen=True, repr=False)
class NoisyTotal(PermuteAndFlip):
    """A mechanism that goes through every verb, also where there are no scores to look at."""

    def run(self, run, scores, level=None):
        noise, grid = self.query_noise, self.grid
        own = run.draw(noise, grid)
        run.passes(0, noise, grid, 9), run.lot([1, 2], 1), run.choose([1], [0, 1 << 70], 70)
        (more,) = run.draws(Laplace(3), grid, 1)
        return Answer(run.highest(scores, noise, grid, own, most=1), (run.tell(own + more),))


def test_each_verb_is_looked_at_before_a_draw():
    plan = NoisyTotal(Exponential(2), Reach(0, 1), 1)
    check_drawable(plan)
    with pytest.raises(overbar.ParameterError, match="drawn exactly"):
        check_drawable(NoisyTotal(Gumbel(2), Reach(0, 1), 1))
    found, (told,) = plan.run(Exact(), [Batch(np.array([5, 900]), None)])
    assert (found.candidates, type(told)) == ([1], int)


def test_its_draw_is_that_of_the_coins(flips):
    """In a random order each candidate is kept with chance e^((score - best)/scale)."""
    scores = (0, 1, 3)
    coins = [math.exp(score - max(scores)) for score in scores]
    chances = [0.0, 0.0, 0.0]
    for order in permutations(range(3)):
        left = 1 / 6
        for place in order:
            chances[place] += left * coins[place]
            left *= 1 - coins[place]
    law = between.law(flips, scores).chances
    for place, chance in enumerate(chances):
        low, high = map(math.exp, law[(place,)])
        assert low - 1e-12 <= chance <= high + 1e-12


def test_a_way_that_nobody_draws_is_refused(flips, monkeypatch):
    monkeypatch.setattr(PermuteAndFlip, "run", ScorePlan.run)
    for ask in (
        lambda: overbar.top([1, 2], plan=flips),
        lambda: BatchRun.of(flips).check(),
        lambda: overbar_lab.simulate(flips, [1, 2], threshold=0, runs=1, seed=1),
    ):
        with pytest.raises(overbar.ParameterError, match="nothing says how"):
            ask()
