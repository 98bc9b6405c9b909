"""The release engine: one step function, asked online, in batches or over a stream."""

from __future__ import annotations

from overbar.runs.batch import select, top
from overbar.runs.online import SparseVector
from overbar.runs.selection import Selection

__all__ = ["Selection", "SparseVector", "select", "top"]
