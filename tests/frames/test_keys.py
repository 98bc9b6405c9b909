"""Keys read off tables: the same on every engine, with the law of the slow search."""

from __future__ import annotations

import datetime
import hashlib
from collections import Counter, defaultdict
from fractions import Fraction

import numpy as np
import pyarrow
import pytest

import overbar
from overbar import frames
from overbar.frames import contributions, key_search
from overbar.frames.columns import plain_text
from overbar.frames.measure import measure_of
from overbar.frames.scoring import pairs_of
from overbar.planning.key_rounds import set_union
from overbar.runs.counting import counted_keys
from overbar.sampling.entropy import system
from tests.frames.engines import ENGINES, table_of
from tests.reference.sampling import seeded
from tests.reference.set_union import Search

pytestmark = pytest.mark.one_in(3)

COLUMNS = {"item": "what", "person": "who"}
#: At this δ a key of one person hardly ever comes out, and those of hundreds do.
ASK = {**COLUMNS, "epsilon": 1, "delta": "1e-15"}


@pytest.fixture
def replace_entropy(monkeypatch):
    def replace(seed):
        source = seeded(seed)
        monkeypatch.setattr(key_search, "system", source)
        monkeypatch.setattr(contributions, "system", source)

    return replace


def drawn_rows(kind, size=4000):
    """Rows of persons with very different numbers of keys, some of them twice."""
    generator = np.random.default_rng(5)
    persons = generator.geometric(0.002, size).tolist()
    numbers = generator.geometric(0.02, size).tolist()
    odd = ["", ",", "'", "é", "a b", "\\", "41", "%", '"']
    label = {
        "text": lambda n: odd[n] if n < len(odd) else f"key {n}",
        "whole": lambda n: n - 20,
        "boolean": lambda n: n % 3 == 0,
        "date": lambda n: datetime.date(1, 1, 1) + datetime.timedelta(days=97 * n),
    }[kind]
    return [(label(n), p) for n, p in zip(numbers, persons, strict=True)]


def table_with(rows):
    items, persons = zip(*rows, strict=True)
    return pyarrow.table({"what": list(items), "who": list(persons)})


def slow_weights(rows, most, key, out, larger):
    """What each key weighs, person by person."""
    held = defaultdict(set)
    for item, person in rows:
        if item not in out:
            held[person].add(item)

    def number(person, item):
        text = f"{key}|{plain_text(person)}|{plain_text(item)}"
        return hashlib.md5(text.encode()).digest()[::-1]

    kept = {
        person: sorted(items, key=lambda item, who=person: number(who, item))[:most]
        for person, items in held.items()
    }
    return Search((), most, larger=larger).weights(kept)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("kind", ["text", "whole", "boolean", "date"])
def test_weights_are_those_of_the_slow_search(engine, kind, monkeypatch):
    if kind == "boolean" and engine == "pandas":
        pytest.skip("pandas has objects there, which are text")
    if kind == "date" and engine.startswith("pandas"):
        pytest.skip("pandas has objects there, which are text")
    rows = drawn_rows(kind)
    union = set_union(1, "1e-6", items_per_person=3)
    frame = ENGINES[engine](table_with(rows))
    pairs = pairs_of(frame, measure_of(**COLUMNS))
    some = [item for item, _ in Counter(item for item, _ in rows).most_common(9)]
    for out in ([], some[:1], some):
        monkeypatch.setattr(key_search, "fresh_key", lambda: "0123")
        found = key_search.weighed(pairs, union, out)
        items = found.items.to_list()
        assert items == sorted(items)
        wanted = slow_weights(rows, 3, "0123", out, union.weights)
        assert dict(zip(items, found.steps.tolist(), strict=True)) == wanted


def test_weights_of_many_rows_are_each_persons_own(monkeypatch):
    """A window of Narwhals over a large Arrow table gave some persons the numbers of others."""
    generator = np.random.default_rng(7)
    persons = (generator.pareto(0.8, 300_000) * 50).astype(np.int64) % 40_000
    rows = list(zip(generator.integers(0, 5000, 300_000).tolist(), persons.tolist(), strict=True))
    union = set_union(1, "1e-6", items_per_person=20)
    monkeypatch.setattr(key_search, "fresh_key", lambda: "77")
    found = key_search.weighed(pairs_of(table_with(rows), measure_of(**COLUMNS)), union, [])
    wanted = slow_weights(rows, 20, "77", [], union.weights)
    assert dict(zip(found.items.to_list(), found.steps.tolist(), strict=True)) == wanted


@pytest.mark.parametrize("kind", ["text", "whole"])
def test_all_engines_give_the_same_answer(kind, replace_entropy):
    table = table_with(drawn_rows(kind))
    answers = []
    for engine in ENGINES.values():
        replace_entropy(3)
        answers.append(frames.keys(engine(table), **ASK | {"epsilon": 8}, items_per_person=4))
    assert len({found.labels for found in answers}) == 1
    assert len(answers[0]) > 10
    assert list(answers[0].labels) == sorted(answers[0].labels)


def test_parts_of_duckdb_make_no_difference(replace_entropy, monkeypatch):
    table = ENGINES["duckdb"](table_with(drawn_rows("text")))
    replace_entropy(4)
    whole = frames.keys(table, **ASK | {"epsilon": 8}, items_per_person=4)
    monkeypatch.setattr(contributions, "ROWS_AT_ONCE", 500)
    replace_entropy(4)
    assert frames.keys(table, **ASK | {"epsilon": 8}, items_per_person=4) == whole


def margin(plan):
    """By how much a count is off at most in 95 of 100 cases, as the forecast says."""
    text = plan.expected_text.split("a count is off by at most ")[1]
    return int(text.split(" ")[0].replace(",", ""))


def test_lots_are_drawn_again_in_each_round(monkeypatch):
    made = []

    def fresh():
        made.append(system(16).hex())
        return made[-1]

    monkeypatch.setattr(key_search, "fresh_key", fresh)
    frames.keys(table_of([("tea", n) for n in range(300)]), **ASK)
    assert len(made) == len(set(made)) == 3


# Ledgers


@pytest.fixture
def ledger(tmp_path):
    ledger = overbar.Ledger(tmp_path / "budgets.db")
    ledger.open("sales", epsilon=1, delta="1e-15")
    return ledger


SOLD = [("tea", n) for n in range(4000)] + [("rum", n) for n in range(900)] + [("own", 9999)]


@pytest.mark.parametrize("rounds", [1, 3])
def test_a_ledger_pays_all_of_its_budget_once(ledger, rounds):
    table = table_of(SOLD)
    booking = ledger.booking("sales", request_id="one")
    found = frames.keys(table, **ASK, rounds=rounds, booking=booking)
    assert found.labels == ("rum", "tea")
    again = frames.keys(table, **ASK, rounds=rounds, booking=booking)
    assert again == found
    assert again.receipt.repeated
    account = ledger.show("sales")
    assert account.spent.pure == 1
    assert Fraction("9.99e-16") < account.spent.delta <= Fraction("1e-15")
    assert [entry.kind for entry in account.entries] == ["keys"]
    ledger.verify()
    with pytest.raises(overbar.errors.BudgetError):
        frames.keys(table, **ASK, booking=ledger.booking("sales"))
    with pytest.raises(overbar.errors.LedgerError, match="was made before with another"):
        frames.keys(table, **ASK, rounds=rounds, at_least=7, booking=booking)


def test_small_searches_add_up_by_their_divergences(tmp_path):
    ledger = overbar.Ledger(tmp_path / "many.db")
    ledger.open("sales", epsilon=1, delta="1e-6")
    asked = {**COLUMNS, "epsilon": "0.1", "delta": "1e-8"}
    for _ in range(12):  # more than would fit if the epsilons were added
        frames.keys(table_of(SOLD), **asked, booking=ledger.booking("sales"))
    ledger.verify()


def test_a_table_that_cannot_be_read_costs_nothing(ledger):
    with pytest.raises(overbar.errors.ParameterError, match="person must name a column"):
        frames.keys(table_of(SOLD), **ASK | {"person": "whom"}, booking=ledger.booking("sales"))
    assert ledger.remaining("sales") == 1


def test_a_table_that_fails_in_the_second_round_is_paid_and_gives_nothing(ledger, monkeypatch):
    calls, as_it_is = [], key_search.weighed

    def weighed(pairs, union, out):
        calls.append(out)
        if len(calls) > 1:
            raise RuntimeError(f"lost {out}")
        return as_it_is(pairs, union, out)

    monkeypatch.setattr(key_search, "weighed", weighed)
    with pytest.raises(overbar.errors.ScoreError, match="counts the run as spent") as caught:
        frames.keys(table_of(SOLD), **ASK, booking=ledger.booking("sales"))
    assert "tea" not in str(caught.value)
    assert ledger.show("sales").held.pure == 1


# What tells nothing


@pytest.mark.parametrize("rows", [[], [(None, None)], [("own", 1)], [(None, 1), ("own", None)]])
@pytest.mark.parametrize("engine", ENGINES)
def test_no_rows_are_no_error(engine, rows, ledger):
    found = frames.keys(ENGINES[engine](table_of(rows)), **ASK, booking=ledger.booking("sales"))
    assert found.labels == ()
    assert ledger.show("sales").spent.pure == 1  # an empty answer costs as much as any


def test_keys_that_few_hold_never_come_out_with_at_least(replace_entropy):
    """Bars are low here, so that the control, without it, does release them."""
    rows = [(f"key {n}", 10 * n + k) for n in range(200) for k in range(3)]
    asked = {**COLUMNS, "epsilon": 6, "delta": "0.5", "items_per_person": 1, "rounds": 1}
    asked["delta_is_large"] = True
    replace_entropy(8)
    assert len(frames.keys(table_of(rows), **asked)) > 20
    assert frames.keys(table_of(rows), **asked, at_least=4).labels == ()
    many = [("tea", n) for n in range(90)]
    assert frames.keys(table_of(rows + many), **asked, at_least=4).labels == ("tea",)


def test_an_answer_is_a_table():
    found = frames.keys(table_of(SOLD), **ASK)
    assert found.to_frame()["key"].tolist() == ["rum", "tea"]
    assert "tea" in found
    assert "own" not in found
    assert list(found) == ["rum", "tea"]
    assert repr(found).splitlines()[0] == (
        f"Selection: 2 keys found; {found.guarantee}, spent all of it"
    )
    assert found.guarantee == overbar.guarantee(found.plan)
    assert found.guarantee.implies(1, "1e-15")
    assert found.spent == overbar.privacy.spent(found.plan, 2)


def test_one_key_of_each_person_from_the_whole_of_a_budget(ledger):
    booking = ledger.booking("sales", request_id="one")
    found = frames.keys(table_of(SOLD), **ASK, items_per_person=1, booking=booking)
    assert found.labels == ("rum", "tea")
    assert frames.keys(table_of(SOLD), **ASK, items_per_person=1, booking=booking) == found
    spent = ledger.show("sales").spent
    assert (spent.pure, spent.delta) == (1, Fraction("1e-15"))
    ledger.verify()


@pytest.mark.parametrize("at_least", [1, 3])
def test_one_key_of_each_person_on_all_engines(at_least, replace_entropy):
    asked = {**COLUMNS, "epsilon": 2, "delta": "0.05", "items_per_person": 1}
    asked["delta_is_large"] = True
    table, answers = table_with(drawn_rows("text")), set()
    for engine in ENGINES.values():
        replace_entropy(5)
        answers.add(frames.keys(engine(table), **asked, at_least=at_least).labels)
    assert len(answers) == 1
    assert len(next(iter(answers))) > 10


# Counts


def counted_ask(**more):
    return {**ASK, "epsilon": 8, "items_per_person": 4, "counts": True, **more}


@pytest.mark.parametrize("kind", ["text", "whole"])
def test_all_engines_give_the_same_counts(kind, replace_entropy):
    table, answers = table_with(drawn_rows(kind)), []
    for engine in ENGINES.values():
        replace_entropy(3)
        answers.append(frames.keys(engine(table), **counted_ask()))
    assert all(found == answers[0] for found in answers)
    assert len(answers[0].counts) == len(answers[0]) > 10


@pytest.mark.parametrize("items", [1, 100])
def test_counts_are_near_and_add_up(items):
    """At ε = 400 the widest noise, of everything else, has σ < 10: 250 off is never seen."""
    rows = [("tea", n) for n in range(4000)] + [("rum", n) for n in range(900)]
    rows += [(f"own {n}", n) for n in range(4000, 4500)]
    found = frames.keys(
        table_of(rows), **{**ASK, "epsilon": 400, "delta": "1e-20"}, counts=True,
        items_per_person=items,
    )  # fmt: skip
    assert found.labels == ("rum", "tea")
    kept = 4500 if items == 1 else 5400
    assert abs(found.rest.everything_else.value - 500) < 250
    assert abs(found.rest.total.value - kept) < 250
    drawn = [*found.counts, found.rest.everything_else]
    assert abs(found.rest.total.value - sum(count.value for count in drawn)) < 3
    if items == 100:
        assert abs(found.counts[0].value - 900) < 250
        assert abs(found.counts[1].value - 4000) < 250
    table = found.to_frame()
    assert table.columns.tolist() == ["key", "count", "low", "high"]
    most = margin(found.plan)
    assert set((table["high"] - table["count"]).tolist()) <= {most, most + 1}
    assert "everything else: " in repr(found)


@pytest.mark.parametrize("items", [1, 5, 100])
@pytest.mark.parametrize("epsilon", ["0.1", "1", "5"])
def test_intervals_of_counts_cover_as_often_as_they_say(items, epsilon):
    """2,000 seeded draws of a count, of everything else and of a sum; the control is half a margin.

    Noise is fresh: that a key came out does not change its law.
    """
    question = frames.Question.keys(
        **{**ASK, "epsilon": epsilon}, items_per_person=items, counts=True
    )
    noise = question.plan.count_noise
    source, true, runs = seeded(12), 10**6, 2000
    counts, _ = counted_keys([true] * runs, true, noise, source)
    rests = [counted_keys([true] * 19, true, noise, source)[1] for _ in range(400)]
    covered = np.mean([count.low <= true <= count.high for count in counts])
    assert 0.94 <= covered <= 0.97
    half = margin(question.plan) // 2
    assert np.mean([abs(count.value - true) <= half for count in counts]) < 0.9
    for name, wanted in (("everything_else", true), ("total", 20 * true)):
        sums = [getattr(rest, name) for rest in rests]
        assert np.mean([count.low <= wanted <= count.high for count in sums]) >= 0.92


def test_counts_are_stored_with_a_request(ledger):
    booking = ledger.booking("sales", request_id="one")
    asked = {**ASK, "counts": True, "items_per_person": 2}
    found = frames.keys(table_of(SOLD), **asked, booking=booking)
    again = frames.keys(table_of(SOLD), **asked, booking=booking)
    assert again == found
    assert again.counts is not None
    assert again.receipt.repeated
    assert ledger.show("sales").spent.pure == 1
    ledger.verify()
    with pytest.raises(overbar.errors.LedgerError, match="was made before with another"):
        frames.keys(table_of(SOLD), **ASK, items_per_person=2, booking=booking)


def test_no_keys_have_counts_too(ledger):
    booking = ledger.booking("sales", request_id="one")
    found = frames.keys(table_of([("own", 1)]), **ASK, counts=True, booking=booking)
    assert (found.labels, found.counts) == ((), ())
    assert frames.keys(table_of([]), **ASK, counts=True, booking=booking) == found


def test_counting_that_fails_is_paid_and_gives_nothing(ledger, monkeypatch):
    def lost(pairs, most, out):
        raise RuntimeError(f"lost {out}")

    monkeypatch.setattr(key_search, "counted", lost)
    with pytest.raises(overbar.errors.ScoreError, match="counts the run as spent") as caught:
        frames.keys(table_of(SOLD), **ASK, counts=True, booking=ledger.booking("sales"))
    assert "tea" not in str(caught.value)
    assert ledger.show("sales").held.pure == 1
