"""A progress bar of one line, in the form that pooch asks for."""

from __future__ import annotations

from typing import TextIO

WIDTH = 30


class Bar:
    """Draws how much of a file has come; pooch sets ``total`` and calls the rest."""

    def __init__(self, name: str, stream: TextIO) -> None:
        self.name = name
        self.stream = stream
        self.total = 0
        self.offset = 0
        self._done = 0
        self._drawn = ""

    def update(self, step: int) -> None:
        """Add bytes; the line is drawn anew only when it would look different."""
        self._done = min(self._done + step, self.total) if self.total else self._done + step
        done, total = self.offset + self._done, self.offset + self.total
        if self.total:
            full = WIDTH * done // total
            bar = f"[{'#' * full}{'.' * (WIDTH - full)}] {100 * done // total:3d} % of "
            line = f"\r{self.name} {bar}{total / 1e6:.1f} MB"
        else:
            line = f"\r{self.name} {done / 1e6:.1f} MB"
        if line != self._drawn:
            self.stream.write(line)
            self.stream.flush()
            self._drawn = line

    def reset(self) -> None:
        """Begin to count again: pooch does so before its last step."""
        self._done = 0

    def close(self) -> None:
        """End the line."""
        self.stream.write("\n")
        self.stream.flush()
