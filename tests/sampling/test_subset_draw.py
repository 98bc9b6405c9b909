"""One set of all: its law is that of its definition, whatever path the draw takes."""

import itertools
import math
from collections import defaultdict
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, ctx

from overbar.sampling import subset_draw
from overbar.sampling.coin import choose
from overbar.sampling.subset_draw import draw_subset


def by_definition(scores, count, scale, outside=max):
    """Return the chance of each set: e^(lead/scale) over the sum."""
    odds = {}
    for places in itertools.combinations(range(len(scores)), count):
        rest = [score for at, score in enumerate(scores) if at not in places]
        odds[places] = math.exp((min(scores[at] for at in places) - outside(rest)) / scale)
    total = sum(odds.values())
    return {places: value / total for places, value in odds.items()}


def law(scores, count, scale, monkeypatch):
    """Return the law of the draw, by walking down every branch of it."""
    chances = defaultdict(float)
    paths = [()]
    while paths:
        path = paths.pop()
        turns, chance = iter(path), 1.0

        class NewBranchError(Exception):
            pass

        def branch(weights, turns=turns, path=path, new=NewBranchError):
            nonlocal chance
            turn = next(turns, None)
            if turn is None:
                paths.extend((*path, place) for place, weight in enumerate(weights) if weight)
                raise new
            chance *= weights[turn] / sum(weights)
            return turn

        monkeypatch.setattr(
            subset_draw, "choose", lambda odds, _, branch=branch: branch([*map(float, odds(128))])
        )
        monkeypatch.setattr(
            subset_draw, "random_below", lambda bound, _, branch=branch: branch([1] * bound)
        )
        try:
            places = tuple(draw_subset(np.array(scores), count, scale=Fraction(scale)))
        except NewBranchError:
            continue
        chances[places] += chance
    return chances


CASES = [
    ((5, 3, 3, 0), 2, 2),
    ((7, 7, 7, 7, 7), 3, 1),
    ((9, 2, 2, 2, 1, 0), 1, 3),
    ((0, 4, 1, 4, 2, 2), 4, 2),
    ((3, -8, 5, 6, -8, 1, 1), 3, 5),
]


@pytest.mark.parametrize(("scores", "count", "scale"), CASES)
def test_every_set_has_the_chance_of_its_definition(scores, count, scale, monkeypatch):
    drawn = law(scores, count, scale, monkeypatch)
    wanted = by_definition(scores, count, scale)
    assert drawn.keys() == wanted.keys()
    for places, chance in wanted.items():
        assert drawn[places] == pytest.approx(chance, rel=1e-12)
    if len(set(scores)) > 1 and count > 1:  # control: the mean outside is another law
        other = by_definition(scores, count, scale, lambda rest: sum(rest) / len(rest))
        assert max(abs(drawn[places] - other[places]) for places in other) > 0.01


def test_far_scores_and_few_candidates():
    assert draw_subset(np.array([10**15, 3, 10**16, 5]), 2, scale=Fraction(1)) == [0, 2]
    huge = np.array([10**40, 0, -(10**40)], dtype=object)
    assert draw_subset(huge, 1, scale=Fraction(1, 7)) == [0]
    assert draw_subset(np.array([4, 2]), 3, scale=Fraction(1)) == [0, 1]
    assert draw_subset(np.array([], dtype=np.int64), 3, scale=Fraction(1)) == []


def test_a_choice_is_certain_or_waits_for_more_bits():
    asked = []

    def odds(precision):
        asked.append(precision)
        with ctx.workprec(precision):
            return [arb(1) / 3, arb(1) / 3, arb(0), arb(1) / 3]

    third = (1 << 64) // 3  # the first word is the last below a third: both may be
    words = iter([third, 0])
    assert choose(odds, lambda _: next(words).to_bytes(8, "little")) == 0
    assert len(asked) == 2
    words = iter([third, (1 << 64) - 1])
    assert choose(odds, lambda _: next(words).to_bytes(8, "little")) == 1
    for word, place in ((0, 0), (third + 1, 1), (2 * third + 2, 3), ((1 << 64) - 1, 3)):
        assert choose(odds, lambda _, word=word: word.to_bytes(8, "little")) == place
