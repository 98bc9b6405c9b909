"""The main figures: NCR by budget, and the corrections."""

from __future__ import annotations

from overbar.paper.claims.claim import FAILS, HOLDS, PARTLY, UNKNOWN, Judgement, PaperClaim
from overbar.paper.claims.method_pairs import (
    OURS,
    against_best,
    datasets,
    mean_difference,
    named,
    number,
    pairs,
)
from overbar.paper.study import Table, only

RIVALS = ("SVT-Exp (mean)", "SVT-Exp (no)", "SVT-Gum", "SVT-Lap", "SVT-Gau")
#: Adult's threshold leaves every method to chance; judgements on it would be about chance.
NOT_ADULT = "Without Adult."


FULL, EMPTY = 0.98, 0.05
WHY_MEAN = "exponential noise has the least variance at equal ε"
LEAD = "in points of NCR, at the ε and dataset where it is largest"


def without_adult(table: Table) -> Table:
    """Return the rows of the datasets on which the task is what the paper says."""
    return [row for row in table if row["dataset"] != "Adult"]


def rivals_below(table: Table, measure: str = "ncr") -> Judgement:
    """Judge whether SVT-Exp with optimal correction is above every rival where there is a race.

    Where the best rival finds nearly everything, or nobody finds anything, nothing can be told.
    """
    everywhere = against_best(without_adult(table), OURS, RIVALS, measure)
    open_ = [
        pair
        for pair in everywhere
        if number(pair.other, measure) < FULL and number(pair.one, f"{measure}_high") > EMPTY
    ]
    better = [pair for pair in open_ if pair.clearly_above]
    worse = [pair for pair in everywhere if pair.clearly_below]
    measured = (
        f"clearly above the best of five rivals at {len(better)} of {len(open_)} open points, "
        f"clearly below at {len(worse)}"
    )
    level = [pair for pair in open_ if not pair.clearly_above and not pair.clearly_below]
    if level:
        measured += "; level at " + "; ".join(str(pair) for pair in level[:3])
        measured += f" and {len(level) - 3} more" * (len(level) > 3)
    if worse:
        measured += f"; furthest below: {min(worse, key=lambda pair: pair.difference)}"
    why = (
        f"open: the best rival has NCR below {FULL:g} and someone is above {EMPTY:g}. " + NOT_ADULT
    )
    verdict = FAILS if worse else HOLDS if not level else PARTLY
    return Judgement(verdict, measured, why)


def _up_to_half(table: Table) -> Judgement:
    rest = without_adult(table)
    best = max(pairs(rest, OURS, "SVT-Lap"), key=lambda pair: pair.difference)
    verdict = HOLDS if best.difference >= 0.45 else FAILS
    return Judgement(
        verdict, f"over SVT-Lap: {best.difference:.3f} ({best})", f"{LEAD}. {NOT_ADULT}"
    )


def _adult(table: Table) -> Judgement:
    rows = only(table, dataset="Adult")
    if not rows:
        return Judgement(UNKNOWN, "nothing", "Adult is not here")
    tops = [number(row, "ncr_high") for name in (OURS, *RIVALS) for row in named(rows, name)]
    lead = [pair for rival in RIVALS for pair in pairs(rows, OURS, rival) if pair.clearly_above]
    measured = (
        f"no sparse vector run exceeds {max(tops):.3f} (upper end of its interval) at any ε; "
        f"clearly above a rival in {len(lead)} of {len(RIVALS) * len(named(rows, OURS))} pairs"
    )
    return Judgement(
        FAILS,
        measured,
        "threshold 200 passes 81 items and c = 5: the run halts at the first five of 81 in random "
        "order; see adult-threshold for a threshold between ranks 5 and 6",
    )


def _matches(bound: str, why: str) -> PaperClaim:
    def judge(table: Table) -> Judgement:
        gaps = sorted(pairs(without_adult(table), bound, OURS), key=lambda pair: pair.difference)
        worst, middle = gaps[-1], gaps[len(gaps) // 2].difference
        far = worst.difference
        return Judgement(
            HOLDS if far <= 0.05 else PARTLY if far <= 0.15 else FAILS,
            f"behind by {far:.3f} at most ({worst}), {middle:.3f} in the median",
            f"{why}. {NOT_ADULT}",
        )

    return PaperClaim(
        "main results",
        "the performance of our proposed method closely matches the empirical SVT-Exp upper bound "
        f"[{bound}]",
        ("ncr-by-budget",),
        judge,
    )


def _large_gaps(table: Table) -> Judgement:
    rest = without_adult(table)
    lead = {
        name: max(pair.difference for pair in pairs(only(rest, dataset=name), OURS, "SVT-Lap"))
        for name in datasets(rest)
    }
    order = sorted(lead, key=lambda name: -lead[name])
    measured = "largest lead over SVT-Lap: " + ", ".join(f"{n} {lead[n]:.3f}" for n in order)
    good = order.index("Zipf") < 2 and order[-1] == "T40I10D100K" if "Zipf" in order else False
    return Judgement(
        HOLDS if good else PARTLY,
        measured,
        "Zipf has scores far above its threshold, T40I10D100K scores close to it",
    )


def _small_budget(table: Table) -> Judgement:
    name = "Kosarak" if "Kosarak" in datasets(table) else "kosarak-100k"
    rows = only(table, dataset=name, epsilon=0.05)
    if not rows:
        return Judgement(UNKNOWN, "nothing", "neither Kosarak nor its first records are here")
    all_six = {m: number(named(rows, m)[0], "ncr") for m in (OURS, *RIVALS)}
    measured = f"{name}, ε = 0.05: " + ", ".join(f"{m} {v:.3f}" for m, v in all_six.items())
    if name != "Kosarak":
        return Judgement(
            UNKNOWN, measured, "the complete Kosarak file is not here; scores scale with records"
        )
    return Judgement(
        HOLDS if min(all_six.values()) > 0.5 else FAILS, measured, "on the complete file"
    )


def _falling(table: Table) -> Judgement:
    rest = without_adult(table)
    parts, texts = [], []
    for one, other in (("SVT-Lap", "SVT-Gum"), ("SVT-Gum", "SVT-Gau")):
        mean, reach = mean_difference(list(pairs(rest, one, other)))
        parts.append((mean > reach) - (mean < -reach))
        texts.append(f"{one} minus {other}: {mean:+.4f} ± {reach:.4f} on average")
    return Judgement(
        HOLDS if parts == [1, 1] else FAILS if -1 in parts else PARTLY,
        "; ".join(texts),
        "SVT-Gau is last by far. The variance of Gumbel noise is smaller than that of Laplace "
        "noise, so the figure on variance says the opposite about the first two. " + NOT_ADULT,
    )


def _no_correction(table: Table) -> Judgement:
    rest = list(pairs(without_adult(table), "SVT-Exp (no)", "SVT-Lap"))
    lower, higher = (
        sum(pair.clearly_below for pair in rest),
        sum(pair.clearly_above for pair in rest),
    )
    return Judgement(
        HOLDS if lower and not higher else FAILS,
        f"clearly below SVT-Lap at {lower} of {len(rest)} points, clearly above at {higher}",
        "exponential noise only lifts scores: false positives use up the c places. " + NOT_ADULT,
    )


def _over_mean(table: Table) -> Judgement:
    rest = list(pairs(without_adult(table), OURS, "SVT-Exp (mean)"))
    wins, losses = sum(p.clearly_above for p in rest), sum(p.clearly_below for p in rest)
    best = max(rest, key=lambda pair: pair.difference)
    return Judgement(
        HOLDS if best.difference > 0.3 and not losses else FAILS,
        f"clearly above at {wins} of {len(rest)} points, below at {losses}; most: {best}",
        "k = m/c negatives come before each positive, and the mean does not know. " + NOT_ADULT,
    )


def _mean_over_rest(table: Table) -> Judgement:
    rest = without_adult(table)
    texts, good = [], True
    for other in ("SVT-Gum", "SVT-Lap", "SVT-Gau"):
        mean, reach = mean_difference(list(pairs(rest, "SVT-Exp (mean)", other)))
        good = good and mean > reach
        texts.append(f"over {other} {mean:+.4f} ± {reach:.4f}")
    return Judgement(
        HOLDS if good else FAILS, f"on average {', '.join(texts)}", f"{WHY_MEAN}. {NOT_ADULT}"
    )


def _larger_than_mean(table: Table) -> Judgement:
    ratios = [number(row, "optimal") / number(row, "mean") for row in table]
    return Judgement(
        HOLDS if min(ratios) > 1 else FAILS,
        f"optimal over mean is {min(ratios):.3f} at every ε (c = 50, k = 200)",
        "both scale as 1/ε, so the ratio does not depend on ε",
    )


MAIN = ("ncr-by-budget",)
CLAIMS = (
    PaperClaim(
        "main results",
        "our proposed method significantly outperforms other baselines across all tested privacy "
        "regions and datasets",
        MAIN,
        rivals_below,
    ),
    PaperClaim("main results", "… by up to 50 % on NCR", MAIN, _up_to_half),
    PaperClaim("main results", "… on Adult (threshold 200, c = 5) too", MAIN, _adult),
    _matches(
        "upper bound (as printed)",
        "with noise of scale Δ/ε₂ the bound spends c times the budget: it is no bound at ε",
    ),
    _matches(
        "upper bound (comparable)",
        "furthest behind where scores crowd around the threshold, close elsewhere",
    ),
    PaperClaim(
        "main results",
        "our method shows a particularly larger advantage when the gaps between threshold and "
        "query results are relatively large (Zipf)",
        MAIN,
        _large_gaps,
    ),
    PaperClaim(
        "main results",
        "all compared variants demonstrate higher NCR on datasets with large gaps even under "
        "smaller privacy budget (ε = 0.05 on Kosarak)",
        MAIN,
        _small_budget,
    ),
    PaperClaim(
        "main results",
        "the NCR of other baselines decreases from SVT-Lap, SVT-Gumbel, to SVT-Gau",
        MAIN,
        _falling,
    ),
    PaperClaim(
        "correction",
        "the optimal term is usually larger than the mean of the injected noise",
        ("correction-terms",),
        _larger_than_mean,
    ),
    PaperClaim(
        "correction",
        "SVT-Exp without correction demonstrates relatively low NCR even compared to SVT-Lap",
        MAIN,
        _no_correction,
    ),
    PaperClaim(
        "correction",
        "SVT-Exp with our optimal correction drastically outperforms SVT-Exp with mean correction",
        MAIN,
        _over_mean,
    ),
    PaperClaim(
        "correction",
        "… mean correction, which slightly outperforms the other baselines",
        MAIN,
        _mean_over_rest,
    ),
)
