"""Every figure and table of the paper, and our own, in the order of the report."""

from __future__ import annotations

from overbar.paper.computations.corrections import (
    AnalyticAgainstNumeric,
    CorrectionTerms,
    NumericEfficiency,
)
from overbar.paper.computations.errata_numbers import ErrataNumbers
from overbar.paper.computations.extensions import CostByRounds, NoiseAtEqualPrivacy
from overbar.paper.computations.overview import Allocation, Baselines, DatasetTable, ScoreProfile
from overbar.paper.computations.sweeps import (
    ByBudget,
    ByResampling,
    ByThreshold,
    ByTolerance,
    ByTraverses,
)
from overbar.paper.computations.theory import (
    AccuracyByNoise,
    LawOfDifference,
    SuccessByCorrection,
    VarianceByBudget,
)
from overbar.paper.figures import curves
from overbar.paper.figures.panels import Panels
from overbar.paper.methods import PAPER, PAPER_RENYI
from overbar.paper.study import Study

SIX = ("binary", "zipf", "bms-pos", "kosarak", "adult", "t40i10d100k")
THREE = ("binary", "bms-pos", "kosarak")
BUDGETS = ("0.01", "0.02", "0.05", "0.1", "0.2", "0.5", "1", "2")
TRAVERSES = (1, 2, 3, 4, 5, 10, 20, 50, 100, 1000)
#: One for each dataset: where the methods of the paper differ in NCR by budget.
TRAVERSE_BUDGETS = ("0.5", "1", "0.1", "0.2", "0.5", "0.1")
COMPARED = tuple(method.name for method in PAPER)
RUNS_OF_SPARSE_VECTOR = COMPARED[:6]
RENYI = tuple(method.name for method in PAPER_RENYI)
NO_GUARANTEE = "paper's RDP convention: no guarantee"

THEORY = (
    Study(
        "accuracy-by-noise",
        "Accuracy: β against α for four noises",
        "The chance β that a run over k queries below the bar and one above mislabels any of them "
        "by more than α. Left as the paper computes it, right for the one threshold noise that a "
        "run draws.",
        AccuracyByNoise(tolerances=tuple(range(0, 82, 2))),
        curves.draw_accuracy,
        "figure on (α, β)-accuracy",
    ),
    Study(
        "variance-by-budget",
        "Variance of a comparison for four noises",
        "Var(v) + Var(ρ) at the split of the budget that makes it least; general queries.",
        VarianceByBudget(budgets=(0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0)),
        curves.draw_variance,
        "figure on variance",
    ),
    Study(
        "law-of-difference",
        "The law of Z, which decides a comparison at the bar",
        "Density of exponential query noise minus Laplace threshold noise; dashed: the mean of the "
        "query noise.",
        LawOfDifference(budgets=(0.1, 0.2, 0.5)),
        curves.draw_density,
        "numerical analysis, part a",
    ),
    Study(
        "success-by-negatives",
        "Success probability p(r) by number of negatives k",
        "Dots: the optimal correction, exactly the k/(k+1) quantile of Z. Dashed: the mean.",
        SuccessByCorrection(negatives=(5, 10, 50, 100)),
        curves.SuccessCurves("negatives", "k"),
        "numerical analysis, part b",
    ),
    Study(
        "success-by-tolerance",
        "Success probability p(r) by tolerance α",
        "Dots: the optimal correction. Dashed: the mean of the query noise.",
        SuccessByCorrection(tolerances=(0, 10, 20, 50, 100)),
        curves.SuccessCurves("tolerance", "α"),
        "numerical analysis, part c",
    ),
    Study(
        "success-by-budget",
        "Success probability p(r) by privacy budget ε",
        "Dots: the optimal correction. Dashed, in the colour of its ε: the mean of the noise.",
        SuccessByCorrection(budgets=(0.05, 0.1, 0.2, 0.5)),
        curves.SuccessCurves("epsilon", "ε"),
        "numerical analysis, part d",
    ),
)

CATALOGUE = (
    Study(
        "dataset-table",
        "Datasets",
        "What the files hold beside what the paper prints. A complete file that is not here is "
        "listed as the registry knows it, and its first 100,000 records under their own name.",
        DatasetTable(SIX),
        place="table of datasets",
    ),
    Study(
        "dataset-profile",
        "Scores of all datasets, by rank",
        "Dashed: the threshold, in the colour of its dataset (Zipf and Adult share theirs). Scores "
        "of zero are not drawn.",
        ScoreProfile(SIX),
        curves.draw_profile,
        "figure on dataset properties",
    ),
    Study(
        "baselines",
        "Compared methods",
        "Noises and corrections as they are simulated, at ε = 1, c = 50, 10,000 items, monotonic "
        "queries. (The printed table has its two noise columns swapped.)",
        Baselines((*COMPARED, "SVT-Exp (shared)", "appending", "race-accounted", "peeling")),
        place="table of baselines",
    ),
    Study(
        "allocation-general",
        "Split of the budget, general queries",
        "ε₂/ε₁ of least variance: by the printed formula, and by a search that knows no formula.",
        Allocation(monotonic=False),
        place="table of allocation",
    ),
    Study(
        "allocation-monotonic",
        "Split of the budget, monotonic queries",
        "ε₂/ε₁ of least variance: by the printed formula, and by a search that knows no formula.",
        Allocation(monotonic=True),
        place="appendix, table of allocation",
    ),
)

BY_BUDGET = ByBudget(SIX, COMPARED, BUDGETS)
BY_TRAVERSES = ByTraverses(SIX, RUNS_OF_SPARSE_VECTOR, TRAVERSE_BUDGETS, TRAVERSES)
MONOTONIC = "Monotonic queries, threshold noise drawn once, bands: 95 % intervals over runs. "
EVALUATION = (
    Study(
        "ncr-by-budget",
        "NCR by privacy budget",
        MONOTONIC + "Unlimited traverses. The upper bound is drawn with both scales: Δ/ε₂ as the "
        "paper prints it, which is not private at ε, and c·Δ/ε₂, which is.",
        BY_BUDGET,
        Panels("ncr"),
        "main figure",
        simulated=True,
    ),
    Study(
        "ncr-by-traverses",
        "NCR by traverses",
        MONOTONIC + "The paper does not print the budgets; each panel names the one used here.",
        BY_TRAVERSES,
        Panels("ncr", "rounds"),
        "figure on traverses",
        simulated=True,
    ),
    Study(
        "correction-terms",
        "Correction terms",
        "The printed terms beside exact ones. r·ε must be constant for a fixed split.",
        CorrectionTerms(),
        place="table of correction terms",
    ),
    Study(
        "analytic-against-numeric",
        "p(r): closed form against the numeric route",
        "20,001 buckets, ε = 0.03, α = 0, k = 10. Below: the distance seen, and the interval that "
        "is proved to hold the true value.",
        AnalyticAgainstNumeric(),
        curves.draw_agreement,
        "appendix, analytical expression",
    ),
    Study(
        "f1-by-budget",
        "F1-score by privacy budget",
        MONOTONIC + "Unlimited traverses. The same runs as in NCR by privacy budget.",
        BY_BUDGET,
        Panels("f1"),
        "appendix, F1",
        simulated=True,
    ),
    Study(
        "f1-by-traverses",
        "F1-score by traverses",
        MONOTONIC + "The same runs as in NCR by traverses.",
        BY_TRAVERSES,
        Panels("f1", "rounds"),
        "appendix, F1",
        simulated=True,
    ),
)

RENYI_WARNING = (
    "No guarantee. These figures follow the paper's convention of adding up Rényi costs over the "
    "positives of one threshold draw. That is false: see the counterexample under Errata."
)
RENYI_BUDGET = ByBudget(THREE, RENYI, BUDGETS)
RENYI_TRAVERSES = ByTraverses(THREE, RENYI, ("0.5", "0.1", "0.2"), TRAVERSES)
RENYI_STUDIES = tuple(
    Study(
        f"renyi-{measure}-by-{word}",
        f"{title} by {across}, paper's RDP convention: no guarantee",
        MONOTONIC + "δ is one in the number of records (of items for Binary).",
        compute,
        Panels(measure, column, stamp=NO_GUARANTEE),
        "appendix, RDP",
        simulated=True,
        warning=RENYI_WARNING,
    )
    for compute, column, word, across in (
        (RENYI_BUDGET, "epsilon", "budget", "privacy budget"),
        (RENYI_TRAVERSES, "rounds", "traverses", "traverses"),
    )
    for measure, title in (("ncr", "NCR"), ("f1", "F1-score"))
)

APPENDIX = (
    Study(
        "error-tolerance",
        "NCR by tolerance α of the correction",
        "SVT-Exp with the correction that is optimal for a tolerance α, on Binary, where scores "
        "are 500 away from the threshold.",
        ByTolerance(
            ("binary",),
            "SVT-Exp (optimal)",
            (0, 100, 200, 500, 1000),
            ("0.1", "0.2", "0.3", "0.4", "0.5", "0.7", "1"),
        ),
        Panels("ncr", lines="tolerance"),
        "appendix, error tolerance",
        simulated=True,
    ),
    Study(
        "numeric-efficiency",
        "Error and running time of the numeric correction",
        "Times are of the machine that made this report.",
        NumericEfficiency(),
        curves.draw_efficiency,
        "appendix, efficiency",
    ),
)

OURS = (
    Study(
        "adult-threshold",
        "Adult: what the paper's threshold does",
        "The paper's threshold of 200 lets 81 items pass where c = 5 are sought, so every sparse "
        "vector run stops at the first five of 81. At a threshold between ranks 5 and 6 the task "
        "is top-5 selection.",
        ByThreshold(("adult",), (*RUNS_OF_SPARSE_VECTOR, "peeling"), BUDGETS),
        Panels("ncr", split="threshold"),
        simulated=True,
    ),
    Study(
        "resampling",
        "NCR with the threshold noise drawn once or anew",
        "SVT-Exp with optimal correction at the same total ε, which with a fresh draw after each "
        "positive is c·ε₁ + ε₂.",
        ByResampling(("binary", "zipf"), "SVT-Exp (optimal)", ("0.2", "0.5", "1", "2")),
        Panels("ncr", lines="threshold_drawn"),
        simulated=True,
    ),
    Study(
        "at-a-glance",
        "What is gained, at a glance",
        "How much of the top c is found at the same ε. SVT-Lap is what most code runs, SVT-Exp the "
        "paper’s method, “top” is overbar.top with pure ε, and the same at (ε, 10⁻⁶). Both "
        "datasets are made on the spot.",
        ByBudget(
            ("binary", "zipf"),
            ("SVT-Lap", "SVT-Exp (optimal)", "top", "top, δ = 10⁻⁶"),
            BUDGETS,
        ),
        Panels("ncr"),
        simulated=True,
    ),
    Study(
        "peeling-bound",
        "NCR beside the exponential mechanism",
        "Peeling is c times the exponential mechanism and needs all candidates at hand. "
        "“appending” is how overbar.top runs: 99 % of the budget on queries, bar above a public "
        "bound. All at the same pure ε.",
        ByBudget(SIX, ("SVT-Exp (optimal)", "appending", "peeling"), BUDGETS, times_the_runs=10),
        Panels("ncr"),
        simulated=True,
    ),
    Study(
        "pure-references",
        "Three ways to select when all candidates are at hand",
        "Peeling, its refinement permute-and-flip, and Laplace noise added once, at the same "
        "pure ε.",
        ByBudget(SIX, ("peeling", "permute-and-flip", "one-shot Laplace"), BUDGETS),
        Panels("ncr"),
        simulated=True,
    ),
    Study(
        "race-against-pure",
        "NCR with race accounting, at equal (ε, δ)",
        "δ is one in the number of records (of items for Binary and Zipf). “peeling with δ” is "
        "the optimal composition of c exponential mechanisms.",
        ByBudget(
            SIX,
            (
                "appending",
                "peeling",
                "race-accounted",
                "race-accounted, bare threshold",
                "peeling with δ",
            ),
            BUDGETS,
        ),
        Panels("ncr"),
        simulated=True,
    ),
    Study(
        "race-gain",
        "Noise that race accounting saves",
        "Query noise of the pure plan over that of the race plan with the same ε, at δ = 1e-6. "
        "Monotonic queries.",
        NoiseAtEqualPrivacy(),
        curves.draw_gain,
    ),
    Study(
        "cost-by-rounds",
        "Cost of a run by traverses",
        "10,000 queries that all stay below the bar. Times are of the machine that made this "
        "report.",
        CostByRounds(),
        curves.draw_cost,
    ),
    Study(
        "errata",
        "Errata: numbers behind them",
        "What the paper prints, and what was computed. The claims table says what follows.",
        ErrataNumbers(),
    ),
)

#: All studies, in the order of the report.
STUDIES: tuple[Study, ...] = (
    *THEORY,
    *CATALOGUE,
    *EVALUATION,
    *RENYI_STUDIES,
    *APPENDIX,
    *OURS,
)
