"""Uniform choices: in range, complete, and redrawn rather than bent."""

import numpy as np

from overbar.sampling.entropy import random_below, shuffled


def test_in_range_and_complete():
    assert {random_below(5) for _ in range(400)} == set(range(5))  # misses one: 5 · 0.8^400
    assert random_below(1) == 0
    assert 0 <= random_below(10**40) < 10**40
    assert sorted(shuffled(1000)) == list(range(1000))
    assert shuffled(0).tolist() == []
    assert shuffled(1).tolist() == [0]


def test_a_draw_that_does_not_fit_is_thrown_away():
    script = [b"\xe0", b"\xa0", b"\x80"]  # 7 and 5 do not fit below 5, 4 does
    assert random_below(5, lambda count: script.pop(0)) == 4
    assert script == []


def test_equal_words_are_drawn_anew():
    script = [b"\x20\x40\x20", b"\x60\x20\x40"]
    assert shuffled(3, lambda count: script.pop(0), word_bits=3).tolist() == [1, 2, 0]
    assert script == []


def test_equal_words_anywhere_are_drawn_anew():
    for twice in (b"\x20\x40\x40", b"\x40\x20\x40", b"\x20\x20\x40"):
        script = [twice, b"\x60\x20\x40"]
        assert shuffled(3, lambda count, script=script: script.pop(0), word_bits=3).tolist() == [
            1,
            2,
            0,
        ]
        assert script == []


def test_order_follows_the_words():
    words = np.random.default_rng(3).bytes(8 * 500)
    order = shuffled(500, lambda count: words)
    assert order.tolist() == np.argsort(np.frombuffer(words, np.uint64)).tolist()
