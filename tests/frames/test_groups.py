"""Group by group: every engine against plain dictionaries, and what comes out of a release."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pyarrow
import pytest

import overbar
from overbar import ParameterError, frames
from overbar.frames import contributions
from overbar.frames.catalogue import in_groups
from overbar.runs.batch_run import BatchRun
from overbar.runs.positives import Batch
from tests.frames.engines import ENGINES, scores_of
from tests.reference import frames as reference
from tests.reference.plans import other_plan
from tests.reference.sampling import seed_releases, seeded

pytestmark = pytest.mark.one_in(3)

KEY = bytes(range(16))
ONE = Fraction(1)
GROUPS = ["a/b", "a", "~", "é", ""]
ITEMS = ["x", "y/z", "~1", ""]
WHAT = ["where", "what"]
LISTED = list(product(GROUPS, ITEMS))
ASK = {"item": "what", "person": "who", "groups": {"where": GROUPS}}


def drawn(size=500, seed=1):
    dice = np.random.default_rng(seed)
    groups, items = [*GROUPS, "elsewhere", None], [*ITEMS, "other", None]
    return [
        (
            (groups[dice.integers(len(groups))], items[dice.integers(len(items))]),
            int(dice.integers(40)),
            float(dice.integers(-3, 9)),
        )
        for _ in range(size)
    ]


def table_with(rows):
    whats, persons, values = zip(*rows, strict=True)
    where, what = zip(*whats, strict=True)
    text = pyarrow.string()
    return pyarrow.table({
        "where": pyarrow.array(where, text), "what": pyarrow.array(what, text),
        "who": list(persons), "much": list(values),
    })  # fmt: skip


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("most", [None, 1, 2])
@pytest.mark.parametrize("groups", [1, 2, 5])
def test_scores_and_lots_are_those_of_the_reference(engine, groups, most, monkeypatch):
    monkeypatch.setattr(contributions, "system", lambda count: KEY[:count])
    monkeypatch.setattr(contributions, "ROWS_AT_ONCE", 60)  # several parts
    rows = drawn()
    frame = ENGINES[engine](table_with(rows))
    asked = {"grid": ONE, "groups_per_person": groups, "items_per_person": most}
    asked |= {"by": "where", "groups": GROUPS}
    own = reference.in_groups(rows, groups, most, KEY.hex(), LISTED)
    texts = [(reference.one_text(what), *rest) for what, *rest in own]
    wanted = {reference.one_text(what) for what in LISTED}

    def listed(**more):
        found = scores_of(frame, catalogue=in_groups(GROUPS, ITEMS, WHAT), **asked, **more)
        return {item: score for item, score in found.items() if item in wanted}

    assert listed() == reference.counts(texts)
    assert listed(value="much", value_range=(-2, 5)) == reference.sums(texts, -2, 5, ONE)


def test_all_engines_give_the_same_answer(monkeypatch):
    answers = set()
    for engine in ENGINES.values():
        seed_releases(monkeypatch, 5)
        found = frames.top(
            engine(table_with(drawn(3000))), catalogue=ITEMS, groups_per_person=2, cutoff=2,
            items_per_person=2, epsilon=8, counts=True, **ASK,
        )  # fmt: skip
        answers.add((found.labels, found.indices, found.counts))
    assert len(answers) == 1
    assert [label[0] for label in found.labels] == [group for group in GROUPS for _ in range(2)]
    assert [LISTED[place] for place in found.indices] == list(found.labels)


@pytest.mark.parametrize("counts", [False, True])
@pytest.mark.parametrize("mechanism", ["ranked", "histogram", "sparse-vector"])
def test_a_run_in_groups_is_one_after_the_other(mechanism, counts):
    """With the same bits as runs of the plan without groups, in turn."""
    numbers = {"epsilon": 9, "cutoff": 2, "monotonic": True, "mechanism": mechanism}
    numbers |= {"counts": counts, "items_per_person": 3, "grid": 1}
    plan = overbar.plan(**numbers, candidates=5, groups=3, groups_per_person=2)
    batches = [
        Batch(np.array(scores), [(group, n) for n in range(5)])
        for group, scores in zip("abc", ([9, 0, 40, 2, 7], [0] * 5, [5, 50, 5, 60, 1]), strict=True)
    ]
    together, alone = seeded(3), seeded(3)
    whole = BatchRun.of(plan, 10).run(batches, together)
    one = BatchRun.of(other_plan(plan, groups=None, groups_per_person=None), 10)
    each = [one.run([batch], alone) for batch in batches]
    assert whole.labels == tuple(label for found in each for label in found.labels)
    assert whole.labels
    assert whole.indices == tuple(5 * "abc".index(group) + n for group, n in whole.labels)
    numbers = [count for found in each for count in found.counts or ()]
    assert whole.counts == (tuple(numbers) if counts else None)
    assert whole.spent == overbar.guarantee(plan).at(0)  # however few were found


ROWS = [(("north", "tea"), who, 1.0) for who in range(4000)]
ROWS += [(("south", "rum"), who, 1.0) for who in range(4000, 8000)]
ROWS += [(("west", "gin"), who, 1.0) for who in range(3000)]
PUBLIC = {"groups": {"where": ["south", "north", "east"]}, "catalogue": ["gin", "rum", "tea"]}
CALL = {**ASK, **PUBLIC, "groups_per_person": 1, "cutoff": 1, "epsilon": 4}


def test_an_answer_has_its_groups_in_the_public_order():
    """A margin of 2000 at a scale of 1/4: it fails once in e^8000 runs."""
    found = frames.select(table_with(ROWS), threshold=2000, **CALL)
    assert found.labels == (("south", "rum"), ("north", "tea"))
    assert found.indices == (1, 5)
    assert found.guarantee == overbar.privacy.PureDP(4)
    assert found.spent == 4
    assert repr(found).splitlines() == [
        "Selection: 2 of at most 3 selected in 3 groups; PureDP(epsilon=4), spent 4",
        "     1  ('south', 'rum')",
        "     1  ('north', 'tea')",
    ]
    assert found.to_frame().to_dict("list") == {
        "found": [1, 1], "index": [1, 5], "group": ["south", "north"], "label": ["rum", "tea"],
    }  # fmt: skip
    page = found._repr_html_()
    assert "group" in page
    assert "In each group: items" in page
    counted = frames.top(table_with(ROWS), counts=True, **{**CALL, "cutoff": 2})
    assert list(counted.to_frame()["found"]) == [1, 2] * 3
    assert len(counted.counts) == 6


def test_a_question_says_what_counts():
    asked = {**ASK, "catalogue": ITEMS, "cutoff": 1, "epsilon": 1, "groups_per_person": 2}
    assert frames.Question.top(**asked, items_per_person=3).in_words == (
        "number of who for each what in each where, at most 2 where of each who, "
        "at most 3 items of each in one where, among 4 listed items in each of 5 listed groups"
    )


def test_a_plan_says_that_items_per_person_are_those_of_each_group():
    numbers = {"epsilon": 1, "cutoff": 1, "items_per_person": 2, "mechanism": "histogram"}
    several = overbar.plan(top=True, **numbers, groups=3, groups_per_person=1)
    assert "A person moves at most 2 of them. Releases" in str(several)
    assert "run in each of 3 groups by itself, of which a person is in at most 1" in str(several)
    assert "group" not in str(overbar.plan(top=True, **numbers))


def test_several_columns_name_an_item_in_a_group():
    table = table_with(ROWS).append_column("kind", pyarrow.array(["k"] * len(ROWS)))
    listed = [("k", "rum"), ("k", "tea")]
    asked = CALL | {"item": ["kind", "what"], "catalogue": listed, "threshold": 2000}
    assert frames.select(table, **asked).labels == (("south", "k", "rum"), ("north", "k", "tea"))


@pytest.mark.parametrize("engine", ENGINES)
def test_groups_may_be_numbers(engine):
    table = pyarrow.table({"where": [1, 2] * 4000, "what": ["x"] * 8000, "who": range(8000)})
    asked = {"groups": {"where": [2, 1, 7]}, "catalogue": ["x", "y"], "threshold": 2000}
    found = frames.select(ENGINES[engine](table), **CALL | asked)
    assert found.labels == ((2, "x"), (1, "x"))


def test_a_plan_made_before_serves_the_same_groups():
    numbers = {"epsilon": 4, "cutoff": 1, "monotonic": True}
    asked = {k: v for k, v in CALL.items() if k not in numbers}
    plan = overbar.plan(top=True, **numbers, groups=3, groups_per_person=1)
    assert len(frames.top(table_with(ROWS), plan=plan, **asked)) == 3
    for other in (
        overbar.plan(top=True, **numbers, groups=4, groups_per_person=1),
        overbar.plan(top=True, **numbers, groups=3, groups_per_person=2),
        overbar.plan(top=True, **numbers),
    ):
        with pytest.raises(ParameterError, match="must be for the same groups"):
            frames.top(table_with(ROWS), plan=other, **asked)
    with pytest.raises(ParameterError, match="is for 3 groups of a table"):
        overbar.top([1, 2, 3], plan=plan)
    queue = overbar.plan(
        **numbers, candidates=9, mechanism="sparse-vector", groups=3, groups_per_person=1
    )
    with pytest.raises(ParameterError, match="without counts and groups"):
        overbar.SparseVector(queue, threshold=5)


REFUSED = {
    "Write groups_per_person=1 if everybody is in one group": {"groups_per_person": None},
    "groups_per_person goes with groups": {"groups": None},
    "groups must be a column and the public list": {"groups": ["north"]},
    "groups must be a column and the": {"groups": {"where": None}},
    "groups must be about one column, got 2": {"groups": {"where": ["a"], "what": ["b"]}},
    "groups must have at least one item": {"groups": {"where": []}},
    "groups must not list an item twice": {"groups": {"where": ["a", "a"]}},
    "groups must hold items of one kind": {"groups": {"where": ["a", 1]}},
    "groups must be a list": {"groups": {"where": "north"}},
    "catalogue must be given with groups": {"catalogue": None},
    "groups_per_person must be a positive whole number": {"groups_per_person": 0},
    "each role needs a column of its own": {"groups": {"what": ["a"]}},
    "groups must name a column": {"groups": {"nowhere": ["a"]}},
    "at most 5,000,000 pairs": {"catalogue": range(2_000_000)},
    "groups must be left out with score": {"person": None, "score": "much", "sensitivity": 1},
}


@pytest.mark.parametrize("message", REFUSED)
def test_what_is_refused_does_not_depend_on_rows(message):
    for rows in (ROWS[:4], [((None, None), 1, 1.0)]):
        with pytest.raises(ParameterError, match=message):
            frames.top(table_with(rows), **{**CALL, "delta": "1e-6"} | REFUSED[message])


def test_a_list_of_groups_that_is_the_column_is_refused():
    frame = table_with(ROWS).to_pandas()
    asked = {**CALL, "groups": {"where": frame["where"].iloc[3999:4001]}}
    with pytest.raises(ParameterError, match="groups must be a public list"):
        frames.top(frame, **asked)
    with pytest.raises(ParameterError, match="groups must be a public list"):
        frames.Question.top(**asked).run(frame)
    asked = {**CALL, "catalogue": frame["what"].iloc[3999:4001]}
    with pytest.raises(ParameterError, match="catalogue must be a public list"):
        frames.Question.top(**asked).run(frame)


class Shrinking:
    """A list that is shorter when it is read again: a group would be cut in two."""

    def __init__(self):
        self.lists = [["south", "north"], ["south"]]

    def __iter__(self):
        return iter(self.lists.pop(0))


@pytest.mark.parametrize("make", [Shrinking, lambda: iter(["south", "north"])])
def test_a_list_of_groups_is_read_once(make):
    question = frames.Question.top(**{**CALL, "groups": {"where": make()}})
    assert len(question.catalogue) == question.plan.groups.count * len(PUBLIC["catalogue"])
    assert question.plan.groups.count == 2


def test_a_table_without_rows_is_asked_all_the_same():
    found = frames.top(table_with(ROWS).slice(0, 0), **CALL)
    assert [label[0] for label in found.labels] == ["south", "north", "east"]
