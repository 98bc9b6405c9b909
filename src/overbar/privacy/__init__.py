"""What runs cost: a mechanism says which steps it has, and one operator makes all numbers.

Internal files::

    plan               what is asked of a plan: which steps it has stands in its mechanism's file
    proofs             a sequence of steps that is a proof, and what is paid of it on the way
    arrivals           positives as arrivals of a race, which several mechanisms are
    shifts             the parts by which a threshold's noise may be moved, many at a glance
    account            all proofs of all parts of a plan, and the one that says most

    steps              what mechanisms are made of: races, the worst of several, sequences
    pairs              the same for pairs of laws, and bits about them
    loss_profile       what can still be lost at every level, on two sides
    choices            an adversary's choice among pairs of few outcomes, in front of a profile
    race               the same for one positive of a race
    hazard             how far log-hazards move, and races one way in closed form
    threshold_loss     what shifting a threshold's noise costs
    reading            ε, δ and divergences, read off a sequence of steps
    orders             divergences of each order, and (ε, δ) from them; pure runs in a row

    pure               pure ε, exact fractions: Theorem 2 of the paper
    histogram          one noisy value for each, where a person has few items
    read_off_candidates  candidates that are not on a list

    guarantees         the strongest statement about a plan, as a value
    instalments        what a run has cost so far, and what is paid with each positive
    gaussian_potential what small runs cost in a ledger, where they add up as Gaussian noise does

Theory: :doc:`/theory/steps`.
"""

from __future__ import annotations

from overbar.privacy.guarantees import ApproximateDP, Guarantee, PureDP, UnlistedDP, guarantee
from overbar.privacy.instalments import spent
from overbar.privacy.orders import epsilon_from_renyi, pure_renyi
from overbar.privacy.read_off_candidates import unlisted_delta

__all__ = [
    "ApproximateDP",
    "Guarantee",
    "PureDP",
    "UnlistedDP",
    "epsilon_from_renyi",
    "guarantee",
    "pure_renyi",
    "spent",
    "unlisted_delta",
]
