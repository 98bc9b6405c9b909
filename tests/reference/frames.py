"""Scores of items, slowly: plain dictionaries, fractions and one person at a time."""

from __future__ import annotations

import hashlib
import math
from collections import Counter, defaultdict
from fractions import Fraction


def pairs_of(rows):
    """Return {person: {item: values}}; rows without an item or a person are dropped."""
    held = defaultdict(lambda: defaultdict(list))
    for item, person, *value in rows:
        if item is not None and person is not None:
            held[person][item].extend(value)
    return held


def kept(person, items, most, key):
    """Return the items of one person that count: those with the smallest numbers."""

    def number(item):
        names = [str(name).lower() if isinstance(name, bool) else name for name in (person, item)]
        digest = hashlib.md5("{}|{}|{}".format(key, *names).encode()).digest()
        return int.from_bytes(digest, "little")

    return sorted(items, key=number)[:most]


def one_text(parts):
    """Return a combination as one text: no sign of a part is taken for the slash between two."""
    codes = {"~": "~0", "/": "~1"}
    return "/".join("".join(codes.get(sign, sign) for sign in str(part)) for part in parts)


def counts(rows, most=None, key=None, listed=None):
    """Return how many persons have each item."""
    found = Counter()
    for person, held in pairs_of(rows).items():
        items = [item for item in held if listed is None or item in listed]
        found.update(items if most is None else kept(person, items, most, key))
    return dict(found)


def sums(rows, low, high, grid, most=None, key=None, exactly=Fraction):
    """Return clamped sums in grid steps; values that are missing count as zero."""
    found = Counter()
    for person, held in pairs_of(rows).items():
        for item in held if most is None else kept(person, list(held), most, key):
            total = sum(
                (exactly(v) for v in held[item] if v is not None and not math.isnan(v)),
                Fraction(0),
            )
            clamped = min(max(total, Fraction(low)), Fraction(high))
            found[item] += math.floor(clamped / grid + Fraction(1, 2))
    return dict(found)


def fine_digits(low, high):
    """Return how many digits after the point count in sums: the range has 2^36 steps at most."""
    largest = max(abs(Fraction(low)), abs(Fraction(high)))
    digits = 0
    while largest * Fraction(10) ** digits <= 2**36:
        digits += 1
    while largest * Fraction(10) ** digits > 2**36:
        digits -= 1
    return digits


def in_fine_steps(value, digits):
    """Return what a float counts: a whole number of steps of 10 to the minus `digits`.

    A product, or quotient, and a sum are rounded to floats on the way, each once.
    """
    limit = 2**61
    if math.isinf(value):
        steps = math.copysign(limit, value)
    else:
        power = Fraction(float(10 ** abs(digits)))
        exact = Fraction(value) * power if digits >= 0 else Fraction(value) / power
        steps = float(min(max(exact, -limit), limit))
    return math.floor(float(Fraction(steps) + Fraction(1, 2))) / Fraction(10) ** digits


def row_counts(rows):
    """A broken twin: rows are counted instead of persons."""
    return dict(Counter(item for item, person, *_ in rows if None not in (item, person)))


def popular_counts(rows, most):
    """A broken twin: everyone keeps the items that are the most popular in the whole table."""
    everyone = counts(rows)
    found = Counter()
    for held in pairs_of(rows).values():
        found.update(sorted(held, key=lambda item: (-everyone[item], str(item)))[:most])
    return dict(found)


def in_groups(rows, groups, most, key, listed):
    """Return the rows of (group, item), person, value that count: lots for groups, then items."""
    held = defaultdict(lambda: defaultdict(list))
    for what, person, *value in rows:
        if None not in (*what, person) and what in listed:
            held[person][what].append((what, person, *value))
    found = []
    for person, whats in held.items():
        there = {one_text(what[:1]) for what in whats}
        chosen = kept(person, there, groups, key)
        for group in chosen:
            texts = {one_text(what): what for what in whats if one_text(what[:1]) == group}
            own = list(texts) if most is None else kept(person, list(texts), most, key)
            found += [row for text in own for row in whats[texts[text]]]
    return found
