"""What Coq proves and what the library charges are the same numbers.

Each function here is a statement of `proofs/`, typed again, in its words.
"""

import math
from fractions import Fraction

import pytest
from scipy import special

from overbar.ledger.budget import budget_of
from overbar.ledger.costs import Charge
from overbar.ledger.endings import CURVES, cost_of
from overbar.mechanisms import Bar, MonitorPlan, Reach
from overbar.mechanisms.key_values import STEPS as KEY_STEPS
from overbar.mechanisms.key_values import Round
from overbar.mechanisms.keys import unlisted_chance
from overbar.mechanisms.monitor import charges_of, weight_cost
from overbar.mechanisms.ranked import ranked_epsilon
from overbar.noise import Exponential, Gumbel, Laplace
from overbar.privacy.arrivals import race
from overbar.privacy.orders import log_delta_at
from overbar.privacy.pairs import Bit, Pick
from overbar.privacy.read_off_candidates import unlisted_delta
from tests.reference.claims import delta_of, every_proof, race_proofs
from tests.reference.plans import any_plan, other_plan

STEPS = 4  # grid steps to Δ
GRID = Fraction(1, STEPS)


def plan(noise=None, threshold_noise=None, **more):
    return any_plan(
        noise or Exponential(20), threshold_noise or Laplace(5), 0, 3, grid=GRID, **more
    )


def climb():
    """What one step up of the threshold noise costs, 1/a with a = e^(-g/b)."""
    return math.exp(GRID / 5)


@pytest.mark.parametrize(("monotonic", "low"), [(True, 0), (False, 1)])
@pytest.mark.parametrize("positives", range(4))
@pytest.mark.parametrize("threshold_noise", [Laplace(5), Exponential(5)])
def test_pure_prefix(monotonic, low, positives, threshold_noise):
    cost = (low + 1) / 20  # rate · (low + g·high)
    proved = climb() ** STEPS * math.exp(cost * positives)
    charged = plan(None, threshold_noise, monotonic=monotonic).pure(positives)
    assert math.log(proved) == pytest.approx(float(charged), rel=1e-12)


@pytest.mark.parametrize("positives", range(4))
def test_resampled_prefix(positives):
    once, cost = climb() ** STEPS, 2 / 20
    weight = math.exp(cost * positives) * once ** min(positives, 3 - 1)
    charged = plan(resample=True).pure(positives)
    assert math.log(once * weight) == pytest.approx(float(charged), rel=1e-12)


@pytest.mark.parametrize("items", range(4))
def test_ranked_outcome(items):
    value, bar = math.exp(GRID / 20), math.exp(GRID / 5)  # A and Ab
    proved = (bar**STEPS if items < 3 else 1) * value ** (items * 2 * STEPS)
    charged = ranked_epsilon(items, cutoff=3, each=Fraction(2, 20), bar=Fraction(1, 5))
    assert math.log(proved) == pytest.approx(float(charged), rel=1e-12)


@pytest.mark.parametrize("rounds", [1, 3])
def test_unlisted(rounds):
    """`passes_queue`: an item of score Δ against 80, threshold noise drawn on the grid."""
    a = math.exp(-GRID / 5)

    def survival(gap):
        return min(1.0, math.exp(-gap / 20))

    passes = math.fsum(
        (1 - a) / (1 + a) * a ** abs(t) * (1 - (1 - survival(80 - 1 + t * float(GRID))) ** rounds)
        for t in range(-2000, 2001)
    )
    found = unlisted_delta(plan(rounds=rounds), 80, items_per_person=2)
    assert found == pytest.approx(2 * passes, rel=1e-6)
    assert found >= 2 * passes * (1 - 1e-12)


def charge(a, y):
    return math.exp(a * y) / (1 + a * (math.exp(y) - 1))


def shift_moment(a, k):
    r = math.exp(-GRID / 5)

    def mass(t):
        return (1 - r) / (1 + r) * r ** abs(t)

    return math.fsum(mass(t) ** a * mass(t + k) ** (1 - a) for t in range(-3000, 3001))


def factor(a, epsilon):
    return 1 / (a * math.exp((a - 1) * (epsilon + math.log(a / (a - 1)))))


@pytest.mark.parametrize("monotonic", [True, False])
def test_theorem_four(monotonic):
    scale, epsilon, a = 8, 0.7, 3.5
    proofs = race_proofs(plan(Gumbel(scale), monotonic=monotonic))
    assert len(proofs) == STEPS + 1
    for k, proof in enumerate(proofs):
        rise = (k if monotonic else STEPS + k) * float(GRID) / scale
        fall = (STEPS - k) * float(GRID) / scale
        worst = max(charge(a, rise), charge(a, -fall))
        proved = factor(a, epsilon) * shift_moment(a, k) * worst**3
        charged = log_delta_at(proof.renyi(a), a, epsilon)
        assert charged == pytest.approx(math.log(proved), rel=1e-9)
        # control: without the charge for a hazard that falls it would be another number
        if k == 0:
            wrong = factor(a, epsilon) * shift_moment(a, k) * charge(a, rise) ** 3
            assert charged != pytest.approx(math.log(wrong), rel=1e-3)


def gain(kappa, c, z):
    """`gain` by its closed form, `gain_closed`."""
    g = max((c * kappa - math.log(z)) / (1 - math.exp(-kappa)), 0.0)
    return float(special.gammainc(c, g) - z * special.gammainc(c, g * math.exp(-kappa)))


def whole_shift(own):
    """The proof in which the threshold's noise takes up all that one person moves."""
    proof = race_proofs(own)[-1]
    assert proof.each[0].fall == 0
    return proof


@pytest.mark.parametrize("mechanism", ["sparse-vector", "ranked"])
@pytest.mark.parametrize("monotonic", [True, False])
def test_theorem_one(monotonic, mechanism):
    """`race_gain`: the gain, averaged over what the shift of the threshold, or the bar, loses."""
    scale, epsilon, r = 8, 0.3, math.exp(-GRID / 5)
    kappa = (1 if monotonic else 2) / scale
    proved = math.fsum(
        (1 - r) / (1 + r) * r ** abs(t)
        * gain(kappa, 3, math.exp(epsilon) * r ** (abs(t + STEPS) - abs(t)))
        for t in range(-2000, 2001)
    )  # fmt: skip
    own = plan(Gumbel(scale), monotonic=monotonic, mechanism=mechanism)
    charged = delta_of(whole_shift(own), epsilon)
    assert charged == pytest.approx(proved, rel=1e-9)
    # control: without the loss of the shift it would be another number
    assert charged != pytest.approx(gain(kappa, 3, math.exp(epsilon)), rel=1e-2)


def test_a_bare_race_of_monotonic_queries():
    """`race_falling` and `race_rising`: the larger of the two is charged."""
    scale, epsilon, c = 2, 0.2, 3
    kappa, z = 1 / scale, math.exp(epsilon)
    g = (epsilon + c * kappa) / (math.exp(kappa) - 1)
    rising = special.gammaincc(c, g) - z * special.gammaincc(c, g * math.exp(kappa))
    bare = other_plan(plan(Gumbel(scale), monotonic=True), threshold_noise=None)
    proved = max(gain(kappa, c, z), float(rising))
    (proof,) = race_proofs(bare)
    assert delta_of(proof, epsilon) == pytest.approx(proved, rel=1e-9)


def test_one_positive():
    """Theorem 3 at c = 1, general queries."""
    kappa, epsilon = 0.5, 0.2
    proved = math.tanh(kappa / 2) * math.exp(-epsilon / math.expm1(kappa))
    charged = delta_of(race(1, kappa, kappa, None), epsilon)
    assert proved <= charged <= proved * (1 + 1e-3)


@pytest.mark.parametrize("asked", [True, False])
@pytest.mark.parametrize("positives", range(4))
def test_svt_ledger(positives, asked):
    """`svt_cost`: nothing asked costs nothing; then the threshold, and (low + high)·rate each."""
    reach = Reach(Fraction(-1, 2), Fraction(1))
    reserved = Charge(Fraction(10), (), Fraction(0))
    paid = cost_of(plan(reach=reach), CURVES, reserved, positives if asked else 0, asked)
    proved = STEPS * math.log(climb()) + (1 / 2 + 1) / 20 * positives if asked else 0
    assert float(paid.pure) == pytest.approx(proved, rel=1e-12)


def test_renyi_filter():
    """`renyi_filter`: factor·e^((a-1)·limit) is the order's share of δ, and hardly less."""
    budget = budget_of(1, "1e-6", "1/2")
    (order,), (limit,) = budget.orders, budget.limits
    proved = factor(float(order), 1.0) * math.exp((float(order) - 1) * float(limit))
    assert proved == pytest.approx(5e-7, rel=1e-9)
    assert proved <= 5e-7 * (1 + 1e-12)


def reached(kappa, n, z):
    """`reached`: the largest over t of two values of what is still to come; here on a grid of t."""
    if n == 0:
        return max(1 - z, 0)
    return max(
        share * reached(kappa, n - 1, z * math.exp(-t))
        + (1 - share) * reached(kappa, n - 1, z * math.exp(kappa - t))
        for t in (kappa * i / 60 for i in range(61))
        for share in [math.expm1(t - kappa) / math.expm1(-kappa)]
    )


@pytest.mark.parametrize(("picks", "epsilon"), [(1, 0.1), (2, 0.3)])
def test_top_delta(picks, epsilon):
    kappa = 0.5
    proved = reached(kappa, picks, math.exp(epsilon))
    charged = delta_of((Pick(kappa, times=picks),), epsilon)
    assert proved <= charged <= proved * 1.01
    assert charged > reached(kappa, picks - 1, math.exp(epsilon)) * 1.1  # control: a pick left out


def test_hits():
    """`hits_with` and `hits_without`: the larger of both is charged."""
    scale, epsilon, hits = 2, 0.2, 3
    kappa, z = 1 / scale, math.exp(epsilon)
    g = (epsilon + hits * kappa) / math.expm1(kappa)
    without = special.gammaincc(hits, g) - z * special.gammaincc(hits, g * math.exp(kappa))
    monitor = MonitorPlan(Gumbel(scale), Bar(None), hits, Reach(0, 1))
    proved = max(gain(kappa, hits, z), float(without))
    (proof,) = every_proof(monitor)
    assert delta_of(proof, epsilon) == pytest.approx(proved, rel=1e-9)


def test_weights():
    """`weight_cost`, and `weights_limit` where B is the cost of all hits at full weight."""
    scale, order, hits, steps, epsilon = 8, 3.5, 3, 4, 0.1
    weights = [math.log(max(charge(order, w), charge(order, -w))) / (order - 1)
               for w in (i / steps / scale for i in range(steps + 1))]  # fmt: skip
    for i, proved in enumerate(weights):
        cost = weight_cost(i / steps / scale, order)
        assert cost == pytest.approx(proved, rel=1e-9, abs=1e-15)
    monitor = MonitorPlan(
        Gumbel(scale), Bar(None), hits, Reach(0, 1), Fraction(1, steps), Fraction(order)
    )
    by_steps, most = charges_of(monitor)
    for part, proved in zip(by_steps, weights, strict=True):
        assert part / most == pytest.approx(proved / (hits * weights[-1]), rel=1e-8)
        assert part * hits * weights[-1] >= proved * most * (1 - 1e-12)
    limit = hits * weights[-1]
    proved = factor(order, epsilon) * math.exp((order - 1) * limit)
    (proof,) = every_proof(monitor)
    assert delta_of(proof, epsilon) <= proved * (1 + 1e-6)


def test_theorem_four_with_a_reach():
    """`theorem_four_reach` with l = 2 and u = 4 steps."""
    scale, low = 8, 2
    uneven = plan(Gumbel(scale), reach=Reach(-low * GRID, Fraction(1)))
    for k, proof in enumerate(race_proofs(uneven)):
        (each,) = proof.each
        assert each.rise == pytest.approx((STEPS + min(k, low)) * float(GRID) / scale, rel=1e-12)
        assert each.fall == pytest.approx((STEPS - k) * float(GRID) / scale, rel=1e-12)


def test_theorem_one_with_a_reach():
    """`theorem_one_reach`: the width, and the larger of both shifts."""
    scale, epsilon, r, low = 8, 0.3, math.exp(-GRID / 5), 2
    kappa = (low + STEPS) * float(GRID) / scale
    proved = [
        math.fsum(
            (1 - r) / (1 + r) * r ** abs(t)
            * gain(kappa, 3, math.exp(epsilon) * r ** (abs(t + shift) - abs(t)))
            for t in range(-2000, 2001)
        )
        for shift in (low, STEPS)
    ]  # fmt: skip
    charged = delta_of(
        whole_shift(plan(Gumbel(scale), reach=Reach(-low * GRID, Fraction(1)))), epsilon
    )
    assert charged == pytest.approx(max(proved), rel=1e-9)
    assert proved[0] < proved[1]


def bit_by_bit(shifts, z):
    """`key_bits`: a bit in front, the largest over places of the bar; here on a grid of these."""
    if not shifts:
        return max(1 - z, 0)
    shift, *later = shifts
    best = 0.0
    for place in range(-12, 13):
        x, y = special.ndtr(shift - place / 4), special.ndtr(-place / 4)
        for p, q in [(x, y), (1 - y, 1 - x)]:
            not_out = (1 - p) * bit_by_bit(later, z * (1 - q) / (1 - p))
            best = max(best, p * bit_by_bit(later, z * q / p) + not_out)
    return best


def test_key_bits():
    """Two rounds with one key each."""
    shifts, epsilon = [0.5, 0.3], 0.2
    charged = delta_of((Bit(0.5), Bit(0.3)), epsilon)
    proved = bit_by_bit(shifts, math.exp(epsilon))
    assert proved <= charged <= proved * 1.02
    assert charged > bit_by_bit(shifts[:1], math.exp(epsilon)) * 1.1  # control: a round left out


def test_lone_keys():
    """`key_rounds`: 1 - (1 - tail)^t."""
    sigma, items, weight = 2, 3, KEY_STEPS // 2
    bar = 8 * KEY_STEPS
    tail = special.ndtr(-(8 - 1 / 2) / sigma)
    found = unlisted_chance(Round(Fraction(sigma), bar), items, weight)
    assert found == pytest.approx(1 - (1 - tail) ** items, rel=1e-6)
