"""Kill -9 at random moments: what got out is in the ledger. All 1,000 of them: ``make crash``."""

import re
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs fork and SIGKILL")


def killed(kills, *options):
    return subprocess.run(
        [sys.executable, "-m", "tests.ledger.crash", "--kills", str(kills), *options],
        capture_output=True,
        text=True,
        check=False,
    )


def test_what_got_out_is_in_the_ledger_after_fifty_kills():
    result = killed(50)
    assert result.returncode == 0, result.stdout + result.stderr
    answers, left_open = map(int, re.findall(r"(\d+) (?:answers|reservations)", result.stdout))
    assert answers > 20
    assert left_open > 5


def test_a_release_before_its_reservation_is_caught():
    result = killed(25, "--broken")
    assert result.returncode == 1, result.stdout + result.stderr
    assert "recorded 0" in result.stdout
