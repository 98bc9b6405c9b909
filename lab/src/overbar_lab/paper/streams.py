"""Alarms on a stream: how late they come, and how many are false.

One question an hour: is the count above the threshold? Most hours are quiet. Now and then an event
begins, and the count is high for some hours. After an alarm nobody asks for as long as an event
lasts; that is a public rule, since alarms are public. An event is found at its first alarm.

All runs go through the hours side by side, so a step is one operation on arrays. Requeue is
simplified: it asks one waiting query after each new one, where a release tosses a coin.

Theory: :doc:`/theory/monitor`, :doc:`/theory/mechanism`.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

from overbar import planning
from overbar.mechanisms import MonitorPlan, ScorePlan
from overbar_lab.paper.methods import METHODS
from overbar_lab.paper.setting import Setting
from overbar_lab.paper.study import Conditions, Row, Table, averaged
from overbar_lab.paper.sweep import seed_of
from overbar_lab.simulation.candidates import Indices
from overbar_lab.simulation.seeded import UNITS, Seeded

#: Counts in an hour, and the public level between them.
QUIET, EVENT, THRESHOLD = 100, 500, 300
#: Each event is followed by this many quiet hours for every hour of its own.
PAUSE = 4
#: A monitor: alarms in which one person counts, δ, and of how many persons those counted are.
HITS, DELTA, PERSONS = 3, Fraction(1, 10**6), 10_000
#: By name as in figures: the method behind it, and whether negatives are asked again.
WATCHES = {
    "SVT-Exp (optimal)": ("SVT-Exp (optimal)", False),
    "SVT-Lap": ("SVT-Lap", False),
    "SVT-Exp (halfway)": ("SVT-Exp (halfway)", False),
    "Requeue": ("SVT-Exp (optimal)", True),
    "Monitor": ("", False),
}


@dataclass(frozen=True)
class Streams:
    """Every way to watch, at every ε, for events of several lengths in hours."""

    budgets: tuple[str, ...]
    lengths: tuple[int, ...] = (6, 24)
    events: int = 10
    methods: tuple[str, ...] = tuple(WATCHES)
    share: float = 5.0

    def __call__(self, conditions: Conditions) -> Table:
        """Compute the table."""
        conditions = conditions.times(self.share)
        points = [
            (name, length, epsilon)
            for length in self.lengths
            for name in self.methods
            for epsilon in self.budgets
        ]
        return conditions.each(lambda one: self._watched(*one, conditions), points)

    def _watched(self, name: str, length: int, epsilon: str, conditions: Conditions) -> Row:
        starts = length * (PAUSE + (1 + PAUSE) * np.arange(self.events))
        hours = length * (1 + PAUSE) * self.events
        of_event = np.full(hours, -1)
        for event, start in enumerate(starts):
            of_event[start : start + length] = event
        plan, again = plan_of(name, epsilon, self.events, hours), WATCHES[name][1]
        seed = seed_of(conditions.seed, name, length, epsilon)
        found, alarms = watch(plan, of_event, length, again, conditions.runs, seed)
        known = found >= 0
        late = np.where(known, found - starts, length).clip(0, length).mean(axis=1)
        return {
            "dataset": f"events of {length} hours",
            "method": name,
            "epsilon": float(epsilon),
            "rounds": None,
            "cutoff": self.events,
            "runs": conditions.runs,
            **averaged("delay", late / length),
            **averaged("found", known.mean(axis=1)),
            **averaged("false_alarms", alarms - known.sum(axis=1)),
        }


def plan_of(name: str, epsilon: str, events: int, hours: int) -> ScorePlan:
    """Return the plan that watches; a monitor has as many hits for each person as it says."""
    if name == "Monitor":
        return planning.plan(
            epsilon=epsilon, delta=DELTA, hits_per_person=HITS, candidates=hours // events
        )
    setting = Setting(epsilon, events, hours, THRESHOLD, rounds=1)
    plan = METHODS[WATCHES[name][0]](setting)
    assert isinstance(plan, ScorePlan)
    return plan


def watch(
    plan: ScorePlan, of_event: Indices, length: int, again: bool, runs: int, seed: int
) -> tuple[Indices, Indices]:
    """Return when each event was found, -1 for never, and how many alarms each run gave."""
    generator = np.random.default_rng(seed)
    run = Seeded(generator)
    level = THRESHOLD + float(plan.correction)
    bar = np.full(runs, level)
    if plan.threshold_noise is not None:
        bar += run.draws(plan.threshold_noise, UNITS, runs)
    counts = np.where(of_event >= 0, EVENT, QUIET).astype(np.float64)
    # Of those counted in an hour so many are left after each number of alarms.
    monitor = isinstance(plan, MonitorPlan)
    most = len(of_event) if monitor else plan.cutoff
    share = EVENT / PERSONS if monitor else 0.0
    left = np.asarray(binom.cdf(HITS - 1, np.arange(most + 1), share))
    alarms, silent = np.zeros(runs, dtype=np.int64), np.zeros(runs, dtype=np.int64)
    found = np.full((runs, int(of_event.max()) + 1), -1, dtype=np.int64)
    room, waiting = np.zeros((runs, len(of_event)), dtype=np.int64), np.zeros(runs, dtype=np.int64)
    every = np.arange(runs)

    def ask(now: int, who: Indices, about: Indices) -> NDArray[np.bool_]:
        """Ask some runs about an hour each; return which of them had an alarm."""
        noise = run.draws(plan.query_noise, UNITS, len(who))
        yes = np.asarray(counts[about] * left[alarms[who]] + noise >= bar[who])
        runs_yes, events = who[yes], of_event[about[yes]]
        alarms[runs_yes] += 1
        fresh = (events >= 0) & (found[runs_yes, events] < 0)
        found[runs_yes[fresh], events[fresh]] = now
        silent[runs_yes] = now + length
        return yes

    for now in range(len(of_event)):
        who = every[(silent <= now) & (alarms < most)]
        no = who[~ask(now, who, np.full(len(who), now))]
        if not again:
            continue
        room[no, waiting[no]] = now
        waiting[no] += 1
        who = every[(waiting > 0) & (alarms < most)]
        place = (generator.random(len(who)) * waiting[who]).astype(np.int64)
        yes = ask(now, who, room[who, place])
        # Who was found waits no longer; the last one takes the place.
        who, place = who[yes], place[yes]
        waiting[who] -= 1
        room[who, place] = room[who, waiting[who]]
    return found, alarms
