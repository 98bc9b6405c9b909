"""The exact auditor: privacy profiles of small runs of a plan, by enumeration.

Every plan has a law, and every law has ``outcomes``: all that can be said about one input, with
bounds on how likely it is. Two inputs make a profile.

Internal files::

    between          the profile of a plan between two inputs
    law              what a release of a plan does
    run              a walk through all that a run against a noisy threshold can say
    in_turn          a list that is asked in turn
    ranked_outcomes  where the highest noisy values win, and what counts beside labels tell
    key_outcomes     a search for keys
    profile          (ε, δ) and losses between two runs, as intervals that hold the truth
"""

from __future__ import annotations

from tests.attacks.exact.between import exact_profile

__all__ = ["exact_profile"]
