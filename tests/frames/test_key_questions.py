"""Questions about keys, before any table is read: what they cost, and what is refused."""

from dataclasses import replace

import pytest

import overbar
from overbar import frames
from overbar.mechanisms import OneKeyPlan
from overbar.mechanisms.key_values import STEPS

COLUMNS = {"item": "what", "person": "who"}
ASK = {**COLUMNS, "epsilon": 1, "delta": "1e-15"}


def test_a_question_says_what_it_costs_and_what_to_expect():
    question = frames.Question.keys(**ASK, at_least=5)
    assert repr(question) == (
        "Question: keys of what by the number of who for each what, at most 10 items of each, "
        f"held by at least 5, in 3 rounds; {question.guarantee}"
    )
    assert question.guarantee == overbar.guarantee(question.plan)
    assert question.guarantee.implies(*question.promise)
    assert [str(number) for number in question.promise] == ["1", "1/1000000000000000"]
    assert "Keys held by about" in question.forecast
    assert question.plan.at_least * STEPS < question.plan.rounds[-1].bar


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"counts": 1}, "counts must be True, or the share of epsilon for counts, between 0 and 1"),
        ({"counts": 0}, "counts must be True, or the share of epsilon for counts, between 0 and 1"),
        ({"counts": "yes"}, "counts must be a number"),
    ],
)
def test_shares_that_make_no_sense_are_refused(asked, said):
    with pytest.raises(overbar.errors.ParameterError, match=said):
        frames.Question.keys(**ASK, **asked)


def test_counts_leave_the_keys_enough_for_a_list_of_chances():
    """Of ε = 10⁻⁴ a part in ten thousand is left: 10⁹ chances to list would never end."""
    asked = {**COLUMNS, "epsilon": "1e-4", "delta": "1e-6", "items_per_person": 1}
    assert isinstance(frames.Question.keys(**asked).plan, OneKeyPlan)
    found = frames.Question.keys(**asked, counts="0.9999")
    assert not isinstance(found.plan, OneKeyPlan)
    assert found.plan.count_noise is not None


def test_all_three_questions_are_one_class_that_is_checked_when_it_is_made():
    listed = {**COLUMNS, "cutoff": 1, "epsilon": 1, "catalogue": ["tea"]}
    made = [
        frames.Question.select(**listed, threshold=5),
        frames.Question.top(**listed),
        frames.Question.top(**ASK, cutoff=1),
        frames.Question.keys(**ASK),
    ]
    assert {type(question) for question in made} == {frames.Question}
    assert [question.plan.keys is not None for question in made] == [False, False, True, True]
    for question in made[:3]:  # what was made for the check is what is run
        assert question.contest is question.contest
        assert question.contest.plan is question.plan
    with pytest.raises(overbar.errors.ParameterError):
        replace(made[0], threshold=None)
