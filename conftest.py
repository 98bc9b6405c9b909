"""What holds for all tests: Hypothesis draws the same examples every time, and takes its time.

`pytest --hypothesis-profile=default` draws new ones.
"""

import contextlib
import gc
import os
import shutil
import zlib
from collections import defaultdict
from functools import cache

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "certain",
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("certain")


def pytest_collection_modifyitems(config, items):
    """Of a test marked ``one_in(n)``, one case in n is run: ``make campaign NAME=cases`` runs all.

    Which ones is drawn by lot from their names, so it is the same every time.
    """
    if os.environ.get("OVERBAR_ALL_CASES"):
        return
    cases = defaultdict(list)
    for item in items:
        if mark := item.get_closest_marker("one_in"):
            cases[item.nodeid.partition("[")[0], mark.args[0]].append(item)
    left = set()
    for (_, count), group in cases.items():
        by_lot = sorted(group, key=lambda item: zlib.crc32(item.nodeid.encode()))
        left.update(by_lot[-(-len(group) // count) :])
    if left:
        config.hook.pytest_deselected(items=list(left))
        items[:] = [item for item in items if item not in left]


#: Tests whose paths begin so share what takes long to make: one process runs them.
TOGETHER = ("tests/cli/explore/", "tests/frames/test_key", "lab/tests/paper/")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Give files that belong together to one process; others file by file."""
    from xdist.scheduler import LoadFileScheduling

    class Together(LoadFileScheduling):
        def _split_scope(self, nodeid):
            scope = super()._split_scope(nodeid)
            return next((one for one in TOGETHER if scope.startswith(one)), scope)

    if config.getvalue("dist") == "loadfile":
        return Together(config, log)
    return None


def pytest_collection_finish():
    """What is there by now stays to the end: nobody looks through it again for what can go.

    What is new is looked through less often.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


def pytest_unconfigure():
    gc.unfreeze()


@pytest.fixture(scope="session", autouse=True)
def _one_command_line():
    """Put the command line together once for all calls in this process, as for a user's one."""
    with pytest.MonkeyPatch.context() as patch:
        with contextlib.suppress(ImportError):
            from typer import testing

            patch.setattr(testing, "_get_command", cache(testing._get_command))
        yield


@pytest.fixture(autouse=True)
def _environment_as_found():
    """The command line sets a variable for the processes it starts: not for the next test."""
    found = dict(os.environ)
    yield
    if dict(os.environ) != found:
        os.environ.clear()
        os.environ.update(found)


@pytest.fixture(scope="session")
def server():
    """A server that lasts as long as this process of tests."""
    from tests.ledger.server import Server  # a wheel that most tests do not need

    found = Server()
    yield found
    found.close()


@pytest.fixture(scope="module")
def database(server, request):
    """A database on that server, for the tables of one module."""
    from tests.frames.databases import new_database

    with new_database(server, request.module.__name__.rpartition(".")[2]) as found:
        yield found


@pytest.fixture(params=["file", "database"])
def place(request, tmp_path):
    """Every place a ledger can be kept in."""
    from tests.ledger.places import DatabasePlace, FilePlace

    if request.param == "file":
        yield FilePlace(tmp_path / "ledger.db")
        return
    found = DatabasePlace(request.getfixturevalue("server"))
    yield found
    found.close()


def chromium():
    """Return where a browser is; None if there is none."""
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    return next(filter(None, map(shutil.which, names)), None)


@pytest.fixture(scope="session")
def browser():
    """A browser without a window, or a word why there is none."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    found = chromium()
    if found is None:
        pytest.skip("there is no Chromium here")
    with playwright.sync_playwright() as driver:
        # Whoever owns a name can have it lead here.
        rules = "--host-resolver-rules=MAP evil.example 127.0.0.1"
        started = driver.chromium.launch(executable_path=found, args=["--no-sandbox", rules])
        yield started
        started.close()
