"""Scores as the engines give them, with tables of every engine."""

from __future__ import annotations

from overbar.frames.measure import measure_of
from overbar.frames.scoring import scored
from tests.frozen.engines import ENGINES, duckdb_of, table_of

__all__ = ["ENGINES", "duckdb_of", "scores_of", "table_of"]


def scores_of(frame, *, grid, catalogue=None, **columns):
    """Return {item: steps} as the engine gives them."""
    measure = measure_of(**{"item": "what", "person": "who"} | columns)
    found = scored(frame, measure, grid, catalogue)
    items = found.items.to_list()
    assert items == sorted(items)
    return dict(zip(items, found.steps.tolist(), strict=True))
