"""Over drawn neighbouring tables of every engine and type: one person moves the weights of t keys,
each by at most what who keeps t keys adds, and none of them down, and no table raises where its
neighbour does not. In the counts of keys that are out and in everything else, nobody moves more
than they keep.

`make campaign NAME=neighbours` draws 20,000 pairs; a test run draws some of each.
"""

from __future__ import annotations

import random
from collections import Counter
from functools import partial

import numpy as np
import pytest

from tests.frozen import seam
from tests.frozen.drawn_tables import FAMILIES, asked, draw, pools
from tests.frozen.seam import KEY
from tests.frozen.test_neighbouring_tables import FAVOURED, PARTS, faults
from tests.reference.frames import kept, pairs_of

pytestmark = pytest.mark.one_in(3)

#: How many keys a person keeps.
MOST = (1, 2, 3, 30)


def slow_weights(rows, most, out, allowed):
    """What each key weighs and what is counted, person by person."""
    held, weights, pairs = pairs_of(rows), Counter(), Counter()
    for person, items in held.items():
        mine = kept(person, [item for item in items if item not in out], most, KEY)
        weights.update({item: allowed[len(mine) - 1] for item in mine})
        pairs.update(kept(person, items, most, KEY))
    each = [pairs[item] for item in out]
    return dict(weights), [*each, pairs.total() - sum(each)]


def pair(engine, seed, folder, kinds=None):
    """Return the weights of two neighbours, and those that the labels say they should have."""
    dice = random.Random(f"keys of {engine} {seed}")
    most = dice.choice(MOST)
    all_kinds = [*FAMILIES.get(engine, ["file"]), *FAVOURED.get(engine, [])]
    item, person = kinds or (dice.choice(all_kinds), dice.choice(all_kinds))
    items, persons = pools(engine, item, person)
    drawn = draw(dice, items, persons)
    there = sorted({label for label, _ in drawn.rows(False) if label is not None}, key=str)
    out = dice.sample(there, min(len(there), dice.choice([0, 0, 1, 2])))
    ask = partial(seam.weighed, most=most, by_bits=most != 3, out=out)
    answers = asked(ask, engine, (item, person), drawn, seed, folder)
    return answers, [drawn.rows(side) for side in (True, False)], (item, person, most, out)


def moved(answers):
    """Return the largest part of what is allowed by which one person moves a weight.

    None where one is lower.
    """
    (with_them, _, allowed), (without, *_) = answers
    moves = [with_them.get(key, 0) - without.get(key, 0) for key in {*with_them, *without}]
    moves = [move for move in moves if move]
    if any(move < 0 for move in moves) or len(moves) > len(allowed):
        return None
    return max(moves, default=0) / allowed[max(len(moves), 1) - 1]


@pytest.mark.parametrize(("engine", "seeds"), PARTS, ids=str)
def test_one_person_moves_weights_by_what_they_add(engine, seeds, tmp_path):
    refused, largest = 0, 0
    for seed in seeds:
        answers, sides, how = pair(engine, seed, tmp_path)
        most, out = how[2:]
        if isinstance(answers[0], str) or isinstance(answers[1], str):
            assert not faults(answers), (engine, seed, how, answers)
            assert answers[0].startswith("ParameterError"), (engine, seed, how, answers)
            refused += 1
            continue
        for found, rows in zip(answers, sides, strict=True):
            assert found[:2] == slow_weights(rows, most, out, found.allowed), (engine, seed, how)
        part = moved(answers)
        assert part is not None, (engine, seed, how)
        assert part <= 1, (engine, seed, how)
        *each, rest = np.subtract(answers[0].counts, answers[1].counts).tolist()
        assert all(move in (0, 1) for move in each), (engine, seed, how)
        assert 0 <= rest <= most - sum(each), (engine, seed, how)
        largest = max(largest, part)
    assert refused < len(seeds) * 0.8 or len(seeds) < 50
    assert largest == 1 or len(seeds) < 50  # it is not idle
    print(f"{engine}: {len(seeds)} pairs, {refused} refused by their types")


def over(engine, tmp_path, kinds, pairs=60):
    """Tell whether one person moves a weight by too much somewhere, or down."""
    for seed in range(pairs):
        part = moved(pair(engine, seed, tmp_path, kinds)[0])
        if part is None or part > 1:
            return True
    return False


KINDS = [("pyarrow", ("int64", "int64")), ("polars", ("int64", "string"))]


@pytest.mark.parametrize(("engine", "kinds"), KINDS)
def test_control_weights_rounded_up_are_caught(engine, kinds, tmp_path, monkeypatch):
    assert not over(engine, tmp_path, kinds, pairs=20)
    seam.broken(monkeypatch, "weights rounded up")
    assert over(engine, tmp_path, kinds)


@pytest.mark.parametrize(("engine", "kinds"), KINDS)
def test_control_lots_after_a_look_are_caught(engine, kinds, tmp_path, monkeypatch):
    """Everybody keeps what most others hold: one person more changes what the others keep."""
    seam.broken(monkeypatch, "lots after a look")
    assert over(engine, tmp_path, kinds)
