from __future__ import annotations

from dataclasses import replace

import pytest

from overbar.paper import STUDIES
from overbar.paper.claims import CLAIMS, judged
from overbar.paper.claims.claim import FAILS, HOLDS, PARTLY, UNKNOWN
from overbar.paper.study import only

VERDICTS = {HOLDS, PARTLY, FAILS, UNKNOWN}


def test_there_are_enough_claims_and_each_has_a_verdict(tables):
    findings = judged(tables)
    assert len([one for one in findings if not one.claim.erratum]) >= 20
    for finding in findings:
        assert finding.verdict.verdict in VERDICTS
        assert finding.verdict.measured
        assert finding.verdict.why


def test_every_erratum_has_evidence(tables):
    errata = [one for one in judged(tables) if one.claim.erratum]
    assert len(errata) >= 12
    assert sum(one.verdict.verdict == FAILS for one in errata) >= 10


def test_claims_ask_for_studies_that_exist():
    names = {study.name for study in STUDIES}
    assert all(set(claim.needs) <= names for claim in CLAIMS)


def test_without_tables_nothing_is_judged():
    assert {finding.verdict.verdict for finding in judged({})} == {UNKNOWN}


@pytest.mark.parametrize(
    ("gist", "study", "column"),
    [
        ("smallest private comparison variance", "variance-by-budget", "variance"),
        ("most (α, β)-accurate", "accuracy-by-noise", "failure_shared"),
    ],
)
def test_control_a_judge_can_say_no(gist, study, column, tables):
    """The best noise, made the worst, no longer has the claim on its side."""
    claim = next(one for one in CLAIMS if gist in one.sentence)
    assert claim.judged(tables).verdict.verdict == HOLDS
    worst = [
        row | {column: 1e9 if row["noise"] == "exponential" else row[column]}
        for row in tables[study]
    ]
    assert claim.judged({**tables, study: worst}).verdict.verdict == FAILS


def test_control_a_rival_on_top_is_seen(tables):
    claim = next(one for one in CLAIMS if "significantly outperforms" in one.sentence)
    table = [
        row | {"ncr": 0.9, "ncr_low": 0.89, "ncr_high": 0.91}
        if row["method"] == "SVT-Lap"
        else row | {"ncr": 0.5, "ncr_low": 0.49, "ncr_high": 0.51}
        for row in tables["ncr-by-budget"]
    ]
    assert claim.judged({"ncr-by-budget": table}).verdict.verdict == FAILS
    turned = [
        row | {"ncr": 0.2, "ncr_low": 0.19, "ncr_high": 0.21}
        if row["method"] != "SVT-Exp (optimal)"
        else row
        for row in table
    ]
    assert claim.judged({"ncr-by-budget": turned}).verdict.verdict == HOLDS


def test_a_claim_about_an_absent_dataset_cannot_be_judged(tables):
    claim = next(one for one in CLAIMS if "slight inferiority" in one.sentence)
    binary = only(tables["ncr-by-traverses"], dataset="Binary")
    assert claim.judged({"ncr-by-traverses": binary}).verdict.verdict == UNKNOWN
    assert replace(claim, needs=("nothing",)).judged(tables).verdict.verdict == UNKNOWN


def test_the_errata_that_are_numbers_are_confirmed(tables):
    """What the page on errata says of the tables of the paper is what the studies find."""
    found = {one.claim.where: one.verdict for one in judged(tables) if one.claim.erratum}
    for where in ("Theorem 2", "table of baselines", "baselines", "appending", "appendix, RDP"):
        assert found[where].verdict == FAILS, where
    assert "exponential" in found["table of baselines"].measured
