"""The house as it was, asked for the numbers of a plan: never changed, run with its own code."""

import math
from contextlib import suppress
from fractions import Fraction

from overbar import NoGuaranteeError, OverbarError, plan
from overbar.accounting.guarantees import lone_delta, proved_about, with_unlisted
from overbar.accounting.one_key import BITS, chances
from overbar.frames import Question
from overbar.ledger import charges, endings
from overbar.ledger.budget import budget_of
from overbar.plans import Reach
from overbar.plans.key_plans import STEPS

DELTAS, PARTS, ORDERS = ("1e-9", "1e-6", "1e-3"), ("1/2", "1", "2"), ("1.5", "2", "8", "64")


def planned(verb, **told):
    """Return the plan of a request, and the δ of items that are read off a table."""
    if verb in ("keys", "unlisted select", "unlisted top"):
        question = getattr(Question, verb.split()[-1])(item="item", person="person", **told)
        return question.plan, Fraction(question.unlisted_delta or 0)
    reach = {"reach": Reach(*map(Fraction, told.pop("reach")))} if "reach" in told else {}
    return plan(top=verb == "top", **told, **reach), Fraction(0)


def numbers(request):
    """Return all numbers of a plan by name; None stands for one without a bound."""
    try:
        own, unlisted = planned(**request)
    except OverbarError as refused:
        return {"refused": type(refused).__name__}
    proved, more = proved_about(own), lone_delta(own) + unlisted
    whole, epsilon = with_unlisted(proved, more), Fraction(request["epsilon"])
    found = _of_keys(own.keys) if own.keys else {}
    if own.labels.finds != "keys":
        for name in ("query_noise", "threshold_noise", "counts"):
            found |= {name: [one.name, float(one.scale)]} if (one := getattr(own, name)) else {}
        found |= {"correction": float(own.correction), "grid": float(own.grid)}
    found |= {f"epsilon at {delta}": _bounded(whole.at, delta) for delta in DELTAS}
    found |= {f"delta at {part} epsilon": whole.delta(epsilon * Fraction(part)) for part in PARTS}
    found |= {f"divergence at {order}": _bounded(proved.renyi, float(order)) for order in ORDERS}
    delta = Fraction(request.get("delta", 0))
    found |= _charges(own, more, "once", epsilon, delta)
    return found | _charges(own, more, "wide", 32 * epsilon, max(32 * delta, Fraction("1e-6")))


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
