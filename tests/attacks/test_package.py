"""A short real audit of this package, and what it says when something is wrong."""

import math
from pathlib import Path

import pytest

from overbar.audit import statistical
from overbar.audit.interfaces import Claim, as_pairs
from tests.attacks import __main__ as program
from tests.attacks import package
from tests.attacks.broken_queues import RELEASED_VALUE, no_query_noise
from tests.attacks.broken_rankings import BROKEN
from tests.attacks.checks import Check
from tests.attacks.mechanisms import RandomisedResponse
from tests.attacks.package import CAUGHT, KEPT, AuditRow, Table, audit_package
from tests.attacks.twins import broken

REVIEWER = Path(__file__).parents[2] / "docs" / "reviewer.md"


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


def test_the_short_audit_of_this_package_finds_nothing_and_catches_all_controls(monkeypatch):
    """With fewer samples than `--quick` takes."""
    monkeypatch.setattr(statistical, "FEWEST_RUNS", 60)
    table = audit_package(1.2, thorough=False)
    assert table.passed
    assert table.missed == []
    assert {row.verdict for row in table.rows if not row.control} == {KEPT}
    assert len({row.subject for row in table.rows if row.control}) == len(BROKEN) == 25
    exact = [row for row in table.rows if row.method == "exact" and not row.control]
    tight = [row for row in exact if row.measure == "ε"]
    assert all(row.found >= 0.99 * row.allowed for row in tight)  # not by weakness
    assert {row.method for row in table.rows} == {"exact", "samples"}
    # A run that reads a table takes longer than a quick audit may.
    assert {row.method for row in table.rows if row.subject == "keys, one round"} == {"exact"}
    ends = "claims attacked, 25 of 25 known-broken mechanisms caught, no violation found"
    assert ends in table.summary
    assert ends in REVIEWER.read_text()  # the page for reviewers says what it ends with


def told(capsys, *arguments):
    """How the program ends, and what it says."""
    return program.main(list(arguments)), capsys.readouterr().out


def test_a_violation_leaves_with_one_and_says_what(tiny, capsys):
    tiny([sound("0.2")], (no_query_noise,))
    code, text = told(capsys, "--minutes", "0.01")
    assert code == 1
    assert "VIOLATED" in text
    assert "violated: a coin, ε = 0.2" in text
    assert "1 of 1 claims VIOLATED, 1 of 1 known-broken mechanisms caught" in text


def test_a_missed_control_makes_the_audit_too_weak(tiny, capsys):
    harmless = Check("fine", Claim.of(2), as_pairs([(0, 1)]), RandomisedResponse(1.0, 2))
    coin = broken("not broken", "none", "nowhere", *as_pairs([(0, 1)]), claim=Claim.of(3))
    unbroken = coin(lambda run, _: run.lot((0, 1), 1))
    tiny([harmless], (RELEASED_VALUE, unbroken))
    code, text = told(capsys, "--minutes", "0.01")
    assert code == 1
    assert "missed: not broken" in text
    assert "the audit is too weak" in text


def test_all_is_well(tiny, capsys, monkeypatch):
    monkeypatch.setattr(program, "QUICK_MINUTES", 0.01)
    tiny([sound(2)], (no_query_noise, RELEASED_VALUE))
    code, text = told(capsys, "--quick")
    assert code == 0
    assert "1 claims attacked, 2 of 2 known-broken mechanisms caught, no violation" in text


@pytest.mark.parametrize("wrong", ["0", "-1", "nan", "soon", "1 --quick"])
def test_bad_use_leaves_with_two(wrong, capsys):
    with pytest.raises(SystemExit, match="2"):
        program.main(["--minutes", *wrong.split()])
    assert "--minutes" in capsys.readouterr().err


def test_every_sampled_row_is_corrected_for_all_of_them(tiny):
    tiny([sound(2), sound(3)], (no_query_noise, RELEASED_VALUE))
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


def test_odd_numbers_and_long_evidence_are_written():
    rows = row(found=math.inf, control=True), row(found=0.0, evidence="x" * 500)
    text = "\n".join(program.lines(Table(rows, 1e-6, 1.0)))
    assert "ε > ∞ of ε = 1 allowed; 10 samples, too few" in text
    assert "nothing of ε = 1 allowed" in text
    assert "x" * program.LONGEST + "..." in text
    assert "x" * (program.LONGEST + 1) not in text
