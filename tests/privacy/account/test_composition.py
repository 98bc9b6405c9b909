"""Plans of several parts: one guarantee, one booking, and never below the truth."""

import json
import math
from fractions import Fraction

import pytest

import overbar
from overbar.errors import NoGuaranteeError, ParameterError
from overbar.ledger.answers import StoredAnswer
from overbar.ledger.description import Description
from overbar.noise import Exponential, Gaussian, Gumbel, Laplace
from overbar.plans import Composed, HistogramPlan, Plan, RankedPlan, Reach
from overbar.privacy import ApproximateDP, PureDP, guarantee, spent
from overbar.privacy.composition import PicksBeside, composed_delta, composed_epsilon
from overbar.privacy.guarantees import RenyiSpent
from overbar.privacy.top_with_delta import Picks
from tests.reference.plans import any_plan, other_plan

pytestmark = pytest.mark.one_in(3)

#: Discrete Gaussian on one value moved by one step.
SIGMA = 4
GAUSS = any_plan(Gaussian(SIGMA), None, 0, 9, mechanism="histogram", items_per_person=1)
PURE = any_plan(Exponential(10), Exponential(10), 0, 5, monotonic=True, mechanism="ranked")
RACE = any_plan(Gumbel(30), Laplace(20), 0, 5, monotonic=True, mechanism="ranked")


def both(first, second):
    return other_plan(first, first=second)


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


@pytest.mark.parametrize("epsilon", [0.2, 0.5, 0.7, 1.0, 1.4])
def test_a_part_beside_pure_ones_is_tight(epsilon):
    claimed = guarantee(both(PURE, GAUSS)).delta(epsilon)
    truth = true_delta(epsilon, gaussian_pairs(), response_pairs(0.5))
    assert truth <= claimed * (1 + 1e-9)
    assert claimed <= truth * (1 + 1e-6)
    # Controls: the pure part forgotten, or with its two losses mixed up.
    curve, up = guarantee(GAUSS).delta, 1 / (1 + math.exp(-0.5))
    assert curve(epsilon) < truth
    if epsilon > 0.5:
        assert (1 - up) * curve(epsilon - 0.5) + up * curve(epsilon + 0.5) < truth


@pytest.mark.parametrize("epsilon", [0.3, 0.8, 1.5])
def test_two_curves_are_above_the_truth_and_close(epsilon):
    parts = guarantee(GAUSS), guarantee(GAUSS)
    truth = true_delta(epsilon, gaussian_pairs(), gaussian_pairs())
    assert truth <= composed_delta(parts, epsilon) <= 8 * truth
    assert parts[0].delta(epsilon) < truth  # control: one of them forgotten


@pytest.mark.parametrize("plan", [both(PURE, GAUSS), both(RACE, GAUSS), both(RACE, PURE)], ids=str)
@pytest.mark.parametrize("delta", ["0.1", "1e-6", "1e-12"])
def test_epsilon_and_delta_meet(plan, delta):
    proved = guarantee(plan)
    assert isinstance(proved, ApproximateDP)
    epsilon = Fraction(proved.at(delta))
    assert proved.implies(epsilon, delta)
    assert proved.delta(epsilon) <= float(delta) * (1 + 1e-3)
    # Never worse than by sums, at half of δ each.
    half = Fraction(delta) / 2
    assert epsilon <= sum(Fraction(guarantee(part).at(half)) for part in plan.paid())


def test_a_larger_delta_needs_no_larger_epsilon_beside_a_pure_part():
    """Also where both together have an ε below the pure one, as at a large δ."""
    for pure in (1 / 64, 0.5, 2):
        parts, last = (guarantee(GAUSS), PureDP(pure)), math.inf
        for delta in (1e-6, 0.01, 0.05, 0.1, 0.15, 0.2, 0.3, 0.6):
            epsilon = composed_epsilon(parts, delta)
            assert epsilon <= last + pure / 200  # so near it is looked for
            assert composed_delta(parts, epsilon) <= delta * (1 + 1e-9)
            truth = true_delta(epsilon, gaussian_pairs(), response_pairs(pure))
            assert truth <= delta * (1 + 1e-9)
            last = epsilon


@pytest.mark.parametrize("plan", [both(RACE, RACE), both(RACE, PURE)], ids=str)
@pytest.mark.parametrize("above", ["0", "0.001", "1", "30"])
def test_above_the_pure_sum_no_order_is_too_large(plan, above):
    """There δ falls with the order without end."""
    epsilon = guarantee(plan).at(0) + Fraction(above)
    assert guarantee(plan).delta(epsilon) == 0
    parts = tuple(map(guarantee, plan.paid()))
    assert composed_delta(parts, epsilon) < (1e-9 if above == "0" else 1e-99)


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
    with pytest.raises(NoGuaranteeError, match="larger delta"):
        composed_epsilon((guarantee(GAUSS), guarantee(GAUSS)), 0)
    with pytest.raises(ParameterError, match="first must be a plan"):
        both(PURE, "keys")


def test_renyi_costs_so_far_add_up():
    made = both(RACE, GAUSS)
    cost = spent(made, 2)
    assert isinstance(cost, RenyiSpent)
    assert cost.renyi(4.0) == RenyiSpent(RACE, 2).renyi(4.0) + guarantee(GAUSS).renyi(4.0)


def test_files_hold_the_parts():
    made = both(PURE, GAUSS)
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
        both(PURE, both(PURE, PURE))


def test_what_was_run_before_is_paid_if_nothing_is_asked_then(tmp_path):
    """It may have been run before to find whom to ask, and found nobody."""
    ledger = overbar.Ledger(tmp_path / "budgets.db")
    ledger.open("data", epsilon=2)
    made = both(other_plan(PURE, mechanism="sparse-vector"), other_plan(PURE, cutoff=1))
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
    made = both(PURE, other_plan(PURE, cutoff=1))
    ledger.open("pure", epsilon=1)
    held = ledger.reserve("pure", Description("batch", made, None))
    assert held.charge.pure == Fraction(3, 5)
    assert held.settle(positives=2, asked=True).receipt.cost.pure == spent(made, 2)
    ledger.open("both", epsilon=2, delta="1e-5")
    other = ledger.reserve("both", Description("batch", both(RACE, GAUSS), None))
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


# Picks beside other parts -------------------------------------------------------------------------


RANGE = 0.4
GAUSSIAN = overbar.plan(
    epsilon=1, delta="1e-3", cutoff=2, items_per_person=2, candidates=9, mechanism="histogram",
    noise="gaussian", monotonic=True,
)  # fmt: skip


def curve_of(proved):
    """The profile of a part at any level."""

    def profile(level):
        if level >= 0:
            return proved.delta(Fraction(level))
        return -math.expm1(level) + math.exp(level) * proved.delta(Fraction(-level))

    return profile


def nothing(level):
    return max(0.0, -math.expm1(level))


def best_adversary(steps, after, level):
    """The largest δ of so many picks before a part with this profile, ends on a grid of t."""
    if steps == 0:
        return after(level)
    best = 0.0
    for share in (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95):
        top = share * RANGE
        chance = math.expm1(top - RANGE) / math.expm1(-RANGE)
        high = best_adversary(steps - 1, after, level - top)
        low = best_adversary(steps - 1, after, level - top + RANGE)
        best = max(best, chance * high + (1 - chance) * low)
    return best


@pytest.mark.parametrize("count", [1, 2])
def test_picks_before_a_part_are_never_below_the_best_adversary_and_close(count):
    other = overbar.guarantee(GAUSSIAN)
    beside = PicksBeside.of([Picks(count, RANGE)], [other])
    for level in (0.0, 0.5, 1.0, 1.5):
        best = best_adversary(count, curve_of(other), level)
        claim = beside.delta(level, 1.0)
        assert best * (1 - 1e-9) <= claim <= best * 1.04
        # Broken twins: without the other part, or with one pick less, it would be too little.
        assert PicksBeside.of([Picks(count, RANGE)], []).delta(level, 1.0) < best
        assert best_adversary(count - 1, curve_of(other), level) < best
        assert beside.epsilon(claim) <= level + 1e-6
    assert PicksBeside.of([Picks(1, RANGE), Picks(1, 0.5)], [other]) is None
    assert PicksBeside.of([Picks(1, RANGE)], [other, other]) is None
    assert PicksBeside.of([], [other]) is None


@pytest.mark.parametrize("first", ["gaussian", "response"])
def test_what_came_first_may_decide_about_the_picks(first):
    """The best adversary sees what the first part gave, and then chooses the ends of a pick.

    A broken twin starts the picks from the profile of that part, as if it came after them.
    """
    epsilon = 0.2
    if first == "gaussian":
        pairs, proved = gaussian_pairs(), guarantee(GAUSS)
    else:
        pairs, proved = response_pairs(epsilon), PureDP("0.2")
    pairs = [(p, q) for p, q in pairs if p and q]
    beside = PicksBeside.of([Picks(1, RANGE)], [], [proved])
    twin = PicksBeside.of([Picks(1, RANGE)], [guarantee(GAUSS)])
    for level in (0.0, 0.1, 0.2):
        best = math.fsum(p * best_adversary(1, nothing, level - math.log(p / q)) for p, q in pairs)
        claim = beside.delta(level, 1.0)
        assert best * (1 - 1e-9) <= claim <= best * 1.04 + 1e-8
        if first == "gaussian" and level == 0:
            assert twin.delta(level, 1.0) < 0.99 * best
    if first == "response":  # the twin in full: 1.1 times too little
        after = best_adversary(1, lambda x: true_profile(x, pairs), 0.0)
        assert best_adversary_first(pairs) > 1.09 * after


def true_profile(level, pairs):
    return math.fsum(max(0.0, p - math.exp(level) * q) for p, q in pairs)


def best_adversary_first(pairs):
    return math.fsum(p * best_adversary(1, nothing, -math.log(p / q)) for p, q in pairs)


def test_parts_before_and_after_and_pure_ones_all_count():
    other, pure = overbar.guarantee(GAUSSIAN), PureDP("0.3")
    picks = [Picks(1, RANGE)]
    alone = PicksBeside.of(picks, [other])
    for level in (0.4, 1.0, 1.6):
        near, far = (alone.delta(level + sign * 0.3, 1.0) for sign in (-1, 1))
        exact = (near + math.exp(-0.3) * far) / (1 + math.exp(-0.3))
        for after, before in (([other, pure], []), ([other], [pure])):
            claim = PicksBeside.of(picks, after, before).delta(level, 1.0)
            assert exact * (1 - 1e-9) <= claim <= exact * 1.02
        more = PicksBeside.of(picks, [other], [other]).delta(level, 1.0)
        assert more > alone.delta(level, 1.0)


@pytest.mark.parametrize(
    ("more", "before"),
    [({"counts": "0.5"}, 0.0521), ({"counts": "0.7"}, 0.0401)],
)
def test_a_top_with_fresh_counts_has_a_tenth_less_noise_than_by_orders(more, before):
    plan = overbar.plan(
        epsilon=1, delta="1e-6", cutoff=50, top=True, monotonic=True, noise="gumbel", **more
    )
    assert 1 / float(plan.query_noise.scale) > 1.09 * before
    assert overbar.guarantee(plan).implies(1, "1e-6")
    assert overbar.guarantee(plan).delta(1) <= 1e-6 * (1 + 1e-9)


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
    for plan in (Composed(top, counts), Composed(top, first=first)):
        proved = guarantee(plan)
        assert proved.delta(1) > proved.delta(2) >= proved.delta(5) > 0
        assert proved.at("1e-50") < proved.at("1e-70") < proved.at("1e-100") < 3


@pytest.mark.parametrize("scale", [10**6, 10**9])
def test_picks_that_say_next_to_nothing_beside_other_parts_need_no_room(scale):
    """There would be billions of levels, and no memory for them."""
    top, counts = RankedPlan(Gumbel(scale), None, 2, Reach(0, 1)), Laplace(1)
    proved = guarantee(Composed(top, counts)).at("1e-6")
    assert PureDP(2).at("1e-6") <= proved <= 2 + Fraction(2, scale)
