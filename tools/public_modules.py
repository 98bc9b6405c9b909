"""The public modules, each with what it is for. Every other module is internal.

The reference documents these and no others, pages and examples import from these, and
`tools/measure.py` counts their names. A name is public if one of these modules
has it in its ``__all__``.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from functools import cache

#: A name that several of them list is documented in the first.
MODULES = {
    "overbar.errors": "everything that is raised on purpose, as a tree",
    "overbar": "select, top, plans, guarantees, ledgers: what most people need",
    "overbar.frames": "private answers from tables of pandas, Polars, PyArrow, DuckDB, Spark",
    "overbar.ledger": "what a ledger gives back: accounts, entries, receipts",
    "overbar.accuracy": "accuracy to expect, before any data is touched",
    "overbar.mechanisms": "plans, one class for each mechanism",
    "overbar.noise": "the noises, and the check for a noise of your own",
    "overbar.planning": "how a budget is split between threshold and queries",
    "overbar.privacy": "guarantees as values, and the theorems behind them",
    "overbar.audit": "try to break a privacy claim: from samples of any mechanism, or exactly",
    "overbar_lab": "many seeded runs at once, which protect nobody",
    "overbar_lab.metrics": "precision, recall, F1 and NCR of a selection",
    "overbar_lab.datasets": "the datasets of the paper",
    "overbar_lab.paper": "every figure and table of the paper as a study",
    "overbar_lab.paper.methods": "the methods that are compared, by name",
    "overbar.integrations.dp_accounting": "a run inside Google's accountants",
    "overbar.integrations.opendp": "a run as an OpenDP measurement",
}


def public_objects() -> Iterator[tuple[str, str, object]]:
    """Yield module, name and object of everything public, in the order of `MODULES`."""
    for module in MODULES:
        found = importlib.import_module(module)
        for name in found.__all__:
            yield module, name, getattr(found, name)


def public_name(dotted: str) -> str | None:
    """Return the public name of what a dotted name leads to, if it has one.

    >>> public_name("overbar.runs.batch.select")
    'overbar.select'
    >>> public_name("overbar.runs.online.SparseVector.ask")
    'overbar.SparseVector.ask'
    >>> public_name("overbar.sampling.race.race_above")
    """
    if dotted in MODULES:
        return dotted
    subject, rest = resolve(dotted)
    for count, part in enumerate(rest, 1):
        subject = getattr(subject, part)
        home = _homes().get(id(subject))
        if home is not None:
            return ".".join((home, *rest[count:]))
    return None


@cache
def _homes() -> dict[int, str]:
    """The first public name of each function, class and mapping, by its identity."""
    homes: dict[int, str] = {}
    for module, name, subject in public_objects():
        if callable(subject) or isinstance(subject, dict):
            homes.setdefault(id(subject), f"{module}.{name}")
    return homes


def resolve(dotted: str) -> tuple[object, list[str]]:
    """Return the module that a dotted name begins with, and the rest of the name.

    >>> resolve("overbar.mechanisms.Plan.to_json")[1]
    ['Plan', 'to_json']
    """
    parts = dotted.split(".")
    for length in range(len(parts), 0, -1):
        try:
            return importlib.import_module(".".join(parts[:length])), parts[length:]
        except ModuleNotFoundError:
            continue
    raise AttributeError(f"{dotted} leads nowhere")
