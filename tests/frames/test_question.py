"""What follows from the columns that were named; refusals; nothing here touches data."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction

import pytest

import overbar
from overbar import NoGuaranteeError, ParameterError, frames
from overbar.frames import Question
from overbar.frames.scoring import MOST_STEPS
from overbar.mechanisms import Reach
from overbar.privacy import PureDP, UnlistedDP, unlisted_delta
from tests.frames.engines import table_of
from tests.queue_plans import queue_plan, queue_top_plan

COUNT = {"item": "what", "person": "who"}
SCORE = {"item": "what", "score": "n"}
LISTED = {"catalogue": ["a", "b", "c"], "threshold": 100}
ASK = {"epsilon": 1, "cutoff": 2}
UNLISTED = {"threshold": 1000, "items_per_person": 3}
MANY_ITEMS = {"threshold": 10_000, "items_per_person": 100}
PRICED = {**ASK, "delta": "1e-6", "candidates": 1000}


def sums(ends):
    return {**COUNT, "value": {"much": ends}}


def in_turn(**changes):
    """Return a plan that asks one by one."""
    return queue_plan(**ASK, monotonic=True, candidates=1000, **changes)


def select(columns, how=LISTED, parameters=ASK, **more):
    return Question.select(**parameters, **columns, **{**how, **more})


@pytest.mark.parametrize(
    ("columns", "sensitivity", "monotonic"),
    [
        (COUNT, 1, True),
        (sums((0, 3)), 3, True),
        (sums(("0.5", 3)), 3, True),
        (sums((-5, 3)), 5, False),
        (sums((-5, -1)), 5, False),
    ],
)
def test_the_sensitivity_follows_from_the_columns(columns, sensitivity, monotonic):
    question = select(columns)
    assert (question.sensitivity, question.monotonic) == (sensitivity, monotonic)
    assert question.plan.reach.most == sensitivity
    assert question.plan.reach.one_way is monotonic
    assert question.guarantee.at() == 1
    assert question.unlisted_delta is None
    reach = question.measure.reach
    for same in (reach, (reach.low, reach.high)):
        assert select(columns, parameters={**ASK, "sensitivity": same}).plan == question.plan
    for wrong in (7, (-7, 0), Reach(-7, 7)):
        with pytest.raises(ParameterError, match="sensitivity must be left out: one person moves"):
            select(columns, parameters={**ASK, "sensitivity": wrong})


@pytest.mark.parametrize(
    ("ends", "grid", "low", "high"),
    [
        ((-10, 100), None, -10, 100),
        ((-100, 10), None, -100, 10),
        ((-1, 3), None, -333_334 * Fraction(3, 10**6), 3),
        (("-0.7", 3), 1, -1, 3),
        ((-3, "0.7"), 1, -3, 1),
        ((-5, -1), None, -5, 5),
    ],
)
def test_a_range_across_zero_has_its_own_reach_rounded_outwards_to_the_grid(ends, grid, low, high):
    columns = sums(ends)
    for parameters in (ASK, {**ASK, "delta": "1e-6"}):
        if grid is None:
            plan = select(columns, parameters=parameters).plan
        else:
            reach = Reach(*(min(ends[0], 0, key=Fraction), max(ends[1], 0, key=Fraction)))
            reach = reach.outwards(Fraction(grid))
            plan = overbar.plan(**parameters, candidates=3, reach=reach, grid=grid)
        assert plan.reach == Reach(low, high)
        assert select(columns, plan=plan, parameters={}).plan is plan


def test_a_range_across_zero_is_charged_with_its_width():
    plan = Question.top(**ASK, **sums((-10, 100)), catalogue=["a", "b", "c"]).plan
    before = overbar.plan(top=True, **ASK, sensitivity=100)
    assert plan.query_noise.scale == before.query_noise.scale * Fraction(110, 200)
    with pytest.raises(ParameterError, match=r"grid must divide .* -0\.7 to 3, got 2"):
        overbar.plan(top=True, **ASK, reach=Reach("-0.7", 3), grid=2)


def test_a_score_brings_a_declared_sensitivity():
    for ends, low, high in (
        ((0, "2.5"), 0, "2.5"), (["-1", 2], -1, 2), (1, -1, 1), (Reach(-3, 0), -3, 0),
    ):  # fmt: skip
        question = select(SCORE, parameters={**ASK, "sensitivity": ends})
        assert question.plan.reach == question.measure.reach == Reach(low, high)
        assert question.monotonic is (0 in (low, high))
        assert question.guarantee.at() == 1
    for wrong in ((1, 2), (-2, -1), (0, 0), (0, 1, 2), ()):
        with pytest.raises(ParameterError, match=r"such as \(0, 1\) for counts"):
            select(SCORE, parameters={**ASK, "sensitivity": wrong})
    with pytest.raises(ParameterError, match="sensitivity must be given with score"):
        select(SCORE)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"item": "what"}, "person must name the column"),
        ({**COUNT, "person": "what"}, "each role needs a column of its own"),
        ({**COUNT, "person": 3}, "person must be the name of a column"),
        ({**COUNT, "item": ""}, "item must be the name of a column"),
        ({**COUNT, "value": "much"}, "value must be a column with a range, such as {'amount'"),
        ({**COUNT, "value": {"much": (0, 1), "more": (0, 1)}}, "value must be about one column"),
        ({**COUNT, "value": {"": (0, 1)}}, "value must be the name of a column"),
        (sums((2, 1)), "the range must have low < high, got 2 and 1"),
        (sums((0, 0)), "the range must have low < high"),
        (sums("auto"), "the range must be two public numbers"),
        ({**COUNT, "items_per_person": "auto"}, "items_per_person must be a number"),
        (sums(5), "the range must be two public numbers .* known before a look at the data"),
        (sums((0, "x")), "the range must be a number"),
        ({**SCORE, "person": "who"}, "person must be left out with score"),
        ({**SCORE, "value": "much"}, "value must be left out with score"),
        ({**SCORE, "items_per_person": 2}, "items_per_person must be left out with score"),
        ({**COUNT, "items_per_person": 0}, "items_per_person must be a positive whole number"),
    ],
)  # fmt: skip
def test_columns_that_make_no_question(columns, message):
    with pytest.raises(ParameterError, match=message):
        select(columns)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"catalogue": []}, "catalogue must have at least one item"),
        ({"catalogue": range(0)}, "catalogue must have at least one item"),
        ({"catalogue": ["a", "b", "a"]}, "must not list an item twice: number 3 "),
        ({"catalogue": [4, 5, 4]}, "must not list an item twice: number 3 "),
        ({"catalogue": ["a", 1]}, "items of one kind .* got int, str"),
        ({"catalogue": ["a", None]}, "nothing missing, got NoneType, str"),
        ({"catalogue": [True, 1]}, "items of one kind"),
        ({"catalogue": [1.5]}, "items of one kind .* got float"),
        ({"catalogue": "abc"}, "catalogue must be a list, a range"),
        ({"catalogue": {"a", "b"}}, "items in an order"),
        ({"catalogue": {"a": 1}}, "items in an order"),
        ({"catalogue": 5}, "catalogue must be a list, a range"),
        ({"catalogue": [2**63]}, "whole numbers between"),
        ({"catalogue": range(2**63, 2**63 + 2)}, "whole numbers between"),
        ({"threshold": "high"}, "threshold must be a number"),
        ({"plan": "plan"}, "plan must be a Plan"),
        ({"parameters": {"cutoff": 1}}, "epsilon must be given, or a plan"),
        ({"parameters": {"epsilon": 1}}, "cutoff must be given, or a plan"),
    ],
)
def test_other_public_mistakes(change, message):
    with pytest.raises(ParameterError, match=message):
        select(COUNT, **change)


def test_sums_that_could_leave_a_word_are_refused_by_public_numbers():
    columns, grid = sums((0, 3)), Fraction(3, MOST_STEPS)
    asked = {**ASK, "candidates": 3, "sensitivity": 3, "monotonic": True}
    fine, finer = overbar.plan(**asked, grid=grid), overbar.plan(**asked, grid=grid / 2)
    assert select(columns, plan=fine, parameters={}).plan.grid == grid
    with pytest.raises(ParameterError, match="the range must be at most 2,097,152 grid steps"):
        select(columns, plan=finer, parameters={})


def test_a_plan_must_protect_what_the_columns_need():
    plan = queue_plan(epsilon=1, cutoff=2, sensitivity=2, candidates=10)
    assert select(COUNT, plan=plan, parameters={}).plan is plan
    assert select(sums((0, 2)), plan=plan, parameters={}).plan is plan
    with pytest.raises(ParameterError, match=r"must have a sensitivity of at least 3 .* got 2"):
        select(sums((0, 3)), plan=plan, parameters={})
    one_way = queue_plan(epsilon=1, cutoff=2, sensitivity=9, monotonic=True, candidates=10)
    with pytest.raises(ParameterError, match="must not be for monotonic queries"):
        select(sums((-1, 3)), plan=one_way, parameters={})
    with pytest.raises(ParameterError, match="leave out cutoff, epsilon"):
        select(COUNT, plan=plan)
    uneven = queue_plan(epsilon=1, cutoff=2, reach=Reach(-1, 9), candidates=10)
    assert select(sums((-1, 3)), plan=uneven, parameters={}).plan is uneven
    assert select(COUNT, plan=uneven, parameters={}).plan is uneven
    for ends in ((-2, 3), (-3, 1)):
        with pytest.raises(ParameterError, match=rf"moves by {ends[0]} to {ends[1]} at least.* -1"):
            select(sums(ends), plan=uneven, parameters={})
    with pytest.raises(ParameterError, match="moves by -5 to 5 at least"):
        select({**SCORE, "sensitivity": 5}, plan=uneven, parameters={})


def test_the_catalogue_says_how_many_candidates():
    assert select(COUNT).plan == select(COUNT, parameters={**ASK, "candidates": 3}).plan
    assert select(COUNT).plan != select(COUNT, parameters={**ASK, "candidates": 3000}).plan


def test_unlisted_items_cost_what_the_theorem_says():
    question = select(COUNT, UNLISTED, PRICED)
    assert question.catalogue is None
    assert question.unlisted_delta == unlisted_delta(question.plan, 1000, 3) > 0
    # The plan is pure, so all of the δ is there for the items.
    assert question.plan_delta == 0
    assert question.guarantee == UnlistedDP(PureDP(1), question.unlisted_delta)
    assert repr(question).endswith(f"; {question.guarantee!r}")


def test_unlisted_items_are_never_free():
    question = select(COUNT, {**UNLISTED, "threshold": 10**6}, PRICED)
    assert 0 < question.unlisted_delta < 1e-300
    assert "e-308)" in repr(question)


def test_an_approximate_plan_takes_half_of_the_delta():
    question = select(COUNT, MANY_ITEMS, {**PRICED, "cutoff": 100})
    assert question.plan_delta == Fraction(1, 2 * 10**6)
    assert question.guarantee.at(question.plan_delta + Fraction(question.unlisted_delta)) <= 1
    assert question.unlisted_delta <= Fraction(1, 2 * 10**6)
    given = select(COUNT, MANY_ITEMS, {"delta": "1e-6"}, plan=question.plan)
    assert given.plan_delta == question.plan_delta


def test_the_noise_that_is_best_may_be_pure_and_then_leaves_all_of_the_delta():
    question = select(COUNT, UNLISTED, PRICED)
    assert isinstance(overbar.guarantee(question.plan), PureDP)
    assert question.plan_delta == 0
    many = select(COUNT, MANY_ITEMS, {**PRICED, "cutoff": 100})
    assert not isinstance(overbar.guarantee(many.plan), PureDP)
    assert many.plan_delta == Fraction(1, 2 * 10**6)


def test_a_refusal_names_three_things_to_change_and_each_of_them_helps():
    asked = {"threshold": 30, "items_per_person": 5}
    plan = overbar.plan(**ASK, monotonic=True, candidates=1000, rounds=3)
    parameters = {"delta": "1e-6", "plan": plan}
    with pytest.raises(NoGuaranteeError) as caught:
        select(COUNT, asked, parameters)
    text = str(caught.value)
    assert "raise the threshold from 30 to " in text
    assert "fewer rounds (now 3) or fewer items_per_person (now 5)" in text
    assert "allow a larger delta, or give a public catalogue" in text
    enough = Fraction(re.search(r"threshold from 30 to (\S+) or more", text)[1])
    question = select(COUNT, {**asked, "threshold": enough}, parameters)
    assert question.unlisted_delta <= 1e-6
    with pytest.raises(NoGuaranteeError):
        select(COUNT, {**asked, "threshold": enough - 1}, parameters)
    large = {**parameters, "delta": "0.9", "delta_is_large": True}
    assert select(COUNT, asked, large).unlisted_delta <= 0.9
    assert select(COUNT, {**asked, "catalogue": ["a"]}, ASK).unlisted_delta is None


@pytest.mark.parametrize(
    ("how", "parameters", "message"),
    [
        ({"threshold": 900}, ASK, "delta must be positive without a catalogue"),
        (
            {"threshold": 900},
            {"delta": "1e-6", "plan": in_turn()},
            "items_per_person must be given without a catalogue",
        ),
        (UNLISTED, {**ASK, "candidates": 9}, "delta must be positive without a catalogue"),
        (
            UNLISTED,
            {"delta": "1e-6", "plan": in_turn(rounds=None)},
            "limit rounds, or give a public catalogue",
        ),
        (
            UNLISTED,
            {"delta": "1e-6", "plan": in_turn(max_queries=9)},
            "neither resample nor max_queries",
        ),
        (UNLISTED, {"plan": in_turn()}, "delta must be positive without a catalogue"),
        (UNLISTED, {**ASK, "delta": "1e-6"}, "candidates must be given"),
    ],
)
def test_what_unlisted_items_need(how, parameters, message):
    with pytest.raises(ParameterError, match=message):
        select(COUNT, how, parameters)


def test_top_needs_a_catalogue_and_a_bound():
    ask = {**ASK, **COUNT}
    question = Question.top(**ask, catalogue=range(10))
    assert question.threshold is None  # there is no bar
    assert question.guarantee.at() == 1
    lifted = queue_top_plan(**ASK, monotonic=True, upper_bound=10**6)
    asked_in_turn = Question.top(**COUNT, catalogue=range(10), plan=lifted)
    assert asked_in_turn.plan.labels.repeats.rounds is None
    assert asked_in_turn.threshold == 10**6
    with pytest.raises(ParameterError, match="delta must be positive without a catalogue"):
        Question.top(**ask)
    with pytest.raises(ParameterError, match="catalogue must be given with plan"):
        Question.top(**COUNT, plan=question.plan)
    with pytest.raises(ParameterError, match="cutoff must be given"):
        Question.top(**COUNT, epsilon=1, delta="1e-6")
    with pytest.raises(ParameterError, match="upper_bound must be given"):
        Question.top(**COUNT, catalogue=range(10), plan=queue_top_plan(**ASK, monotonic=True))
    for name in ("rounds", "correction", "candidates", "upper_bound"):
        with pytest.raises(
            TypeError, match=rf"top\(\) got an unexpected keyword argument '{name}'"
        ):
            Question.top(**ask, **{name: 2}, catalogue=range(10))


def test_a_misspelt_keyword_is_told_with_the_one_that_was_meant():
    for call in (Question.select, Question.top):
        with pytest.raises(TypeError, match="'cutof'; did you mean 'cutoff'"):
            call(**COUNT, cutof=3, epsilon=1)
    for call in (frames.select, frames.top):
        with pytest.raises(TypeError, match="'catalog'; did you mean 'catalogue'"):
            call(None, **COUNT, catalog=["a"], epsilon=1, cutoff=1)


def test_numbers_that_follow_from_the_columns_may_be_said_again():
    """Also where they are what a plan takes by default: a default is no silence."""
    scored = {"item": "what", "score": "n", "catalogue": ["a", "b"], "threshold": 5, **ASK}
    assert Question.select(**scored, sensitivity=1).sensitivity == 1
    assert Question.select(**scored, sensitivity=(0, 1)).monotonic
    with pytest.raises(ParameterError, match="sensitivity must be given with score"):
        Question.select(**scored)
    with pytest.raises(ParameterError, match="sensitivity must be left out"):
        select(COUNT, sensitivity=1)


def test_top_takes_a_plan():
    plan = queue_top_plan(epsilon=1, cutoff=2, monotonic=True, upper_bound=10**6)
    ask = {**COUNT, "catalogue": ["a", "b", "c"]}
    assert Question.top(**ask, plan=plan).plan is plan
    found = frames.top(table_of([("a", 1), ("b", 2)]), **ask, plan=plan)
    assert found.plan is plan
    assert len(found) == 2
    with pytest.raises(
        ParameterError, match=r"must be one for top; make it with overbar\.plan\(top=True\)"
    ):
        Question.top(**ask, plan=queue_plan(epsilon=1, cutoff=2, candidates=3))
    with pytest.raises(ParameterError, match="a plan brings its own numbers: leave out epsilon"):
        Question.top(**ask, plan=plan, epsilon=1)


#: What is taken if nothing is said; said beside a plan, it is refused all the same.
USUAL = {"delta": 0, "counts": False}


@pytest.mark.parametrize("name", USUAL)
def test_a_number_beside_a_plan_is_refused_also_at_its_usual_value(name):
    asked = {**COUNT, "catalogue": ["a", "b", "c"], name: USUAL[name]}
    with pytest.raises(ParameterError, match=f"leave out {name}"):
        Question.top(**asked, plan=overbar.plan(**ASK, top=True, monotonic=True))
    with pytest.raises(ParameterError, match=f"leave out {name}"):
        frames.select(table_of([("a", 1)]), **asked, threshold=5, plan=in_turn())


def test_a_question_reads_well():
    assert repr(select(COUNT)) == (
        "Question: number of who for each what, against 100, among 3 listed items; "
        "PureDP(epsilon=1)"
    )
    bounded = select(sums((0, 3)), items_per_person=1)
    assert bounded.in_words == (
        "sum of much within 0 and 3 over who for each what, at most 1 item of each, against 100, "
        "among 3 listed items"
    )
    score = select(SCORE, {"threshold": 5}, {**ASK, "sensitivity": 1, "candidates": 5})
    assert score.in_words == "n for each what, against 5, among all items of the table"


def test_a_question_that_is_rebuilt_checks_its_plan_again():
    """A plan for less than the scores need would say less than it costs."""
    question = select(COUNT)
    half = replace(question.plan, reach=Reach(0, Fraction(1, 2)))
    with pytest.raises(ParameterError, match="sensitivity of at least 1"):
        replace(question, plan=half)
    few = select(COUNT, items_per_person=1)
    assert few.plan.items_per_person == 1
    with pytest.raises(ParameterError, match="persons with at most 1 items"):
        replace(few, measure=question.measure)
