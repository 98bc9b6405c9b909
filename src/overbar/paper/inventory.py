"""All that the paper has that is numbered, and where it is here.

Numbers and labels are those of the preprint, arXiv:2407.20068. Where something is: the name of a
study, a page of the theory (``theory/…``), or a name of this package.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Item:
    """One figure, table, algorithm, theorem or numbered claim.

    Attributes
    ----------
    kind, number
        "Figure" and "7"; for a claim the section and its place in an enumeration.
    label
        Its label in the source of the paper; empty where it has none.
    title
        What it is about.
    here
        Where it is in this project. Empty for pictures and definitions that say nothing to check.
    """

    kind: str
    number: str
    label: str
    title: str
    here: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.kind} {self.number}"


def _items(kind: str, *rows: tuple[str, str, str]) -> tuple[Item, ...]:
    """Return items that are numbered as they come."""
    return tuple(
        Item(kind, str(place), label, title, tuple(here.split()))
        for place, (label, title, here) in enumerate(rows, 1)
    )


def _claims(section: str, *rows: tuple[str, str]) -> tuple[Item, ...]:
    ordinals = ("first", "second", "third", "fourth")
    return tuple(
        Item("Section", f"{section}, {ordinal}", "", title, tuple(here.split()))
        for ordinal, (title, here) in zip(ordinals, rows, strict=False)
    )


FIGURES = _items(
    "Figure",
    ("fig: comparison_svt_typical", "what SVT reveals, a picture", ""),
    ("fig: framework", "the steps of Algorithm 2, a picture", ""),
    ("fig: accuracy", "(α, β)-accuracy for four noises", "accuracy-by-noise"),
    ("fig: variance", "variance of a comparison for four noises", "variance-by-budget"),
    (
        "fig: optimal-correction-term",
        "numerical analysis of p(r)",
        "law-of-difference success-by-negatives success-by-tolerance success-by-budget",
    ),
    ("fig: dataset-properties", "scores of the six datasets", "dataset-profile"),
    ("fig: overall-50", "NCR by privacy budget", "ncr-by-budget order-of-baselines adult-threshold"),
    (
        "fig: traverse",
        "NCR by traverses",
        "ncr-by-traverses traverses-at-equal-cost t40-traverses t40-traverses-at-equal-cost",
    ),
    ("fig: threshold_analytical", "closed form against numeric p(r)", "analytic-against-numeric"),
    ("fig: overall-50-f1", "F1 by privacy budget", "f1-by-budget"),
    ("fig: traverse-f1", "F1 by traverses", "f1-by-traverses"),
    ("fig: overall-50-ncr-rdp", "NCR by privacy budget, RDP", "renyi-ncr-by-budget"),
    ("fig: overall-50-f1-rdp", "F1 by privacy budget, RDP", "renyi-f1-by-budget"),
    ("fig: traverse-ncr-rdp", "NCR by traverses, RDP", "renyi-ncr-by-traverses"),
    ("fig: traverse-f1-rdp", "F1 by traverses, RDP", "renyi-f1-by-traverses"),
    ("fig: error_tolerance", "NCR by tolerance α", "error-tolerance"),
    ("fig: threshold_efficiency", "error and time of the numeric route", "numeric-efficiency"),
)
TABLES = _items(
    "Table",
    ("tbl: noise-combination", "which noise may go where", "feasible-noises"),
    ("tbl: datasets", "the datasets", "dataset-table"),
    ("tbl: baselines", "the compared methods", "baselines"),
    ("tbl: privacy-alloation", "split of the budget, general queries", "allocation-general"),
    ("tbl: threshold-correction-terms", "correction terms", "correction-terms"),
    ("tbl: privacy-alloation-mono", "split of the budget, counts", "allocation-monotonic"),
)
ALGORITHMS = _items(
    "Algorithm",
    ("alg: basic-svt", "SVT", "overbar.SparseVector"),
    ("alg: exp-svt", "SVT-Exp", "overbar.calibrate overbar.select theory/appending"),
    (
        "alg: threshold_correction",
        "the numeric correction",
        "overbar.accuracy.correction.numeric_optimum",
    ),
    ("alg: discretizer", "the discretised law", "overbar.accuracy.discretised_difference"),
    ("alg: gum-svt", "SVT with Gumbel noise", "overbar.paper.methods.METHODS"),
)
THEOREMS = _items(
    "Theorem",
    ("theo: composition", "sequential composition", "overbar.ledger"),
    ("theo: privacy-svt-lips", "privacy of SVT", "theory/pure overbar.accounting.pure.pure_epsilon"),
    ("theo: privacy-guarantee", "privacy of SVT-Exp", "theory/pure errata"),
    ("theo: utility-guarantee", "accuracy of SVT-Exp", "theory/accuracy errata"),
    ("theo: restate-privacy-svt-lips", "Theorem 2 restated", "theory/pure"),
    ("", "Theorem 3 restated", "theory/pure errata"),
    ("", "Theorem 4 restated", "theory/accuracy errata"),
    ("theo: maximum-exists", "the summit of p(r)", "theory/correction success-by-negatives"),
    ("theo: privacy-guarantee-gum", "privacy of SVT-Gum", "theory/pure errata"),
)
#: Numbered claims, by the section that numbers them.
CLAIMS = (
    *_claims(
        "1",
        ("a privacy analysis that admits more noises; exponential is best", "noise-ablation"),
        ("SVT-Exp with optimal correction and appending", "ncr-by-budget"),
        ("2 % to 50 % more accurate across the metrics", "ncr-by-budget f1-by-budget"),
    ),
    *_claims(
        "3",
        ("more noises are eligible for queries", "feasible-noises"),
        ("the noises for the threshold stay the same", "feasible-noises"),
    ),
    *_claims(
        "4.1",
        ("exponential noise has much smaller variance", "variance-by-budget"),
        ("the optimal correction increases precision", "precision-by-traverses"),
        ("appending increases recall", "recall-by-traverses"),
    ),
    *_claims(
        "4.2",
        ("exponential noise meets the condition tightly", "feasible-noises"),
        ("exponential noise has the least variance", "variance-by-budget"),
    ),
    *_claims(
        "4.3.2, equation",
        ("β = 1 − p(r)", "errata"),
        ("maximising p(r) maximises accuracy", "errata"),
        ("it extends to c > 1 by multiplying", "errata"),
    ),
    *_claims(
        "4.3.2, Figure 5",
        ("more negatives, larger correction", "success-by-negatives"),
        ("larger α, more success and smaller correction", "success-by-tolerance"),
        ("larger ε, smaller correction", "success-by-budget"),
    ),
    *_claims(
        "4.4",
        ("asking again costs nothing", "theory/appending"),
        ("several rounds find more", "recall-by-traverses"),
    ),
    *_claims(
        "5.5.1",
        ("SVT-Exp outperforms all, and is close to its bound", "ncr-by-budget"),
        ("a larger lead where gaps are large", "ncr-by-budget"),
        ("higher NCR where gaps are large", "ncr-by-budget"),
        ("SVT-Lap, SVT-Gum, SVT-Gau in this order", "order-of-baselines"),
    ),
    *_claims(
        "5.5.2",
        ("the optimal term exceeds the mean", "correction-terms"),
        ("without correction it is below SVT-Lap", "ncr-by-budget"),
        ("optimal over mean over the others", "ncr-by-budget"),
    ),
    *_claims(
        "I",
        ("under RDP it outperforms all others", "renyi-ncr-by-budget"),
        ("all gain, SVT-Gau most, SVT-Lap stays ahead of it", "renyi-ncr-by-budget"),
    ),
)
ITEMS = (*FIGURES, *TABLES, *ALGORITHMS, *THEOREMS, *CLAIMS)


def place_of(study: str) -> str:
    """Return where the paper has what a study shows; empty for ours.

    >>> place_of("f1-by-budget"), place_of("race-gain")
    ('Figure 10', '')
    """
    numbered = (*FIGURES, *TABLES)
    return ", ".join(str(item) for item in numbered if study in item.here)
