"""What a run pays on its way: when it begins, and with each positive. What is not paid comes back.

A charge on average, such as a Rényi divergence, may be paid by *instalments* if a theorem proves
more than a sum: that e^((a-1)·(loss - paid so far)) never rises on average, wherever the run is
ended. Proofs for which that is so are filters (``Proof`` in ``privacy/ways.py``).
They are all of one form: something at the start, such as the shift of the threshold's noise, and
the same for each positive. One proof, with its shift, is taken for a run before it begins.

Theory: :doc:`/theory/instalments`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from overbar.plans import Plan
from overbar.privacy.account import account_of

#: A difference of floats is raised by this part of them: more than both are off by.
ROUNDING = Fraction(1, 2**50)
NOTHING = Fraction(0)


@dataclass(frozen=True)
class Instalments:
    """What is paid when a run begins and with each positive, and in all: never more than that."""

    start: Fraction
    each: Fraction
    whole: Fraction

    def with_rest(self, rest: Fraction) -> Instalments:
        """Return the same beside other parts, which are paid at once."""
        return Instalments(self.start + rest, self.each, self.whole + rest)


def _pays_on_the_way(plan: Plan) -> bool:
    """Tell whether the positives of an answer are those of its first part, and no values beside."""
    return plan.groups is None and not plan.gives_values


@lru_cache(maxsize=64)
def renyi_instalments(plan: Plan, order: float) -> tuple[Instalments, ...]:
    """Return all ways to pay for a run at an order on its way that are proved; the least first."""
    if not _pays_on_the_way(plan):
        return ()
    account = account_of(plan)
    if account.labels is None:
        return ()
    own = account.parts[account.labels]
    rest = account.rest(order)
    ways = []
    # Each proof is a filter by itself; the least of several on the way would be none.
    for run in (proof for proved in own for proof in proved.every if proof.is_filter):
        whole = run.renyi(order)
        if math.isfinite(whole + rest):
            start, first = Fraction(run.spent(0, order)), Fraction(run.spent(1, order))
            each = first - start + first * ROUNDING if first > start else NOTHING
            ways.append(Instalments(start, each, Fraction(whole)).with_rest(Fraction(rest)))
    return tuple(sorted(ways, key=lambda way: way.whole))
