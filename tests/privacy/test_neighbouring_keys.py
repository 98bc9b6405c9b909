"""Over drawn neighbouring tables of every engine and type: one person moves the weights of t keys,
each by at most what who keeps t keys adds, and none of them down, and no table raises where its
neighbour does not. In the counts of keys that are out and in everything else, nobody moves more
than they keep.

`make campaign NAME=neighbours` draws 20,000 pairs; a test run draws some of each.
"""

from __future__ import annotations

import random

import narwhals as nw
import numpy as np
import pytest

from overbar.accounting.key_rounds import set_union
from overbar.frames import contributions, key_search
from overbar.frames.discretion import discreetly
from overbar.frames.measure import measure_of
from overbar.frames.scoring import pairs_of
from overbar.plans import SetUnionPlan
from tests.privacy.drawn_tables import FAMILIES, asked, draw, pools
from tests.privacy.test_neighbouring_tables import FAVOURED, KEY, PARTS, faults
from tests.reference.frames import kept
from tests.reference.frames import pairs_of as held_by
from tests.reference.set_union import Search

pytestmark = pytest.mark.one_in(3)

UNIONS = {
    most: set_union(1, "0.01", items_per_person=most, rounds=1, by_bits=most != 3)
    for most in (1, 2, 3, 30)
}
MEASURE = measure_of(item="what", person="who")


@pytest.fixture(autouse=True)
def one_key(monkeypatch):
    """Lots are drawn anew in each round; the claim is about every key."""
    monkeypatch.setattr(key_search, "fresh_key", lambda: KEY)


def weights(union, out):
    """Return what gives {key: weight}, and with the keys that are out [count, …, the rest]."""

    def ask(frame):
        with discreetly():
            pairs = pairs_of(frame, MEASURE)
            found = key_search.weighed(pairs, union, out)
            weighed = dict(zip(found.items.to_list(), found.steps.tolist(), strict=True))
            each, rest = key_search.counted(pairs, union.items_per_person, out)
            return weighed, [*each, rest]

    return ask


def slow_weights(rows, union, out):
    """What each key weighs and what is counted, person by person."""
    most, held = union.items_per_person, held_by(rows)
    left = {person: [item for item in items if item not in out] for person, items in held.items()}
    lots = {person: kept(person, items, most, KEY) for person, items in left.items()}
    pairs = [item for person, items in held.items() for item in kept(person, items, most, KEY)]
    each = [pairs.count(item) for item in out]
    return Search((), most, larger=union.weights).weights(lots), [*each, len(pairs) - sum(each)]


def pair(engine, seed, folder, kinds=None):
    """Return the weights of two neighbours, and those that the labels say they should have."""
    dice = random.Random(f"keys of {engine} {seed}")
    union = UNIONS[dice.choice(list(UNIONS))]
    all_kinds = [*FAMILIES.get(engine, ["file"]), *FAVOURED.get(engine, [])]
    item, person = kinds or (dice.choice(all_kinds), dice.choice(all_kinds))
    items, persons = pools(engine, item, person)
    drawn = draw(dice, items, persons)
    there = sorted({label for label, _ in drawn.rows(False) if label is not None}, key=str)
    out = dice.sample(there, min(len(there), dice.choice([0, 0, 1, 2])))
    answers = asked(weights(union, out), engine, (item, person), drawn, seed, folder)
    wanted = [slow_weights(drawn.rows(side), union, out) for side in (True, False)]
    return answers, wanted, (item, person, union, out)


def moved(answers, union):
    """Return the largest part of what is allowed by which one person moves a weight.

    None where one is lower.
    """
    (with_them, _), (without, _) = answers
    moves = [with_them.get(key, 0) - without.get(key, 0) for key in {*with_them, *without}]
    moves = [move for move in moves if move]
    if any(move < 0 for move in moves) or len(moves) > union.items_per_person:
        return None
    slow = Search((), union.items_per_person, larger=union.weights)
    return max(moves, default=0) / slow.weight(len(moves) or 1)


@pytest.mark.parametrize(("engine", "seeds"), PARTS, ids=str)
def test_one_person_moves_weights_by_what_they_add(engine, seeds, tmp_path):
    refused, largest = 0, 0
    for seed in seeds:
        answers, wanted, how = pair(engine, seed, tmp_path)
        if isinstance(answers[0], str) or isinstance(answers[1], str):
            assert not faults(answers), (engine, seed, how, answers)
            assert answers[0].startswith("ParameterError"), (engine, seed, how, answers)
            refused += 1
            continue
        assert answers == wanted, (engine, seed, how)
        part = moved(answers, how[2])
        assert part is not None, (engine, seed, how)
        assert part <= 1, (engine, seed, how)
        *each, rest = np.subtract(answers[0][1], answers[1][1]).tolist()
        assert all(move in (0, 1) for move in each), (engine, seed, how)
        assert 0 <= rest <= how[2].items_per_person - sum(each), (engine, seed, how)
        largest = max(largest, part)
    assert refused < len(seeds) * 0.8 or len(seeds) < 50
    assert largest == 1 or len(seeds) < 50  # it is not idle
    print(f"{engine}: {len(seeds)} pairs, {refused} refused by their types")


def over(engine, tmp_path, kinds, pairs=60):
    """Tell whether one person moves a weight by too much somewhere, or down."""
    for seed in range(pairs):
        answers, _, how = pair(engine, seed, tmp_path, kinds)
        part = moved(answers, how[2])
        if part is None or part > 1:
            return True
    return False


KINDS = [("pyarrow", ("int64", "int64")), ("polars", ("int64", "string"))]


@pytest.mark.parametrize(("engine", "kinds"), KINDS)
def test_control_weights_rounded_up_are_caught(engine, kinds, tmp_path, monkeypatch):
    assert not over(engine, tmp_path, kinds, pairs=20)
    exact = SetUnionPlan.weight
    monkeypatch.setattr(SetUnionPlan, "weight", lambda plan, t: exact(plan, t) + 1)
    assert over(engine, tmp_path, kinds)


@pytest.mark.parametrize(("engine", "kinds"), KINDS)
def test_control_lots_after_a_look_are_caught(engine, kinds, tmp_path, monkeypatch):
    """Everybody keeps what most others hold: one person more changes what the others keep."""

    def looked(pairs, most, _key, _groups):
        here = pairs.collect()
        items, persons = here["item"].to_list(), here["person"].to_list()
        rows = sorted(range(len(items)), key=lambda row: (-items.count(items[row]), items[row]))
        first = {row for at, row in enumerate(rows) if _before(persons, rows[:at], row) < most}
        held = [min(most, persons.count(person)) for person in persons]
        column = nw.new_series("kept", held, nw.Int64, backend=here.implementation)
        shared = here.select("item").with_columns(column)
        yield key_search.masked(shared, [row in first for row in range(len(items))]).lazy()

    monkeypatch.setattr(contributions, "bounded", looked)
    assert over(engine, tmp_path, kinds)


def _before(persons, rows, row):
    return sum(persons[other] == persons[row] for other in rows)
