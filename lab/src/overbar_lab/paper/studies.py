"""Every figure and table of the paper, and our own, in the order of the report.

Where the paper has each of them is said in inventory.csv.
"""

from __future__ import annotations

import itertools

from overbar_lab.paper import corrections, figures, overview
from overbar_lab.paper.ablation import BestBar, FreeGap
from overbar_lab.paper.formula_studies import CATALOGUE, COMPARED, SIX, THEORY
from overbar_lab.paper.methods import PAPER_RENYI
from overbar_lab.paper.open_studies import OPEN
from overbar_lab.paper.overview import errata_numbers
from overbar_lab.paper.panels import MEASURES, Panels
from overbar_lab.paper.study import Study
from overbar_lab.paper.sweep import BETWEEN, OWN, Sweep

#: Adult's threshold leaves every method to chance.
FIVE = tuple(name for name in SIX if name != "adult")
THREE = ("binary", "bms-pos", "kosarak")
#: Shares of the paper's correction.
EIGHTHS = ("0.125", "0.25", "0.375", "0.5", "0.625", "0.75", "0.875", "1")
BUDGETS = ("0.01", "0.02", "0.05", "0.1", "0.2", "0.5", "1", "2")
TRAVERSES = (1, 2, 3, 4, 5, 10, 20, 50, 100, 1000)
#: One for each dataset: where the methods of the paper differ in NCR by budget.
TRAVERSE_BUDGETS = ("0.5", "1", "0.1", "0.2", "0.5", "0.1")
FIVE_BUDGETS = TRAVERSE_BUDGETS[:4] + TRAVERSE_BUDGETS[5:]
RUNS_OF_SPARSE_VECTOR = COMPARED[:6]
RENYI = tuple(method.name for method in PAPER_RENYI)
NO_GUARANTEE = "paper's RDP convention: no guarantee"
STAMP = "no privacy guarantee"
SAME_BUDGET = "every method set for the same ε"
SAME_COST = "all methods cut to as many positives as the one with fewest has"
PAPER_RENYI_WORDS = "the paper's Rényi accounting for a nominal ε, without a privacy guarantee; "
UNTIL_FOUND = "queries asked again until c are found"

#: Simulated once, drawn by two measures each.
BY_BUDGET = Sweep(SIX, COMPARED, BUDGETS, share=2)
BY_TRAVERSES = Sweep(SIX, RUNS_OF_SPARSE_VECTOR, TRAVERSE_BUDGETS, TRAVERSES, one_budget_each=True)
AT_EQUAL_COST = Sweep(
    SIX,
    RUNS_OF_SPARSE_VECTOR,
    TRAVERSE_BUDGETS,
    (1, 2, 3, 4, 5, 10, 100),
    one_budget_each=True,
    equal_cost=True,
    share=0.6,
)
SAME_CORRECTION = Sweep(
    FIVE,
    ("SVT-Exp (optimal)", "SVT-Gum (optimal)", "SVT-Lap (optimal)"),
    FIVE_BUDGETS,
    (1, 2, 5, 10, 100, None),
    one_budget_each=True,
    share=4,
)
RENYI_BUDGET = Sweep(THREE, RENYI, BUDGETS)
RENYI_TRAVERSES = Sweep(THREE, RENYI, ("0.5", "0.1", "0.2"), TRAVERSES, one_budget_each=True)

MONOTONIC = "Monotonic queries, threshold noise drawn once, bands: 95 % intervals over runs. "
READINGS = (
    "The paper does not print the budgets; each panel names the one used here. First reading of "
    "the footnote on traverses: every method is calibrated for the same ε."
)
SECOND_READING = (
    "Second reading of the footnote: at each number of traverses, every method is stopped after as "
    "many positives as the one that finds fewest, so that all have spent the same."
)
RENYI_WARNING = (
    "No guarantee. These figures follow the paper's convention of adding up Rényi costs over the "
    "positives of one threshold draw. That is false: see the counterexample under Errata."
)


def _both(
    name: str,
    across: str,
    compute: Sweep,
    shows: str,
    *,
    measures: str = "ncr f1",
    renyi: bool = False,
) -> tuple[Study, ...]:
    """Return one study for each measure over the same runs."""
    column, word = ("epsilon", "budget") if across == "privacy budget" else ("rounds", "traverses")
    return tuple(
        Study(
            name.format(measure, word),
            f"{MEASURES[measure]} by {across}" + f", {NO_GUARANTEE}" * renyi,
            MONOTONIC + shows,
            compute,
            Panels(
                measure,
                column,
                stamp=STAMP if renyi else "",
                heading=PAPER_RENYI_WORDS * renyi
                + (UNTIL_FOUND if column == "epsilon" else SAME_BUDGET),
            ),
            simulated=True,
            warning=RENYI_WARNING if renyi else "",
        )
        for measure in measures.split()
    )


UPPER_BOUND = (
    "Unlimited traverses. The upper bound is drawn with both scales: Δ/ε₂ as the paper prints it, "
    "which is not private at ε, and c·Δ/ε₂, which is."
)
EVALUATION = (
    # ncr-by-budget, f1-by-budget
    *_both("{}-by-{}", "privacy budget", BY_BUDGET, UPPER_BOUND),
    Study(
        "passes-by-budget",
        "Comparisons by privacy budget",
        MONOTONIC + "How often all queries are gone through until c are found, the median over "
        "runs: what the accuracy of ncr-by-budget costs in comparisons.",
        BY_BUDGET,
        Panels("passes", heading=UNTIL_FOUND),
        simulated=True,
    ),
    # ncr-by-traverses, f1-by-traverses, precision-by-traverses, recall-by-traverses
    *_both("{}-by-{}", "traverses", BY_TRAVERSES, READINGS, measures="ncr f1 precision recall"),
    Study(
        "traverses-at-equal-cost",
        "NCR by traverses, at equal cost",
        MONOTONIC + SECOND_READING,
        AT_EQUAL_COST,
        Panels("ncr", "rounds", heading=SAME_COST),
        simulated=True,
    ),
    *(
        Study(
            f"t40-traverses{'-at-equal-cost' * equal}",
            f"T40I10D100K: NCR by traverses at four budgets{', at equal cost' * equal}",
            MONOTONIC + (SECOND_READING if equal else READINGS),
            Sweep(
                ("t40i10d100k",),
                RUNS_OF_SPARSE_VECTOR,
                ("0.02", "0.05", "0.1", "0.2"),
                (1, 2, 3, 4, 5, 10, 20),
                equal_cost=equal,
            ),
            Panels("ncr", "rounds", split="epsilon", heading=SAME_COST if equal else SAME_BUDGET),
            simulated=True,
        )
        for equal in (False, True)
    ),
    Study(
        "order-of-baselines",
        "SVT-Gum beside SVT-Lap, with many runs",
        MONOTONIC + "Unlimited traverses; differences to SVT-Lap, which are small.",
        Sweep(FIVE, ("SVT-Lap", "SVT-Gum"), BUDGETS[1:7], share=10),
        Panels("ncr", against="SVT-Lap", heading=UNTIL_FOUND),
        simulated=True,
    ),
    *(
        Study(
            "noise-ablation" + "-f1" * (measure == "f1"),
            f"Which noise, once all are corrected the same way: {MEASURES[measure]}",
            MONOTONIC + "The optimal correction with exponential, Gumbel and Laplace noise, at 1 "
            "to unlimited traverses: the differences to exponential noise. So the noise is told "
            "apart from the correction, which the paper's figures do not.",
            SAME_CORRECTION,
            Panels(
                measure,
                "rounds",
                against="SVT-Exp (optimal)",
            ),
            simulated=True,
        )
        for measure in ("ncr", "f1")
    ),
    *(
        Study(
            f"noise-{name}",
            f"Which noise, {name}, each at its own best bar",
            MONOTONIC + f"{how}, at every ε. For each noise the best of several bars, as shares of "
            "the paper's correction: the differences to exponential noise.",
            BestBar(FIVE, BUDGETS[1:7], rounds, bars),
            Panels(
                "ncr",
                against="SVT-Exp (best bar)",
                heading=how.lower(),
            ),
            simulated=True,
        )
        for name, how, rounds, bars in (
            ("online", "Each query is asked once", 1, EIGHTHS),
            ("offline", "Queries are asked until c are found", None, ("0.5", "1", "2")),
        )
    ),
    Study(
        "correction-terms",
        "Correction terms",
        "The printed terms beside exact ones. For a fixed split and k, r·ε must be constant.",
        corrections.correction_terms,
    ),
    Study(
        "analytic-against-numeric",
        "p(r): closed form against the numeric route",
        "Right: the distance seen, and the interval that is proved to hold the true value.",
        corrections.analytic_against_numeric,
        figures.draw_agreement,
    ),
    Study(
        "any-noise",
        "The numeric correction for pairs of noises",
        "Terms for k = 50 at scales 4 and 2. The printed algorithm convolves, which is the law of "
        "a sum: right where the threshold noise is symmetric, and wrong elsewhere. With the law of "
        "the difference it serves any pair.",
        corrections.any_noise,
    ),
    *itertools.chain.from_iterable(
        _both(
            "renyi-{}-by-{}",
            across,
            compute,
            "δ is one in the number of records (of items for Binary). How Gaussian noise is set "
            "can be read in two ways, and both are drawn: by its own Rényi curve, or like the "
            "others at the budget ε₂′ of each query.",
            renyi=True,
        )
        for across, compute in (("privacy budget", RENYI_BUDGET), ("traverses", RENYI_TRAVERSES))
    ),
    Study(
        "error-tolerance",
        "NCR by tolerance α of the correction",
        "SVT-Exp with the correction that is optimal for a tolerance α, on Binary, where scores "
        "are 500 away from the threshold: the differences to α = 0.",
        Sweep(
            ("binary",),
            ("SVT-Exp (optimal)",),
            ("0.1", "0.2", "0.3", "0.4", "0.5", "0.7", "1"),
            tolerances=(0, 100, 200, 500, 1000),
            share=2,
        ),
        Panels(
            "ncr",
            lines="tolerance",
            against=0,
            heading="SVT-Exp with the correction that is optimal if errors below α do not count",
        ),
        simulated=True,
    ),
    Study(
        "numeric-efficiency",
        "Error and running time of the numeric correction",
        "Times are of the machine that made this report.",
        corrections.numeric_efficiency,
        figures.draw_efficiency,
    ),
    Study(
        "adult-threshold",
        "Adult: what the paper's threshold does",
        "The paper's threshold of 200 lets 81 items pass where c = 5 are sought, so every sparse "
        "vector run stops at the first five of 81. At a threshold between ranks 5 and 6 the task "
        "is top-5 selection.",
        Sweep(("adult",), (*RUNS_OF_SPARSE_VECTOR, "peeling"), BUDGETS, thresholds=(OWN, BETWEEN)),
        Panels(
            "ncr",
            split="threshold",
            heading="Adult with a threshold that is far too low, and with the right one",
        ),
        simulated=True,
    ),
    Study(
        "resampling",
        "NCR with the threshold noise drawn once or anew",
        "SVT-Exp with optimal correction at the same total ε, which with a fresh draw after each "
        "positive is c·ε₁ + ε₂.",
        Sweep(
            ("binary", "zipf"),
            ("SVT-Exp (optimal)",),
            ("0.2", "0.5", "1", "2"),
            resample=(False, True),
            share=0.3,
        ),
        Panels(
            "ncr",
            lines="threshold_drawn",
            heading="SVT-Exp with threshold noise drawn once, or anew after each positive",
        ),
        simulated=True,
    ),
    Study(
        "errata",
        "Errata: numbers behind them",
        "What the paper prints, and what was computed. The table of errata says what follows.",
        errata_numbers,
    ),
)


def _beside(
    name: str,
    title: str,
    shows: str,
    methods: tuple[str, ...],
    *,
    datasets: tuple[str, ...] = FIVE,
    against: str | None = None,
    share: float = 1,
    linear: float | None = None,
    heading: str = UNTIL_FOUND,
) -> Study:
    """Return a study of methods side by side on the paper's datasets, by privacy budget."""
    compute = Sweep(datasets, methods, BUDGETS, share=share)
    draw = Panels("ncr", against=against, linear=linear, heading=heading)
    return Study(name, title, shows, compute, draw, simulated=True)


#: What was found beyond the paper, a section of its own in the report.
BEYOND = (
    _beside(
        "at-a-glance",
        "What is gained, at a glance",
        "How much of the top c is found at the same ε. SVT-Lap is what most code runs, SVT-Exp the "
        "paper’s method, “top” is overbar.top with pure ε, and the same at (ε, 10⁻⁶). Both "
        "datasets are made on the spot.",
        ("SVT-Lap", "SVT-Exp (optimal)", "top", "top, δ = 10⁻⁶"),
        datasets=("binary", "zipf"),
    ),
    _beside(
        "ranked-selection",
        "Ranked selection beside a queue",
        "When all scores are at hand, the highest noisy values win: differences to SVT-Exp, which "
        "asks again until c are found. “select” is overbar.select with its default bar, at the "
        "paper’s thresholds, and leaves places empty that nothing reaches; “top” fills all.",
        ("SVT-Exp (optimal)", "select", "top"),
        against="SVT-Exp (optimal)",
    ),
    Study(
        "default-correction",
        "The default correction, each query asked once",
        "F1 of the paper’s optimal correction and of our default, both with exponential noise in "
        "one traverse, and of ranked selection with its default bar.",
        Sweep(FIVE, ("SVT-Exp (optimal)", "SVT-Exp (halfway)", "select"), BUDGETS, (1,)),
        Panels("f1", heading="each query asked once"),
        simulated=True,
    ),
    _beside(
        "peeling-bound",
        "NCR beside the exponential mechanism",
        "Differences to peeling, which is c times the exponential mechanism and needs all "
        "candidates at hand. “appending” is a sparse vector run with 99 % of the budget on "
        "queries and its bar above a public bound. All at the same pure ε.",
        ("SVT-Exp (optimal)", "appending", "peeling"),
        against="peeling",
        share=4,
    ),
    _beside(
        "pure-references",
        "Ways to select when all candidates are at hand",
        "Differences to peeling, at the same pure ε. “top” adds exponential noise once; beside it "
        "Laplace noise added once, and permute-and-flip.",
        ("peeling", "permute-and-flip", "one-shot Laplace", "top"),
        against="peeling",
        share=0.2,
        linear=0.1,
        heading="ways to select when all scores are at hand",
    ),
    _beside(
        "race-against-pure",
        "NCR with δ, at equal (ε, δ)",
        "Differences to peeling at δ = 0. δ is one in the number of records (of items for Binary "
        "and Zipf). Race-accounted runs shift the threshold noise by a part only; “top with δ” "
        "has no threshold to pay for. “peeling with δ” is accounted for by its bounded range. "
        "All three agree.",
        ("appending", "peeling", "race-accounted", "top with δ", "peeling with δ"),
        against="peeling",
        share=0.5,
        heading="with δ and without; δ is one in the number of records (Binary, Zipf: of items)",
    ),
    Study(
        "free-gap",
        "What the gap of a positive tells: nothing below the bar",
        "The gap is how far a positive is above the noisy bar; it may be released on top at no "
        "cost. Drawn is its mean over positives, by where the score is. Right of the bar it tells "
        "the score. Left of it exponential and Laplace noise have no memory: the gap is one noise "
        "scale on average, whatever the score. The share of positives there is in each title.",
        FreeGap(FIVE, FIVE_BUDGETS),
        figures.draw_gap,
        simulated=True,
    ),
    Study(
        "race-gain",
        "Noise that race accounting saves",
        "Query noise of the pure plan over that of the race plan with the same ε.",
        overview.noise_at_equal_privacy,
        figures.draw_gain,
    ),
    *OPEN,
)

#: All studies, in the order of the report.
STUDIES: tuple[Study, ...] = (*THEORY, *CATALOGUE, *EVALUATION, *BEYOND)
