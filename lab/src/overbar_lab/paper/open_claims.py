"""Judges of what the paper leaves open: see open_studies."""

from __future__ import annotations

import math

from overbar_lab.paper.claim import OURS, UNKNOWN, Judgement, MethodPair, Pairs, graded, pairs
from overbar_lab.paper.factors import CHOICES, worth
from overbar_lab.paper.misplaced import FOUND
from overbar_lab.paper.study import Table, number, only, values

#: Where somebody is that close to the best there is nothing to find out.
NEAR = 0.02
#: So much worse at one point is not called worse: in the accuracy of a model.
WORSE = 0.02
#: What a threshold may cost that is a fifth off, and one that is found first.
OFF, FINDING = 0.05, 0.02
LAPLACE = "SVT-Lap"


def _on_a_stream(table: Table, one: str, other: str) -> tuple[Pairs, Pairs, Pairs]:
    """Return delay, events found and false alarms wherever the other is not at once everywhere."""
    keys = ("dataset", "epsilon")
    places = {
        tuple(row[key] for key in keys)
        for row in only(table, method=other)
        if number(row, "delay") > NEAR
    }
    delay, found, false = (
        pairs(table, one, other, measure, keys).where(
            lambda pair: tuple(pair.one[key] for key in keys) in places
        )
        for measure in ("delay", "found", "false_alarms")
    )
    return delay, found, false


def _stream(one: str, other: str, table: Table) -> Judgement:
    """Judge whether one finds more events than the other, and sooner."""
    delay, found, false = _on_a_stream(table, one, other)
    if not delay:
        return UNKNOWN, f"{other} finds every event at once"
    measured = (
        f"at {len(delay)} points, on average: delay {delay} of an event, events found {found}, "
        f"false alarms in a run {false}; sooner at {delay.behind} points and later at {delay.ahead}"
        f", more found at {found.ahead} and fewer at {found.behind}"
    )
    holds = delay.behind and found.ahead and not (delay.ahead or found.behind)
    return graded(bool(holds), delay.sign < 0 or found.sign > 0), measured


def _misplaced(table: Table) -> Judgement:
    """Judge what SVT-Exp loses where the threshold is up to a fifth off."""
    ours = only(table, method=OURS)
    right = {row["dataset"]: row for row in only(ours, off=0)}
    low, high = (
        Pairs(
            MethodPair(row, right[row["dataset"]])
            for row in ours
            if 0 < sign * number(row, "off") <= 20
        )
        for sign in (-1, 1)
    )
    good = [all(pair.difference >= -OFF - pair.reach for pair in of) for of in (low, high)]
    measured = f"too low: {low.least.difference:+.3f} at worst ({low.least}); too high: "
    return graded(all(good), any(good)), f"{measured}{high.least.difference:+.3f} ({high.least})"


def _found_first(table: Table) -> Judgement:
    """Judge what it costs to find the threshold with a part of ε."""
    of = pairs(only(table, off=0), FOUND, OURS, keys=("dataset",))
    good = [pair.difference >= -FINDING - pair.reach for pair in of]
    measured = f"beside the right threshold {of} on average; least: {of.least}"
    return graded(all(good), any(good)), measured


def _levels(table: Table) -> Judgement:
    """Judge whether the order of methods is the same level by level."""
    first, second = (
        pairs(table, one, other, "f1") for one, other in (("peeling", OURS), (OURS, LAPLACE))
    )
    good = [of.sign > 0 for of in (first, second)]
    measured = f"F1 on average: peeling over {OURS} {first}, that over SVT-Lap {second}"
    return graded(all(good), any(good)), measured


def _choices(table: Table) -> Judgement:
    """Judge whether the correction adds most, at every ε and by both measures."""
    first, *_ = CHOICES
    rivals = [name for name in CHOICES if "correction" not in name]
    good, texts = [], []
    for measure, name in (("ncr", "NCR"), ("f1", "F1")):
        for epsilon in values(table, "epsilon"):
            best = worth(table, first, measure, epsilon)
            rest = [worth(table, rival, measure, epsilon) for rival in rivals]
            good += [best.mean - of.mean > math.hypot(best.reach, of.reach) for of in rest]
        texts += [f"{name}: {choice} {worth(table, choice, measure)}" for choice in CHOICES]
    return graded(all(good), 2 * sum(good) > len(good)), f"over all ε, {'; '.join(texts)}"


def _model(table: Table) -> Judgement:
    of = pairs(table, OURS, LAPLACE, "accuracy")
    measured = f"over SVT-Lap {of} on average; {of.least.difference:+.3f} to "
    clear = of.sign > 0 and all(pair.difference > -WORSE - pair.reach for pair in of)
    return graded(clear, of.sign > 0), f"{measured}{of.most.difference:+.3f}"
