"""What is compared: datasets, methods, what race accounting gains, and the numbers of errata.

**The run that shows that Rényi costs of positives do not add up.** General queries, sensitivity
one, Laplace ρ of scale 10, exponential noise of scale 20, threshold and correction zero. The first
query is 0 on D and 1 on its neighbour; then fifty queries of 0.25 on D and -0.75 on the neighbour.
The event: a negative, then fifty positives.

Theory: :doc:`/theory/counterexample`.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from fractions import Fraction

import numpy as np

from overbar.accuracy import (
    Difference,
    correction_term,
    failure_probability,
    success_probability,
)
from overbar.mechanisms import Bar, Reach, Repeats, ScorePlan, SparseVectorPlan
from overbar.noise import Exponential, Gaussian, Laplace
from overbar.planning import budget_ratio
from overbar.privacy import epsilon_from_renyi, pure_renyi
from overbar_lab.datasets.registry import entry
from overbar_lab.paper.corrections import PRINTED
from overbar_lab.paper.formulas import pair
from overbar_lab.paper.methods import METHODS, OneShot, Setting
from overbar_lab.paper.study import Conditions, Row, Table, rows_of


def dataset_table(conditions: Conditions, *, datasets: tuple[str, ...]) -> Table:
    """What the files hold beside what the paper prints; absent ones as the registry has them."""
    here = {one.name: one for one in conditions.data.load(datasets)}
    rows: Table = []
    for name in (*datasets, *(name for name in here if name not in datasets)):
        known, read = entry(name), here.get(name)
        rows.append(
            {
                "dataset": known.title,
                "read": read is not None,
                "kind": known.kind,
                "printed_records": known.paper_records,
                "records": read.records if read else known.records,
                "items": len(read) if read else known.items,
                "threshold": known.threshold,
                "cutoff": known.cutoff,
                "passing": read.passing if read else None,
                "at_rank_c": float(read.at_rank(read.cutoff)) if read else None,
                "at_rank_c_plus_1": float(read.at_rank(read.cutoff + 1)) if read else None,
                "note": known.note,
            }
        )
    return rows


def score_profile(conditions: Conditions, *, datasets: tuple[str, ...], places: int = 120) -> Table:
    """Scores in descending order, at ranks evenly spread on a logarithmic scale."""
    rows: Table = []
    for dataset in conditions.data.load(datasets):
        falling = np.sort(dataset.scores)[::-1]
        ranks = np.unique(np.geomspace(1, len(falling), places).round().astype(int))
        rows += rows_of(
            {
                "dataset": dataset.title,
                "rank": ranks,
                "score": falling[ranks - 1].astype(np.float64),
                "threshold": dataset.threshold,
            }
        )
    return rows


def baselines(
    conditions: Conditions,
    *,
    methods: tuple[str, ...],
    epsilon: str = "1",
    cutoff: int = 50,
    candidates: int = 10_000,
) -> Table:
    """The noises and corrections of the compared methods, read off what is simulated."""
    del conditions
    setting = Setting(
        epsilon=epsilon,
        cutoff=cutoff,
        candidates=candidates,
        threshold=0,
        people=candidates,
        upper_bound=candidates,
    )
    rows: Table = []
    for name in methods:
        built = METHODS[name](setting)
        plan = built if isinstance(built, ScorePlan) else None
        query = plan.query_noise if plan else built.noise if isinstance(built, OneShot) else None
        threshold = plan.threshold_noise if plan else None
        rows.append(
            {
                "method": name,
                "query_noise": query.name if query else None,
                "query_scale": float(query.scale) if query else None,
                "threshold_noise": threshold.name if threshold else None,
                "threshold_scale": float(threshold.scale) if threshold else None,
                "correction": float(plan.correction) if plan else None,
                "privacy": METHODS[name].privacy,
            }
        )
    return rows


def noise_at_equal_privacy(
    conditions: Conditions,
    *,
    cutoffs: tuple[int, ...] = (5, 50, 500),
    budgets: tuple[str, ...] = ("0.1", "0.3", "1", "3"),
    delta: str = "1e-6",
    monotonic: bool = True,
) -> Table:
    """Query noise at equal (ε, δ): by the pure theorem, and as a race.

    Once appending makes a run a race, the scale of the query noise decides its accuracy.
    """
    names = ("SVT-Exp (mean)", "race-accounted", "race-accounted, bare threshold")

    def at(place: tuple[int, str]) -> Row:
        cutoff, epsilon = place
        setting = Setting(
            epsilon=epsilon,
            cutoff=cutoff,
            candidates=10_000,
            threshold=0,
            monotonic=monotonic,
            delta=delta,
            upper_bound=0,
        )
        plans = [METHODS[name](setting) for name in names]
        pure, race, bare = (
            float(plan.query_noise.scale) for plan in plans if isinstance(plan, ScorePlan)
        )
        return {
            "cutoff": cutoff,
            "epsilon": float(epsilon),
            "delta": float(delta),
            "pure_scale": pure,
            "race_scale": race,
            "bare_scale": bare,
            "gain": pure / race,
            "gain_bare": pure / bare,
        }

    return conditions.each(at, list(itertools.product(cutoffs, budgets)))


#: Positives of the counterexample.
POSITIVES = 50


def errata_numbers(
    conditions: Conditions,
    *,
    cutoff: int = 50,
    negatives: int = 200,
    rounds: int = 20,
    chance: float = 0.1,
    claimed_epsilon: float = 3.56,
    claimed_delta: float = 1e-5,
) -> Table:
    """Numbers behind the errata that need no simulation, by the key their texts name."""
    del conditions
    # ε₁ = 1/10 for each draw, ε₂ = 1 in all.
    counts = Reach(Fraction(0), Fraction(1))
    once = SparseVectorPlan(
        Exponential(Fraction(cutoff)), Bar(Laplace(Fraction(10))), cutoff, counts
    )
    anew = replace(once, repeats=Repeats(resample=True))
    noises = pair("exponential", epsilon=1.0, cutoff=cutoff, monotonic=True)
    best, shared = (
        correction_term(way, *noises, negatives=negatives) for way in ("optimal", "optimal-shared")
    )

    def success(r: float, one: bool) -> float:
        return float(success_probability(r, *noises, negatives=negatives, shared=one))

    alpha = Fraction(4 * (math.log(50) + math.log(2 / 0.05)))
    halves = pair("exponential", epsilon=1.0, ratio=1.0)
    here, there = (chance_of_the_run(on_neighbour=one) for one in (False, True))
    adding_up, _ = epsilon_from_renyi(
        lambda order: 51 * pure_renyi(0.1, order), math.log(claimed_delta)
    )
    unit = Gaussian(Fraction(1))
    split = budget_ratio(Laplace, Laplace, cutoff=cutoff, back=Fraction(1), resample=False)
    mixed = pair("exponential", epsilon=1.0, cutoff=cutoff, monotonic=True, ratio=split)
    rows = [
        ("once", "pure budget, threshold drawn once", "ε₁ + ε₂", float(once.pure())),
        ("anew", "pure budget, threshold drawn anew", "(cε₁, ε₂)",
         float(anew.pure())),
        ("multiplied", "success at the optimal correction, multiplied", "p(r)",
         success(best, False)),
        ("shared", "success there with the one ρ of a run", "p(r)", success(best, True)),
        ("shared_correction", "best correction with one ρ", f"{best:.4f}", shared),
        ("shared_success", "success at that correction", "", success(shared, True)),
        ("rounds", f"chance after {rounds} rounds at {chance:g} a round", f"{rounds * chance:g}",
         -math.expm1(rounds * math.log1p(-chance))),
        ("theorem_4", "failure where Theorem 4 says 0.05 (k = 50, r = 0)", "0.05",
         failure_probability(alpha, *halves, negatives=50, shared=True)),
        ("theorem_4_best", "the same at the optimal correction", "0.05",
         failure_probability(alpha, *halves, negatives=50, shared=True,
                             correction=correction_term("optimal", *halves, 50, alpha))),
        ("theorem_4_laplace", "the same for Laplace noise, r = 0", "0.05",
         failure_probability(alpha, *pair("laplace", epsilon=1.0, ratio=1.0), negatives=50,
                             shared=True)),
        ("alpha", "tolerance of Theorem 4 at β = 0.05, k = 50", "", float(alpha)),
        ("steps", "tolerance by the steps of its proof", "", 2 * float(alpha)),
        *((f"gap_{t}", f"lead of p = 0.1 over p = 0.05 after {t} rounds", f"{0.05 * t:g}",
           0.95**t - 0.9**t) for t in (1, 13, 100)),
        *((f"implied_{row}", f"k whose optimal term times ε is {optimal * e:.1f}", "",
           1 / float(Difference(*mixed).sf(optimal * e)) - 1)
          for row, (e, optimal, _) in enumerate(PRINTED, 1)),
        ("printed_beta", "printed bound on β there, 2·exp((ln k − αε)/4)", "0.05",
         2 * math.exp((math.log(50) - float(alpha)) / 4)),
        ("renyi_epsilon", "ε that adding up Rényi costs claims at δ = 1e-5", "", adding_up),
        ("chance", "chance of the counterexample on D", "", here),
        ("chance_neighbour", "chance of the counterexample on its neighbour", "", there),
        ("renyi_delta", "δ at ε = 3.56 is at least", f"{claimed_delta:g}",
         here - math.exp(claimed_epsilon) * there),
        *((f"gaussian_{far}", f"loss of one Gaussian comparison {far} deviations out", "bounded",
           float(unit.logsf(float(far)) - unit.logsf(far + 1.0))) for far in (5, 50, 500)),
        *_gumbel_proof(),
        *((f"correction_{k}", f"optimal term times ε at the printed split, k = {k}", "",
           correction_term("optimal", *mixed, negatives=k)) for k in (200, 825)),
        ("printed_mean", "mean term at ε = 0.01 and the printed split", "5332.08",
         100 * mixed[0].mean),
    ]  # fmt: skip
    return [dict(zip(("key", "what", "printed", "measured"), row, strict=True)) for row in rows]


def _gumbel_proof() -> list[tuple[str, str, str, float]]:
    """f(b) = 1 - e^(ab) - b(1 - e^a), a < 0: its slope is not as printed, and changes sign."""
    a, b = -1.0, np.linspace(0, 1, 1001)
    f = 1 - np.exp(a * b) - b * (1 - math.exp(a))
    slope = -a * np.exp(a * b) - (1 - math.exp(a))
    return [
        ("gumbel_least", "least f(b) over 0 ≤ b ≤ 1 at a = −1", "0 at b = 0", float(f.min())),
        ("gumbel_end", "f(1)", "", float(f[-1])),
        ("gumbel_slope_start", "slope of f at b = 0", "≥ 0", float(slope[0])),
        ("gumbel_slope_end", "slope of f at b = 1", "≥ 0", float(slope[-1])),
    ]


def chance_of_the_run(*, on_neighbour: bool) -> float:
    """Return the probability of the event, integrated over the threshold noise.

    >>> f"{chance_of_the_run(on_neighbour=False):.5e}"
    '6.58997e-04'
    >>> f"{chance_of_the_run(on_neighbour=True):.5e}"
    '4.13288e-06'
    """
    from scipy import integrate

    first, later = (1.0, -0.75) if on_neighbour else (0.0, 0.25)
    query, threshold = Exponential(Fraction(20)), Laplace(Fraction(10))

    def integrand(rho: float) -> float:
        return float(
            threshold.pdf(rho) * query.cdf(rho - first) * query.sf(rho - later) ** POSITIVES
        )

    # The first query is certainly positive below its own score: nothing is missed there.
    corners = sorted({first, max(first, later), 5.0, 20.0, 400.0})
    return math.fsum(
        integrate.quad(integrand, low, high, epsabs=0, epsrel=1e-10, limit=200)[0]
        for low, high in itertools.pairwise(corners)
    )
