"""The example of the paper's Algorithm 2 has the law of the plain loop, which is enumerated."""

from collections import defaultdict

import pytest
from examples.algorithm_2 import algorithm_2

from tests.frozen.chi_square import FALSE_ALARM, MORE, p_value
from tests.reference.plans import other_plan
from tests.reference.sampling import seed_releases
from tests.reference.transcripts import Law, distribution

RUNS = 1500 * MORE
ANSWERS = (12, 3, 5, -2)
THRESHOLDS = (10, 4, 3, 1)  # some answers above their own, some below
QUERIES = [*zip("abcd", ANSWERS, THRESHOLDS, strict=True)]
ASKED = {"epsilon": 2, "c": 2, "k_max": 9, "w": "0.5", "k": 2}
#: What is asked, and what the law is compared with that must be rejected.
CASES = {
    "once": ({}, {"k_max": 2}),
    "append": ({"append": True}, {"append": False}),
    "resample": ({"resample": True, "w": 5}, {"resample": False}),
    "resample and append": (
        {"resample": True, "append": True, "w": 5},
        {"resample": False},
    ),
    "few queries": ({"append": True, "k_max": 4}, {"k_max": 6}),
    "other split": ({"append": True}, {"w": 3}),
    "a tolerance": ({"append": True, "alpha": 2}, {"alpha": 0}),
}


def enumerated(plan, *, append):
    """Return {labels in the order found: probability} of the loop that is written on paper."""
    rounds = plan.repeats.max_queries if append else 1
    steps = int(1 / plan.grid)
    gaps = tuple((answer - own) * steps for _, answer, own in QUERIES)
    law = distribution(gaps, Law(other_plan(plan, rounds=rounds), plan.level(0)))
    found = defaultdict(float)
    for said, probability in law.items():
        found["".join(QUERIES[query][0] for query, answer in said if answer)] += float(probability)
    return dict(found)


def of(asked):
    _, run = algorithm_2(QUERIES, **asked)
    return enumerated(run.plan, append=asked.get("append", False))


@pytest.mark.parametrize("name", CASES)
def test_the_example_has_the_law_of_the_algorithm(name, monkeypatch):
    seed_releases(monkeypatch, 1)
    how, change = CASES[name]
    outcomes = ["".join(algorithm_2(QUERIES, **ASKED | how)[0]) for _ in range(RUNS)]
    assert p_value(outcomes, of(ASKED | how)) > FALSE_ALARM
    assert p_value(outcomes, of(ASKED | how | change)) < FALSE_ALARM


def test_each_query_has_its_own_threshold(monkeypatch):
    """Control: the law with one threshold for all is another."""
    seed_releases(monkeypatch, 2)
    outcomes = ["".join(algorithm_2(QUERIES, **ASKED)[0]) for _ in range(RUNS)]
    one_for_all = [(label, answer, 4) for label, answer, _ in QUERIES]
    monkeypatch.setattr("tests.examples.test_algorithm_2.QUERIES", one_for_all)
    assert p_value(outcomes, of(ASKED)) < FALSE_ALARM
