import math

import numpy as np
import pytest

from overbar.accuracy.quadrature import log_integral, mean_score


@pytest.mark.parametrize("width", [1e-9, 1.0, 1e9])
@pytest.mark.parametrize("centre", [0.0, 40.0, -3.0])
def test_a_bell_anywhere(width, centre):
    value = log_integral(
        lambda t: -(((t - centre * width) / width) ** 2) / 2, [(0.0, width)], -np.inf, np.inf
    )
    assert float(value[0]) == pytest.approx(math.log(width * math.sqrt(2 * math.pi)), abs=1e-13)


def test_a_corner_an_edge_and_many_rows_at_once():
    rate = np.array([1.0, 30.0, 1e6])
    value = log_integral(
        lambda t: -np.abs(t) * rate[:, None], [(np.zeros(3), 1.0)], -np.inf, np.inf
    )
    np.testing.assert_allclose(value, np.log(2 / rate), atol=1e-12)
    edge = log_integral(lambda t: -t, [(0.0, 1.0)], np.array([0.0]), np.inf)
    assert float(edge[0]) == pytest.approx(0, abs=1e-13)


def test_far_below_what_a_float_can_hold():
    value = log_integral(lambda t: -5000 - t * t / 2, [(0.0, 1.0)], -np.inf, np.inf)
    assert float(value[0]) == pytest.approx(-5000 + math.log(2 * math.pi) / 2, rel=1e-15)


def test_mean_score():
    value = mean_score(lambda t: -t, lambda t: t * t, [(0.0, 1.0)], 0.0, np.inf)
    assert float(value[0]) == pytest.approx(2, rel=1e-12)
