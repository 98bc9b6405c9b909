"""Precision, recall, F1 and NCR of one run by averaging over every way to break ties. Slow."""

from itertools import pairwise, permutations


def rankings(scores):
    """Every order from the highest score to the lowest; equals in every order."""
    everyone = range(len(scores))
    return [
        order
        for order in permutations(everyone)
        if all(scores[a] >= scores[b] for a, b in pairwise(order))
    ]


def best_hits(selected, scores, cutoff, threshold):
    """How many are right under the tie-break that suits the selection best; and how many could be.

    Any choice among equals is equally right.
    """
    hits, size = [], 0
    for order in rankings(scores):
        right = {i for i in order[:cutoff] if scores[i] >= threshold}
        hits.append(len(right & set(selected)))
        size = len(right)
    return max(hits), size


def rank_points(selected, scores, cutoff, threshold):
    """Sum of rank scores, by walking down the ranking group by group."""
    total, place = 0.0, 0
    for value in sorted(set(scores), reverse=True):
        group = [i for i, score in enumerate(scores) if score == value]
        inside = [cutoff - p for p in range(place, place + len(group)) if p < cutoff]
        taken = min(len(inside), sum(i in group for i in selected))
        if inside and value >= threshold:
            total += taken * sum(inside) / len(inside)
        place += len(group)
    return total
