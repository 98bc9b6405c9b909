from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

from overbar_lab.paper import STUDIES
from overbar_lab.program import app, main
from overbar_lab.reproduction import studies

RUNNER = CliRunner()
COMMAND = [sys.executable, "-m", "overbar_lab.program"]


@pytest.fixture(autouse=True)
def no_files(monkeypatch, tmp_path):
    """No dataset files, wherever the tests run."""
    monkeypatch.delenv("OVERBAR_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "nothing"))


def run(*arguments):
    return RUNNER.invoke(app, [str(one) for one in arguments])


def test_help_names_the_verbs_and_the_options():
    top = run("--help")
    assert top.exit_code == 0
    assert "reproduce" in top.output
    assert "datasets" in top.output
    verb = run("reproduce", "--help")
    assert verb.exit_code == 0
    for option in ("--quick", "--runs", "--seed", "--out", "--data-dir", "--list"):
        assert option in verb.output


def test_list_names_every_study():
    result = run("reproduce", "--list")
    assert result.exit_code == 0
    lines = result.output.splitlines()
    assert [line.split()[0] for line in lines] == [study.name for study in STUDIES]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["ncr-by-bugdet"], "did you mean ncr-by-budget?"),
        (["zzz"], "there is no study 'zzz'"),
        (["--runs", "0"], "Invalid value for '--runs'"),
        (["--runs", "two"], "Invalid value for '--runs'"),
        (["--runs", "3", "--quick"], "exclude each other"),
        (["--seed", "-1"], "Invalid value for '--seed'"),
        (["--data-dir", "/no/such/folder"], "Invalid value for '--data-dir'"),
        (["--nonsense"], "No such option"),
    ],
)
def test_bad_arguments_leave_with_two_and_one_clear_line(arguments, message, tmp_path):
    result = run("reproduce", *arguments, "--out", tmp_path / "out")
    assert result.exit_code == 2
    assert message in result.output
    assert "Traceback" not in result.output
    assert not (tmp_path / "out").exists()


def test_out_may_not_be_a_file(tmp_path):
    (tmp_path / "taken").write_text("mine")
    result = run("reproduce", "allocation-general", "--out", tmp_path / "taken")
    assert result.exit_code == 2
    assert "Invalid value for '--out'" in result.output
    assert (tmp_path / "taken").read_text() == "mine"


def test_a_study_is_made_and_then_kept(tmp_path):
    arguments = ("reproduce", "variance-by-budget", "dataset-table", "--runs", "2")
    first = run(*arguments, "--out", tmp_path)
    assert first.exit_code == 0, first.output
    assert (tmp_path / "figures/variance-by-budget.png").is_file()
    assert "report.html" in first.output
    assert re.search(r"^claims: 1 holds, 1 holds in part|^claims: ", first.output, re.MULTILINE)
    second = run(*arguments, "--out", tmp_path)
    assert second.output.count(": kept") == 2


def test_missing_datasets_are_named_in_a_line_and_the_run_goes_on(tmp_path):
    result = run("reproduce", "dataset-profile", "--out", tmp_path)
    assert result.exit_code == 0
    lines = [line for line in result.output.splitlines() if line.startswith("left out: ")]
    assert len(lines) == 4
    assert any("kosarak is not here" in line for line in lines)
    assert (tmp_path / "figures/dataset-profile.svg").is_file()


def test_datasets_says_what_is_here_and_how_to_get_the_rest():
    result = run("datasets")
    assert result.exit_code == 0
    assert re.search(r"^here +binary", result.output, re.MULTILINE)
    assert re.search(r"^missing +kosarak ", result.output, re.MULTILINE)
    assert "How to get the rest:" in result.output
    assert run("datasets", "--data-dir", "/no/such/folder").exit_code == 2


def test_in_a_pipe_there_is_no_colour_and_no_traceback(tmp_path):
    environment = os.environ | {"NO_COLOR": "1"}
    good = subprocess.run(
        [*COMMAND, "reproduce", "allocation-general", "--out", str(tmp_path)],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    assert good.returncode == 0, good.stderr
    assert "\x1b" not in good.stdout + good.stderr
    assert "allocation-general: " in good.stderr
    bad = subprocess.run(
        [*COMMAND, "reproduce", "no-such-study"], capture_output=True, text=True, check=False
    )
    assert bad.returncode == 2
    assert "Traceback" not in bad.stderr
    assert len(bad.stderr.strip().splitlines()) == 1


def test_a_killed_run_leaves_whole_files_only(tmp_path):
    names = ("success-by-negatives", "variance-by-budget", "error-tolerance", "dataset-profile")
    # So many runs that it is still at work when the first file is there, however late that is seen.
    command = [*COMMAND, "reproduce", *names, "--runs", "20000", "--out", str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        deadline = time.monotonic() + 600
        while not list(tmp_path.glob("csv/*.csv")) and time.monotonic() < deadline:
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    _assert_whole(tmp_path)
    assert not (tmp_path / "report.html").exists()
    result = run("reproduce", *names[:2], "--runs", "20000", "--out", tmp_path)
    assert result.exit_code == 0, result.output
    assert ": kept" in result.output
    _assert_whole(tmp_path)
    assert not (tmp_path / ".unfinished").exists()


def _assert_whole(folder):
    for path in folder.rglob("*"):
        if not path.is_file() or ".unfinished" in path.parts:
            continue
        content = path.read_bytes()
        if path.suffix == ".json":
            json.loads(content)
        elif path.suffix == ".png":
            assert content.endswith(b"IEND\xaeB`\x82")
        elif path.suffix == ".svg":
            assert content.rstrip().endswith(b"</svg>")
        elif path.suffix == ".html":
            assert content.endswith(b"</html>\n")
        else:
            assert content


def test_main_is_the_entry_point(monkeypatch):
    monkeypatch.setattr(sys, "argv", ["overbar-lab", "reproduce", "--list"])
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == 0


def test_a_study_is_offered_once():
    names = [study.name for study in STUDIES]
    assert studies(SimpleNamespace(params={}), "") == names
    assert studies(SimpleNamespace(params={"names": names[:1]}), "") == names[1:]
