"""``overbar audit``: a short real audit, and what it does when something is wrong."""

import json
import math
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from overbar.audit import package, statistical
from overbar.audit.audit_report import audit_report
from overbar.audit.broken_queues import NO_QUERY_NOISE, RELEASED_VALUE
from overbar.audit.checks import Check, broken
from overbar.audit.interfaces import Claim, as_pairs
from overbar.audit.package import CAUGHT, KEPT, AuditRow, Table
from overbar.cli import app, audit_command
from overbar.report.as_html import report_page
from overbar.report.report import json_text
from tests.audit.mechanisms import RandomisedResponse

RUNNER = CliRunner()
REVIEWER = Path(__file__).parents[2] / "docs" / "reviewer.md"


def run(*arguments):
    return RUNNER.invoke(app, ["audit", *map(str, arguments)])


@pytest.fixture
def tiny(monkeypatch):
    """Audit a few mechanisms instead of all."""

    def use(own, controls):
        monkeypatch.setattr(package, "our_claims", lambda: own)
        monkeypatch.setattr(package, "BROKEN", controls)

    return use


def sound(epsilon):
    mechanism = RandomisedResponse(1.0, 1)
    return Check("a coin", Claim.of(epsilon), as_pairs([(0, 1)]), mechanism, quick=True)


def test_the_short_audit_of_this_package_finds_nothing_and_catches_all_controls(
    tmp_path, monkeypatch
):
    """With fewer samples than `--quick` takes. The page for reviewers says what it ends with."""
    monkeypatch.setattr(audit_command, "QUICK_MINUTES", 0.02)
    monkeypatch.setattr(statistical, "FEWEST_RUNS", 60)
    page = tmp_path / "audit.html"
    result = run("--quick", "--format", "json", "--out", page)
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    assert told["passed"]
    assert told["missed_controls"] == []
    assert {row["verdict"] for row in told["rows"] if not row["control"]} == {KEPT}
    exact = [row for row in told["rows"] if row["method"] == "exact" and not row["control"]]
    tight = [row for row in exact if row["measure"] == "epsilon"]
    assert all(row["worst_found"] >= 0.99 * row["allowed"] for row in tight)  # not by weakness
    assert {row["method"] for row in told["rows"]} == {"exact", "samples"}
    # A run that reads a table takes longer than a quick audit may.
    assert {row["method"] for row in told["rows"] if row["claim"] == "keys, one round"} == {"exact"}
    caught = len({row["claim"] for row in told["rows"] if row["control"]})
    ends = f"claims attacked, {caught} of {caught} known-broken mechanisms caught, no violation"
    assert ends in REVIEWER.read_text()
    html = page.read_text()
    assert "16 claims attacked" in html or "no violation found" in html
    assert not re.search(r'(?:src|href)="http', html)  # everything is in the page
    assert html.count("<tr") == len(told["rows"]) + 2


def test_a_violation_leaves_with_one_and_says_what(tiny):
    tiny([sound("0.2")], (NO_QUERY_NOISE,))
    result = run("--minutes", "0.01")
    assert result.exit_code == 1
    assert "VIOLATED" in result.output
    assert "violated: a coin, ε = 0.2" in result.output
    assert "1 of 1 claims VIOLATED, 1 of 1 known-broken mechanisms caught" in result.output


def test_a_missed_control_makes_the_audit_too_weak(tiny):
    harmless = Check("fine", Claim.of(2), as_pairs([(0, 1)]), RandomisedResponse(1.0, 2))
    unbroken = broken(
        "not broken", fault="none", source="nowhere", pairs=as_pairs([(0, 1)]), claim=Claim.of(3),
        run=lambda data, runs, generator: generator.random(runs) < 0.5,
    )  # fmt: skip
    tiny([harmless], (RELEASED_VALUE, unbroken))
    result = run("--minutes", "0.01")
    assert result.exit_code == 1
    assert "missed: not broken" in result.output
    assert "the audit is too weak" in result.output


def test_all_is_well(tiny):
    tiny([sound(2)], (NO_QUERY_NOISE, RELEASED_VALUE))
    result = run("--minutes", "0.01")
    assert result.exit_code == 0
    assert "1 claims attacked, 2 of 2 known-broken mechanisms caught, no violation" in result.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--minutes", "0"], "--minutes must be positive"),
        (["--minutes", "-1"], "--minutes must be positive"),
        (["--minutes", "nan"], "--minutes must be positive"),
        (["--minutes", "1", "--quick"], "exclude each other"),
        (["--minutes", "soon"], "Invalid value for '--minutes'"),
        (["--out", "."], "is a folder; name a file"),
        (["extra"], "unexpected extra argument"),
    ],
)
def test_bad_use_leaves_with_two(arguments, message):
    result = run(*arguments)
    assert result.exit_code == 2
    assert message in result.output.replace("\n", " ")


def test_every_sampled_row_is_corrected_for_all_of_them(tiny):
    tiny([sound(2), sound(3)], (NO_QUERY_NOISE, RELEASED_VALUE))
    seen = []
    real = package.audit

    def watched(*arguments, **named):
        seen.append(named["confidence"])
        return real(*arguments, **named)

    package.audit, before = watched, package.audit
    try:
        package.audit_package(0.2)
    finally:
        package.audit = before
    assert len(seen) == 4
    assert sum(1 - confidence for confidence in seen) == pytest.approx(1e-6, rel=1e-6)


def row(**changes):
    fields = {
        "subject": "a", "claim": Claim.of(1), "method": "samples", "measure": "ε", "found": 0.5,
        "allowed": 1.0, "control": False, "evidence": "<b>&", "runs": 10, "would_find": math.inf,
    }  # fmt: skip
    return AuditRow(**fields | changes)


def test_tables_are_read_as_they_are_meant():
    fine = Table((row(), row(control=True, found=2.0)), 1e-6, 1.0)
    assert fine.passed
    assert [one.verdict for one in fine.rows] == [KEPT, CAUGHT]
    both = Table((row(control=True), row(control=True, method="exact", found=math.inf)), 1e-6, 1.0)
    assert both.missed == []  # one method is enough
    assert not Table((row(found=1.1),), 1e-6, 1.0).passed
    assert Table((row(found=1.0),), 1e-6, 1.0).passed  # all that is allowed is allowed


def test_pages_and_json_carry_odd_numbers_and_escape_text():
    table = Table((row(found=math.inf, control=True), row(found=0.0)), 1e-6, 1.0)
    told = json.loads(json_text(audit_report(table)))
    assert told["rows"][0]["worst_found"] is None
    assert told["rows"][0]["unbounded"]
    html = report_page(audit_report(table, page=True))
    assert "<b>&amp;" not in html.replace("&lt;b&gt;&amp;", "")
    assert "ε &gt; ∞" in html
    assert "nothing" in html
