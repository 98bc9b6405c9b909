"""Two runs of many, enumerated: each has the law of a single run, and together they are a product.

Words of few bits are gone through one by one; what they leave open comes out as it is settled, with
its exact chance. Broken twins share the noise of a threshold, or let a word decide twice.
"""

from fractions import Fraction
from functools import cache, partial
from itertools import product

import numpy as np
import pytest

from overbar.mechanisms import Groups
from overbar.noise import Exponential, Gumbel, Laplace
from overbar.runs import hidden_bar
from overbar.runs.many_runs import SparseVectors
from overbar.sampling import bernoulli
from tests.reference.plans import any_plan
from tests.reference.sampling import survival

WORD_BITS = 3
WORDS = 1 << WORD_BITS
#: The threshold noise of a toy: two values, and how likely each is.
NOISE = {0: Fraction(3, 4), 3: Fraction(1, 4)}
LEVEL = 2
#: Both ways in which each of two open answers can be settled.
BOTH = [(True, False)] * 2


@cache
def passing(plan, gap):
    """The chance of a positive answer, within 10^-60."""
    return Fraction(str(survival(plan.query_noise, plan.grid, gap)))


def plan_with(noise, **changes):
    return any_plan(noise, Laplace(1), 0, **{"cutoff": 1, "monotonic": True} | changes)


def answers_of_two(plan, scores, monkeypatch, *, draw=None, words=None):
    """Return {(answer, answer): chance} of one question to two runs, over all words and noises."""
    small = partial(bernoulli.noise_table, word_bits=WORD_BITS)
    monkeypatch.setattr(hidden_bar, "noise_table", small)
    law, settled = {}, {}

    def settle(gap, word, table, source):
        """Ask which way it goes; both ways are gone through, each with its chance."""
        chance = passing(plan, gap) * (1 << WORD_BITS) - word
        assert 0 <= chance <= 1
        return settled["way"].pop(0)(chance)

    monkeypatch.setattr(bernoulli, "_refine", settle)
    noises = draw or (lambda pair: pair)
    requests = []

    def random_words(count, bits, source):
        assert bits == WORD_BITS
        return np.array((words or (lambda own: own))(requests.pop(0))[:count], np.uint8)

    monkeypatch.setattr(hidden_bar, "random_words", random_words)
    for pair in product(NOISE, repeat=2):
        monkeypatch.setattr(hidden_bar, "draw_many", lambda *_, pair=pair: np.array(noises(pair)))
        gate = SparseVectors.__new__(SparseVectors)
        gate._start(plan, Groups(2, 1), LEVEL, None, None)
        for first, second, *ways in product(range(WORDS), range(WORDS), *BOTH):
            weight = [Fraction(1, WORDS**2) * NOISE[pair[0]] * NOISE[pair[1]]]

            def take(chance, answer, weight=weight):
                weight[0] *= chance if answer else 1 - chance
                return answer

            settled["way"] = [partial(take, answer=answer) for answer in ways]
            requests[:] = [(first, second)]
            gate._positives[:] = 0
            answer = tuple(gate.ask(np.array(scores)).tolist())
            unused = 2 ** len(settled["way"])  # ways that were not needed come once each
            law[answer] = law.get(answer, 0) + weight[0] / unused
    return law


def single(plan, score):
    """The chance that a single run with this score passes."""
    return sum(chance * passing(plan, LEVEL + noise - score) for noise, chance in NOISE.items())


def is_product(law, chances):
    return all(
        abs(
            law.get(pair, 0)
            - (chances[0] if pair[0] else 1 - chances[0])
            * (chances[1] if pair[1] else 1 - chances[1])
        )
        < Fraction(1, 10**50)
        for pair in product((True, False), repeat=2)
    )


@pytest.mark.parametrize("noise", [Exponential(2), Laplace(2), Gumbel(2)], ids=str)
@pytest.mark.parametrize("scores", [(2, 2), (0, 4)])
def test_two_runs_are_two_single_runs(noise, scores, monkeypatch):
    plan = plan_with(noise)
    law = answers_of_two(plan, scores, monkeypatch)
    assert sum(law.values()) == 1
    assert is_product(law, [single(plan, score) for score in scores])


TWINS = {
    "one threshold noise for both": {"draw": lambda pair: (pair[0], pair[0])},
    "one word for both": {"words": lambda own: (own[0], own[0])},
}


@pytest.mark.parametrize("twin", TWINS)
def test_broken_twins_are_no_product(twin, monkeypatch):
    """Each run alone has the right law: only both together show it."""
    plan = plan_with(Gumbel(2))
    law = answers_of_two(plan, (2, 2), monkeypatch, **TWINS[twin])
    chance = single(plan, 2)
    assert abs(law[True, True] + law.get((True, False), 0) - chance) < Fraction(1, 10)
    assert not is_product(law, [chance, chance])
