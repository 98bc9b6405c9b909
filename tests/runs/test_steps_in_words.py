"""Steps are held in 64-bit words exactly where they fit, whatever form the scores have."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from overbar.errors import ScoreError
from overbar.runs.scores import LARGEST_EXPONENT, WORD_LIMIT, Ruler

ONE = Fraction(1)


@pytest.mark.parametrize(
    "scores",
    [
        [1, 2],
        [1.5, 2.5],
        [1, Fraction(1, 2)],
        [Decimal(3), 2.0],
        np.array([1, 2], dtype=object),
        np.array([1, 2], dtype=np.uint64),
        np.array([1.0, 2.0], dtype=np.float32),
        [WORD_LIMIT, Fraction(-WORD_LIMIT)],
        [WORD_LIMIT, -WORD_LIMIT],
        [],
    ],
    ids=str,
)
def test_small_steps_are_words(scores):
    found = Ruler(ONE).many(scores)
    assert found.dtype == np.int64
    assert found.tolist() == [Ruler(ONE).one(score) for score in scores]


@pytest.mark.parametrize(
    "scores",
    [
        [WORD_LIMIT + 1, 0],
        [0, -WORD_LIMIT - 1],
        [Fraction(WORD_LIMIT + 1), 0.5],
        [Fraction(-WORD_LIMIT - 1), 0.5],
        [10**30],
        [1e30, 1.0],
        [-1e30, 1.0],
        [float(2**61)],
        np.array([2**63], dtype=np.uint64),
        np.array([2**62, 1]),
        np.array([1, -(2**62)]),
        np.array([-(2**63)]),
    ],
    ids=str,
)
def test_large_steps_are_python_ints(scores):
    found = Ruler(ONE).many(scores)
    exact = [Ruler(ONE).one(score) for score in scores]
    assert found.tolist() == exact
    if any(abs(step) > WORD_LIMIT for step in exact):
        assert found.dtype == np.object_


def test_a_fine_grid_makes_steps_large_sooner():
    ruler = Ruler(Fraction(1, 1024))
    assert ruler.unit == 1024
    assert ruler.many(np.array([2**51])).dtype == np.int64
    assert ruler.many(np.array([2**51])).tolist() == [2**61]
    assert ruler.many(np.array([2**51 + 1])).dtype == np.object_
    assert ruler.many(np.array([-(2**51) - 1, 5])).tolist() == [-(2**61) - 1024, 5 * 1024]
    assert Ruler(Fraction(2, 3)).unit == 0
    assert Ruler(Fraction(2)).unit == 0
    assert Ruler(Fraction(2, 3)).many(np.array([1, -1, 2])).tolist() == [2, -1, 3]


@pytest.mark.parametrize("limits", [(-5, 7), (-(10**25), 10**25), (-5, 10**25), (-(10**25), 7)])
@pytest.mark.parametrize(
    "scores",
    [[-9, 0, 9], [-9.2, 0.0, 9.7], [Fraction(-99), 1, 10**26], [np.inf, -np.inf, np.nan, 1.0]],
)
def test_clamping_is_the_same_for_one_and_for_many(limits, scores):
    ruler = Ruler.of(ONE, limits)
    exact = [ruler.one(score) for score in scores]
    assert all(limits[0] <= step <= limits[1] for step in exact)
    assert ruler.many(scores).tolist() == exact
    assert ruler.many(np.array(scores, dtype=object)).tolist() == exact


def test_one_end_of_a_range_may_be_the_other():
    ruler = Ruler.of(ONE, [3, 3])
    assert ruler.many([1, 2, 9]).tolist() == [3, 3, 3]
    assert ruler.one(float("nan")) == ruler.one(float("inf")) == 3


def test_decimals_far_out():
    free, bounded = Ruler(ONE), Ruler.of(ONE, (-4, 6))
    small = Decimal(f"1e-{LARGEST_EXPONENT + 1}")
    large = Decimal(f"1e{LARGEST_EXPONENT + 1}")
    assert free.one(small) == 0
    assert free.one(Decimal(f"1e{LARGEST_EXPONENT}")) == 10**LARGEST_EXPONENT
    for beyond in (large, -large, Decimal("inf"), Decimal("nan")):
        with pytest.raises(ScoreError, match="finite"):
            free.one(beyond)
    assert [bounded.one(one) for one in (large, -large, Decimal("inf"), Decimal("nan"))] == [
        *(6, -4, 6, -4)
    ]


@pytest.mark.parametrize("grid", [ONE, Fraction(1, 3), Fraction(1, 4), Fraction(7, 5)])
def test_halves_go_up_and_near_halves_to_their_side(grid):
    ruler = Ruler(grid)
    for step in (-3, -1, 0, 2, 1000):
        half = (step + Fraction(1, 2)) * grid
        near = float(half)
        scores = [near, np.nextafter(near, -np.inf), np.nextafter(near, np.inf)]
        expected = [int((Fraction(float(s)) / grid + Fraction(1, 2)) // 1) for s in scores]
        assert ruler.many(np.array(scores)).tolist() == expected
        assert ruler.one(half) == step + 1


@pytest.mark.parametrize("kind", ["U1", "bool", "complex128", "datetime64[s]"])
def test_arrays_of_other_things_are_refused_also_when_empty(kind):
    with pytest.raises(ScoreError, match="scores must be int"):
        Ruler(ONE).many(np.array([], dtype=kind))
