"""Mechanisms that a seed runs have their stored laws, and each verb does what its contract says.

Stored laws have noise on the grid, seeded noise is real. So those are compared where the two are
the same with whole scores: without noise on the bar, and for keys, whose grid is fine.
"""

import json
from fractions import Fraction

import numpy as np
import pytest

from overbar.mechanisms import Plan
from overbar.mechanisms.keys import Held
from overbar.mechanisms.plan_file import FILE_VERSION
from overbar.noise import Exponential, Gaussian, Gumbel, Laplace
from overbar_lab.simulation.candidates import Candidates
from overbar_lab.simulation.seeded import UNITS, Seeded
from tests.frozen.chi_square import FALSE_ALARM, MORE, p_value
from tests.golden.entries import OTHERS, first_of_each, named, read
from tests.reference.plans import any_plan

pytestmark = pytest.mark.one_in(3)

RUNS = 3000 * MORE
FIRST, REST = first_of_each(
    [
        entry
        for entry in read("laws")
        if ("bar=none" in entry["tags"] and entry["run"]["kind"] != "histogram")
        or entry["run"]["kind"] == "set-union"
    ]
)


def seeded(seed=1):
    return Seeded(np.random.default_rng(seed))


def plan_of(entry):
    told = {name: value for name, value in entry["run"].items() if name != "order"}
    return Plan.from_json(json.dumps({"overbar_plan": FILE_VERSION, **told}))


def answer(entry, plan, run):
    """Run the mechanism of a stored law once, and write its answer as laws have it."""
    data = entry["scores"]
    if entry["run"]["kind"] == "set-union":
        return str(list(plan.run(run, Held(run, data)).found))
    level = None if plan.bar is None else plan.level(entry["level"])
    if isinstance(data, list):
        said = plan.ask(run, data, level)
        return str(tuple(place for place, yes in enumerate(said) if yes))
    names, scores = list(data), Candidates(np.array(list(data.values()), float), 0.0)
    return str(tuple(names[one.candidate] for one in plan.run(run, scores, level).found))


def compared(entry, plan):
    """Return the p-value of runs by the law; what it does not list is one answer."""
    run = seeded()
    told = [answer(entry, plan, run) for _ in range(RUNS)]
    told = [said if said in entry["is"] else OTHERS for said in told]
    return p_value(told, entry["is"])


@pytest.mark.parametrize("entry", FIRST, ids=named)
def test_runs_have_a_stored_law_of_each_kind(entry):
    assert compared(entry, plan_of(entry)) > FALSE_ALARM


@pytest.mark.parametrize("entry", REST, ids=named)
def test_runs_have_stored_laws(entry):
    assert compared(entry, plan_of(entry)) > FALSE_ALARM


@pytest.mark.parametrize("kind", ["top", "in turn", "online", "keys"])
def test_control_more_noise_is_noticed(kind):
    entry = next(entry for entry in FIRST + REST if entry["tags"][0] == kind)
    run = dict(entry["run"])
    if kind == "keys":
        run["rounds"] = [one | {"sigma": "3"} for one in run["rounds"]]
    else:
        run["query_noise"] = run["query_noise"] | {"scale": "3"}
    assert compared(entry, plan_of({**entry, "run": run})) < FALSE_ALARM


@pytest.mark.parametrize("rounds", [2, None])
def test_a_list_is_asked_in_its_order_from_the_second_round_on(rounds):
    """All pass in the first round, so the order says who comes out."""
    asked = {"noise": Exponential(1), "grid": UNITS, "bar": 0, "most": 2}
    found = [seeded(seed).passing([5, 5, 5], **asked, rounds=rounds) for seed in range(9)]
    assert all([one.candidate for one in own] == [0, 1] for own in found)
    once = [seeded(seed).passing([5, 5, 5], **asked).candidate.tolist() for seed in range(9)]
    study = Candidates(np.full(3, 5.0), 0.0)
    by_lot = [seeded(seed).passing(study, **asked, rounds=rounds) for seed in range(9)]
    for several in (once, [own.candidate.tolist() for own in by_lot]):
        assert len(set(map(tuple, several))) > 2


@pytest.mark.parametrize("noise", [Exponential(3), Laplace(3), Gumbel(3), Gaussian(3)])
def test_noise_is_in_grid_steps(noise):
    fine = Fraction(1, 8)
    coarse, more = seeded().draws(noise, UNITS, 5), seeded().draws(noise, fine, 5)
    np.testing.assert_allclose(more, 8 * coarse)
    assert seeded().draw(noise, fine) == more[0]
    assert seeded().draw(None, fine) == 0
    scores = np.arange(-20.0, 20.0)
    by_grid = [
        seeded().passing(Candidates(steps * scores, 0.0), noise, grid, steps * 9, most=7)
        for steps, grid in ((1, UNITS), (8, fine))
    ]
    np.testing.assert_array_equal(by_grid[0].candidate, by_grid[1].candidate)


def test_values_and_counts_are_told_on_the_grid():
    scores = Candidates(np.array([900.0, 20.0, 700.0]), 0.0)
    values = any_plan(
        Laplace(2), None, 0, 2, mechanism="histogram", items_per_person=1, counts=Laplace(2)
    )
    fresh = any_plan(Exponential(2), None, 0, 2, mechanism="ranked", counts=Laplace(2))
    for plan, told in ((values, 3), (fresh, 2)):
        answer = plan.run(seeded(), scores, 500)
        assert [one.candidate for one in answer.found] == [0, 2]
        assert len(answer.values) in (2, told)
        assert all(isinstance(value, int) for value in answer.values)
        np.testing.assert_allclose(answer.values[:2], [900, 700], atol=40)


def test_places_come_out_by_their_chances():
    run, counts = seeded(), [0, 1, 2, 3, 9]
    told = np.zeros(5)
    for _ in range(4000):
        told[run.choose(counts, [0, 1, 4, 8], 3)] += 1
    np.testing.assert_allclose(told / 4000, [0, 1 / 8, 1 / 2, 1, 1], atol=0.04)


def test_a_lot_is_fair_and_in_order():
    run = seeded()
    lots = [tuple(run.lot("abcd", 2)) for _ in range(6000)]
    even = dict.fromkeys(map(tuple, ("ab", "ac", "ad", "bc", "bd", "cd")), 1 / 6)
    assert p_value(lots, even) > FALSE_ALARM
    assert list(run.lot("abc", 5)) == list("abc")
