"""Replays, workers, memory, progress, what comes back, and what is refused."""

import contextlib
import os
import signal
import subprocess
import sys
import textwrap
from dataclasses import dataclass

import numpy as np
import pytest

from overbar.errors import ParameterError, ScoreError
from overbar.noise import Exponential, Gaussian, Gumbel, Laplace
from overbar_lab import metrics
from overbar_lab.paper.methods import OneShot
from overbar_lab.paper.references import PermuteAndFlip
from overbar_lab.simulation import Simulated, simulate
from tests.queue_plans import queue_plan
from tests.reference.plans import any_plan

pytestmark = pytest.mark.one_in(3)

SCORES = np.round(500 / np.arange(1, 301))
EXAMPLES = {
    "once": any_plan(Exponential(20), Laplace(5), 60, 7, rounds=1),
    "ten rounds": any_plan(Exponential(20), Laplace(5), 60, 7, rounds=10),
    "without end": any_plan(Gumbel(20), None, 500, 7, rounds=None),
    "resampled": any_plan(Gaussian(20), Laplace(5), 60, 7, rounds=4, resample=True),
    "ranked": any_plan(Exponential(20), Exponential(20), 40, 7, mechanism="ranked"),
    "ranked by gumbel": any_plan(Gumbel(20), Laplace(5), 40, 7, mechanism="ranked"),
    "histogram": any_plan(Laplace(20), None, 40, 7, mechanism="histogram", items_per_person=1),
    "top": any_plan(
        Gaussian(20), None, 0, 7, is_top=True, mechanism="histogram", items_per_person=1
    ),
    "one shot": OneShot(Gumbel(20), 7),
    "permute and flip": PermuteAndFlip(20.0, 7),
}


def run(mechanism, runs=12, **options):
    return simulate(mechanism, SCORES, threshold=100, runs=runs, seed=3, **options).selected


def same(first, second):
    return len(first) == len(second) and all(map(np.array_equal, first, second))


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_run_depends_on_its_seed_and_number_alone(name):
    mechanism = EXAMPLES[name]
    whole = run(mechanism)
    assert any(len(one) for one in whole)
    assert same(whole, run(mechanism, workers=2))
    assert same(whole[4:9], run(mechanism, runs=5, first_run=4, workers=3))
    for number in (0, 7):
        alone = run(mechanism, runs=1, first_run=number)
        assert same(whole[number : number + 1], alone)
    for memory in (1, 80 * 33, 80 * 299):
        assert same(whole, run(mechanism, memory=memory))
    assert not same(whole, whole[::-1])
    other = simulate(mechanism, SCORES, threshold=100, runs=12, seed=4)
    assert not same(whole, other.selected)


def test_many_equal_scores_give_the_same_in_any_blocks():
    plan = any_plan(Exponential(20), Laplace(5), 0, 40, rounds=2)
    scores = np.repeat([150.0, 90.0], 500)
    whole = simulate(plan, scores, threshold=100, runs=5, seed=0).selected
    for memory in (1, 80 * 7, 80 * 700):
        cut = simulate(plan, scores, threshold=100, runs=5, seed=0, memory=memory)
        assert same(whole, cut.selected)


def test_what_comes_back():
    found = simulate(EXAMPLES["once"], SCORES, threshold=100, runs=5, seed=3, first_run=2)
    assert isinstance(found, Simulated)
    assert len(found) == 5
    assert not hasattr(found, "spent")
    assert not hasattr(found, "guarantee")
    assert all(one.dtype == np.int64 and len(one) <= 7 for one in found.selected)
    assert all(len(set(one.tolist())) == len(one) for one in found.selected)
    lines = repr(found).splitlines()
    assert lines[0].startswith("Simulated, not released: runs 2 to 6 of seed 3 on 300 candidates")
    assert all("simulated run" in line for line in lines[1:-1])
    assert lines[-1].strip() == "… and 2 more"
    single = simulate(EXAMPLES["once"], SCORES, threshold=100, runs=1, seed=3)
    assert "run 0 of seed 3" in repr(single)


def test_progress_is_reported():
    seen = []
    run(EXAMPLES["once"], runs=10, progress=lambda done, total: seen.append((done, total)))
    assert seen[0] == (0, 10)
    assert seen[-1] == (10, 10)
    assert seen == sorted(seen)
    with pytest.raises(ParameterError, match="progress must be"):
        run(EXAMPLES["once"], progress=3)


@dataclass(frozen=True)
class Failing:
    how: str
    cutoff: int = 1

    def run(self, candidates, generator):
        if self.how == "raises":
            raise ZeroDivisionError("on purpose")
        raise SystemExit(3)  # ends a worker without a word


def test_trouble_in_a_worker_comes_back():
    with pytest.raises(ZeroDivisionError, match="on purpose"):
        run(Failing("raises"), workers=2)
    with pytest.raises(RuntimeError, match="died; try workers=1"):
        run(Failing("dies"), workers=2)


def test_a_plain_script_may_use_workers(tmp_path):
    """No guard, mechanisms made on the spot, warnings as errors."""
    script = tmp_path / "script.py"
    script.write_text(
        textwrap.dedent("""
        from overbar_lab.simulation import simulate
        class Lowest:
            cutoff = 1
            run = lambda self, candidates, generator: [candidates.scores.argmin()]
        found = simulate(Lowest(), [3, 1, 2], threshold=0, runs=9, seed=0, workers=2)
        print([one.tolist() for one in found.selected])
        """)
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", str(script)], capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    assert done.stdout.strip() == str([[1]] * 9)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"runs": 0}, "runs must be"),
        ({"seed": -1}, "seed must be"),
        ({"seed": None}, "seed must be"),
        ({"seed": True}, "seed must be"),
        ({"first_run": -1}, "first_run must be"),
        ({"workers": 0}, "workers must be"),
        ({"memory": 0}, "memory must be"),
        ({"threshold": "high"}, "threshold must be"),
        ({"plan": "exponential"}, "plan must be"),
    ],
)
def test_bad_parameters_are_refused(change, message):
    wanted = {"plan": EXAMPLES["once"], "scores": SCORES, "threshold": 1, "runs": 1, "seed": 0}
    with pytest.raises(ParameterError, match=message):
        simulate(**(wanted | change))


@pytest.mark.parametrize("scores", [[1, float("nan")], [[1, 2]], ["a"], 5, [1, float("inf")]])
def test_bad_scores_are_refused(scores):
    with pytest.raises(ScoreError):
        simulate(EXAMPLES["once"], scores, threshold=1, runs=1, seed=0)


def test_scores_of_other_kinds():
    pandas = pytest.importorskip("pandas")
    plan = queue_plan(epsilon=50, cutoff=2, candidates=4, monotonic=True)
    for scores in ([9, 0, 8, 0], np.array([9, 0, 8, 0], np.uint8), pandas.Series([9, 0, 8, 0])):
        found = simulate(plan, scores, threshold=5, runs=3, seed=0)
        assert [sorted(one.tolist()) for one in found.selected] == [[0, 2]] * 3


def test_a_seed_may_be_as_long_as_it_likes():
    plan = queue_plan(epsilon=1, cutoff=1, candidates=3)
    long, short = (
        simulate(plan, [1, 2, 3], threshold=2, runs=20, seed=seed) for seed in (2**100, 1)
    )
    assert [run.tolist() for run in long.selected] != [run.tolist() for run in short.selected]


def test_workers_end_with_the_process_that_started_them(tmp_path):
    """Killed without a chance to clean up, it leaves no process behind."""
    script = tmp_path / "script.py"
    script.write_text(
        textwrap.dedent("""
        import os, time
        from overbar_lab import simulate
        class Slow:
            cutoff = 1
            def run(self, candidates, generator):
                os.write(1, f"{os.getpid()}\\n".encode())
                time.sleep(3600)
        simulate(Slow(), [3, 1, 2], threshold=0, runs=9, seed=0, workers=2)
        """)
    )
    with subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE) as started:
        workers = {int(started.stdout.readline()) for _ in range(2)}
        started.kill()
        try:
            # The pipe ends when its last writer is gone: the workers hold it as long as they live.
            assert started.communicate(timeout=600)[0] == b""
        finally:
            for worker in workers:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(worker, signal.SIGKILL)
    assert len(workers) == 2


def test_runs_measure_themselves():
    found = simulate(EXAMPLES["once"], SCORES, threshold=100, runs=6, seed=3, first_run=2)
    assert same(list(found), found.selected)
    by_hand = metrics.measures(found.selected, SCORES, cutoff=7, threshold=100)["precision"]
    assert found.measures()["precision"].values.tolist() == by_hand.values.tolist()
    assert list(found.measures()) == ["ncr", "f1", "precision", "recall"]
    frame = found.to_frame()
    assert list(frame.columns) == [
        "run",
        "selected",
        "comparisons",
        "ncr",
        "f1",
        "precision",
        "recall",
    ]
    assert frame["run"].tolist() == [2, 3, 4, 5, 6, 7]
    assert frame["precision"].tolist() == by_hand.values.tolist()
    wide = found.measures(truth="above")["recall"]
    assert wide.mean <= 1
