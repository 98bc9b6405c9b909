"""Bounds that are found first against the best that a public one could be.

Run with ``python -m benchmarks found_bounds``. Sums: real releases of the top ten with counts, at
equal ε; the error is the root of the mean square over the true ten highest sums, with what clamping
takes away; "best" is the least that any public range has, over upper ends at many quantiles, by
arithmetic. Keys: real releases of ``keys`` with counts and without a number of items, against those
with the public number that makes the mean error of counts least; intervals are compared, and how
many keys come out. Tops: the number of items that ``top`` finds first, by real releases, with a
catalogue and where keys are found first; errors as for sums, over those of a top in which all items
count and, with a catalogue, over the least that any public number of the ladder has.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import polars
from numpy.typing import NDArray

from overbar.accuracy.interval import interval
from overbar.calibration.bounds_kind import spread
from overbar.frames.bounds_first import FEW, FEWER
from overbar.frames.found_first import within
from overbar.frames.question import Question

Row = dict[str, object]
Numbers = NDArray[np.float64]
DELTA = "1e-6"
PLACES = 10
#: Cutoff, δ, and whether there is a list.
TOPS = [(10, None, True), (50, None, True), (10, DELTA, True), (50, DELTA, True)]
TOPS += [(10, DELTA, False), (50, DELTA, False)]


def sums_table(
    draw: np.random.Generator,
    persons: int,
    items: int,
    most: Callable[[int], NDArray[np.int64]],
    amounts: Callable[[int], Numbers],
) -> polars.DataFrame:
    who = np.repeat(np.arange(persons), most(persons))
    shares = 1 / np.arange(1, items + 1)
    what = draw.choice(items, len(who), p=shares / shares.sum())
    return polars.DataFrame({"who": who, "what": what, "much": amounts(len(who))})


def sums_tables(draw: np.random.Generator, persons: int) -> dict[str, polars.DataFrame]:
    """Return tables that look like real ones: sales, donations with a heavy tail, hours."""

    def some(mean: float) -> Callable[[int], NDArray[np.int64]]:
        return lambda n: 1 + draw.poisson(mean, n)  # with a mean of 0 one each

    return {
        "sales": sums_table(
            draw, persons, 200, some(2), lambda n: np.round(draw.lognormal(3, 1, n), 2)
        ),
        "donations": sums_table(
            draw, persons, 30, some(0), lambda n: np.round(10 * (1 + draw.pareto(1.6, n)))
        ),
        "hours": sums_table(
            draw, persons, 12, some(4), lambda n: np.round(draw.gamma(2, 1.5, n), 1)
        ),
    }


def sums(name: str, table: polars.DataFrame, epsilon: str, delta: str | None, runs: int) -> Row:
    pairs = table.group_by("who", "what").agg(polars.col("much").sum())
    what, much = pairs["what"].to_numpy(), pairs["much"].to_numpy()
    truth = np.bincount(what, weights=much)
    best_items = np.argsort(-truth)[:PLACES]
    ask = {"item": "what", "person": "who", "cutoff": PLACES, "counts": True, "epsilon": epsilon}
    ask |= {"catalogue": range(len(truth))} | ({} if delta is None else {"delta": delta})

    def error(high: float, deviation: float) -> float:
        lost = np.bincount(what, weights=np.maximum(much - high, 0), minlength=len(truth))
        return math.sqrt(np.mean(lost[best_items] ** 2) + (deviation * high) ** 2)

    public = spread(Question.top(**ask, value={"much": (0, 1)}).plan)
    largest = pairs.group_by("who").agg(polars.col("much").max())["much"].to_numpy()
    tried = np.quantile(largest, [*np.linspace(0.3, 0.99, 60), *(1 - np.logspace(-2, -5, 40))])
    best, end = min((error(float(high), public), float(high)) for high in tried)
    question = Question.top(**ask, value={"much": "auto"})
    found = [question.run(table) for _ in range(runs)]
    errors, ends = [], []
    for answer in found:
        assert answer.bounds is not None
        high = float(answer.bounds[1] - answer.bounds[0])
        plan = within(question, answer.bounds).plan
        errors.append(error(float(answer.bounds[1]), spread(plan) / high))
        ends.append(float(answer.bounds[1]))
    return {
        "name": f"sums: {name}, {table['who'].n_unique():,} persons",
        "epsilon": float(epsilon),
        "delta": delta or "0",
        "best public": round(end, 2),
        "found": round(float(np.median(ends)), 2),
        "error by best": round(float(np.median(errors)) / best, 2),
        "worst of runs": round(max(errors) / best, 2),
    }


def keys_tables(draw: np.random.Generator, persons: int) -> dict[str, polars.DataFrame]:
    """Return tables of persons with 1 to 3 items, with about 10, and with up to 300."""
    held = {
        "1 to 3": (draw.integers(1, 4, persons), 2_000),
        "about 10": (1 + draw.poisson(9, persons), 5_000),
        "up to 300": (np.ceil(np.minimum(300, draw.lognormal(2, 1.3, persons))), 20_000),
    }
    tables = {}
    for name, (most, items) in held.items():
        who = np.repeat(np.arange(persons), most.astype(int))
        shares = np.arange(1, items + 1) ** -0.9
        what = draw.choice(items, len(who), p=shares / shares.sum())
        tables[name] = polars.DataFrame({"who": who, "what": what}).unique()
    return tables


def keys(name: str, table: polars.DataFrame, epsilon: str, runs: int) -> Row:
    ask = {"item": "what", "person": "who", "epsilon": epsilon, "delta": DELTA, "counts": True}
    who, what = table["who"].to_numpy(), table["what"].to_numpy()
    held, truth = np.bincount(who)[who], np.bincount(what)

    def off(items: int) -> float:
        """Return how far a count is off at most in 95 of 100 cases."""
        plan = Question.keys(**ask, items_per_person=items).plan.keys
        assert plan is not None
        assert plan.count_noise is not None
        noise = plan.count_noise
        return float(interval(noise.each, noise.grid, 0)[1] * noise.grid)

    one = off(2) / math.sqrt(2) / 1.96
    frequent = truth > 40 / float(epsilon)

    def error(items: int) -> float:
        kept = np.minimum(1, items / held)
        lost = truth - np.bincount(what, weights=kept)
        chance = np.bincount(what, weights=kept * (1 - kept))
        return float(np.mean(np.sqrt(lost**2 + chance + one**2 * items)[frequent]))

    best = min(FEW, key=error)
    with_best, asked = Question.keys(**ask, items_per_person=best), Question.keys(**ask)
    public = [len(with_best.run(table)) for _ in range(runs)]
    answers = [asked.run(table) for _ in range(runs)]
    items = [int(answer.bounds[0]) for answer in answers if answer.bounds is not None]
    wide = [
        float(interval(noise.each, noise.grid, 0)[1] * noise.grid)
        for answer in answers
        if answer.plan.keys is not None and (noise := answer.plan.keys.count_noise) is not None
    ]
    return {
        "name": f"keys: {name} items, {len(np.unique(who)):,} persons",
        "epsilon": float(epsilon),
        "best public": best,
        "found": int(np.median(items)),
        "interval": math.ceil(float(np.median(wide))),
        "by best": round(float(np.median(wide)) / off(best), 2),
        "by 100": round(float(np.median(wide)) / off(100), 2),
        "keys by best": round(float(np.mean([len(a) for a in answers]) / np.mean(public)), 3),
        "error by best": round(error(int(np.median(items))) / error(best), 2),
    }


def tops(
    name: str, table: polars.DataFrame, delta: str | None, cutoff: int, *, listed: bool, runs: int
) -> Row:
    who, what = table["who"].to_numpy(), table["what"].to_numpy()
    held, truth = np.bincount(who)[who], np.bincount(what)
    highest = np.argsort(-truth)[:cutoff]
    ask = {"item": "what", "person": "who", "cutoff": cutoff, "counts": True, "epsilon": "1"}
    ask |= {"catalogue": range(len(truth))} if listed else {}
    ask |= {} if delta is None else {"delta": delta}

    def error(items: int, deviation: float) -> float:
        kept = np.bincount(what, weights=np.minimum(1, (items or math.inf) / held))
        return math.sqrt(np.mean((truth - kept)[highest] ** 2) + deviation**2)

    usual, question = Question.top(**ask), Question.top(**ask, items_per_person="auto")
    for_all = error(0, spread(usual.plan))
    public = [
        error(items, spread(Question.top(**ask, items_per_person=items).plan))
        for items in FEWER * listed  # without a list each plan takes seconds
    ]
    found, errors = [], []
    for _ in range(runs):
        answer = question.run(table)
        found.append(0 if answer.bounds is None else int(answer.bounds[0]))
        errors.append(error(found[-1], spread(answer.plan)))
    best = round(float(np.mean(errors)) / min([for_all, *public]), 2)
    return {
        "name": f"top {cutoff}: {name} items, {len(np.unique(who)):,} persons",
        "delta": delta or "0",
        "keys first": not listed,
        "found": int(np.median(found)),
        "error by that of all": round(float(np.mean(errors)) / for_all, 2),
        **({"error by best public": best} if listed else {}),
    }


def rows(check: bool) -> list[Row]:
    """Return sums, keys and tops, by table, number of persons and ε."""
    draw, found = np.random.default_rng(30), []
    for persons in (2_000,) if check else (5_000, 20_000):
        for name, table in sums_tables(draw, persons).items():
            for epsilon, delta in [("1", None)] if check else [("1", None), ("1", DELTA)]:
                found.append(sums(name, table, epsilon, delta, 1 if check else 15))
        for name, table in keys_tables(draw, persons).items():
            found.append(keys(name, table, "1", 1 if check else 30))
            for cutoff, delta, listed in TOPS[:1] if check else TOPS:
                runs = 1 if check else 10
                found.append(tops(name, table, delta, cutoff, listed=listed, runs=runs))
    return found
