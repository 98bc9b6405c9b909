"""What this package claims: every noise and setting it offers, each with inputs near its worst.

The plans are small, so that the exact auditor can enumerate them and a rare answer is not rare
among samples; the code that runs them is the code that runs large ones.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from importlib.util import find_spec
from typing import Any

import overbar
from overbar._check import Number
from overbar.audit.interfaces import Claim, Pair, Subject
from overbar.frames import Question
from overbar.mechanisms import Plan, RankedPlan, Reach
from overbar.noise import Gaussian, Gumbel
from overbar.privacy import unlisted_delta
from tests.attacks.checks import Check
from tests.attacks.subjects import (
    key_runs,
    monitor_runs,
    online_runs,
    requeue_runs,
    runs_at_once,
    select_runs,
    simulated_runs,
    unlisted_runs,
)

#: ε of all checks: with it a violation by a quarter shows in some ten thousand runs.
EPSILON = Fraction(2)
DELTA = Fraction(1, 50)

SWAPPED = (Pair((0, 1), (1, 0), "a negative rises, the positive falls"),)
TWICE = (Pair((0, 1, 0, 1), (1, 0, 1, 0), "negatives rise, positives fall"),)
RISING = (
    Pair((0, 0), (1, 0), "one count rises"),
    Pair((1, 1), (0, 0), "all counts fall"),
)
AMONG = (Pair((1, 0, 0, 0), (0, 0, 0, 0), "one of four equal counts rises"),)
HELD_BY_ONE = (
    Pair({"rum": 1, "tea": 6}, {"tea": 6}, "rum is one person's"),
    Pair({"rum": 1, "tea": 6}, {"rum": 1, "tea": 5}, "one person holds tea"),
)

WATCHED = (
    Pair((("me",),) * 6, ((),) * 6, "every question is about one person"),
    Pair((("me", "you"), ("me",)) * 3, (("you",), ()) * 3, "somebody else is left out too"),
)
WEIGHED = (Pair(({"me": 1}, {"me": 0.5}) * 3, ({},) * 6, "one person with weights"),)

CROWD = {"1": "a", "2": "ab", "3": "abc", "4": "a"}
HOLDERS = (
    Pair({"me": "ab"}, {}, "two keys of one person"),
    Pair({**CROWD, "me": "ab"}, CROWD, "one more person with two keys that others hold"),
    Pair({**CROWD, "me": "a"}, CROWD, "one more person with the most frequent key"),
)


def our_claims() -> list[Check]:
    """Return a check for every noise and setting."""
    return [
        *_pure(),
        *_again_and_again(),
        *_approximate(),
        *_monitors(),
        *_highest(),
        *_histograms(),
        *_all_unlisted(),
        *_all_keys(),
        _simulated(),
    ]


def _plan(**changes: Any) -> Plan:
    parameters: dict[str, Any] = {
        "noise": "exponential",
        "threshold_noise": "laplace",
        "cutoff": 1,
        "allocation": 1,
        "mechanism": "sparse-vector",
    }
    parameters |= changes
    return overbar.plan(epsilon=EPSILON, correction=0, grid=1, **parameters)


def _ranked(**changes: Any) -> Plan:
    parameters: dict[str, Any] = {"cutoff": 2, "mechanism": "ranked"} | changes
    return overbar.plan(epsilon=EPSILON, correction=0, grid=1, **parameters)


def _top(**changes: Any) -> Plan:
    parameters: dict[str, Any] = {"cutoff": 2, "mechanism": "ranked"} | changes
    return overbar.plan(top=True, epsilon=EPSILON, grid=1, **parameters)


def _check(
    name: str,
    plan: Plan,
    pairs: tuple[Pair, ...] = (),
    run: Callable[[Plan, Number], Subject] = select_runs,
    *,
    delta: Number = 0,
    exact: bool = True,
    quick: bool = False,
    slow: bool = False,
) -> Check:
    """Check a plan; without pairs no release can draw its noise, and nothing is sampled."""
    claim = Claim.of(overbar.guarantee(plan).at(delta), delta)
    mechanism = run(plan, 0) if pairs else None
    seen = plan if exact else None
    return Check(name, claim, pairs, mechanism, seen, quick=quick, slow=slow)


def _pure() -> list[Check]:
    anew = _plan(cutoff=2, resample=True)
    return [
        _check("select, exponential noise", _plan(), SWAPPED, quick=True),
        _check("select, gumbel noise", _plan(noise="gumbel"), SWAPPED),
        _check("select, laplace noise", _plan(noise="laplace"), SWAPPED),
        _check("select, counts, two positives", _plan(monotonic=True, cutoff=2), RISING),
        _check("asked online", _plan(cutoff=2), TWICE, online_runs, quick=True),
        _check("asked online, threshold drawn anew", anew, TWICE, online_runs),
        _check("many runs at once", _plan(cutoff=2), TWICE, runs_at_once, exact=False),
        _check(
            "asked online, one-sided threshold noise",
            _plan(cutoff=2, threshold_noise="exponential"),
            TWICE,
            online_runs,
        ),
    ]


def _again_and_again() -> list[Check]:
    top = overbar.plan(
        top=True,
        epsilon=EPSILON,
        cutoff=1,
        monotonic=True,
        mechanism="sparse-vector",
        threshold_noise="laplace",
    )
    again = _plan(rounds=3)
    four = _plan(max_queries=4)
    return [
        _check("select, three rounds", again, SWAPPED),
        _check("asked online, at most four comparisons", four, SWAPPED, online_runs),
        _check("top, unlimited rounds", top, AMONG, slow=True),
        _check("a stream whose negatives come back", again, SWAPPED, requeue_runs, exact=False),
    ]


def _approximate() -> list[Check]:
    online: dict[str, dict[str, object]] = {
        "gumbel noise, δ > 0": {"noise": "gumbel"},
        "laplace noise, δ > 0": {"noise": "laplace"},
        "gumbel noise, gaussian threshold": {
            "noise": "gumbel", "threshold_noise": "gaussian", "allocation": "variance",
        },
        "gumbel noise, bare threshold": {"noise": "gumbel", "threshold_noise": "none"},
        "exponential noise drawn anew, δ > 0": {"cutoff": 3, "resample": True},
    }  # fmt: skip
    checks = [
        _check(name, _plan(delta=DELTA, **{"cutoff": 2} | how), TWICE, online_runs, delta=DELTA)
        for name, how in online.items()
    ]
    gaussian = _plan(delta=DELTA, noise="gaussian", threshold_noise="gaussian", max_queries=3)
    return [*checks, _check("gaussian noise, three comparisons", gaussian, delta=DELTA)]


def _monitors() -> list[Check]:
    """Return checks of monitors, on questions about one person and on some that are not."""
    usual: dict[str, Any] = {"epsilon": EPSILON, "delta": DELTA, "correction": 0, "grid": 1}
    two = overbar.plan(**usual, hits_per_person=2)
    weights = overbar.plan(**usual | {"grid": "1/2"}, hits_per_person=1, weights=True)
    how: dict[str, Any] = {"run": monitor_runs, "delta": DELTA, "exact": False}
    return [
        _check("a monitor, two hits", two, WATCHED, **how),
        _check("a monitor, weights that are paid for", weights, WEIGHED, **how),
    ]


def _highest() -> list[Check]:
    """Ranked selection and the top: exponential noise under pure ε, Gumbel noise with δ."""
    gumbel: dict[str, Any] = {"noise": "gumbel", "delta": DELTA}
    counts = _ranked(**gumbel, monotonic=True, cutoff=4)
    bare = _ranked(**gumbel, monotonic=True, threshold_noise="none")
    noise = Gumbel(Fraction(9, 4))
    either_way = Reach(Fraction(-1), Fraction(1))
    values = RankedPlan(noise, None, 1, either_way, shared=Gaussian(Fraction(2)))
    return [
        _check("select, highest values", _ranked(cutoff=1), SWAPPED, quick=True),
        _check("select, highest values, counts", _ranked(monotonic=True), RISING),
        _check("top, highest values", _top(cutoff=1), SWAPPED, quick=True),
        _check("top, highest values, counts", _top(monotonic=True), AMONG),
        _check("top with a count beside it", _top(cutoff=1, counts="1/2"), SWAPPED),
        _check("select with counts beside it", _plan(cutoff=2, counts="1/2", rounds=2), SWAPPED),
        _check("top with its gumbel values", values, SWAPPED, exact=False, delta=DELTA),
        _check("select, highest gumbel values, δ > 0", counts, AMONG, delta=DELTA, slow=True),
        _check("select, highest gumbel values, bare threshold", bare, RISING, delta=DELTA),
        _check("top, highest gumbel values, δ > 0", _top(**gumbel), TWICE, delta=DELTA),
    ]


def _histograms() -> list[Check]:
    few: dict[str, Any] = {"mechanism": "histogram", "items_per_person": 2}
    laplace = _ranked(**few, noise="laplace")
    gaussian = _ranked(**few, noise="gaussian", delta=DELTA)
    bare = _ranked(**few | {"mechanism": "bare-set"}, delta=DELTA)
    return [
        _check("histogram, laplace noise", laplace, SWAPPED, quick=True),
        _check("histogram, gaussian noise", gaussian, SWAPPED, delta=DELTA),
        _check("bare set, gaussian noise", bare, SWAPPED, delta=DELTA),
    ]


def _all_unlisted() -> list[Check]:
    few: dict[str, Any] = {"mechanism": "histogram", "items_per_person": 1, "noise": "laplace"}
    return [
        _unlisted("candidates read off the data", _plan(noise="gumbel")),
        _unlisted("candidates read off the data, highest values", _ranked(cutoff=1), quick=True),
        _unlisted("candidates read off the data, histogram", _ranked(cutoff=1, **few)),
    ]


def _unlisted(name: str, plan: Plan, *, quick: bool = False) -> Check:
    threshold = 6
    return Check(
        name,
        Claim.of(EPSILON, unlisted_delta(plan, threshold, 1)),
        HELD_BY_ONE,
        unlisted_runs(plan, threshold, ("rum", "tea")),
        plan,
        tuple((pair.first, pair.second) for pair in HELD_BY_ONE),
        threshold,
        quick,
    )


def _all_keys() -> list[Check]:
    return [
        _keys("keys, one round", 2, 1),
        _keys("keys, two rounds", 2, 2),
        _keys("keys, one key of each person", 1),
    ]


def _keys(name: str, items: int, rounds: int | None = None) -> Check:
    question = Question.keys(
        item="key",
        person="person",
        epsilon=EPSILON,
        delta=DELTA,
        items_per_person=items,
        rounds=rounds,
        delta_is_large=True,  # so that few samples show what a search costs
    )
    # Tables come with the command line; without them the exact auditor is alone.
    runs = key_runs(question, "abc") if find_spec("pyarrow") else None
    among = tuple((pair.first, pair.second) for pair in HOLDERS)
    return Check(name, Claim.of(EPSILON, DELTA), HOLDERS, runs, question.plan, among)


def _simulated() -> Check:
    subject = simulated_runs(_plan(noise="gumbel"), 0, seed=7)
    return Check("simulate, seeded", Claim.of(EPSILON), SWAPPED, subject)
