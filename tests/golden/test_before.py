"""Some random plans are as in the house before; `make campaign NAME=before` compares a thousand."""

import pytest

from tests.golden import seam as house
from tests.golden.before import compared, folder, requests

PLACE = folder()
HERE = pytest.mark.skipif(PLACE is None, reason="python -m tools.before has made no worktree here")


@HERE
def test_random_plans_are_as_before():
    assert compared(PLACE, 14, 1) == []


@HERE
def test_a_scale_that_is_not_as_before_is_told():
    def wrong(asked, golden=None):
        numbers = house.numbers(asked, golden)
        if golden:
            return numbers
        name, scale = numbers.get("query_noise", ["", 0])
        return numbers | ({"query_noise": [name, 1.001 * scale]} if name else {})

    found = compared(PLACE, 7, 1, wrong)
    assert len(found) > 3
    assert all(fails == {"query_noise": "worse"} for _, fails in found)


def test_plans_are_drawn_by_seed_and_are_not_golden():
    assert requests(20, 1) == requests(20, 1) != requests(20, 2)
