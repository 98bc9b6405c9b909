"""A few laws of this house beside those of the house as it was.

All of them: ``make campaign NAME=before-laws``.
"""

import pytest

from tests.frozen.before_laws import compare, folder

pytestmark = pytest.mark.skipif(
    folder() is None, reason="python -m tools.before has not made the house as it was"
)
SAMPLE = ["ranked", "in turn, two rounds", "top, gumbel", "online, once"]


def test_laws_are_as_they_were():
    assert compare(SAMPLE, 3000) == []
