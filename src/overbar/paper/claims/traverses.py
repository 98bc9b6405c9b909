"""The figures on traverses and on F1."""

from __future__ import annotations

from overbar.paper.claims.claim import UNKNOWN, Judgement, graded
from overbar.paper.claims.pairs import (
    OURS,
    RIVALS,
    against_best,
    pairs,
    told,
    without_adult,
)
from overbar.paper.study import Table, number, only, values

FEW = 5
#: So much less in NCR is not called inferior.
NEAR = 0.01


def _most_datasets(measure: str, *tables: Table) -> Judgement:
    """Judge whether SVT-Exp is never behind on all but one dataset, under each reading given."""
    texts, good, most = [], [], []
    for reading, table in zip(("same ε", "same cost"), tables, strict=False):
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


def _inferior_at_first(*tables: Table) -> Judgement:
    texts, found = [], []
    for reading, table in zip(("same ε", "same cost"), tables, strict=True):
        for epsilon in values(table, "epsilon"):
            (pair,) = against_best(only(table, epsilon=epsilon, rounds=1))
            found.append(pair.behind)
            texts.append(f"{reading}, ε = {epsilon:g}: {pair.difference:+.3f}")
    return graded(all(found), any(found)), "at one traverse, to the best rival: " + "; ".join(texts)


def _better_soon(*tables: Table) -> Judgement:
    texts, found = [], []
    for reading, table in zip(("same ε", "same cost"), tables, strict=True):
        for epsilon in values(table, "epsilon"):
            points = against_best(only(table, epsilon=epsilon))
            behind = [number(pair.one, "rounds") for pair in points if not pair.ahead]
            after = [p for p in points if number(p.one, "rounds") > max(behind, default=0)]
            first = min((number(p.one, "rounds") for p in after), default=None)
            found.append(first is not None and first <= FEW)
            words = "never up to 20" if first is None else f"from {first:g}"
            texts.append(f"{reading}, ε = {epsilon:g}: {words}")
    return graded(all(found), any(found)), "ahead of the best rival: " + "; ".join(texts)


def _same_order(table: Table) -> Judgement:
    """Compare the order of methods by NCR and by F1 at each point."""
    agree = differ = 0
    methods = (OURS, *RIVALS)
    rest = without_adult(table)
    for place, one in enumerate(methods):
        for other in methods[place + 1 :]:
            for by_ncr, by_f1 in zip(
                pairs(rest, one, other), pairs(rest, one, other, "f1"), strict=True
            ):
                if by_ncr.ahead or by_ncr.behind:
                    same = by_ncr.difference * by_f1.difference > 0
                    agree, differ = agree + same, differ + (not same)
    share = agree / max(1, agree + differ)
    measured = (
        f"of {agree + differ} pairs of methods that NCR tells apart, F1 has {100 * share:.1f} % in "
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
    good = [pair.ahead for pair in both]
    texts = ", ".join(f"{pair.one['dataset']} {pair.values}" for pair in both)
    return graded(all(good), any(good)), f"optimal against mean correction: {texts}"


def _rounds_help(table: Table) -> Judgement:
    """Compare NCR of SVT-Exp at 1 and at 100 traverses."""
    ours = [row for row in without_adult(table) if row["method"] == OURS]
    paired = [row | {"rounds": None, "method": f"at {row['rounds']}"} for row in ours]
    of = pairs(paired, "at 100", "at 1")
    good = [pair.ahead for pair in of]
    if not of:
        return UNKNOWN, "1 and 100 traverses were not simulated"
    least = min(of, key=lambda pair: pair.difference)
    return graded(all(good), any(good)), f"NCR at 100 over 1 traverses: {told(of)}; least: {least}"
