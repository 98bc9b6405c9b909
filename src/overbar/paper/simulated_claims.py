"""Judges of what is simulated: the main figures, those of the appendix, and beyond the paper."""

from __future__ import annotations

from collections.abc import Iterator

from overbar.paper.claim import (
    FAILS,
    HOLDS,
    OURS,
    PARTLY,
    RIVALS,
    UNKNOWN,
    Judgement,
    MethodPair,
    Pairs,
    against_best,
    graded,
    named,
    open_points,
    pairs,
    without_adult,
)
from overbar.paper.study import Table, number, only, values

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
    best = pairs(without_adult(table), OURS, "SVT-Lap").most
    return graded(best.difference > 0.45), f"over SVT-Lap: {best.difference:.3f} ({best})"


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
    signs = [first.sign, second.sign]
    verdict = HOLDS if signs == [1, 1] else FAILS if -1 in signs else PARTLY
    measured = f"SVT-Lap over SVT-Gum {first} ({close[0]['runs']:,} runs), SVT-Gum over SVT-Gau "
    return verdict, f"{measured}{second}"


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


def _ablation(table: Table) -> Judgement:
    """Judge the noise alone: every method has the optimal correction."""
    texts, ahead = [], []
    for rounds in (1, None):
        for other in ("SVT-Lap (optimal)", "SVT-Gum (optimal)"):
            of = pairs(only(table, rounds=rounds), OURS, other)
            ahead.append(of.sign > 0)
            where, word, edge = (
                ("one traverse", "most", of.most) if rounds else ("unlimited", "least", of.least)
            )
            texts.append(f"{where}, over {other}: {of}, {word} {edge.difference:+.3f} ({edge})")
    return graded(all(ahead), any(ahead)), "; ".join(texts)


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


#: From here on a method has nothing left to gain.
SATURATED = 0.99
ALIKE = 0.02


def _gains(before: Table, after: Table) -> tuple[dict[str, float], str]:
    """Return by how much NCR rose on average, for each method, and that in words."""
    gains = {}
    for method in (OURS, *RIVALS):
        old = {
            (row["dataset"], row["epsilon"]): number(row, "ncr") for row in named(before, method)
        }
        rises = [
            number(row, "ncr") - old[row["dataset"], row["epsilon"]] for row in named(after, method)
        ]
        gains[method] = sum(rises) / len(rises)
    return gains, "mean gain: " + ", ".join(f"{m} {gain:+.3f}" for m, gain in gains.items())


def _improves(before: Table, after: Table) -> Judgement:
    gains, text = _gains(before, after)
    return graded(min(gains.values()) > 0, max(gains.values()) > 0), text


def _gaussian_most(before: Table, after: Table) -> Judgement:
    gains, text = _gains(before, after)
    return graded(max(gains, key=lambda name: gains[name]) == "SVT-Gau"), text


def _laplace_over_gaussian(table: Table) -> Judgement:
    of = pairs(table, "SVT-Lap", "SVT-Gau")
    measured = f"SVT-Lap ahead of SVT-Gau at {of.ahead} of {len(of)} points, behind at {of.behind}"
    return graded(of.ahead > 0 and not of.behind, of.sign > 0), f"{measured}; on average {of}"


def _robust(table: Table) -> Judgement:
    spread = {}
    for epsilon in values(table, "epsilon"):
        means = [number(row, "ncr") for row in only(table, epsilon=epsilon)]
        spread[epsilon] = max(means) - min(means)
    worst = max(spread, key=lambda key: spread[key])
    measured = f"NCR differs by {spread[worst]:.3f} at most over all α (at ε = {worst:g})"
    return graded(spread[worst] <= 0.1), measured


def _best_tolerance(table: Table) -> Judgement:
    over = {
        tolerance: _in_turn(only(table, tolerance=500), only(table, tolerance=tolerance))
        for tolerance in values(table, "tolerance")
        if tolerance != 500
    }
    least = min(of.sign for of in over.values())
    texts = ", ".join(f"over α = {tolerance}: {of}" for tolerance, of in over.items())
    verdict = HOLDS if least > 0 else FAILS if least < 0 else PARTLY
    return verdict, f"α = 500, mean NCR over all ε {texts}"


def _in_turn(ones: Table, others: Table) -> Pairs:
    """Pair the rows of two tables, in their order."""
    return Pairs(MethodPair(one, other) for one, other in zip(ones, others, strict=True))


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
    of = _in_turn(anew, once)
    measured = f"anew against once: {'; '.join(map(str, list(of)))}"
    return graded(not of.behind, of.ahead > of.behind), measured


def _passing(name: str, table: Table) -> Judgement:
    row = only(table, dataset=name)[0]
    if row["passing"] is None:
        return UNKNOWN, f"{name} is not here"
    count, cutoff = int(number(row, "passing")), int(number(row, "cutoff"))
    return graded(count == cutoff), f"{count} items reach {row['threshold']:,}, c = {cutoff}"
