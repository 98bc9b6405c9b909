"""The race equals the slow one on the same bits, in parts or whole, at any size of gap."""

import math
import pickle
import sys
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from overbar.errors import SecrecyError
from overbar.noise import Exponential, Gumbel, Laplace
from overbar.sampling import bounds
from overbar.sampling.highest import Values
from overbar.sampling.integers import HIGHEST, LOWEST
from overbar.sampling.on_grid import OnGrid
from overbar.sampling.race import _ahead
from overbar.sampling.runner import Runner
from overbar.sampling.shortlist import shortlist
from tests.reference import sampling as reference
from tests.reference.sampling import race, race_in_order

pytestmark = pytest.mark.one_in(5)

NOISES = (Exponential, Laplace, Gumbel)
ONE = Fraction(1)


def as_ints(gaps):
    """Python ints take the path without the sieve: 8 and then 56 bits of V for every candidate."""
    return np.array(gaps, dtype=object)


def merge(first, second, count):
    """Put two races together as a batch run does: the first few of a union are in its parts."""
    return sorted([*first, *second])[:count]


def pairs(runners):
    return [(one.round, one.position) for one in runners]


@settings(max_examples=60, deadline=None)
@given(
    kind=st.sampled_from(NOISES),
    gaps=st.lists(st.integers(-30, 130), min_size=1, max_size=25),
    count=st.integers(1, 12),
    rounds=st.sampled_from([None, 1, 2, 5, 1000, 10**12]),
    order=st.sampled_from(["given", "array", "random"]),
    seed=st.integers(0, 2**32),
)
def test_race_equals_the_slow_one(kind, gaps, count, rounds, order, seed):
    noise = kind(6)
    source = reference.seeded(seed)
    slow = reference.rounds_of(gaps, noise, ONE, source)
    positions = np.arange(len(gaps))
    if order == "array":
        positions = np.random.default_rng(seed).permutation(len(gaps)) + 100
    elif order == "random":  # drawn for those who may win, in their places
        line = min(sorted(slow)[min(count, len(slow)) - 1 :][0], rounds or math.inf)
        line = line if count <= len(slow) else rounds or math.inf
        positions, ahead = np.full(len(gaps), -1), [g <= line for g in slow]
        drawn = np.frombuffer(source(8 * sum(ahead)), dtype=np.uint64) >> np.uint64(1)
        positions[ahead] = drawn
    choice = {"given": "given", "array": positions, "random": None}[order]
    order = sorted(zip(slow, positions.tolist(), strict=True))
    expected = [(g, i) for g, i in order if rounds is None or g <= rounds][:count]
    found = race(
        as_ints(gaps),
        count=count,
        noise=noise,
        grid=ONE,
        rounds=rounds,
        positions=choice,
        source=reference.seeded(seed),
    )
    assert pairs(found) == expected


@pytest.mark.parametrize("kind", NOISES)
@pytest.mark.parametrize("rounds", [None, 1, 40, 10**9])
def test_the_sieve_drops_only_losers(kind, rounds):
    """The same first bits, sieved or not; all others are 0101…, so both see the same V."""
    noise = kind(9)
    generator = np.random.default_rng(5)
    for base, spread in ((0, 10), (100, 30), (5000, 30)):
        scores = generator.integers(-spread, spread, 3000)
        first = generator.bytes(3000)

        def source(count, first=first):
            return first if count == 3000 else b"\x55" * count

        def run(scores, base=base, source=source):
            return race_in_order(
                scores, base, count=20, noise=noise, grid=ONE, rounds=rounds, source=source
            )

        expected = [one.position for one in run(as_ints(scores.tolist()))]
        assert [one.position for one in run(scores)] == expected


@pytest.mark.parametrize("kind", NOISES)
def test_parts_merge_to_the_whole(kind):
    """First bits of zero let all pass, so parts and whole can be fed the same bits."""
    noise = kind(9)
    gaps = np.random.default_rng(2).integers(-20, 200, 60)
    tails = np.random.default_rng(3).bytes(8 * 60)

    def source(start, stop):
        script = [bytes(stop - start), tails[8 * start : 8 * stop]]
        rest = reference.seeded(0)
        return lambda count: script.pop(0) if script else rest(count)

    def run(start, stop):
        return race(
            as_ints(gaps[start:stop].tolist()),
            count=7,
            noise=noise,
            grid=ONE,
            positions=np.arange(start, stop),
            source=source(start, stop),
        )

    whole = pairs(run(0, 60))
    assert pairs(merge(merge(run(0, 20), run(20, 45), 7), run(45, 60), 7)) == whole
    assert pairs(merge(run(45, 60), run(0, 45), 7)) == whole
    assert pairs(merge(run(0, 60), [], 3)) == whole[:3]


def test_full_first_round_goes_by_position():
    gaps = np.full(100_000, -5)
    found = race(gaps, count=4, noise=Exponential(3), grid=ONE)
    assert pairs(found) == [(1, 0), (1, 1), (1, 2), (1, 3)]
    positions = np.arange(100_000)[::-1]
    found = race(gaps, count=3, noise=Exponential(3), grid=ONE, positions=positions)
    assert pairs(found) == [(1, 0), (1, 1), (1, 2)]


@pytest.mark.parametrize("kind", NOISES)
@pytest.mark.parametrize("positions", ["given", None])
def test_a_bar_far_away_changes_nothing_and_costs_nothing(kind, positions, monkeypatch):
    """Beyond a thousand scales only differences count; few candidates are looked at closely."""
    noise, made = kind(9), []
    scores = np.random.default_rng(4).integers(0, 90, 20_000)

    def counted(*args, **kwargs):
        made.append(args)
        return Runner(*args, **kwargs)

    monkeypatch.setattr(sys.modules["overbar.sampling.race"], "Runner", counted)

    def run(base, kinds=scores):
        return [
            [
                one.place
                for one in race_in_order(
                    kinds, base, count=12, noise=noise, grid=ONE, positions=positions,
                    source=reference.seeded(seed),
                )
            ]
            for seed in range(5)
        ]  # fmt: skip

    expected = run(10_000)
    for base in (9 * 1000 + 90, 10**6, 10**13, 2**63, 10**30, 10**400):
        made.clear()
        assert run(base) == expected
        assert len(made) < 5 * 100
    assert run(10**13, as_ints(scores.tolist()))  # no sieve, and so other bits


@pytest.mark.parametrize("kind", NOISES)
def test_races_against_bars_seen_from_different_distances_merge(kind):
    noise = kind(9)
    first = race(np.array([10**15, 10**15 + 40]), count=2, noise=noise, grid=ONE)
    second = race(
        np.array([10**13, 10**17]), count=2, noise=noise, grid=ONE, positions=np.arange(2, 4)
    )
    third = race(np.array([-900, 300]), count=2, noise=noise, grid=ONE, positions=np.arange(4, 6))
    together = merge(merge(first, second, 9), third, 9)
    assert [one.position for one in together][:3] == [4, 5, 2]
    assert {one.position for one in together[3:5]} == {0, 1}
    assert together[5].position == 3
    assert pairs(merge(third, second, 2)) == pairs(together[:2])


@pytest.mark.parametrize("kind", NOISES)
@pytest.mark.parametrize("positions", ["given", None])
@pytest.mark.parametrize("huge", [10**15, 10**30, 10**400])
def test_one_huge_score_does_not_hide_the_others(kind, positions, huge, monkeypatch):
    """Beside a far higher score floats see no difference between the others."""
    scores = np.random.default_rng(6).integers(0, 1000, 3000).tolist()
    scores[1234] = huge
    made = []

    class Counted(Runner):
        def __init__(self, *gap, **more):
            made.append(gap)
            super().__init__(*gap, **more)

    monkeypatch.setattr(sys.modules["overbar.sampling.race"], "Runner", Counted)
    found = race_in_order(
        np.array(scores, dtype=np.int64 if huge < 2**62 else object), huge + 500,
        count=10, noise=kind(20), grid=ONE, positions=positions, source=reference.seeded(1),
    )  # fmt: skip
    assert found[0].place == 1234
    assert all(scores[one.place] > 700 for one in found)
    assert len(made) < 60


def log_ratio(gap, noise, word):
    """ln(E / H) at the middle of a word of 64 bits."""
    with mpmath.workdps(60):
        exponential = -mpmath.log1p(-(mpmath.mpf(word) + 0.5) / 2**64)
        return mpmath.log(exponential) - mpmath.log(reference.hazard(noise, ONE, gap))


@settings(max_examples=60, deadline=None)
@given(
    kind=st.sampled_from(NOISES),
    gaps=st.lists(st.integers(-30, 130), min_size=1, max_size=25),
    count=st.integers(1, 12),
    far=st.sampled_from([0, 10**5]),
    seed=st.integers(0, 2**32),
)
def test_a_race_with_some_far_above_the_others_equals_the_slow_one(kind, gaps, count, far, seed):
    """With two scales for near, the bar is put for the last of so many; some stand above that."""
    noise, gaps = kind(6), [gap + far for gap in gaps]
    source = reference.seeded(seed)
    tops, rest = source(len(gaps)), source(8 * len(gaps))
    words = [
        top << 56 | int.from_bytes(rest[8 * i : 8 * i + 8], "little") >> 8
        for i, top in enumerate(tops)
    ]

    def first(place):
        sure = kind is Exponential and gaps[place] <= 0
        rank = -math.inf if sure else log_ratio(gaps[place], noise, words[place])
        return (max(1, int(mpmath.ceil(mpmath.exp(rank)))) if rank < 25 else rank * 10**20), place

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bounds, "NEAR", 2)
        found = race(
            as_ints(gaps), count=count, noise=noise, grid=ONE, source=reference.seeded(seed)
        )
    expected = sorted(range(len(gaps)), key=first)[:count]
    assert [one.place for one in found] == expected


@pytest.mark.parametrize("kind", NOISES)
def test_random_positions_favour_no_place(kind):
    """Everyone is positive in the first round, in three blocks, of which the last is short."""
    scores = np.full(70_000, 50)

    def mean_place(positions, seed):
        source = reference.seeded(seed)
        found = race_in_order(
            scores, -(10**6), count=5, noise=kind(3), grid=ONE, positions=positions, source=source
        )
        assert [one.round for one in found] == [1] * 5
        assert len({one.place for one in found}) == 5
        return np.mean([one.place for one in found])

    def deviations(positions, runs):
        mean = np.mean([mean_place(positions, seed) for seed in range(runs)])
        return abs(mean / 70_000 - 0.5) * np.sqrt(12 * 5 * runs)

    assert deviations(None, 100) < 4.5
    assert deviations(np.arange(70_000), 20) > 15  # control


def test_equal_random_positions_go_by_place(monkeypatch):
    monkeypatch.setattr(sys.modules["overbar.sampling.race"], "KEY_BITS", 0)
    found = race_in_order(
        np.zeros(60, int), 0, positions=None, count=60, noise=Gumbel(3), grid=ONE, word_bits=3,
        source=reference.seeded(1),
    )  # fmt: skip
    order = [(one.round, one.place) for one in found]
    assert order == sorted(order)


@pytest.mark.parametrize("kind", NOISES)
def test_gaps_at_and_beyond_the_ends_of_int64(kind):
    noise = kind(10)
    scores = np.array([HIGHEST, LOWEST, HIGHEST - 3, 0, LOWEST + 7])
    found = race_in_order(scores, HIGHEST, count=2, noise=noise, grid=ONE)
    assert sorted(one.position for one in found) == [0, 2]  # others: a chance of e^-10^17
    found = race_in_order(scores, LOWEST - 10**19, count=5, noise=noise, grid=ONE)
    assert pairs(found) == [(1, i) for i in range(5)]
    found = race_in_order(scores, 10**30, count=5, noise=noise, grid=ONE)
    assert {one.position for one in found[:2]} == {0, 2}
    assert [one.position for one in found[2:3]] == [3]
    assert {one.position for one in found[3:]} == {1, 4}
    huge = np.array([10**400, 0, 10**399], dtype=object)
    found = race(huge, count=3, noise=noise, grid=ONE)
    assert [one.position for one in found] == [1, 2, 0]


def test_nobody_and_no_rounds():
    empty = np.array([], dtype=np.int64)
    assert race(empty, count=3, noise=Gumbel(3), grid=ONE) == []
    for word_bits in (3, 64):
        found = race(
            np.array([9000]),
            count=3,
            noise=Gumbel(3),
            grid=ONE,
            rounds=10**18,
            word_bits=word_bits,
        )
        assert found == []


def some_bounds(generator, size):
    """Few different ranks, so that ties are common; some bounds are infinite."""
    low = generator.integers(1, 5, size).astype(np.float64)
    high = low + generator.integers(0, 3, size)
    high[generator.random(size) < 0.1] = np.inf
    return low, high, generator.permutation(size) * 10


@pytest.mark.parametrize("limit", [0.0, 2.0, 4.0, math.inf])
@pytest.mark.parametrize("seed", range(20))
def test_nobody_who_may_come_no_later_is_dropped_and_nobody_else_is_kept(seed, limit):
    """The line is the last of the first few, of those who come in time for certain."""
    generator = np.random.default_rng(seed)
    low, high, order = some_bounds(generator, int(generator.choice([0, 1, 7, 14, 200])))
    certain = sorted(
        (rank, position)
        for rank, position in zip(high, order, strict=True)
        if rank <= limit and math.isfinite(rank)
    )
    for count in (*range(1, 17), 60, 100):
        line = certain[count - 1] if count <= len(certain) else (limit, math.inf)
        expected = [at for at in range(len(low)) if (low[at], order[at]) <= line]
        assert _ahead(low, high, order, count, limit).tolist() == expected


@pytest.mark.parametrize("seed", range(5))
def test_the_line_is_made_by_the_first_few_and_by_nobody_behind_them(seed):
    """A line drawn too far back would ask for a place among ties that is not there."""
    generator = np.random.default_rng(seed)
    high, order = generator.permutation(500).astype(np.float64) + 1, generator.permutation(500)
    for count in (1, 2, 3, 10, 100, 250, 499, 500):
        kept = _ahead(high, high, order, count, math.inf)
        assert sorted(high[kept].tolist()) == list(range(1, count + 1))


def test_a_shortlist_shows_nothing():
    scores = np.array([73190217, 5])
    law = OnGrid(Laplace(3), ONE)
    secret = shortlist(Values(scores, law), 1, None, reference.seeded(1))
    assert "7319" not in repr(secret) + repr(Values(scores, law))
    with pytest.raises(SecrecyError):
        pickle.dumps(secret)
