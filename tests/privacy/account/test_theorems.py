"""Which steps a plan has, what is paid on the way, and which plans have none."""

from fractions import Fraction

import numpy as np
import pytest

from overbar.errors import NoGuaranteeError
from overbar.mechanisms import Reach
from overbar.noise import NOISES, Exponential, Gaussian, Gumbel, Laplace
from overbar.noise.contract import Noise
from overbar.privacy import guarantee, spent
from overbar.privacy.account import account_of, proofs_of
from overbar.privacy.arrivals import race
from overbar.privacy.hazard import laplace_hazard_step
from overbar.privacy.histogram import Moved
from overbar.privacy.pairs import Bit, Pick, Pure, Shifted, Values
from overbar.privacy.pure import pure_covers
from overbar.privacy.reading import log_delta_of
from overbar.privacy.steps import Curve, Race, Worst, renyi_of
from overbar.privacy.threshold_loss import GaussianShift, LaplaceShift
from tests.reference.plans import any_plan, other_plan

QUARTER = Fraction(1, 4)
ONE_WAY = {"monotonic": True, "grid": QUARTER}
TOP = {"mechanism": "ranked", "is_top": True}


def plan(query, threshold=None, cutoff=5, **more):
    return any_plan(query, threshold, 0, cutoff, **more)


def kinds_of(made):
    """Return the ways of each kind of proof."""
    return [[proof.steps for proof in proved.every] for proved in proofs_of(made)]


def same(found, wanted):
    """Whether steps are the same but for the last digits, and rounded up."""
    if isinstance(found, tuple):
        return len(found) == len(wanted) and all(map(same, found, wanted))
    if isinstance(found, float):
        return wanted <= found <= wanted * (1 + 1e-14)
    if type(found) is not type(wanted) or not hasattr(found, "__dataclass_fields__"):
        return found == wanted
    return all(same(getattr(found, name), getattr(wanted, name)) for name in vars(wanted))


def both_ways(times, step):
    return (Worst(((Race(0.0, step, times=times),), (Race(step, 0.0, times=times),))),)


def shifted(kind, size, steps):
    return Shifted(kind(size, steps))


ANEW = {"monotonic": True, "grid": Fraction(1), "resample": True}
#: Each plan with all its kinds of proofs; of shifts, that of some.
STEPS = {
    "bare, both ways": (plan(Gumbel(20)), [[(Race(0.05, 0.05, times=5),)]]),
    "bare, one way": (plan(Gumbel(20), monotonic=True), [[both_ways(5, 0.05)]]),
    "few items": (
        plan(Gumbel(20), monotonic=True, items_per_person=2), [[both_ways(2, 0.05)]],
    ),
    "few items, noisy": (
        plan(Gumbel(20), Laplace(10), monotonic=True, items_per_person=2),
        [
            [(Pure(Fraction(7, 20)),)],
            [both_ways(5, 0.05), (shifted(LaplaceShift, 0.1, 1), Race(0.05, 0.0, times=5))],
            [both_ways(2, 0.05)],
        ],
    ),
    "laplace on queries": (
        plan(Laplace(20), monotonic=True), [[both_ways(5, laplace_hazard_step(0.05))]],
    ),
    "redrawn": (
        plan(Gumbel(20), Laplace(10), **ANEW),
        [
            [(Pure(Fraction(3, 4)),)],
            [(Pure(Fraction(3, 20), times=5),)],
            [
                both_ways(5, 0.05),
                (Worst(((shifted(LaplaceShift, 0.1, 1), Race(0.05, 0.0)),), times=5),),
            ],
        ],
    ),
    "pure, redrawn": (
        plan(Exponential(20), Laplace(10), resample=True),
        [[(Pure(Fraction(1)),)], [(Pure(Fraction(1, 5), times=5),)]],
    ),
    "top": (
        plan(Gumbel(20), monotonic=True, **TOP),
        [[(Pure(QUARTER),)], [(Pick(0.05, times=5),)]],
    ),
    "top, its width counts": (
        plan(Gumbel(20), reach=Reach(-QUARTER, 3 * QUARTER), grid=QUARTER, **TOP),
        [[(Pure(QUARTER),)], [(Pick(0.05, times=5),)]],
    ),
    "top, both ways": (
        plan(Gumbel(20), **TOP), [[(Pure(Fraction(1, 2)),)], [(Pick(0.1, times=5),)]],
    ),
    "top, few items": (
        plan(Gumbel(20), monotonic=True, items_per_person=2, **TOP),
        [[(Pure(QUARTER),)], [(Pick(0.05, times=5),)], [both_ways(2, 0.05)]],
    ),
    "set": (plan(Gaussian(20), items_per_person=2), [[(Bit(0.05, times=2),)]]),
    "histogram": (
        plan(Gaussian(20), items_per_person=2, mechanism="histogram", grid=QUARTER),
        [[(Values(Moved(2, 4, Fraction(6400))),)]],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", STEPS)
def test_a_plan_has_these_steps(name):
    made, wanted = STEPS[name]
    found = kinds_of(made)
    assert len(found) == len(wanted)
    assert all(same(tuple(one), tuple(other)) for one, other in zip(found, wanted, strict=True))


@pytest.mark.parametrize(
    ("noise", "kind"), [(Laplace(10), LaplaceShift), (Gaussian(10), GaussianShift)]
)
@pytest.mark.parametrize("back", [Fraction(0), QUARTER, Fraction(1)])
def test_each_shift_of_a_threshold_is_a_race_between_its_ends(noise, kind, back):
    """By k of n steps: log-hazards fall by the rest, and rise by as much, or by Δ more."""
    made = plan(Gumbel(20), noise, reach=Reach(-back, 1), grid=QUARTER)
    every = kinds_of(made)[-1]
    assert len(every) == 5
    for k, way in enumerate(every):
        share = Fraction(k, 4)
        rise = float(share + (1 - share + min(share, back) if back else 0)) / 20
        fall = float(1 - share) / 20
        start = (shifted(kind, 0.1 * k / 4, k),) if k else ()
        if rise >= fall:
            assert same(way, (*start, Race(rise, fall, times=5)))
        else:  # the other direction has both exchanged
            one, other = (*start, Race(rise, fall, times=5)), (*start, Race(fall, rise, times=5))
            assert same(way, (Worst((one, other)),))


@pytest.mark.parametrize("query", [Gumbel(20), Laplace(20)])
def test_of_a_fine_grid_some_shifts_are_tried_with_both_ends(query):
    fine = plan(query, Laplace(10), monotonic=True, grid=Fraction(1, 1000))
    every = kinds_of(fine)[-1]
    assert len(every) == (65 if isinstance(query, Gumbel) else 17)
    assert same(every[0], kinds_of(plan(query, monotonic=True))[0][0])
    assert same(every[-1][0], shifted(LaplaceShift, 0.1, 1000))


def test_on_a_grid_a_threshold_gives_away_more_than_on_a_finer_one():
    fine, coarse = (
        plan(Gumbel(24), Laplace(5), 50, monotonic=True, grid=grid) for grid in (QUARTER / 250, 1)
    )
    fine, coarse = (kinds_of(made)[-1][-1] for made in (fine, coarse))  # by all of it
    assert log_delta_of(coarse, 1.0) > log_delta_of(fine, 1.0) + 0.01


# What is paid on the way -----------------------------------------------------------------------


FILTERS = {
    "laplace threshold": plan(Gumbel(18), Laplace(50), 7, **ONE_WAY),
    "gaussian threshold": plan(Gumbel(18), Gaussian(99), 7, grid=QUARTER),
    "bare": plan(Gumbel(18), None, 7),
    "redrawn": plan(Gumbel(18), Laplace(50), 7, resample=True, **ONE_WAY),
    "top": plan(Gumbel(18), None, 7, **TOP),
    "pure, redrawn": plan(Exponential(18), Laplace(50), 7, resample=True),
}


@pytest.mark.parametrize("name", FILTERS)
@pytest.mark.parametrize("order", [1.5, 8.0])
def test_each_positive_costs_the_same_by_one_proof(name, order):
    """The least of several costs so far would be no filter."""
    for proof in (one for proved in proofs_of(FILTERS[name]) for one in proved.every):
        costs = [proof.spent(k, order) for k in range(9)]
        assert costs[8] == costs[7] == pytest.approx(proof.renyi(order), rel=1e-12)
        assert costs[7] >= proof.renyi(order) * (1 - 1e-11)
        if not proof.is_filter:
            assert costs[0] == costs[7]
            continue
        steps = np.diff(costs)[: 6 if proof.redraws else 7]
        assert steps == pytest.approx([steps[0]] * len(steps))
        assert (costs[0] > 0) == bool(proof.start)
    if not pure_covers(FILTERS[name]):
        whole = guarantee(FILTERS[name]).renyi(order)
        assert spent(FILTERS[name]).renyi(order) == pytest.approx(whole, rel=1e-11)


def test_what_was_spent_is_by_the_proof_that_is_best_for_the_whole():
    made = plan(Gumbel(18), Gaussian(99), 7, **ONE_WAY)
    best = account_of(made).best_proof(0, 4.0)
    every = [proof for proved in proofs_of(made) for proof in proved.every]
    assert best.renyi(4.0) == min(proof.renyi(4.0) for proof in every)
    assert spent(made, 3).renyi(4.0) == best.spent(3, 4.0)
    # Control: another has cost less so far.
    assert min(proof.spent(0, 4.0) for proof in every) < best.spent(0, 4.0)


def test_a_race_of_one_positive_each_is_what_a_redrawn_run_pays():
    proof = race(5, 0.1, 0.3, LaplaceShift(0.2, 4), redraws=True)
    assert proof.redraws
    assert len(proof.start) == 1
    once = renyi_of((*proof.start, *proof.each), 3.0)
    assert proof.spent(1, 3.0) == pytest.approx(once + renyi_of(proof.start, 3.0))
    assert proof.spent(5, 3.0) == pytest.approx(5 * once)


def test_resampling_is_dearer_and_still_covered():
    once, anew = (
        plan(Gumbel(24), Laplace(50), 50, monotonic=True, resample=flag) for flag in (False, True)
    )
    assert guarantee(once).delta(1) < guarantee(anew).delta(1) < 1


# What is covered -------------------------------------------------------------------------------


class OwnLaplace(Laplace):
    """The same law, but nobody knows."""


@pytest.mark.parametrize("resample", [False, True])
@pytest.mark.parametrize("limit", [None, 30])
def test_what_covers_a_plan_has_steps_and_nothing_else_has(resample, limit):
    noises = [kind(scale) for kind in (*NOISES.values(), OwnLaplace) for scale in ("0.001", 20)]
    seen = set()
    for query in noises:
        for threshold in (None, *noises):
            odd = plan(query, threshold, 3, resample=resample, max_queries=limit)
            moves = type(threshold) in (Laplace, Gaussian)
            covered = {
                Pure: pure_covers(odd),
                Race: type(query) in (Gumbel, Laplace) and (moves or threshold is None),
                Curve: type(query) is Gaussian and moves and limit is not None,
            }
            steep = threshold is None and query.scale < 1
            kinds = {kind for kind, is_there in covered.items() if is_there}
            found = {type(one) for ways in kinds_of(odd) for way in ways for one in flat(way)}
            assert found - {Shifted} == kinds - ({Race} if steep else set()), odd
            seen |= found
            for proof in (one for proved in proofs_of(odd) for one in proved.every):
                assert proof.spent(1, 1.5) >= 0
            try:
                odd.pure()
            except NoGuaranteeError:
                assert not covered[Pure]
            else:
                assert covered[Pure]
    assert seen == {Pure, Race, Shifted} | ({Curve} if limit else set())


def flat(way):
    for step in way:
        yield from (
            [one for inner in step.of for one in flat(inner)] if hasattr(step, "of") else [step]
        )


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (plan(Exponential(20), Gaussian(10)), "gaussian noise on the threshold has no pure"),
        (plan(Gumbel("0.01"), None), "a threshold without noise has no pure guarantee"),
        (plan(Exponential(20), None, resample=True), "a threshold without noise"),
        (plan(Gaussian(20), Gaussian(10)), "gaussian noise on"),
        (plan(Gaussian(20), None), "a threshold without noise"),
        (plan(Gaussian(20), None, max_queries=9), "a threshold without noise"),
        (plan(Laplace(20), Laplace(10), mechanism="ranked"), "for exponential and gumbel noise"),
        (
            plan(Gaussian(20), None, items_per_person=2, mechanism="ranked"),
            "exponential and gumbel",
        ),
        (plan(Gaussian(20), None, items_per_person=2, rounds=2), "a threshold without noise"),
    ],
)
def test_what_has_no_proof_says_why(made, words):
    assert not proofs_of(made)
    with pytest.raises(NoGuaranteeError, match=words):
        guarantee(made)


def test_a_race_is_looked_at_for_a_top_where_a_person_has_few_items():
    """Elsewhere it proves less: each pick is a post-processing of an arrival."""
    top = plan(Gumbel(20), None, 50, monotonic=True, **TOP)
    few = other_plan(top, items_per_person=3)
    assert [len(kinds_of(one)) for one in (top, other_plan(top, items_per_person=50), few)] == [
        2, 2, 3,
    ]  # fmt: skip
    assert guarantee(few).at("1e-6") < guarantee(top).at("1e-6")
    raced, picked = (Race(0.0, 0.05, times=50),), (Pick(0.05, times=50),)
    assert log_delta_of(raced, 1.0) > log_delta_of(picked, 1.0)


def test_every_plan_with_threshold_noise_has_the_bare_guarantee():
    """Hardly any noise on the threshold: shifting it is dear, leaving it alone is not."""
    for monotonic in (True, False):
        made = plan(Gumbel(18), Laplace("0.05"), 20, monotonic=monotonic, grid=QUARTER)
        bare = other_plan(made, threshold_noise=None)
        assert guarantee(made).at("1e-6") == guarantee(bare).at("1e-6") < 3


def test_a_noise_without_a_law_is_no_race():
    assert issubclass(OwnLaplace, Noise)
    assert not plan(OwnLaplace(20), None).proofs()
    assert not plan(Gumbel(20), OwnLaplace(20)).proofs()
    assert plan(Gumbel(20), Laplace(20)).proofs()
