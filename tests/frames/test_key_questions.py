"""Questions about keys, before any table is read: what they cost, and what is refused."""

import pytest

import overbar
from overbar import frames
from overbar.plans import OneKeyPlan
from overbar.plans.key_plans import STEPS

COLUMNS = {"item": "what", "person": "who"}
ASK = {**COLUMNS, "epsilon": 1, "delta": "1e-15"}


def test_a_question_says_what_it_costs_and_what_to_expect():
    question = frames.KeyQuestion.of(**ASK, at_least=5)
    assert repr(question) == (
        "KeyQuestion: keys of what by the number of who for each what, at most 100 items of each, "
        "held by at least 5, in 3 rounds; ApproximateDP(epsilon=1 at delta=1e-15)"
    )
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
        frames.KeyQuestion.of(**ASK, **asked)


def test_counts_leave_the_keys_enough_for_a_list_of_chances():
    """Of ε = 10⁻⁴ a part in ten thousand is left: 10⁹ chances to list would never end."""
    asked = {**COLUMNS, "epsilon": "1e-4", "delta": "1e-6", "items_per_person": 1}
    assert isinstance(frames.KeyQuestion.of(**asked).plan, OneKeyPlan)
    found = frames.KeyQuestion.of(**asked, counts="0.9999")
    assert not isinstance(found.plan, OneKeyPlan)
    assert found.plan.count_noise is not None
