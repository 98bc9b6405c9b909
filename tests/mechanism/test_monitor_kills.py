"""Kills at random moments: no alarm got out that is not counted.

All of them: ``make campaign NAME=monitor``.
"""

import re
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs fork and SIGKILL")


def killed(*options):
    program = [sys.executable, "-m", "tests.mechanism.monitor_kills", *options]
    return subprocess.run(program, capture_output=True, text=True, check=False)


def test_what_got_out_is_in_the_store():
    result = killed("--kills", "24")
    assert result.returncode == 0, result.stdout + result.stderr
    assert int(re.search(r"(\d+) alarms", result.stdout)[1]) > 0


def test_alarms_before_their_hits_are_caught():
    result = killed("--kills", "10", "--broken")
    assert result.returncode == 1, result.stdout + result.stderr
    assert "0 hits of them are lost" not in result.stdout
