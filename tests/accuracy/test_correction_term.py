import pytest

from overbar.accuracy.correction import KINDS, METHODS, correction_term
from overbar.errors import ParameterError
from overbar.noise import Exponential, Gaussian, Gumbel, Laplace


def test_none_is_zero_and_mean_is_the_bias():
    for query in (Laplace(2), Exponential(3), Gumbel(4), Gaussian(5)):
        for threshold in (Laplace(2), Exponential(1), None):
            assert correction_term("none", query, threshold, negatives=5) == 0
            other = 0 if threshold is None else threshold.mean
            bias = correction_term("mean", query, threshold, negatives=5)
            assert bias == query.mean - other
    assert correction_term("mean", Gumbel(10), Laplace(1), negatives=5) == pytest.approx(5.7721566)


def test_optimal_exceeds_the_mean_when_negatives_are_many():
    query, threshold = Exponential(54), Laplace(11)
    mean, best = (
        correction_term(kind, query, threshold, negatives=200) for kind in ("mean", "optimal")
    )
    assert best > 5 * mean


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kind": "best"}, "correction must be one of 'none', 'mean', 'optimal', 'optimal-shared'"),
        ({"method": "exact"}, "method must be one of 'auto', 'closed', 'quadrature', 'fft'"),
        ({"negatives": 0}, "negatives must be a positive whole number, got 0"),
        ({"negatives": True}, "negatives must be a positive whole number, got True"),
        ({"tolerance": -1}, "tolerance must be zero or positive, got -1"),
        ({"tolerance": float("nan")}, "tolerance must be a finite number, got nan"),
        ({"rounds": 0}, "rounds must be a positive whole number, got 0"),
        ({"query_noise": 3}, "query_noise must be a noise such as"),
        ({"threshold_noise": "laplace"}, "threshold_noise must be a noise such as"),
        (
            {"kind": "optimal-shared", "method": "fft"},
            "method must be 'auto' or 'quadrature' for 'optimal-shared', got 'fft'",
        ),
        (
            {"query_noise": Gumbel(1), "method": "closed"},
            "method must be 'quadrature' or 'auto' for gumbel query noise and laplace threshold",
        ),
    ],
)
def test_what_it_refuses(change, message):
    arguments = {
        "kind": "optimal",
        "query_noise": Exponential(1),
        "threshold_noise": Laplace(1),
        "negatives": 3,
    } | change
    with pytest.raises(ParameterError, match=message):
        correction_term(**arguments)


def test_the_options_are_what_the_messages_say():
    assert KINDS == ("none", "mean", "optimal", "optimal-shared")
    assert METHODS == ("auto", "closed", "quadrature", "fft")
