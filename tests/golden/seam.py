"""What golden tests ask the house: a request is a `verb` and public numbers as plain data."""

import json
import math
from collections import defaultdict
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from types import SimpleNamespace

from overbar import NoGuaranteeError, OverbarError, Plan, plan
from overbar.audit import between
from overbar.frames import Question
from overbar.ledger import charges, endings
from overbar.ledger.budget import budget_of
from overbar.mechanisms import HistogramPlan, KeyPlan, RankedPlan, Reach, SparseVectorPlan
from overbar.mechanisms.key_values import STEPS, Round
from overbar.mechanisms.monitor import best_hits_order as _order
from overbar.mechanisms.one_key import BITS, chances
from overbar.mechanisms.plan_file import FILE_VERSION
from overbar.mechanisms.together import composed
from overbar.noise import NOISES
from overbar.privacy import unlisted_delta
from overbar.privacy.guarantees import proved_about, with_unlisted
from overbar_lab import simulate
from overbar_lab.paper.methods import METHODS, Setting
from tests.golden.compare import BROKEN

DELTAS, PARTS, ORDERS = ("1e-9", "1e-6", "1e-3"), ("1/2", "1", "2"), ("1.5", "2", "8", "64")
#: Where golden noise is not exact, a plan by hand has a hair more, and so more privacy.
HAIR = 1 + Fraction(2, 10**16)
#: Noise uses its budget up to the last digit: it is booked on so much more.
ROOM = 1 + Fraction(1, 10**4)


def planned(verb, **told):
    """Return the plan of a request, and what says the δ of items that are read off a table."""
    if verb in ("keys", "unlisted select", "unlisted top"):
        question = getattr(Question, verb.split()[-1])(item="item", person="person", **told)
        bar, items = question.threshold, question.measure.items_per_person
        return question.plan, lambda own: 0 if own.keys else unlisted_delta(own, bar, items)
    reach = {"reach": Reach(*map(Fraction, told.pop("reach")))} if "reach" in told else {}
    return plan(top=verb == "top", **told, **reach), lambda _: 0


@lru_cache(maxsize=8)  # asked for its own numbers, and for those by hand
def _planned(text):
    return planned(**json.loads(text))


def numbers(request, golden=None):
    """Return all numbers of a plan by name; None stands for one without a bound.

    With golden numbers they are those of the plan by hand that has their noise.
    """
    try:
        own, unlisted = _planned(json.dumps(request))
        own = by_hand(own, golden, request.get("delta", 0)) if golden else own
        proved, more = proved_about(own), own.lone_delta() + Fraction(unlisted(own))
    except OverbarError as refused:
        return {"refused": type(refused).__name__}
    whole, epsilon = with_unlisted(proved, more), Fraction(request["epsilon"])
    delta = Fraction(request.get("delta", 0))
    found = _of_keys(own.keys) if own.keys else {}
    if not isinstance(own, KeyPlan):
        for name in ("query_noise", "threshold_noise", "counts"):
            found |= {name: [one.name, float(one.scale)]} if (one := getattr(own, name)) else {}
        found |= {"correction": float(own.correction), "grid": float(own.grid)}
    found |= {f"epsilon at {delta}": _bounded(whole.at, delta) for delta in DELTAS}
    found |= {f"delta at {part} epsilon": whole.delta(epsilon * Fraction(part)) for part in PARTS}
    found |= {f"divergence at {order}": _bounded(proved.renyi, float(order)) for order in ORDERS}
    found |= _charges(own, more, "once", epsilon * ROOM, delta)
    found |= _charges(own, more, "wide", 32 * epsilon, max(32 * delta, Fraction("1e-6")))
    return found | ({} if whole.implies(epsilon, delta) else {BROKEN: True})


def by_hand(own, golden, delta):
    """Return a plan with the noise, correction and grid of golden numbers; all else stays.

    So do the chances of a search for one key, which follow from ε and δ alone.
    """
    keys = _keys(own.keys, golden) if {"sigmas", "persons"} & golden.keys() else None
    if "query_noise" not in golden:
        return keys
    pure = golden["query_noise"][0] in ("exponential", "laplace")
    query, bar, counts = (
        NOISES[golden[name][0]](_more(golden[name][1], pure)) if name in golden else None
        for name in ("query_noise", "threshold_noise", "counts")
    )
    grid = own.grid * Fraction(2) ** round(math.log2(golden["grid"] / own.grid))
    correction = round(Fraction(golden["correction"]) / grid) * grid
    over = own.bar and replace(own.bar, noise=bar, correction=correction)
    labels, more = own.labels, {}
    if isinstance(
        labels, HistogramPlan | RankedPlan
    ):  # of two kinds, told apart by the names of noises
        values = own.gives_counts and counts is None
        if query.name in ("laplace", "gaussian"):
            kind, more = HistogramPlan, {"values": values}
        else:
            kind, more = RankedPlan, {"shared": bar if values else None}
            over = over and replace(over, noise=None if values else bar)
        labels = kind(query, over, own.cutoff, own.reach, grid, own.items_per_person)
    elif getattr(labels, "renyi_order", None):  # which goes with the noise
        asked = SimpleNamespace(hits=own.hits, reach=own.reach, delta=Fraction(delta))
        more = {"renyi_order": _order(asked, query)}
    labels = replace(labels, query_noise=query, bar=over, grid=grid, **more)
    return composed(labels, counts=counts, first=keys, groups=own.groups)


def _keys(keys, golden):
    """Return a search for keys with other noise."""
    more, noise = {}, keys.count_noise
    if noise:
        each, rest = map(type(noise.each), map(_more, golden["count scales"]))
        more["count_noise"] = replace(noise, each=each, rest=rest)
    if "sigmas" in golden:
        rounds = zip(map(_more, golden["sigmas"]), golden["bars"], strict=True)
        more["rounds"] = tuple(Round(sigma, math.ceil(bar * STEPS)) for sigma, bar in rounds)
    return replace(keys, **more)


def _more(number, pure=False):
    short = Fraction(f"{number:.15g}")  # as scales are that are searched for; others are quotients
    return short if float(short) == number and not pure else Fraction(number) * HAIR


def _bounded(ask, place):
    with suppress(NoGuaranteeError):
        return value if math.isfinite(value := float(ask(place))) else None


def _of_keys(keys):
    noise = keys.count_noise
    found = {"count scales": [float(noise.each.scale), float(noise.rest.scale)]} if noise else {}
    if keys.rounds:
        sigmas = [float(one.sigma) for one in keys.rounds]
        return found | {"sigmas": sigmas, "bars": [one.bar / STEPS for one in keys.rounds]}
    half = next(n for n, chance in enumerate(chances(keys)) if 2 * chance >= 1 << BITS)
    return found | {"persons": [half, len(chances(keys)) - 1]}


def _charges(own, more, name, *size):
    """Return what is charged, and kept by each ending: of a budget's δ and ways."""
    budget = charges.settled_for(own, budget_of(*size, None), more)
    try:
        form, charge = charges.charge_of(own, budget, budget.unspent, more)
    except OverbarError as refused:
        return {f"charged {name}": type(refused).__name__}
    most, schedule = min(own.most_found, 10**6), endings.schedule_of(own, form, charge, budget)
    costs = {f"charged {name}": charge}
    for end, given in (("none", 0), ("one", 1), ("half", most // 2), ("all", most)):
        costs[f"kept {name} at {end}"] = endings.cost_of(own, form, charge, given, True, schedule)
    return {each: _shares(cost, budget) for each, cost in costs.items()}


def _shares(cost, budget):
    ways = [(cost.delta, budget.additive), *budget.used(cost)]
    return [float(spent / most) if most else 0.0 for spent, most in ways]


def law(run, scores, level):
    """Return the chance of each answer: of a list in turn, or of candidates in a random order."""
    told = {name: value for name, value in run.items() if name != "order"}  # always a random one
    own = Plan.from_json(json.dumps({"overbar_plan": FILE_VERSION, **told}))
    in_order = isinstance(scores, list)
    in_turn = in_order and isinstance(own, SparseVectorPlan)
    online = in_turn and own.repeats.rounds is not None
    release = "answers" if online else "labels"
    exact = between.law(own, scores, threshold=level, release=release, public_order=in_order)
    summed = defaultdict(float)
    for said, bounds in exact.chances.items():
        kept = said
        if online:  # the positives
            kept = tuple(query for query, yes in said if yes)
        elif own.gives_values:  # without that of one more
            kept = tuple(zip(*said, strict=False))
        ordered = sorted(kept) if isinstance(own, KeyPlan) else kept  # keys are in no order
        summed[str(ordered)] += sum(map(math.exp, bounds)) / 2
    return summed


def study(request, scores, threshold, runs, seed):
    """Return each measure of each seeded run: of a plan, or of a method of the paper."""
    told = {name: value for name, value in request.items() if name not in ("verb", "method")}
    method = METHODS.get(request.get("method"))
    own = method(Setting(**told, threshold=threshold)) if method else planned(**request)[0]
    found = simulate(own, scores, threshold=threshold, runs=runs, seed=seed).measures().items()
    return {name: one.values for name, one in found}
