"""The main figures: NCR and F1 by budget, the corrections, and which noise is best."""

from __future__ import annotations

from collections.abc import Callable

from overbar.paper.claims.claim import (
    FAILS,
    HOLDS,
    PARTLY,
    UNKNOWN,
    Judgement,
    PaperClaim,
    graded,
)
from overbar.paper.claims.pairs import (
    NOT_ADULT,
    OPEN,
    OURS,
    RIVALS,
    mean_difference,
    named,
    open_points,
    pairs,
    told,
    without_adult,
)
from overbar.paper.study import Table, number, only, values


def outperforms(measure: str = "ncr") -> Callable[[Table], Judgement]:
    """Judge whether SVT-Exp with optimal correction is above every rival where there is a race."""

    def judge(table: Table) -> Judgement:
        points = open_points(table, measure)
        ahead, behind = ([p for p in points if getattr(p, way)] for way in ("ahead", "behind"))
        text = f"ahead of the best rival at {len(ahead)} of {len(points)} open points, behind at "
        text += f"{len(behind)}"
        if behind:
            text += f" (furthest: {min(behind, key=lambda pair: pair.difference)})"
        return graded(len(ahead) == len(points), 2 * len(ahead) > len(points)), text

    return judge


OUTPERFORMS = f"holds: ahead of the best rival at all open points; in part: at more than half. {OPEN}"


def _range(table: Table) -> Judgement:
    texts, good = [], []
    for measure, name in (("ncr", "NCR"), ("f1", "F1")):
        points = open_points(table, measure)
        least, most = min(p.difference for p in points), max(p.difference for p in points)
        good.append(least > 0 and most > 0.4)
        texts.append(f"{name} {least:+.3f} to {most:+.3f}")
    return graded(all(good), any(good)), f"lead over the best rival: {'; '.join(texts)}"


def _up_to_half(table: Table) -> Judgement:
    best = max(pairs(without_adult(table), OURS, "SVT-Lap"), key=lambda pair: pair.difference)
    return graded(best.difference > 0.45), f"over SVT-Lap: {best.difference:.3f} ({best})"


def _matches(table: Table) -> Judgement:
    comparable, printed = (
        max(pairs(without_adult(table), bound, OURS), key=lambda pair: pair.difference)
        for bound in ("upper bound (comparable)", "upper bound (as printed)")
    )
    far = comparable.difference
    measured = f"behind by {far:.3f} at most ({comparable}); behind the printed bound by "
    return graded(far <= 0.03, far <= 0.12), f"{measured}{printed.difference:.3f} ({printed})"


def _large_gaps(table: Table) -> Judgement:
    rest = without_adult(table)
    lead = {
        str(name): max(p.difference for p in pairs(only(rest, dataset=name), OURS, "SVT-Lap"))
        for name in values(rest, "dataset")
    }
    order = sorted(lead, key=lambda name: -lead[name])
    good = [order.index(name) < len(order) / 2 for name in ("Zipf", "Binary")]
    last = order[-1] == "T40I10D100K"
    measured = "largest lead over SVT-Lap: " + ", ".join(f"{n} {lead[n]:.3f}" for n in order)
    return graded(all(good) and last, any(good) or last), measured


def _small_budget(table: Table) -> Judgement:
    name = "Kosarak" if "Kosarak" in values(table, "dataset") else "kosarak-100k"
    rows = only(table, dataset=name, epsilon=0.05)
    if not rows:
        return UNKNOWN, "neither Kosarak nor its first records are here"
    all_six = {m: number(named(rows, m)[0], "ncr") for m in (OURS, *RIVALS)}
    measured = f"{name}, ε = 0.05: " + ", ".join(f"{m} {v:.3f}" for m, v in all_six.items())
    if name != "Kosarak":
        return UNKNOWN, f"the complete file is not here, and scores scale with records; {measured}"
    return graded(min(all_six.values()) > 0.5, max(all_six.values()) > 0.5), measured


def _falling(table: Table) -> Judgement:
    signs, texts = [], []
    for one, other in (("SVT-Lap", "SVT-Gum"), ("SVT-Gum", "SVT-Gau")):
        mean, reach = mean_difference(pairs(table, one, other))
        signs.append((mean > reach) - (mean < -reach))
        texts.append(f"{one} minus {other}: {mean:+.4f} ± {reach:.4f} on average")
    verdict = HOLDS if signs == [1, 1] else FAILS if -1 in signs else PARTLY
    return verdict, f"{'; '.join(texts)} ({table[0]['runs']:,} runs a point)"


def _no_correction(table: Table) -> Judgement:
    rest = pairs(without_adult(table), "SVT-Exp (no)", "SVT-Lap")
    lower, higher = sum(p.behind for p in rest), sum(p.ahead for p in rest)
    worst = min(rest, key=lambda pair: pair.difference)
    mean, reach = mean_difference(rest)
    measured = f"below SVT-Lap at {lower} of {len(rest)} points, above at {higher}; on average "
    return graded(mean < -reach), f"{measured}{mean:+.4f} ± {reach:.4f}; most: {worst}"


def _over_mean(table: Table) -> Judgement:
    rest = pairs(without_adult(table), OURS, "SVT-Exp (mean)")
    wins, losses = sum(p.ahead for p in rest), sum(p.behind for p in rest)
    best = max(rest, key=lambda pair: pair.difference)
    measured = f"ahead at {wins} of {len(rest)} points, behind at {losses}; most: {best}"
    return graded(best.difference > 0.3 and wins > len(rest) / 2), measured


def _mean_over_rest(table: Table) -> Judgement:
    rest = without_adult(table)
    found = {o: pairs(rest, "SVT-Exp (mean)", o) for o in ("SVT-Gum", "SVT-Lap", "SVT-Gau")}
    good = [mean > reach for mean, reach in map(mean_difference, found.values())]
    measured = ", ".join(f"over {other} {told(of)}" for other, of in found.items())
    return graded(all(good), any(good)), f"on average {measured}"


def _larger_than_mean(table: Table) -> Judgement:
    ratios = [number(row, "optimal") / number(row, "mean") for row in table]
    measured = f"optimal over mean is {min(ratios):.3f} at every ε (c = 50, k = 200)"
    return graded(min(ratios) > 1), measured


def _ablation(table: Table) -> Judgement:
    """Judge the noise alone: every method has the optimal correction."""
    texts, means = [], {}
    for rounds in (1, None):
        rows = only(table, rounds=rounds)
        for other in ("SVT-Lap (optimal)", "SVT-Gum (optimal)"):
            of = pairs(rows, OURS, other)
            means[rounds, other] = mean_difference(of)
            edge = (max if rounds else min)(of, key=lambda pair: pair.difference)
            texts.append(
                f"{'one traverse' if rounds else 'unlimited'}, over {other}: {told(of)} on average, "
                f"{'most' if rounds else 'least'} {edge.difference:+.3f} ({edge})"
            )
    ahead = {key: mean > reach for key, (mean, reach) in means.items()}
    return graded(all(ahead.values()), any(ahead.values())), "; ".join(texts)


MAIN = ("ncr-by-budget",)
CLAIMS = (
    PaperClaim(
        "Section 7; Section 1, first",
        "exponential noise is the most effective, theoretically and empirically, among the "
        "considered noises",
        "holds: with the optimal correction for every noise, exponential is above Laplace and "
        "Gumbel on average over datasets, at one traverse and at unlimited ones; in part: in some "
        "of these four",
        ("noise-ablation",),
        _ablation,
        "with unlimited traverses Laplace noise does as well or better. The headline gain is the "
        "correction together with appending, not the noise",
    ),
    PaperClaim(
        "Section 5.5.1, first; Section 1, second; Figure 7",
        "our proposed method significantly outperforms other baselines across all tested privacy "
        "regions and datasets",
        OUTPERFORMS,
        MAIN,
        outperforms(),
        NOT_ADULT,
    ),
    PaperClaim(
        "Section H; Figure 10",
        "the same by F1-score, which exhibits similar trends",
        OUTPERFORMS,
        ("f1-by-budget",),
        outperforms("f1"),
        NOT_ADULT,
    ),
    PaperClaim(
        "Section 1, third; abstract",
        "our methods increase the query accuracy by 2 % to 50 % across evaluated metrics",
        "for NCR and for F1: the lead over the best rival is positive at all open points and above "
        "0.4 somewhere; in part: for one of them",
        MAIN,
        _range,
        NOT_ADULT,
    ),
    PaperClaim(
        "Section 5.5.1, first; Figure 7",
        "… by up to 50 % on NCR",
        "holds: the largest lead over SVT-Lap exceeds 0.45",
        MAIN,
        _up_to_half,
        NOT_ADULT,
    ),
    PaperClaim(
        "Section 5.5.1, first; Figure 7",
        "the performance of our proposed method closely matches the empirical upper bound",
        "by the bound that spends the same budget. holds: behind by 0.03 at most; in part: by 0.12",
        MAIN,
        _matches,
        "the printed bound spends c times the budget: see the errata. " + NOT_ADULT,
    ),
    PaperClaim(
        "Section 5.5.1, second; Figure 7",
        "our method shows a particularly larger advantage when the gaps between threshold and "
        "query results are relatively large",
        "holds: Zipf and Binary, with large gaps, are in the upper half by their largest lead over "
        "SVT-Lap, and T40I10D100K, with small ones, is last; in part: some of it",
        MAIN,
        _large_gaps,
        NOT_ADULT,
    ),
    PaperClaim(
        "Section 5.5.1, third; Figure 7",
        "all compared variants demonstrate higher NCR on datasets with large gaps even under "
        "smaller privacy budget (ε = 0.05 on Kosarak)",
        "holds: all six are above 0.5 on the complete Kosarak; in part: some",
        MAIN,
        _small_budget,
    ),
    PaperClaim(
        "Section 5.5.1, fourth; Figure 7",
        "the NCR of other baselines decreases from SVT-Lap, SVT-Gumbel, to SVT-Gau",
        "holds: both mean differences over datasets and budgets are positive beyond their 95 % "
        "intervals; in part: none is negative",
        ("order-of-baselines",),
        _falling,
        "the paper adds that this aligns with its figures on accuracy and variance. Those say the "
        "opposite about the first two: Gumbel noise has less variance than Laplace noise",
    ),
    PaperClaim(
        "Section 5.5.2, first; Table 5",
        "the optimal term is usually larger than the mean of the injected noise",
        "holds: at every printed ε",
        ("correction-terms",),
        _larger_than_mean,
        "both scale as 1/ε, so the ratio does not depend on ε",
    ),
    PaperClaim(
        "Section 5.5.2, second; Figure 7",
        "SVT-Exp without correction demonstrates relatively low NCR even compared to SVT-Lap",
        "holds: below SVT-Lap on average over datasets and budgets, beyond the 95 % interval",
        MAIN,
        _no_correction,
        "exponential noise only lifts scores: false positives use up the c places. " + NOT_ADULT,
    ),
    PaperClaim(
        "Section 5.5.2, third; Figure 7",
        "SVT-Exp with our optimal correction drastically outperforms SVT-Exp with mean correction",
        "holds: the largest lead exceeds 0.3, and it is ahead at more than half of all points",
        MAIN,
        _over_mean,
        "k = m/c negatives come before each positive, and the mean does not know. " + NOT_ADULT,
    ),
    PaperClaim(
        "Section 5.5.2, third; Figure 7",
        "… mean correction, which slightly outperforms the other baselines",
        "holds: above SVT-Gum, SVT-Lap and SVT-Gau on average, beyond the 95 % intervals; in part: "
        "above some",
        MAIN,
        _mean_over_rest,
        NOT_ADULT,
    ),
)
