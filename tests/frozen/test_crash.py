"""Strikes at random moments: what got out is in the ledger.

All of them: ``make campaign NAME=crash``.
"""

import re
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs fork and SIGKILL")


def struck(*options):
    return subprocess.run(
        [sys.executable, "-m", "tests.frozen.crash", *options],
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("options", "least_open"),
    [(["--kills", "20"], 5), (["--kills", "10", "--database"], 2), (["--stops", "2"], 0)],
    ids=["kills of clients of a file", "kills of clients of a database", "stops of the server"],
)
def test_what_got_out_is_in_the_ledger(options, least_open):
    result = struck(*options, "--least-open", str(least_open))
    assert result.returncode == 0, result.stdout + result.stderr
    answers, left_open = map(int, re.findall(r"(\d+) (?:answers|reservations)", result.stdout))
    assert answers > 10
    assert left_open > least_open


@pytest.mark.parametrize(
    ("worker", "options", "found"),
    [
        ("releases-first", ["--kills", "5"], "recorded 0"),
        ("settles-late", ["--kills", "5"], "was never settled"),
        ("settles-late", ["--kills", "5", "--database"], "was never settled"),
        ("trusts-memory", ["--stops", "1"], "recorded 0"),
    ],
)
def test_a_release_before_its_row_is_caught(worker, options, found):
    result = struck(*options, "--worker", worker, "--wanted", found)
    assert result.returncode == 1, result.stdout + result.stderr
    assert found in result.stdout
