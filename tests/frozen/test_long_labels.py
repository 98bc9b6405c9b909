"""Labels above a public length are missing, row by row, so that no array of text overflows.

Real sizes need memory: ``OVERBAR_LONG_LABELS=1 pytest tests/frozen/test_long_labels.py``.
"""

from __future__ import annotations

import os

import numpy as np
import polars
import pyarrow
import pytest

from tests.frozen import seam
from tests.frozen.engines import ENGINES, table_of
from tests.reference import frames as reference

#: Bytes of a label. Longer ones are missing.
LONGEST = 2**19
#: Around the limit, in bytes and not in signs.
LABELS = [
    *("a" * (LONGEST + more) for more in (-1, 0, 1)),
    *("é" * (LONGEST // 2) + more for more in ("", "x")),
    "€" * (LONGEST // 3), "€" * (LONGEST // 3 + 1), "b",
]  # fmt: skip


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("most", [None, 1])
def test_labels_are_missing_from_a_public_length_on(engine, most):
    rows = [(item, person) for item in LABELS for person in ("p", LABELS[-3], LABELS[2])]
    known = [row for row in rows if all(len(label.encode()) <= LONGEST for label in row)]
    assert 0 < len(known) < len(rows)
    found = seam.scores(ENGINES[engine](table_of(rows, person="text")), items_per_person=most)
    assert found == reference.counts(known, most, seam.KEY)


@pytest.mark.skipif("OVERBAR_LONG_LABELS" not in os.environ, reason="needs 8 GiB of memory")
@pytest.mark.parametrize("engine", ["pyarrow", "duckdb", "polars"])
def test_more_than_two_gib_of_one_persons_labels(engine):
    """A segmentation fault (Arrow) and an error (DuckDB), which one person decided."""
    number, size = 2_700_000, 800
    chunks = []
    for first in range(0, number, 100_000):
        signs = np.full((100_000, size), ord("x"), dtype=np.uint8)
        for digit in range(8):
            signs[:, digit] = ord("0") + np.arange(first, first + 100_000) // 10**digit % 10
        ends = pyarrow.py_buffer(np.arange(100_001, dtype=np.int32) * size)
        chunks.append(pyarrow.StringArray.from_buffers(100_000, ends, pyarrow.py_buffer(signs)))
    chunks.append(pyarrow.array(["tea", "rum"]))
    who = pyarrow.chunked_array([pyarrow.array(["p"] * len(chunk)) for chunk in chunks])
    table = pyarrow.table({"what": pyarrow.chunked_array(chunks), "who": who})
    frame = polars.from_arrow(table) if engine == "polars" else ENGINES[engine](table)
    del chunks, signs
    found = seam.scores(frame, catalogue=["tea", "rum"])
    assert (found["rum"], found["tea"]) == (1, 1)
