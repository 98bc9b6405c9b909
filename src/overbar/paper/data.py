"""The datasets of a report: which are here, what stands in for which, and what is missing."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from overbar.datasets import Dataset, DatasetError, load
from overbar.datasets.places import status
from overbar.datasets.registry import entry

#: What is used, under its own name, where a complete file is not here.
STAND_INS = {"kosarak": "kosarak-100k", "bms-pos": "bms-pos-100k"}


@dataclass
class Data:
    """Datasets of one report, read when first asked for; one that is given as it is is used so.

    ``notes`` holds one line for each that is missing or replaced.
    """

    data_dir: Path | None = None
    notes: list[str] = field(default_factory=list)
    _missing: dict[str, str] = field(init=False, repr=False)
    _loaded: dict[str, Dataset] = field(init=False, repr=False, default_factory=dict)

    def __post_init__(self) -> None:
        states = status(self.data_dir)
        self._missing = {state.entry.name: state.line for state in states if not state.here}

    def resolve(self, wanted: Iterable[str | Dataset]) -> list[str | Dataset]:
        """Return what is here, stand-ins in place of what they stand in for.

        Parameters
        ----------
        wanted : iterable of str or Dataset
            Names, or datasets of your own.

        Returns
        -------
        list of str or Dataset
            Those that are here.
        """
        chosen: list[str | Dataset] = []
        for one in wanted:
            other = "" if isinstance(one, Dataset) else STAND_INS.get(one, "")
            if isinstance(one, Dataset) or one not in self._missing:
                chosen.append(one)
            elif other and other not in self._missing:
                self._note(f"{entry(one).title} is not here; {other} stands in for it, as {other}")
                chosen.append(other)
            else:
                self._note(f"left out: {self._missing[one]}")
        return chosen

    def load(self, wanted: Iterable[str | Dataset]) -> list[Dataset]:
        """Return what is here of the wanted datasets; a file that cannot be used is absent.

        The parameters are those of :meth:`resolve`.

        Returns
        -------
        list of Dataset
            Those that are here.
        """
        wanted = tuple(wanted)
        while True:
            datasets = [self._read(one) for one in self.resolve(wanted)]
            if None not in datasets:
                return [one for one in datasets if one is not None]

    def checksums(self, wanted: Iterable[str | Dataset]) -> list[str]:
        """Return what identifies the content that a study over these datasets would use.

        The parameters are those of :meth:`resolve`.

        Returns
        -------
        list of str
            One for each that is here.
        """
        return [
            f"{one!r} {hashlib.sha256(one.scores.tobytes()).hexdigest()}"
            if isinstance(one, Dataset)
            else f"{one} {' '.join(source.checksum for source in entry(one).sources)}".strip()
            for one in self.resolve(wanted)
        ]

    def _read(self, one: str | Dataset) -> Dataset | None:
        if isinstance(one, Dataset):
            return one
        if one not in self._loaded:
            try:
                self._loaded[one] = load(one, self.data_dir)
            except DatasetError as error:
                self._missing[one] = f"{one} cannot be used: {error}"
                return None
        return self._loaded[one]

    def _note(self, line: str) -> None:
        if line not in self.notes:
            self.notes.append(line)
