"""What this package claims: every noise and setting it offers, each with inputs near its worst.

The plans are small, so that the exact auditor can enumerate them and a rare answer is not rare
among samples; the code that runs them is the code that runs large ones.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import overbar
from overbar._check import Number
from overbar.accounting import unlisted_delta
from overbar.audit.interfaces import Claim, Pair, Subject
from overbar.audit.subjects import OnlineRuns, RequeueRuns, SelectRuns, SimulatedRuns, UnlistedRuns
from overbar.calibration.request import NoiseName, ThresholdNoiseName
from overbar.plan import Plan

#: ε of all checks: with it a violation by a quarter shows in some ten thousand runs.
EPSILON = Fraction(2)
DELTA = Fraction(1, 50)

SWAPPED = (Pair((0, 1), (1, 0), "a negative rises, the positive falls"),)
TWICE = (Pair((0, 1, 0, 1), (1, 0, 1, 0), "negatives rise, positives fall"),)
RISING = (
    Pair((0, 0), (1, 0), "one count rises"),
    Pair((1, 1), (0, 0), "all counts fall"),
)


@dataclass(frozen=True)
class Check:
    """One claim of ours and how to attack it.

    Attributes
    ----------
    name
        What runs.
    claim
        What :func:`overbar.guarantee` says of it.
    pairs
        Neighbouring inputs for samples.
    mechanism
        What is sampled; None where no release can draw the noise.
    plan
        What the exact auditor takes apart; None where it would do so a second time.
    quick
        Whether a quick audit draws samples of it.
    """

    name: str
    claim: Claim
    pairs: tuple[Pair, ...] = ()
    mechanism: Subject | None = None
    plan: Plan | None = None
    quick: bool = False


def our_claims() -> list[Check]:
    """Return a check for every noise and setting."""
    return [*_pure(), *_again_and_again(), *_approximate(), _unlisted(), _simulated()]


def _plan(
    *,
    delta: Number = 0,
    cutoff: int = 1,
    monotonic: bool = False,
    noise: NoiseName = "exponential",
    threshold_noise: ThresholdNoiseName = "laplace",
    resample: bool = False,
    rounds: int | None = 1,
    max_queries: int | None = None,
    allocation: str | Number = 1,
) -> Plan:
    return overbar.calibrate(
        epsilon=EPSILON,
        delta=delta,
        cutoff=cutoff,
        monotonic=monotonic,
        noise=noise,
        threshold_noise=threshold_noise,
        resample=resample,
        rounds=rounds,
        max_queries=max_queries,
        allocation=allocation,
        correction=0,
        grid=1,
    )


def _check(
    name: str,
    plan: Plan,
    pairs: tuple[Pair, ...],
    run: Callable[[Plan, Number], Subject] = SelectRuns,
    *,
    delta: Number = 0,
    exact: bool = True,
    quick: bool = False,
) -> Check:
    claim = Claim.of(overbar.guarantee(plan).at(delta), delta)
    return Check(name, claim, pairs, run(plan, 0), plan if exact else None, quick)


def _pure() -> list[Check]:
    checks = [
        _check(f"select, {noise} noise", _plan(noise=noise), SWAPPED, quick=noise == "exponential")
        for noise in ("exponential", "gumbel", "laplace")
    ]
    counts = _plan(monotonic=True, cutoff=2)
    checks += [
        _check("select, counts, two positives", counts, RISING),
        _check("select, threshold drawn anew", _plan(cutoff=2, resample=True), TWICE),
        _check("asked online", _plan(cutoff=2), TWICE, OnlineRuns, quick=True),
        _check(
            "asked online, threshold drawn anew",
            _plan(cutoff=2, resample=True),
            TWICE,
            OnlineRuns,
            exact=False,
        ),
    ]
    return checks


def _again_and_again() -> list[Check]:
    top = overbar.top([0], upper_bound=0, cutoff=1, epsilon=EPSILON, monotonic=True).plan
    among = (Pair((1, 0, 0, 0), (0, 0, 0, 0), "one of four equal counts rises"),)
    capped = _plan(rounds=3, max_queries=4)
    again = _plan(rounds=3)
    return [
        _check("select, three rounds", again, SWAPPED),
        _check("select, at most four comparisons", capped, SWAPPED),
        Check(
            "top, unlimited rounds",
            Claim.of(EPSILON),
            among,
            SelectRuns(top, 0, "random"),
            top,
            quick=True,
        ),
        _check("a stream whose negatives come back", again, SWAPPED, RequeueRuns, exact=False),
    ]


def _approximate() -> list[Check]:
    gaussian = _plan(
        delta=DELTA, noise="gaussian", threshold_noise="gaussian", cutoff=1, max_queries=3
    )
    at_delta = overbar.guarantee(gaussian).at(DELTA)
    return [
        _check("gumbel noise, δ > 0", _plan(delta=DELTA, noise="gumbel", cutoff=2), TWICE,
               OnlineRuns, delta=DELTA),
        _check("laplace noise, δ > 0", _plan(delta=DELTA, noise="laplace", cutoff=2), TWICE,
               OnlineRuns, delta=DELTA),
        _check("gumbel noise, gaussian threshold",
               _plan(delta=DELTA, noise="gumbel", threshold_noise="gaussian", cutoff=2,
                     allocation="variance"), TWICE,
               OnlineRuns, delta=DELTA),
        _check("gumbel noise, bare threshold",
               _plan(delta=DELTA, noise="gumbel", threshold_noise="none", cutoff=2), TWICE,
               OnlineRuns, delta=DELTA),
        _check("exponential noise drawn anew, δ > 0",
               _plan(delta=DELTA, cutoff=3, resample=True), TWICE, OnlineRuns, delta=DELTA),
        Check("gaussian noise, three comparisons", Claim.of(at_delta, DELTA), plan=gaussian),
    ]  # fmt: skip


def _unlisted() -> Check:
    plan, threshold = _plan(noise="gumbel"), 6
    cost = unlisted_delta(plan, threshold, 1)
    pairs = (
        Pair({"rum": 1, "tea": 6}, {"rum": 0, "tea": 6}, "rum is one person's"),
        Pair({"rum": 1, "tea": 6}, {"rum": 1, "tea": 5}, "one person holds tea"),
    )
    return Check(
        "candidates read off the data",
        Claim.of(EPSILON, cost),
        pairs,
        UnlistedRuns(plan, threshold, ("rum", "tea")),
        quick=True,
    )


def _simulated() -> Check:
    plan = _plan(noise="gumbel")
    return Check("simulate, seeded", Claim.of(EPSILON), SWAPPED, SimulatedRuns(plan, 0, seed=7))
