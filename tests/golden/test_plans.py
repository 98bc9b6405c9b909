"""Numbers of plans are those of the golden file: neither worse nor, without a reason, better.

A part is asked here, with something of every tag; `make campaign NAME=golden` asks all.
"""

import pytest

from tests.golden import seam as house
from tests.golden.compare import failing, read_better
from tests.golden.entries import first_of_each, named, read

FIRST, REST = first_of_each(read("plans"))
LINES = read_better()


@pytest.mark.parametrize("entry", FIRST, ids=named)
def test_a_plan_of_each_kind(entry):
    assert failing(entry, house.numbers(entry["ask"]), LINES) == {}


@pytest.mark.one_in(4)
@pytest.mark.parametrize("entry", REST, ids=named)
def test_plans(entry):
    assert failing(entry, house.numbers(entry["ask"]), LINES) == {}
