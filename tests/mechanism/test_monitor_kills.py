"""Kills at random moments: no alarm got out that is not counted.

All of them: ``make campaign NAME=monitor``.
"""

import re
import sys

import pytest

from tests.mechanism.monitor_kills import main

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs fork and SIGKILL")


def test_what_got_out_is_in_the_store(capsys):
    assert main(["--kills", "12"]) == 0
    assert int(re.search(r"(\d+) alarms", capsys.readouterr().out)[1]) > 0


def test_alarms_before_their_hits_are_caught(capsys):
    assert main(["--kills", "8", "--broken"]) == 1
    assert " 0 hits of them are lost" not in capsys.readouterr().out
