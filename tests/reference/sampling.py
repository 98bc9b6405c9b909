"""Exact draws, slowly: 80 digits and plain loops, on the same bits as the fast ones.

A source here is seeded, so that a test sees the same bits each time. Releases never are.
"""

from __future__ import annotations

from fractions import Fraction

import mpmath
import numpy as np
from scipy import stats

from overbar.noise import Exponential, Gumbel, Laplace
from overbar.sampling.bernoulli import positives_above
from overbar.sampling.entropy import system
from overbar.sampling.integers import whole_numbers
from overbar.sampling.race import race_above
from overbar.sampling.runner import Course, Runner

DIGITS = 80


def race_in_order(scores, base, *, positions="given", **how):
    """A race in the order given; or with these positions, or random ones."""
    order = np.arange(len(scores)) if isinstance(positions, str) else positions
    return race_above(scores, base, positions=order, **how)


def race(gaps, **how):
    """A race by gaps: -1 - ~gap = gap, without overflow."""
    return race_in_order(~whole_numbers(gaps), -1, **how)


def runner_at(gap, position=0, *, noise, grid=1, source=system, **known):
    """A runner that is alone on its course."""
    return Runner(Course(noise, Fraction(grid), source), gap, position, **known)


def positives_at(gaps, *how):
    """The places of the positive answers by gaps, drawn as releases draw them."""
    return positives_above(~whole_numbers(gaps), -1, *how)


def seeded(seed):
    """A source of bytes that is the same on every run: those of a generator's `bytes`, sooner."""
    raw = np.random.default_rng(seed).bit_generator.random_raw
    stock, place = b"", 0

    def source(count):
        nonlocal stock, place
        used = 4 * max(1, -(-count // 4))  # no word of 32 bits serves two requests
        if place + used > len(stock):
            stock, place = stock[place:] + raw(max(64, used)).tobytes(), 0
        place += used
        return stock[place - used : place - used + count]

    return source


def seed_releases(monkeypatch, seed):
    """Have releases draw from a seed, so that what is drawn is the same on every run."""
    from overbar.frames import contributions, key_search
    from overbar.runs import batch, many_runs, online, requeue

    source = seeded(seed)
    for module in (batch, online, many_runs, requeue, contributions, key_search):
        monkeypatch.setattr(module, "system", source)


def digits_for(noise, grid, gap):
    """Enough digits for gap · grid / scale to keep DIGITS after the point."""
    return DIGITS + len(str(abs(int(gap)))) + len(str(int(grid / noise.scale) + 1))


def unit(noise, grid, gap):
    z = Fraction(int(gap)) * grid / noise.scale
    return mpmath.mpf(z.numerator) / z.denominator


def survival(noise, grid, gap):
    """S = P(V >= gap · grid)."""
    with mpmath.workdps(digits_for(noise, grid, gap)):
        z = unit(noise, grid, gap)
        if isinstance(noise, Exponential):
            return mpmath.exp(-z) if z > 0 else mpmath.mpf(1)
        if isinstance(noise, Laplace):
            return mpmath.exp(-z) / 2 if z >= 0 else 1 - mpmath.exp(z) / 2
        assert isinstance(noise, Gumbel)
        if z < -15:
            return mpmath.mpf(1)  # short of 1 by e^(-e^15), which no test's bits can tell
        return -mpmath.expm1(-mpmath.exp(-z))


def hazard(noise, grid, gap):
    """H = -ln(1 - S); only for S < 1."""
    with mpmath.workdps(digits_for(noise, grid, gap)):
        z = unit(noise, grid, gap)
        if isinstance(noise, Gumbel):
            return mpmath.exp(-z)
        if isinstance(noise, Laplace) and z < 0:
            return -mpmath.log(mpmath.exp(z) / 2)
        return -mpmath.log1p(-survival(noise, grid, gap))


def cut(noise, grid, level):
    """The last gap with S >= level, for a Fraction 0 < level < 1, by bisection on the gap."""
    with mpmath.workdps(400):
        target = mpmath.mpf(level.numerator) / level.denominator

        def holds(gap):
            return survival(noise, grid, gap) >= target

        low, high = -1, 1
        while not holds(low):
            low *= 2
        while holds(high):
            high *= 2
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if holds(middle) else (low, middle)
        return low


def take_bits(count, source):
    length = (count + 7) // 8
    return int.from_bytes(source(length), "little") >> (8 * length - count)


def positive(gap, noise, grid, source, word=0, bits=0, first=16):
    """U < S, U revealed by `first` bits and then 64 at a time, until an interval decides."""
    word, bits = word << first | take_bits(first, source), bits + first
    chance = survival(noise, grid, gap)
    with mpmath.workdps(4 * DIGITS):
        while True:
            if word + 1 <= chance * 2**bits:
                return True
            if word >= chance * 2**bits:
                return False  # U >= S whatever follows
            word, bits = word << 64 | take_bits(64, source), bits + 64


def positives(gaps, noise, grid, source, word_bits=16):
    """Half a word for all, the other half for those it leaves open, 64 bits for the rest."""
    first = word_bits // 2
    rest = word_bits - first
    width = 1 if first <= 8 else 2
    raw = source(width * len(gaps)) if first else bytes(len(gaps))
    glance = [
        int.from_bytes(raw[width * i : width * i + width], "little") >> (8 * width - first)
        for i in range(len(gaps))
    ]
    chances = [survival(noise, grid, gap) for gap in gaps]
    with mpmath.workdps(4 * DIGITS):
        levels = [chance * 2**first for chance in chances]
        found = [i for i in range(len(gaps)) if glance[i] + 1 <= levels[i]]
        left = [i for i in range(len(gaps)) if glance[i] < levels[i] < glance[i] + 1]
        width = 1 if rest <= 8 else 2
        raw = source(width * len(left))
        words = {}
        for place, i in enumerate(left):
            low = int.from_bytes(raw[width * place : width * place + width], "little")
            words[i] = glance[i] << rest | low >> (8 * width - rest)
        for i in left:
            level = chances[i] * 2**word_bits
            undecided = words[i] < level < words[i] + 1
            answer = words[i] + 1 <= level
            if undecided:
                answer = positive(gaps[i], noise, grid, source, words[i], word_bits, 64)
            if answer:
                found.append(i)
    return sorted(found)


def rounds_of(gaps, noise, grid, source):
    """G for each gap: 8 bits of V for all, then 56 more for all; enough for all but ties."""
    top = source(len(gaps))
    low = source(8 * len(gaps))
    found = []
    for i, gap in enumerate(gaps):
        word = top[i] << 56 | int.from_bytes(low[8 * i : 8 * i + 8], "little") >> 8
        if isinstance(noise, Exponential) and gap <= 0:
            found.append(1)
            continue
        with mpmath.workdps(DIGITS):
            h = hazard(noise, grid, gap)
            ends = [-mpmath.log1p(-mpmath.mpf(v) / 2**64) / h for v in (word, word + 1)]
            g = {max(1, int(mpmath.ceil(end))) for end in ends}
        assert len(g) == 1, "the seed leaves a round open; take another"
        found.append(g.pop())
    return found


def loop_law(chances, count, rounds):
    """The law of a run with appending, by walking through its comparisons one by one.

    Returns a dict from the tuple of (round, index) of the positives, in order, to its probability.
    """
    law = {}

    def walk(round_, index, positives, probability):
        if len(positives) == count or round_ > rounds or probability == 0:
            law[positives] = law.get(positives, 0) + probability
            return
        if index == len(chances):
            walk(round_ + 1, 0, positives, probability)
            return
        if any(index == i for _, i in positives):
            walk(round_, index + 1, positives, probability)
            return
        chance = chances[index]
        walk(round_, index + 1, (*positives, (round_, index)), probability * chance)
        walk(round_, index + 1, positives, probability * (1 - chance))

    walk(1, 0, (), 1.0)
    return {outcome: probability for outcome, probability in law.items() if probability > 0}


def p_value(counts, probabilities, draws):
    """Chi-square of counts (a dict) against exact probabilities; cells below 5 are pooled."""
    observed, expected, rest = [], [], [0.0, 0.0]
    for outcome, probability in probabilities.items():
        cell = (counts.get(outcome, 0), probability * draws)
        if cell[1] >= 5:
            observed.append(cell[0])
            expected.append(cell[1])
        else:
            rest = [rest[0] + cell[0], rest[1] + cell[1]]
    surprise = draws - sum(observed) - rest[0]  # outcomes of probability zero
    if surprise:
        return 0.0
    statistic = sum((o - e) ** 2 / e for o, e in zip(observed, expected, strict=True))
    cells = len(observed)
    if rest[1] >= 1e-12:
        statistic += (rest[0] - rest[1]) ** 2 / max(rest[1], 1.0)
        cells += 1
    return float(stats.chi2.sf(statistic, cells - 1))
