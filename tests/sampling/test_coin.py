"""A coin is settled by the first bits that can settle it, and by no float."""

from fractions import Fraction

import pytest
from flint import arb, ctx, fmpq

from overbar.sampling.coin import settle, toss

ZEROS, ONES = bytes(8), b"\xff" * 8


def scripted(*answers):
    script = list(answers)
    return lambda count: script.pop(0)


def always(value):
    """An enclosure that is exact at every precision."""
    return lambda precision: arb(fmpq(value.numerator, value.denominator))


def test_a_coin_of_chance_one_or_zero_needs_one_word():
    assert toss(always(Fraction(1)), scripted(ONES))
    assert not toss(always(Fraction(0)), scripted(ZEROS))


def test_every_word_on_its_side():
    """Chance one half: words below 2^63 say yes, others no; the edge itself belongs to no."""
    half = always(Fraction(1, 2))
    below, edge = (2**63 - 1).to_bytes(8, "little"), (2**63).to_bytes(8, "little")
    assert toss(half, scripted(below))
    assert not toss(half, scripted(edge))


def test_what_is_known_of_the_number_counts():
    """The first three bits 101 put U in [5/8, 6/8)."""
    for chance, verdict in ((Fraction(5, 8), False), (Fraction(6, 8), True)):
        for word in (ZEROS, ONES):
            assert settle(5, 3, always(chance), scripted(word)) is verdict
    middle = always(Fraction(11, 16))
    assert settle(5, 3, middle, scripted(ZEROS))
    assert not settle(5, 3, middle, scripted(ONES))


def test_an_undecided_word_is_followed_by_another():
    third = always(Fraction(1, 3))
    word = ((1 << 64) // 3).to_bytes(8, "little")
    assert toss(third, scripted(word, ZEROS))
    assert not toss(third, scripted(word, ONES))


def test_a_wide_ball_decides_nothing_until_it_is_tight():
    asked = []

    def wide_at_first(precision):
        asked.append(precision)
        return arb(mid=0.5, rad=0.25) if len(asked) < 3 else arb(0.5)

    edge = (2**63).to_bytes(8, "little")
    assert not toss(wide_at_first, scripted(edge, ZEROS, ZEROS))
    assert asked == sorted(asked)
    assert len(set(asked)) == 3
    assert asked[0] >= 128  # the bits known and as many to spare


@pytest.mark.parametrize("precision", [10, 300])
def test_the_precision_of_others_is_left_alone(precision):
    with ctx.workprec(precision):
        toss(always(Fraction(1, 3)), scripted(ZEROS))
        assert ctx.prec == precision
