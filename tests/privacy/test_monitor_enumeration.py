"""All answers of small adaptive monitors, with and without one person, are as close as claimed."""

import itertools
import math
import os
import random
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import overbar
from overbar.mechanisms import Bar, MonitorPlan, Reach
from overbar.mechanisms.monitor import charges_of, weight_cost
from overbar.noise import Gumbel
from overbar.privacy.account import account_of
from overbar.runs import monitor
from tests.frozen.chi_square import FALSE_ALARM, MORE, p_value
from tests.privacy.monitor_runs import SOUND, Twin, delta, law, question, renyi
from tests.reference.sampling import seeded

#: How many runs of each plan are enumerated: ``make campaign NAME=monitor`` takes 10,000 in all.
RUNS = int(os.environ.get("OVERBAR_MONITORS", "60"))
LEVELS = (0.05, 0.3, 0.8, 1.5, 3.0)


def plan(hits, scale, *, grid=1, low=0, order=None):
    reach = Reach(low, 1)
    return MonitorPlan(Gumbel(scale), Bar(None), hits, reach, Fraction(grid), order)


PLANS = {
    "one hit": plan(1, 1),
    "two hits": plan(2, 2),
    "two hits with weights": plan(2, 1, grid="0.25"),
    "either sign": plan(2, 2, grid="0.5", low=-1),
    "weights that are paid for": plan(1, 2, grid="0.25", order="2.2"),
}


def claims(own):
    return {level: overbar.guarantee(own).delta(level) for level in LEVELS}


def worst(own, claimed, runs, twin=SOUND, depth=6, keen=0.7):
    """Return the largest part of the claim that a run uses up, in both directions."""
    most = 0.0
    for number in range(runs):
        laws = law(own, depth, f"{number} ", twin, keen)
        for first, second in (laws, laws[::-1]):
            for level, allowed in claimed.items():
                most = max(most, delta(first, second, level) / allowed)
            if own.renyi_order is not None:
                used = renyi(first, second, float(own.renyi_order))
                most = max(most, used / account_of(own).renyi(float(own.renyi_order)))
    return most


@pytest.mark.parametrize("name", PLANS)
def test_runs_are_as_private_as_claimed(name):
    own = PLANS[name]
    most = worst(own, claims(own), RUNS)
    assert 0.3 < most <= 1 + 1e-9


TWINS = {
    "left out after one more": Twin(
        lambda own: charges_of(own)._replace(most=charges_of(own).most * (own.hits + 1) // own.hits)
    ),
    "hits counted on negatives": Twin(charged=False),
    "who is left out is seen": Twin(shows=True),
    "hits forgotten at a restart": Twin(forgets=3),
    "weights above one": Twin(factor=2),
}


#: Weights are paid for by a bound that short runs come less close to.
CAUGHT = [("one hit", twin) for twin in TWINS]
CAUGHT += [("weights that are paid for", list(TWINS)[place]) for place in (0, 2, 4)]


@pytest.mark.parametrize(("name", "twin"), CAUGHT)
def test_broken_monitors_are_caught(name, twin):
    own = PLANS[name]
    runs = 20 if own.renyi_order is None else 50
    assert worst(own, claims(own), runs, TWINS[twin], depth=7, keen=1.0) > 1.02


def places(hits, chance, last):
    """Return the chances of where the last hit falls, by how many questions were asked."""
    n = np.arange(hits, last)
    ways = np.array([math.lgamma(place) for place in n])
    ways -= np.array([math.lgamma(place - hits + 1) for place in n]) + math.lgamma(hits)
    return np.exp(ways + hits * math.log(chance) + (n - hits) * math.log1p(-chance))


@pytest.mark.parametrize("hits", [1, 5])
def test_the_claim_is_attained_within_one_per_cent(hits):
    """Questions about one person far below the bar: where the last hit falls tells everything."""
    own = overbar.plan(epsilon=1, delta="1e-3", hits_per_person=hits, correction=0)
    scale = float(own.query_noise.scale)
    without = 1e-3
    with_person = -math.expm1(math.log1p(-without) * math.exp(1 / scale))
    laws = [places(hits, chance, 40_000) for chance in (with_person, without)]
    assert all(abs(one.sum() - 1) < 1e-9 for one in laws)
    reached = max(delta(*laws, 1.0), delta(*laws[::-1], 1.0))
    assert 0.99 * 1e-3 <= reached <= 1e-3


def test_the_charge_of_weights_is_attained_within_one_per_cent():
    own = overbar.plan(epsilon=1, delta="1e-3", hits_per_person=5, weights=True, correction=0)
    scale, order = float(own.query_noise.scale), float(own.renyi_order)
    without = 1e-3
    with_person = -math.expm1(math.log1p(-without) * math.exp(1 / scale))
    first, second = (places(5, chance, 60_000) for chance in (with_person, without))
    reached = max(renyi(first, second, order), renyi(second, first, order))
    claimed = account_of(own).renyi(order)
    assert 0.99 * claimed <= reached <= claimed
    assert claimed == pytest.approx(5 * weight_cost(1 / scale, order))


def answers(own, depth, seed):
    """Ask a real monitor what the enumeration asks."""
    watch, history = overbar.Monitor(own), ""
    while len(history) < depth:
        counted, level = question(own, random.Random(seed + history), 0.7)
        if own.counts_persons:
            counted = [person for person, steps in counted.items() if steps]
        else:
            counted = {person: steps * own.grid for person, steps in counted.items()}
        history += "01"[watch.ask(counted, threshold=level * own.grid)]
    return history


@pytest.mark.parametrize("name", ["one hit", "either sign", "weights that are paid for"])
def test_real_answers_have_the_law_that_is_enumerated(name, monkeypatch):
    own, depth = PLANS[name], 5
    monkeypatch.setattr(monitor, "system", seeded(5))
    drawn = [answers(own, depth, "7 ") for _ in range(700 * MORE)]

    def fits(twin):
        transcripts = map("".join, itertools.product("10", repeat=depth))
        chances, _ = law(own, depth, "7 ", twin)
        return p_value(drawn, dict(zip(transcripts, chances.tolist(), strict=True)))

    assert fits(SOUND) > FALSE_ALARM > fits(TWINS["weights above one"])


def test_someone_who_does_not_count_is_charged_nothing():
    own = replace(PLANS["two hits"], hits=1)
    first, second = law(own, 6, "x", Twin(factor=0))
    np.testing.assert_allclose(first, second, rtol=1e-12)
