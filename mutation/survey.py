"""Which test executes which line of a room, and how long each test takes."""

from __future__ import annotations

import time
from collections.abc import Generator
from dataclasses import dataclass, field
from pathlib import Path

import pytest


@dataclass
class Survey:
    """What was seen while the unchanged tests ran."""

    seconds: dict[str, float] = field(default_factory=dict)
    #: By file, then by line: the tests that executed it.
    executed: dict[str, dict[int, list[str]]] = field(default_factory=dict)

    def tests_for(self, path: str, first: int, last: int, most: float) -> list[str]:
        """Return the tests to try a change of these lines with, fastest first.

        They take at most so many seconds together, but there is one at least if any will do. A line
        that runs at import is tried with every test, those that execute the file first: who uses
        what it defines is not known.
        """
        chosen = self._executed(path, first, last)
        users = self._executed(path, 1, max(self.executed.get(path, {0: []}))) - {""}
        if "" in chosen:
            chosen = set(self.seconds)
        elif not chosen:  # perhaps it runs in a process that a test has started
            chosen = users
        total = 0.0
        kept: list[str] = []
        for test in sorted(chosen, key=lambda test: (test not in users, self.seconds[test])):
            total += self.seconds[test]
            if total > most and kept:
                break
            kept.append(test)
        return kept

    def runs_at_import(self, path: str, first: int, last: int) -> bool:
        """Tell whether some of these lines run when the module is imported."""
        return "" in self._executed(path, first, last)

    def _executed(self, path: str, first: int, last: int) -> set[str]:
        lines = self.executed.get(path, {})
        return {test for line in range(first, last + 1) for test in lines.get(line, [])}


class Surveyor:
    """A pytest plugin that measures one test at a time. Lines run at import have the name ""."""

    def __init__(self, folder: str) -> None:
        import coverage  # here: what is chosen from a survey can be tested without it

        self.survey = Survey()
        self.failed: list[str] = []
        self._coverage = coverage.Coverage(data_file=None, include=[f"{folder}/*"])
        self._coverage.start()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Put what a test executes under its name."""
        self._coverage.switch_context(item.nodeid)
        begun = time.process_time()
        result = yield
        self.survey.seconds[item.nodeid] = time.process_time() - begun
        return result

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Remember failures: with one of them no survey is worth anything."""
        if report.failed:
            self.failed.append(report.nodeid)

    def finish(self) -> Survey:
        """Stop measuring and sort what was seen by line."""
        self._coverage.stop()
        data = self._coverage.get_data()
        for path in data.measured_files():
            name = str(Path(path).relative_to(Path.cwd()))
            self.survey.executed[name] = dict(data.contexts_by_lineno(path))
        return self.survey
