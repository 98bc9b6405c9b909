"""Errors in the paper, each with the number that shows it."""

from __future__ import annotations

from overbar.paper.claims.claim import FAILS, HOLDS, UNKNOWN, Judgement, PaperClaim
from overbar.paper.claims.method_pairs import MethodPair, number
from overbar.paper.study import Table, column, only

SLIPS = ("errata",)


def _value(table: Table, key: str) -> float:
    return number(only(table, key=key)[0], "measured")


def _resampling(table: Table) -> Judgement:
    once, anew = _value(table, "once"), _value(table, "anew")
    return Judgement(
        FAILS,
        f"ε₁ = 0.1, ε₂ = 1, c = 50: the run costs {once:g} with one draw, {anew:g} with fifty",
        "the pair would read as δ = ε₂; its own proof shows the sum cε₁ + ε₂",
    )


def _resample_setting(table: Table) -> Judgement:
    wins = losses = 0
    texts = []
    for once in only(table, threshold_drawn="once"):
        anew = only(
            table,
            threshold_drawn="anew after each positive",
            dataset=once["dataset"],
            epsilon=once["epsilon"],
        )[0]
        pair = MethodPair(anew, once, "ncr")
        wins, losses = wins + pair.clearly_above, losses + pair.clearly_below
        texts.append(str(pair))
    return Judgement(
        HOLDS if wins > losses else FAILS,
        f"anew against once: {'; '.join(texts)}",
        "besides, every caption of the evaluation prints RESAMPLE = False; all other figures here "
        "draw the threshold noise once",
    )


def _limit(table: Table) -> Judgement:
    del table
    return Judgement(
        FAILS,
        "the limit on comparisons is tested inside the branch of a positive answer",
        "a run without a positive never reaches the test; here it is made after every comparison",
    )


def _columns(table: Table) -> Judgement:
    row = only(table, method="SVT-Exp (optimal)")[0]
    return Judgement(
        FAILS,
        f"as simulated: {row['query_noise']} on queries, {row['threshold_noise']} on the threshold",
        "the two noise columns are swapped; the text and the proofs have them right",
    )


def _terms(table: Table) -> Judgement:
    printed = column(table, "printed_optimal_times_epsilon")
    exact = number(table[0], "optimal_at_printed_split_times_epsilon")
    spread = max(column(table, "optimal_times_epsilon")) - min(
        column(table, "optimal_times_epsilon")
    )
    return Judgement(
        FAILS,
        f"printed r·ε: {', '.join(f'{value:.1f}' for value in printed)}; exact: {exact:.4f} at the "
        f"printed split, {number(table[0], 'optimal_times_epsilon'):.4f} at the one of Exp and Lap",
        f"noise scales as 1/ε, so r·ε is constant (here to {spread:.1g})",
    )


def _mean_term(table: Table) -> Judgement:
    row = only(table, epsilon=0.01)[0]
    return Judgement(
        FAILS,
        f"c/ε₂ at the printed split is {number(row, 'mean_at_printed_split'):.2f} at ε = 0.01",
        "a misprint: the other four entries of the row agree with that formula; it mixes the split "
        "of Laplace noise and general queries with the scale of monotonic ones",
    )


def _product(table: Table) -> Judgement:
    formula, true = _value(table, "multiplied"), _value(table, "shared")
    return Judgement(
        FAILS,
        f"at the optimal correction (c = 50, k = 200, ε = 1): {formula:.6f} multiplied, {true:.6f} "
        f"with one ρ; best correction with one ρ {_value(table, 'shared-correction'):.3f}",
        "all comparisons of a run share one threshold noise, so their chances do not multiply",
    )


def _rounds(table: Table) -> Judgement:
    return Judgement(
        FAILS,
        f"p = 0.1, t = 20: t·p is 2, the chance is {_value(table, 'rounds'):.4f}",
        "the chance is 1 − (1 − p)^t",
    )


def _theorem(table: Table) -> Judgement:
    return Judgement(
        HOLDS,
        f"where it says β = 0.05 (k = 50), β is {_value(table, 'theorem-3'):.4f}",
        "the bound stands; its printed proof loses a factor in an exponent and needs another",
    )


def _renyi(table: Table) -> Judgement:
    return Judgement(
        FAILS,
        f"“a negative, then 50 positives” has chance {_value(table, 'chance'):.4g} on D and "
        f"{_value(table, 'chance-neighbour'):.4g} on its neighbour: δ(3.56) ≥ "
        f"{_value(table, 'renyi-delta'):.2g}, claimed 1e-5",
        "one negative can prove where the threshold lies; later positives cost their full budget",
    )


def _gaussian(table: Table) -> Judgement:
    losses = [_value(table, f"gaussian-{far}") for far in (5, 50, 500)]
    return Judgement(
        FAILS,
        "loss of one comparison 5, 50, 500 deviations out: "
        + ", ".join(f"{loss:.1f}" for loss in losses),
        "ln S of Gaussian noise has no Lipschitz constant, so Theorem 1 does not cover it",
    )


def _upper_bound(table: Table) -> Judgement:
    printed, right = (
        number(only(table, method=f"upper bound ({name})")[0], "query_scale")
        for name in ("as printed", "comparable")
    )
    return Judgement(
        FAILS,
        f"scale {printed:.3f} as printed, {right:.3f} at the budget of the others (c = 50)",
        "c selections at scale Δ/ε₂ cost c·ε₂; the factor c is missing. Both are drawn",
    )


def _passing(name: str, sought: str) -> PaperClaim:
    def judge(table: Table) -> Judgement:
        row = only(table, dataset=name)[0]
        if row["passing"] is None:
            return Judgement(UNKNOWN, "nothing", f"{name} is not here")
        count, cutoff = int(number(row, "passing")), int(number(row, "cutoff"))
        return Judgement(
            HOLDS if count == cutoff else FAILS,
            f"{count} items reach {row['threshold']:,}, c = {cutoff}",
            sought,
        )

    return PaperClaim(
        "datasets",
        f"the threshold on {name} separates the top c items",
        ("dataset-table",),
        judge,
        erratum=True,
    )


def _slip(where: str, sentence: str, needs: tuple[str, ...], judge: object) -> PaperClaim:
    assert callable(judge)
    return PaperClaim(where, sentence, needs, judge, erratum=True)


CLAIMS = (
    _slip("Theorem 2", "with resampling: (cε₁, ε₂)-differential privacy", SLIPS, _resampling),
    _slip(
        "evaluation",
        "RESAMPLE = True yields better performance in general, so only its results are shown",
        ("resampling",),
        _resample_setting,
    ),
    _slip("Algorithm 1", "the run aborts once k_max queries were asked", SLIPS, _limit),
    _slip("table of baselines", "noise for query and for threshold", ("baselines",), _columns),
    _slip(
        "table of corrections",
        "optimal terms 35450.45, 7147.15, 2803.30, 280.78, 138.89",
        ("correction-terms",),
        _terms,
    ),
    _slip(
        "table of corrections", "mean term 5332.08 at ε = 0.01", ("correction-terms",), _mean_term
    ),
    _slip(
        "methodology", "p(r) = Γ(r+α)^k·(1 − Γ(r−α)) is the success probability", SLIPS, _product
    ),
    _slip("appending", "after t rounds the probability increases to t·p", SLIPS, _rounds),
    _slip("Theorem 3", "α = 4(ln k + ln(2/β))/ε", SLIPS, _theorem),
    _slip(
        "appendix, RDP",
        "Rényi costs of positives add up while the threshold noise is drawn once",
        SLIPS,
        _renyi,
    ),
    _slip("table of noises", "Gaussian noise is feasible for Theorem 1", SLIPS, _gaussian),
    _slip(
        "baselines",
        "the upper bound ranks query results with noise Exp(Δ/ε₂)",
        ("baselines",),
        _upper_bound,
    ),
    _passing("T40I10D100K", "one item fewer than is sought: NCR cannot reach 1 exactly"),
    _passing("Adult", "every sparse vector run stops at the first five of the 81"),
)
