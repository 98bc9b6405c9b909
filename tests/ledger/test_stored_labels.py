"""Labels come back from the disk as they were, with their type, or not at all."""

import datetime
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from overbar.errors import LedgerError, ParameterError
from overbar.ledger.answers import StoredAnswer, check_storable, from_stored, to_stored
from overbar.ledger.fields import from_fields, to_fields

LABELS = [
    *("", "tea", 0, -7, 10**40, 0.1, -0.0, 1e300, float("inf"), True, False, None),
    *(datetime.date(2026, 2, 3), datetime.datetime(2026, 2, 3, 4, 5, 6, 7)),
    *(
        Fraction(-2, 3),
        Decimal("1.50"),
        ("north", datetime.date(2026, 2, 3), 7),
        ("tuple", "a"),
        (),
    ),
]


@pytest.mark.parametrize("label", LABELS, ids=repr)
def test_there_and_back(label):
    again = from_stored(to_stored(label))
    assert (type(again), repr(again)) == (type(label), repr(label))


def test_numpy_s_own_numbers_come_back_as_python_s():
    for label, plain in ((np.int64(5), 5), (np.float64(0.5), 0.5), (np.str_("a"), "a")):
        again = from_stored(to_stored(label))
        assert (type(again), again) == (type(plain), plain)


@pytest.mark.parametrize(
    "stored",
    [
        *(
            [],
            ["int"],
            ["int", "3", "4"],
            ["colour", "red"],
            {"a": 1, "b": 2},
            {"int": "3"},
            7,
            None,
        ),
        *(["int", 3], ["int", "abc"], ["int", " 3"], ["int", "1_0"], ["int", "1" * 5000]),
        *(["bool", "yes"], ["none", "x"], ["float", None], ["float", "0x1p99999"], ["date", "x"]),
        *(["fraction", "1/0"], ["fraction", "1e99999999"], ["fraction", "2/4"], ["decimal", "x"]),
        *(["time", "2024-02-30T00:00:00"], [["int"], "3"]),
        *(["tuple", ["tuple", "a"]], ["tuple", 3], ["tuple", ["int", "x"]], [["tuple"], "a"]),
    ],
    ids=lambda stored: f"{stored!r:.40}",
)
def test_what_was_edited_is_refused(stored):
    with pytest.raises(LedgerError, match="not readable"):
        from_stored(stored)


@pytest.mark.parametrize(
    "label",
    [
        (1, (2, 3)),
        (1, b"bytes"),
        b"bytes",
        object(),
        complex(1, 2),
        10**5000,
        Fraction(1, 10**4000),
        Decimal("1" * 4001),
    ],
    ids=lambda label: type(label).__name__,
)
def test_labels_without_a_form_are_refused(label):
    with pytest.raises(ParameterError, match="labels of a request must be"):
        to_stored(label)
    with pytest.raises(ParameterError, match="labels of a request must be"):
        check_storable(["fine", label])
    check_storable(["fine", 3])
    check_storable(None)


def test_a_class_of_ones_own_is_not_taken_for_what_it_derives_from():
    class Money(int):
        pass

    with pytest.raises(ParameterError, match="got Money"):
        to_stored(Money(3))


COUNT = (Fraction(1, 3), None, Fraction(2, 3))


@pytest.mark.parametrize(
    ("counts", "wrong"),
    [
        ([["3", "0", "2"]], "cannot be what it says"),
        ([["-1", "0", "2"]], "cannot be what it says"),
        ([["3", None, "2"]], "cannot be what it says"),
        ([["1", "1", "2"]] * 2, "cannot be what it says"),
        ("many", "'counts' of a row must be"),
        (5, "'counts' of a row must be"),
        ([["1", "2"]], "'counts' of a row must be"),
        ([["1", None, None]], "'counts' of a row must be"),
        ([["x", "1", "2"]], "'counts' of a row must be"),
        ([["2/4", "1/4", "1"]], "'counts' of a row must be"),
    ],
)
def test_counts_that_were_edited_are_not_given_out(counts, wrong):
    stored = to_fields(StoredAnswer.of(["tea"], counts=[COUNT]))
    assert from_fields(StoredAnswer, stored).counts == (COUNT,)
    with pytest.raises(LedgerError, match=wrong):
        from_fields(StoredAnswer, stored | {"counts": counts}, "answer")
