"""Accounting: one theorem per file, each computed from a plan.

Internal files::

    theorem            what every theorem below answers, and from Rényi divergences to (ε, δ)
    pure               Theorem 2 of the paper: pure ε, exact fractions, also of ranked selection
    race               the race theorem: (ε, δ) for unlimited adaptive queries, also without noise
                       on the threshold; by the integrals in hazard, race_calibration inverts it
    top_with_delta     the top by Gumbel noise, by profile_operator: a step in front of others
    partial_shift      the same with the threshold noise shifted by a part: less noise
    race_profile       the best adversary against a race, for both
    threshold_loss     what shifting that noise costs
    histogram          one noisy value for each, where a person has few items
    bare_set           the same where only who passes is told
    renyi              runs that redraw their threshold: composition of pure runs
    capped             Gaussian queries with a limit on comparisons
    read_off_candidates  candidates that are not on a list
    key_rounds         keys that nobody listed, in rounds, by key_bits where only they come out, and
                       key_counts beside them
    gaussian_potential what small runs cost in a ledger, where they add up as Gaussian noise does
    instalments        what is paid when a run begins and with each positive
    one_key            the same where one key of each person counts
    composition        plans whose costs add up in one release
    loss_distribution  a guarantee as losses and their chances
    guarantees         the best of them, as a value, and what a run has cost so far; pure_guarantee
                       where δ = 0 is all there is
"""

from __future__ import annotations

from overbar.privacy.guarantees import ApproximateDP, UnlistedDP, guarantee, spent
from overbar.privacy.pure_guarantee import Guarantee, PureDP
from overbar.privacy.read_off_candidates import unlisted_delta

__all__ = [
    "ApproximateDP",
    "Guarantee",
    "PureDP",
    "UnlistedDP",
    "guarantee",
    "spent",
    "unlisted_delta",
]
