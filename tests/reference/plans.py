"""Plans of any kind from one list of numbers, so that a test can go through all kinds."""

from fractions import Fraction

from overbar.mechanisms import (
    Bar,
    Composed,
    Groups,
    HistogramPlan,
    RankedPlan,
    Reach,
    Repeats,
    SparseVectorPlan,
)
from overbar.mechanisms.together import composed
from overbar.noise import Gumbel


def any_plan(
    query_noise,
    threshold_noise,
    correction=0,
    cutoff=1,
    sensitivity=1,
    monotonic=False,
    resample=False,
    rounds=1,
    max_queries=None,
    grid=Fraction(1),
    is_top=False,
    mechanism="sparse-vector",
    items_per_person=None,
    counts=None,
    first=None,
    groups=None,
    groups_per_person=None,
    reach=None,
):
    """Return the plan of a mechanism; `counts` are its values where they have its noise."""
    reach = reach or Reach.of(sensitivity, monotonic=monotonic)
    values = counts is not None and counts == query_noise
    if mechanism == "sparse-vector":
        bar = Bar(threshold_noise, correction, above_all=is_top)
        repeats = Repeats(rounds, resample, max_queries)
        numbers = (query_noise, bar, cutoff, reach, grid, repeats, items_per_person)
        plan = SparseVectorPlan(*numbers)
    elif mechanism == "histogram":
        bar = None if is_top else Bar(threshold_noise, correction)
        plan = HistogramPlan(query_noise, bar, cutoff, reach, grid, items_per_person, values)
    else:
        values = values and type(query_noise) is Gumbel
        bar = None if is_top else Bar(None if values else threshold_noise, correction)
        shared = threshold_noise if values else None
        plan = RankedPlan(query_noise, bar, cutoff, reach, grid, items_per_person, shared)
    several = None if groups is None else Groups(groups, groups_per_person)
    return composed(plan, counts=None if values else counts, first=first, groups=several)


def numbers_of(plan):
    """Return what :func:`any_plan` makes a plan of."""
    labels = plan.labels
    numbers = {
        "query_noise": plan.query_noise,
        "threshold_noise": plan.threshold_noise,
        "correction": plan.correction,
        "cutoff": plan.cutoff,
        "reach": plan.reach,
        "grid": plan.grid,
        "is_top": plan.for_top,
        "mechanism": labels.kind,
        "items_per_person": plan.items_per_person,
    }
    if isinstance(labels, SparseVectorPlan):
        repeats = labels.repeats
        numbers |= {"rounds": repeats.rounds, "resample": repeats.resample}
        numbers |= {"max_queries": repeats.max_queries}
    if plan.gives_values:
        numbers["counts"] = plan.query_noise
    if isinstance(plan, Composed):
        numbers["first"] = plan.first
        if plan.counts is not None:
            numbers["counts"] = plan.counts
        if plan.groups is not None:
            numbers |= {"groups": plan.groups.count, "groups_per_person": plan.groups.per_person}
    return numbers


def repeats_of(plan):
    """Return how often candidates are asked: once, where the highest values win."""
    return getattr(plan.labels, "repeats", Repeats())


def other_plan(plan, **changes):
    """Return a plan with other numbers, or of another kind."""
    numbers = numbers_of(plan)
    if {"sensitivity", "monotonic"} & set(changes):
        reach = numbers.pop("reach")
        numbers |= {"sensitivity": reach.most, "monotonic": reach.one_way}
    return any_plan(**numbers | changes)
