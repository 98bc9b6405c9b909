"""One change in a process of its own: import the changed module, run the tests, stop at a failure.

The process is forked from one that has loaded everything but overbar, so that the change is in
force from the first import on. Tests run fastest first, each within a limit of processor time,
far above what it takes without the change.
"""

from __future__ import annotations

import importlib
import importlib.machinery
import importlib.util
import os
import resource
import signal
import sys
import time
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path
from types import CodeType

import pytest

from mutation.operators import Mutant, changed

#: A test may take this many seconds plus this many times what it takes without the change.
SECONDS, TIMES = 2.0, 10.0
#: Against a process that waits without using the processor.
WALL_SECONDS = 300.0
IMPORT_SECONDS = 60.0
MEMORY = 4 << 30

QUIET = [
    *("-q", "-q", "-x", "--no-header", "--no-summary", "--tb=no", "-p", "no:cacheprovider"),
    *("-W", "ignore::pytest.PytestAssertRewriteWarning"),
    *("-p", "no:faulthandler"),
]


def load_everything_else() -> None:
    """Import what is slow to load, and make Hypothesis repeatable and without memory."""
    for name in (
        *("numpy", "scipy.optimize", "scipy.signal", "scipy.stats", "scipy.integrate", "flint"),
        *("mpmath", "narwhals", "hypothesis.strategies", "hypothesis.extra.numpy", "cryptography"),
        *("pandas", "polars", "doctest", "fractions", "_pytest.doctest", "sqlite3"),
    ):
        importlib.import_module(name)
    from cryptography.hazmat.primitives.ciphers import Cipher  # noqa: F401  loaded lazily
    from hypothesis import Phase, settings

    phases = (Phase.explicit, Phase.generate)
    settings.register_profile("mutation", database=None, derandomize=True, phases=phases)
    settings.load_profile("mutation")


class _Changed(importlib.machinery.SourceFileLoader):
    """Finds and loads one module in its changed form."""

    def __init__(self, module: str, path: Path, number: int) -> None:
        super().__init__(module, str(path))
        self._tree = changed(path.read_text(), number)

    def find_spec(self, fullname: str, *_: object) -> importlib.machinery.ModuleSpec | None:
        """Answer for the one module only."""
        if fullname != self.name:
            return None
        return importlib.util.spec_from_file_location(fullname, self.path, loader=self)

    def get_code(self, _: str) -> CodeType:
        """Compile the changed tree instead of the file."""
        return compile(self._tree, self.path, "exec", dont_inherit=True)


class _Chosen:
    """A pytest plugin that runs the chosen tests in their order, each within its time."""

    def __init__(self, tests: list[str], seconds: dict[str, float]) -> None:
        self._order = {test: place for place, test in enumerate(tests)}
        self._seconds = seconds
        self.failed = ""

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Keep the chosen tests, in their order."""
        items[:] = sorted(
            (item for item in items if item.nodeid in self._order),
            key=lambda item: self._order[item.nodeid],
        )

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Limit a test's processor time; the signal ends the process."""
        limit = SECONDS + TIMES * self._seconds[item.nodeid]
        signal.setitimer(signal.ITIMER_PROF, limit)
        result = yield
        signal.setitimer(signal.ITIMER_PROF, 0)
        return result

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Remember the first failure."""
        if report.failed and not self.failed:
            self.failed = report.nodeid


@dataclass
class Trial:
    """A running process and the file it writes its verdict to."""

    process: int
    verdict: Path
    started: float

    @property
    def overdue(self) -> bool:
        """Whether it has been running for too long, whatever it does."""
        return time.monotonic() - self.started > WALL_SECONDS

    def outcome(self, status: int) -> str:
        """Return "survived" or what noticed the change."""
        if os.WIFSIGNALED(status):
            slow = os.WTERMSIG(status) in (signal.SIGPROF, signal.SIGKILL)
            return "timeout" if slow else f"signal {os.WTERMSIG(status)}"
        text = self.verdict.read_text() if self.verdict.exists() else ""
        self.verdict.unlink(missing_ok=True)
        return text or "error before any test"


def start(
    path: Path,
    room: str,
    mutant: Mutant,
    tests: list[str],
    seconds: dict[str, float],
    verdict: Path,
) -> Trial:
    """Fork a process that tries one change of a file."""
    sys.stdout.flush()
    process = os.fork()
    if process == 0:
        try:
            module = f"overbar.{room}.{mutant.module}".removesuffix(".__init__")
            sys.meta_path.insert(0, _Changed(module, path, mutant.number))
            verdict.write_text(_run(tests, seconds))
        finally:
            os._exit(0)
    return Trial(process, verdict, time.monotonic())


def _run(tests: list[str], seconds: dict[str, float]) -> str:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_PROF, IMPORT_SECONDS)
    chosen = _Chosen(tests, seconds)
    files = list(dict.fromkeys(test.split("::")[0] for test in tests))
    status = pytest.main([*QUIET, *files], plugins=[chosen])
    if status == pytest.ExitCode.OK:
        return "survived"
    return chosen.failed or f"pytest ended with {status}"
