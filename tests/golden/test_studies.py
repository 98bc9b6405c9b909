"""What studies find is within four standard errors of the golden file, by other draws."""

import pytest

from tests.golden import seam as house
from tests.golden.compare import far_off
from tests.golden.entries import first_of_each, means, named, read, scores_of

FIRST, REST = first_of_each(read("studies"))
RUNS, SEED = 400, 42


def again(entry):
    """Return means and errors of the same point, from another seed than that of the file."""
    scores, threshold = scores_of(entry["shape"]), entry["threshold"]
    return means(house.study(entry["ask"], scores, threshold, RUNS, SEED))


@pytest.mark.parametrize("entry", FIRST, ids=named)
def test_a_point_of_each_kind(entry):
    assert far_off(entry, again(entry)) == {}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("entry", REST, ids=named)
def test_points(entry):
    assert far_off(entry, again(entry)) == {}
