"""A head that is given to the page is given to every run that it starts."""

from __future__ import annotations

import pytest

from overbar import LedgerError, ParameterError
from overbar.cli.explore.ask_station import AskStation
from overbar.cli.explore.serving import existing_ledger
from overbar.cli.question_file import words_of
from tests.cli.explore.shop_folder import ASKED, furnish

HEAD = "0" * 64


@pytest.mark.parametrize("head", [HEAD, None])
def test_the_runs_of_a_page_have_its_head(tmp_path, head):
    station = AskStation(furnish(tmp_path), address="budget.db", head=head)
    words = words_of(station.options(ASKED))
    typed = [word for word in words if word.startswith("--head=")]
    assert typed == ([] if head is None else [f"--head={head}"])


def test_a_page_reads_no_ledger_without_its_head(tmp_path):
    furnish(tmp_path)
    place = str(tmp_path / "budget.db")
    assert existing_ledger(place).datasets()
    with pytest.raises(LedgerError, match="is not in it"):
        existing_ledger(place, HEAD).datasets()
    with pytest.raises(ParameterError, match="--head goes with --ledger"):
        existing_ledger(None, HEAD)
