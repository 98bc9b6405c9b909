"""What breaks off a monitor while it charges an alarm: the charge is made again, and once."""

from decimal import Decimal

import pytest

import overbar
from overbar.runs.hits import Hits, read_persons
from overbar.runs.person_store import PersonStore

EVERYONE = range(5000)
PLAN = overbar.plan(epsilon=5, delta="1e-6", hits_per_person=1)


def asked(store):
    """Ask once, about far more than the threshold, and then again and again."""
    watch = overbar.Monitor(PLAN, threshold=1000, store=store)
    answers = []
    for label in ("first", *(f"later {time}" for time in range(5))):
        try:
            answers.append(watch.ask(EVERYONE, label=label))
        except KeyboardInterrupt:
            answers.append(None)
    return watch, answers


@pytest.mark.parametrize("failure", [KeyboardInterrupt, MemoryError, OverflowError])
@pytest.mark.parametrize("done", [False, True], ids=["nothing done", "half done"])
@pytest.mark.parametrize("stored", [False, True], ids=["in memory", "on disk"])
def test_a_charge_that_is_broken_off_is_made_again(monkeypatch, tmp_path, failure, done, stored):
    whole = Hits.charge

    def broken(hits, after):
        monkeypatch.setattr(Hits, "charge", whole)
        if done:
            hits._used.update(after)
        raise failure

    monkeypatch.setattr(Hits, "charge", broken)
    watch, answers = asked(tmp_path / "watch.db" if stored else None)
    assert not any(answers)
    assert (watch.labels, watch.alarms) == (("first",), 1)


@pytest.mark.parametrize("failure", [KeyboardInterrupt, MemoryError, OverflowError])
def test_what_is_written_when_it_breaks_off_is_written_once(monkeypatch, tmp_path, failure):
    whole = PersonStore.write

    def broken(store, about, after, *alarm):
        whole(store, about, after, *alarm)
        if alarm:
            monkeypatch.setattr(PersonStore, "write", whole)
            raise failure

    monkeypatch.setattr(PersonStore, "write", broken)
    watch, answers = asked(tmp_path / "watch.db")
    assert not any(answers)
    assert (watch.labels, watch.alarms) == (("first",), 1)


def test_control_nothing_breaks_off():
    watch, answers = asked(None)
    assert answers == [True, False, False, False, False, False]
    assert watch.alarms == 1


def test_decimals_beyond_the_digits_of_their_context_are_ids():
    assert read_persons([Decimal(10**30), Decimal("1.5")]) == {str(10**30)}
