"""All outcomes of keys with counts in small tables: within the claim, and broken twins are not."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import pytest

from overbar.errors import NoGuaranteeError
from overbar.mechanisms import CountNoise, OneKeyPlan
from overbar.mechanisms.key_values import counts_epsilon, counts_variance
from overbar.mechanisms.one_key import BITS, chances
from overbar.noise import Gaussian, Laplace
from overbar.planning.key_counts import gaussian_counts, laplace_counts
from overbar.planning.key_rounds import set_union
from overbar.privacy import guarantee
from overbar.privacy.guarantees import proved_about
from tests.reference.set_union import CountedSearch, counted_excess

EPSILON, DELTA = 2, Fraction("0.2")


def search_of(union, kind=CountedSearch):
    return kind(union.rounds, union.items_per_person, union.at_least, (), union.count_noise)


def claim(union, epsilon):
    return guarantee(union).delta(epsilon)


def neighbours(held):
    for others in itertools.combinations_with_replacement(held, 2):
        for own in held:
            table = dict(enumerate(map(set, others)))
            yield table, table | {"me": set(own)}


@pytest.mark.parametrize("items", [1, 2])
@pytest.mark.parametrize("share", ["1/4", "9/10"])
def test_no_small_table_exceeds_the_claim(items, share):
    union = set_union(
        EPSILON, DELTA, items_per_person=items, rounds=1, counts_share=Fraction(share)
    )
    search, worst = search_of(union), 0.0
    for tables in neighbours(["a", "b", "ab"]):
        laws = [search.counted_outcomes(table) for table in tables]
        assert sum(map(np.sum, laws[0].values())) == pytest.approx(1, abs=1e-9)
        for epsilon in (0.0, 1.0, EPSILON):
            found = counted_excess(*laws, epsilon)
            assert found <= claim(union, epsilon) * (1 + 1e-9) + 1e-9
            worst = max(worst, found / claim(union, epsilon))
    assert worst > 0.5  # it is not idle


# Everything else: one person with many keys that nobody else has and that do not come out


def rest_alone(search, items, epsilon):
    """A bound from below on δ at ε: the answers in which no key came out.

    They are as likely with the person as without but for a factor that is computed.
    """
    me = {"me": {f"key {n}" for n in range(items)}}
    none = frozenset()
    laws = []
    for table in ({}, me):
        silent = search.outcomes(table)[none]
        ((_, rest, _),) = search.pairs(table, none)
        laws.append({none: silent * search.told(search.noise.rest, rest)})
    return counted_excess(*laws, epsilon, only=none)


@dataclass(frozen=True)
class RestOfOne(CountedSearch):
    """Everything else has the noise of a count, as if one person put one into it."""

    def told(self, noise, mean):
        return super().told(self.noise.each, mean)


@dataclass(frozen=True)
class HalfPaid(CountedSearch):
    """Noise for twice the budget that was set aside."""

    def told(self, noise, mean):
        return super().told(Gaussian(noise.scale * Fraction(5, 7)), mean)


@dataclass(frozen=True)
class BoundedTwice(CountedSearch):
    """So many pairs of each person at keys that are out, and as many at others."""

    def pairs(self, table, out):
        for inside, _, likely in super().pairs({p: k & out for p, k in table.items()}, out):
            rest = sum(min(self.items, len(keys - out)) for keys in table.values())
            yield inside, rest, likely


@pytest.mark.parametrize(
    ("kind", "caught"), [(CountedSearch, False), (RestOfOne, True), (HalfPaid, True)]
)
def test_everything_else_moves_by_all_that_a_person_keeps(kind, caught):
    share = Fraction(99, 100)
    union = set_union(EPSILON, "0.05", items_per_person=6, rounds=1, counts_share=share)
    found = rest_alone(search_of(union, kind), 6, EPSILON)
    assert (found > claim(union, EPSILON)) == caught
    assert found > 0.2 * claim(union, EPSILON)


@pytest.mark.parametrize(("kind", "caught"), [(CountedSearch, False), (BoundedTwice, True)])
def test_a_limit_for_each_part_is_caught(kind, caught):
    """Two keys that surely come out, and two that surely do not; everybody may keep two."""
    union = set_union(EPSILON, "0.05", items_per_person=2, rounds=1, counts_share=Fraction(99, 100))
    search = search_of(union, kind)
    out, laws = frozenset("ab"), []
    for count in (0, 1):
        table = {person: set("abcd") for person in range(count)}
        total = 0.0
        for inside, rest, likely in search.pairs(table, out):
            joint = likely * search.told(search.noise.rest, rest)
            for mean in inside:
                joint = np.multiply.outer(search.told(search.noise.each, mean), joint)
            total = total + joint
        laws.append({out: total})
    assert (counted_excess(*laws, EPSILON) > proved_about(union).delta(EPSILON)) == caught


# One key of each person: Laplace noise


def one_key_law(union, table):
    """{keys: chances of the counts}; everybody holds one key."""
    search, law = CountedSearch((), 1, noise=union.count_noise), {}
    held = sorted({key for keys in table.values() for key in keys})
    counts = [sum(key in keys for keys in table.values()) for key in held]
    rising = chances(union)
    likely_out = [rising[min(n, len(rising) - 1)] / 2**BITS for n in counts]
    for which in itertools.product((True, False), repeat=len(held)):
        out = frozenset(key for key, passed in zip(held, which, strict=True) if passed)
        likely = np.prod(
            [c if passed else 1 - c for c, passed in zip(likely_out, which, strict=True)]
        )
        rest = sum(n for key, n in zip(held, counts, strict=True) if key not in out)
        joint = likely * search.told(union.count_noise.rest, rest)
        for key, n in zip(reversed(held), reversed(counts), strict=True):
            if key in out:
                joint = np.multiply.outer(search.told(union.count_noise.each, n), joint)
        law[out] = joint
    return law


@pytest.mark.parametrize(
    ("scale", "caught"), [(Fraction(1), False), (Fraction(1, 2), True)], ids=["as is", "half"]
)
def test_one_key_of_each_person_with_counts(scale, caught):
    share, delta = Fraction(1, 2), Fraction("0.05")
    union = OneKeyPlan(EPSILON * (1 - share), delta, count_noise=laplace_counts(EPSILON * share, 1))
    noise = replace(union.count_noise, each=Laplace(union.count_noise.each.scale * scale))
    broken = replace(union, count_noise=noise)
    found = 0.0
    for without, with_me in neighbours(["a", "b"]):
        laws = [one_key_law(broken, table) for table in (without, with_me)]
        found = max(found, counted_excess(*laws, EPSILON))
    assert proved_about(union).at() == EPSILON
    assert (found > float(delta) * (1 + 1e-9)) == caught


# What is claimed is read off the noise


def test_a_claim_is_computed_from_both_noises():
    noise = gaussian_counts(Fraction(9), 4)
    wide = replace(noise, rest=Gaussian(noise.each.scale * 20))
    narrow = replace(noise, rest=noise.each)
    assert counts_variance(noise, 4) == pytest.approx(9)
    assert counts_variance(wide, 4) == counts_variance(noise, 4)
    assert float(counts_variance(narrow, 4)) == pytest.approx(9 / 4)
    laplace = laplace_counts(Fraction(1, 2), 3)
    assert counts_epsilon(laplace, 3) == Fraction(1, 2)
    assert counts_epsilon(replace(laplace, rest=Laplace(3)), 3) == 1
    mixed = CountNoise(noise.each, laplace.rest, 1)
    for cost, wrong in (
        (counts_epsilon, noise),
        (counts_variance, laplace),
        (counts_variance, mixed),
    ):
        with pytest.raises(NoGuaranteeError):
            cost(wrong, 3)


@pytest.mark.parametrize("items", [1, 5, 100])
@pytest.mark.parametrize("epsilon", ["0.01", "1", "1000"])
def test_counts_keep_the_budget(items, epsilon):
    asked = {"items_per_person": items, "rounds": 2}
    union = set_union(epsilon, "1e-6", **asked, counts_share=Fraction(1, 4))
    assert 0.999e-6 < claim(union, epsilon) <= 1e-6
    without = set_union(epsilon, "1e-6", **asked, by_bits=False)
    wider = union.rounds[0].sigma / without.rounds[0].sigma
    assert float(wider) == pytest.approx((4 / 3) ** 0.5, rel=1e-4)
