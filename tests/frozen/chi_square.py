"""One test for counted outcomes against exact probabilities, and the level it is used at."""

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
