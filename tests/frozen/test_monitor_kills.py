"""Kills at random moments: no alarm got out that is not counted.

All of them: ``make campaign NAME=monitor``.
"""

import re
import subprocess
import sys

import pytest

from tests.frozen.monitor_kills import main

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs fork and SIGKILL")


def test_what_got_out_is_in_the_store(capsys):
    assert main(["--kills", "12"]) == 0
    assert int(re.search(r"(\d+) alarms", capsys.readouterr().out)[1]) > 0


def test_alarms_before_their_hits_are_caught(capsys):
    assert main(["--kills", "8", "--broken"]) == 1
    assert " 0 hits of them are lost" not in capsys.readouterr().out


def test_whoever_is_killed_loses_nothing_and_charges_nobody_twice():
    program = [sys.executable, "-m", "tests.frozen.watch_kills", "--kills", "2"]
    result = subprocess.run(program, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
