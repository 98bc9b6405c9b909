"""Real releases of every mechanism against its exact law, which a slow reference has enumerated.

The bytes of the system come from a seed, so each test gives one p-value for ever. Each has a
control: the law of a noise half as wide again must be rejected on the same sample.
"""

from collections import Counter
from dataclasses import replace

import pyarrow
import pytest

import overbar
from overbar import frames
from tests.frozen import seam
from tests.frozen.chi_square import FALSE_ALARM, MORE, p_value
from tests.frozen.draws import draws
from tests.reference import laws

RUNS = 1000 * MORE
THRESHOLD = 1
SCORES = (2, -1, 0, -3)
ASKED = {"epsilon": 2, "cutoff": 2, "monotonic": True, "grid": 1}
LISTED = ASKED | {"candidates": 4}
TURNS = {"mechanism": "sparse-vector"}
BATCHES = {
    "ranked": LISTED,
    "ranked, general": LISTED | {"monotonic": False, "epsilon": 4},
    "ranked, one": LISTED | {"cutoff": 1, "epsilon": 1},
    "race": LISTED | {"delta": "0.01", "noise": "gumbel"},
    "race of all": LISTED | {"delta": "0.01", "noise": "gumbel", "cutoff": 4},
    "histogram": LISTED | {"mechanism": "histogram", "items_per_person": 2},
    "histogram, gaussian": LISTED | {"mechanism": "histogram", "items_per_person": 3,
                                     "delta": "0.01", "noise": "gaussian"},
    "bare set": LISTED | {"mechanism": "bare-set", "items_per_person": 1, "delta": "0.01",
                          "cutoff": 4},
    "in turn": LISTED | TURNS,
    "in turn, two rounds": LISTED | TURNS | {"rounds": 2},
    "in turn, laplace": LISTED | TURNS | {"rounds": 2, "noise": "laplace"},
    "in turn, without end": LISTED | TURNS | {"rounds": "unlimited"},
    "in turn, gumbel without end": LISTED | TURNS | {"rounds": "unlimited", "delta": "0.01",
                                                     "noise": "gumbel"},
    "top, exponential": ASKED | {"top": True},
    "top, gumbel": ASKED | {"top": True, "delta": "0.01"},
    "top, histogram": ASKED | {"top": True, "mechanism": "histogram", "items_per_person": 2},
}  # fmt: skip


def noisier(run):
    return replace(run, scale=1.5 * run.scale)


def fits(drawn, law, wrong):
    assert p_value(drawn, law) > FALSE_ALARM
    assert p_value(drawn, wrong) < FALSE_ALARM  # the control


def sample(plan, scores=SCORES, how="at once", runs=RUNS, seed=1):
    with seam.drawn_from(seed):
        return draws(plan, scores, THRESHOLD, runs, how)


@pytest.mark.parametrize("name", BATCHES)
def test_batches(name):
    plan = overbar.plan(**BATCHES[name])
    run = seam.numbers(plan)
    drawn = sample(plan, runs=RUNS * (1 + (run.cutoff == 4)))  # with more outcomes each says less
    fits(drawn, *(laws.outcomes(one, SCORES, THRESHOLD) for one in (run, noisier(run))))


@pytest.mark.parametrize("noise", ["exponential", "gumbel", "laplace"])
def test_a_top_that_is_asked_in_turn_is_peeling(noise):
    """The bar is far above all: whoever passes is as by the exponential mechanism, in turn."""
    plan = overbar.plan(**ASKED | TURNS, top=True, noise=noise, upper_bound=5)
    scale = float(plan.query_noise.scale)
    fits(sample(plan), *(laws.peeling(SCORES, more * scale, 2) for more in (1, 1.5)))


ROUNDS = LISTED | TURNS | {"rounds": 2}


def test_pieces_share_one_threshold():
    plan = overbar.plan(**ROUNDS)
    law = laws.outcomes(seam.numbers(plan), SCORES, THRESHOLD)
    assert p_value(sample(plan, how="in pieces"), law) > FALSE_ALARM
    # A broken twin: each piece draws its own.
    alone = overbar.plan(**ROUNDS | {"cutoff": 1})
    first, last = sample(alone, SCORES[:2]), sample(alone, SCORES[2:], seed=2)
    apart = [(*one, *(2 + place for place in two)) for one, two in zip(first, last, strict=True)]
    assert p_value(apart, law) < FALSE_ALARM


ONLINE = {
    "once": {},
    "drawn anew": {"resample": True, "allocation": 5},
    "two questions": {"max_queries": 2},
    "laplace": {"noise": "laplace"},
    "gumbel": {"noise": "gumbel"},
}


@pytest.mark.parametrize("how", ["one by one", "many at once"])
@pytest.mark.parametrize("name", ONLINE)
def test_online(name, how):
    plan = overbar.plan(**ASKED | TURNS | {"correction": 0} | ONLINE[name])
    run = seam.numbers(plan)
    wrong = noisier(run)
    if run.resample:  # the threshold's noise is wide, so that drawing it anew makes a difference
        wrong = replace(run, resample=False)
    drawn = sample(plan, how=how, runs=2 * RUNS)
    fits(drawn, *(laws.online(one, SCORES, THRESHOLD) for one in (run, wrong)))


VALUES = {
    "histogram": {"items_per_person": 1, "mechanism": "histogram"},
    "ranked": {},
    "race": {"delta": "0.01"},
}


@pytest.mark.parametrize("name", VALUES)
def test_values_that_come_out(name):
    """Of a single candidate, so that nobody is chosen: noise as it is said, on the grid."""
    plan = overbar.plan(**ASKED | VALUES[name] | {"cutoff": 1}, top=True, counts=True)
    noise = plan.query_noise if plan.gives_values else plan.counts
    values = [value for ((_, value),) in sample(plan, (5,))]
    chances = (laws.masses(noise.name, more * float(noise.scale)) for more in (1, 1.5))
    fits(values, *({5 + step: p for step, p in law.items()} for law in chances))


def test_values_of_two_that_are_ranked_by_them():
    plan = overbar.plan(**ASKED, top=True, counts=True, items_per_person=2, mechanism="histogram")
    run = seam.numbers(plan)
    assert run.values
    fits(sample(plan, (1, 0)), *(laws.outcomes(one, (1, 0)) for one in (run, noisier(run))))


ALL, SOME = frozenset("abcde"), frozenset("abc")
QUESTIONS = ((ALL, 4), (SOME, 3), (ALL, 2), (frozenset("ade"), 2), (ALL, 5))


def test_a_monitor():
    """Everyone counts in so many alarms; with one alarm more the law is another."""
    plan = overbar.plan(
        epsilon=3, delta="0.01", hits_per_person=2, grid=1, correction=0, candidates=100
    )

    def answers():
        watch = overbar.Monitor(plan)
        return tuple(watch.ask(who, threshold=level) for who, level in QUESTIONS)

    with seam.drawn_from(3):
        drawn = [answers() for _ in range(2 * RUNS)]
    scale = float(plan.query_noise.scale)
    fits(drawn, *(laws.monitor(scale, hits, QUESTIONS) for hits in (2, 3)))


HELD = {1: "ab", 2: "ab", 3: "bc", 4: "a", 5: "b", 6: "b"}


@pytest.mark.parametrize("at_least", [1, 2])
def test_keys(at_least):
    """Two rounds, lots and noise together; the control is a bar that is a third higher."""
    rows = [(item, person) for person, items in HELD.items() for item in items]
    table = pyarrow.table(dict(zip(("item", "person"), zip(*rows, strict=True), strict=True)))
    question = frames.Question.keys(
        item="item", person="person", epsilon=4, delta="0.4", items_per_person=1, rounds=2,
        at_least=at_least, delta_is_large=True,
    )  # fmt: skip
    with seam.drawn_from(11):
        drawn = [frozenset(question.run(table).labels) for _ in range(250 * MORE)]
    rounds = seam.key_rounds(question.plan)
    higher = [(sigma, bar * 4 / 3) for sigma, bar in rounds]
    fits(drawn, *(laws.keys(one, 1, at_least, HELD) for one in (rounds, higher)))


def test_the_reference_adds_up_and_tells_small_changes_apart():
    """A law that is off by a thousandth of its scale is another, though no sample here shows it."""
    for asked in BATCHES.values():
        run = seam.numbers(overbar.plan(**asked))
        law, other = (
            Counter(laws.outcomes(one, SCORES[:3], THRESHOLD))
            for one in (run, replace(run, scale=1.001 * run.scale))
        )
        assert sum(law.values()) == pytest.approx(1, abs=1e-7)
        assert max(abs(law[one] - other[one]) for one in law | other) > 1e-6
