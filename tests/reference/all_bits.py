"""The law of a draw by running it on every way its bits can fall, so many bits deep.

A draw asks its module for bits, and here it gets the next branch of a tree; what wants more bits
than the tree is deep stays open. So the chance of each outcome is known to within what is open.
"""

from __future__ import annotations

import sys
from collections import defaultdict

import numpy as np

#: The modules that draw bits, and what tells how many they draw further on: one by one here.
MODULES = {
    "bernoulli": {},
    "coin": {"STEP": 1},
    "highest": {"KEY_BITS": 0, "WORD_BITS": 1},
    "on_grid": {"WORD_BITS": 1},
    "race": {},
    "runner": {"FIRST_BITS": 3, "_doubled": lambda *_: iter(range(3, 99))},
    "shortlist": {},
    "zeros": {"WORD_BITS": 1},
}


class TooDeepError(BaseException):
    """More bits are asked for than the tree is deep."""


class Tree:
    """All ways that so many bits can fall."""

    def __init__(self, monkeypatch, depth):
        self._depth, self._path, self._at = depth, [], 0
        for name, sizes in MODULES.items():
            module = sys.modules[f"overbar.sampling.{name}"]
            for kind in ("random_bits", "random_words"):
                if hasattr(module, kind):
                    monkeypatch.setattr(module, kind, getattr(self, kind))
            for what, size in sizes.items():
                monkeypatch.setattr(module, what, size)

    def random_bits(self, count, _=None):
        if self._at + count > self._depth:
            raise TooDeepError
        self._path += [0] * (self._at + count - len(self._path))
        self._at += count
        return int("0" + "".join(map(str, self._path[self._at - count : self._at])), 2)

    def random_words(self, count, bits=64, _=None):
        kind = np.min_scalar_type((1 << bits) - 1)
        return np.array([self.random_bits(bits) for _ in range(count)], dtype=kind)

    def law(self, draw):
        """Return the chance of each outcome, and what is left open."""
        chances = defaultdict(float)
        self._path, left = [], True
        while left:
            self._at = 0
            try:
                outcome = draw()
            except TooDeepError:
                outcome = TooDeepError
            chances[outcome] += 2.0**-self._at
            del self._path[self._at :]
            while self._path and self._path[-1] == 1:
                self._path.pop()
            left = bool(self._path)
            if left:
                self._path[-1] = 1
        return chances, chances.pop(TooDeepError, 0.0)

    def agrees(self, draw, law):
        """Tell whether a draw may have this law: no chance is further off than what is open."""
        found, left = self.law(draw)
        assert left < 0.3
        outcomes = {*found, *law}
        return all(-1e-6 < law.get(one, 0) - found.get(one, 0) < left + 1e-6 for one in outcomes)
