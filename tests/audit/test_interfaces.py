"""What can be audited, and how outcomes of any kind are read."""

import numpy as np
import pytest

from overbar.audit import Pair, audit
from overbar.audit.interfaces import Claim, as_mechanism, as_pairs
from overbar.audit.outcomes import UNSEEN, learn
from overbar.errors import ParameterError


class Coin:
    def sample(self, data, runs):
        return np.random.default_rng(1).random(runs) < (0.9 if data else 0.1)


def test_three_lines_are_enough():
    assert audit(Coin(), [(0, 1)], epsilon=1, runs=2000).violated
    assert audit(Coin(), [(0, 1)], epsilon=3, runs=2000).passed


def test_a_function_is_called_in_a_loop():
    generator = np.random.default_rng(2)
    verdict = audit(lambda data: data + generator.integers(2), [(0, 1)], epsilon=2, runs=900)
    assert verdict.violated


@pytest.mark.parametrize(
    "outcome",
    [
        lambda data, noise: ("text", data),
        lambda data, noise: (data, "x") if noise < 0.5 else (data,),
        lambda data, noise: frozenset([data]),
        lambda data, noise: None if data else 1.5,
        lambda data, noise: noise + data,
        lambda data, noise: 10**40 * (1 + data),
        lambda data, noise: np.float32(noise + data),
        lambda data, noise: [data, [data]],
    ],
)
def test_outcomes_of_any_kind(outcome):
    generator = np.random.default_rng(3)
    assert audit(
        lambda data: outcome(data, generator.random()), [(0, 1)], epsilon=1, runs=900
    ).violated


@pytest.mark.parametrize("kind", ["i8", "f4", "f8", "U5", "S5", "?"])
def test_arrays_of_any_kind(kind):
    class Told:
        def sample(self, data, runs):
            return np.full((runs, 2), data).astype(kind)

    assert audit(Told(), [(0, 1)], epsilon=1, runs=500).violated


def test_bad_use_is_refused_in_words():
    with pytest.raises(ParameterError, match=r"sample\(data, runs\)"):
        as_mechanism(3)
    with pytest.raises(ParameterError, match="at least one pair"):
        as_pairs([])
    with pytest.raises(ParameterError, match="pairs must be a list of pairs"):
        as_pairs([(1, 2, 3)])
    with pytest.raises(ParameterError, match="epsilon must be"):
        audit(Coin(), [(0, 1)], epsilon=-1)
    with pytest.raises(ParameterError, match="confidence must be between 0 and 1"):
        audit(Coin(), [(0, 1)], epsilon=1, confidence=1)
    with pytest.raises(ParameterError, match="hashable"):
        audit(lambda data: {data}, [(0, 1)], epsilon=1, runs=10)


def test_a_mechanism_that_runs_less_often_than_asked_is_refused():
    class Lazy:
        def sample(self, data, runs):
            return np.zeros(runs - 1)

    with pytest.raises(ParameterError, match="must return"):
        audit(Lazy(), [(0, 1)], epsilon=1, runs=100)


def test_rows_of_two_widths_are_refused():
    with pytest.raises(ParameterError, match="one width"):
        learn(np.zeros((5, 2)), np.zeros((5, 3)))


def test_claims_and_pairs_read_well():
    assert str(Claim.of("0.1", "1e-6")) == "ε = 0.1, δ = 1e-06"
    assert as_pairs([(1, 2), Pair(3, 4)]) == (Pair(1, 2), Pair(3, 4))


def test_a_reader_tells_apart_what_it_has_seen_and_nothing_else():
    seen = np.tile([[1, 2], [3, 4]], (20, 1)), np.tile([[1, 4], [3, 2]], (20, 1))
    reader = learn(*seen)
    codes = reader(np.array([[1, 2], [3, 4], [1, 4], [3, 2], [1, 2]]))
    assert len(set(codes.tolist())) == 4
    assert codes[0] == codes[4]
    assert reader(np.array([[9, 9], [2, 2]])).tolist() == [UNSEEN, UNSEEN]


def test_floats_are_binned_and_atoms_stay_alone():
    generator = np.random.default_rng(4)
    values = generator.normal(size=4000)
    values[::2] = 0.25
    reader = learn(values, values)
    atom = set(reader(np.full(3, 0.25)).tolist())
    assert len(atom) == 1
    assert not atom & set(reader(values[values != 0.25]).tolist())
    assert 20 < len(set(reader(values).tolist())) < 100
    assert reader(np.array([np.nan, -1e300, 1e300])).min() >= 0


def test_long_rows_are_read_by_their_score():
    generator = np.random.default_rng(5)
    first = generator.random((2000, 80)) < 0.5
    second = generator.random((2000, 80)) < 0.4
    reader = learn(first, second)
    assert reader(first).mean() > reader(second).mean() + 5
    assert len(set(reader(first).tolist())) < 150
