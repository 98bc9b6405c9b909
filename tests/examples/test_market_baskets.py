"""Market baskets: what a seed fixes, and the shape the model should have."""

from __future__ import annotations

import numpy as np
import pytest
from examples.market_baskets import ROWS, market_baskets

from overbar.errors import ParameterError


def test_a_seed_fixes_the_baskets() -> None:
    first, again, other = (market_baskets(3_000, seed=seed) for seed in (5, 5, 6))
    assert np.array_equal(first.item, again.item)
    assert np.array_equal(first.row, again.row)
    assert not np.array_equal(first.item[:1_000], other.item[:1_000])


def test_rows_are_whole_sorted_and_without_repeats() -> None:
    baskets = market_baskets(ROWS + 500, items=300, seed=2)
    keys = baskets.row * baskets.items + baskets.item
    assert np.all(np.diff(keys) > 0)
    assert np.array_equal(np.unique(baskets.row), np.arange(ROWS + 500))  # none is empty
    assert 0 <= baskets.item.min() <= baskets.item.max() < 300


@pytest.mark.parametrize("average", [5, 10, 40])
def test_the_average_size(average: int) -> None:
    baskets = market_baskets(20_000, average_size=average, seed=3)
    assert len(baskets.item) / 20_000 == pytest.approx(average, rel=0.15)


def test_items_of_an_itemset_come_together() -> None:
    """Some pair is in far more rows than independence would have it; shuffled, none is."""
    baskets = market_baskets(20_000, items=200, patterns=50, seed=4)
    shuffled = np.random.default_rng(4).permutation(baskets.item)
    for items, together in ((baskets.item, True), (shuffled, False)):
        held = np.zeros((20_000, 200), dtype=np.float32)
        held[baskets.row, items] = 1
        counts = held.T @ held
        alone = np.diag(counts)
        lift = counts * 20_000 / np.maximum(np.outer(alone, alone), 1)
        lift = lift[np.triu(np.minimum.outer(alone, alone) > 500, 1)]
        assert (lift.max() > 2) == together
        assert (lift.max() > 1.5) == together


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"records": 0}, "records must be a positive whole number"),
        ({"items": 10**10}, "items must be at most"),
        ({"average_size": 0}, "average_size must be between 1 and 1000"),
        ({"average_pattern": float("nan")}, "average_pattern must be between"),
        ({"correlation": 2}, "correlation must be between 0 and 1"),
    ],
)
def test_bad_parameters(change: dict[str, float], words: str) -> None:
    arguments: dict[str, float] = {"records": 10, "seed": 1} | change
    with pytest.raises(ParameterError, match=words):
        market_baskets(**arguments)  # type: ignore[arg-type]


def test_few_items() -> None:
    baskets = market_baskets(50, items=1, seed=1)
    assert baskets.row.tolist() == list(range(50))
    assert not baskets.item.any()
