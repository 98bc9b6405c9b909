"""The command that needs no start does what the command does."""

import os
import subprocess

import pytest

from tests.cli.shop import HIGH, LISTED, SCRIPT, labels
from tests.prepared import program


@pytest.mark.parametrize("command", ["installed", "prepared"])
def test_streams_folder_environment_and_exit_code_are_its_own(command, here):
    overbar = SCRIPT if command == "installed" else program()
    piped = subprocess.run(
        [overbar, "select", "-", "--input-format", "csv", *LISTED],
        input=(here / "sales.csv").read_text(), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert piped.returncode == 0, piped.stderr
    assert set(labels(piped.stdout)) == HIGH
    assert piped.stderr.startswith("overbar: 3 of at most 3 found")
    (here / "below").mkdir()
    refused = subprocess.run(
        [overbar, "select", "sales.csv", *LISTED],
        cwd=here / "below", capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr.endswith("there is no file products.txt\n")
    words = {"COMP_WORDS": "overbar select --thresh", "COMP_CWORD": "2"}
    completed = subprocess.run(
        [overbar], capture_output=True, text=True, check=False,
        env=os.environ | {"_OVERBAR_COMPLETE": "complete_bash", **words},
    )  # fmt: skip
    assert "--threshold" in completed.stdout
