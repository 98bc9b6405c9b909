"""Well-chained rows that nobody honest writes are refused, also where asserts are switched off."""

import subprocess
import sys

import overbar
from overbar.ledger.chain import canonical
from tests.ledger.forged import contents, forge, write


def test_rows_chained_anew_pass_if_they_are_as_they_were(tmp_path):
    path = tmp_path / "ledger.db"
    write(path)
    head = overbar.Ledger(path).head
    forge(path, {index: canonical(fields) for index, fields in enumerate(contents(path))})
    assert overbar.Ledger(path).verify() == head


def test_every_forged_row_is_refused_without_asserts():
    told = subprocess.run(
        [sys.executable, "-O", "-m", "tests.ledger.forged", "5"],
        capture_output=True,
        text=True,
        check=True,
    )
    tried, *passed = told.stdout.splitlines()
    assert passed == []
    assert int(tried) > 60
