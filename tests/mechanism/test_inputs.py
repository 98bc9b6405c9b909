"""Scores in every form keep every digit and their labels."""

import numpy as np
import pytest

from overbar.errors import ParameterError, ScoreError
from overbar.mechanism.scores import read_scores

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
