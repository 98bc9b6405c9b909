from __future__ import annotations

from pathlib import Path

import pytest

from overbar_lab.paper import STUDIES
from overbar_lab.paper.claim import FAILS, FEW, HOLDS, PARTLY, UNKNOWN, VERDICTS, PaperClaim
from overbar_lab.paper.claims import CLAIMS, judged
from overbar_lab.paper.study import only

ROOT = Path(__file__).parents[3]
TEX_WORDS = ("Section", "Appendix", "Figure", "Table", "Theorem", "Algorithm", "overbar")


def claim_named(gist):
    (found,) = [one for one in CLAIMS if gist in one.says]
    return found


def near(row, **means):
    """The row with these means, and with narrow intervals."""
    new = dict(row)
    for name, mean in means.items():
        new |= {name: mean, f"{name}_low": mean - 0.001, f"{name}_high": mean + 0.001}
    return new


def test_every_claim_has_a_place_a_rule_and_numbers(tables):
    findings = judged(tables)
    assert len(findings) == len(CLAIMS)
    assert len([one for one in findings if not one.claim.erratum]) >= 40
    for finding in findings:
        assert finding.verdict in VERDICTS
        row = finding.row()
        assert row["measured"]
        assert row["rule"]
        assert row["how"] in ("by reading", "by measurement")
        assert finding.claim.where.startswith(TEX_WORDS), finding.claim.where
        assert "{" not in row["measured"]


def test_one_misprint_counts_once():
    errata = [one for one in CLAIMS if one.erratum]
    assert len(errata) >= 18
    assert len({(one.where, one.says) for one in errata}) == len(errata)
    assert not any("Algorithm 1" in one.where for one in errata)


def test_claims_ask_for_studies_that_exist():
    names = {study.name for study in STUDIES}
    assert all(set(claim.needs) <= names and claim.needs for claim in CLAIMS)


def test_what_is_judged_by_reading_does_not_look_at_numbers(tables):
    """The table cannot change the verdict: with all numbers zero it is the same."""
    zero = [row | {"measured": 0.0} for row in tables["errata"]]
    for claim in CLAIMS:
        if claim.by_reading:
            assert claim.judged({**tables, "errata": zero}).verdict == FAILS


def test_without_tables_nothing_is_judged_and_without_data_it_is_unknown(tables):
    assert judged({}) == []
    (claim,) = [one for one in CLAIMS if "slight inferiority" in one.says]
    empty = {name: [] for name in claim.needs}
    assert claim.judged(empty).verdict == UNKNOWN


@pytest.mark.parametrize(
    ("gist", "study", "column"),
    [
        ("smallest private comparison variance", "variance-by-budget", "variance"),
        ("most (α, β)-accurate", "accuracy-by-noise", "failure_shared"),
    ],
)
def test_control_a_judge_can_say_no(gist, study, column, tables):
    """The best noise, made the worst, no longer has the claim on its side."""
    claim = claim_named(gist)
    assert claim.judged(tables).verdict == HOLDS
    worst = [
        row | {column: 1e9 if row["noise"] == "exponential" else row[column]}
        for row in tables[study]
    ]
    assert claim.judged({**tables, study: worst}).verdict == FAILS


def test_control_a_rival_on_top_is_seen(tables):
    claim = claim_named("significantly outperforms")
    table = [
        near(row, ncr=0.9 if row["method"] == "SVT-Lap" else 0.5) for row in tables["ncr-by-budget"]
    ]
    assert claim.judged({"ncr-by-budget": table}).verdict == FAILS
    turned = [near(row, ncr=0.2) if row["method"] != "SVT-Exp (optimal)" else row for row in table]
    assert claim.judged({"ncr-by-budget": turned}).verdict == HOLDS


def test_where_nobody_finds_anything_nothing_can_be_told(tables):
    """No point is open: an empty list of points has no rival on top, and proves nothing."""
    nothing = [near(row, ncr=0.01, f1=0.01) for row in tables["ncr-by-budget"]]
    for gist in ("significantly outperforms", "2 % to 50 %"):
        claim = claim_named(gist)
        assert claim.judged({"ncr-by-budget": nothing}).verdict == UNKNOWN
    all_of_it = [near(row, ncr=0.995) for row in tables["race-against-pure"]]
    claim = claim_named("with race accounting")
    assert claim.judged({"race-against-pure": all_of_it}).verdict == UNKNOWN


def ablation(tables, **by_method):
    """The table of the ablation with the same NCR and F1 on every dataset."""
    new = []
    for row in tables["noise-ablation"]:
        value = by_method[str(row["method"])[4:7]][row["rounds"] != 1]
        new.append(near(row, ncr=value, f1=value))
    return new


@pytest.mark.parametrize(
    ("laplace", "verdict"), [((0.4, 0.7), HOLDS), ((0.4, 0.5), PARTLY), ((0.6, 0.7), FAILS)]
)
def test_the_noise_is_judged_with_the_same_correction(laplace, verdict, tables):
    """Laplace below and above at last, below throughout, or above throughout."""
    table = ablation(tables, Exp=(0.5, 0.6), Gum=(0.3, 0.4), Lap=laplace)
    claim = claim_named("with the same correction for every noise")
    assert claim.judged({"noise-ablation": table}).verdict == verdict


@pytest.mark.parametrize(
    ("online", "offline", "verdict"), [(0.5, 0.5, HOLDS), (0.5, 0.7, PARTLY), (0.7, 0.7, FAILS)]
)
def test_the_noise_is_judged_at_its_best_bar(online, offline, verdict, tables):
    """Exponential at 0.6; the others below or above it, online and offline."""
    both = {
        name: [
            near(row, **dict.fromkeys(("ncr", "f1"), 0.6 if "Exp" in row["method"] else rest))
            for row in tables[name]
        ]
        for name, rest in (("noise-online", online), ("noise-offline", offline))
    }
    assert claim_named("exponential noise is the most effective").judged(both).verdict == verdict


@pytest.mark.parametrize(("passes", "verdict"), [(1.2, HOLDS), (9.0, FAILS)])
def test_comparisons_are_judged(passes, verdict, tables):
    table = [
        near(row, ncr=0.6 if row["method"] == "SVT-Exp (optimal)" else 0.4)
        | {"passes": passes if row["method"] == "SVT-Exp (optimal)" else 1.0}
        for row in tables["ncr-by-budget"]
    ]
    table = [row | {"passes_low": row["passes"], "passes_high": row["passes"]} for row in table]
    assert claim_named("marginal additional").judged({"ncr-by-budget": table}).verdict == verdict


@pytest.mark.parametrize(("r", "verdict"), [(0.02, PARTLY), (0.6, HOLDS)])
def test_a_gap_without_memory_is_of_no_use(r, verdict, tables):
    ends = {"correlation": r, "correlation_low": r - 1e-3, "correlation_high": r + 1e-3}
    table = [row | ends for row in tables["free-gap"]]
    assert claim_named("free gap").judged({"free-gap": table}).verdict == verdict


@pytest.mark.parametrize(
    ("own", "literal", "verdict"), [(0.1, 0.1, HOLDS), (0.9, 0.1, PARTLY), (0.9, 0.9, FAILS)]
)
def test_both_readings_of_the_renyi_calibration_count(own, literal, verdict, tables):
    """SVT-Lap stands at 0.5, and SVT-Gau below or above it by its own curve and at ε₂′."""
    values = {"SVT-Gau, paper's RDP": own, "SVT-Gau (each at ε₂′), paper's RDP": literal}
    table = [near(row, ncr=values.get(row["method"], 0.5)) for row in tables["renyi-ncr-by-budget"]]
    found = claim_named("SVT-Lap still maintains").judged({"renyi-ncr-by-budget": table})
    assert found.verdict == verdict
    assert "each query at ε₂′" in found.measured


def test_the_page_of_errata_has_a_row_for_each():
    page = (ROOT / "docs/errata.md").read_text(encoding="utf-8")
    _, *parts = page.split("| where |")
    rows = [line for part in parts for line in part.splitlines()[2:] if line.startswith("| ")]
    places = sorted(row.split(" | ")[0].removeprefix("| ") for row in rows)
    errata = sorted(claim.where for claim in CLAIMS if claim.erratum)
    assert len(places) == len(errata)
    assert places == errata


def test_a_verdict_that_chance_could_have_changed_is_none(tables):
    """A lead within wide intervals: one look says that it holds, and that is not enough."""
    lead = PaperClaim("Section 1", "it leads", "holds: more", ("two",), _more)
    first, second = (
        row | {"ncr": ncr, "ncr_low": ncr - 0.1, "ncr_high": ncr + 0.1}
        for row, ncr in zip(tables["ncr-by-budget"][:2], (0.51, 0.50), strict=True)
    )
    assert lead.judge([first, second])[0] == HOLDS
    found = lead.judged({"two": [first, second]})
    assert found.verdict == FEW
    assert "times that it is not “holds”" in found.measured
    narrow = [near(first, ncr=0.51), near(second, ncr=0.50)]
    assert lead.judged({"two": narrow}).verdict == HOLDS


def _more(rows):
    return (HOLDS if rows[0]["ncr"] > rows[1]["ncr"] else FAILS), "so"


def test_a_claim_about_an_absent_dataset_cannot_be_judged(tables):
    claim = claim_named("the threshold on Adult")
    table = [row | {"passing": None} for row in tables["dataset-table"]]
    assert claim.judged({"dataset-table": table}).verdict == UNKNOWN


def test_the_second_reading_can_change_the_verdict(tables):
    """Behind at the same ε, ahead at the same cost: the claim holds in part, and says which."""
    claim = claim_named("slight inferiority")
    table = tables["t40-traverses"]
    if not table:
        pytest.skip("T40I10D100K is not here")
    behind, ahead = (
        [near(row, ncr=mine if row["method"] == "SVT-Exp (optimal)" else 0.5) for row in table]
        for mine in (0.4, 0.6)
    )
    both = dict(zip(claim.needs, (behind, ahead), strict=True))
    found = claim.judged(both)
    assert found.verdict == PARTLY
    assert "same cost, ε = 0.1: +0.100" in found.measured
    assert claim.judged(dict.fromkeys(claim.needs, behind)).verdict == HOLDS
    assert only(table, rounds=1)


@pytest.mark.parametrize(("times", "verdict"), [((1, 3, 10, 20), HOLDS), ((1, 1, 20, 20), UNKNOWN)])
def test_a_fit_by_luck_of_its_ends_is_none(times, verdict, tables):
    """Twenty times the time for twenty times the buckets, evenly or in one jump."""
    table = [
        tables["numeric-efficiency"][0] | {"buckets": 1000 * many, "numeric_seconds": 1e-3 * time}
        for many, time in zip((1, 3, 10, 20), times, strict=True)
    ]
    claim = claim_named("increases linearly")
    assert claim.judged({"numeric-efficiency": table}).verdict == verdict


@pytest.mark.parametrize(("again", "verdict"), [(0.0, HOLDS), (0.03, PARTLY), (0.2, FAILS)])
def test_a_lead_that_stays_where_queries_are_asked_again_is_seen(again, verdict, tables):
    above = {("laplace", 1): 0.1, ("laplace", 10): again}
    table = [
        row | {"failure_best": 0.5 + above.get((row["noise"], row["rounds"]), 0.0)}
        for row in tables["accuracy-by-traverses"]
    ]
    claim = claim_named("only where each query is asked once")
    assert claim.judged({"accuracy-by-traverses": table}).verdict == verdict


@pytest.mark.parametrize(("lower", "verdict"), [(0.02, HOLDS), (0.005, FAILS)])
def test_a_tolerance_that_lowers_ncr_at_one_budget_is_seen(lower, verdict, tables):
    """“Can lead to a decrease” is about some ε, not about the mean over all."""
    rows = [near(row, ncr=0.5) for row in tables["error-tolerance"]]
    place = next(at for at, row in enumerate(rows) if row["tolerance"])
    rows[place] = near(rows[place], ncr=0.5 - lower)
    claim = claim_named("a larger α can lead to a decrease")
    assert claim.judge(rows)[0] == verdict


@pytest.mark.parametrize(("behind", "verdict"), [(0.005, HOLDS), (0.02, FAILS)])
def test_a_rival_that_stays_ahead_after_few_traverses_is_seen(behind, verdict, tables):
    rows = [near(row, ncr=0.5) for row in tables["renyi-ncr-by-traverses"]]
    rows = [
        near(row, ncr=0.5 - behind) if row["method"].startswith("SVT-Exp (optimal)") else row
        for row in rows
    ]
    claim = claim_named("after a few additional rounds")
    assert claim.judge(rows)[0] == verdict
