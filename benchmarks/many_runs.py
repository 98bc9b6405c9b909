"""Thousands of runs at once: how fast, and what they are for, the gate of private text generation.

Run with ``python -m benchmarks many_runs``. Times are processor times, and ratios are within one
run. Beside them is the unsafe way: numpy with floats and the same bookkeeping. Then how far one
comparison is off at (1, 10⁻⁶), in sensitivities, where so many tokens may be private: by the
accounting published for such a gate (Amin et al. 2024, arXiv:2407.12108v2: AboveThreshold with
Laplace noise of scales σ and 2σ, drawn anew after each private token, which is 2/σ-DP and so
2/σ²-zCDP), and by plans. Last how many private tokens the same ε pays for together with their
draws, and the F1 of the gate on a stream with as many private tokens as it has positives.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable

import numpy as np

import overbar
from overbar._numbers import safe_end, short_fraction
from overbar.accuracy.difference import comparison_variance
from overbar.mechanisms import Bar, Reach, SparseVectorPlan
from overbar.noise import Gumbel
from overbar.privacy.guarantees import proved_about
from overbar.privacy.orders import epsilon_from_renyi

Row = dict[str, object]
EPSILON, DELTA = 1, "1e-6"
#: Their batch, temperature, clipping, σ, ε and δ.
BATCH, TEMPERATURE, CLIPPED, SIGMA, THEIR_EPSILON, THEIR_DELTA = 255, 2.0, 10.0, 0.2, 3.0, 1e-5
#: The standard deviation of their two Laplace noises together, by σ.
BOTH = math.sqrt(2 + 2 * 2**2)


def processor_time(function: Callable[[], object], repeats: int = 15) -> float:
    """Return the shortest of a few times, in seconds of the processor."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        function()
        times.append(time.process_time() - start)
    return min(times)


# Speed --------------------------------------------------------------------------------------------


def in_turn(noise: str = "exponential", cutoff: int = 3) -> SparseVectorPlan:
    return overbar.plan(
        epsilon=1, cutoff=cutoff, monotonic=True, candidates=1000, noise=noise,
        mechanism="sparse-vector",
    )  # fmt: skip


def one_by_one(count: int) -> list[Row]:
    rows: list[Row] = []
    for kind, score in (("int", 5), ("float", 5.25)):
        run = overbar.SparseVector(in_turn(), threshold=10**9)

        def loop(ask: Callable[[object], bool] = run.ask, score: object = score) -> None:
            for _ in range(count):
                ask(score)

        each = processor_time(loop, 7) / count
        rows.append({"name": f"ask({kind})", "per second": 1 / each, "owed": "1,000,000"})
    return rows


def floats(plan: SparseVectorPlan, scores: np.ndarray) -> Callable[[], object]:
    """Return one question to all runs in the unsafe way."""
    generator = np.random.default_rng(0)
    scale, count = float(plan.query_noise.scale), len(scores)
    draws = {
        "exponential": lambda: generator.exponential(scale, count),
        "gumbel": lambda: generator.gumbel(0, scale, count),
        "laplace": lambda: generator.laplace(0, scale, count),
    }
    draw = draws[plan.query_noise.name]
    bars = 500 + generator.laplace(0, float(plan.threshold_noise.scale), count)
    positives = np.zeros(count, dtype=np.int64)

    def once() -> object:
        answers = (scores + draw() >= bars) & (positives < plan.cutoff)
        np.add(positives, answers, out=positives)
        return answers

    return once


def at_once(noise: str, kind: type, count: int) -> Row:
    plan = in_turn(noise)
    scores = np.random.default_rng(1).normal(0, 2, count)
    gate = overbar.SparseVectors(plan, threshold=500, runs=count, disjoint=True)
    own = scores if kind is float else scores.astype(np.int64)
    questions = max(1, (1 << 17) // count)  # some take longer: those with bits to draw, or near

    def each(once: Callable[[], object]) -> float:
        return processor_time(lambda: [once() for _ in range(questions)]) / questions

    ours, theirs = each(lambda: gate.ask(own)), each(floats(plan, scores))
    return {
        "name": f"{count:,} runs, {noise}, {kind.__name__}s", "milliseconds": 1000 * ours,
        "per second": count / ours, "ratio": theirs / ours, "against": "numpy, floats",
        "owed": "10,000,000; 0.8" if count > 10_000 else "at most 1 ms; 0.8",
    }  # fmt: skip


def starting(count: int) -> Row:
    plan = in_turn()
    used = processor_time(
        lambda: overbar.SparseVectors(plan, threshold=500, runs=count, disjoint=True), 5
    )
    return {"name": f"{count:,} runs, started", "milliseconds": 1000 * used,
            "per second": count / used, "owed": "1,000,000"}  # fmt: skip


# What it is for -----------------------------------------------------------------------------------


def published_sigma(tokens: int) -> float:
    """Return σ in sensitivities, by the published accounting with the best conversion to δ."""

    def excess(rho: float) -> float:
        curve = epsilon_from_renyi(lambda order: order * rho, math.log(float(DELTA)))
        return curve[0] - EPSILON

    return math.sqrt(2 * tokens / float(safe_end(excess, 1e-6, 1.0, 1e-9)))


def gate_plan(tokens: int, monotonic: bool) -> SparseVectorPlan:
    return overbar.plan(
        epsilon=EPSILON, delta=DELTA, cutoff=tokens, monotonic=monotonic, correction="mean",
        mechanism="sparse-vector",
    )  # fmt: skip


def spreads(tokens: int) -> list[Row]:
    theirs = BOTH * published_sigma(tokens)
    rows: list[Row] = [{"name": f"{tokens} private tokens, published", "spread": theirs}]
    owed = {10: ("19.6", "11.5"), 100: ("58.7", "31.9"), 500: ("129.3", "68.3")}[tokens]
    for kind, goal in zip(("general", "votes"), owed, strict=True):
        plan = gate_plan(tokens, kind == "votes")
        spread = math.sqrt(comparison_variance(plan.query_noise, plan.threshold_noise))
        rows.append({"name": f"{tokens} private tokens, {kind}", "spread": spread,
                     "ratio": theirs / spread, "against": "published", "owed": goal})  # fmt: skip
    return rows


def tokens_paid(published: bool) -> int:
    """Return how many private tokens their ε pays for, with a gate of the spread that theirs has.

    A draw by softmax is the exponential mechanism with a range of 2·clipped/(batch·temperature).
    The two noises of their gate have one spread; ours is Gumbel noise with the same, and no more.
    """
    draw = (CLIPPED / (BATCH * TEMPERATURE)) ** 2 / 2
    gate = 2 / (SIGMA * BATCH) ** 2
    scale = short_fraction(BOTH * SIGMA * BATCH * math.sqrt(6) / math.pi, 9)

    def epsilon(tokens: int) -> float:
        curve = lambda order: order * gate * tokens  # noqa: E731 - either of two
        if not published:
            plan = SparseVectorPlan(Gumbel(scale), Bar(None), tokens, Reach(-1, 1))
            curve = proved_about(plan).renyi
        together = epsilon_from_renyi(
            lambda order: curve(order) + order * draw * tokens, math.log(THEIR_DELTA)
        )
        return together[0]

    low, high = 1, 1 << 13
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if epsilon(middle) <= THEIR_EPSILON else (low, middle)
    return low


def paid_rows() -> list[Row]:
    theirs, ours = tokens_paid(published=True), tokens_paid(published=False)
    name = f"tokens at ε = {THEIR_EPSILON:g}, δ = {THEIR_DELTA:g}"
    return [
        {"name": f"{name}, published", "tokens": theirs},
        {"name": f"{name}, general", "tokens": ours, "ratio": ours / theirs,
         "against": "published", "owed": "979 to 229 is 4.28"},
    ]  # fmt: skip


TOKENS = 100


def stream(length: int, streams: int) -> np.ndarray:
    """Return how many of a thousand disagree with the public token: many for some tokens."""
    generator = np.random.default_rng(2)
    scores = np.abs(generator.normal(0, 100, (length, streams)))
    places = np.argsort(generator.random((length, streams)), axis=0)[:TOKENS]
    np.put_along_axis(scores, places, generator.uniform(600, 1000, places.shape), axis=0)
    return np.rint(scores)


def f1(answers: np.ndarray, scores: np.ndarray, threshold: float) -> float:
    """Return the mean F1 of all streams."""
    right = scores >= threshold
    hits = (answers & right).sum(axis=0)
    return float(np.mean(2 * hits / (answers.sum(axis=0) + right.sum(axis=0))))


def published_gate(scores: np.ndarray, threshold: float) -> np.ndarray:
    generator, sigma = np.random.default_rng(3), published_sigma(TOKENS)
    streams = scores.shape[1]
    bars, positives = generator.laplace(0, sigma, streams), np.zeros(streams, dtype=int)
    answers = np.zeros(scores.shape, dtype=bool)
    for row, answer in zip(scores, answers, strict=True):
        noise = generator.laplace(0, 2 * sigma, streams)
        answer[:] = (row + noise >= threshold + bars) & (positives < TOKENS)
        positives += answer
        bars = np.where(answer, generator.laplace(0, sigma, streams), bars)
    return answers


def stream_rows(check: bool) -> list[Row]:
    threshold, scores = 400, stream(300 if check else 2_000, 4 if check else 200)
    rows: list[Row] = [
        {"name": "F1 of a gate, published",
         "F1": f1(published_gate(scores, threshold), scores, threshold)}
    ]  # fmt: skip
    for kind in ("general", "votes"):
        gate = overbar.SparseVectors(
            gate_plan(TOKENS, kind == "votes"), threshold=threshold, runs=scores.shape[1],
            disjoint=True,
        )  # fmt: skip
        answers = np.zeros(scores.shape, dtype=bool)
        for row, answer in zip(scores, answers, strict=True):
            if gate.halted.all():
                break
            answer[:] = gate.ask(row)
        rows.append({"name": f"F1 of a gate, {kind}", "F1": f1(answers, scores, threshold)})
    return rows


def rows(check: bool = False) -> list[Row]:
    many = 1_000 if check else 1 << 20
    cases = [("exponential", float), ("exponential", int), ("gumbel", float)]
    return [
        *one_by_one(500 if check else 100_000),
        *(at_once(*case, count) for case in cases for count in (many, 4_096)),
        starting(many),
        *(row for tokens in ((10,) if check else (10, 100, 500)) for row in spreads(tokens)),
        *paid_rows(),
        *stream_rows(check),
    ]
