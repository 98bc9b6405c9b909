"""Whole numbers never wrap around, and stay in int64 where that is safe."""

import numpy as np
import pytest

from overbar.errors import ScoreError
from overbar.sampling.integers import (
    HIGHEST,
    LOWEST,
    ROOM,
    as_array,
    clipped,
    exact_gaps,
    exact_products,
    whole_numbers,
)

EDGES = [LOWEST, LOWEST + 1, -ROOM - 1, -ROOM, -ROOM + 1, -1, 0, 1, ROOM - 1, ROOM, HIGHEST]


def test_the_ends_are_those_of_int64():
    assert (np.iinfo(np.int64).min, np.iinfo(np.int64).max) == (LOWEST, HIGHEST)
    assert 2 * ROOM == HIGHEST + 1


@pytest.mark.parametrize("base", [*EDGES, 10**19, -(10**19)])
@pytest.mark.parametrize("companion", EDGES)
def test_gaps_are_those_of_python_ints(base, companion):
    for score in EDGES:
        gaps = exact_gaps(np.array([score, companion]), base)
        assert gaps.tolist() == [base - score, base - companion]


def test_small_gaps_stay_in_int64():
    """Two numbers strictly within a quarter of the range are safe; a larger one is not trusted."""
    for base in (-ROOM + 1, 0, ROOM - 1):
        assert exact_gaps(np.array([-ROOM + 1, ROOM - 1]), base).dtype == np.int64
        assert exact_gaps(np.array([], dtype=np.int64), base).dtype == np.int64
        assert exact_gaps(np.array([-ROOM]), base).dtype == np.object_
        assert exact_gaps(np.array([ROOM]), base).dtype == np.object_
    for base in (-ROOM, ROOM):
        assert exact_gaps(np.array([0]), base).dtype == np.object_
    assert exact_gaps(np.array([1], dtype=object), 0).dtype == np.object_
    assert exact_gaps(np.array([], dtype=object), 0).dtype == np.object_


@pytest.mark.parametrize("times", [1, 3, ROOM - 1, ROOM, HIGHEST, HIGHEST + 1, 10**30])
def test_products_are_those_of_python_ints(times):
    for numbers in ([], [0], [1], [-1, 1], [ROOM // 3, -ROOM // 3], EDGES):
        product = exact_products(np.array(numbers, dtype=np.int64), times)
        assert product.tolist() == [number * times for number in numbers]
    assert exact_products(np.array([1]), 3).dtype == np.int64


def test_arrays_fit_or_hold_python_ints():
    assert as_array([LOWEST, HIGHEST]).dtype == np.int64
    for beyond in (LOWEST - 1, HIGHEST + 1):
        array = as_array([0, beyond])
        assert array.dtype == np.object_
        assert array.tolist() == [0, beyond]


def test_what_does_not_fit_goes_to_the_nearest_end():
    numbers = [LOWEST - 1, LOWEST, LOWEST + 1, 0, HIGHEST - 1, HIGHEST, HIGHEST + 1]
    expected = [LOWEST, LOWEST, LOWEST + 1, 0, HIGHEST - 1, HIGHEST, HIGHEST]
    found = clipped(np.array(numbers, dtype=object))
    assert found.dtype == np.int64
    assert found.tolist() == expected
    already = np.array([1, 2])
    assert clipped(already) is already


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int32, np.uint32, np.int64])
def test_element_types_that_fit_become_int64(kind):
    numbers = whole_numbers(np.array([1, 100], dtype=kind))
    assert numbers.dtype == np.int64
    assert numbers.tolist() == [1, 100]


@pytest.mark.parametrize("kind", [np.uint64, np.object_])
def test_element_types_that_may_not_fit_become_python_ints(kind):
    numbers = whole_numbers(np.array([1, 2**64 - 1], dtype=kind))
    assert numbers.dtype == np.object_
    assert numbers.tolist() == [1, 2**64 - 1]


@pytest.mark.parametrize("kind", [np.int64, np.uint64, np.object_, np.int8])
@pytest.mark.parametrize("shape", [(), (1, 1), (2, 2)])
def test_one_dimension_is_asked_for(kind, shape):
    with pytest.raises(ScoreError, match="one-dimensional"):
        whole_numbers(np.zeros(shape, dtype=kind))
