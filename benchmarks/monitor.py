"""What a limit for each person buys, and how fast a monitor answers.

Run with ``python -m benchmarks monitor``. Scales of the noise at ε = 1 and δ = 10⁻⁶ on counts: of
monitors, and of runs with a cutoff; for how many alarms weights last; and the processor time of a
question about 10,000 of a million persons, half of whom are left out.
"""

from __future__ import annotations

import random
import tempfile
import time
from pathlib import Path

import overbar
from overbar.mechanisms.monitor import charges_of

PRIVACY = {"epsilon": 1, "delta": "1e-6"}
Row = dict[str, object]


def scale(plan: overbar.Plan) -> float:
    return round(float(plan.query_noise.scale), 2)


def scales(check: bool) -> list[Row]:
    rows: list[Row] = []
    for hits in (1, 5) if check else (1, 2, 5, 10, 20):
        plan = overbar.plan(hits_per_person=hits, candidates=100, **PRIVACY)
        rows.append({"name": f"{hits} hits a person, alarms without end", "scale": scale(plan)})
    for cutoff in () if check else (100, 500, 1_000):
        run = overbar.plan(
            cutoff=cutoff,
            monotonic=True,
            candidates=36_500,
            mechanism="sparse-vector",
            **PRIVACY,
        )
        rows.append({"name": f"a run with a cutoff of {cutoff:,}", "scale": scale(run)})
    plan = overbar.plan(hits_per_person=5, weights=True, candidates=100, **PRIVACY)
    costs, most = charges_of(plan)
    for steps in (1_000, 500, 200, 100, 50):
        name = f"weights that are paid for, 5 full hits: {steps / 1000:g}"
        rows.append({"name": name, "scale": scale(plan), "alarms": most // costs[steps]})
    return rows


def speed(check: bool) -> list[Row]:
    persons, size, questions = (10_000, 1_000, 3) if check else (1_000_000, 10_000, 100)
    ids = [f"person {number:07d}" for number in range(persons)]
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "watch.db")
        plan = overbar.plan(hits_per_person=1, candidates=100, **PRIVACY)
        own = overbar.Monitor(plan, store=path)
        assert own.ask(ids[::2], threshold=100)
        own.close()
        begun = time.process_time()
        own = overbar.Monitor(plan, store=path, threshold=10 * persons)
        rows.append({"name": "opening the store", "ms": 1e3 * (time.process_time() - begun)})
        for name, among in (("text", ids), ("whole numbers", range(persons))):
            sets = [random.Random(seed).sample(among, size) for seed in range(questions)]
            begun = time.process_time()
            assert not any(map(own.ask, sets))
            spent = (time.process_time() - begun) / questions
            rows.append(
                {"name": f"{size:,} of {persons:,} persons, ids are {name}", "ms": 1e3 * spent}
            )
        begun = time.process_time()
        assert own.ask(sets[0], threshold=100)
        rows.append({"name": "the same, an alarm", "ms": 1e3 * (time.process_time() - begun)})
        own.close()
    return rows


def rows(check: bool = False) -> list[Row]:
    return [*scales(check), *speed(check)]
