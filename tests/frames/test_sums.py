"""A score does not depend on the order of rows, on threads or on the engine."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from unittest import mock

import narwhals as nw
import pandas
import polars
import pyarrow
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from overbar.frames import narwhals_table
from overbar.frames.amounts import IN_MEMORY, ON_A_CLUSTER, Amounts, _added
from overbar.mechanisms import Reach
from tests.frames import orders
from tests.frames.engines import ENGINES, duckdb_of, scores_of, table_of
from tests.reference import frames as reference

pytestmark = pytest.mark.one_in(3)

#: Pandas with the types of Arrow, too.
EVERY = ENGINES | {"pandas, arrow": lambda table: table.to_pandas(types_mapper=pandas.ArrowDtype)}
#: Engines that keep whole numbers and decimals as they are.
TYPED = {name: EVERY[name] for name in ("pyarrow", "polars", "duckdb", "pandas, arrow")}
THREADED = {f"duckdb, {count}": orders.with_threads(count) for count in (1, 2, 8)}


class FloatAmounts(Amounts):
    """A broken twin: the engine adds floats and clamps afterwards, as once was done here."""

    def row(self):
        value = nw.col(self.column).cast(nw.Float64)
        return nw.when(value.is_null() | value.is_nan()).then(nw.lit(0.0)).otherwise(value)

    def shares(self, rows):
        low, high = self.value_range
        pairs = rows.group_by("item", "person").agg(nw.col("value").sum())
        total = nw.col("value")
        total = nw.when(total.is_nan()).then(nw.lit(0.0)).otherwise(total)
        steps = (total.clip(float(low), float(high)) / float(self.grid) + 0.5).floor()
        return pairs.select("item", "person", steps.cast(nw.Int64).alias("share"))


def added_as_floats():
    return mock.patch.object(narwhals_table, "Amounts", FloatAmounts)


@pytest.mark.parametrize("case", orders.CASES)
@pytest.mark.parametrize("engine", EVERY | THREADED)
def test_every_order_has_one_score(engine, case):
    make = (EVERY | THREADED)[engine]
    assert orders.disagreements(make, orders.CASES[case](), orders=1) == 0


def test_so_it_has_with_many_threads_of_polars():
    said = orders.elsewhere("polars", 64, 1)
    assert said.count("Polars, 64 threads") == len(orders.CASES)
    assert said.count(" 0 of 1 orders differ") == len(orders.CASES)


@pytest.mark.parametrize("engine", ["pyarrow", "polars", "duckdb, 8"])
def test_control_float_sums_have_many(engine):
    make = (EVERY | THREADED)[engine]
    with added_as_floats():
        assert orders.disagreements(make, orders.attack(300), orders=3) == 3


@pytest.mark.parametrize("engine", ["pyarrow", "polars", "duckdb, 8", "pandas"])
def test_neighbours_differ_by_at_most_the_sensitivity(engine):
    assert orders.largest_excess((EVERY | THREADED)[engine], tables=20) <= 0


def test_control_neighbours_by_float_sums_differ_by_more():
    with added_as_floats():
        assert orders.largest_excess(EVERY["polars"], tables=20) > 0


@pytest.mark.parametrize(
    "rounded",
    [lambda reach, grid: reach, lambda reach, grid: Reach(0, reach.high)],
    ids=["to the ends of the range", "as if sums only grew"],
)
def test_control_a_reach_that_is_too_short_is_exceeded(rounded):
    with (
        mock.patch.object(Reach, "outwards", rounded),
        mock.patch.object(Reach, "check_grid", return_value=None),
    ):
        assert orders.largest_excess(EVERY["pyarrow"], tables=60) > 0


@pytest.mark.parametrize("engine", EVERY)
@settings(max_examples=15, deadline=None)
@given(
    values=st.lists(st.one_of(st.sampled_from(orders.NASTY), st.floats(-1e12, 1e12)), max_size=12),
    ends=st.sampled_from([(0, 1), (-3, 100), (0, 10**9), (0, 10**18), (0, Fraction(1, 3))]),
    steps=st.sampled_from([1, 7, 2**10, 10**6]),
)
def test_a_row_counts_as_the_reference_says(engine, values, ends, steps):
    """On every engine alike, also for ranges and grids that are no decimal numbers."""
    grid = Fraction(max(map(abs, ends)), steps)
    amounts = Amounts("much", nw.Float64(), (Fraction(ends[0]), Fraction(ends[1])), grid)
    rows = [("a", 1, value) for value in values]
    found = scores_of(EVERY[engine](table_of(rows)), grid=grid, value="much", value_range=ends)
    assert found == reference.sums(
        rows, *ends, grid, exactly=lambda v: reference.in_fine_steps(v, amounts.digits)
    )


@given(
    share=st.floats(-(2**24), 2**24),
    high=st.fractions(Fraction(1, 1000), 10**6, max_denominator=1000),
)
def test_a_row_is_off_by_half_a_fine_step_and_its_own_last_bits(share, high):
    digits = Amounts("much", nw.Float64(), (Fraction(0), high), high).digits
    value = share * float(high)
    error = abs(reference.in_fine_steps(value, digits) - Fraction(value))
    assert error <= Fraction(51, 100) / Fraction(10) ** digits + Fraction(abs(value)) / 2**51
    assert high / 2**36 <= Fraction(10) ** -digits < 10 * high / 2**36


def column(values, kind, make):
    count = len(values)
    much = pyarrow.array(values, kind)
    return make(pyarrow.table({"what": ["a"] * count, "who": [1] * count, "much": much}))


@pytest.mark.parametrize("engine", TYPED)
@pytest.mark.parametrize(
    ("values", "kind", "ends", "expected"),
    [
        ([2**60, 5 - 2**60, None], pyarrow.int64(), (0, 10), 5),
        ([2**63 - 1] * 9 + [-(2**63)] * 9 + [5], pyarrow.int64(), (0, 10), 5),
        ([2**64 - 1] * 9, pyarrow.uint64(), (0, 10), 10),
        ([-128, 127, None, 6], pyarrow.int8(), (0, 10), 5),
        ([2**60, 2**63 + 3, None], pyarrow.uint64(), (0, 10**19), 10**19),
        ([4 * 10**18, 10**18, None], pyarrow.int64(), (0, 10**19), 5 * 10**18),
        ([Decimal("0.10")] * 45 + [None], pyarrow.decimal128(38, 2), (0, 10), 5),
        ([Decimal("9" * 36), Decimal("5.2"), Decimal("-" + "9" * 36)], pyarrow.decimal128(38, 2),
         (0, 10), 5),
    ],
)  # fmt: skip
def test_whole_numbers_and_decimals_are_added_as_they_are(engine, values, kind, ends, expected):
    """Whole numbers above 2^53 raised an error in PyArrow, and were rounded elsewhere."""
    grid = Fraction(ends[1], 10)
    found = scores_of(
        column(values, kind, TYPED[engine]), grid=grid, value="much", value_range=ends
    )
    assert found == {"a": expected / grid}


@pytest.mark.parametrize("engine", TYPED)
def test_prices_as_decimals_have_the_score_of_prices_as_floats(engine):
    case = orders.prices(20_000, pyarrow.decimal128(12, 2))
    assert orders.disagreements(TYPED[engine], case, orders=1) == 0


def test_whole_numbers_of_128_bits():
    for native in (
        polars.DataFrame({"what": ["a"] * 3, "who": 1, "much": [2**126, 5, -(2**126)]},
                         schema_overrides={"much": polars.Int128}),
        duckdb_of(pyarrow.table({"what": ["a"]})).project(
            f"what, 1 as who, unnest([{2**126}::hugeint, 5, -{2**126}::hugeint]) as much"),
    ):  # fmt: skip
        assert scores_of(native, grid=Fraction(1), value="much", value_range=(0, 10)) == {"a": 5}


def test_a_missing_value_changes_nobody_elses_sum_in_pandas():
    """One missing value turns a column of whole numbers into floats."""
    rows = [("a", 1, 2**60), ("a", 1, 5 - 2**60), ("a", 2, 2**53 + 1), ("a", 2, -(2**53))]
    whole = pandas.DataFrame(rows, columns=["what", "who", "much"])
    more = pandas.DataFrame([*rows, ("a", 3, None)], columns=["what", "who", "much"])
    assert [str(frame["much"].dtype) for frame in (whole, more)] == ["int64", "float64"]
    one, other = (
        scores_of(frame, grid=Fraction(1), value="much", value_range=(0, 10))
        for frame in (whole, more)
    )
    assert one == other


@pytest.mark.parametrize("pieces", [IN_MEMORY, ON_A_CLUSTER])
@given(
    values=st.lists(
        st.one_of(st.integers(-(2**61), 2**61), st.sampled_from([2**61, -(2**61), -1, 0])),
        min_size=1,
    )
)
@settings(deadline=None)
def test_pieces_add_up_to_the_whole(pieces, values):
    rows = polars.DataFrame({"item": "a", "person": 1, "value": values}).lazy()
    (found,) = _added(nw.from_native(rows), *pieces).collect()["value"].to_list()
    total = sum(values)
    assert found == total if abs(total) < 2**52 else abs(found) >= 2**52 - 1
    assert (found < 0) == (total < 0)


@pytest.mark.parametrize("pieces", [IN_MEMORY, ON_A_CLUSTER])
def test_no_sum_of_pieces_leaves_its_word(pieces):
    count, bits = pieces
    rows = 2**32 if pieces == IN_MEMORY else 2**41
    assert rows * 2**bits <= 2**63
    assert rows * 2 ** (61 - (count - 1) * bits) <= 2**63
