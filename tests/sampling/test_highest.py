"""The highest values equal the slow ones on the same bits, in parts or whole, at any size."""

import pickle
import sys
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from overbar.errors import SecrecyError
from overbar.noise import Exponential, Gumbel
from overbar.sampling.highest import Further, Ranked, fineness
from overbar.sampling.highest import highest as highest_values
from overbar.sampling.on_grid import OnGrid
from overbar.sampling.zeros import chance
from tests.frozen.chi_square import FALSE_ALARM, p_value
from tests.reference import ranked as reference
from tests.reference.sampling import seeded

ONE = Fraction(1)
module = sys.modules["overbar.sampling.highest"]


def highest(scores, bar=None, *, scale, **how):
    return highest_values(scores, bar, noise=Exponential(scale), **how)


def as_ints(scores):
    """Python ints take the path without the sieve: 8 and then 56 bits of U for everyone."""
    return np.array(scores, dtype=object)


@settings(max_examples=60, deadline=None)
@given(
    scores=st.lists(st.integers(-30, 130), min_size=1, max_size=25),
    ratio=st.sampled_from([Fraction(1, 7), Fraction(6), Fraction(10**5, 3), Fraction(10**25)]),
    count=st.integers(1, 12),
    bar=st.sampled_from([None, -100, 0, 60]),
    seed=st.integers(0, 2**32),
)
def test_values_equal_the_slow_ones(scores, ratio, count, bar, seed):
    slow = reference.values_of(scores, ratio, seeded(seed))
    found = highest(as_ints(scores), bar, count=count, scale=ratio, grid=ONE, source=seeded(seed))
    for one in found:
        low, high = slow[one.place]
        assert low <= one.value <= high  # equal, but for one draw in 2^50 that asks for more bits
    if all(low == high for low, high in slow):
        values = sorted((low for low, _ in slow if bar is None or low >= bar), reverse=True)
        assert [one.value for one in found] == values[:count]


@pytest.mark.parametrize("bar", [None, 0, 40, 10**6])
@pytest.mark.parametrize("spread", [0, 10, 1000])
def test_the_sieve_drops_only_losers(bar, spread):
    """The same first bits, sieved or not; all others are 0101…, so both see the same noise."""
    generator = np.random.default_rng(5)
    scores = generator.integers(-spread, spread + 1, 3000)
    first = generator.bytes(3000)

    def source(count):
        return first if count == 3000 else b"\x55" * count

    def run(scores):
        found = highest(scores, bar, count=20, scale=Fraction(9), grid=ONE, source=source)
        return [(one.value, one.place) for one in found]

    assert run(scores) == run(as_ints(scores.tolist()))


def test_parts_merge():
    """The highest of a union are among the highest of its parts."""
    generator = np.random.default_rng(1)
    scores = generator.integers(0, 50, 400)
    whole = highest(as_ints(scores), count=30, scale=ONE, grid=ONE, source=lambda n: b"\x55" * n)
    parts = [
        highest(as_ints(part), count=30, scale=ONE, grid=ONE, source=lambda n: b"\x55" * n)
        for part in (scores[:150], scores[150:])
    ]
    merged = sorted([*parts[0], *parts[1]])[:30]
    assert [one.value for one in merged] == [one.value for one in whole]


@pytest.mark.parametrize("ratio", [Fraction(1, 3), Fraction(2), Fraction(17, 2)])
def test_noise_has_its_law(ratio):
    source = seeded(3)
    found = [
        one.value
        for _ in range(40)
        for one in highest(np.zeros(500, int), count=500, scale=ratio, grid=ONE, source=source)
    ]
    last = 12
    chances = np.exp(-np.arange(last) / float(ratio)) * -np.expm1(-1 / float(ratio))
    expected = dict(enumerate([*chances, 1 - chances.sum()]))
    seen = [min(value, last) for value in found]
    assert p_value(seen, expected) > FALSE_ALARM
    assert p_value([min(value + 1, last) for value in seen], expected) < FALSE_ALARM


def test_equal_values_come_in_a_random_order():
    source = seeded(4)
    firsts = [
        highest(np.zeros(3, int), count=3, scale=Fraction(1, 10**6), grid=ONE, source=source)[0]
        for _ in range(600)
    ]
    seen = [one.place for one in firsts]
    assert p_value(seen, dict.fromkeys(range(3), 1 / 3)) > FALSE_ALARM
    assert p_value(seen, {0: 1 / 2, 1: 1 / 4, 2: 1 / 4}) < FALSE_ALARM


@pytest.mark.parametrize("scores", [[2**62, -(2**62), 5], [10**30, 5, -(10**30)], [2**61, 2**61]])
def test_scores_of_any_size(scores):
    values = np.array(scores, dtype=np.int64 if max(scores) < 2**63 else object)
    found = highest(values, count=5, scale=ONE, grid=ONE, source=seeded(0))
    assert [one.place for one in found][-1] == int(np.argmin(scores)) or scores[0] == scores[1]
    assert len(found) == len(scores)
    for one in found:
        assert 0 <= one.value - scores[one.place] < 60


def test_bits_that_are_all_zero_ask_for_more():
    """U may then be 0, and no upper bound is known until a bit is 1."""
    calls = iter([b"\x00", b"\x00" * 8, b"\xff" * 8, b"\x00" * 8])
    found = highest(
        np.zeros(1, int), count=1, scale=ONE, grid=ONE, source=lambda n: next(calls)[:n]
    )
    assert found[0].value == 44  # 64 ln 2 = 44.36


def test_nobody_and_too_few():
    assert highest(np.empty(0, int), count=3, scale=ONE, grid=ONE) == []
    assert len(highest(np.zeros(2, int), count=3, scale=ONE, grid=ONE)) == 2
    assert highest(np.zeros(5, int), 10**9, count=3, scale=ONE, grid=ONE) == []


def test_a_value_is_not_shown():
    one = Ranked(-12345, 6789, 3)
    assert one.value == 12345
    assert repr(one) == str(one) == "Ranked at place 3"
    with pytest.raises(SecrecyError):
        pickle.dumps(one)


# Gumbel noise, which is real ----------------------------------------------------------------------


def gumbel_values(scores, ratio, source):
    """score + noise in grid steps at the middle of what 64 bits leave open: 8 bits, then 56."""
    tops, rest = source(len(scores)), source(8 * len(scores))
    with mpmath.workdps(500):
        for at, score in enumerate(scores):
            word = tops[at] << 56 | int.from_bytes(rest[8 * at : 8 * at + 8], "little") >> 8
            uniform = (mpmath.mpf(word) + 0.5) / 2**64
            noise = -mpmath.log(-mpmath.log1p(-uniform))
            yield score + noise * ratio.numerator / ratio.denominator


@settings(max_examples=80, deadline=None)
@given(
    scores=st.lists(st.integers(-30, 130), min_size=1, max_size=25),
    shift=st.sampled_from([0, 10**30, -(10**400)]),
    ratio=st.sampled_from([Fraction(1, 7), Fraction(6), Fraction(10**5, 3), Fraction(10**25)]),
    count=st.integers(1, 12),
    bar=st.sampled_from([None, -100, 0, 60]),
    fine=st.sampled_from([1, 8, 1 << 18]),
    seed=st.integers(0, 2**32),
)
def test_gumbel_values_equal_the_slow_ones(scores, shift, ratio, count, bar, fine, seed):
    """With a scale in one step most values share one, and further digits tell them apart."""
    scores = [score + shift for score in scores]
    bar = None if bar is None else bar + shift
    with pytest.MonkeyPatch.context() as patch, mpmath.workdps(500):
        patch.setattr(module, "FINE", fine)
        times = fineness(Gumbel(ratio), ONE)
        slow = list(gumbel_values(scores, ratio, seeded(seed)))
        found = highest_values(
            as_ints(scores), bar, count=count, noise=Gumbel(ratio), grid=ONE, source=seeded(seed)
        )
        expected = sorted(range(len(slow)), key=lambda place: -slow[place])
        kept = [place for place in expected if bar is None or slow[place] >= bar][:count]
        assert [one.place for one in found] == kept
        for one in found:  # of a huge scale more than 64 bits are drawn
            off = one.value - int(mpmath.floor(slow[one.place] * times))
            assert abs(off) <= int(ratio * times / 2**40)
        assert found == sorted(found)


def test_gumbel_values_that_share_many_steps_are_told_apart():
    """The same 64 bits of U and equal scores: only further bits can order the two."""
    firsts = set()
    for seed in range(40):
        rest, script = seeded(seed), [b"\x55\x55", b"\x55" * 16]
        found = highest_values(
            np.zeros(2, int), count=2, noise=Gumbel(3), grid=ONE,
            source=lambda n, script=script, rest=rest: script.pop(0) if script else rest(n),
        )  # fmt: skip
        assert found[0].value == found[1].value
        assert found[0] < found[1]
        assert not found[1] < found[0]
        firsts.add(found[0].place)
    assert firsts == {0, 1}


@pytest.mark.parametrize("scale", [Fraction(3, 2), Fraction(6), Fraction(10**6, 3)])
def test_the_order_of_gumbel_values_is_peeling(scale):
    """The first of all is drawn with odds e^(score/scale)."""
    scores, source = np.array([0, 1, 3, -2]) * max(1, int(scale)), seeded(17)
    first = [
        highest_values(scores, count=1, noise=Gumbel(scale), grid=ONE, source=source)[0].place
        for _ in range(1500)
    ]
    odds = np.exp((scores - scores.max()) / float(scale))
    assert p_value(first, dict(enumerate(odds / odds.sum()))) > FALSE_ALARM
    odds = np.exp((scores - scores.max()) / float(scale) / 2)
    assert p_value(first, dict(enumerate(odds / odds.sum()))) < FALSE_ALARM


def test_digits_of_noise_are_not_shown():
    digits = Further(OnGrid(Gumbel(3), ONE), seeded(1), 7319021, 64)
    assert "7319021" not in repr(digits)
    with pytest.raises(SecrecyError):
        pickle.dumps(digits)
    assert not hasattr(digits, "__dict__")


def first_of_two(monkeypatch, runs=20_000):
    """Who comes first of 0 and 1 under Gumbel noise of scale 1, on a coarse grid, few bits each."""
    monkeypatch.setattr(module, "FINE", 1)
    source = seeded(3)
    for _ in range(runs):
        found = highest_values(
            np.array([0, 1]), count=1, noise=Gumbel(ONE), grid=ONE, source=source, word_bits=2
        )
        yield found[0].place


def test_digits_go_on_with_the_bits_that_settled_a_value(monkeypatch):
    law = {1: float(mpmath.e / (1 + mpmath.e)), 0: float(1 / (1 + mpmath.e))}
    assert p_value(list(first_of_two(monkeypatch)), law) > FALSE_ALARM
    # Control: digits of another U than the one that settled the value.
    own = OnGrid.opened
    monkeypatch.setattr(OnGrid, "opened", lambda *how: (own(*how)[0], {}))
    assert p_value(list(first_of_two(monkeypatch)), law) < 1e-3


def test_a_secret_bar_is_kept_nowhere():
    scores, before = np.arange(5000) % 2, chance.cache_info()
    for public in (False, True):
        highest(scores, 30, count=2, scale=Fraction(3), grid=ONE, public_bar=public)
        asked = chance.cache_info()
        assert (asked.hits + asked.misses > before.hits + before.misses) == public
