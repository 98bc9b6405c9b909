"""The release engine against its peers, side by side in one run.

Run with ``python -m benchmarks mechanism``. Peers that are exact: OpenDP, with its own noisy top-k
and with its scalar Laplace measurement compared by hand. Peers that are not: numpy with floats.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

import overbar
from benchmarks.sampling import best
from overbar.mechanisms import Repeats, SparseVectorPlan

CUTOFF = 50
Row = dict[str, object]


def zipf(count: int) -> np.ndarray:
    return (10_000 / np.arange(1, count + 1)).astype(np.int64)


def opendp_top_k(scores: np.ndarray) -> float:
    """Time OpenDP's noisy top-k at the same privacy as `top`: ε = 1, monotonic."""
    import opendp.prelude as dp

    dp.enable_features("contrib")
    measurement = dp.m.make_noisy_top_k(
        dp.vector_domain(dp.atom_domain(T=int)),
        dp.linf_distance(T=int, monotonic=True),
        dp.max_divergence(),
        k=CUTOFF,
        scale=float(CUTOFF),
    )
    plain = scores.tolist()
    return best(lambda: measurement(plain), repeats=2)


def opendp_scalar_rate(count: int) -> float:
    """Return threshold queries per second with OpenDP's exact scalar Laplace, compared by hand."""
    import opendp.prelude as dp

    dp.enable_features("contrib")
    noisy = dp.m.make_laplace(dp.atom_domain(T=int), dp.absolute_distance(T=int), scale=100.0)

    def loop() -> None:
        for _ in range(count):
            noisy(5) >= 10**6  # noqa: B015 - the comparison is what is timed

    return count / best(loop, repeats=3)


def in_turn(candidates: int) -> SparseVectorPlan:
    """Return a plan of a sparse vector run."""
    return overbar.plan(
        epsilon=1, cutoff=CUTOFF, monotonic=True, candidates=candidates, mechanism="sparse-vector"
    )


def ask_rate(count: int) -> float:
    plan = in_turn(10_000)
    run = overbar.SparseVector(plan, threshold=10**9)

    def loop() -> None:
        for _ in range(count):
            run.ask(5)

    return count / best(loop, repeats=5)


def numpy_pass(scores: np.ndarray) -> float:
    """Time the unsafe way: one pass with floats."""
    generator = np.random.default_rng(0)

    def once() -> object:
        noise = generator.exponential(54.6, len(scores))
        return np.flatnonzero(scores + noise >= 492 + generator.laplace(0, 11.8))[:CUTOFF]

    return best(once)


def online_rows(check: bool) -> list[Row]:
    ours, theirs = ask_rate(500 if check else 50_000), opendp_scalar_rate(20 if check else 2_000)
    return [
        {"name": "ask, one by one", "per second": ours, "ratio": ours / theirs,
         "against": "OpenDP scalar Laplace by hand", "owed": "50, and 300,000 a second"},
        {"name": "OpenDP scalar Laplace by hand", "per second": theirs},
    ]  # fmt: skip


def top_rows(check: bool) -> list[Row]:
    small, large = (zipf(count) for count in ((100, 200) if check else (10_000, 1_000_000)))
    parameters = {"cutoff": CUTOFF, "epsilon": 1, "monotonic": True}
    ours = best(lambda: overbar.top(small, **parameters))
    theirs = opendp_top_k(small)
    return [
        {"name": f"top 50 of {len(small):,}", "seconds": ours, "ratio": theirs / ours,
         "against": "OpenDP noisy_top_k", "owed": "40"},
        {"name": f"OpenDP noisy_top_k, 50 of {len(small):,}", "seconds": theirs},
        {"name": f"top 50 of {len(large):,}",
         "seconds": best(lambda: overbar.top(large, **parameters)), "owed": "at most 0.01"},
    ]  # fmt: skip


def rounds_rows(check: bool) -> list[Row]:
    rows: list[Row] = []
    for count in (100,) if check else (10_000, 1_000_000):
        scores = zipf(count)
        plan = in_turn(count)
        default = overbar.plan(epsilon=1, cutoff=CUTOFF, monotonic=True, candidates=count)
        ranked = best(lambda s=scores, p=default: overbar.select(s, threshold=200, plan=p))
        once = best(lambda s=scores, p=plan: overbar.select(s, threshold=200, plan=p))
        floats = numpy_pass(scores)
        rows.append(
            {"name": f"select, {count:,} scores, one round", "seconds": once,
             "ratio": floats / once, "against": "numpy with floats (unsafe)", "owed": "0.7 (10⁶)"}
        )  # fmt: skip
        rows.append(
            {"name": f"select, {count:,} scores, ranked (the default)", "seconds": ranked,
             "ratio": ranked / once, "against": "one round", "owed": "at most 2"}
        )  # fmt: skip
        for rounds in (10**12, None):
            many = replace(plan, repeats=Repeats(rounds))
            seconds = best(lambda s=scores, p=many: overbar.select(s, threshold=200, plan=p))
            label = "10¹²" if rounds else "unlimited"
            rows.append(
                {"name": f"select, {count:,} scores, {label} rounds", "seconds": seconds,
                 "ratio": seconds / once, "against": "one round", "owed": "at most 3"}
            )  # fmt: skip
    return rows


def batches(total: int, size: int) -> Iterator[np.ndarray]:
    for start in range(1, total + 1, size):
        yield 10**8 // np.arange(start, min(start + size, total + 1))


def in_batches(total: int) -> Row:
    """Select from many candidates in batches, in a process of its own to measure its memory."""
    code = f"from benchmarks.mechanism import _from_batches; _from_batches({total})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    seconds, mebibytes = map(float, done.stdout.split())
    return {"name": f"top 50 of {total:,} in batches", "seconds": seconds,
            "MiB": mebibytes, "owed": "under 512 MiB"}  # fmt: skip


def _from_batches(total: int) -> None:
    start = time.perf_counter()
    found = overbar.top(batches(total, 10**6), cutoff=CUTOFF, epsilon=1, monotonic=True)
    assert len(found) == CUTOFF
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(time.perf_counter() - start, peak)


def rows(check: bool = False) -> list[Row]:
    last = in_batches(1_000 if check else 10**8)
    return [*online_rows(check), *top_rows(check), *rounds_rows(check), last]
