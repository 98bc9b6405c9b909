"""χ² for outcomes against exact probabilities, or against others, and the level it is used at."""

import os
from collections import Counter

import numpy as np
from scipy import stats

#: Chance that one sound test fails. There are fewer than a hundred of them, with fixed seeds.
FALSE_ALARM = 1e-6
#: A test run makes about as many runs as the controls need, `make campaign NAME=laws` many more.
MORE = int(os.environ.get("OVERBAR_LAWS", "1"))


def p_value(outcomes, probabilities):
    """Return the p-value of observed outcomes; rare outcomes are pooled to an expected five."""
    counts = Counter(outcomes)
    total = sum(counts.values())
    unexpected = set(counts) - set(probabilities)
    if unexpected:
        return 0.0
    rows = sorted((total * p, counts[outcome]) for outcome, p in probabilities.items())
    expected, observed = map(np.array, zip(*rows, strict=True))
    rare = int(np.searchsorted(np.cumsum(expected), 5.0)) + 1
    expected = np.append(expected[rare:], expected[:rare].sum())
    observed = np.append(observed[rare:], observed[:rare].sum())
    keep = expected > 0
    expected, observed = expected[keep], observed[keep]
    statistic = float(((observed - expected) ** 2 / expected).sum())
    return float(stats.chi2.sf(statistic, len(expected) - 1))


def two_samples(first, second):
    """Return the p-value of two samples having one law; rare outcomes are pooled."""
    counts = [Counter(sample) for sample in (first, second)]
    common = [key for key in counts[0] | counts[1] if sum(count[key] for count in counts) >= 10]
    table = [[count[key] for key in common] for count in counts]
    rest = [sum(count.values()) - sum(row) for count, row in zip(counts, table, strict=True)]
    if sum(rest) >= 10:
        table = [[*row, other] for row, other in zip(table, rest, strict=True)]
    return stats.chi2_contingency(table).pvalue if len(table[0]) > 1 else 1.0
