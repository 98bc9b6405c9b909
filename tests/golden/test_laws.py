"""Exact laws of small runs are those of the golden file, to nine digits after the point."""

import pytest

from tests.golden import seam as house
from tests.golden.compare import differing
from tests.golden.entries import first_of_each, named, read

FIRST, REST = first_of_each(read("laws"))


@pytest.mark.parametrize("entry", FIRST, ids=named)
def test_a_law_of_each_kind(entry):
    assert differing(entry, house.law(entry["run"], entry["scores"], entry["level"])) == {}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("entry", REST, ids=named)
def test_laws(entry):
    assert differing(entry, house.law(entry["run"], entry["scores"], entry["level"])) == {}
