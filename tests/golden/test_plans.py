"""Numbers of plans are those of the golden file: neither worse nor, without a reason, better.

A part is asked here, with something of every tag; `make campaign NAME=golden` asks all, and
`python -m tests.golden.table` says what differs.
"""

import pytest

from tests.golden import seam as house
from tests.golden.compare import at_same_noise, failing, read_better
from tests.golden.entries import first_of_each, named, read

PLANS = read("plans")
FIRST, REST = first_of_each(PLANS)
LINES = read_better()


@pytest.mark.parametrize("entry", FIRST, ids=named)
def test_a_plan_of_each_kind(entry):
    assert failing(entry, at_same_noise(entry, house.numbers), LINES) == {}


@pytest.mark.one_in(4)
@pytest.mark.parametrize("entry", REST, ids=named)
def test_plans(entry):
    assert failing(entry, at_same_noise(entry, house.numbers), LINES) == {}


#: The chances of a search for one key follow from its ε, and are not made by hand.
BY_HAND = [one for one in PLANS if not {"persons", "refused"} & one["is"].keys()]


@pytest.mark.one_in(16)
@pytest.mark.parametrize("entry", BY_HAND, ids=named)
def test_a_plan_by_hand_has_the_golden_costs_whichever_plan_it_is_made_of(entry, monkeypatch):
    def ask(request, golden=None):
        with monkeypatch.context() as patch:
            if golden:
                other = request | {"epsilon": str(1.07 * float(request["epsilon"]))}
                patch.setattr(house, "_planned", lambda _: house.planned(**other))
            return house.numbers(request, golden)

    assert failing(entry, at_same_noise(entry, ask, always=True), LINES) == {}
