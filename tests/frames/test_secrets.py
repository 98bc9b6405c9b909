"""What fails where counts are local variables is told by its name alone."""

from __future__ import annotations

import pytest

import overbar
from overbar import frames
from overbar.frames import scoring
from tests.frozen.shown import shown
from tests.frozen.test_table_secrets import ASK, LISTED, planted, unmarked


@pytest.fixture(scope="module")
def table():
    return planted()


def break_the_draw(monkeypatch):
    """The entropy fails when the scores are there."""

    def fail(count):
        raise KeyboardInterrupt

    monkeypatch.setattr("overbar.runs.batch.system", fail)


def break_the_steps(monkeypatch):
    def fail(scores, *_):
        secret = scores.to_list()
        raise RuntimeError(f"counts are {secret}")

    monkeypatch.setattr(scoring, "_steps", fail)


@pytest.mark.parametrize("fail", [break_the_draw, break_the_steps])
def test_no_failure_shows_a_count(fail, table, monkeypatch):
    fail(monkeypatch)
    with pytest.raises((overbar.OverbarError, KeyboardInterrupt)) as caught:
        frames.select(table, **ASK, **LISTED)
    for text in shown(caught.value, __file__):
        assert unmarked(text)
