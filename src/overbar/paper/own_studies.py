"""Studies from a file of one's own."""

from __future__ import annotations

import runpy
import traceback
from dataclasses import replace
from pathlib import Path

from overbar.errors import ParameterError, named
from overbar.paper.studies import STUDIES
from overbar.paper.study import Study


def studies_in(path: Path) -> list[Study]:
    """Run a Python file and return the studies it makes, in its order.

    An error in it is told in one line.
    """
    try:
        source = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        raise ParameterError(f"{named('study')} must be a Python file, got {str(path)!r}") from None
    try:
        made = runpy.run_path(str(path))
    except Exception as error:
        lines = [
            f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename == str(path)
        ]
        place = f", line {lines[-1]}" if lines else ""
        raise ParameterError(f"{path}{place}: {type(error).__name__}: {error}") from None
    found: list[Study] = []
    for one in made.values():
        if isinstance(one, Study) and one not in (*STUDIES, *found):
            found.append(one)
    if not found:
        raise ParameterError(
            f"{path} makes no study; write in it: from overbar.paper import Panels, Study, Sweep, "
            'and mine = Study("mine", "My study", "What is seen.", Sweep(("zipf",), ("SVT-Lap",), '
            '("1",)), Panels(), simulated=True)'
        )
    names = [study.name for study in (*STUDIES, *found)]
    for study in found:
        if names.count(study.name) > 1:
            raise ParameterError(f"{path}: the name {study.name!r} is taken; choose another")
    return [replace(study, source=source) for study in found]
