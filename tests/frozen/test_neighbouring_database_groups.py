"""Over drawn neighbouring tables in PostgreSQL, in groups: one person moves scores by at most one,
upward, in at most g groups and m of each, whatever types and values there are. Nothing is raised.

`make campaign NAME=neighbours` draws more pairs.
"""

from __future__ import annotations

import datetime
import itertools
import os
import random

import pytest

from tests.frozen import seam
from tests.frozen.seam import KEY
from tests.reference import frames as reference

PAIRS = max(12, int(os.environ.get("OVERBAR_NEIGHBOURS", "400")) * 30 // 1000)
NUMBERS = itertools.count()
NAN, INFINITY = float("nan"), float("inf")
WORDS = ("a/b", "a", "~", "~1", "", "é", "e\u0301", "x|y", "/", " ")
DAYS = (datetime.date(1, 1, 1), datetime.date(2024, 2, 29), datetime.date(9999, 12, 31))
#: {label: the ways to hold it}, by the type of a column. Under None: what has no label.
HELD = {
    "text": {**{word: [word] for word in WORDS}, None: [None]},
    "varchar": {**{word: [word] for word in WORDS}, None: [None]},
    "char(4)": {"a": ["a", "a  "], "": ["", " "], "/~": ["/~"], None: [None]},
    "integer": {**{n: [n] for n in range(-2, 4)}, None: [None]},
    "float8": {
        0: [0.0, -0.0], **{n: [float(n)] for n in range(1, 4)}, 2**53 - 1: [2.0**53 - 1],
        None: [None, NAN, 0.5, INFINITY, -INFINITY, 1e308, 5e-324, 2.0**53],
    },
    "boolean": {True: [True], False: [False], None: [None]},
    "date": {
        **{day: [day.isoformat()] for day in DAYS},
        None: [None, "infinity", "-infinity", "0044-03-15 BC", "10000-01-01"],
    },
}  # fmt: skip


def drawn(dice, kinds):
    """Return the public lists, and cells of three columns with a mark at one person's rows."""
    pools = [HELD[kind] for kind in kinds]
    last = dice.choice(list(pools[2]))
    others = [label for label in pools[2] if label != last]
    rows = []
    for _ in range(dice.randint(8, 40)):
        extra = dice.random() < 0.3
        labels = [dice.choice(list(pool)) for pool in pools[:2]]
        labels.append(last if extra else dice.choice(others))
        cells = [dice.choice(pool[label]) for pool, label in zip(pools, labels, strict=True)]
        rows.append((labels, cells, extra))
    lists = [[label for label in pool if label is not None] for pool in pools[:2]]
    return [dice.sample(labels, dice.randint(1, len(labels))) for labels in lists], rows


def pair(base, seed):
    """Return the scores of two neighbours, what they should be, and the limits of a person."""
    dice = random.Random(seed)
    kinds = [dice.choice(list(HELD)) for _ in range(3)]
    (groups, items), rows = drawn(dice, kinds)
    few, most = dice.randint(1, len(groups)), dice.choice([None, 1, 2])
    named = zip(("place", "what", "who"), kinds, strict=True)
    number = next(NUMBERS)
    whole = base.table(
        f"{', '.join(f'{name} {kind}' for name, kind in named)}, extra boolean",
        [(*cells, extra) for _, cells, extra in rows],
        f"whole{number}",
    )
    base.sql(f"CREATE VIEW without{number} AS SELECT * FROM whole{number} WHERE NOT extra")
    asked = {
        "groups": {"place": groups}, "groups_per_person": few,
        "items_per_person": most, "catalogue": items,
    }  # fmt: skip
    tables = whole, base.source(f"without{number}")
    answers = [seam.scores(table, **asked) for table in tables]
    listed = [(group, item) for group in groups for item in items]
    wanted = []
    for everybody in (True, False):
        labels = [((g, i), who) for (g, i, who), _, extra in rows if everybody or not extra]
        own = reference.in_groups(labels, few, most, KEY, listed)
        wanted.append(reference.counts([(reference.one_text(what), who) for what, who in own]))
    return answers, wanted, (few, most)


def faults(answers, few, most):
    """Return what a pair of neighbours gives away, in a word."""
    with_them, without = answers
    keys = {*with_them, *without}
    moves = {key: with_them.get(key, 0) - without.get(key, 0) for key in keys}
    moved = [key.partition("/")[0] for key, move in moves.items() if move]
    found = ["moved"] if not {*moves.values()} <= {0, 1} else []
    found += ["groups"] if len({*moved}) > few else []
    return found + (["items"] if any(moved.count(g) > (most or len(keys)) for g in moved) else [])


def test_neighbours_differ_by_one_person_in_so_many_groups(database):
    crowded = 0
    for seed in range(PAIRS):
        answers, wanted, limits = pair(database, seed)
        assert answers == wanted, seed
        assert not faults(answers, *limits), seed
        crowded += bool(faults([answers[0], {}], *limits))
    assert crowded > PAIRS / 3  # all persons together are more than one may be


LEAKS = {
    "groups": "all groups of a person",
    "items": "all items of a person",
    "moved": "lots of all together",
}


@pytest.mark.parametrize("fault", LEAKS)
def test_control_lots_that_are_not_drawn_for_each_person_are_caught(fault, database, monkeypatch):
    seam.broken(monkeypatch, LEAKS[fault])
    pairs = (pair(database, seed) for seed in range(60))
    assert any(fault in faults(answers, *limits) for answers, _, limits in pairs)
