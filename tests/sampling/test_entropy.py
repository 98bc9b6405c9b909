"""Bits: as many as asked for, from the system, under a key per stretch, and nothing kept."""

import os

import numpy as np
import pytest

from overbar.sampling import entropy
from overbar.sampling.entropy import (
    STRETCH,
    random_below,
    random_bits,
    random_words,
    system,
)

# RFC 8439, appendix A.1, test vector 1: key, nonce and counter all zero.
KEYSTREAM = bytes.fromhex("76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7")


@pytest.mark.parametrize("count", [0, 1, 31, 1024, 1025, STRETCH, STRETCH + 1, 3 * STRETCH + 7])
def test_as_many_bytes_as_asked_for(count):
    assert len(system(count)) == count
    if count > 30:
        assert system(count) != system(count)


def test_long_requests_are_the_published_keystream(monkeypatch):
    monkeypatch.setattr(os, "urandom", bytes)
    assert system(5000)[:32] == KEYSTREAM


def test_every_stretch_has_its_own_key(monkeypatch):
    keys = []
    real = os.urandom

    def watched(count):
        keys.append(real(count))
        return keys[-1]

    monkeypatch.setattr(os, "urandom", watched)
    stream = system(3 * STRETCH)
    assert [len(key) for key in keys] == [32, 32, 32]
    assert len(set(keys)) == 3
    assert len({stream[i * STRETCH : i * STRETCH + 64] for i in range(3)}) == 3


def test_short_requests_are_answered_by_the_system_itself(monkeypatch):
    asked = []
    real = os.urandom
    monkeypatch.setattr(os, "urandom", lambda count: asked.append(count) or real(count))
    system(entropy.SHORT_REQUEST), system(entropy.SHORT_REQUEST + 1)
    assert asked == [entropy.SHORT_REQUEST, 32]  # the second is a key


def test_the_system_is_asked_every_time_and_nothing_is_kept(monkeypatch):
    def no_more(count):
        raise OSError("no entropy")

    system(10), system(10_000)
    monkeypatch.setattr(os, "urandom", no_more)
    for count in (10, 10_000):
        with pytest.raises(OSError, match="no entropy"):
            system(count)
    values = [value for name, value in vars(entropy).items() if not name.startswith("__")]
    assert not any(isinstance(value, np.random.Generator | bytearray | list) for value in values)


@pytest.mark.parametrize("bits", [1, 3, 7, 8, 9, 16, 17, 56, 63, 64])
def test_words_fill_their_range_and_no_more(bits):
    ones = random_words(4, bits, lambda count: b"\xff" * count)
    assert ones.tolist() == [(1 << bits) - 1] * 4
    assert random_bits(bits, lambda count: b"\xff" * count) == (1 << bits) - 1
    words = random_words(8000, bits)
    for bit in range(bits):
        share = np.mean(words >> np.uint64(bit) & np.uint64(1))
        assert abs(share - 0.5) < 8.4 * 0.5 / 8000**0.5  # false alarm 5e-17 for each bit


def test_words_have_sixty_four_bits_unless_told():
    ones = random_words(3, source=lambda count: b"\xff" * count)
    assert ones.dtype == np.uint64
    assert ones.tolist() == [2**64 - 1] * 3


def test_no_bits_and_no_words():
    assert random_bits(0) == 0
    assert random_words(3, 0, source=None).tolist() == [0, 0, 0]
    assert random_words(0, 64).tolist() == []


def test_the_source_is_an_argument():
    assert random_bits(12, lambda count: bytes([0x34, 0x12])) == 0x123
    assert random_words(2, 16, lambda count: bytes([1, 0, 2, 0])).tolist() == [1, 2]


def test_in_range_and_complete():
    assert {random_below(5) for _ in range(400)} == set(range(5))  # misses one: 5 · 0.8^400
    assert random_below(1) == 0
    assert 0 <= random_below(10**40) < 10**40


def test_a_draw_that_does_not_fit_is_thrown_away():
    script = [b"\xe0", b"\xa0", b"\x80"]  # 7 and 5 do not fit below 5, 4 does
    assert random_below(5, lambda count: script.pop(0)) == 4
    assert script == []
