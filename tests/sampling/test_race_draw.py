"""The race equals the slow one on the same bits, in parts or whole, at any size of gap."""

import math
import sys
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from overbar.noise import Exponential, Gumbel, Laplace
from overbar.sampling import bounds
from overbar.sampling.integers import HIGHEST, LOWEST
from overbar.sampling.race_draw import NO_LINE, Shortlist, joined, race_above
from overbar.sampling.runner import Runner
from tests.reference import sampling as reference
from tests.reference.sampling import race

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
    elif order == "random":  # the bits that follow those of the rounds
        positions = np.frombuffer(source(8 * len(gaps)), dtype=np.uint64) >> np.uint64(1)
    choice = {"given": None, "array": positions, "random": "random"}[order]
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
            return race_above(
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
@pytest.mark.parametrize("positions", [None, "random"])
def test_a_bar_far_away_changes_nothing_and_costs_nothing(kind, positions, monkeypatch):
    """Beyond a thousand scales only differences count; few candidates are looked at closely."""
    noise, made = kind(9), []
    scores = np.random.default_rng(4).integers(0, 90, 20_000)

    def counted(*args, **kwargs):
        made.append(args)
        return Runner(*args, **kwargs)

    monkeypatch.setattr(sys.modules["overbar.sampling.race_draw"], "Runner", counted)

    def run(base, kinds=scores):
        return [
            [
                one.place
                for one in race_above(
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
@pytest.mark.parametrize("positions", [None, "random"])
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

    monkeypatch.setattr(sys.modules["overbar.sampling.race_draw"], "Runner", Counted)
    found = race_above(
        np.array(scores, dtype=np.int64 if huge < 2**62 else object), huge + 500,
        count=10, noise=kind(20), grid=ONE, positions=positions, source=reference.seeded(1),
    )  # fmt: skip
    assert found[0].place == 1234
    assert all(scores[one.place] > 700 for one in found)
    assert len(made) < 60


@settings(max_examples=60, deadline=None)
@given(
    kind=st.sampled_from(NOISES),
    gaps=st.lists(st.integers(-30, 130), min_size=1, max_size=25),
    count=st.integers(1, 12),
    array=st.booleans(),
    seed=st.integers(0, 2**32),
)
def test_a_race_in_groups_equals_the_slow_one(kind, gaps, count, array, seed):
    """With two scales for near, the candidates fall into two groups, each a race of its own."""
    noise, source = kind(6), reference.seeded(seed)
    rounds = {}

    def draw(places):
        scores = as_ints([~gaps[place] for place in places])
        near = bounds.few_near(scores, -1, count, noise, ONE)
        if near is None:
            own = reference.rounds_of([gaps[place] for place in places], noise, ONE, source)
            rounds.update(zip(places, own, strict=True))
        else:
            draw([place for place, close in zip(places, near, strict=True) if close])
            draw([place for place, close in zip(places, near, strict=True) if not close])

    order = np.arange(len(gaps))
    if array:
        order = np.random.default_rng(seed).permutation(len(gaps)) + 100
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bounds, "NEAR", 2)
        draw(list(range(len(gaps))))
        found = race(
            as_ints(gaps), count=count, noise=noise, grid=ONE,
            positions=order if array else None, source=reference.seeded(seed),
        )  # fmt: skip
    expected = sorted((rounds[place], int(order[place])) for place in rounds)[:count]
    assert pairs(found) == expected


@pytest.mark.parametrize("kind", NOISES)
def test_random_positions_favour_no_place(kind):
    """Everyone is positive in the first round, in three chunks, of which the last is short."""
    scores = np.full(70_000, 50)

    def mean_place(positions, seed):
        source = reference.seeded(seed)
        found = race_above(
            scores, -(10**6), count=5, noise=kind(3), grid=ONE, positions=positions, source=source
        )
        assert [one.round for one in found] == [1] * 5
        assert len({one.place for one in found}) == 5
        return np.mean([one.place for one in found])

    def deviations(positions, runs):
        mean = np.mean([mean_place(positions, seed) for seed in range(runs)])
        return abs(mean / 70_000 - 0.5) * np.sqrt(12 * 5 * runs)

    assert deviations("random", 100) < 4.5
    assert deviations(np.arange(70_000), 20) > 15  # control


@pytest.mark.parametrize("kind", NOISES)
def test_gaps_at_and_beyond_the_ends_of_int64(kind):
    noise = kind(10)
    scores = np.array([HIGHEST, LOWEST, HIGHEST - 3, 0, LOWEST + 7])
    found = race_above(scores, HIGHEST, count=2, noise=noise, grid=ONE)
    assert sorted(one.position for one in found) == [0, 2]  # others: a chance of e^-10^17
    found = race_above(scores, LOWEST - 10**19, count=5, noise=noise, grid=ONE)
    assert pairs(found) == [(1, i) for i in range(5)]
    found = race_above(scores, 10**30, count=5, noise=noise, grid=ONE)
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


def shortlist(generator, size):
    """Few different ranks, so that ties are common; some bounds are infinite."""
    low = generator.integers(1, 5, size).astype(np.float64)
    high = low + generator.integers(0, 3, size)
    high[generator.random(size) < 0.1] = np.inf
    limits = generator.choice([0.0, 2.0, 4.0, np.inf], size)
    positions = generator.permutation(size) * 10
    words = generator.integers(0, 2**64, size, dtype=np.uint64)
    return Shortlist(np.arange(size), words, low, high, positions, limits)


@pytest.mark.parametrize("seed", range(40))
def test_the_line_is_the_last_of_the_first_few(seed):
    generator = np.random.default_rng(seed)
    some = shortlist(generator, int(generator.choice([0, 1, 7, 14, 200])))
    pairs = sorted(
        (high, position)
        for high, position, limit in zip(some.high, some.positions, some.limits, strict=True)
        if high <= limit and math.isfinite(high)
    )
    assert some.certain.tolist() == [
        high <= limit for high, limit in zip(some.high, some.limits, strict=True)
    ]
    for count in (*range(1, 17), 60, 100):
        expected = pairs[count - 1] if count <= len(pairs) else NO_LINE
        assert some.finish_line(count) == expected


@pytest.mark.parametrize("seed", range(20))
def test_nobody_who_may_come_no_later_is_dropped_and_nobody_else_is_kept(seed):
    generator = np.random.default_rng(seed)
    some = shortlist(generator, 14)
    for line in (NO_LINE, (0.0, 0), (2.0, 50), (3.0, 0), (4.0, math.inf), some.finish_line(3)):
        kept = [
            place
            for place in range(14)
            if (some.low[place], some.positions[place]) <= line
            and some.low[place] <= some.limits[place]
        ]
        ahead = some.ahead_of(line)
        assert ahead.places.tolist() == kept
        for name in ("words", "low", "high", "positions", "limits"):
            assert getattr(ahead, name).tolist() == getattr(some, name)[kept].tolist()


def test_parts_are_joined_in_their_order():
    generator = np.random.default_rng(3)
    parts = [shortlist(generator, size) for size in (3, 0, 5)]
    whole = joined(parts)
    for name in ("places", "words", "low", "high", "positions", "limits"):
        expected = [one for part in parts for one in getattr(part, name).tolist()]
        assert getattr(whole, name).tolist() == expected


def test_a_shortlist_shows_nothing():
    secret = shortlist(np.random.default_rng(1), 3)
    assert "array" not in repr(secret)
    with pytest.raises(AttributeError):
        secret.low = None


@pytest.mark.parametrize("seed", range(5))
def test_the_line_is_made_by_the_first_few_and_by_nobody_behind_them(seed):
    """A line drawn too far back would ask for a place among ties that is not there."""
    generator = np.random.default_rng(seed)
    size = 500
    high = generator.permutation(size).astype(np.float64) + 1
    positions = generator.permutation(size)
    everyone = np.arange(size)
    words = np.zeros(size, dtype=np.uint64)
    some = Shortlist(everyone, words, high - 1, high, positions, np.full(size, np.inf))
    pairs = sorted(zip(high.tolist(), positions.tolist(), strict=True))
    for count in (1, 2, 3, 10, 100, 250, 499, 500):
        assert some.finish_line(count) == pairs[count - 1]
