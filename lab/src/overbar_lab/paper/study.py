"""What a study is: what to compute, on which datasets, and how to draw what came out.

Tables are rows of plain values; written as text, the same numbers always give the same bytes.
"""

from __future__ import annotations

import csv
import dataclasses
import hashlib
import inspect
import io
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from overbar_lab.datasets import Dataset, DatasetError, load
from overbar_lab.datasets.registry import entry, status
from overbar_lab.simulation.seeded_runs import Report, sensible_workers, silent, spread

if TYPE_CHECKING:
    from matplotlib.figure import Figure

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


#: How the name of a method ends that runs under the paper's Rényi convention.
CONVENTION = ", paper's RDP"
#: Fewer runs a point are for a first look.
FEW_RUNS = 50

#: Half the width of a 95 % interval, in standard errors.
HALF = 1.96

T = TypeVar("T")
Result = TypeVar("Result")
Value = str | int | float | bool | None
Row = dict[str, Value]
#: Rows of plain values with the same columns: what a CSV file holds.
Table = list[Row]


@dataclass(frozen=True)
class Conditions:
    """What a user decides about a whole report: runs for each point, the seed, and the data.

    ``workers`` None is all cores. ``report`` is told how many points of a study are done.
    """

    runs: int
    seed: int
    data: Data
    workers: int | None = None
    report: Report = field(default=silent, compare=False)

    def times(self, share: float) -> Conditions:
        """Return the same with so many times the runs, rounded up.

        Parameters
        ----------
        share : float
            Less than one where runs are slow. More where differences are small; but where runs are
            few nothing is settled anyway, and nobody has more of them.

        Returns
        -------
        Conditions
            The new ones.
        """
        most = 1.0 if self.runs < FEW_RUNS else math.inf
        return dataclasses.replace(self, runs=math.ceil(self.runs * min(share, most)))

    def each(self, job: Callable[[T], Result], items: Sequence[T]) -> list[Result]:
        """Do a job for every item, on all cores.

        Parameters
        ----------
        job : callable
            Takes an item.
        items : sequence
            The items.

        Returns
        -------
        list
            What came out for each.
        """
        workers = sensible_workers(math.inf) if self.workers is None else self.workers
        return spread(
            lambda number: job(items[number]),
            range(len(items)),
            workers=min(workers, len(items)),
            report=self.report,
        )


@dataclass(frozen=True)
class Study:
    """One figure or table.

    Attributes
    ----------
    name, title
        What to ask for it by, and its heading.
    shows
        What a reader sees, in a sentence or two.
    compute
        From conditions to a table: a frozen dataclass whose fields are the parameters, such as
        :class:`overbar_lab.paper.Sweep`, or a function with keyword parameters.
    draw
        From a table to a figure; None for a table that is shown as it is.
    simulated
        Whether runs and seed matter.
    warning
        What must be said beside the figure wherever it goes.
    source
        The text of the file it was read from, if it is not one of this package.
    """

    name: str
    title: str
    shows: str
    compute: Callable[[Conditions], Table]
    draw: Callable[[Table], Figure] | None = None
    simulated: bool = False
    warning: str = ""
    source: str = field(default="", repr=False)

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters by name."""
        if dataclasses.is_dataclass(self.compute):
            return {
                one.name: getattr(self.compute, one.name)
                for one in dataclasses.fields(self.compute)
            }
        named = inspect.signature(self.compute).parameters.values()
        return {one.name: one.default for one in named if one.default is not one.empty}

    @property
    def datasets(self) -> tuple[Any, ...]:
        """The datasets it asks for: names, or datasets as they are."""
        return tuple(self.parameters.get("datasets", ()))


def text_of(value: Any) -> str:
    """Write a parameter for people; nothing in it depends on the machine."""
    if isinstance(value, tuple):
        return ", ".join(text_of(one) for one in value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:g}"
    return "no limit" if value is None else str(value)


#: Columns that end so hold running times: true of one machine at one moment, and kept apart.
SECONDS = "_seconds"


def csv_text(table: Table) -> str:
    """Write a table as CSV, floats with ten significant digits."""
    if not table:
        return ""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(table[0])
    writer.writerows([_cell(value) for value in row.values()] for row in table)
    return out.getvalue()


def _cell(value: Value) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.10g}" if isinstance(value, float) else str(value)


def rows_of(columns: dict[str, Any]) -> Table:
    """Make rows of columns: arrays of one length, and values that are the same in every row."""
    (size,) = {len(values) for values in columns.values() if isinstance(values, np.ndarray)}
    return [
        {
            name: values[place].item() if isinstance(values, np.ndarray) else values
            for name, values in columns.items()
        }
        for place in range(size)
    ]


def without_times(table: Table) -> Table:
    """Return the table without running times, so that two computations can be compared."""
    return [{name: row[name] for name in row if not name.endswith(SECONDS)} for row in table]


def only(table: Table, **wanted: Value) -> Table:
    """Return the rows whose columns have the wanted values."""
    return [row for row in table if all(row[name] == value for name, value in wanted.items())]


def averaged(name: str, one_each: NDArray[Any]) -> Row:
    """Return the mean of a value of each run, or of each finding, with a 95 % interval."""
    middle = float(one_each.mean())
    reach = HALF * float(one_each.std()) / math.sqrt(len(one_each))
    return {name: middle, f"{name}_low": middle - reach, f"{name}_high": middle + reach}


def number(row: Row, name: str) -> float:
    """Return a cell that holds a number."""
    cell = row[name]
    assert cell is not None
    return float(cell)


def column(table: Table, name: str) -> list[float]:
    """Return a column of numbers; a missing one is not a number."""
    return [math.nan if row[name] is None else number(row, name) for row in table]


def values(table: Table, name: str) -> list[Value]:
    """Return what a column holds, each value once, in order."""
    return list(dict.fromkeys(row[name] for row in table))
