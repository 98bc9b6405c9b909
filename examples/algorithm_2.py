"""The paper's Algorithm 2, line by line, on a run that never shows its noisy threshold.

    python examples/algorithm_2.py

Each query brings a threshold of its own. Two things differ from what is printed. With RESAMPLE, ε
is for all draws of ρ together, so each has more noise. And the run ends after k_max queries,
whatever the last answer was: the paper looks at k_max after a positive answer only, and its loop
has no other end. On a stream without end `overbar.Requeue` asks negatives again.
"""

from collections import deque

import overbar


def algorithm_2(
    queries,
    *,
    epsilon,
    c,
    k_max,
    w="variance",
    sensitivity=1,
    alpha=0,
    k=None,
    resample=False,
    append=False,
):
    """Return the labels of the positives among (label, answer, threshold), and the run.

    `w` is ε₂/ε₁, by default that of least variance, (√2·c)^(2/3); `k` how many negatives are
    expected before each positive, by default what the number of queries says.
    """
    plan = overbar.plan(
        mechanism="sparse-vector",
        sensitivity=sensitivity,
        epsilon=epsilon,  #              line 1: ε = ε₁ + ε₂
        allocation=w,  #                         ε₂ = w·ε₁
        threshold_noise="laplace",  #    line 2: ρ ~ Lap(b)
        correction="optimal",  #         line 3: r = CorrectionTerm(b, λ, α, …, k)
        tolerance=alpha,
        candidates=len(queries) if k is None else k * c,
        noise="exponential",  #          line 6: v ~ Exp(1/λ)
        resample=resample,  #            line 13: ρ ~ Lap(b)
        cutoff=c,  #                     line 14
        max_queries=k_max,
    )
    run = overbar.SparseVector(plan)  #  line 2: ρ is drawn, and hidden
    queue, found = deque(queries), []
    while queue and not run.halted:  #   lines 4, 5 and 14
        label, answer, threshold = queue.popleft()
        if run.ask(answer, threshold):  # lines 6 to 11, 13 and 15
            found.append(label)  #       line 12: S = S ∪ {i}
        elif append:  #                  line 16
            queue.append((label, answer, threshold))  # line 17
    return found, run


if __name__ == "__main__":
    SOLD = {"tea": 9_120, "gin": 75, "rum": 2_210, "mead": 460, "ale": 4_980}
    WANTED = {"tea": 5_000, "gin": 50, "rum": 2_000, "mead": 900, "ale": 6_000}
    asked = [(label, SOLD[label], WANTED[label]) for label in SOLD]
    for how in ({}, {"append": True}, {"resample": True, "append": True}):
        found, run = algorithm_2(asked, epsilon=1, c=3, k_max=100, **how)
        print(", ".join(f"{name.upper()} = {choice}" for name, choice in how.items()) or "Once")
        print(f"  found {', '.join(found)}")
        print(f"  {run}")
