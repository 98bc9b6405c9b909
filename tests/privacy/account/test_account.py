"""Plans of several parts: one account, one booking, and never below the truth."""

import json
import math
from fractions import Fraction
from itertools import product

import pytest

import overbar
from overbar.errors import NoGuaranteeError, ParameterError
from overbar.ledger.answers import StoredAnswer
from overbar.ledger.description import Description
from overbar.mechanisms import Composed, HistogramPlan, Plan, RankedPlan, Reach
from overbar.noise import Exponential, Gaussian, Gumbel, Laplace
from overbar.privacy import ApproximateDP, PureDP, guarantee, spent
from overbar.privacy.account import account_of, proofs_of, repeated
from overbar.privacy.arrivals import race
from overbar.privacy.instalments import RenyiSpent
from overbar.privacy.pairs import Bit, Pick, Pure, Shifted, Values
from overbar.privacy.reading import epsilon_of, log_delta_of
from overbar.privacy.steps import Race, Worst
from overbar.privacy.threshold_loss import LaplaceShift
from tests.reference.plans import any_plan, other_plan
from tests.reference.ways import truth

pytestmark = pytest.mark.one_in(3)

#: Discrete Gaussian on one value moved by one step.
SIGMA = 4
GAUSS = any_plan(Gaussian(SIGMA), None, 0, 9, mechanism="histogram", items_per_person=1)
PURE = any_plan(Exponential(10), Exponential(10), 0, 5, monotonic=True, mechanism="ranked")
RACE = any_plan(Gumbel(30), Laplace(20), 0, 5, monotonic=True, mechanism="ranked")
TOP = any_plan(Gumbel(10), None, 0, 3, monotonic=True, mechanism="ranked", is_top=True)


def both(first, second):
    return other_plan(second, first=first)


def gaussian_pairs():
    weights = {k: math.exp(-k * k / (2 * SIGMA**2)) for k in range(-90, 91)}
    total = math.fsum(weights.values())
    return [(weights[k] / total, weights.get(k - 1, 0.0) / total) for k in weights]


def response_pairs(epsilon):
    up = 1 / (1 + math.exp(-epsilon))
    return [(up, 1 - up), (1 - up, up)]


def true_delta(epsilon, *runs):
    """Add up the hockey-stick divergence of independent runs, outcome by outcome."""
    pairs = [(1.0, 1.0)]
    for run in runs:
        pairs = [(p * a, q * b) for p, q in pairs for a, b in run]
    return math.fsum(max(0.0, p - math.exp(epsilon) * q) for p, q in pairs)


# The sequence of a plan ------------------------------------------------------------------------


def test_parts_are_one_sequence_in_the_order_of_time():
    """What was run first stands in front; a pure part may be put there, wherever it is."""
    way = account_of(both(GAUSS, TOP)).way(-13.8)
    assert [type(step) for step in way] == [Values, Pick]
    way = account_of(other_plan(TOP, first=GAUSS, counts=Laplace(10))).way(-13.8)
    assert [type(step) for step in way] == [Pure, Values, Pick]
    way = account_of(other_plan(TOP, counts=Gaussian(9))).way(-13.8)
    assert [type(step) for step in way] == [Pick, Values]
    groups = other_plan(TOP, counts=Gaussian(9), groups=9, groups_per_person=2)
    way = account_of(groups).way(-13.8)
    assert [(type(step), step.times) for step in way] == [(Pick, 6), (Values, 1)]


def test_runs_in_turns_tell_all_their_thresholds_first():
    """An answer of one may come before another has begun, and there is one direction for all."""
    noise = LaplaceShift(0.3, 4)
    way = race(2, 0.2, 0.1, noise).steps
    assert repeated(way, 1) == way
    assert repeated(way, 3) == (Shifted(noise, times=3), Race(0.2, 0.1, times=6))
    anew = race(2, 0.2, 0.1, noise, redraws=True).steps
    assert repeated(anew, 3) == (Shifted(noise, times=6), Race(0.2, 0.1, times=6))
    uneven = repeated(race(2, 0.1, 0.2, None).steps, 3)
    assert uneven == (Worst(((Race(0.1, 0.2, times=6),), (Race(0.2, 0.1, times=6),))),)
    assert repeated((Bit(0.1, times=2),), 3) == (Bit(0.1, times=6),)
    in_turns, in_a_row = repeated(way, 2), (*way, *way)
    for level in (0.3, 0.8):
        assert log_delta_of(in_turns, level) > log_delta_of(in_a_row, level)
        (known,) = truth(in_turns, [level])
        assert math.exp(log_delta_of(in_turns, level)) >= known.value * (1 - 1.5 * known.error)


@pytest.mark.parametrize(
    "made",
    [both(RACE, GAUSS), both(RACE, TOP), other_plan(RACE, first=RACE), both(TOP, RACE), RACE],
    ids=range(5),
)
def test_of_all_sequences_the_one_that_says_most_is_found(made):
    account = account_of(made)
    every = [[proof for proved in part for proof in proved.every] for part in account.parts]
    ways = [
        tuple(step for part in account.order for step in choice[part].steps)
        for choice in product(*every)
    ]
    for log_delta in (-2.0, -13.8):
        least = min(epsilon_of(way, log_delta) for way in ways)
        assert account.epsilon(log_delta) == pytest.approx(least, rel=2e-3)
        assert epsilon_of(account.way(log_delta), log_delta) == account.epsilon(log_delta)
    for level in (0.05, 0.15):
        least = min(log_delta_of(way, level) for way in ways)
        assert account.log_delta(level) <= least + 2e-3 * abs(least)


def test_each_kind_of_proof_is_best_somewhere():
    best = set()
    for made in (
        any_plan(Gumbel(20), Laplace(10), 0, 5, monotonic=True),
        any_plan(Gumbel(9), None, 0, 3, monotonic=True, mechanism="ranked", is_top=True),
        any_plan(Gumbel(20), Gaussian(8), 0, 20),
        any_plan(Laplace(3), Laplace(1), 0, 2, resample=True),
        any_plan(Laplace(1), Laplace(1), 0, 1),
        any_plan(Exponential(9), Laplace(9), 0, 9, resample=True),
    ):
        for delta in ("1e-6", "0.1"):
            each = {
                index: min(epsilon_of(proof.steps, math.log(float(delta))) for proof in one.every)
                for index, one in enumerate(proofs_of(made))
            }
            found = guarantee(made).at(delta)
            assert float(found) == pytest.approx(min(each.values()), rel=1e-6, abs=1e-12)
            way = proofs_of(made)[min(each, key=each.get)].every[0].steps
            best.add((type(way[-1]), way[-1].times > 1))
    assert best >= {(Pure, False), (Pure, True), (Pick, True)}
    assert {kind for kind, _ in best} & {Race, Worst}


# Against the truth -----------------------------------------------------------------------------


@pytest.mark.parametrize("epsilon", [0.2, 0.5, 0.7, 1.0, 1.4])
def test_a_part_beside_pure_ones_is_tight(epsilon):
    claimed = guarantee(both(PURE, GAUSS)).delta(epsilon)
    exact = true_delta(epsilon, gaussian_pairs(), response_pairs(0.5))
    assert exact <= claimed * (1 + 1e-9)
    assert claimed <= exact * (1 + 2e-3)
    # Controls: the pure part forgotten, or with its two losses mixed up.
    curve, up = guarantee(GAUSS).delta, 1 / (1 + math.exp(-0.5))
    assert curve(epsilon) < exact
    if epsilon > 0.5:
        assert (1 - up) * curve(epsilon - 0.5) + up * curve(epsilon + 0.5) < exact


@pytest.mark.parametrize("epsilon", [0.3, 0.8, 1.5])
def test_two_curves_are_above_the_truth_and_close(epsilon):
    claimed = guarantee(both(GAUSS, GAUSS)).delta(epsilon)
    exact = true_delta(epsilon, gaussian_pairs(), gaussian_pairs())
    assert exact <= claimed <= 1.04 * exact
    assert guarantee(GAUSS).delta(epsilon) < exact  # control: one of them forgotten


@pytest.mark.parametrize(
    "made",
    [both(GAUSS, TOP), both(TOP, TOP), both(RACE, GAUSS)],
    ids=["values, top", "tops", "race"],
)
def test_parts_are_never_below_the_slow_reference(made):
    for epsilon in (0.1, 0.3):
        claimed = guarantee(made).delta(epsilon)
        (known,) = truth(account_of(made).way(math.log(claimed)), [epsilon])
        assert known.value * (1 - 1.5 * known.error) <= claimed <= 1.02 * known.value
        assert guarantee(made.labels).delta(epsilon) < 0.95 * known.value  # control


@pytest.mark.parametrize("made", [both(PURE, GAUSS), both(RACE, GAUSS), both(RACE, PURE)], ids=str)
@pytest.mark.parametrize("delta", ["0.1", "1e-6", "1e-12"])
def test_epsilon_and_delta_meet(made, delta):
    proved = guarantee(made)
    assert isinstance(proved, ApproximateDP)
    epsilon = Fraction(proved.at(delta))
    assert proved.implies(epsilon, delta)
    assert proved.delta(epsilon) <= float(delta) * (1 + 1e-3)
    # Never worse than by sums, at half of δ each.
    half = Fraction(delta) / 2
    assert epsilon <= sum(Fraction(guarantee(part).at(half)) for part in made.paid())


@pytest.mark.parametrize("pure", [1 / 64, 0.5, 2])
def test_a_larger_delta_needs_no_larger_epsilon_beside_a_pure_part(pure):
    """Also where both together have an ε below the pure one, as at a large δ."""
    way, last = (Pure(Fraction(pure)), *account_of(GAUSS).way(-9.0)), math.inf
    for delta in (1e-6, 0.01, 0.05, 0.1, 0.15, 0.2, 0.3, 0.6):
        epsilon = epsilon_of(way, math.log(delta))
        assert epsilon <= last * (1 + 1e-9)
        exact = true_delta(epsilon, gaussian_pairs(), response_pairs(pure))
        assert exact <= delta * (1 + 1e-9)
        last = epsilon


@pytest.mark.parametrize("made", [both(RACE, RACE), both(RACE, PURE)], ids=str)
@pytest.mark.parametrize("above", ["0", "0.001", "1", "30"])
def test_above_the_pure_sum_nothing_is_left(made, above):
    assert guarantee(made).delta(guarantee(made).at(0) + Fraction(above)) == 0


def test_beside_a_pure_part_a_delta_too_small_for_a_float_is_one():
    for epsilon in (5, 10, 12, 100):
        alone = account_of(GAUSS).log_delta(epsilon - 0.5)
        found = account_of(both(PURE, GAUSS)).log_delta(epsilon)
        assert alone - 0.5 < found < alone  # -ln(1 + e^-0.5) and more
        assert guarantee(both(PURE, GAUSS)).delta(epsilon) > 0


def test_pure_parts_add_up_exactly():
    counted = other_plan(PURE, first=PURE, counts=Laplace(10))
    assert guarantee(counted) == PureDP(Fraction(3, 2))
    assert len(counted.paid()) == 3
    made = both(PURE, PURE)
    assert guarantee(made) == PureDP(Fraction(1))
    # What one's own positives did not use comes back; of the other parts all is used.
    assert spent(made, 2) == spent(PURE, 2) + Fraction(1, 2)


def test_what_has_no_proof_spoils_the_whole():
    bad = any_plan(Gaussian(9), None, 0, 1)
    for made in (both(PURE, bad), both(bad, PURE), both(GAUSS, bad)):
        with pytest.raises(NoGuaranteeError):
            guarantee(made)
    with pytest.raises(NoGuaranteeError):
        guarantee(both(PURE, GAUSS)).at(0)
    with pytest.raises(ParameterError, match="first must be a plan"):
        both("keys", PURE)


def test_renyi_costs_so_far_add_up():
    cost = spent(both(GAUSS, RACE), 2)
    assert isinstance(cost, RenyiSpent)
    wanted = RenyiSpent(RACE, 2).renyi(4.0) + guarantee(GAUSS).renyi(4.0)
    assert cost.renyi(4.0) == pytest.approx(wanted, rel=1e-11)


# Tops and counts -------------------------------------------------------------------------------


@pytest.mark.parametrize(("counts", "before"), [("0.5", 0.0521), ("0.7", 0.0401)])
def test_a_top_with_fresh_counts_has_a_tenth_less_noise_than_by_orders(counts, before):
    made = overbar.plan(
        epsilon=1, delta="1e-6", cutoff=50, top=True, monotonic=True, noise="gumbel", counts=counts
    )
    assert 1 / float(made.query_noise.scale) > 1.09 * before
    assert guarantee(made).implies(1, "1e-6")
    assert guarantee(made).delta(1) <= 1e-6 * (1 + 1e-9)


@pytest.mark.parametrize(
    "counts", [Laplace(Fraction(1, 36)), Gaussian(Fraction(1, 20)), Gaussian(10**18)]
)
def test_a_top_beside_very_much_or_very_little_is_not_free(counts):
    """Levels beyond floats, or all of them zero, are no numbers; once they passed for no cost."""
    top = RankedPlan(Gumbel(20), None, 20, Reach(0, 1))
    alone = guarantee(top).at("1e-6")
    assert alone > 0.4
    assert guarantee(Composed(top, counts)).at("1e-6") >= alone


def test_deep_questions_about_picks_have_answers():
    """Curves were once looked at down to a δ below all that can be asked, which raised."""
    top, counts = RankedPlan(Gumbel(20), None, 5, Reach(0, 1)), Gaussian(20)
    first = HistogramPlan(counts, None, 3, Reach(0, 1), Fraction(1, 1024), 3)
    for made in (Composed(top, counts), Composed(top, first=first)):
        proved = guarantee(made)
        assert proved.delta(1) > proved.delta(2) >= proved.delta(5) > 0
        assert proved.at("1e-50") < proved.at("1e-70") < proved.at("1e-100") < 3


@pytest.mark.parametrize("scale", [10**6, 10**9])
def test_picks_that_say_next_to_nothing_beside_other_parts_need_no_room(scale):
    """There would be billions of levels, and no memory for them."""
    made = Composed(RankedPlan(Gumbel(scale), None, 2, Reach(0, 1)), Laplace(1))
    proved = guarantee(made).at("1e-6")
    assert PureDP(2).at("1e-6") <= proved <= 2 + Fraction(2, scale)


# Plans of parts --------------------------------------------------------------------------------


def test_files_hold_the_parts():
    made = both(GAUSS, PURE)
    assert Plan.from_json(made.to_json()) == made
    assert "first" not in json.loads(PURE.to_json())
    assert "Run first: Gaussian noise of scale 4" in repr(made)


@pytest.mark.parametrize("depth", [1, 400, 900, 10_000])
def test_a_plan_that_is_run_first_is_of_one_part(depth):
    text = both(PURE, PURE).to_json()
    nested = text.replace('"kind": "ranked"', '"kind": "composed"', 1)
    with pytest.raises(ParameterError, match=r"must be one of|exactly its own fields"):
        Plan.from_json(nested)
    with pytest.raises(ParameterError, match=r"nested too deeply|must be"):
        Plan.from_json('{"overbar_plan": 2, "labels": ' * depth + "1" + "}" * depth)
    with pytest.raises(ParameterError, match="plan of one part"):
        both(both(PURE, PURE), PURE)


def test_what_was_run_before_is_paid_if_nothing_is_asked_then(tmp_path):
    """It may have been run before to find whom to ask, and found nobody."""
    ledger = overbar.Ledger(tmp_path / "budgets.db")
    ledger.open("data", epsilon=2)
    made = both(other_plan(PURE, cutoff=1), other_plan(PURE, mechanism="sparse-vector"))
    first = spent(made.first)
    booking = ledger.booking("data", request_id="monday")
    found = overbar.select([], threshold=1, plan=made, booking=booking)
    assert found.spent == spent(made, 0) >= first > 0
    assert ledger.remaining("data") == 2 - found.spent
    with pytest.raises(ParameterError, match="asked one by one"):
        overbar.SparseVector(made, threshold=1)
    assert ledger.verify() == ledger.head
    # Alone, what is not asked costs nothing.
    assert overbar.select([], threshold=1, plan=other_plan(made, first=None)).spent == 0


def test_a_ledger_books_all_parts_at_once(tmp_path):
    ledger = overbar.Ledger(tmp_path / "budgets.db")
    made = both(other_plan(PURE, cutoff=1), PURE)
    ledger.open("pure", epsilon=1)
    held = ledger.reserve("pure", Description("batch", made, None))
    assert held.charge.pure == Fraction(3, 5)
    assert held.settle(positives=2, asked=True).receipt.cost.pure == spent(made, 2)
    ledger.open("both", epsilon=2, delta="1e-5")
    other = ledger.reserve("both", Description("batch", both(GAUSS, RACE), None))
    alone = ledger.reserve("both", Description("batch", GAUSS, None))
    pairs = zip(other.charge.renyi, alone.charge.renyi, strict=True)
    assert all(more > less for more, less in pairs)
    assert ledger.verify() == ledger.head


@pytest.mark.parametrize("request_id", [None, "one"])
def test_keys_that_were_looked_for_cannot_have_cost_nothing(request_id, tmp_path):
    ledger = overbar.Ledger(tmp_path / "budgets.db")
    ledger.open("both", epsilon=2, delta="1e-5")
    told = Description("batch", RACE, None, unlisted_delta=Fraction(1, 10**6))
    held = ledger.reserve("both", told, request_id=request_id)
    nothing = StoredAnswer.of([], asked=False)
    held.settle(positives=0, asked=False, answer=nothing if request_id else None)
    with pytest.raises(overbar.errors.LedgerError, match="can have cost"):
        ledger.verify()
