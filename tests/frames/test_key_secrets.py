"""What fails inside a search for keys is told by its name; what a ledger keeps of one."""

from __future__ import annotations

import pytest

import overbar
from overbar import frames
from overbar.frames import key_search
from overbar.runs import counting
from tests.frozen.shown import shown
from tests.frozen.test_key_secrets import ASK, planted, unmarked


@pytest.fixture(scope="module")
def table():
    return planted()


@pytest.mark.parametrize("counts", [False, True], ids=["keys", "counts"])
def test_a_ledger_row_is_as_long_whatever_the_table_holds(counts, table, tmp_path):
    """Without a request id nothing of the answer is kept, not even how long it is."""
    rows = []
    for name, rest in (("many", table), ("none", table.slice(0, 0))):
        ledger = overbar.Ledger(tmp_path / name)
        ledger.open("sales", epsilon=1, delta="1e-6")
        frames.keys(rest, **ASK, counts=counts, booking=ledger.booking("sales"))
        with ledger._store.reading() as found:
            rows.append([[*sorted(row.fields), len(row.content)] for row in found.all()])
    assert rows[0] == rows[1]


def break_the_draw(monkeypatch, table):
    def fail(count):
        raise KeyboardInterrupt

    monkeypatch.setattr(key_search, "system", fail)
    frames.keys(table, **ASK)


def break_the_weights(monkeypatch, table):
    def fail(shared, *_):
        secret = shared.collect()["item"].to_list()
        raise RuntimeError(f"keys are {secret}")

    monkeypatch.setattr(key_search, "totals", fail)
    frames.keys(table, **ASK)


def break_the_second_round(monkeypatch, table):
    def fail(pairs, out):
        if out:
            raise RuntimeError(f"out are {out} of 4921")
        return pairs

    monkeypatch.setattr(key_search, "_without", fail)
    frames.keys(table, **ASK)


def break_the_counting(monkeypatch, table):
    def fail(pairs, most, out):
        secret = pairs.collect()["item"].to_list()
        raise RuntimeError(f"out are {out} of {len(secret)}, {secret}")

    monkeypatch.setattr(key_search, "counted", fail)
    frames.keys(table, **ASK, counts=True)


def break_the_noise(monkeypatch, table):
    def fail(scores, **_):
        raise KeyboardInterrupt

    monkeypatch.setattr(counting, "noisy_values", fail)
    frames.keys(table, **ASK, counts=True)


@pytest.mark.parametrize(
    "fail",
    [
        break_the_draw, break_the_weights, break_the_second_round, break_the_counting,
        break_the_noise,
    ],
)  # fmt: skip
def test_no_failure_shows_a_key_or_a_count(fail, table, monkeypatch):
    with pytest.raises((overbar.OverbarError, KeyboardInterrupt)) as caught:
        fail(monkeypatch, table)
    for text in shown(caught.value, __file__):
        assert unmarked(text)
