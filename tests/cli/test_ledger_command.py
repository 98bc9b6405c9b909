"""overbar ledger: open, show, verify, close."""

import json
import re
from fractions import Fraction

import pytest
from typer.testing import CliRunner

import overbar
from overbar.cli import app
from tests.queue_plans import queue_plan

PLAN = queue_plan(epsilon="0.2", cutoff=2, monotonic=True, candidates=100)

PERSON = ("--neighbours", "person")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "budgets.db"


def run(*arguments):
    result = CliRunner().invoke(app, ["ledger", *[str(one) for one in arguments]])
    assert "Traceback" not in result.output
    assert "\x1b" not in result.output
    return result


def book(path):
    """Two datasets, a run of each state."""
    assert run("open", path, "baskets", "--epsilon", "1", "--note", "of 2024").exit_code == 0
    assert run("open", path, "both", "--epsilon", "1/3", "--delta", "1e-6").exit_code == 0
    ledger = overbar.Ledger(path)
    overbar.select(
        {"tea": 10**9},
        threshold=500,
        plan=PLAN,
        booking=ledger.booking("baskets", request_id="monday", purpose="the weekly list"),
    )
    overbar.SparseVector(PLAN, threshold=5, booking=ledger.booking("baskets", purpose="lost"))
    overbar.SparseVector(PLAN, threshold=5, booking=ledger.booking("both")).close()
    return ledger


def test_open_makes_the_file_and_prints_the_head(path):
    result = run("open", path, "baskets", "--epsilon", "0.5", "--delta", "1e-6")
    assert result.exit_code == 0
    assert "baskets: epsilon 0.5 at delta 1e-6 may be spent in all" in result.output
    assert f"head {overbar.Ledger(path).head}" in result.output
    assert overbar.Ledger(path).show("baskets").budget.epsilon == Fraction(1, 2)


def test_a_delta_that_protects_nobody_is_no_budget_unless_it_is_meant(path):
    ask = ("open", path, "baskets", "--epsilon", "1")
    refused = run(*ask, "--delta", "0.5")
    assert refused.exit_code == 2
    assert "--delta must be at most 0.01, got '0.5'" in refused.stderr
    assert "whoever means it writes --delta-is-large" in refused.stderr
    assert not path.exists()
    meant = run(*ask, "--delta", "0.5", "--delta-is-large")
    assert meant.exit_code == 0
    assert "With a chance of up to 0.5 this protects nobody" in meant.stderr
    assert overbar.Ledger(path).show("baskets").budget.delta == Fraction(1, 2)


@pytest.mark.parametrize(
    ("delta", "chance"),
    [("0", None), ("1e-6", None), ("1e-4", None), ("2e-4", "one in 5,000"), ("0.01", "one in 100")],
)
def test_a_delta_above_one_in_ten_thousand_is_said_to_be_large(path, delta, chance):
    told = run("open", path, "baskets", "--epsilon", "1", "--delta", delta)
    assert told.exit_code == 0
    warned = re.search("With a chance of up to (.*?) this protects nobody", told.stderr)
    assert (warned and warned[1]) == chance


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["open", "PATH", "a", "--epsilon", "0"], "epsilon must be positive, got '0'"),
        (["open", "PATH", "a", "--epsilon", "x"], "epsilon must be a number"),
        (["open", "PATH", "a", "--epsilon", "1", "--delta", "2"], "delta must be below 1"),
        (["open", "PATH", "baskets", "--epsilon", "1"], "has a budget already"),
        (["open", "PATH/x/y", "a", "--epsilon", "1"], "cannot be used"),
        (["open", "PATH", "a"], "--epsilon must be given: "),
        (["show", "PATH", "nope"], "dataset 'nope' is not in this ledger"),
        (["show", "PATH.no"], "there is no ledger"),
        (["close", "PATH", "nope"], "dataset 'nope' is not in this ledger"),
        (["close", "PATH.no", "a"], "there is no ledger"),
    ],
)
def test_bad_use_leaves_with_two_and_one_clear_line(path, arguments, message):
    book(path)
    head = overbar.Ledger(path).head
    result = run(*[one.replace("PATH", str(path)) for one in arguments])
    assert result.exit_code == 2
    assert message in result.output.replace("\n", " ")
    assert overbar.Ledger(path).head == head
    assert not path.with_name(path.name + ".no").exists()


def test_show_lists_budgets_and_runs(path):
    book(path)
    every = run("show", path)
    assert every.exit_code == 0
    rows = {line.split()[0]: line.split() for line in every.output.splitlines()[1:3]}
    settled = overbar.privacy.spent(PLAN, 1)
    assert rows["baskets"][1:4] == ["open", "1", "0"]
    assert settled <= float(rows["baskets"][4]) <= settled * 1.01  # three digits, rounded up
    assert rows["baskets"][5] == "0.2"
    left = 1 - settled - Fraction("0.2")
    assert left * 0.99 <= float(rows["baskets"][6]) <= left  # rounded down
    assert rows["baskets"][7] == "2"
    assert rows["both"][2:] == ["0.333", "1e-6", "0.0%", "0.0%", "100.0%", "1"]
    assert "Where delta is positive, spent, held open and left are shares" in every.output
    both = run("show", path, "both").output
    assert "next run may cost  ε = 0.333 and δ = 5e-7" in both
    assert "stays spent" in every.output
    one = run("show", path, "baskets").output
    for word in ("weekly", "monday", "batch", "online", "open"):
        assert word in one


def test_spent_held_and_left_add_up_to_the_budget(path):
    assert run("open", path, "both", "--epsilon", "1", "--delta", "1e-6").exit_code == 0
    ledger = overbar.Ledger(path)
    for name in ("one", "two"):
        overbar.SparseVector(PLAN, threshold=5, booking=ledger.booking("both", purpose=name)).ask(0)
    overbar.select([10**9], threshold=5, plan=PLAN, booking=ledger.booking("both"))
    shown = run("show", path).output.splitlines()[1].split()
    shares = [float(part.rstrip("%")) for part in shown[4:7]]
    assert all(shares)
    assert sum(shares) == pytest.approx(100, abs=0.2)


def test_a_plan_of_the_whole_budget_uses_it_up(path):
    """What was promised, what was spent and what is left are told in one currency."""
    assert run("open", path, "both", "--epsilon", "1", "--delta", "1e-6").exit_code == 0
    plan = queue_plan(
        epsilon=1, delta="1e-6", cutoff=50, monotonic=True, candidates=1000, noise="auto"
    )
    ledger = overbar.Ledger(path)
    found = overbar.select([10**9] * 3, threshold=5, plan=plan, booking=ledger.booking("both"))
    first = repr(found).splitlines()[0]
    assert first.endswith("epsilon=1 at delta=1e-6), spent all of it at delta=1e-6")
    assert run("show", path).output.splitlines()[1].split()[2:] == [
        "1", "1e-6", "100.0%", "0.0%", "0.0%", "1"
    ]  # fmt: skip
    assert ledger.remaining("both") == 0


@pytest.mark.parametrize("verb", ["show", "verify", "close"])
def test_only_open_makes_a_ledger(path, verb):
    """An empty file is not turned into one by looking at it."""
    path.touch()
    result = run(verb, path, *(["a"] if verb == "close" else []))
    assert result.exit_code == (1 if verb == "verify" else 2)
    assert "there is no ledger" in result.output
    assert path.read_bytes() == b""
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]
    assert run("open", path, "a", "--epsilon", "1").exit_code == 0


def test_show_as_json_is_exact(path):
    ledger = book(path)
    result = run("show", path, "--format", "json")
    assert result.exit_code == 0
    first, second = json.loads(result.output)
    account = ledger.show("baskets")
    assert Fraction(first["spent"]["pure"]) == account.spent.pure
    assert Fraction(first["remaining"]) == account.remaining
    assert first["note"] == "of 2024"
    assert [one["cost"] is None for one in first["runs"]] == [False, True]
    assert overbar.Plan.from_json(json.dumps(first["runs"][0]["plan"])) == PLAN
    assert second["budget"]["orders"]
    assert run("show", path, "both", "--format", "json").output != result.output


def test_show_of_an_empty_ledger(path):
    overbar.Ledger(path)
    assert "no dataset has a budget yet" in run("show", path).output
    assert json.loads(run("show", path, "--format", "json").output) == []


def test_verify_says_whether_it_is_intact(path, tmp_path):
    ledger = book(path)
    early = ledger.head
    result = run("verify", path)
    assert result.exit_code == 0
    assert result.output.startswith("intact")
    assert f"head {early}" in result.output
    copy = tmp_path / "copy.db"
    copy.write_bytes(path.read_bytes())
    assert run("close", path, "both").exit_code == 0
    late = ledger.head
    assert run("verify", path, "--head", early).exit_code == 0
    restored = run("verify", copy, "--head", late)
    assert restored.exit_code == 1
    assert "an older copy was put back" in restored.output.replace("\n", " ")
    copy.write_bytes(b"not a ledger at all" * 100)
    assert run("verify", copy).exit_code == 1
    assert run("verify", tmp_path / "nowhere.db").exit_code == 1


def test_close_ends_spending(path):
    ledger = book(path)
    result = run("close", path, "baskets")
    assert result.exit_code == 0
    assert "baskets: closed" in result.output
    with pytest.raises(overbar.LedgerError, match="is closed"):
        overbar.SparseVector(PLAN, booking=ledger.booking("baskets"))
    assert "closed" in run("show", path, "baskets").output


@pytest.mark.parametrize(
    ("typed", "cost", "words"),
    [
        (["--epsilon", "0.1", "--delta", "1e-9"], {"epsilon": "0.1", "delta": "1e-9"},
         "epsilon 0.1 at delta 1e-9"),
        (["--renyi", "8:0.001", "--renyi", "64:0.005"], {"renyi": {8: "0.001", 64: "0.005"}},
         "divergence 0.001 at order 8, 0.005 at order 64"),
        (["--rho", "1/20000"], {"rho": "1/20000"}, "rho 1/20000"),
    ],
)  # fmt: skip
def test_spend_books_a_cost_as_python_does(path, tmp_path, typed, cost, words):
    """Also by Rényi divergences, at one order or several, and by ρ."""
    for place in (path, tmp_path / "python.db"):
        assert run("open", place, "visits", "--epsilon", "1", "--delta", "1e-6").exit_code == 0
    told = run("spend", path, "visits", *typed, *PERSON, "--purpose", "a mean", "--request", "one")
    assert told.exit_code == 0, told.output
    assert f"visits: {words} is spent, in row 2" in told.output
    python = overbar.Ledger(tmp_path / "python.db")
    python.booking("visits", request_id="one", purpose="a mean").spend(**cost, neighbours="person")
    typed_run, python_run = (
        overbar.Ledger(place).show("visits") for place in (path, tmp_path / "python.db")
    )
    assert typed_run.entries[0].cost == python_run.entries[0].cost
    assert typed_run.remaining == python_run.remaining < 1


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ([], "write what the mechanism costs in one way"),
        (["--epsilon", "1", "--rho", "1"], "write what the mechanism costs in one way"),
        (["--renyi", "8"], "--renyi must be an order and a cost such as 8:0.01"),
        (["--renyi", "8:0.2", "--renyi", "8:0.1"], "each order once"),
        (["--renyi", "1:0.2"], "orders above 1"),
    ],
)
def test_spend_refuses_a_cost_that_is_not_clear(path, typed, message):
    run("open", path, "visits", "--epsilon", "1", "--delta", "1e-6")
    told = run("spend", path, "visits", *typed, *PERSON)
    assert told.exit_code == 2
    assert message in told.output
    assert not overbar.Ledger(path).show("visits").entries
