"""The release engine: one step function, asked online, in batches or over a stream."""

from __future__ import annotations

from overbar.mechanism.batch import select, top
from overbar.mechanism.online import SparseVector
from overbar.mechanism.selection import Selection

__all__ = ["Selection", "SparseVector", "select", "top"]
