"""Exact draws against exact probabilities, by chi-square, at full words and at three bits.

Sources are seeded, so each test gives one p-value for ever. A p-value below 1e-6 is a failure: that
was the chance of a false alarm when the seed was chosen. Each test has a control, a twin broken on
purpose or a law slightly off, which the same chi-square must reject at the same level.
"""

from collections import Counter
from fractions import Fraction
from itertools import pairwise

import mpmath
import numpy as np
import pytest

from overbar.noise import Exponential, Gumbel, Laplace
from overbar.sampling import bernoulli, threshold
from overbar.sampling.bernoulli import draw_positive, noise_table
from overbar.sampling.entropy import random_below, random_bits
from overbar.sampling.threshold import discrete_gaussian, discrete_laplace
from tests.reference import sampling as reference
from tests.reference.sampling import positives_at, race, runner_at

pytestmark = pytest.mark.one_in(3)

LEVEL = 1e-6
ONE = Fraction(1)
NOISES = (Exponential, Laplace, Gumbel)
GAPS = (-4, 0, 1, 3, 8, 20)


def chance(noise, gap):
    return float(reference.survival(noise, ONE, gap))


def count_vector(noise, word_bits, seed, draws=40_000):
    """How many of `draws` were positive at each gap, mixed in one array."""
    source = reference.seeded(seed)
    gaps = np.tile(GAPS, draws)
    found = positives_at(gaps, noise_table(noise, ONE, word_bits), source)
    return draws, np.bincount(found % len(GAPS), minlength=len(GAPS))


def count_scalar(noise, word_bits, seed, draws=4000):
    source, table = reference.seeded(seed), noise_table(noise, ONE, word_bits)
    return draws, [sum(draw_positive(gap, table, source) for _ in range(draws)) for gap in GAPS]


def bernoulli_p_value(noise, counted):
    """Chi-square over all gaps; a gap with chance 1 must give positives only."""
    draws, counts = counted
    counts = dict(enumerate(counts))
    statistic, cells = 0.0, 0
    for place, gap in enumerate(GAPS):
        p = chance(noise, gap)
        if p == 1:
            assert counts[place] == draws
            continue
        statistic += (counts[place] - draws * p) ** 2 / (draws * p * (1 - p))
        cells += 1
    return float(reference.stats.chi2.sf(statistic, cells))


@pytest.mark.parametrize("kind", NOISES)
@pytest.mark.parametrize("word_bits", [3, 16])
@pytest.mark.parametrize("count", [count_vector, count_scalar])
def test_positives_have_chance_s(kind, word_bits, count):
    noise = kind(5)
    assert bernoulli_p_value(noise, count(noise, word_bits, 11)) > LEVEL
    # Control: a scale 30 % larger is another law.
    assert bernoulli_p_value(kind(Fraction(13, 2)), count(noise, word_bits, 11)) < LEVEL


@pytest.mark.parametrize("kind", NOISES)
@pytest.mark.parametrize("verdict", [True, False])
@pytest.mark.parametrize("count", [count_vector, count_scalar])
def test_without_refinement_three_bits_are_caught(kind, verdict, count, monkeypatch):
    """Broken twin: an undecided word is answered at once."""
    monkeypatch.setattr(bernoulli, "settle", lambda *_: verdict)
    assert bernoulli_p_value(kind(5), count(kind(5), 3, 11)) < LEVEL


def test_neighbours_in_a_batch_are_independent():
    draws, p = 200_000, chance(Gumbel(5), 3)
    found = positives_at(np.full(draws, 3), noise_table(Gumbel(5), ONE), reference.seeded(2))
    answers = np.zeros(draws, dtype=int)
    answers[found] = 1
    pairs = Counter((2 * answers[0::2] + answers[1::2]).tolist())
    law = {0: (1 - p) ** 2, 1: p * (1 - p), 2: p * (1 - p), 3: p * p}
    assert reference.p_value(pairs, law, draws // 2) > LEVEL
    # Control: an answer that repeats its neighbour's 5 % of the time.
    repeat = np.random.default_rng(0).random(draws // 2) < 0.05
    answers[1::2] = np.where(repeat, answers[0::2], answers[1::2])
    pairs = Counter((2 * answers[0::2] + answers[1::2]).tolist())
    assert reference.p_value(pairs, law, draws // 2) < LEVEL


# Rounds ---------------------------------------------------------------------------------------


def round_bins(noise, gap, cells=12):
    """Ends of bins of G that are about equally likely, and their exact probabilities."""
    with mpmath.workdps(60):
        h = reference.hazard(noise, ONE, gap)
        levels = [1 - mpmath.mpf(j) / cells for j in range(1, cells)]
        ends = sorted({int(mpmath.ceil(-mpmath.log(level) / h)) for level in levels})
        beyond = [mpmath.mpf(1), *(mpmath.exp(-h * end) for end in ends), mpmath.mpf(0)]
        return ends, {i: float(a - b) for i, (a, b) in enumerate(pairwise(beyond))}


@pytest.mark.parametrize("kind", NOISES)
@pytest.mark.parametrize("word_bits", [3, 64])
@pytest.mark.parametrize("gap", [9, 207, 691])
def test_rounds_are_geometric(kind, word_bits, gap):
    """Chances of about e^-0.9, 1e-9 and 1e-30; G binned by exact quantiles."""
    noise, draws = kind(10), 1500
    source = reference.seeded(gap + word_bits)
    ends, law = round_bins(noise, gap)
    rounds = []
    for _ in range(draws):
        word = random_bits(word_bits, source)
        one = runner_at(gap, 0, noise=noise, grid=ONE, source=source, word=word, bits=word_bits)
        rounds.append(one.round)
    binned = Counter(sum(g > end for end in ends) for g in rounds)
    assert reference.p_value(binned, law, draws) > LEVEL
    # Control: three steps nearer, a chance about a third larger.
    ends, law = round_bins(noise, gap - 3)
    binned = Counter(sum(g > end for end in ends) for g in rounds)
    assert reference.p_value(binned, law, draws) < LEVEL


FIELD = (6, 9, 2, -2, 0)  # for exponential noise the last two are certain


def outcomes(noise, gaps, count, rounds, runs, seed, word_bits, positions="given"):
    source = reference.seeded(seed)
    found = Counter()
    for _ in range(runs):
        winners = race(
            np.array(gaps),
            count=count,
            noise=noise,
            grid=ONE,
            rounds=rounds,
            positions=positions,
            source=source,
            word_bits=word_bits,
        )
        found[tuple((one.round, one.position) for one in winners)] += 1
    return found


@pytest.mark.parametrize("kind", NOISES)
@pytest.mark.parametrize("word_bits", [3, 64])
@pytest.mark.parametrize(("count", "rounds"), [(2, 3), (4, 2)])
def test_race_has_the_law_of_the_loop(kind, word_bits, count, rounds):
    """Joint law of (round, index) of all positives, against a walk through the comparisons."""
    noise, runs = kind(6), 800
    law = reference.loop_law([chance(noise, gap) for gap in FIELD], count, rounds)
    found = outcomes(noise, FIELD, count, rounds, runs, 7, word_bits)
    assert reference.p_value(found, law, runs) > LEVEL
    # Control: every gap two steps wider.
    law = reference.loop_law([chance(noise, gap + 2) for gap in FIELD], count, rounds)
    assert reference.p_value(found, law, runs) < LEVEL


def test_a_round_too_many_is_caught():
    """Broken twin: the limit is off by one. Short runs, so that limits matter."""
    noise, runs, gaps = Gumbel(6), 800, (9, 12, 15)
    law = reference.loop_law([chance(noise, gap) for gap in gaps], 2, 2)
    assert reference.p_value(outcomes(noise, gaps, 2, 2, runs, 9, 64), law, runs) > LEVEL
    assert reference.p_value(outcomes(noise, gaps, 2, 3, runs, 9, 64), law, runs) < LEVEL


def test_ties_in_the_wrong_order_are_caught():
    """Broken twin: the last in the queue wins a tie."""
    noise, runs, gaps = Laplace(6), 800, (3, 3, 3)
    law = reference.loop_law([chance(noise, gap) for gap in gaps], 2, 3)
    assert reference.p_value(outcomes(noise, gaps, 2, 3, runs, 8, 64), law, runs) > LEVEL
    backwards = outcomes(noise, gaps, 2, 3, runs, 8, 64, positions=np.array([2, 1, 0]))
    relabelled = Counter()
    for outcome, times in backwards.items():
        relabelled[tuple((g, 2 - position) for g, position in outcome)] += times
    assert reference.p_value(relabelled, law, runs) < LEVEL


@pytest.mark.parametrize("kind", [Laplace, Gumbel])
def test_unlimited_race_of_far_gaps_is_peeling(kind):
    """With all gaps far out the first winner has chance H_i / sum H: the exponential mechanism."""
    noise, runs = kind(6), 1500
    gaps = np.repeat([3000, 3004, 3008, 3015], [1, 2, 4, 60])
    weights = [float(reference.hazard(noise, ONE, gap) * mpmath.exp(500)) for gap in gaps.tolist()]
    law = dict(enumerate(np.array(weights) / sum(weights)))
    source = reference.seeded(12)
    found = Counter(
        race(gaps, count=1, noise=noise, grid=ONE, source=source)[0].position for _ in range(runs)
    )
    assert reference.p_value(found, law, runs) > LEVEL
    # Control: peeling at a scale of 12.
    weights = np.exp(-(gaps - 3000) / 12)
    assert reference.p_value(found, dict(enumerate(weights / weights.sum())), runs) < LEVEL


def test_sieved_race_has_the_right_winners():
    """Thousands of candidates, so that the sieve is at work: the winners' gaps against peeling."""
    noise, runs = Gumbel(6), 400
    generator = np.random.default_rng(1)
    gaps = generator.integers(600, 700, 30_000)
    weights = np.bincount(gaps, minlength=700) * np.exp(-(np.arange(700) - 600) / 6)
    source = reference.seeded(13)
    found = Counter()
    for _ in range(runs):
        for one in race(gaps, count=5, noise=noise, grid=ONE, source=source):
            found[int(gaps[one.position]) // 8] += 1
    # Five winners of 30,000 are drawn all but independently.
    law = {i: weights[8 * i : 8 * i + 8].sum() / weights.sum() for i in range(75, 88)}
    assert reference.p_value(found, law, 5 * runs) > LEVEL
    weights = np.bincount(gaps, minlength=700) * np.exp(-(np.arange(700) - 600) / 8)
    law = {i: weights[8 * i : 8 * i + 8].sum() / weights.sum() for i in range(75, 88)}
    assert reference.p_value(found, law, 5 * runs) < LEVEL


# Threshold noise and shuffles -----------------------------------------------------------------


def laplace_law(rate, size=400):
    y = np.exp(-rate)
    return {k: (1 - y) / (1 + y) * y ** abs(k) for k in range(-size, size + 1)}


@pytest.mark.parametrize(("scale", "grid"), [("3", "1"), ("1/3", "1"), ("5", "1/2")])
@pytest.mark.parametrize("far", [100, 1])
def test_discrete_laplace_has_its_law(scale, grid, far, monkeypatch):
    """With `far` = 1 the digits end early and the rare tail of the procedure becomes common."""
    monkeypatch.setattr(threshold, "FAR", far)
    threshold._digit_bounds.cache_clear()
    scale, grid, source, draws = Fraction(scale), Fraction(grid), reference.seeded(21), 8000
    found = Counter(discrete_laplace(scale, grid, source) for _ in range(draws))
    threshold._digit_bounds.cache_clear()
    assert reference.p_value(found, laplace_law(float(grid / scale)), draws) > LEVEL
    # Control: a scale 20 % larger.
    assert reference.p_value(found, laplace_law(float(grid / scale) / 1.2), draws) < LEVEL


@pytest.mark.parametrize(("sigma", "grid"), [("1/2", "1"), ("4", "1"), ("2", "1/3")])
def test_discrete_gaussian_has_its_law(sigma, grid):
    sigma, grid, source, draws = Fraction(sigma), Fraction(grid), reference.seeded(22), 4000
    found = Counter(discrete_gaussian(sigma, grid, source) for _ in range(draws))

    def law(width):
        steps = np.arange(-200, 201)
        mass = np.exp(-((steps * float(grid)) ** 2) / (2 * width**2))
        return dict(zip(steps.tolist(), mass / mass.sum(), strict=True))

    assert reference.p_value(found, law(float(sigma)), draws) > LEVEL
    assert reference.p_value(found, law(float(sigma) * 1.15), draws) < LEVEL


def test_random_below_is_uniform():
    source, draws = reference.seeded(24), 5000
    law = dict.fromkeys(range(5), 0.2)
    assert (
        reference.p_value(Counter(random_below(5, source) for _ in range(draws)), law, draws)
        > LEVEL
    )
    # Broken twin: what does not fit is folded in.
    bent = Counter(random_bits(3, source) % 5 for _ in range(draws))
    assert reference.p_value(bent, law, draws) < LEVEL
