"""Figures and tables of the paper that need no simulation, and its datasets and methods."""

from __future__ import annotations

from functools import partial

from overbar_lab.paper import figures, formulas, overview
from overbar_lab.paper.methods import PAPER
from overbar_lab.paper.study import Study

SIX = ("binary", "zipf", "bms-pos", "kosarak", "adult", "t40i10d100k")
COMPARED = tuple(method.name for method in PAPER)

THEORY = (
    Study(
        "feasible-noises",
        "Which noise may go where",
        "The paper's marks, whether its condition is met, and what its proof needs. The proof only "
        "ever moves the threshold up, so noise with its tail to the right is private there too; "
        "its mirror image is not.",
        formulas.feasible_noises,
    ),
    Study(
        "accuracy-by-noise",
        "Accuracy: β against α for four noises",
        "The chance β that a run over k = 50 queries below the bar and one above mislabels any of "
        "them by more than α (ε = 1, c = 1). Above with the corrections of the paper: optimal for "
        "exponential noise, mean for Gumbel, none for the others; below with none, and with the "
        "best for each. So it shows what the correction does and what the noise does.",
        formulas.accuracy_by_noise,
        figures.draw_accuracy,
    ),
    Study(
        "accuracy-by-traverses",
        "Accuracy: β against α where queries are asked again",
        "As accuracy-by-noise with one ρ a run, but a query that is negative is asked again, up to "
        "so many traverses (k = 50, ε = 1, c = 1). Above without a correction, below with the best "
        "for each noise and number of traverses. At ten the lead of exponential noise is gone.",
        formulas.accuracy_by_traverses,
        figures.draw_traverses,
    ),
    Study(
        "variance-by-budget",
        "Variance of a comparison for four noises",
        "Var(v) + Var(ρ) at the split of the budget that makes it least; general queries.",
        formulas.variance_by_budget,
        figures.draw_variance,
    ),
    Study(
        "law-of-difference",
        "The law of Z, which decides a comparison at the bar",
        "Density of exponential query noise minus Laplace threshold noise.",
        formulas.law_of_difference,
        figures.draw_density,
    ),
    Study(
        "success-by-negatives",
        "Success probability p(r) by number of negatives k",
        "The optimal correction is exactly the k/(k+1) quantile of Z.",
        partial(formulas.success_by_correction, negatives=(5, 10, 50, 100)),
        figures.SuccessCurves("negatives", "k", "number of queries below, k", "ε = 0.1, α = 0"),
    ),
    Study(
        "success-by-tolerance",
        "Success probability p(r) by tolerance α",
        "Success rises with α; the optimal correction falls at first and then rises.",
        partial(formulas.success_by_correction, tolerances=(0, 10, 20, 50, 100)),
        figures.SuccessCurves("tolerance", "α", "tolerance α", "ε = 0.1, k = 10"),
    ),
    Study(
        "success-by-budget",
        "Success probability p(r) by privacy budget ε",
        "Dashed, in the colour of its ε: the mean of the query noise.",
        partial(formulas.success_by_correction, budgets=(0.05, 0.1, 0.2, 0.5)),
        figures.SuccessCurves("epsilon", "ε", "privacy budget ε", "α = 0, k = 10"),
    ),
)

CATALOGUE = (
    Study(
        "dataset-table",
        "Datasets",
        "What the files hold beside what the paper prints. A complete file that is not here is "
        "listed as the registry knows it, and its first 100,000 records under their own name.",
        partial(overview.dataset_table, datasets=SIX),
    ),
    Study(
        "dataset-profile",
        "Scores of all datasets, by rank",
        "Thresholds have the colour of their dataset (Zipf and Adult share theirs). Scores of zero "
        "are not drawn.",
        partial(overview.score_profile, datasets=SIX),
        figures.draw_profile,
    ),
    Study(
        "baselines",
        "Compared methods",
        "Noises and corrections as they are simulated, at ε = 1, c = 50, 10,000 items, monotonic "
        "queries. (The printed table has its two noise columns swapped.)",
        partial(
            overview.baselines,
            methods=(*COMPARED, "SVT-Exp (shared)", "appending", "race-accounted", "peeling"),
        ),
    ),
    *(
        Study(
            f"allocation-{name}",
            f"Split of the budget, {name} queries",
            "ε₂/ε₁ of least variance: by the printed formula, and by a search that knows none.",
            partial(formulas.allocation, monotonic=name == "monotonic"),
        )
        for name in ("general", "monotonic")
    ),
)
