"""Lines and who is ahead of them, against sorting plain pairs."""

import math

import numpy as np
import pytest

from overbar.sampling.race_draw import NO_LINE, Shortlist, joined


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
