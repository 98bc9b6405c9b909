"""A column of the table is not a public list, where that can be seen."""

from __future__ import annotations

import duckdb
import narwhals
import numpy as np
import pandas
import polars
import pyarrow
import pytest

from overbar import frames
from overbar.errors import ParameterError
from overbar.frames import calls, question

#: Every item is one person's: a list of them is all there is to hide.
DATA = {"what": ["ale", "a gin with a longer name", "rum"], "who": [1, 2, 3], "n": [7, 8, 9]}
ASK = {"item": "what", "person": "who", "cutoff": 3, "epsilon": 1}
NOT_PUBLIC = "what is taken from the data is not public"


def arrow():
    return pyarrow.table(DATA)


def words():
    return arrow().set_column(0, "what", pyarrow.array(DATA["what"]).dictionary_encode())


def nullable():
    return pandas.DataFrame(DATA).convert_dtypes()


def plain():
    frame = pandas.DataFrame(DATA)
    return frame.assign(what=frame["what"].astype(object))


def pieces():
    return polars.concat([polars.DataFrame(DATA), polars.DataFrame(DATA)], rechunk=False)


def relation():
    return duckdb.connect().from_arrow(arrow())


OWN = {
    "pandas column": lambda t: (t, t["what"]),
    "pandas numbers": lambda t: (t, t["n"]),
    "pandas part": lambda t: (t, t["what"].iloc[1:]),
    "pandas array": lambda t: (t, t["n"].to_numpy()),
    "pandas frame": lambda t: (t, t[["what"]]),
    "narwhals": lambda t: (narwhals.from_native(t), narwhals.from_native(t)["what"]),
}
CASES = [(name, make, pick) for name, pick in OWN.items() for make in (plain, nullable)]
CASES = [case for case in CASES if case[:2] != ("pandas array", nullable)]  # a copy
CASES += [
    ("pandas inside", plain, lambda t: (t, t["n"].array)),
    ("pandas inside", nullable, lambda t: (t, t["n"].array)),
    ("strings inside", lambda: pandas.DataFrame(DATA), lambda t: (t, t["what"].array)),
    ("strings, values", lambda: pandas.DataFrame(DATA), lambda t: (t, t["what"].values)),
    ("pandas index", plain, lambda t: (t, pandas.Index(t["n"]))),
    ("strings, index", lambda: pandas.DataFrame(DATA), lambda t: (t, pandas.Index(t["what"]))),
    ("bytes", plain, lambda t: (t, memoryview(t["n"].to_numpy()))),
    (
        "categories, values",
        plain,
        lambda t: (f := t.astype({"what": "category"}), f["what"].values),
    ),
    (
        "categories alone",
        plain,
        lambda t: (f := t.astype({"what": "category"}), f["what"].cat.categories),
    ),
    ("dictionary", words, lambda t: (t, t["what"].chunk(0).dictionary)),
    ("object", plain, lambda t: (t, t["what"].to_numpy())),
    ("categories", plain, lambda t: (f := t.astype({"what": "category"}), f["what"])),
    ("strings", lambda: pandas.DataFrame(DATA), lambda t: (t, t["what"])),
    ("the table itself", plain, lambda t: (t, t)),
    ("arrow column", arrow, lambda t: (t, t["what"])),
    ("arrow chunk", arrow, lambda t: (t, t["what"].chunk(0))),
    ("arrow part", arrow, lambda t: (t, t["n"].slice(1))),
    ("arrow frame", arrow, lambda t: (t, t.select(["what"]))),
    ("polars column", lambda: polars.DataFrame(DATA), lambda t: (t, t["what"])),
    ("polars numbers", lambda: polars.DataFrame(DATA), lambda t: (t, t["n"][:2])),
    ("polars frame", lambda: polars.DataFrame(DATA), lambda t: (t, t.select("what"))),
    ("polars pieces", pieces, lambda t: (t, t["what"])),
    ("polars, lazy", lambda: polars.LazyFrame(DATA), lambda t: (t, t)),
    ("polars, a part", lambda: polars.LazyFrame(DATA), lambda t: (t, t.select("what").unique())),
    ("polars, eager and lazy", pieces, lambda t: (t, t.lazy().select("what").unique())),
    ("duckdb", relation, lambda t: (t, t.project("what").distinct())),
    ("duckdb, by a query", relation, lambda t: (t, t.query("t", "select distinct what from t"))),
    ("duckdb itself", relation, lambda t: (t, t)),
]


@pytest.mark.parametrize(("make", "pick"), [case[1:] for case in CASES], ids=[c[0] for c in CASES])
def test_a_column_of_the_table_is_refused(make, pick):
    table, listed = pick(make())
    with pytest.raises(ParameterError, match=NOT_PUBLIC):
        frames.select(table, catalogue=listed, threshold=0, **ASK)
    with pytest.raises(ParameterError, match=NOT_PUBLIC):
        frames.top(table, catalogue=listed, **ASK)
    columns, parameters = {"item": "what", "person": "who"}, {"cutoff": 3, "epsilon": 1}
    with pytest.raises(ParameterError, match=r"not public|got 3 columns|an item twice"):
        frames.Question.select(catalogue=listed, threshold=0, **parameters, **columns).run(table)


LISTS = [
    ["ale", "sake"],
    np.array(["ale", "sake"], dtype=object),
    pandas.Series(["ale", "sake"]),
    pandas.DataFrame({"public": ["ale", "sake"]}),
    pyarrow.chunked_array([["ale", "sake"]]),
    polars.Series(["ale", "sake"]),
]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("make", [plain, nullable, arrow, pieces, relation])
@pytest.mark.parametrize("listed", LISTS, ids=lambda one: type(one).__module__)
def test_a_list_from_elsewhere_is_not(make, listed):
    assert len(frames.select(make(), catalogue=listed, threshold=0, **ASK)) <= 2


def test_a_query_is_no_list():
    """Nobody can see what it asks: it may be the table's own rows."""
    for listed in (polars.LazyFrame({"x": ["ale"]}), duckdb.connect().sql("select 'ale'")):
        with pytest.raises(ParameterError, match=r"got a query .*; collect it, and only if what"):
            frames.select(plain(), catalogue=listed, threshold=0, **ASK)


def test_names_that_are_there_twice_are_ours_to_refuse():
    twice = pandas.DataFrame([["ale", "gin", 1]], columns=["what", "what", "who"])
    with pytest.raises(ParameterError, match="frame must have columns of different names"):
        frames.select(twice, catalogue=pandas.Series(["ale"]), threshold=0, **ASK)
    with pytest.raises(ParameterError, match="got several columns of one name"):
        frames.select(plain(), catalogue=twice, threshold=0, **ASK)


def test_control_without_the_check_a_persons_item_is_released(monkeypatch):
    for module in (calls, question):
        monkeypatch.setattr(module, "refuse_own_column", lambda *_: None)
    table = plain()
    found = frames.top(table, catalogue=table["what"], **ASK)
    assert set(found.labels) == set(DATA["what"])


def test_what_is_in_a_table_decides_nothing():
    """An equal list is no part of it, and an empty table has no part."""
    assert len(frames.select(plain(), catalogue=list(DATA["what"]), threshold=0, **ASK)) <= 3
    empty = plain().iloc[:0]
    assert len(frames.select(empty, catalogue=LISTS[2], threshold=0, **ASK)) <= 2


PUBLIC = {"code": [1, 2, 3], "what": ["ale", "a gin with a longer name", "port"]}


@pytest.mark.parametrize("codes", [[], [1], [2], [1, 2, 3], [2] * 99])
def test_a_table_that_was_joined_with_the_list_is_no_part_of_it(codes):
    """Polars shares the text of both, and lets go of it where too little of it is left."""
    public = polars.DataFrame(PUBLIC)
    rows = polars.DataFrame({"code": codes, "who": codes}, schema={"code": int, "who": int})
    table = rows.join(public, on="code")
    assert len(frames.select(table, catalogue=public["what"], threshold=0, **ASK)) <= 3
    # Pandas may share the words for each row as well: a list of Python is no part of anything.
    other = pandas.DataFrame(PUBLIC)
    joined = pandas.DataFrame({"code": codes, "who": codes}, dtype=int).merge(other, on="code")
    assert len(frames.select(joined, catalogue=other["what"].tolist(), threshold=0, **ASK)) <= 3


@pytest.mark.parametrize("kind", [polars.Categorical, polars.Enum(["ale", "sake"])], ids=str)
def test_categories_from_elsewhere_are_no_part_of_it(kind):
    table = polars.DataFrame(DATA).with_columns(what=polars.Series(["ale"] * 3, dtype=kind))
    listed = polars.Series(["ale", "sake"], dtype=kind)
    assert len(frames.select(table, catalogue=listed, threshold=0, **ASK)) <= 2
    with pytest.raises(ParameterError, match=NOT_PUBLIC):
        frames.select(table, catalogue=table["what"][:1], threshold=0, **ASK)
