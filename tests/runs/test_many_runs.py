"""Many runs at once: each is a single run with noise of its own, and all are paid together."""

from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest

import overbar
from overbar import HaltedError, ParameterError, ScoreError, SparseVector
from overbar.mechanisms import Composed, Groups
from overbar.noise import Exponential, Gaussian, Gumbel, Laplace
from overbar.runs import hidden_bar, many_runs
from overbar.runs.hidden_bar import HiddenBars, raise_bar, raise_bars
from overbar.runs.many_runs import SparseVectors
from overbar.runs.scores import Ruler
from overbar.sampling.bernoulli import lowest_scores, noise_table
from tests.reference.plans import any_plan
from tests.reference.sampling import seeded

LOW, HIGH = -(10**9), 10**9
PLAN = any_plan(Exponential(1), Laplace(1), 0, 2, monotonic=True)


def gate(runs=4, plan=PLAN, **changes):
    return SparseVectors(plan, **{"threshold": 500, "runs": runs, "disjoint": True} | changes)


# Each run is a single one -------------------------------------------------------------------------


def bars_of_single_runs(plan, ruler, runs, _):
    """Bars that answer for each run as a single run does that draws from its own seed."""
    bars, turns = [raise_bar(plan, seeded(seed)) for seed in range(runs)], [0] * runs

    def passing(values, levels, asked):
        asked = np.arange(runs) if asked is None else asked
        each = np.broadcast_to(levels, runs)[asked].tolist()
        triples = zip(map(ruler.one, values[asked].tolist()), each, asked, strict=True)
        answers = [bars[run].passes(score, level, turns[run]) for score, level, run in triples]
        return asked[np.flatnonzero(answers)]

    def renew(positives):
        turns[:] = positives.tolist()

    return HiddenBars(passing=passing, renew=renew)


PLANS = {
    "plain": any_plan(Exponential(3), Exponential(2), 1, 2, monotonic=True),
    "a grid": any_plan(Gumbel(3), Laplace(2), 1, 3, grid=Fraction(1, 2)),
    "a limit": any_plan(Laplace(3), Laplace("0.7"), 1, 2, max_queries=7, monotonic=True),
    "drawn anew": any_plan(Exponential(3), Exponential(2), 1, 3, resample=True),
    "bare": any_plan(Gumbel(20), None, 1, 3),
}


@pytest.mark.parametrize("name", PLANS)
@pytest.mark.parametrize("levels", ["one", "each"])
def test_every_run_goes_as_a_single_run_goes(name, levels, monkeypatch):
    plan, runs = PLANS[name], 12
    monkeypatch.setattr(many_runs, "raise_bars", bars_of_single_runs)
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
        where = generator.random(runs) < generator.choice([0.8, 1])
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


RULER = Ruler.of(Fraction(1))
SHARP = any_plan(Exponential("0.0001"), Laplace(50), 0, 3, resample=True)


def revealed(bars, runs, shift=0):
    """Return the noise of all bars: queries are so sharp that they pass from the bar on."""
    low, high = np.full(runs, -(2**14)), np.full(runs, 2**14)
    for _ in range(15):
        middle = (low + high) // 2
        passed = np.zeros(runs, dtype=bool)
        passed[bars.passing(middle + shift, shift)] = True
        low, high = np.where(passed, low, middle), np.where(passed, middle, high)
    return high


def test_noise_is_a_run_s_own_and_stays():
    runs = 200
    bars = raise_bars(SHARP, RULER, runs, seeded(5))
    noise = revealed(bars, runs)
    assert len(set(noise.tolist())) > 50
    assert (revealed(bars, runs, shift=7) == noise).all()
    some, levels = np.array([3, 77, 150]), np.resize([5, -5, 10**7], runs)
    assert bars.passing(noise, 0, some).tolist() == some.tolist()
    assert bars.passing(noise - 1, 0, some).tolist() == []
    assert bars.passing(noise + levels, levels, some).tolist() == some.tolist()
    assert bars.passing(noise + levels - 1, levels, some).tolist() == []


def test_noise_is_drawn_anew_for_whoever_is_at_another_turn():
    runs = 200
    bars = raise_bars(SHARP, RULER, runs, seeded(6))
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
    bars = raise_bars(plan, RULER, 3, seeded(1))
    far = 10**30
    assert bars.passing(np.array([far, -far, far], dtype=object), 0).tolist() == [0, 2]


# Floats rule out nobody who may pass --------------------------------------------------------------


def nasty_values(kind, grid, centre, generator):
    """Scores next to all places where an answer may change, in one element type."""
    steps = centre + generator.integers(-60, 60, 400)
    if kind == "int":
        return steps
    values = steps * float(grid) + float(grid) * generator.choice([0, 0.5, 0.49, -0.5, 1e-9], 400)
    values[::3] = np.nextafter(values[::3], generator.choice([-np.inf, np.inf], 134))
    return values.astype(kind)


WIDE = {
    "counts": any_plan(Exponential(3), Exponential(2), 1, 200, monotonic=True),
    "tenths": any_plan(Gumbel("0.3"), Laplace("0.2"), 1, 200, grid="0.1", sensitivity="0.1"),
    "far noise": any_plan(Laplace(3), Laplace(10**17), 1, 200, monotonic=True),
    "noise beyond words": any_plan(Gumbel(3), Laplace(10**19), 1, 200),
}


def same_bits(plan, ruler, values, levels, runs, monkeypatch, *, exactly):
    """Answers of a question; `exactly`: nobody is ruled out, all are decided by the same bits."""
    with monkeypatch.context() as patched:
        patched.setattr(hidden_bar, "BLOCK", 150)
        if exactly:
            patched.setattr(Ruler, "rough", lambda _, values: np.full(len(values), np.inf))
            patched.setattr(hidden_bar, "FEW", 10**9)
        bars = raise_bars(plan, ruler, len(values), seeded(3))
        return bars.passing(values, levels, runs).tolist()


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", WIDE)
@pytest.mark.parametrize("kind", ["int", np.float64, np.float32])
@pytest.mark.parametrize("range_", [None, (-3, 40)], ids=["any", "range"])
def test_floats_rule_out_nobody_who_may_pass(name, kind, range_, monkeypatch):
    plan, generator = WIDE[name], np.random.default_rng(7)
    ruler, some = Ruler.of(plan.grid, range_), np.sort(generator.permutation(400)[:333])
    some_passed = False
    for centre in (0, 2**53, -(2**60)):
        values = nasty_values(kind, plan.grid, centre, generator)
        for levels in (centre, np.full(400, centre) + generator.integers(-9, 9, 400)):
            for runs in (None, some):
                case = plan, ruler, values, levels, runs, monkeypatch
                answers = same_bits(*case, exactly=False)
                assert answers == same_bits(*case, exactly=True)
                some_passed |= bool(answers)
    assert some_passed


@pytest.mark.parametrize("base", [0, 10**18, 2**62, -(2**70)])
def test_bounds_hold_where_cuts_are_no_words(base):
    """Nobody is ruled out who may pass: the lowest score that does is above its bound."""
    table = noise_table(Gumbel(10**19), Fraction(1, 3), word_bits=6)
    bounds = lowest_scores(table, base)
    assert np.isfinite(bounds).any() == (abs(base) < 2**62)
    for bound, cut in zip(bounds.tolist(), table.high, strict=True):
        assert bound == -np.inf or Fraction(bound) < (base - cut - Fraction(1, 2)) / 3


def test_a_bound_that_is_two_steps_too_high_is_caught(monkeypatch):
    plan = WIDE["counts"]
    values = nasty_values("int", plan.grid, 0, np.random.default_rng(7))
    case = plan, RULER, values, 0, None, monkeypatch
    honest = hidden_bar.lowest_scores
    exact = same_bits(*case, exactly=True)
    monkeypatch.setattr(hidden_bar, "lowest_scores", lambda *how: honest(*how) + 2)
    assert same_bits(*case, exactly=False) != exact


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
    "no plan": (lambda: gate(plan=[1]), ParameterError, "plan must be a Plan"),
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
    many = gate(runs=hidden_bar.BLOCK + 1)
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
