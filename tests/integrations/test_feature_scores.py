"""One record moves no score by 1 or more, in exact arithmetic, whatever the data hold."""

from __future__ import annotations

from fractions import Fraction
from itertools import chain

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from threadpoolctl import threadpool_limits

from overbar.integrations import feature_scores as module
from overbar.integrations.feature_scores import (
    STEPS,
    class_columns,
    feature_scores,
    scaled,
    whole_entries,
)

WIDTH = 3
LOW, HIGH = np.array([0.0, -3.0, 0.1]), np.array([1.0, 5.0, 0.7])
CLASSES = ("a", "b", "c")

ENTRIES = st.one_of(
    st.sampled_from([0.0, 1.0, -3.0, 5.0, 0.1, 0.7, np.nan, np.inf, -np.inf, 1e308, -1e308]),
    st.floats(-4, 6),
)
ROWS = st.tuples(*[ENTRIES] * WIDTH)
LABELS = st.sampled_from([*CLASSES, "undeclared"])


def tables(target):
    return st.lists(st.tuples(ROWS, target), min_size=1, max_size=12)


def by_class(records):
    """The scores of records with a label each."""
    rows, labels = zip(*records, strict=True)
    target = class_columns(np.array(labels), CLASSES)
    return feature_scores(np.array(rows), LOW, HIGH, target, 1)


def by_number(records):
    """The scores of records with a number in [-2, 2] each."""
    rows, numbers = zip(*records, strict=True)
    target = scaled(np.array(numbers)[:, None], np.array([-2.0]), np.array([2.0]))
    return feature_scores(np.array(rows), LOW, HIGH, target, STEPS)


def co_moment(x, v):
    """By definition, with fractions."""
    mean_x, mean_v = sum(x) / Fraction(len(x)), sum(v) / Fraction(len(v))
    return sum((one - mean_x) * (other - mean_v) for one, other in zip(x, v, strict=True))


def shares(values, low, high):
    steps = scaled(np.array(values, dtype=float), np.float64(low), np.float64(high))
    return [Fraction(int(step), STEPS) for step in steps]


def features_of(records):
    return [shares([row[j] for row, _ in records], LOW[j], HIGH[j]) for j in range(WIDTH)]


@given(tables(LABELS))
@settings(max_examples=60, deadline=None)
def test_scores_by_class_are_what_the_page_says(records):
    columns = [[Fraction(label == one) for _, label in records] for one in CLASSES]
    assert by_class(records) == [
        sum(abs(co_moment(x, v)) for v in columns) / 2 for x in features_of(records)
    ]


@given(tables(ENTRIES))
@settings(max_examples=60, deadline=None)
def test_scores_by_number_are_what_the_page_says(records):
    target = shares([number for _, number in records], -2, 2)
    assert by_number(records) == [abs(co_moment(x, target)) for x in features_of(records)]


def largest_move(score, records, extra):
    """How far one more record moves the scores, at most."""
    pairs = zip(score(records), score([*records, extra]), strict=True)
    return max(abs(one - other) for one, other in pairs)


@given(tables(LABELS), ROWS, LABELS)
@settings(max_examples=150, deadline=None)
def test_one_record_moves_scores_by_class_by_less_than_one(records, row, label):
    move = largest_move(by_class, records, (row, label))
    assert move <= Fraction(len(records), len(records) + 1)


@given(tables(ENTRIES), ROWS, ENTRIES)
@settings(max_examples=150, deadline=None)
def test_one_record_moves_scores_by_number_by_less_than_one(records, row, number):
    move = largest_move(by_number, records, (row, number))
    assert move <= Fraction(len(records), len(records) + 1)


#: Records at the lower ends, and one more at the upper ends.
LOWEST, HIGHEST = (tuple(LOW), "a"), (tuple(HIGH), "b")


def without_the_half(records):
    return [2 * score for score in by_class(records)]


def without_clipping(records):
    target = class_columns(np.array([label for _, label in records]), CLASSES)
    features = np.array([row for row, _ in records], dtype=float)
    return np.abs((features - features.mean(axis=0)).T @ target).sum(axis=1) / 2


def test_the_bound_is_sharp_and_broken_scores_pass_it():
    for size in (1, 7, 1_000):
        records = [LOWEST] * size
        assert largest_move(by_class, records, HIGHEST) == Fraction(size, size + 1)
    assert largest_move(without_the_half, records, HIGHEST) > 1
    assert largest_move(without_clipping, records, ((9.0, 9.0, 9.0), "b")) > 1


def test_no_order_of_the_records_changes_a_score():
    generator = np.random.default_rng(5)
    features = generator.normal(size=(5_000, WIDTH))
    numbers = generator.normal(size=5_000)
    order = generator.permutation(5_000)
    table = list(zip(features, numbers, strict=True))
    assert by_number(table) == by_number([table[index] for index in order])
    # The control: the same co-moment in plain floats depends on the order.
    clipped, target = np.clip(features, LOW, HIGH), np.clip(numbers, -2, 2)
    plain = [sum(clipped[rows, 1] * target[rows]) for rows in (np.arange(5_000), order)]
    assert plain[0] != plain[1]


@pytest.mark.parametrize("rows", [1, 3, 1_000])
def test_blocks_change_nothing(monkeypatch, rows):
    generator = np.random.default_rng(6)
    features, target = generator.normal(size=(50, WIDTH)), class_columns(np.arange(50) % 3, [0, 1])
    whole = feature_scores(features, LOW, HIGH, target, 1)
    monkeypatch.setattr(module, "BLOCK_ROWS", rows)
    assert feature_scores(features, LOW, HIGH, target, 1) == whole
    assert feature_scores(sparse.csr_array(features), LOW, HIGH, target, 1) == whole


def test_the_largest_sums_are_exact():
    assert module.BLOCK_ROWS * STEPS * STEPS <= 2**53
    records = 2**17 + 3
    features = np.full((records, 1), 9.0)
    features[0] = -9
    target = np.full((records, 1), float(STEPS))
    target[0] = 0
    found = feature_scores(features, np.zeros(1), np.ones(1), target, STEPS)
    assert found == [Fraction(records - 1, records)]


@given(tables(LABELS))
@settings(max_examples=40, deadline=None)
def test_sparse_and_dense_agree(records):
    rows, labels = zip(*records, strict=True)
    target = class_columns(np.array(labels), CLASSES)
    given_rows = np.array(rows)
    for form in (sparse.csr_array, sparse.csc_matrix, sparse.coo_array):
        assert feature_scores(form(given_rows), LOW, HIGH, target, 1) == by_class(records)


def test_an_entry_stored_in_pieces_counts_once():
    pieces = sparse.csr_array(
        (np.ones(5), np.zeros(5, dtype=int), np.array([0, 5, 5, 5])), shape=(3, 1)
    )
    once = sparse.csr_array(np.array([[1.0], [0.0], [0.0]]))
    target = class_columns(np.array([1, 0, 0]), [0, 1])
    ends = np.zeros(1), np.ones(1)
    found = feature_scores(pieces, *ends, target, 1)
    assert found == feature_scores(once, *ends, target, 1)
    assert pieces.nnz == 5, "the caller's matrix stays as it was"


def stored_in_pieces(rows, form):
    """A matrix whose rows hold (column, value) as they come."""
    lengths = [len(row) for row in rows]
    column, data = (np.array(part) for part in zip(*chain(*rows), strict=True))
    matrix = sparse.csr_array(
        (data, column, np.append(0, np.cumsum(lengths))), shape=(len(rows), WIDTH)
    )
    return matrix if form == "csr" else matrix.tocoo()


#: The pieces of one entry: 3 as numbers, and as floats whatever their order makes of them.
PIECES = [(0, 2.0**53), (0, 1.0), (0, -(2.0**53)), (0, 2.0)] * 8


def pieces_of(seed):
    return [PIECES[place] for place in np.random.default_rng(seed).permutation(len(PIECES))]


@pytest.mark.parametrize("form", ["csr", "coo"])
def test_nobody_else_decides_what_the_pieces_of_an_entry_add_up_to(form):
    unsorted = [(2, 1.0), (0, 1.0)]
    changed = 0
    for seed in range(20):
        alone, beside = (
            stored_in_pieces([pieces_of(seed), *more], form) for more in ([], [unsorted])
        )
        assert whole_entries(alone).toarray()[0].tolist() == [24.0, 0.0, 0.0]
        assert whole_entries(beside).toarray().tolist() == [[24.0, 0.0, 0.0], [1.0, 0.0, 1.0]]
        # The control: SciPy's own sum changes with the row of somebody else.
        one, other = (matrix.tocsr(copy=True) for matrix in (alone, beside))
        one.sum_duplicates()
        other.sum_duplicates()
        changed += one.toarray()[0, 0] != other.toarray()[0, 0]
    assert changed


def test_pieces_without_a_finite_sum_raise_nothing():
    for values, expected in (
        ([1e308, 1e308, -1e308], 1e308),
        ([1e308, 1e308], np.inf),
        ([-1e308, -1e308], -np.inf),
        ([np.inf, 1.0, np.inf], np.inf),
        ([np.inf, -np.inf], np.nan),
        ([np.nan, 1.0], np.nan),
    ):
        found = whole_entries(stored_in_pieces([[(1, value) for value in values]], "csr"))
        np.testing.assert_array_equal(found.toarray()[0], [0.0, expected, 0.0])


@pytest.mark.parametrize("threads", [1, 2, 8])
def test_no_number_of_threads_changes_a_score(threads):
    generator = np.random.default_rng(7)
    features, numbers = generator.normal(size=(3_000, WIDTH)), generator.normal(size=3_000)
    records = list(zip(features.tolist(), numbers.tolist(), strict=True))
    target = shares(numbers, -2, 2)
    with threadpool_limits(threads):
        assert by_number(records) == [abs(co_moment(x, target)) for x in features_of(records)]


@given(ENTRIES)
def test_scaling_is_rounding_to_the_nearest_step(value):
    (step,) = scaled(np.array([value]), np.float64(0.1), np.float64(0.7)).tolist()
    assert step == int(step)
    assert 0 <= step <= STEPS
    if np.isnan(value):
        assert step == STEPS / 2
    else:
        exact = (min(max(value, 0.1), 0.7) - 0.1) / 0.6 * STEPS
        assert abs(step - exact) <= 0.5 + 1e-6


def test_no_label_raises():
    labels = np.empty(5, dtype=object)
    labels[:] = ["a", None, [1], np.nan, {}]
    assert class_columns(labels, CLASSES).sum() == 1
    with np.errstate(all="raise"):
        assert scaled(np.array([np.nan, np.inf, 1e308]), LOW[0], HIGH[0]).tolist()
