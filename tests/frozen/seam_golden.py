"""What golden tests ask the house: a request is a `verb` and public numbers as plain data."""

import math
from fractions import Fraction

from overbar import NoGuaranteeError, OverbarError, plan, simulate
from overbar.accounting.guarantees import lone_delta, proved_about, with_unlisted
from overbar.accounting.one_key import BITS, chances
from overbar.audit.exact.law import law_of
from overbar.frames import Question
from overbar.ledger.budget import budget_of
from overbar.ledger.charges import charge_of, settled_for
from overbar.ledger.endings import cost_of, schedule_of
from overbar.paper.methods import METHODS, Setting
from overbar.plans import Reach
from overbar.plans.key_plans import STEPS

DELTAS, PARTS, ORDERS = ("1e-9", "1e-6", "1e-3"), ("1/2", "1", "2"), ("1.5", "2", "8", "64")


def planned(verb, **told):
    """Return the plan of a request, and the δ of items that are read off a table."""
    if verb in ("keys", "unlisted"):
        ask = Question.keys if verb == "keys" else Question.top
        ask = Question.select if "threshold" in told else ask
        question = ask(item="item", person="person", **told)
        return question.plan, Fraction(question.unlisted_delta or 0)
    if "reach" in told:
        told["reach"] = Reach(*map(Fraction, told["reach"]))
    return plan(top=verb == "top", **told), Fraction(0)


def numbers(request):
    """Return all numbers of a plan by name; None stands for one without a bound."""
    try:
        own, unlisted = planned(**request)
    except OverbarError as refused:
        return {"refused": type(refused).__name__}
    proved, more = proved_about(own), lone_delta(own) + unlisted
    whole, epsilon = with_unlisted(proved, more), Fraction(request["epsilon"])
    found = _of_keys(own.keys) if own.keys else {}
    if not own.finds_keys:
        noises = {"query": own.query_noise, "bar": own.threshold_noise, "counts": own.counts}
        for name, noise in noises.items():
            found |= {f"{name} noise": [noise.name, float(noise.scale)]} if noise else {}
        found |= {"correction": float(own.correction), "grid": float(own.grid)}
    found |= {f"epsilon at {delta}": _bounded(whole.at, delta) for delta in DELTAS}
    found |= {f"delta at {part} epsilon": whole.delta(epsilon * Fraction(part)) for part in PARTS}
    found |= {f"divergence at {order}": _bounded(proved.renyi, float(order)) for order in ORDERS}
    delta = Fraction(request.get("delta", 0))
    found |= _charges(own, more, "once", epsilon, delta)
    return found | _charges(own, more, "wide", 32 * epsilon, max(32 * delta, Fraction("1e-6")))


def _bounded(ask, place):
    try:
        return value if math.isfinite(value := float(ask(place))) else None
    except NoGuaranteeError:
        return None


def _of_keys(keys):
    noise, rounds = keys.count_noise, keys.rounds
    found = {"count scales": [float(noise.each.scale), float(noise.rest.scale)]} if noise else {}
    if rounds:
        sigmas = [float(one.sigma) for one in rounds]
        return found | {"sigmas": sigmas, "bars": [one.bar / STEPS for one in rounds]}
    half = next(n for n, chance in enumerate(chances(keys)) if 2 * chance >= 1 << BITS)
    return found | {"persons": [half, len(chances(keys)) - 1]}


def _charges(own, more, name, *size):
    """Return what is charged, and kept by each ending: shares of [ε, order, potential, δ]."""
    budget = settled_for(own, budget_of(*size, None), more)
    try:
        form, charge = charge_of(own, budget, budget.unspent, more)
    except OverbarError as refused:
        return {f"charged {name}": type(refused).__name__}
    ways = ("pure", *["order"] * len(charge.renyi), *["potential"] * bool(budget.potential))

    def shares(cost):
        used = dict(zip(ways, budget.used(cost), strict=True)) | {
            "δ": (cost.delta, budget.additive)
        }
        pairs = (used.get(way, (0, 0)) for way in ("pure", "order", "potential", "δ"))
        return [float(spent / limit) if limit else None for spent, limit in pairs]

    found, most = {f"charged {name}": shares(charge)}, min(own.most_found, 10**6)
    schedule = schedule_of(own, form, charge, budget)
    endings = {"nothing": 0, "none": 0, "one": 1, "half": most // 2, "all": most}
    for end, given in ({} if own.finds in ("keys", "alarms") else endings).items():
        cost = cost_of(own, form, charge, given, end != "nothing", schedule)
        found[f"kept {name} after {end}"] = shares(cost)
    return found


def law(request, scores, threshold):
    """Return the chance of each answer: of a list in turn, or of candidates in a random order."""
    data = scores if isinstance(scores, dict) else tuple(scores)
    found = law_of(planned(**request)[0], threshold).outcomes(data).chances
    return {repr(said): sum(map(math.exp, bounds)) / 2 for said, bounds in found.items()}


def study(request, scores, threshold, runs, seed):
    """Return each measure of each seeded run: of a plan, or of a method of the paper."""
    told = {name: value for name, value in request.items() if name not in ("verb", "method")}
    setting = {"threshold": threshold, **told}
    own = (
        METHODS[request["method"]](Setting(**setting))
        if "method" in request
        else planned(**request)[0]
    )
    found = simulate(own, scores, threshold=threshold, runs=runs, seed=seed).measures()
    return {name: one.values for name, one in found.items()}
