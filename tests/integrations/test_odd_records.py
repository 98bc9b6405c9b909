"""Whatever is in a record: no error tells it from its absence, and no score moves by 1."""

from __future__ import annotations

import datetime
import os
import warnings
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas
import pytest
from scipy import sparse

from overbar import OverbarError, ScoreError

pytest.importorskip("sklearn")

from overbar.integrations.feature_scores import feature_table, number, target_values
from overbar.integrations.sklearn import SparseVectorSelector

#: Pairs of neighbours drawn for each form of table; many more than these by hand.
DRAWS = int(os.environ.get("OVERBAR_DRAWS", "40"))
FORMS = ["list", "tuple", "object", "texts", "frame", "guessed", "sparse", "floats"]


class Hostile:
    """A value that fails whenever it is looked at."""

    def _fail(self, *_):
        raise RuntimeError("looked at")

    __float__ = __int__ = __index__ = __hash__ = __eq__ = __bool__ = __len__ = __str__ = _fail


ODD = [
    None, np.nan, np.inf, -np.inf, 10**400, -(10**400), Fraction(10**400, 3), Decimal("sNaN"),
    Decimal("1e999999"), 1e308, 5e-324, 1j, np.complex128(1j), "", "tea", "0.25", " 1 ", "1e400",
    "0x10", "١", "nan", b"1", b"\xff", "\ud800", "9" * 5000, True, np.True_, [1], (1, 2), {"a": 1},
    {1}, object(), Hostile(), pandas.NA, pandas.NaT, pandas.Timestamp("2024-01-01"),
    datetime.date(1, 1, 1), np.datetime64("NaT"), np.timedelta64(5, "D"), np.array([1.0]),
    np.array(1.0), np.float16(0.5), np.longdouble("1e4000"), np.uint64(2**64 - 1), 2**63, type, len,
]  # fmt: skip


def value(generator, odds):
    if generator.random() < odds:
        return ODD[generator.integers(len(ODD))]
    return float(generator.random()) if generator.random() < 0.5 else int(generator.integers(2))


def objects(rows, width):
    table = np.empty((len(rows), width), dtype=np.object_)
    for i, row in enumerate(rows):
        for j, one in enumerate(row):
            table[i, j] = one
    return table


def shaped(form, rows, width):
    """Return the rows as a table; its type is the same whatever they hold, but for "guessed"."""
    if form == "list":
        return [list(row) for row in rows]
    if form == "tuple":
        return tuple(tuple(row) for row in rows)
    if form == "object":
        return objects(rows, width)
    if form == "texts":
        told = [[one if isinstance(one, str) else "0.5" for one in row] for row in rows]
        return np.array(told, dtype="U5000").reshape(len(rows), width)
    if form == "frame":
        return pandas.DataFrame(objects(rows, width), dtype=object).add_prefix("c")
    if form == "guessed":  # pandas chooses a type for each column by what is in it
        columns = {f"c{j}": [row[j] for row in rows] for j in range(width)}
        return pandas.DataFrame(columns, index=range(len(rows)))
    plain = np.array([[number(one) for one in row] for row in rows]).reshape(len(rows), width)
    return sparse.csr_array(plain) if form == "sparse" else plain


class Watched(SparseVectorSelector):
    """Keeps the scores, to compare them."""

    def _selected(self, scores, purpose):
        self.scores = scores
        return super()._selected(scores, purpose)


def outcome(chosen, X, y):
    """Return the scores of a fit; the error's text where it is refused."""
    fitted = Watched(**chosen)
    try:
        fitted.fit(X, y)
    except OverbarError as error:
        return str(error)
    return fitted.scores


def pair(form, generator):
    """Return a table and one with a record less, each with its target, and the number of columns.

    A list says by its first row how many columns there are: that row stays, and others may be too
    long, too short, or no rows at all.
    """
    listed = form in ("list", "tuple")
    records, width = int(generator.integers(1 + listed, 6)), int(generator.integers(1, 4))
    odds = float(generator.choice([0.1, 0.5, 1]))
    rows = [[value(generator, odds) for _ in range(width)] for _ in range(records)]
    labels = [value(generator, odds) for _ in rows]
    if form in ("frame", "guessed"):
        rows = [[0.5, *row[1:]] for row in rows]  # a column of numbers beside the odd ones
    gone = int(generator.integers(int(listed), records))
    less, few = rows[:gone] + rows[gone + 1 :], labels[:gone] + labels[gone + 1 :]
    tables = [shaped(form, rows, width), shaped(form, less, width)]
    if form == "list":
        other = [tables[0][gone][:1], [*tables[0][gone], 1], [], None, "row", 7, Hostile()]
        tables[0][gone] = [tables[0][gone], *other][generator.integers(8)]
    wrap = [list, lambda y: objects([[one] for one in y], 1)[:, 0]][generator.integers(2)]
    return tables[0], wrap(labels), tables[1], wrap(few), width


@pytest.mark.parametrize("form", FORMS)
def test_neighbours_are_told_apart_by_no_error_and_no_leap(form):
    generator = np.random.default_rng(FORMS.index(form))
    for draw in range(DRAWS):
        try:
            X, y, fewer, few, width = pair(form, generator)
        except UnicodeEncodeError:  # pandas itself makes no table of such a text
            assert form == "guessed"
            continue
        declared = {"classes": (0, 1)} if draw % 2 else {"target_range": (0, 1)}
        chosen = {"feature_range": (0, 1), "cutoff": 1, **declared}
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.filterwarnings("ignore", "fit number")
            first, second = outcome(chosen, X, y), outcome(chosen, fewer, few)
        assert not isinstance(first, str), first
        assert not isinstance(second, str), second
        assert len(first) == len(second) == width
        assert max(abs(one - other) for one, other in zip(first, second, strict=True)) < 1


def test_the_way_it_was_is_caught():
    """The control: NumPy reads a table at once, and one record makes it fail."""
    good, bad = [[0.5, 1.0]], [[0.5, 1.0], [{"a": 1}, 1.0]]
    assert np.array(objects(good, 2), dtype=np.float64).shape == (1, 2)
    with pytest.raises(TypeError):
        np.array(objects(bad, 2), dtype=np.float64)
    # And one text makes text of everyone's truth, which is then no number.
    assert np.isnan(feature_table(np.array([[True, 0.5], [True, "x"]]))).any(axis=1).all()
    assert feature_table([[True, 0.5], [True, "x"]])[0].tolist() == [1.0, 0.5]


def test_no_record_is_a_data_set_as_well():
    """Its neighbour is any single record."""
    for X in (np.empty((0, 3)), sparse.csr_array((0, 3)), pandas.DataFrame(np.empty((0, 3)))):
        for declared in ({"classes": (0, 1)}, {"target_range": (0, 1)}):
            fitted = Watched(feature_range=(0, 1), cutoff=2, **declared).fit(X, [])
            assert fitted.scores == [0, 0, 0]
            assert fitted.support_.sum() == 2
    one = Watched(feature_range=(0, 1), cutoff=2, classes=(0, 1)).fit(np.ones((1, 3)), [1])
    assert one.scores == [0, 0, 0]


@pytest.mark.parametrize(
    "given",
    [
        [], [1, 2], "text", np.ones((2, 2, 2)), np.ones(3), np.ones((2, 2), complex),
        np.zeros((2, 2), "M8[s]"), np.ma.masked_array([[1.0]], [[True]]),
        sparse.eye(2, dtype=complex), sparse.coo_array([1.0, 2.0]), None, 5, np.empty((3, 0)),
    ],
    ids=repr,
)  # fmt: skip
def test_what_is_refused_is_refused_by_shape_and_type(given):
    chosen = SparseVectorSelector(feature_range=(0, 1), classes=(0, 1))
    with pytest.raises(ScoreError, match=r"^(X must|Complex data not supported: X must)"):
        chosen.fit(given, [0, 1])


def test_values_are_read_one_by_one():
    assert [number(one) for one in ("2.5", 10**400, -(10**400), True, Fraction(1, 4))] == [
        2.5, np.inf, -np.inf, 1.0, 0.25,
    ]  # fmt: skip
    assert all(np.isnan(number(one)) for one in (None, "tea", 1j, [1], Hostile(), pandas.NaT))
    assert target_values([[1, 2], [3, 4]]).tolist() == [[1, 2], [3, 4]]
    assert target_values(np.array([[1], [2]])).tolist() == [1, 2]
