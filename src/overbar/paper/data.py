"""The datasets of a report: which are here, what stands in for which, and what is missing."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from overbar.datasets import Dataset, DatasetError, entry, load, status

#: What is used, under its own name, where a complete file is not here.
STAND_INS = {"kosarak": "kosarak-100k", "bms-pos": "bms-pos-100k"}


@dataclass
class Data:
    """Datasets of one report, read when first asked for.

    ``notes`` holds one line for each that is missing or replaced.
    """

    data_dir: Path | None = None
    notes: list[str] = field(default_factory=list)
    _here: dict[str, bool] = field(init=False, repr=False)
    _lines: dict[str, str] = field(init=False, repr=False)
    _loaded: dict[str, Dataset] = field(init=False, repr=False, default_factory=dict)

    def __post_init__(self) -> None:
        found = status(self.data_dir)
        self._here = {one.entry.name: one.here for one in found}
        self._lines = {one.entry.name: one.line for one in found}

    def resolve(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """Return the names of what is here, stand-ins in place of what they stand in for."""
        chosen = []
        for name in names:
            other = STAND_INS.get(name)
            if self._here[name]:
                chosen.append(name)
            elif other is not None and self._here[other]:
                self._note(f"{entry(name).title} is not here; {other} stands in for it, as {other}")
                chosen.append(other)
            else:
                self._note(f"left out: {self._lines[name]}")
        return tuple(chosen)

    def load(self, names: tuple[str, ...]) -> list[Dataset]:
        """Return what is here of the named datasets; a file that cannot be used is absent."""
        while True:
            chosen = self.resolve(names)
            unusable = [name for name in chosen if not self._readable(name)]
            if not unusable:
                return [self._loaded[name] for name in chosen]

    def checksums(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """Return what identifies the content that a study over these datasets would use."""
        return tuple(
            f"{name} {' '.join(source.checksum for source in entry(name).sources)}".strip()
            for name in self.resolve(names)
        )

    def _readable(self, name: str) -> bool:
        if name not in self._loaded:
            try:
                self._loaded[name] = load(name, self.data_dir)
            except DatasetError as error:
                self._here[name] = False
                self._lines[name] = f"{name} cannot be used: {error}"
                return False
        return True

    def _note(self, line: str) -> None:
        if line not in self.notes:
            self.notes.append(line)
