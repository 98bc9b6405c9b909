"""What a label is depends on one value and on the type of its column, never on other rows."""

from __future__ import annotations

import io
from decimal import Decimal

import duckdb
import numpy as np
import pandas
import polars
import pyarrow
import pytest

from overbar import ParameterError
from tests.frozen import seam
from tests.frozen.engines import ENGINES


def objects(*values):
    return pandas.Series(list(values), dtype=object)


def raw_text(*values):
    """Return Arrow text that nobody has checked."""
    return pyarrow.array(values, pyarrow.binary()).view(pyarrow.string())


def test_one_more_person_does_not_decide_what_a_column_is():
    """The first hundred values are missing; one more person's number in front of them is not."""
    everybody = [None] * 100 + [name for n in range(1_000) for name in (n, str(n))]
    everybody += [f"person {n}" for n in range(100)]
    without, more = objects(*everybody), objects(5_000, *everybody)
    assert seam.scores(pandas.DataFrame({"what": "tea", "who": without})) == {"tea": 1_100}
    assert seam.scores(pandas.DataFrame({"what": "tea", "who": more})) == {"tea": 1_101}
    for column in (without, more):
        items = pandas.DataFrame({"what": column, "who": range(len(column))})
        assert seam.scores(items)["7"] == 2


def test_a_file_that_pandas_reads_in_pieces_has_each_person_once():
    """Pandas guesses the type of each piece: the same persons are text here and numbers there."""
    wide = "," * 100  # the wider a table, the shorter the pieces
    lines = [f"who,what{wide}", f"someone,tea{wide}"]
    lines += [f"{person},tea{wide}" for _ in range(2) for person in range(20_000)]
    with pytest.warns(pandas.errors.DtypeWarning, match="mixed types"):
        frame = pandas.read_csv(io.StringIO("\n".join(lines)), usecols=["who", "what"])
    assert len({type(person) for person in frame["who"]}) == 2
    assert seam.scores(frame) == {"tea": 20_001}


def test_what_is_not_text_is_left_out_on_every_engine():
    items = raw_text(b"tea", b"\xff\xfe", b"tea", b"\xed\xa0\x80", "é".encode(), b"tea\xff")
    for kind in (pyarrow.string(), pyarrow.large_string()):
        table = pyarrow.table({"what": items, "who": range(6)})
        table = table.set_column(0, "what", items if kind == items.type else _large(items))
        swapped = table.rename_columns(["who", "what"]).select(["what", "who"])
        for make in (*(ENGINES[name] for name in ENGINES if "pandas" not in name), _pandas):
            assert seam.scores(make(table)) == {"tea": 2, "é": 1}
            assert seam.scores(make(table), items_per_person=1) == {"tea": 2, "é": 1}
            assert seam.scores(make(swapped)) == {0: 1, 2: 1, 4: 1}
            assert sum(seam.scores(make(swapped), items_per_person=1).values()) == 2


def test_text_that_is_not_utf8_is_left_out_of_tables_that_duckdb_keeps():
    """It checks what comes from Arrow only until the first letter beyond ASCII."""
    items = raw_text("é".encode(), b"tea", b"\xff", b"tea")
    engine = duckdb.connect()
    engine.register("given", pyarrow.table({"what": items, "who": range(4)}))
    engine.execute("create table kept as select * from given")
    engine.execute("create table swapped as select what as who, who as what from given")
    for most in (None, 1):
        assert seam.scores(engine.table("kept"), items_per_person=most) == {"tea": 2, "é": 1}
    assert seam.scores(engine.table("swapped")) == {0: 1, 1: 1, 3: 1}


def _large(items):
    return items.cast(pyarrow.binary()).cast(pyarrow.large_binary()).view(pyarrow.large_string())


def _pandas(table):
    return pandas.DataFrame(
        {name: pandas.arrays.ArrowExtensionArray(table[name]) for name in table.column_names}
    )


def test_a_nul_in_one_text_renames_nobody_elses():
    """Pandas 2 compares text up to its first NUL, and the first of such a group names it."""
    for kind in (object, "string[python]", "str"):
        items = pandas.Series(["tea\0oops", "tea", "tea"], dtype=kind)
        found = seam.scores(pandas.DataFrame({"what": items, "who": range(3)}))
        assert found == {"tea": 2}


def test_a_collation_lets_no_row_rename_others():
    engine = duckdb.connect()
    engine.execute("create table rows (what varchar collate nocase, who varchar collate nocase)")
    engine.execute("insert into rows values ('TEA', 'a'), ('tea', 'b'), ('tea', 'B'), ('tea', 'c')")
    assert seam.scores(engine.table("rows")) == {"TEA": 1, "tea": 3}
    engine.execute("set default_collation = 'nocase'")
    engine.execute(
        "create table more as select what::varchar as what, who::varchar as who from rows"
    )
    for name in ("rows", "more"):
        assert seam.scores(engine.table(name)) == {"TEA": 1, "tea": 3}
        found = seam.scores(engine.table(name), items_per_person=1, catalogue=["tea"])
        assert found == {"tea": 3}


def test_halves_are_no_labels_in_half_precision():
    halves = [1.0, 2.5, float("nan"), None]
    frame = polars.DataFrame({"what": polars.Series(halves, dtype=polars.Float16), "who": range(4)})
    assert seam.scores(frame) == {1: 1}
    assert seam.scores(frame.lazy()) == {1: 1}
    small = pyarrow.array(np.array([1, 2.5, np.nan], dtype=np.float16))
    assert seam.scores(pyarrow.table({"what": small, "who": range(3)})) == {1: 1}


def test_numbers_must_not_be_objects_whatever_the_first_are():
    wanted = "value must be a column of numbers, got 'much' of type object; cast it to a float"
    for values in (["2", "3"], [2, "3"], [None, None], [Decimal(1), 2.0], [2, 3]):
        frame = pandas.DataFrame({"what": ["a", "a"], "who": [1, 2], "much": objects(*values)})
        with pytest.raises(ParameterError) as caught:
            seam.scores(frame, value={"much": (0, 1)})
        assert str(caught.value) == wanted
        with pytest.raises(ParameterError, match="score must be a column of numbers, got 'much' o"):
            seam.scores(frame, person=None, score="much", sensitivity=1)


def test_tables_that_cannot_be_read_are_refused_by_their_shape():
    twice = pandas.DataFrame([["a", 1, 2]], columns=["what", "who", "who"])
    with pytest.raises(ParameterError, match="columns of different names; rename those"):
        seam.scores(twice)
    several = pandas.DataFrame([["a", 1]], columns=[["what", "who"], ["x", "y"]])
    with pytest.raises(ParameterError, match="item must name a column, got 'what'; there are"):
        seam.scores(several)
    with pytest.raises(ParameterError, match="person must name a column, got 'who'"):
        seam.scores(pandas.DataFrame({"what": ["a"], "who": [1]}).set_index("who"))
    for values in ([object()], []):
        lazy = polars.DataFrame({"what": polars.Series(values, dtype=polars.Object)}).lazy()
        with pytest.raises(ParameterError, match="collect the frame first, or cast the column"):
            seam.scores(lazy.with_columns(who=1))
