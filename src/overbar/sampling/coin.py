"""Draw yes or no exactly, with any probability that can be bounded.

Theory: :doc:`/theory/exact`.
"""

from __future__ import annotations

from collections.abc import Callable

from flint import arb, ctx

from overbar.sampling.entropy import Source, random_bits, system

#: How many bits of the uniform number are revealed at a time.
STEP = 64


def toss(probability: Callable[[int], arb], source: Source = system) -> bool:
    """Return True with exactly the probability enclosed by `probability(precision)`."""
    return settle(0, 0, probability, source)


def settle(word: int, bits: int, probability: Callable[[int], arb], source: Source) -> bool:
    """Decide U < p, given that the first `bits` bits of U are those of `word`.

    Precondition: the enclosures tighten around p in [0, 1] as the precision grows.
    Postcondition: True iff U < p, where U is uniform on what is known of it.

    Exact because it answers only when every U with these bits lies on one side of every p in the
    ball. Each further word leaves it undecided with probability about 2^-64, so it ends.
    """
    while True:
        word = word << STEP | random_bits(STEP, source)
        bits += STEP
        with ctx.workprec(bits + STEP):
            level = probability(bits + STEP) * arb(2) ** bits
            if level >= word + 1:
                return True
            if level <= word:
                return False
