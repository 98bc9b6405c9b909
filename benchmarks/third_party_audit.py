"""Our audit beside two independent ones, on releases of ours and on the known-broken mechanisms.

Run with ``python -m benchmarks third_party_audit`` where they are installed
(``pip install jax-privacy privacy-estimates``); without them it says so and is left out.

Both bound ε from the scores of an attack, so they are given one: how much more often an outcome
came up with the first input than with the second, counted in runs of its own. What they make of
the fresh scores is their own code. jax-privacy takes a threshold from one half of them and tests
it on the other; privacy-estimates is given a threshold from the first half. So they decide by half
as many runs as ours does, and prove a little less.
"""

from __future__ import annotations

import importlib.util
import time

import numpy as np

from benchmarks import AbsentError
from overbar.audit import Pair, audit
from overbar.audit.outcomes import learn
from tests.attacks.broken_rankings import BROKEN
from tests.attacks.our_claims import our_claims

CONFIDENCE = 1 - 1e-6
#: Fresh runs of each input; releases with real entropy are slower than vectorised controls.
OWN_RUNS, CONTROL_RUNS = 6_000, 100_000
PACKAGES = ("jax_privacy", "privacy_estimates")
OWN = ("select, exponential noise", "asked online", "simulate, seeded")


def rows(check: bool = False) -> list[dict[str, object]]:
    missing = [name for name in PACKAGES if importlib.util.find_spec(name) is None]
    if missing:
        absent = " and ".join(missing)
        raise AbsentError(f"no {absent}; write: pip install jax-privacy privacy-estimates")
    checks = [check for check in our_claims() if check.name in OWN]
    own, control = (300, 300) if check else (OWN_RUNS, CONTROL_RUNS)
    subjects = [(c.name, c.claim, c.mechanism, c.pairs[0], own) for c in checks]
    subjects += [
        (one.name, one.claim, one.sampled(1), one.pairs[0], control)
        for one in BROKEN
        if one.runs <= CONTROL_RUNS
    ]
    return [_row(*subject) for subject in subjects]


def _row(name, claim, mechanism, pair: Pair, runs: int) -> dict[str, object]:
    epsilon, delta = float(claim.epsilon), float(claim.delta)
    ours = audit(
        mechanism, [pair], epsilon=claim.epsilon, delta=claim.delta, runs=runs,
        confidence=CONFIDENCE,
    )  # fmt: skip
    start = time.perf_counter()
    first, second = _scores(mechanism, pair, runs)
    theirs = max(_jax_privacy(first, second, delta), _jax_privacy(-second, -first, delta))
    also = max(_privacy_estimates(first, second, delta), _privacy_estimates(-second, -first, delta))
    verdicts = {ours.violated, theirs > epsilon, also > epsilon}
    return {
        "name": name,
        "allowed": epsilon,
        "ours": ours.found,
        "jax-privacy": theirs,
        "privacy-estimates": also,
        "violated": ours.violated,
        "all agree": len(verdicts) == 1,
        "runs": runs,
        "seconds": time.perf_counter() - start,
    }


def _scores(mechanism, pair: Pair, runs: int) -> tuple[np.ndarray, np.ndarray]:
    """Return attack scores of fresh outcomes, learned from two thirds as many others."""
    sides = (pair.first, pair.second)
    seen = [mechanism.sample(data, 2 * runs // 3) for data in sides]
    reader = learn(*seen)
    fresh = [reader(mechanism.sample(data, runs)) for data in sides]
    codes = [reader(outcomes) for outcomes in seen]
    size = 1 + max(int(one.max()) for one in (*codes, *fresh))
    one, other = (np.bincount(side, minlength=size) + 0.5 for side in codes)
    return tuple(np.log(one / other)[side] for side in fresh)


def _jax_privacy(first: np.ndarray, second: np.ndarray, delta: float) -> float:
    from jax_privacy import auditing

    auditor = auditing.CanaryScoreAuditor(first, second)
    return auditor.epsilon_clopper_pearson(
        (1 - CONFIDENCE) / 2, delta, threshold_strategy=auditing.Split(seed=1)
    )


def _privacy_estimates(first: np.ndarray, second: np.ndarray, delta: float) -> float:
    from privacy_estimates import AttackResults, compute_eps_lo

    half = len(first) // 2
    threshold = _threshold(first[:half], second[:half], delta)
    positive, negative = first[half:] >= threshold, second[half:] >= threshold
    counts = AttackResults(
        FN=int((~positive).sum()),
        FP=int(negative.sum()),
        TN=int((~negative).sum()),
        TP=int(positive.sum()),
    )
    return compute_eps_lo(counts, delta, (1 - CONFIDENCE) / 2, "beta")


def _threshold(first: np.ndarray, second: np.ndarray, delta: float) -> float:
    """Return the threshold whose smoothed log ratio is largest against its spread."""
    best, found = -np.inf, 0.0
    for threshold in np.unique(first):
        hits, others = (first >= threshold).sum(), (second >= threshold).sum()
        told = max(hits - delta * len(first), 0.5)
        bound = np.log(told / (others + 0.5)) - 5 * np.sqrt(1 / told + 1 / (others + 0.5))
        if bound > best:
            best, found = bound, threshold
    return found
