"""How many keys of kosarak-100k come out, and how much of all there is they stand for."""

from __future__ import annotations

import gzip
from collections import Counter

import numpy as np
import pyarrow

from overbar import frames
from tests.reference.set_union import laplace_keys


def test_keys_of_kosarak(data_folder):
    """At ε = 1 and δ = 10⁻⁶, by 100 keys of each person.

    The control is the usual way, which finds a quarter as many.
    """
    with gzip.open(data_folder / "kosarak-first100k.dat.gz", "rt") as file:
        text = file.read()
    held = {line: set(map(int, found.split())) for line, found in enumerate(text.splitlines())}
    rows = [(key, line) for line, keys in held.items() for key in sorted(keys)]
    table = pyarrow.table({"key": [key for key, _ in rows], "line": [line for _, line in rows]})
    support = Counter(key for key, _ in rows)
    assert len(support) == 23_496

    asked = {"item": "key", "person": "line", "epsilon": 1, "delta": "1e-6"}
    found = frames.keys(table, **asked, items_per_person=100)
    assert len(found) >= 1220
    assert sum(support[key] for key in found) >= 0.70 * len(rows)

    usual = laplace_keys(held, 10, 1.0, 1e-6, np.random.default_rng(1))
    assert 260 <= len(usual) <= 310
    assert sum(support[key] for key in usual) < 0.52 * len(rows)
