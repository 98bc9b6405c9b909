"""One change in a process of its own: put it in force, run the tests, stop at the first failure.

There are two ways. *Cold*: the process is forked from one that has loaded everything but overbar,
and imports the changed module instead of the real one; right for whatever runs at import. *Warm*:
it is forked from one that has imported overbar and collected the tests, and the code of functions
is exchanged where they are; right for what is inside functions, and ten times as fast. Tests run
fastest first, each within a limit of processor time, far above what it takes without the change.
"""

from __future__ import annotations

import functools
import gc
import importlib
import importlib.machinery
import importlib.util
import os
import resource
import signal
import sys
from ast import Module
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FunctionType

import pytest

from mutation.operators import changed

#: A test may take this many seconds plus this many times what it takes without the change.
SECONDS, TIMES = 1.0, 5.0
IMPORT_SECONDS = 60.0
MEMORY = 4 << 30

QUIET = [
    *("-q", "-q", "-x", "--no-header", "--no-summary", "--tb=no", "--capture=no"),
    *("-p", "no:cacheprovider", "-p", "no:faulthandler", "-p", "no:xdist"),
    *("-W", "ignore::pytest.PytestAssertRewriteWarning"),
]


def load_everything_else() -> None:
    """Import what is slow to load, and make Hypothesis repeatable and without memory."""
    for name in (
        *("numpy", "scipy.optimize", "scipy.signal", "scipy.stats", "scipy.integrate", "flint"),
        *("mpmath", "narwhals", "hypothesis.strategies", "hypothesis.extra.numpy", "sqlite3"),
        *("cryptography.hazmat.primitives.ciphers", "pandas", "polars", "_pytest.doctest"),
    ):
        importlib.import_module(name)
    from hypothesis import Phase, settings

    phases = (Phase.explicit, Phase.generate)
    settings.register_profile("mutation", database=None, derandomize=True, phases=phases)
    settings.load_profile("mutation")


class Chosen:
    """A pytest plugin that runs the chosen tests in their order, each within its time."""

    def __init__(self, tests: list[str], seconds: dict[str, float]) -> None:
        self._tests = tests
        self._seconds = seconds
        self.failed = ""

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run them until one fails; the signal of the timer ends the process."""
        items = {item.nodeid: item for item in session.items}
        for test in self._tests:
            if test not in items:  # its name holds a number that was changed
                continue
            signal.setitimer(signal.ITIMER_PROF, SECONDS + TIMES * self._seconds[test])
            session.config.hook.pytest_runtest_protocol(item=items[test], nextitem=None)
            signal.setitimer(signal.ITIMER_PROF, 0)
            if self.failed:
                break
        return True

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Remember the first failure."""
        if report.failed and not self.failed:
            self.failed = report.nodeid


def restrain() -> None:
    """Bound memory and the time of imports, and be silent."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_PROF, IMPORT_SECONDS)


def cold(path: Path, module: str, number: int, tests: list[str], seconds: dict[str, float]) -> str:
    """Import a module with a change in it, then collect and run tests; return who noticed."""
    changing = _ChangedModule(module, path, changed(path.read_text(), number))
    chosen = Chosen(tests, seconds)
    files = list(dict.fromkeys(test.split("::")[0] for test in tests))
    status = pytest.main([*QUIET, *files], plugins=[chosen, changing])
    if getattr(sys.modules.get(module), "__loader__", changing) is not changing:
        return "survived"  # somebody else loaded the module, without the change
    if chosen.failed or status == pytest.ExitCode.OK:
        return chosen.failed or "survived"
    return f"pytest ended with {status}"


class _ChangedModule(importlib.machinery.SourceFileLoader):
    """Finds and loads one module in its changed form; a pytest plugin."""

    def __init__(self, module: str, path: Path, tree: Module) -> None:
        super().__init__(module, str(path))
        self._tree = tree

    @pytest.hookimpl(tryfirst=True)
    def pytest_load_initial_conftests(self) -> None:
        """Stand before pytest's own loader, which comes first for files whose doctests it runs."""
        sys.meta_path.insert(0, self)

    def find_spec(self, fullname: str, *_: object) -> importlib.machinery.ModuleSpec | None:
        """Answer for the one module only."""
        if fullname != self.name:
            return None
        return importlib.util.spec_from_file_location(fullname, self.path, loader=self)

    def get_code(self, _: str) -> CodeType:
        """Compile the changed tree instead of the file."""
        return compile(self._tree, self.path, "exec", dont_inherit=True)


@dataclass(frozen=True)
class Loaded:
    """A pytest session with all tests collected, and the functions of one room."""

    session: pytest.Session
    functions: list[FunctionType]

    @classmethod
    def now(cls, session: pytest.Session, folder: Path) -> Loaded:
        """Find the functions, wherever they hang, and forget what was remembered so far."""
        functions = []
        for one in gc.get_objects():
            if isinstance(one, FunctionType):
                if Path(one.__code__.co_filename).parent == folder:
                    functions.append(one)
            elif isinstance(one, functools._lru_cache_wrapper):
                one.cache_clear()
        return cls(session, functions)


def warm(
    loaded: Loaded, path: Path, number: int, tests: list[str], seconds: dict[str, float]
) -> str:
    """Exchange the code of a loaded module's functions and run tests; return who noticed."""
    code = compile(changed(path.read_text(), number), str(path), "exec", dont_inherit=True)
    codes = {(one.co_qualname, one.co_firstlineno): one for one in _inner(code)}
    for one in loaded.functions:
        if one.__code__.co_filename == str(path):
            one.__code__ = codes[one.__code__.co_qualname, one.__code__.co_firstlineno]
    chosen = Chosen(tests, seconds)
    loaded.session.config.pluginmanager.register(chosen)
    chosen.pytest_runtestloop(loaded.session)
    return chosen.failed or "survived"


def _inner(code: CodeType) -> Iterable[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _inner(constant)
