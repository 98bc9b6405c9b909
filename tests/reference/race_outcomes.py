"""All outcomes of a small race over a bare threshold with their chances: loops over rounds."""

from __future__ import annotations

import itertools
import math
from collections import Counter


def first_rounds(hazard, rounds):
    """P(G = r) for r up to `rounds`, and P(G > rounds) for the round after."""
    chances = {r: math.exp(-(r - 1) * hazard) - math.exp(-r * hazard) for r in range(1, rounds + 1)}
    return chances | {rounds + 1: math.exp(-rounds * hazard)}


def race_outcomes(hazards, cutoff, rounds):
    """Who turns positive in which round: the first `cutoff` by (round, place), with chances."""
    found = Counter()
    for drawn in itertools.product(*(first_rounds(h, rounds).items() for h in hazards)):
        order = sorted((r, place) for place, (r, _) in enumerate(drawn) if r <= rounds)
        found[tuple(order[:cutoff])] += math.prod(chance for _, chance in drawn)
    return found


def asked_forever(hazard, cutoff, rounds):
    """The same for one query that is asked again after a positive, as in an online run."""
    found = Counter()
    positive = -math.expm1(-hazard)

    def go(round_, so_far, chance):
        if len(so_far) == cutoff or round_ > rounds:
            found[so_far] += chance
            return
        go(round_ + 1, (*so_far, round_), chance * positive)
        go(round_ + 1, so_far, chance * (1 - positive))

    go(1, (), 1.0)
    return found
