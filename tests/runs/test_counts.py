"""Counts beside labels: what comes out, what it costs, and what is kept secret."""

import copy
import json
import logging
import pickle
import re
from collections import Counter
from fractions import Fraction

import numpy as np
import polars
import pyarrow
import pytest

import overbar
from overbar.errors import SecrecyError
from overbar.mechanisms import Composed, Plan
from overbar.noise import Gaussian, Laplace
from overbar.privacy import PureDP, guarantee
from overbar.runs.batch_run import BatchRun
from overbar.runs.counting import Count, KnownScores
from overbar.runs.exact import Exact
from overbar.runs.positives import Batch
from overbar.runs.selection import count_columns
from overbar.sampling.highest import noisy_values
from tests.frozen.chi_square import FALSE_ALARM, p_value
from tests.planned_calls import planned_select, planned_top
from tests.reference.plans import any_plan
from tests.reference.sampling import seeded

pytestmark = pytest.mark.one_in(3)

SOLD = {"tea": 9_120, "rum": 210, "ale": 4_980, "gin": 175}
#: So much that noise beyond 20 has a chance below e^-600.
SURE = {"epsilon": 200, "cutoff": 3, "monotonic": True}
WAYS = {
    "ranked": {},
    "histogram": {"items_per_person": 1},
    "with delta": {"delta": "1e-6", "noise": "gumbel"},
    "gaussian histogram": {"items_per_person": 1, "delta": "1e-6", "mechanism": "histogram",
                           "noise": "gaussian"},
    "sparse vector": {"mechanism": "sparse-vector"},
}  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("batches", [False, True])
def test_each_label_has_its_own_count(way, batches):
    scores = iter([{name: score} for name, score in SOLD.items()]) if batches else SOLD
    candidates = {"candidates": 4} if batches else {}
    found = planned_select(scores, threshold=190, counts=True, **SURE, **WAYS[way], **candidates)
    assert set(found.labels) == {"tea", "ale", "rum"}
    for label, count in zip(found.labels, found.counts, strict=True):
        assert abs(count.value - SOLD[label]) < 20
        assert count.low is None or count.low <= count.value <= count.high
    assert found.guarantee.implies(200, WAYS[way].get("delta", 0))
    top = planned_top(SOLD, counts=True, **SURE, **WAYS[way], **(
        {"upper_bound": 10_000} if "vector" in way or way == "in order" else {}
    ))  # fmt: skip
    assert {label: round(float(c.value), -2) for label, c in zip(top, top.counts, strict=True)} == {
        "tea": 9_100, "ale": 5_000, "rum": 200,
    }  # fmt: skip


def test_labels_alone_have_no_counts_and_cost_all():
    found = overbar.top(SOLD, **SURE)
    assert found.counts is None
    assert not found.plan.gives_counts
    assert "low" not in found.to_frame().columns


@pytest.mark.parametrize("share", ["0.1", 0.3, Fraction(3, 4)])
def test_a_share_is_exact(share):
    plan = overbar.plan(top=True, epsilon=2, cutoff=5, counts=share)
    labels, counts = plan.paid()
    part = 2 * Fraction(str(share))
    assert (labels.pure(), counts.pure()) == (2 - part, part)
    assert guarantee(plan) == PureDP(2)
    assert Plan.from_json(plan.to_json()) == plan


def test_counts_of_a_histogram_are_free():
    plain = overbar.plan(top=True, epsilon=1, cutoff=9, items_per_person=2)
    counted = overbar.plan(top=True, epsilon=1, cutoff=9, items_per_person=2, counts=True)
    assert counted.query_noise == plain.query_noise
    assert counted.gives_values
    assert counted.paid() == (counted,)


def test_with_delta_the_counts_cost_the_labels_little():
    asked = {"epsilon": 1, "delta": "1e-6", "cutoff": 50, "monotonic": True}
    plain, counted = (overbar.plan(top=True, **asked, counts=counts) for counts in (False, True))
    shared = overbar.plan(top=True, **asked, counts="0.5")
    assert isinstance(shared.counts, Gaussian)
    for plan in (counted, shared):
        assert guarantee(plan).implies(1, "1e-6")
        assert plain.query_noise.scale < plan.query_noise.scale < plain.query_noise.scale * 1.3
    # Half of ε for the counts and half for the labels would take twice the noise.
    assert counted.gives_values
    assert counted.query_noise.scale < 16.5  # a tenth more: labels alone are picks, without a bar
    assert counted.query_noise.scale < plain.query_noise.scale * 1.11
    assert shared.query_noise.scale > counted.query_noise.scale * 1.05


@pytest.mark.parametrize("counts", [0, 1, 2, -0.5, "half", None])
def test_a_share_that_is_none_is_refused(counts):
    with pytest.raises(overbar.ParameterError, match="counts must be"):
        overbar.plan(epsilon=1, cutoff=1, candidates=9, counts=counts)


def test_what_has_no_counts_says_so():
    plan = overbar.plan(epsilon=1, cutoff=1, candidates=9, counts=True, mechanism="sparse-vector")
    with pytest.raises(overbar.ParameterError, match="without counts"):
        overbar.SparseVector(plan, threshold=1)
    with pytest.raises(overbar.ParameterError, match="leave out counts"):
        overbar.select(SOLD, threshold=1, plan=plan, counts=True)
    assert len(overbar.select(SOLD, threshold=-(10**6), plan=plan).counts) == 1
    with pytest.raises(overbar.ParameterError, match="new laplace or gaussian"):
        Composed(
            any_plan(
                Laplace(1), None, 0, 1, mechanism="histogram", items_per_person=1, counts=Laplace(1)
            ),
            Laplace(2),
        )
    with pytest.raises(overbar.ParameterError, match="counts must be new"):
        any_plan(Laplace(1), None, 0, 1, counts=3)
    with pytest.raises(overbar.ParameterError, match="counts must be new"):
        any_plan(Laplace(9), Laplace(9), 0, 1, counts=overbar.noise.Exponential(9))


def test_places_that_are_not_filled_come_back():
    plan = overbar.plan(epsilon=200, cutoff=4, monotonic=True, candidates=4, counts=True)
    found = overbar.select(SOLD, threshold=1_000, plan=plan)
    assert len(found) == 2
    labels, counts = plan.paid()
    assert found.spent == labels.pure(2) + counts.pure() / 2 < 200


def test_noise_of_counts_is_fresh_and_has_the_law_it_says():
    noise, grid = Gaussian(2), Fraction(1, 2)
    drawn = noisy_values([5] * 2000, noise=noise, grid=grid, source=seeded(7))
    far = np.arange(-60, 61)
    masses = np.exp(-(far**2) / 32)
    law = dict(zip((far + 5).tolist(), (masses / masses.sum()).tolist(), strict=True))
    assert p_value(drawn, law) > FALSE_ALARM
    assert p_value([value + 1 for value in drawn], law) < FALSE_ALARM  # control


# What is shown


def counted(counts, labels=("tea", "port")):
    return overbar.runs.Selection((0, 1), labels, overbar.plan(
        top=True, epsilon=1, cutoff=2), Fraction(1), counts=counts)  # fmt: skip


def test_it_is_shown_as_a_table():
    found = counted((Count(Fraction(9120), Fraction(9000), Fraction(9240)),
                     Count(Fraction(3), None, Fraction(90))))  # fmt: skip
    assert repr(found).splitlines()[1:] == [
        "     1  tea   9,120  (9,000 to 9,240)",
        "     2  port      3  (at most 90)",
    ]
    frame = found.to_frame()
    assert frame["count"].to_list() == [9120, 3]
    assert frame["high"].to_list() == [9240, 90]
    html = found._repr_html_()
    assert html.count("<svg") == 2
    assert "9,000 to 9,240" in html
    assert "http" not in html
    far = counted((Count(Fraction(-(10**300)), Fraction(-(10**300)), Fraction(1, 10**20)),) * 2)
    assert far._repr_html_().count("<svg") == 2  # a float would not hold it
    empty = overbar.runs.Selection((), (), found.plan, Fraction(0), counts=())
    assert list(empty.to_frame()["count"]) == []
    assert "<svg" not in empty._repr_html_()


def test_a_negative_number_comes_with_a_word():
    below = Count(Fraction(-3), Fraction(-40), Fraction(34))
    assert "below zero is noise" in repr(counted((below, below)))
    assert "below zero" not in repr(counted((KnownScores(Fraction(0)).fitted(below),) * 2))


def test_small_numbers_keep_their_digits():
    assert str(Count(Fraction(5, 2), Fraction(1, 2), Fraction(9, 2))) == "2.5 (0.5 to 4.5)"


@pytest.mark.parametrize(
    ("known", "expected"),
    [
        (KnownScores(), (Fraction(-5, 2), None, Fraction(9, 2))),
        (KnownScores(Fraction(0)), (0, 0, Fraction(9, 2))),
        (KnownScores(whole=True), (-2, None, 4)),
        (KnownScores(Fraction(0), whole=True), (0, 0, 4)),
    ],
)
def test_what_is_known_moves_counts_into_what_is_possible(known, expected):
    assert known.fitted(Count(Fraction(-5, 2), None, Fraction(9, 2))) == expected
    below = known.fitted(Count(Fraction(-9), Fraction(-12), Fraction(-6)))
    assert (below == (0, 0, 0)) == (known.least == 0)


@pytest.mark.parametrize(
    ("count", "expected"),
    [
        ((Fraction(2, 5), Fraction(7, 20), Fraction(9, 20)), (0, 0, 0)),
        ((Fraction(2, 5), Fraction(1, 5), Fraction(19, 10)), (0, 0, 1)),
        ((Fraction(8, 5), Fraction(6, 5), Fraction(9, 5)), (2, 2, 2)),
    ],
)
def test_a_whole_count_stays_within_its_interval(count, expected):
    """Also where no whole number lies between the ends, or only one on the other side."""
    assert KnownScores(whole=True).fitted(Count(*count)) == expected


def test_a_declared_range_keeps_counts_inside():
    asked = {"epsilon": "0.01", "cutoff": 4, "counts": True}
    for _ in range(20):
        found = overbar.top(SOLD, score_range=(0, 10**6), **asked)
        assert all(0 <= count.low <= count.value <= count.high for count in found.counts)


def test_no_number_is_too_large_to_be_shown_and_stored(tmp_path):
    ledger = overbar.Ledger(tmp_path / "ledger.db")
    ledger.open("data", epsilon=1)
    booking = ledger.booking("data", request_id="huge")
    found = overbar.top([10**5000, -(10**5000)], cutoff=2, epsilon=1, counts=True, booking=booking)
    assert [count.value for count in found.counts] == [10**300, -(10**300)]
    assert all([repr(found), found._repr_html_(), len(found.to_frame()), ledger.verify()])


@pytest.mark.parametrize("size", [2**62, 2**63, 10**300], ids=float)
def test_a_table_holds_every_count(size):
    found = counted((Count(Fraction(size), None, Fraction(size)),
                     Count(Fraction(-size), Fraction(-size), Fraction(3))))  # fmt: skip
    columns = count_columns(found.counts)
    assert columns["count"] == [size, -size] or columns["count"] == [float(size), -float(size)]
    assert polars.DataFrame(columns).shape == pyarrow.table(columns).shape == (2, 3)


# Ledgers and secrets


def test_a_request_made_again_has_the_same_counts_and_costs_nothing(tmp_path):
    ledger = overbar.Ledger(tmp_path / "ledger.db")
    ledger.open("data", epsilon=3)
    asked = {"cutoff": 2, "epsilon": 1, "counts": True}
    first = overbar.top(SOLD, **asked, booking=ledger.booking("data", request_id="monday"))
    again = overbar.top(SOLD, **asked, booking=ledger.booking("data", request_id="monday"))
    assert again.receipt.repeated
    assert again.counts == first.counts
    assert ledger.remaining("data") == 2
    with pytest.raises(overbar.LedgerError, match="another plan"):
        overbar.top(SOLD, cutoff=2, epsilon=1, booking=ledger.booking("data", request_id="monday"))
    assert ledger.verify() == ledger.head


SECRETS = {"a": 73_190_217, "b": 73_190_218, "c": 73_190_219}
MARK = "7319021"


@pytest.mark.parametrize("delta", [0, "1e-6"])
def test_true_scores_are_nowhere(tmp_path, monkeypatch, caplog, delta):
    """With draws replaced, so that a count is never by chance the true one."""
    monkeypatch.setattr(Exact, "tell", lambda *_: 12)
    ledger = overbar.Ledger(tmp_path / "ledger.db")
    ledger.open("data", epsilon=3, delta="1e-5")
    asked = {"cutoff": 2, "epsilon": 1, "delta": delta, "counts": True, "mechanism": "ranked"}
    with caplog.at_level(logging.DEBUG):
        found = planned_top(SECRETS, **asked, booking=ledger.booking("data", request_id="x"))
    texts = [
        repr(found), found._repr_html_(), str(found.to_frame()), caplog.text,
        repr(pickle.dumps(found)), repr(vars(found)), json.dumps(str(ledger.show("data"))),
        (tmp_path / "ledger.db").read_bytes().decode("latin-1"),
    ]  # fmt: skip
    # Hashes are as good as random, and may hold any digits.
    assert all(MARK not in re.sub("[0-9a-f]{32,}", "", text) for text in texts)
    assert found.counts[0].value == 12 * found.plan.grid


def test_who_came_out_tells_nothing():
    batch = Batch(np.array([*SECRETS.values()]), None)
    found = Exact().highest([batch], Laplace(1), Fraction(1), None, most=2, values=True)
    for one in (found, found[0], found[:1], [*found]):
        assert MARK not in repr(one)
    for steal in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(SecrecyError):
            steal(found)


def test_the_law_of_the_labels_does_not_change_in_a_histogram():
    """One more value is looked at, to know the bar; the first ones are the same."""
    asked = {"epsilon": 1, "cutoff": 2, "items_per_person": 1}
    steps = np.array([3, 2, 2, 0]) * 8
    plans = [overbar.plan(top=True, **asked, counts=counts, grid="1/8") for counts in (False, True)]
    tally = [Counter(), Counter()]
    for plan, seen in zip(plans, tally, strict=True):
        source = seeded(1)
        run = BatchRun.of(plan, None)
        for _ in range(1000):
            seen[run.run([Batch(steps, None)], source).indices] += 1
    for outcome in tally[0] | tally[1]:
        assert abs(tally[0][outcome] - tally[1][outcome]) < 6 * (tally[0][outcome] + 9) ** 0.5 * 2


def test_a_mechanism_is_chosen_for_its_counts_as_well():
    """Ranked selection tells labels apart a little better, and its counts are twice as wide."""
    asked = {"epsilon": 1, "cutoff": 2, "monotonic": True, "items_per_person": 3}
    assert overbar.plan(top=True, **asked).labels.kind == "ranked"
    assert overbar.plan(top=True, **asked, counts=True).labels.kind == "histogram"
