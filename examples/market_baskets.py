"""Market baskets of any size, made up: for demonstrations and scale tests.

Run it to see a few; the demo imports it. They are in the manner of the IBM Quest generator:

Agrawal and Srikant, Fast algorithms for mining association rules, VLDB 1994, section 4: shoppers
buy parts of itemsets that belong together, and some itemsets are bought more than others. What is
kept: sizes (Poisson), itemsets that share items with the one before (a fraction of exponential law,
mean one half), itemset weights (exponential), corruption levels (normal, mean 0.5, variance 0.1)
and the way an itemset loses items, one more for as long as a coin of that level says so.

What differs: an itemset that does not fit goes in anyway in half of the cases, as there, but
otherwise it is given up and not handed to the next row, so rows are independent of each other given
the itemsets, as people are. The items to lose are drawn from ``SHUFFLES`` orders of each itemset.
No row is empty. The numbers are not those of the original program.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from overbar import ParameterError

Integers = NDArray[np.int64]

#: Orders kept of each itemset: a row takes the first few items of one of them.
SHUFFLES = 16
#: Rows made at a time. Part of the law of a seed: changing it changes the baskets.
ROWS = 1 << 16
MOST_ITEMS = 10**9


@dataclass(frozen=True, eq=False)
class Baskets:
    """A long table of purchases: ``row[i]`` bought ``item[i]``; sorted, no pair twice."""

    row: Integers
    item: Integers
    records: int
    items: int


@dataclass(frozen=True, eq=False)
class _Patterns:
    """Itemsets that belong together, each in ``SHUFFLES`` orders."""

    table: Integers
    sizes: Integers
    cumulative: NDArray[np.float64]
    log_corruption: NDArray[np.float64]


def market_baskets(
    records: int,
    *,
    items: int = 1_000,
    average_size: float = 10,
    patterns: int = 2_000,
    average_pattern: float = 4,
    correlation: float = 0.5,
    seed: int,
) -> Baskets:
    """Make baskets of items that are bought together.

    Parameters
    ----------
    records
        How many rows (people) there are.
    items
        How many items there are to buy.
    average_size, average_pattern
        Mean items of a row and of an itemset. In the paper |T| and |I|.
    patterns
        How many itemsets belong together. In the paper |L|.
    correlation
        Mean fraction of an itemset that comes from the one before.
    seed
        The same seed gives the same baskets.

    >>> baskets = market_baskets(1_000, items=50, seed=1)
    >>> baskets.supports().records
    1000
    """
    for name, count in (("records", records), ("items", items), ("patterns", patterns)):
        _check_count(name, count)
    if items > MOST_ITEMS:
        raise ParameterError(f"items must be at most {MOST_ITEMS}, got {items}")
    for name, value in (("average_size", average_size), ("average_pattern", average_pattern)):
        if not 1 <= value <= 1_000:
            raise ParameterError(f"{name} must be between 1 and 1000, got {value}")
    if not 0 <= correlation <= 1:
        raise ParameterError(f"correlation must be between 0 and 1, got {correlation}")
    generator = np.random.default_rng(seed)
    itemsets = _patterns(generator, items, patterns, average_pattern, correlation)
    rows, bought = [], []
    for start in range(0, records, ROWS):
        height = min(ROWS, records - start)
        keys = _block(generator, itemsets, height, items, average_size)
        row = keys // items
        rows.append(row + start)
        bought.append(keys - row * items)
    return Baskets(np.concatenate(rows), np.concatenate(bought), records, items)


def _check_count(name: str, count: int) -> None:
    if not isinstance(count, int) or count < 1:
        raise ParameterError(f"{name} must be a positive whole number, got {count!r}")


def _patterns(
    generator: np.random.Generator, items: int, number: int, average: float, correlation: float
) -> _Patterns:
    """Draw the itemsets: the only loop, one turn for each of a few thousand."""
    sizes = np.minimum(1 + generator.poisson(average - 1, number), items)
    shares = np.minimum(generator.exponential(correlation, number), 1)
    table = np.zeros((number, SHUFFLES, int(sizes.max())), dtype=np.int64)
    before = np.zeros(0, dtype=np.int64)
    for index, size in enumerate(sizes.tolist()):
        kept = min(round(shares[index] * size), len(before))
        chosen = generator.permutation(before)[:kept]
        while len(chosen) < size:
            more = generator.integers(items, size=size - len(chosen))
            chosen = np.unique(np.append(chosen, more))
        table[index, :, :size] = generator.permuted(np.tile(chosen, (SHUFFLES, 1)), axis=1)
        before = chosen
    corruption = np.clip(generator.normal(0.5, np.sqrt(0.1), number), 1e-9, 1 - 1e-9)
    cumulative = np.cumsum(generator.exponential(1, number))
    return _Patterns(table.reshape(-1), sizes, cumulative / cumulative[-1], np.log(corruption))


def _block(
    generator: np.random.Generator, patterns: _Patterns, height: int, items: int, average: float
) -> Integers:
    """Fill rows, an itemset to each unfilled row a turn; return sorted keys row·items + item."""
    width = len(patterns.table) // (SHUFFLES * len(patterns.sizes))
    room = 1 + generator.poisson(average - 1, height)
    unfilled = np.arange(height)
    pieces: list[Integers] = []
    while len(unfilled):
        number = len(unfilled)
        pick = np.searchsorted(patterns.cumulative, generator.random(number), side="right")
        # P(at least j are lost) = level^j; the logarithm of a uniform is minus an exponential.
        lost = -generator.standard_exponential(number) / patterns.log_corruption[pick]
        size = np.maximum(patterns.sizes[pick] - np.minimum(lost, width).astype(np.int64), 1)
        fits = size <= room[unfilled]
        goes = fits | (generator.random(number) < 0.5)
        if not pieces:  # no row is empty
            goes[:] = True
        order = pick * SHUFFLES + generator.integers(SHUFFLES, size=number)
        length = size[goes]
        within = np.arange(length.sum()) - np.repeat(np.cumsum(length) - length, length)
        bought = patterns.table[np.repeat(order[goes] * width, length) + within]
        pieces.append(np.repeat(unfilled[goes] * items, length) + bought)
        room[unfilled] -= size
        unfilled = unfilled[room[unfilled] > 0]
    keys = np.concatenate(pieces)
    keys.sort()
    result: Integers = keys[np.append(True, keys[1:] != keys[:-1])]
    return result


if __name__ == "__main__":
    some = market_baskets(1_000, items=50, seed=1)
    most = np.bincount(some.item).max()
    print(f"{len(some.item):,} purchases of {some.records:,} customers, all made up.")
    print(f"The product that is bought most has {most:,} customers.")
