"""Scores in every form go to floor(q/g + 1/2) steps, exactly, and keep their labels."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from overbar.errors import ParameterError, ScoreError
from overbar.noise import Exponential, Laplace
from overbar.runs.scores import Ruler, read_scores
from tests.reference.plans import any_plan

GRIDS = [
    Fraction(1),
    Fraction(1, 8),
    Fraction(3),
    Fraction(1, 10),
    Fraction(7, 3),
    Fraction(1, 3**30),
]
grids = st.sampled_from(GRIDS)
finite_floats = st.floats(allow_nan=False, allow_infinity=False)


def slow(score, grid):
    return math.floor(Fraction(score) / grid + Fraction(1, 2))


@given(st.lists(finite_floats | st.floats(-1e6, 1e6), max_size=20), grids)
def test_floats(scores, grid):
    ruler = Ruler.of(grid)
    expected = [slow(score, grid) for score in scores]
    assert ruler.many(np.array(scores, dtype=np.float64)).tolist() == expected
    assert ruler.many(scores).tolist() == expected
    assert [ruler.one(score) for score in scores] == expected


@given(st.integers(-(10**6), 10**6), st.sampled_from([-1, 0, 1]), grids)
def test_floats_next_to_a_rounding_boundary(half_steps, nudge, grid):
    boundary = float(Fraction(half_steps, 2) * grid)
    score = boundary if nudge == 0 else math.nextafter(boundary, nudge * math.inf)
    assert Ruler.of(grid).many(np.array([score])).tolist() == [slow(score, grid)]
    assert Ruler.of(grid).one(score) == Ruler.of(grid).one(np.float64(score)) == slow(score, grid)


@given(
    st.floats() | st.floats(-1e-300, 1e-300) | st.integers(-(10**10), 10**10).map(lambda k: k / 2),
    grids | st.sampled_from([Fraction(2) ** 300, Fraction(1, 2**300), Fraction(1, 10**99)]),
    st.sampled_from([None, (-7, 9), (Fraction(-1, 3), 10**12)]),
)
@np.errstate(all="raise")
def test_one_float_of_any_kind_goes_where_its_fraction_goes(score, grid, score_range):
    """The way of all other numbers builds a fraction: the quick one must agree, or be left."""
    ruler = Ruler.of(grid, score_range)
    if not math.isfinite(score) and score_range is None:
        with pytest.raises(ScoreError):
            ruler.one(score)
        return
    exact = Decimal(score) if not math.isfinite(score) else Fraction(score)
    assert ruler.one(score) == ruler.one(np.float64(score)) == ruler.one(exact)


def test_a_plain_float_needs_no_fraction(monkeypatch):
    """And a control: rounding half to even, or trusting a division, would be seen above."""
    ruler = Ruler.of(Fraction(1, 10))
    monkeypatch.setattr("overbar.runs.scores.exact_value", None)
    assert [ruler.one(score) for score in (0.3, -7.26, 12345.678)] == [3, -73, 123457]
    assert round(0.5) != slow(0.5, Fraction(1))
    trusting = math.floor(0.85 / 0.1 + 0.5)
    assert trusting != slow(0.85, Fraction(1, 10))


@given(st.lists(st.integers(), max_size=20), grids)
def test_integers_of_any_size(scores, grid):
    expected = [slow(score, grid) for score in scores]
    assert Ruler.of(grid).many(scores).tolist() == expected
    assert [Ruler.of(grid).one(score) for score in scores] == expected


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.uint32, np.int64, np.uint64])
@pytest.mark.parametrize("grid", GRIDS)
def test_every_integer_type_at_its_ends(dtype, grid):
    ends = np.array([np.iinfo(dtype).min, np.iinfo(dtype).max, 1], dtype=dtype)
    assert Ruler.of(grid).many(ends).tolist() == [slow(int(end), grid) for end in ends]


@given(st.lists(st.fractions() | st.decimals(allow_nan=False, allow_infinity=False), max_size=5))
def test_fractions_and_decimals(scores):
    for grid in (Fraction(1), Fraction(1, 10)):
        assert Ruler.of(grid).many(scores).tolist() == [slow(score, grid) for score in scores]


@given(st.fractions(), st.integers(-3, 3), st.integers(1, 6))
def test_rounding_commutes_with_the_sensitivity(score, moves, parts):
    """Two scores Δ apart stay Δ apart. Half-to-even rounding does not keep this."""
    grid = Fraction(1, parts)
    assert Ruler.of(grid).one(score + moves) == Ruler.of(grid).one(score) + moves * parts
    assert round(0.5) - round(-0.5) == 0
    assert round(1.5) - round(0.5) == 2


@pytest.mark.parametrize(
    "bad", [math.nan, math.inf, -math.inf, None, Decimal("NaN"), Decimal("sNaN"), Decimal("-inf")]
)
def test_what_is_not_finite_is_refused_or_clamped(bad):
    with pytest.raises(ScoreError, match="declare score_range") as caught:
        Ruler.of(Fraction(1)).many([1, bad])
    assert "nan" not in str(caught.value).lower().replace("finite", "")
    ruler = Ruler.of(Fraction(1), (-5, 9))
    low_or_high = 9 if bad is math.inf else -5
    assert ruler.many([1, bad]).tolist() == [1, low_or_high]
    assert ruler.one(bad) == low_or_high
    if isinstance(bad, float):
        assert ruler.many(np.array([1.0, bad])).tolist() == [1, low_or_high]


@given(
    st.lists(st.integers() | st.floats(allow_nan=False), min_size=1, max_size=9),
    st.integers(-100, 0), st.integers(0, 100),
)  # fmt: skip
def test_clamping(scores, low, high):
    ruler = Ruler.of(Fraction(1, 4), (low, high))
    exact = [high if s == math.inf else low if s == -math.inf else s for s in scores]
    expected = [min(max(slow(score, ruler.grid), 4 * low), 4 * high) for score in exact]
    assert ruler.many(scores).tolist() == expected
    assert ruler.many(np.array(scores, dtype=object)).tolist() == expected


def test_a_range_beyond_words():
    ruler = Ruler.of(Fraction(1), (-(10**30), 10**30))
    assert ruler.many(np.array([5, 6])).tolist() == [5, 6]
    assert ruler.many([math.inf, -(10**40)]).tolist() == [10**30, -(10**30)]


@pytest.mark.parametrize("scores", [[0, 0], [], np.zeros(3, dtype=np.uint8), np.array([], int)])
@pytest.mark.parametrize("wide", [None, (-1, 1)])
def test_zeros_on_a_very_fine_grid(scores, wide):
    assert Ruler.of(Fraction(1, 10**30), wide).many(scores).tolist() == [0] * len(scores)


def test_zero_is_zero_however_it_is_written():
    for zero in ("0E+20000", "-0E+20000", "0E-20000", "0e999999"):
        assert Ruler.of(Fraction(1)).one(Decimal(zero)) == 0
        assert Ruler.of(Fraction(1), (-5, 7)).many([Decimal(zero)]).tolist() == [0]


def test_numbers_too_long_to_write_out():
    ruler = Ruler.of(Fraction(1))
    assert ruler.one(Decimal("1e-999999")) == 0
    with pytest.raises(ScoreError):
        ruler.one(Decimal("1e999999"))
    assert Ruler.of(Fraction(1), (0, 7)).one(Decimal("1e999999")) == 7
    assert Ruler.of(Fraction(1), (0, 7)).one(Decimal("-1e999999")) == 0


@pytest.mark.parametrize(
    "bad", [["1"], [True], [1, "x"], [b"1"], [1j], np.array(["a"]), np.array([True]),
            np.array([1j]), np.array(["2020"], dtype="datetime64"), [[1]], [object()]],
)  # fmt: skip
def test_what_is_not_a_number_is_refused(bad):
    for score_range in (None, (0, 10)):
        with pytest.raises(ScoreError, match="scores must be"):
            Ruler.of(Fraction(1), score_range).many(bad)


def test_extended_floats_keep_their_digits():
    value = np.longdouble(2) ** 62 + np.longdouble(1) / 2
    expected = slow(Fraction(*value.as_integer_ratio()), Fraction(1))
    assert Ruler.of(Fraction(1)).many(np.array([value])).tolist() == [expected]


@pytest.mark.parametrize("bad", [5, (1,), (1, 2, 3), (3, 1), ("a", 2), (math.nan, 1), "ab", {1, 2}])
def test_bad_ranges(bad):
    with pytest.raises(ParameterError, match="score_range"):
        Ruler.of(Fraction(1), bad)


@settings(max_examples=200)
@given(st.fractions(min_value=-(10**6), max_value=10**6), grids)
def test_thresholds_are_rounded_up(threshold, grid):
    plan = any_plan(Exponential(1), Laplace(1), 3 * grid, 1, sensitivity=grid, grid=grid)
    steps = plan.level(threshold) - 3
    assert (steps - 1) * grid < threshold <= steps * grid


LARGE = 2**53 + 1  # not a float


def plain(values):
    return values.tolist() if isinstance(values, np.ndarray) else list(values)


def test_arrow_arrays():
    arrow = pytest.importorskip("pyarrow")
    for whole in (arrow.array([LARGE, 2]), arrow.chunked_array([[LARGE], [2]])):
        values, labels = read_scores(whole)
        assert plain(values) == [LARGE, 2]
        assert isinstance(values, np.ndarray)
        assert labels is None
    assert plain(read_scores(arrow.array([LARGE, None]))[0]) == [LARGE, None]
    assert plain(read_scores(arrow.array([1.5, 2.5]))[0]) == [1.5, 2.5]
    words = read_scores(arrow.array(["a", "b"]))[0]
    assert plain(words) == ["a", "b"]
    assert not isinstance(words, np.ndarray)


def test_an_arrow_table_is_not_a_column():
    arrow = pytest.importorskip("pyarrow")
    for table in (arrow.table({"a": [1]}), arrow.record_batch({"a": [1]})):
        with pytest.raises(ScoreError, match="scores must be one-dimensional"):
            read_scores(table)


def test_series_of_pandas_and_polars():
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    values, labels = read_scores(pandas.Series([LARGE, 2], index=["x", "y"]))
    assert (plain(values), labels) == ([LARGE, 2], ["x", "y"])
    missing = pandas.Series([LARGE, None], dtype="Int64")
    assert read_scores(missing)[0][0] == LARGE
    values, labels = read_scores(polars.Series([LARGE, None]))
    assert (plain(values), labels) == ([LARGE, None], None)
    assert isinstance(read_scores(polars.Series([LARGE, 3]))[0], np.ndarray)
    assert isinstance(read_scores(polars.Series([0.5, 3.0]))[0], np.ndarray)
    huge = polars.Series([2**100, 1], dtype=polars.Int128)
    assert plain(read_scores(huge)[0]) == [2**100, 1]


def test_mappings_sequences_and_arrays():
    assert read_scores({"a": 1, "b": 2}) == ([1, 2], ["a", "b"])
    assert read_scores({"a": 1, "b": 2}, labels=("x", "y")) == ([1, 2], ["x", "y"])
    assert read_scores((1, 2)) == ((1, 2), None)
    array = np.array([1, 2])
    assert read_scores(array)[0] is array
    assert read_scores(array, labels=np.array(["x", "y"]))[1] == ["x", "y"]


@pytest.mark.parametrize("wrong", ["12", b"12", np.zeros((2, 2)), np.array(5), 7, object()])
def test_other_shapes_are_refused(wrong):
    with pytest.raises(ScoreError, match="one-dimensional"):
        read_scores(wrong)
    with pytest.raises(ScoreError, match="masked"):
        read_scores(np.ma.masked_array([1, 2], [False, True]))


@pytest.mark.parametrize("labels", [["a"], ["a", "b", "c"], "ab", b"ab", 5])
def test_labels_must_be_one_for_each(labels):
    with pytest.raises(ParameterError, match="labels must be"):
        read_scores([1, 2], labels=labels)
