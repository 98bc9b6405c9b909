"""``overbar plan`` as people type it: what it says, what it refuses, what it writes."""

import json
import math
import os
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest
from typer.testing import CliRunner

import overbar
from overbar import frames, guarantee
from overbar.cli import app
from overbar.mechanisms import Plan
from overbar.privacy import unlisted_delta
from tests.queue_plans import queue_plan

RUNNER = CliRunner()
#: The installed command, beside the Python that runs the tests.
INSTALLED = Path(sys.executable).with_name("overbar")
USUAL = ("--epsilon", "1", "--cutoff", "5", "--candidates", "300")


def run(*arguments, **more):
    return RUNNER.invoke(app, ["plan", *(str(one) for one in arguments)], **more)


def shell(*arguments, environment=(), **more):
    command = [str(INSTALLED)] if INSTALLED.exists() else [sys.executable, "-m", "overbar"]
    return subprocess.run(
        [*command, "plan", *map(str, arguments)],
        capture_output=True,
        check=False,
        env={**os.environ, **dict(environment)},
        **more,
    )


def test_what_it_says():
    result = run(*USUAL)
    assert result.exit_code == 0, result.output
    text = " ".join(result.output.split())
    for piece in (
        "Guaranteed: pure differential privacy with ε = 1",
        "changes the odds by at most a factor of 2.72",
        "between 26.8 % and 73.2 % sure",
        "moves each score by at most 1, all of them in the same direction",
        "ranked: one noisy value for each candidate",
        "exponential noise of scale 5 (standard deviation 5)",
        "How likely an item comes out that is the margin above the threshold, or as far below it",
        "margin above below",
        "ranked, exponential (this plan)",
    ):
        assert piece in text
    assert all(len(line) <= 80 for line in result.output.splitlines())
    assert not any(line.endswith(" ") for line in result.output.splitlines())


def test_help_has_examples_and_every_option():
    result = run("--help")
    assert result.exit_code == 0
    assert "overbar plan --recall 0.95 --margin 500 --cutoff 50 --candidates 10000" in result.output
    for option in ("--delta", "--items-per-person", "--out", "--format", "--sensitivity", "--top"):
        assert option in result.output


@pytest.mark.parametrize("text", ["1/3", "0.1", "25e-2", "2"])
def test_numbers_are_exact_and_come_back(text, tmp_path):
    file = tmp_path / "plan.json"
    made = run("--epsilon", text, "--cutoff", "7", "--candidates", "100", "--out", file)
    assert made.exit_code == 0, made.output
    plan = Plan.from_json(file.read_text())
    assert plan == overbar.plan(epsilon=text, cutoff=7, candidates=100, monotonic=True)
    read = json.loads(run("--plan", file, "--format", "json").stdout)
    assert Fraction(read["guarantee"]["epsilon"]) == guarantee(plan).at() == Fraction(text)
    assert read["guarantee"]["pure"] is True
    assert Plan.from_json(json.dumps(read["plan"])) == plan


def test_json_has_everything_and_nothing_else_is_on_the_screen():
    result = shell(*USUAL, "--margin", "20", "--recall", "0.9", "--format", "json")
    assert result.returncode == 0
    said = json.loads(result.stdout)
    assert set(said) == {
        "plan",
        "guarantee",
        "threshold",
        "answers",
        "how_good",
        "expected",
        "report",
    }
    assert said["guarantee"]["proved"] == "PureDP(epsilon=1)"
    assert set(said["answers"]) == {"epsilon", "margin", "recall"}
    assert said["expected"]["by_method"][0]["method"] == "ranked, exponential"
    assert "20" in [row["margin"] for row in said["expected"]["by_margin"]]
    for row in said["expected"]["by_margin"]:
        assert 0 <= row["below"] <= row["above"] <= 1


def test_which_epsilon_do_i_need():
    asked = ("--recall", "0.95", "--margin", "500", "--cutoff", "5", "--candidates", "300")
    result = run(*asked)
    assert result.exit_code == 0, result.output
    said = json.loads(run(*asked, "--format", "json").stdout)
    epsilon = Fraction(said["answers"]["epsilon"])
    assert f"ε = {float(epsilon):g} finds 95 % of those that are 500 above." in result.output
    assert said["answers"]["recall"] >= 0.95
    assert Fraction(said["guarantee"]["epsilon"]) == epsilon
    assert Fraction(said["answers"]["margin"]) <= 500


def test_delta_takes_the_best_noise_and_shows_the_others():
    usual = ("--epsilon", "1", "--cutoff", "50", "--candidates", "10000")
    result = run(*usual, "--delta", "1e-6")
    assert result.exit_code == 0, result.output
    assert "(ε, δ)-differential privacy with ε = 1 and δ = 1e-6" in result.output
    assert "a remaining risk of about one in 1,000,000" in " ".join(result.output.split())
    assert "ranked, gumbel (this plan)" in result.output
    for method in ("gumbel, bare bar", "gumbel, Gaussian bar", "exponential, δ = 0"):
        assert method in result.output


def test_a_named_threshold_noise_is_kept():
    result = run(*USUAL, "--delta", "1e-6", "--threshold-noise", "none", "--format", "json")
    plan = json.loads(result.stdout)["plan"]
    assert plan["bar"]["noise"] is None
    assert plan["query_noise"]["name"] == "gumbel"


def test_top_is_a_plan_of_its_own(tmp_path):
    result = run("--top", *USUAL, "--out", tmp_path / "top.json")
    assert result.exit_code == 0, result.output
    assert "The top 5, whether high or not." in result.output
    assert "that leads place 6 by the margin" in " ".join(result.output.split())
    assert "The top 5, whether high or not." in run("--plan", tmp_path / "top.json").output


def test_a_plan_for_unlisted_items_is_the_one_that_select_makes():
    """It once took exponential noise, three times as wide as what a release drew."""
    asked = {"epsilon": "1", "delta": "1e-6", "cutoff": "50", "candidates": "10000"}
    asked |= {"threshold": "20000", "items_per_person": "100"}  # with few a histogram is pure
    typed = [f"--{name.replace('_', '-')}={value}" for name, value in asked.items()]
    planned = json.loads(run(*typed, "--unlisted", "--format", "json").stdout)
    question = frames.Question.select(item="what", person="who", **asked)
    assert planned["plan"] == json.loads(question.plan.to_json())
    assert planned["guarantee"]["unlisted_delta"] == question.unlisted_delta
    assert Fraction(planned["guarantee"]["delta"]) == question.plan_delta > 0


def test_unlisted_candidates_cost_what_the_theorem_says():
    asked = (*USUAL, "--unlisted", "--threshold", "200", "--items-per-person", "3")
    said = json.loads(run(*asked, "--format", "json").stdout)
    plan = Plan.from_json(json.dumps(said["plan"]))
    assert said["guarantee"]["unlisted_delta"] == unlisted_delta(plan, 200, 3) > 0
    assert "read off the data" in run(*asked).output
    refused = run(*asked, "--delta", "1e-30")
    assert refused.exit_code == 2
    assert "raise --threshold to" in refused.output
    assert run(*asked[:-4], "--items-per-person", "3").exit_code == 2
    needed = int(refused.output.split("raise --threshold to ")[1].split(",")[0])
    held = run(
        *USUAL, "--unlisted", "--threshold", needed, "--items-per-person", 3, "--delta", "1e-30"
    )
    assert held.exit_code == 0, held.output


def test_a_grid_that_does_not_fit_is_one_line():
    refused = run(*USUAL, "--delta", "1e-6", "--grid", "2")
    assert refused.exit_code == 2
    assert "grid must divide the sensitivity 1, got 2" in refused.output


def test_unlisted_candidates_are_never_free():
    asked = (*USUAL, "--threshold", "1000000", "--items-per-person", "3", "--delta", "1e-6")
    asked = (*asked, "--unlisted")
    said = json.loads(run(*asked, "--format", "json").stdout)["guarantee"]
    assert not said["pure"]
    assert said["unlisted_delta"] > 0
    assert "(ε, δ)-differential privacy" in run(*asked).output


def test_a_reviewer_reads_a_plan_and_learns_what_it_is_worth(tmp_path):
    file = tmp_path / "plan.json"
    assert run(*USUAL, "--out", file).exit_code == 0
    fields = json.loads(file.read_text())
    fields["cutoff"] *= 2
    file.write_text(json.dumps(fields))
    said = json.loads(run("--plan", file, "--format", "json").stdout)
    plan = Plan.from_json(file.read_text())
    assert Fraction(said["guarantee"]["epsilon"]) == guarantee(plan).at() > 1
    piped = RUNNER.invoke(app, ["plan", "--plan", "-"], input=file.read_text())
    assert piped.exit_code == 0, piped.output


def test_accuracy_that_is_not_predicted_is_named_and_not_made_up():
    result = run(*USUAL, "--resample")
    assert result.exit_code == 0, result.output
    assert "accuracy is not predicted for --resample" in result.output


NO_PROOF = (
    Plan.from_json(queue_plan(epsilon=1, cutoff=5, candidates=9).to_json())
    .to_json()
    .replace("laplace", "gaussian")
)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "--epsilon must be given"),
        (["--epsilon", "1"], "--cutoff must be given"),
        (["--epsilon", "-1", "--cutoff", "5", "--candidates", "9"], "epsilon must be positive"),
        (["--epsilon", "x", "--cutoff", "5", "--candidates", "9"], "epsilon must be a number"),
        (["--epsilon", "1/0", "--cutoff", "5", "--candidates", "9"], "epsilon must be a number"),
        (["--epsilon", "inf", "--cutoff", "5", "--candidates", "9"], "epsilon must be a"),
        (["--epsilon", "1", "--cutoff", "0"], "cutoff must be a positive whole number, got '0'"),
        (["--epsilon", "1", "--cutoff", "5"], "candidates must be given"),
        (["--top", *USUAL[:4], "--margin", "9"], "--candidates must be given to predict"),
        ([*USUAL, "--recall", "2"], "recall must be between 0 and 1, got 2"),
        ([*USUAL, "--margin", "-2"], "margin must be zero or positive, got '-2'"),
        ([*USUAL, "--delta", "1"], "delta must be below 1, got '1'"),
        ([*USUAL, "--noise", "cauchy"], "noise must be one of"),
        ([*USUAL, "--rounds", "often"], "rounds must be"),
        ([*USUAL, "--top", "--rounds", "2"], "--rounds must not be given for the top"),
        ([*USUAL, "--threshold-noise", "gumbel"], "cannot be drawn exactly"),
        ([*USUAL, "--noise", "exponential", "--delta", "1e-6"], "Write --noise gumbel"),
        ([*USUAL, "--plan", "plan.json"], "a plan brings its own numbers: leave out"),
        (["--recall", "0.9", "--cutoff", "5", "--candidates", "9"], "--epsilon must be given"),
        (["--plan", "missing.json"], "cannot read the plan 'missing.json': No such file"),
        (["--plan", "."], "cannot read the plan '.'"),
        (["--plan", "bad.json"], "'bad.json': a plan must be JSON text"),
        (["--plan", "other.json"], "'other.json': a plan must be a JSON object"),
        (["--plan", "binary.json"], "the plan 'binary.json' is not text"),
        (["--plan", "unproved.json"], "threshold"),
        ([*USUAL, "--out", "no/such/folder/plan.json"], "there is no folder no/such/folder"),
        ([*USUAL, "--out", "no/such/folder/page.html"], "there is no folder"),
        ([*USUAL, "--out", "."], ". is a folder; name a file"),
        ([*USUAL, "--nonsense"], "No such option"),
    ],
)
def test_bad_use_leaves_with_two_and_one_line(arguments, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("bad.json").write_text("{")
    Path("other.json").write_text("[1]")
    Path("binary.json").write_bytes(b"\xff\xfe\x00")
    Path("unproved.json").write_text(NO_PROOF)
    result = run(*arguments)
    assert result.exit_code == 2
    assert message in result.output
    assert "Traceback" not in result.output
    if "--nonsense" not in arguments:
        assert len(result.output.strip().splitlines()) == 1


@pytest.mark.parametrize("environment", [{}, {"NO_COLOR": "1", "FORCE_COLOR": ""}])
def test_in_a_pipe_there_are_no_colour_codes(environment):
    result = shell(*USUAL, environment=environment.items())
    assert result.returncode == 0, result.stderr
    assert b"\x1b" not in result.stdout + result.stderr
    assert "ε = 1" in result.stdout.decode()


def test_a_stream_without_greek_letters_gets_words():
    result = shell(*USUAL, environment={"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}.items())
    assert result.returncode == 0, result.stderr
    assert b"epsilon = 1" in result.stdout
    assert b"####" in result.stdout


def test_whoever_stops_reading_is_not_told_about_it():
    command = f"{INSTALLED if INSTALLED.exists() else sys.executable + ' -m overbar'} plan "
    result = subprocess.run(
        ["bash", "-c", command + " ".join(USUAL) + " | head -n 1"], capture_output=True, check=False
    )
    assert b"Traceback" not in result.stderr
    assert b"BrokenPipe" not in result.stderr


HEAVY = (
    "matplotlib", "pandas", "polars", "duckdb", "pyspark", "scipy.optimize",
    "scipy.signal", "scipy.stats", "overbar_lab.paper", "overbar.audit",
)  # fmt: skip


@pytest.mark.parametrize(
    ("words", "heavy"),
    [(["plan", *USUAL], HEAVY), (["--help"], (*HEAVY, "scipy.special", "scipy.fft"))],
    ids=["plan", "help"],
)
def test_nothing_heavy_is_imported(words, heavy):
    code = (
        "import sys\n"
        "from typer.testing import CliRunner\n"
        "from overbar.cli import app\n"
        f"assert CliRunner().invoke(app, {words!r}).exit_code == 0\n"
        f"print([name for name in {heavy!r} if name in sys.modules])\n"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert result.stdout.strip() == b"[]"


def test_a_file_that_cannot_be_written_whole_leaves_the_old_one(tmp_path, monkeypatch):
    file = tmp_path / "plan.json"
    file.write_text("old")

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    result = run(*USUAL, "--out", file, "--force")
    assert result.exit_code == 2
    assert "No space left on device" in result.output
    assert file.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["plan.json"]


def test_a_weak_promise_is_called_weak():
    result = run("--epsilon", "10", "--cutoff", "5", "--candidates", "300")
    assert "This protects very little: ask for a smaller ε." in " ".join(result.output.split())
    assert math.exp(10) < 22_100
    assert "at most a factor of 22,100" in " ".join(result.output.split())


@pytest.mark.parametrize("ratio", ["1e-50", "1e-13", "1e13", "1e50"])
def test_an_allocation_that_leaves_nothing_is_refused(ratio):
    """It was a raw error: no correction is found where a noise is wider than floats can tell."""
    asked = ["--epsilon", "1", "--cutoff", "2", "--candidates", "10", "--allocation", ratio]
    found = run(*asked, "--noise", "laplace")
    assert found.exit_code == 2
    assert "--allocation must be between 1e-12 and 1e12" in found.stderr


def test_a_budget_far_below_its_delta_is_written_as_a_number(tmp_path):
    """Noise that wide hides everything but δ: ε is 0 then, and not 0.0."""
    file = tmp_path / "plan.json"  # which is shown without the others, whose splits take long
    plan = overbar.plan(epsilon="1e-40", delta="1e-6", cutoff=2, candidates=10, monotonic=True)
    file.write_text(plan.to_json())
    found = run("--plan", file, "--delta", "1e-6")
    assert found.exit_code == 0
    assert "with ε = 0 and δ = 1e-6" in found.stdout
    assert "0.0 " not in found.stdout
