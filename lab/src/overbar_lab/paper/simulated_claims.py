"""Judges of what is simulated: the main figures, those of the appendix, and beyond the paper."""

from __future__ import annotations

import math
from collections.abc import Iterator

from overbar_lab.paper.claim import (
    HOLDS,
    OURS,
    RIVALS,
    UNKNOWN,
    Judgement,
    Pairs,
    against_best,
    graded,
    in_turn,
    named,
    open_points,
    pairs,
    without_adult,
)
from overbar_lab.paper.study import Table, number, only, values

FEW_TRAVERSES = 5
#: So much less in NCR is not called inferior.
NEAR = 0.01
NO_POINT: Judgement = UNKNOWN, "no point is open"


def _outperforms(measure: str, table: Table) -> Judgement:
    points = open_points(table, measure)
    if not points:
        return NO_POINT
    text = f"ahead of the best rival at {points.ahead} of {len(points)} open points, behind at "
    text += f"{points.behind}"
    if points.behind:
        text += f" (furthest: {points.where(lambda pair: pair.sign < 0).least})"
    return graded(points.ahead == len(points), 2 * points.ahead > len(points)), text


def _range(table: Table) -> Judgement:
    texts, good = [], []
    for measure, name in (("ncr", "NCR"), ("f1", "F1")):
        points = open_points(table, measure)
        if not points:
            return NO_POINT
        least, most = points.least.difference, points.most.difference
        good.append(least > 0 and most > 0.4)
        texts.append(f"{name} {least:+.3f} to {most:+.3f}")
    return graded(all(good), any(good)), f"lead over the best rival: {'; '.join(texts)}"


def _up_to_half(table: Table) -> Judgement:
    best = against_best(without_adult(table)).most
    over_laplace = pairs(without_adult(table), OURS, "SVT-Lap").most.difference
    measured = (
        f"over the best rival: {best.difference:.3f} ({best}); over SVT-Lap {over_laplace:.3f}"
    )
    return graded(best.difference > 0.45), measured


def _matches(table: Table) -> Judgement:
    comparable, printed = (
        pairs(without_adult(table), bound, OURS).most
        for bound in ("upper bound (comparable)", "upper bound (as printed)")
    )
    far = comparable.difference
    measured = f"behind by {far:.3f} at most ({comparable}); behind the printed bound by "
    return graded(far <= 0.03, far <= 0.12), f"{measured}{printed.difference:.3f} ({printed})"


def _large_gaps(table: Table) -> Judgement:
    rest = without_adult(table)
    lead = {
        str(name): pairs(only(rest, dataset=name), OURS, "SVT-Lap").most.difference
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
    first = pairs(close, "SVT-Lap", "SVT-Gum")
    second = pairs(without_adult(main), "SVT-Gum", "SVT-Gau")
    both = {"SVT-Lap over SVT-Gum": first, "SVT-Gum over SVT-Gau": second}
    texts = [
        f"{name}: ahead at {of.ahead} of {len(of)} points, behind at {of.behind}, {of} on average "
        f"({of[0].one['runs']:,} runs)"
        for name, of in both.items()
    ]
    return _standing(*both.values()), "; ".join(texts)


def _standing(*some: Pairs) -> str:
    """Grade a lead: ahead somewhere and behind nowhere, or at least ahead on average."""
    return graded(
        all(of.ahead > 0 and not of.behind for of in some), all(of.sign > 0 for of in some)
    )


def _no_correction(table: Table) -> Judgement:
    of = pairs(without_adult(table), "SVT-Exp (no)", "SVT-Lap")
    measured = f"below SVT-Lap at {of.behind} of {len(of)} points, above at {of.ahead}; on average "
    return graded(of.sign < 0), f"{measured}{of}; most: {of.least}"


def _over_mean(table: Table) -> Judgement:
    of = pairs(without_adult(table), OURS, "SVT-Exp (mean)")
    measured = f"ahead at {of.ahead} of {len(of)} points, behind at {of.behind}; most: {of.most}"
    return graded(of.most.difference > 0.3 and of.ahead > len(of) / 2), measured


def _mean_over_rest(table: Table) -> Judgement:
    rest = without_adult(table)
    over = {name: pairs(rest, "SVT-Exp (mean)", name) for name in ("SVT-Gum", "SVT-Lap", "SVT-Gau")}
    good = [of.sign > 0 for of in over.values()]
    measured = ", ".join(f"over {name} {of}" for name, of in over.items())
    return graded(all(good), any(good)), f"on average {measured}"


def _larger_than_mean(table: Table) -> Judgement:
    ratios = [number(row, "optimal") / number(row, "mean") for row in table]
    measured = f"optimal over mean is {min(ratios):.3f} at every ε (c = 50, k = 200)"
    return graded(min(ratios) > 1), measured


def _best_bars(online: Table, offline: Table) -> Judgement:
    """Judge the noise alone, at every ε and each noise at its own best bar."""
    texts, grades, means = [], [], []
    for where, table in (("online", online), ("offline", offline)):
        for measure, name in (("ncr", "NCR"), ("f1", "F1")):
            over = {
                other: pairs(table, "SVT-Exp (best bar)", f"{other} (best bar)", measure)
                for other in ("SVT-Lap", "SVT-Gum")
            }
            grades.append(_standing(*over.values()))
            means += [of.sign > 0 for of in over.values()]
            texts += [
                f"{where}, {name} over {other}: {of} on average, ahead at {of.ahead} of {len(of)}, "
                f"behind at {of.behind}, {of.least.difference:+.3f} to {of.most.difference:+.3f}"
                for other, of in over.items()
            ]
    return graded(all(one == HOLDS for one in grades), any(means)), "; ".join(texts)


def _ablation(table: Table) -> Judgement:
    """Judge what exponential noise is worth when every noise has the optimal correction."""
    texts: list[str] = []
    online: list[int] = []
    offline: list[int] = []
    for measure, name in (("ncr", "NCR"), ("f1", "F1")):
        for rounds, signs in ((1, online), (None, offline)):
            of = pairs(only(table, rounds=rounds), OURS, "SVT-Lap (optimal)", measure)
            signs.append(of.sign)
            texts.append(f"{name}, {'one traverse' if rounds else 'unlimited'}: {of}")
    verdict = graded(min(online) > 0 and max(offline) <= 0, min(online) > 0)
    return verdict, f"over Laplace noise: {'; '.join(texts)}"


#: So many times the comparisons of SVT-Lap are still called marginal.
MARGINAL = 1.5


def _marginal_cost(table: Table) -> Judgement:
    """Compare comparisons made, where there is a race."""
    keys = ("dataset", "epsilon")
    open_ = {tuple(pair.one[key] for key in keys) for pair in open_points(table)}
    of = [
        pair
        for pair in pairs(table, OURS, "SVT-Lap", "passes")
        if tuple(pair.one[key] for key in keys) in open_
    ]
    if not of:
        return NO_POINT
    ratios = [number(pair.one, "passes") / number(pair.other, "passes") for pair in of]
    few = sum(ratio <= MARGINAL for ratio in ratios)
    measured = (
        f"{few} of {len(of)} open points with at most {MARGINAL:g} times the comparisons of "
        f"SVT-Lap; {min(ratios):.3g} to {max(ratios):.3g} times, median "
        f"{sorted(ratios)[len(ratios) // 2]:.3g}"
    )
    return graded(few == len(of), 2 * few > len(of)), measured


def _readings(tables: tuple[Table, ...]) -> Iterator[tuple[str, Table]]:
    """Name the tables of the two readings of the footnote on traverses; the second may lack."""
    return zip(("same ε", "same cost"), tables, strict=False)


def _most_datasets(measure: str, *tables: Table) -> Judgement:
    """Judge whether SVT-Exp is never behind on all but one dataset, under each reading given."""
    texts, good, most = [], [], []
    for reading, table in _readings(tables):
        rest = without_adult(table)
        worse = {
            name: [
                str(pair.one["rounds"])
                for pair in against_best(only(rest, dataset=name), measure)
                if pair.difference < -NEAR - pair.reach
            ]
            for name in values(rest, "dataset")
        }
        some = {name: rounds for name, rounds in worse.items() if rounds}
        good.append(len(some) <= 1)
        most.append(2 * len(some) < len(worse))
        texts.append(f"{reading}: behind the best rival on {len(some)} of {len(worse)} datasets")
        texts += [f"{name} at {', '.join(rounds)} traverses" for name, rounds in some.items()]
    return graded(all(good), any(good) or all(most)), "; ".join(texts)


def _by_epsilon(tables: tuple[Table, ...]) -> Iterator[tuple[str, Table]]:
    """Go through the budgets under each reading."""
    for reading, table in _readings(tables):
        for epsilon in values(table, "epsilon"):
            yield f"{reading}, ε = {epsilon:g}", only(table, epsilon=epsilon)


def _inferior_at_first(*tables: Table) -> Judgement:
    first = {place: against_best(only(rows, rounds=1))[0] for place, rows in _by_epsilon(tables)}
    behind = [pair.sign < 0 for pair in first.values()]
    texts = [f"{place}: {pair.difference:+.3f}" for place, pair in first.items()]
    measured = "at one traverse, to the best rival: " + "; ".join(texts)
    return graded(all(behind), any(behind)), measured


def _better_soon(*tables: Table) -> Judgement:
    texts, soon = [], []
    for place, rows in _by_epsilon(tables):
        ahead = {number(pair.one, "rounds"): pair.sign > 0 for pair in against_best(rows)}
        behind = [rounds for rounds in ahead if not ahead[rounds]]
        first = min((rounds for rounds in ahead if rounds > max(behind, default=0)), default=None)
        soon.append(first is not None and first <= FEW_TRAVERSES)
        texts.append(f"{place}: {'never up to 20' if first is None else f'from {first:g}'}")
    return graded(all(soon), any(soon)), "ahead of the best rival: " + "; ".join(texts)


def _same_order(table: Table) -> Judgement:
    """Compare the order of methods by NCR and by F1 at each point."""
    rest, methods = without_adult(table), (OURS, *RIVALS)
    same = [
        by_ncr.difference * by_f1.difference > 0
        for place, one in enumerate(methods)
        for other in methods[place + 1 :]
        for by_ncr, by_f1 in zip(
            pairs(rest, one, other), pairs(rest, one, other, "f1"), strict=True
        )
        if by_ncr.sign
    ]
    share = sum(same) / max(1, len(same))
    measured = (
        f"of {len(same)} pairs of methods that NCR tells apart, F1 has {100 * share:.1f} % in "
        "the same order"
    )
    return graded(share >= 0.95, share >= 0.7), measured


def _recall_rises(table: Table) -> Judgement:
    ours = [row for row in without_adult(table) if row["method"] == OURS]
    most = max(int(number(row, "rounds")) for row in ours)
    both = list(zip(only(ours, rounds=1), only(ours, rounds=most), strict=True))
    texts = [
        f"{a['dataset']} {number(a, 'recall'):.3f} to {number(b, 'recall'):.3f}" for a, b in both
    ]
    rising = [number(b, "recall_low") > number(a, "recall_high") for a, b in both]
    return graded(all(rising), any(rising)), f"from 1 to {most:,} traverses: {', '.join(texts)}"


def _precise(table: Table) -> Judgement:
    both = pairs(only(without_adult(table), rounds=1), OURS, "SVT-Exp (mean)", "precision")
    texts = ", ".join(f"{pair.one['dataset']} {pair.values}" for pair in both)
    measured = f"optimal against mean correction: {texts}"
    return graded(both.ahead == len(both), both.ahead > 0), measured


def _rounds_help(table: Table) -> Judgement:
    """Compare NCR of SVT-Exp at 1 and at 100 traverses."""
    ours = [row for row in without_adult(table) if row["method"] == OURS]
    paired = [row | {"rounds": None, "method": f"at {row['rounds']}"} for row in ours]
    of: Pairs = pairs(paired, "at 100", "at 1")
    if not of:
        return UNKNOWN, "1 and 100 traverses were not simulated"
    measured = f"NCR at 100 over 1 traverses: {of}; least: {of.least}"
    return graded(of.ahead == len(of), of.ahead > 0), measured


def _soon_ahead(measure: str, *tables: Table) -> Judgement:
    """Judge whether SVT-Exp, where it is behind at one traverse, is not from few traverses on."""
    late, behind = [], 0
    for table in tables:
        for name in values(without_adult(table), "dataset"):
            of = against_best(only(table, dataset=name), measure)
            behind += any(pair.sign < 0 and pair.one["rounds"] == 1 for pair in of)
            late += [
                str(pair)
                for pair in of
                if pair.difference < -NEAR - pair.reach
                and number(pair.one, "rounds") >= FEW_TRAVERSES
            ]
    measured = f"behind the best rival at one traverse on {behind} datasets"
    if late:
        measured += f"; from {FEW_TRAVERSES} traverses on still at {len(late)} points: {late[0]}"
    return graded(not late), measured


def _free_gap(table: Table) -> Judgement:
    """Judge whether the gap of a positive below the bar tells anything of its score."""
    rows = {(row["dataset"], row["method"]): row for row in table}.values()
    shares = [1 - math.sqrt(1 - min(1.0, number(row, "correlation") ** 2)) for row in rows]
    most = max(rows, key=lambda row: abs(number(row, "correlation")))
    measured = (
        f"of the spread of scores below the bar the gap takes {100 * max(shares):.2g} % at most; "
        f"largest correlation {number(most, 'correlation'):+.3f} ({most['dataset']}, "
        f"{most['method']})"
    )
    return graded(min(shares) > USEFUL, max(shares) <= USEFUL), measured


#: A gap that takes less of the spread of scores than this is of no use.
USEFUL = 0.01
#: From here on a method has nothing left to gain.
SATURATED = 0.99
ALIKE = 0.02


def _peeling(table: Table) -> Judgement:
    of = pairs(table, "appending", "peeling")
    worst = max(of, key=lambda pair: abs(pair.difference))
    measured = f"largest distance {worst.difference:+.4f} ± {worst.reach:.4f} ({worst}) over "
    measured += f"{len(of)} points, {worst.one['runs']:,} runs each"
    return graded(abs(worst.difference) <= ALIKE), measured


def _exponential_mechanism(table: Table) -> Judgement:
    of, near = (pairs(without_adult(table), "peeling", other) for other in (OURS, "appending"))
    measured = f"peeling over {OURS} {of} on average; over appending {near}"
    return graded(of.sign > 0), measured


def _race(table: Table) -> Judgement:
    of = pairs(table, "race-accounted", "peeling").where(
        lambda pair: number(pair.other, "ncr") < SATURATED
    )
    if not of:
        return UNKNOWN, "peeling finds nearly everything at every point"
    measured = f"ahead at {of.ahead} of {len(of)} points, behind at {of.behind}; least: {of.least}"
    # Where both are at chance there is nothing to tell apart.
    return graded(4 * of.ahead >= 3 * len(of) and of.behind <= len(of) / 20), measured


def _resampling(table: Table) -> Judgement:
    once, anew = (only(table, threshold_drawn=how) for how in ("once", "anew after each positive"))
    of = in_turn(anew, once)
    measured = f"anew against once: {'; '.join(map(str, list(of)))}"
    return graded(not of.behind, of.ahead > of.behind), measured


def _passing(name: str, table: Table) -> Judgement:
    row = only(table, dataset=name)[0]
    if row["passing"] is None:
        return UNKNOWN, f"{name} is not here"
    count, cutoff = int(number(row, "passing")), int(number(row, "cutoff"))
    return graded(count == cutoff), f"{count} items reach {row['threshold']:,}, c = {cutoff}"
