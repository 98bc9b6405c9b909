"""The best correction by four routes: how long each takes, and how far off it is.

Run with ``python -m benchmarks correction``. The truth is the quantile of the closed law at 40
digits where there is one, and the quantile by quadrature elsewhere.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import mpmath
from scipy.optimize import minimize_scalar

from overbar.accuracy import Difference, correction_term
from overbar.accuracy.correction import independent_optimum
from overbar.accuracy.success import log_success
from overbar.noise import Exponential, Gumbel, Laplace, Noise
from overbar_lab.paper.numeric_correction import numeric_optimum

#: Monotonic counts, cutoff 50, epsilon 1, the budget ratio of least variance.
QUERY, THRESHOLD = Exponential("54.641588833612786"), Laplace("11.772173450159418")
NEGATIVES = 200


def exact_quantile(negatives: int) -> float:
    """Solve 1 - Γ(r) = 1/(k + 1) at 40 digits with the formula as the paper prints it."""
    mp = mpmath.MPContext()
    mp.dps = 40
    s, b = (mp.mpf(x.scale.numerator) / x.scale.denominator for x in (QUERY, THRESHOLD))

    def excess(z):
        first = b * mp.exp(-z / b) / (2 * (b - s))
        return mp.log((first - s**2 * mp.exp(-z / s) / (b**2 - s**2)) * (negatives + 1))

    return float(mp.findroot(excess, s * mp.log(negatives)))


def search(query: Noise, threshold: Noise, negatives: int) -> float:
    """Maximise ln p by SciPy's bounded search over the quadrature, knowing nothing of quantiles."""

    law = Difference(query, threshold, "quadrature")

    def loss(r: float) -> float:
        return -float(log_success(r, law, negatives=negatives, tolerance=0.0, rounds=1))

    reach = 40 * float(query.scale)
    return float(minimize_scalar(loss, bounds=(0, reach), options={"xatol": 1e-9 * reach}).x)


def timed(function: Callable[[], float], check: bool) -> tuple[float, float]:
    """Return the value and the shortest time of a few runs, or of one."""
    times, value = [], float("nan")
    while not times or (not check and (len(times) < 3 or sum(times) < 0.3) and len(times) < 200):
        start = time.perf_counter()
        value = function()
        times.append(time.perf_counter() - start)
    return value, min(times)


def rows(check: bool = False) -> list[dict[str, object]]:
    """Time every route on the reference case, and the general ones where there is no formula."""
    gumbel = Gumbel(QUERY.scale)
    cases: list[tuple[str, Callable[[], float], float, float | None]] = []

    def add(name: str, function: Callable[[], float], truth: float, bound: float | None) -> None:
        cases.append((name, function, truth, bound))

    truth = exact_quantile(NEGATIVES)
    for method in ("closed", "quadrature"):
        add(
            f"optimal, {method}",
            lambda method=method: independent_optimum(
                Difference(QUERY, THRESHOLD, method), negatives=NEGATIVES
            ),
            truth,
            None,
        )
    for buckets in (2_001,) if check else (2_001, 20_001, 200_001):
        found = numeric_optimum(QUERY, THRESHOLD, negatives=NEGATIVES, buckets=buckets)
        add(
            f"optimal, fft with {buckets:,} buckets",
            lambda buckets=buckets: (
                numeric_optimum(QUERY, THRESHOLD, negatives=NEGATIVES, buckets=buckets).term
            ),
            truth,
            max(found.highest - found.term, found.term - found.lowest) / truth,
        )
    add("optimal, SciPy search", lambda: search(QUERY, THRESHOLD, NEGATIVES), truth, None)
    add(
        "optimal, closed, 10 million negatives",
        lambda: correction_term("optimal", QUERY, THRESHOLD, negatives=10**7),
        exact_quantile(10**7),
        None,
    )
    shared = correction_term("optimal-shared", QUERY, THRESHOLD, negatives=NEGATIVES)
    add(
        "optimal-shared",
        lambda: correction_term("optimal-shared", QUERY, THRESHOLD, negatives=NEGATIVES),
        shared,
        None,
    )
    truth = float(Difference(gumbel, THRESHOLD).isf(1 / (NEGATIVES + 1)))
    for name, route in (("quadrature", "optimal"), ("fft", None)):
        add(
            f"optimal, Gumbel noise, {name}",
            lambda route=route: (
                correction_term(route, gumbel, THRESHOLD, negatives=NEGATIVES)
                if route
                else numeric_optimum(gumbel, THRESHOLD, negatives=NEGATIVES).term
            ),
            truth,
            None,
        )
    return [_row(*case, check) for case in cases]


def _row(
    name: str, function: Callable[[], float], truth: float, bound: float | None, check: bool
) -> dict[str, object]:
    value, seconds = timed(function, check)
    return {
        "name": name,
        "seconds": seconds,
        "correction": value,
        "relative error": abs(value / truth - 1),
        "stated relative bound": bound,
    }
