"""Noise on the grid: its values equal the slow ones on the same bits, and have their law."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from overbar.errors import ParameterError
from overbar.noise import Exponential, Gaussian, Gumbel, Laplace
from overbar.noise.grid_tails import _total, grid_tail
from overbar.sampling.highest import highest
from overbar.sampling.on_grid import TABLED, OnGrid
from tests.frozen.chi_square import FALSE_ALARM, p_value
from tests.reference.histogram import Tails, values_of
from tests.reference.logistic import Logistic
from tests.reference.sampling import seeded

pytestmark = pytest.mark.one_in(5)

ONE = Fraction(1)
NOISES = [
    Laplace(Fraction(1, 7)),
    Laplace(Fraction(2)),
    Laplace(Fraction(6)),
    Laplace(Fraction(300, 7)),
    Gaussian(Fraction(1, 3)),
    Gaussian(Fraction(5, 2)),
    Gaussian(Fraction(60)),
    Gaussian(Fraction(700)),
]
TAILS = {noise: Tails(noise, ONE) for noise in NOISES}


def as_ints(scores):
    """Python ints take the path without the sieve: 8 and then 56 bits of U for everyone."""
    return np.array(scores, dtype=object)


@settings(max_examples=60, deadline=None)
@given(
    scores=st.lists(st.integers(-30, 130), min_size=1, max_size=25),
    noise=st.sampled_from(NOISES),
    count=st.integers(1, 12),
    bar=st.sampled_from([None, -100, 0, 60]),
    seed=st.integers(0, 2**32),
)
def test_values_equal_the_slow_ones(scores, noise, count, bar, seed):
    slow = values_of(scores, TAILS[noise], seeded(seed))
    found = highest(as_ints(scores), bar, count=count, noise=noise, grid=ONE, source=seeded(seed))
    for one in found:
        low, high = slow[one.place]
        assert low <= one.value <= high  # equal, but for one draw in 2^50 that asks for more bits
    if all(low == high for low, high in slow):
        values = sorted((low for low, _ in slow if bar is None or low >= bar), reverse=True)
        assert [one.value for one in found] == values[:count]


@pytest.mark.parametrize(
    "noise", [Laplace(Fraction(9)), Gaussian(Fraction(9)), Gaussian(Fraction(900))]
)
@pytest.mark.parametrize("bar", [None, 0, 40, 10**6])
@pytest.mark.parametrize("spread", [0, 10, 1000])
def test_the_sieve_drops_only_losers(noise, bar, spread):
    """The same first bits, sieved or not; all others are 0101…, so both see the same noise."""
    generator = np.random.default_rng(5)
    scores = generator.integers(-spread, spread + 1, 3000)
    first = generator.bytes(3000)

    def source(count):
        return first if count == 3000 else b"\x55" * count

    def run(scores):
        found = highest(scores, bar, count=20, noise=noise, grid=ONE, source=source)
        return [(one.value, one.place) for one in found]

    assert run(scores) == run(as_ints(scores.tolist()))


@pytest.mark.parametrize("noise", NOISES)
def test_few_bits_bound_what_more_bits_say(noise):
    """8 bits leave an interval that holds what 64 bits leave, on both sides, at every word."""
    law = OnGrid(noise, ONE)
    words = np.arange(256, dtype=np.uint64)
    low, high = law.bounds(words, 8)
    for rest in (0, 12345, (1 << 56) - 1):
        least, most = law.bounds(words << np.uint64(56) | np.uint64(rest), 64)
        assert np.all(low[:-1] <= least[:-1])
        assert np.all(high[1:] >= most[1:])


@pytest.mark.parametrize("noise", NOISES)
def test_every_word_of_ten_bits_is_bounded_by_what_it_may_be(noise):
    """The whole numbers that U can still lead to, by tails added up; nearly always no others."""
    low, high = OnGrid(noise, ONE).bounds(np.arange(1024, dtype=np.uint64), 10)
    tails, wider = TAILS[noise], 0
    for word in range(1, 1023):
        least = tails.noise(mpmath.mpf(word + 1) / 1024)
        most = tails.noise(mpmath.mpf(word) / 1024)
        assert low[word] <= least <= most <= high[word]
        wider += int(high[word] - low[word]) > most - least
    assert wider <= 30


@pytest.mark.parametrize("steps", [TABLED, 2000, 10**5])
def test_the_normal_law_is_off_by_less_than_its_margin(steps):
    """Where the uniform number is exactly T(k) the size is k. A margin of 0.3/t would not do."""
    noise = Gaussian(Fraction(steps))
    law, worst = OnGrid(noise, ONE), 0.0
    for size in np.linspace(1, 9.07 * steps, 300).astype(int).tolist():
        tail = float(grid_tail(noise, ONE, size, 128).mid())
        assert tail > 2.0**-64
        found, margin = (float(x[0]) for x in law._size(np.array([tail])))
        assert abs(found - size) < margin
        worst = max(worst, abs(found - size) * steps)
    assert 0.3 < worst < 5 or steps > 10**4  # there floats are the larger part


@pytest.mark.parametrize("noise", NOISES[1:7])
def test_noise_has_its_law(noise):
    source = seeded(3)
    found = [
        one.value
        for _ in range(20)
        for one in highest(np.zeros(1000, int), count=1000, noise=noise, grid=ONE, source=source)
    ]
    last, tails = int(2 * noise.scale) + 2, TAILS[noise]
    expected = {k: float(tails(k) - tails(k + 1)) for k in range(1 - last, last)}
    expected |= {last: float(tails(last)), -last: float(tails(last))}
    seen = [max(-last, min(value, last)) for value in found]
    assert p_value(seen, expected) > FALSE_ALARM
    assert p_value([min(abs(value), last) for value in seen], expected) < FALSE_ALARM
    if noise.scale > 1:
        assert p_value([min(value + 1, last) for value in seen], expected) < FALSE_ALARM


@pytest.mark.parametrize("noise", NOISES[5:])
def test_two_bits_at_first_and_the_rest_by_balls(noise):
    """With words of 2 bits nearly every draw takes the slow way. The law is the same."""
    source = seeded(8)
    found = [
        highest(np.zeros(1, int), count=1, noise=noise, grid=ONE, source=source, word_bits=2)[0]
        for _ in range(100)
    ]
    half = max(1, int(noise.scale))
    tails = TAILS[noise]
    expected = {
        -1: float(1 - tails(1 - half)),
        0: float(tails(1 - half) - tails(half)),
        1: float(tails(half)),
    }
    seen = [(one.value >= half) - (one.value <= -half) for one in found]
    assert p_value(seen, expected) > FALSE_ALARM


@pytest.mark.parametrize("noise", [Laplace(Fraction(10**25)), Gaussian(Fraction(10**25))])
def test_noise_and_scores_of_any_size(noise):
    scores = np.array([10**30, 0, -(10**30)], dtype=object)
    found = highest(scores, count=5, noise=noise, grid=ONE, source=seeded(0))
    assert [one.place for one in found] == [0, 1, 2]
    for one in found:
        assert 10**18 < abs(one.value - int(scores[one.place])) < 10**27


def test_bits_that_are_all_alike_ask_for_more():
    """U may then be 0 or 1: its noise has no bound until more bits are known."""
    for first, sign in ((b"\x00", 1), (b"\xff", -1)):
        rest = [b"\x80" * 8, b"\x80" * 8, first * 8, first]
        found = highest(
            np.zeros(1, int),
            count=1,
            noise=Laplace(ONE),
            grid=ONE,
            source=lambda n, rest=rest: rest.pop()[:n],
        )
        assert 40 < sign * found[0].value < 50


def test_other_noises_are_refused():
    class Other(Laplace):
        """A class that derives from a noise may change its law."""

    for noise in (Logistic(ONE), Other(ONE)):
        with pytest.raises(ParameterError, match="laplace or gaussian"):
            highest(np.zeros(3, int), count=1, noise=noise, grid=ONE)


def test_candidates_with_unknown_noise_do_not_set_the_line():
    """All first words are 255: nobody is known to reach anything, and all must be kept."""

    def source(count):
        return b"\xff" * count if count == 40 else np.random.default_rng(count).bytes(count)

    scores = np.arange(40)
    found = highest(scores, count=40, noise=Laplace(ONE), grid=ONE, source=source)
    assert sorted(one.place for one in found) == list(range(40))
    assert all(one.value < scores[one.place] for one in found)


@pytest.mark.parametrize("noise", [Laplace(Fraction(9)), Gaussian(Fraction(9))])
def test_in_the_sieve_they_do_not_set_the_line_either(noise):
    """Those whose first bits are all 1 lie far lower than 8 bits could tell of anybody else."""
    scores = np.where(np.arange(3000) % 10, 30, 0)
    first = bytes(255 if score else 254 for score in scores.tolist())

    def source(count):
        if count == len(scores):
            return first
        return (b"\x00\x00" + b"\xff" * 6) * (count // 8)

    def run(scores):
        return highest(scores, count=20, noise=noise, grid=ONE, source=source)

    found = [scores[one.place] for one in run(as_ints(scores.tolist()))]
    assert found == [scores[one.place] for one in run(scores)]
    assert 30 not in found


@pytest.mark.parametrize("kind", [Exponential, Laplace, Gumbel, Gaussian])
@pytest.mark.parametrize("ratio", [Fraction(1, 7), Fraction(5), Fraction(10**12), Fraction(10**25)])
def test_floored_noise_is_real_noise_rounded_down(kind, ratio):
    """All that a word of 64 bits leaves open, and nothing else, with the quantile for the law."""
    noise = kind(ratio)
    law, source = OnGrid(noise, ONE, floored=True), seeded(5)
    words = np.frombuffer(source(8 * 40), dtype=np.uint64)
    drawn = law.settled(words, source).tolist()
    for word, found in zip(words.tolist(), drawn, strict=True):
        with mpmath.workdps(60):
            ends = [quantile(kind, mpmath.mpf(end) / 2**64) for end in (word + 1, word)]
            low, high = (
                int(mpmath.floor(end * ratio.numerator / ratio.denominator)) for end in ends
            )
        assert low <= found <= high


def quantile(kind, tail):
    """Where the survival function is so much."""
    if kind is Gaussian:
        return mpmath.sqrt(2) * mpmath.erfinv(1 - 2 * tail)
    if kind is Gumbel:
        return -mpmath.log(-mpmath.log1p(-tail))
    if kind is Laplace:
        return -mpmath.log(2 * tail) if tail < 0.5 else mpmath.log(2 * (1 - tail))
    return -mpmath.log(tail)


def test_how_far_out_noise_is_stays_in_no_cache():
    """One draw in a hundred, or so, is settled by balls: more bits for those further out."""
    before = _total.cache_info()
    OnGrid(Gaussian(1000), ONE).draw(1000, seeded(1))
    assert _total.cache_info() == before
