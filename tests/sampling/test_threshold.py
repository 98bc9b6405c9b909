"""The threshold's noise: every digit's chance is exact, and the rare branches are right."""

from fractions import Fraction
from itertools import product

import mpmath
import pytest

from overbar.errors import ParameterError
from overbar.sampling import threshold
from overbar.sampling.threshold import (
    discrete_exponential,
    discrete_gaussian,
    discrete_laplace,
    draw_many,
)
from tests.reference import sampling as reference

ONE = Fraction(1)


def counting(source, log):
    def counted(count):
        log.append(count)
        return source(count)

    return counted


@pytest.mark.parametrize("rate", [Fraction(1, 10**15), Fraction(1, 7), Fraction(3), Fraction(90)])
def test_digit_bounds_are_floors(rate):
    bounds = threshold._digit_bounds(rate)
    with mpmath.workdps(100):
        for place, bound in enumerate(bounds.tolist()):
            y = mpmath.exp(-mpmath.mpf(rate.numerator) / rate.denominator * 2**place)
            assert bound == int(mpmath.floor(2**64 * y / (1 + y)))
        assert rate * 2 ** len(bounds) > threshold.FAR


def scripted(*answers):
    script = list(answers)
    return lambda count: script.pop(0)


def test_digits_are_read_off_the_words():
    """Words of zeros are ones and words of ones are zeros; the tail's coin says no."""
    bounds = threshold._digit_bounds(Fraction(1, 5)).tolist()
    no = b"\xff" * 8
    every = b"".join(bytes(8) if bound else no for bound in bounds)
    none = no * len(bounds)
    value = sum(1 << place for place, bound in enumerate(bounds) if bound)
    assert value == 255  # beyond 2^7 / 5 a digit's chance is below 2^-64
    assert discrete_laplace(Fraction(5), ONE, scripted(every, no, none, no)) == value
    assert discrete_laplace(Fraction(5), ONE, scripted(none, no, every, no)) == -value


def test_a_word_on_its_bound_is_settled_by_more_bits():
    """The chance is e^-100 = 2^-144.3: no verdict until 192 bits are known."""
    assert threshold._digit_bounds(Fraction(100)).tolist() == [0]
    zeros, ones = bytes(8), b"\xff" * 8
    for answers, digit in (((zeros, ones), 0), ((zeros, zeros, ones), 0), ((zeros,) * 3, 1)):
        assert threshold._geometric(Fraction(100), scripted(*answers, ones)) == digit


@pytest.mark.parametrize("rate", [Fraction(1, 7), Fraction(3), Fraction(17, 2)])
def test_every_digit_on_its_bound_is_settled_by_its_own_chance(rate):
    bounds = threshold._digit_bounds(rate).tolist()
    no = b"\xff" * 8
    for place, bound in enumerate(bounds):
        with mpmath.workdps(100):
            y = mpmath.exp(-mpmath.mpf(rate.numerator) / rate.denominator * 2**place)
            more = int(mpmath.floor(2**128 * y / (1 + y))) - (bound << 64)
        for step, digit in ((-1, 1), (1, 0)):
            if not 0 <= more + step < 2**64:
                continue
            words = [no] * len(bounds)
            words[place] = bound.to_bytes(8, "little")
            settled = (more + step).to_bytes(8, "little")
            found = threshold._geometric(rate, scripted(b"".join(words), settled, no))
            assert found == digit << place


def test_the_tail_counts_on():
    """Three tosses of the coin for the digits from J on come up, the fourth does not."""
    rate = Fraction(101)
    assert len(threshold._digit_bounds(rate)) == 0
    tossed = []

    def source(count):
        if count == 0:
            return b""  # there are no digits to toss
        tossed.append(count)
        # 192 zero bits are below e^-101 · 2^192 = 2^46; three coins of three words each.
        return bytes(8) if len(tossed) <= 9 else b"\xff" * 8

    assert threshold._geometric(rate, source) == 3
    assert len(tossed) == 10


def test_the_tail_stands_above_the_digits():
    """One digit, which is 0, and a coin of e^-200 that comes up once: 1 in the place of twos."""
    rate = Fraction(100)
    assert len(threshold._digit_bounds(rate)) == 1
    zeros, ones = bytes(8), b"\xff" * 8
    once = scripted(ones, *[zeros] * 5, ones)
    assert threshold._geometric(rate, once) == 2
    both = scripted(*[zeros] * 3, *[zeros] * 5, *[zeros] * 5, ones)
    assert threshold._geometric(rate, both) == 1 + 2 * 2


def test_one_fixed_number_of_bits_whatever_comes_out():
    logs = []
    for seed in range(200):
        log = []
        discrete_laplace(Fraction(1000), ONE, counting(reference.seeded(seed), log))
        logs.append(tuple(log))
    assert len(set(logs)) == 1


def test_huge_and_tiny_scales():
    assert discrete_laplace(Fraction(1, 10**50), ONE) == 0
    assert discrete_gaussian(Fraction(1, 10**20), ONE) == 0
    large = [abs(discrete_laplace(Fraction(10) ** 40, Fraction(1, 3))) for _ in range(20)]
    assert 10**38 < max(large) < 10**43  # false alarm below 1e-15
    assert isinstance(large[0], int)


def test_scales_must_be_positive():
    for draw in (discrete_laplace, discrete_gaussian):
        with pytest.raises(ParameterError, match="must be positive"):
            draw(Fraction(0), ONE)
        with pytest.raises(ParameterError, match="grid must be positive"):
            draw(ONE, Fraction(-1))


@pytest.mark.parametrize("sigma", [Fraction(1, 3), Fraction(1), Fraction(7, 2), Fraction(40)])
@pytest.mark.parametrize("grid", [ONE, Fraction(1, 5)])
def test_acceptance_turns_laplace_proposals_into_gaussian_ones(sigma, grid, monkeypatch):
    """In exact fractions: |k|/scale + exponent(k) - (k·grid)²/2σ² is the same for every k."""
    proposals, seen = [], []

    def propose(scale, grid, source):
        assert grid == 1
        seen.append([scale])
        return proposals[-1]

    def accept(chance, source):
        seen[-1].append(chance.rate)
        return True

    monkeypatch.setattr(threshold, "discrete_laplace", propose)
    monkeypatch.setattr(threshold, "toss", accept)
    for proposal in range(-30, 31):
        proposals.append(proposal)
        assert discrete_gaussian(sigma, grid) == proposal
    assert len({scale for scale, _ in seen}) == 1
    offsets = {
        abs(k) / scale + exponent - (k * grid) ** 2 / (2 * sigma**2)
        for k, (scale, exponent) in zip(proposals, seen, strict=True)
    }
    assert len(offsets) == 1
    assert all(exponent >= 0 for _, exponent in seen)
    # One proposal in about two is accepted: the scale is that of the law.
    assert seen[0][0] == sigma / grid // 1 + 1


def test_a_refused_proposal_is_followed_by_another(monkeypatch):
    proposals, verdicts = [5, -2, 9], [False, True]
    monkeypatch.setattr(threshold, "discrete_laplace", lambda *_: proposals.pop(0))
    monkeypatch.setattr(threshold, "toss", lambda *_: verdicts.pop(0))
    assert discrete_gaussian(Fraction(3), ONE) == -2
    assert proposals == [9]


def test_bounds_kept_for_later_cannot_be_written_to():
    with pytest.raises(ValueError, match="read-only"):
        threshold._digit_bounds(Fraction(1, 7))[0] = 1


def two_draws(draw, rate, digits, monkeypatch=None):
    """Draw two numbers where each digit comes as said: `digits` has a row for each geometric."""
    bounds = threshold._digit_bounds(rate).tolist()
    words = [
        b"".join(bytes(8) if one else b"\xff" * 8 for row in rows for one in row) for rows in digits
    ]
    assert all(bounds)
    script = [piece for word in words for piece in (word, b"\xff" * 16)]
    return draw_many(draw, ONE, rate, 2, scripted(*script)).tolist()


@pytest.mark.parametrize("rate", [Fraction(12), Fraction(24)])
@pytest.mark.parametrize("draw", [discrete_exponential, discrete_laplace])
def test_two_draws_at_once_have_digits_of_their_own(draw, rate, monkeypatch):
    """All digits of two numbers are gone through: each is made of its own, as a single one is.

    Digits are independent words, so the two numbers are independent, and each has its law.
    """
    monkeypatch.setattr(threshold, "FAR", 44)  # fewer digits, all with a bound above zero
    threshold._digit_bounds.cache_clear()
    length = len(threshold._digit_bounds(rate))
    sides = 1 + (draw is discrete_laplace)
    for pattern in product((0, 1), repeat=2 * length * sides):
        rows = [pattern[i * length : (i + 1) * length] for i in range(2 * sides)]
        numbers = [sum(one << place for place, one in enumerate(row)) for row in rows]
        first, second = numbers[:2], numbers[2:] or [0, 0]
        expected = [a - b for a, b in zip(first, second, strict=True)]
        assert two_draws(draw, rate, [rows[:2], rows[2:]][:sides]) == expected
    threshold._digit_bounds.cache_clear()


def test_the_rare_branches_of_many_draws(monkeypatch):
    """A digit on its bound is settled for its own number, and so is a tail that counts on."""
    rate, zeros, ones = Fraction(100), bytes(8), b"\xff" * 8
    assert threshold._digit_bounds(rate).tolist() == [0]
    draws = [ones + zeros + ones, zeros, zeros, ones * 3]  # the second digit is settled: 1
    assert draw_many(discrete_exponential, ONE, rate, 3, scripted(*draws)).tolist() == [0, 1, 0]
    tails = [ones * 3, ones * 2 + zeros, *[zeros] * 4, ones]  # the third counts one more
    assert draw_many(discrete_exponential, ONE, rate, 3, scripted(*tails)).tolist() == [0, 0, 2]


@pytest.mark.parametrize("scale", [Fraction(10) ** 40, Fraction(10) ** 17, Fraction(7, 3)])
@pytest.mark.parametrize("draw", [discrete_exponential, discrete_laplace, discrete_gaussian])
def test_many_draws_of_any_size(draw, scale):
    count = 40 if draw is discrete_gaussian else threshold.BLOCK + 40
    numbers = draw_many(draw, scale, ONE, count, reference.seeded(3))
    assert len(numbers) == count
    assert scale / 10 < max(map(abs, numbers.tolist())) < 100 * scale
    assert (min(numbers) < 0) == (draw is not discrete_exponential)
    assert all(isinstance(number, int) for number in numbers.tolist())
    assert len(draw_many(draw, scale, ONE, 0, reference.seeded(3))) == 0
