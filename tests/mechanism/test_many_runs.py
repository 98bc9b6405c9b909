"""Many runs at once: each is a single run with noise of its own, and all are paid together."""

import copy
import os
import pickle
import signal
import subprocess
import sys
import threading
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest

import overbar
from overbar import HaltedError, ParameterError, ScoreError, SecrecyError, SparseVector
from overbar.mechanism import many_runs
from overbar.mechanism.hidden_bar import HiddenBars, raise_bar, raise_bars
from overbar.mechanism.many_runs import SparseVectors
from overbar.noise import Exponential, Gaussian, Gumbel, Laplace
from overbar.plans import Composed, Groups
from tests.mechanism.test_forks import fork_from_c, told_by_child
from tests.reference.plans import any_plan
from tests.reference.sampling import seeded

LOW, HIGH = -(10**9), 10**9
PLAN = any_plan(Exponential(1), Laplace(1), 0, 2, monotonic=True)


def gate(runs=4, plan=PLAN, **changes):
    return SparseVectors(plan, **{"threshold": 500, "runs": runs, "disjoint": True} | changes)


# Each run is a single one -------------------------------------------------------------------------


def bars_of_single_runs(plan, runs, seeds):
    """Bars that answer for each run as a single run does that draws from its own seed."""
    bars, turns = [raise_bar(plan, seeded(seed)) for seed in seeds], [0] * runs

    def passing(scores, levels, asked):
        asked = range(runs)[asked] if isinstance(asked, slice) else asked
        each = [levels] * len(scores) if isinstance(levels, int) else levels.tolist()
        triples = zip(scores.tolist(), each, asked, strict=True)
        answers = [bars[run].passes(score, level, turns[run]) for score, level, run in triples]
        return np.flatnonzero(answers)

    def renew(positives):
        turns[:] = positives.tolist()

    return HiddenBars(passing, renew)


PLANS = {
    "plain": any_plan(Exponential(3), Exponential(2), 1, 2, monotonic=True),
    "a grid": any_plan(Gumbel(3), Laplace(2), 1, 3, grid=Fraction(1, 2)),
    "a limit": any_plan(Laplace(3), Laplace("0.7"), 1, 2, max_queries=7, monotonic=True),
    "drawn anew": any_plan(Exponential(3), Exponential(2), 1, 3, resample=True),
    "bare": any_plan(Gumbel(20), None, 1, 3),
}


@pytest.mark.parametrize("name", PLANS)
@pytest.mark.parametrize("block", [1 << 16, 5])
@pytest.mark.parametrize("levels", ["one", "each"])
def test_every_run_goes_as_a_single_run_goes(name, block, levels, monkeypatch):
    plan, runs = PLANS[name], 12
    monkeypatch.setattr(many_runs, "BLOCK", block)
    monkeypatch.setattr(
        many_runs, "raise_bars", lambda plan, runs, _: bars_of_single_runs(plan, runs, range(runs))
    )
    thresholds = np.arange(runs) / 4 if levels == "each" else np.full(runs, 1)
    many = SparseVectors.__new__(SparseVectors)
    many._start(plan, Groups(runs, 1), thresholds if levels == "each" else 1, None, None)
    singles = []
    for run in range(runs):
        single = SparseVector.__new__(SparseVector)
        single._start(plan, thresholds[run], None, seeded(run))
        singles.append(single)
    generator = np.random.default_rng(1)
    while not many.halted.all():
        scores = generator.normal(0, 5, runs)
        where = generator.random(runs) < 0.8
        scores[~where] = np.nan  # whoever is not asked has no score
        expected = [
            bool(asked and not single.halted and single.ask(score))
            for single, score, asked in zip(singles, scores.tolist(), where, strict=True)
        ]
        assert many.ask(scores, where=where).tolist() == expected
        for property_ in ("asked", "positives", "halted", "remaining"):
            alone = [getattr(single, property_) for single in singles]
            assert getattr(many, property_).tolist() == alone
        if name != "bare":
            assert many.spent == max(single.spent for single in singles)
    assert many.positives.sum() > runs


SHARP = any_plan(Exponential("0.0001"), Laplace(50), 0, 3, resample=True)


def revealed(bars, runs, shift=0):
    """Return the noise of all bars: queries are so sharp that they pass from the bar on."""
    low, high = np.full(runs, -(2**14)), np.full(runs, 2**14)
    for _ in range(15):
        middle = (low + high) // 2
        passed = np.zeros(runs, dtype=bool)
        passed[bars.passing(middle + shift, shift, slice(None))] = True
        low, high = np.where(passed, low, middle), np.where(passed, middle, high)
    return high


def test_noise_is_a_run_s_own_and_stays():
    runs = 200
    bars = raise_bars(SHARP, runs, seeded(5))
    noise = revealed(bars, runs)
    assert len(set(noise.tolist())) > 50
    assert (revealed(bars, runs, shift=7) == noise).all()
    some = np.array([3, 77, 150])
    assert bars.passing(noise[some], 0, some).tolist() == [0, 1, 2]
    assert bars.passing(noise[some] - 1, 0, some).tolist() == []
    levels = np.array([5, -5, 10**7])
    assert bars.passing(noise[some] + levels, levels, some).tolist() == [0, 1, 2]
    assert bars.passing(noise[some] + levels - 1, levels, some).tolist() == []


def test_noise_is_drawn_anew_for_whoever_is_at_another_turn():
    runs = 200
    bars = raise_bars(SHARP, runs, seeded(6))
    before, turns = revealed(bars, runs), np.zeros(runs, dtype=np.int64)
    turns[::2] = 1
    bars.renew(turns)
    after = revealed(bars, runs)
    assert (after[1::2] == before[1::2]).all()
    assert (after[::2] == before[::2]).sum() < 10
    bars.renew(turns)
    assert (revealed(bars, runs) == after).all()


@pytest.mark.parametrize("strike", range(5, 30, 2))
def test_an_interrupt_on_the_way_leaves_no_old_noise_behind(strike):
    """Control-C strikes at a request for bits: no answer of a turn comes from another's noise."""
    requests, source, armed = iter(range(1, 10**6)), seeded(strike), [True]

    def struck(count):
        if armed[0] and next(requests) == strike:
            raise KeyboardInterrupt
        return source(count)

    many = SparseVectors.__new__(SparseVectors)
    many._start(SHARP, Groups(3, 1), 0, None, struck)
    noises = {}
    while not many.halted.all():
        turns = many.positives
        try:
            given = many.ask([HIGH, HIGH if turns[0] > 1 else LOW, HIGH])
        except KeyboardInterrupt:
            assert (many.positives == turns).all()
            continue
        assert (many.positives == turns + given).all()
        armed[0] = False
        many._bars.renew(many.positives)
        for run, noise in enumerate(revealed(many._bars, 3).tolist()):
            assert noises.setdefault((run, int(many.positives[run])), noise) == noise
        armed[0] = True
    turns = [noises[0, turn] for turn in (1, 2, 3)] + [noises[2, turn] for turn in (1, 2, 3)]
    assert len(set(turns)) > 3


@pytest.mark.parametrize("noise", [Gaussian(5), Laplace(10**25), Exponential("1e-9"), None])
def test_threshold_noise_of_every_kind_and_size(noise):
    plan = any_plan(Gumbel(2), noise, 0, 1)
    bars = raise_bars(plan, 3, seeded(1))
    far = 10**30
    assert bars.passing(np.array([far, -far, far], dtype=object), 0, slice(None)).tolist() == [0, 2]


# Questions ----------------------------------------------------------------------------------------


def test_used_up_runs_are_not_asked():
    many = gate(runs=3)
    assert many.ask([LOW, HIGH, LOW]).tolist() == [False, True, False]
    assert many.ask([LOW, HIGH, HIGH]).tolist() == [False, True, True]
    assert many.halted.tolist() == [False, True, False]
    assert many.ask([LOW, float("nan"), LOW]).tolist() == [False] * 3
    assert many.asked.tolist() == [3, 2, 3]
    assert many.remaining.tolist() == [2, 0, 1]
    many.ask([HIGH] * 3), many.ask([HIGH] * 3)
    with pytest.raises(HaltedError, match="all runs have halted"):
        many.ask([HIGH] * 3)


class Tensor:
    """An array of another library, which tells by one method what is in it."""

    def __init__(self, array, fails=False):
        self._array, self._fails = array, fails


class WithDlpack(Tensor):
    def __dlpack__(self, **how):
        if self._fails:
            raise BufferError("on another device")
        return self._array.__dlpack__(**how)

    def __dlpack_device__(self):
        return self._array.__dlpack_device__()


class WithArray(Tensor):
    def __array__(self, dtype=None, copy=None):
        if self._fails:
            raise TypeError("on another device")
        return self._array


class WithBoth(WithDlpack, WithArray):
    def __array__(self, dtype=None, copy=None):
        return self._array


ARRAYS = [
    list, tuple, np.asarray, pd.Series, pl.Series, WithDlpack, WithArray,
    lambda array: WithBoth(array, fails=True),
    lambda array: array.astype(np.float32),
    lambda array: array.astype(object),
    lambda array: pd.Series(array, dtype="Int64"),
    lambda array: np.repeat(array, 2)[::2],
]  # fmt: skip


@pytest.mark.parametrize("form", ARRAYS)
def test_arrays_of_every_kind(form):
    scores, where = np.array([HIGH, LOW, HIGH]), np.array([True, True, False])
    assert gate(runs=3).ask(form(scores)).tolist() == [True, False, True]
    levels = form(np.array([0, 0, 2 * HIGH]))
    assert gate(runs=3).ask(scores, threshold=levels).tolist() == [True, False, False]
    many = gate(runs=3, threshold=levels)
    assert many.ask(scores).tolist() == [True, False, False]
    if form in (list, np.asarray, WithDlpack, WithArray):
        assert gate(runs=3).ask(scores, where=form(where)).tolist() == [True, False, False]


def test_thresholds_are_read_as_those_of_a_single_run():
    plan = any_plan(Exponential(1), Laplace(1), 0, 9, grid="0.1", sensitivity="0.1")
    for number in (0.1, np.float32(0.1), "0.1", Fraction(1, 10)):
        many = SparseVectors.__new__(SparseVectors)
        many._start(plan, Groups(2, 1), [number, number], None, seeded(1))
        assert many._levels.tolist() == [1, 1]


def test_thresholds_at_the_ends_of_words():
    ends = [-(2**63), 2**63 - 1, -(2**70), 2**70]
    for levels in (ends, ends[:2] * 2, ["-9e30", Fraction(10) ** 31, 5, -5]):
        many = gate(threshold=levels)
        above = [Fraction(level) + 1000 for level in levels]
        assert many.ask([score - 2000 for score in above]).tolist() == [False] * 4
        assert many.ask(above).tolist() == [True] * 4


BAD = {
    "too few": (lambda: gate().ask([1, 2, 3]), ScoreError, "one entry for each of the 4 runs"),
    "two dimensions": (lambda: gate().ask(np.zeros((4, 1))), ScoreError, "one-dimensional"),
    "text": (lambda: gate().ask(["a"] * 4), ScoreError, "must be int, float"),
    "bool": (lambda: gate().ask([True] * 4), ScoreError, "must be int, float"),
    "nan": (lambda: gate().ask([0, 0, np.nan, 0]), ScoreError, "must be finite"),
    "infinity": (lambda: gate().ask(np.array([0, np.inf, 1, 0])), ScoreError, "must be finite"),
    "elsewhere": (
        lambda: gate().ask(WithDlpack(np.zeros(4), fails=True)), ScoreError, "one-dimensional",
    ),
    "elsewhere too": (
        lambda: gate().ask(WithArray(np.zeros(4), fails=True)), ScoreError, "main memory",
    ),
    "where": (lambda: gate().ask([1] * 4, where=[1, 0, 1, 0]), ParameterError, "True and False"),
    "short where": (lambda: gate().ask([1] * 4, where=[True]), ParameterError, "one entry for"),
    "no threshold": (lambda: gate(threshold=None).ask([1] * 4), ParameterError, "must be given"),
    "threshold": (lambda: gate().ask([1] * 4, threshold="high"), ParameterError, "threshold must"),
    "thresholds": (lambda: gate(threshold=[1, 2]), ParameterError, "one entry for each of the 4"),
    "nan threshold": (
        lambda: gate(threshold=[1, 2, 3, np.nan]), ParameterError, "threshold must be a finite",
    ),
    "no runs": (lambda: gate(runs=None), ParameterError, "runs must be given"),
    "runs": (lambda: gate(runs=0), ParameterError, "runs must be a positive whole"),
    "many runs": (lambda: gate(runs=10**10), ParameterError, "runs must be at most 1e09"),
    "disjoint": (lambda: gate(disjoint="yes"), ParameterError, "disjoint must be True or False"),
    "shared": (lambda: gate(runs=1001, disjoint=False), ParameterError, "write disjoint=True"),
    "beside a plan": (lambda: gate(epsilon=1), ParameterError, "a plan brings its own numbers"),
    "no plan": (lambda: gate(plan=[1]), ParameterError, "plan must be a Plan"),
    "no numbers": (lambda: gate(plan=None), ParameterError, "epsilon must be given"),
    "another plan": (
        lambda: gate(plan=overbar.plan(epsilon=1, cutoff=2, candidates=9)),
        ParameterError, "asked one by one",
    ),
    "counts": (
        lambda: gate(plan=Composed(PLAN, counts=Laplace(1))), ParameterError, "without counts",
    ),
    "runs beside groups": (
        lambda: gate(plan=Composed(PLAN, groups=Groups(4, 1))), ParameterError, "leave out runs",
    ),
    "seed": (lambda: gate(seed=1), TypeError, "takes no seed"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_bad_input_gets_a_sentence(name):
    call, error, words = BAD[name]
    with pytest.raises(error, match=words):
        call()


def test_a_bad_score_costs_nothing():
    many = gate(runs=many_runs.BLOCK + 1)
    scores = np.zeros(len(many))
    scores[-1] = np.nan
    with pytest.raises(ScoreError):
        many.ask(scores)
    assert not many.asked.any()
    assert many.spent == 0


def test_with_a_range_no_number_raises():
    many = gate(runs=6, score_range=(-1000, 1000))
    odd = [np.nan, np.inf, -np.inf, 1e308, -1e308, 5e-324]
    with np.errstate(all="raise"):
        answers = many.ask(odd, threshold=500).tolist()
        assert many.ask(np.array([None, *odd[1:]], dtype=object)).tolist() == answers
    assert answers == [False, True, False, True, False, False]


# Secrets and processes ----------------------------------------------------------------------------


def test_it_is_never_written_down():
    many = gate()
    for act in (pickle.dumps, copy.copy, copy.deepcopy, lambda run: run.__getstate__()):
        with pytest.raises(SecrecyError, match="cannot be pickled or copied"):
            act(many)
        with pytest.raises(SecrecyError, match="cannot be pickled or copied"):
            act(many._bars)
    assert repr(many._bars) == "HiddenBars (hidden)"
    held = [getattr(many, name) for kind in type(many).__mro__ for name in _slots(kind)]
    assert sum(isinstance(value, np.ndarray) for value in held) == 2  # asked and positives


def _slots(kind):
    return getattr(kind, "__slots__", ())


@pytest.mark.skipif(sys.platform == "win32", reason="needs fork")
@pytest.mark.parametrize("fork", [os.fork, fork_from_c])
def test_a_forked_child_is_refused(fork):
    many = gate()
    for act in (lambda: many.ask([HIGH] * 4), many.close, lambda: many._bars.passing([], 0, [])):
        assert told_by_child(fork, act) == "refused"
    assert many.ask([HIGH] * 4).all()


def test_threads_share_the_positives():
    many = gate(runs=50, plan=any_plan(Exponential(1), Laplace(1), 0, 10, monotonic=True))
    given = []

    def ask():
        while True:
            try:
                given.append(many.ask([HIGH] * 50))
            except HaltedError:
                return

    threads = [threading.Thread(target=ask) for _ in range(4)]
    [thread.start() for thread in threads], [thread.join() for thread in threads]
    assert np.sum(given, axis=0).tolist() == [10] * 50 == many.positives.tolist()


# What it costs ------------------------------------------------------------------------------------


def test_disjoint_runs_cost_the_dearest_and_others_add_up():
    apart, together = gate(runs=3), gate(runs=3, disjoint=False)
    assert overbar.guarantee(apart.plan) == overbar.guarantee(PLAN) == overbar.PureDP(3)
    assert overbar.guarantee(together.plan) == overbar.PureDP(9)
    for scores in ([HIGH, LOW, LOW], [HIGH, HIGH, LOW]):
        apart.ask(scores), together.ask(scores)
    assert apart.spent == 3
    assert together.spent == 3 + 2 + 1
    some = gate(plan=Composed(PLAN, groups=Groups(3, 2)), runs=None, disjoint=False)
    some.ask([HIGH, HIGH, LOW], where=[True, False, True])
    assert some.spent == 2 + 1
    assert "1 of 6 positives given, spent 3 of 6" in repr(some)


def test_one_line_is_a_budget_for_all_runs():
    numbers = {"cutoff": 2, "epsilon": 1, "threshold": 500, "monotonic": True}
    apart = SparseVectors(runs=4096, disjoint=True, **numbers)
    together = SparseVectors(runs=10, **numbers)
    assert overbar.guarantee(apart.plan) == overbar.guarantee(together.plan) == overbar.PureDP(1)
    assert 9 < together.plan.query_noise.scale / apart.plan.query_noise.scale < 11
    alone = SparseVector(**numbers)
    assert apart.plan.labels == alone.plan
    with_delta = SparseVectors(runs=20, delta="1e-6", **numbers)
    assert overbar.guarantee(with_delta.plan).at("1e-6") <= 1
    assert not with_delta.spent
    with_delta.ask([LOW] * 20)
    assert with_delta.spent > 0


def test_one_booking_for_all_runs(tmp_path):
    ledger = overbar.Ledger(tmp_path / "budgets.db")
    ledger.open("texts", epsilon=10)
    with gate(runs=2, booking=ledger.booking("texts")) as many:
        assert ledger.standing("texts").remaining == 7  # held before the first draw
        many.ask([HIGH, LOW])
    assert many.receipt.cost.pure <= 3
    with pytest.raises(HaltedError):
        many.ask([HIGH, LOW])
    halting = gate(runs=2, booking=ledger.booking("texts"))
    halting.ask([HIGH] * 2), halting.ask([HIGH] * 2)
    assert halting.receipt.cost.pure == 3
    with pytest.raises(overbar.BudgetError):
        gate(runs=2, disjoint=False, booking=ledger.booking("texts"))
    with pytest.raises(ParameterError, match="request_id"):
        gate(booking=ledger.booking("texts", request_id="a"))
    ledger.verify()


KILLED = """
import os, signal, sys
import overbar
from overbar.mechanism import many_runs
from tests.mechanism.test_many_runs import HIGH, LOW, gate

booking = overbar.Ledger(sys.argv[1]).booking("texts")
moment, drawn = sys.argv[2], many_runs.raise_bars

def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)

if moment == "before noise is drawn":
    many_runs.raise_bars = die
many = gate(runs=2, booking=booking)
if moment == "before it is settled":
    many_runs.SparseVectors._settle = die
print(many.ask([HIGH, LOW]).tolist(), flush=True)
if moment == "before it is settled":
    many.ask([HIGH, HIGH]), many.ask([HIGH, HIGH])
die()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
@pytest.mark.parametrize(
    "moment", ["before noise is drawn", "between questions", "before it is settled"]
)
def test_whoever_is_killed_has_paid(moment, tmp_path):
    ledger = overbar.Ledger(tmp_path / "budgets.db")
    ledger.open("texts", epsilon=10)
    command = [sys.executable, "-c", KILLED, tmp_path / "budgets.db", moment]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr
    said = "" if moment == "before noise is drawn" else "[True, False]\n"
    assert done.stdout == said
    assert ledger.standing("texts").remaining == 7
    ledger.verify()
