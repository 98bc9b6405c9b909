"""The finish line where hardly two ranks are equal, as in long races."""

import numpy as np
import pytest

from overbar.sampling.race_draw import Shortlist


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
