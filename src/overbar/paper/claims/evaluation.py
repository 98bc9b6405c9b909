"""The main figures: NCR and F1 by budget, the corrections, and which noise is best."""

from __future__ import annotations

from overbar.paper.claims.claim import (
    FAILS,
    HOLDS,
    PARTLY,
    UNKNOWN,
    Judgement,
    graded,
)
from overbar.paper.claims.pairs import (
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


def _outperforms(measure: str, table: Table) -> Judgement:
    points = open_points(table, measure)
    if not points:
        return UNKNOWN, "no point is open"
    ahead, behind = ([p for p in points if getattr(p, way)] for way in ("ahead", "behind"))
    text = f"ahead of the best rival at {len(ahead)} of {len(points)} open points, behind at "
    text += f"{len(behind)}"
    if behind:
        text += f" (furthest: {min(behind, key=lambda pair: pair.difference)})"
    return graded(len(ahead) == len(points), 2 * len(ahead) > len(points)), text


def _range(table: Table) -> Judgement:
    texts, good = [], []
    for measure, name in (("ncr", "NCR"), ("f1", "F1")):
        points = open_points(table, measure)
        if not points:
            return UNKNOWN, "no point is open"
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
    good = [name in order[:2] for name in ("Zipf", "Binary")]
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


def _falling(close: Table, main: Table) -> Judgement:
    first, second = (
        pairs(close, "SVT-Lap", "SVT-Gum"),
        pairs(without_adult(main), "SVT-Gum", "SVT-Gau"),
    )
    signs = [(m > reach) - (m < -reach) for m, reach in map(mean_difference, (first, second))]
    verdict = HOLDS if signs == [1, 1] else FAILS if -1 in signs else PARTLY
    runs = close[0]["runs"]
    return (
        verdict,
        f"SVT-Lap over SVT-Gum {told(first)} ({runs:,} runs), SVT-Gum over SVT-Gau {told(second)}",
    )


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
                f"{'one traverse' if rounds else 'unlimited'}, over {other}: {told(of)}, "
                f"{'most' if rounds else 'least'} {edge.difference:+.3f} ({edge})"
            )
    ahead = {key: mean > reach for key, (mean, reach) in means.items()}
    return graded(all(ahead.values()), any(ahead.values())), "; ".join(texts)
