"""Pipes, terminals and how commands end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import overbar
from overbar.cli import main
from tests.cli.shop import (
    COMMAND,
    HIGH,
    LISTED,
    PAID,
    SCRIPT,
    SELECT,
    command,
    labels,
    run,
)


def test_labels_cannot_steer_a_terminal(here):
    Path("odd.csv").write_text(
        "customer,product\n" + "".join(f"{c},\x1b[31mred\n" for c in range(4_000))
    )
    Path("odd.txt").write_text("\x1b[31mred\n")
    arguments = [*SELECT, "--catalogue", "odd.txt"]
    shown = run("select", "odd.csv", *arguments, "--format", "table")
    assert "\\x1b[31mred" in shown.output
    assert "\x1b" not in shown.output
    kept = run("select", "odd.csv", *arguments, "--format", "json")
    assert json.loads(kept.stdout)["labels"] == ["\x1b[31mred"]


def test_standard_input_and_pipes(here):
    text = Path("sales.csv").read_text()
    done = command("select", "-", "--input-format", "csv", *LISTED, input=text)
    assert done.returncode == 0, done.stderr
    assert set(labels(done.stdout)) == HIGH
    assert done.stderr.count("\n") == 1
    assert "\x1b" not in done.stdout + done.stderr


def test_ctrl_c_leaves_with_130(here):
    """A process that waits for its table is stopped as from a keyboard."""
    with subprocess.Popen(
        [*COMMAND, "select", "-", "--input-format", "csv", *LISTED],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        # More than a pipe holds: once it is written, the process is reading.
        process.stdin.write("customer,product\n" + "c1,tea\n" * 100_000)
        process.stdin.flush()
        process.send_signal(signal.SIGINT)
        time.sleep(0.5)
        process.stdin.close()
        error = process.stderr.read()
        out = process.stdout.read()
    assert process.returncode == 130, error
    assert error == "overbar: stopped: no answer came out, so nothing was spent\n"
    assert out == ""


def stopped_in(monkeypatch, place):
    """Press Ctrl-C in a function of the release; return what is said on the way out."""

    def press(*_arguments, **_named):
        raise KeyboardInterrupt

    monkeypatch.setattr(place, press)
    monkeypatch.setattr(sys, "argv", ["overbar", "select", "sales.csv", *PAID])
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == 130


def test_ctrl_c_says_what_was_spent(here, monkeypatch, capsys):
    """Before the run is reserved nothing is, from then on all of it, and the ledger agrees."""
    assert run("ledger", "open", "budget.db", "sales", "--epsilon", "3").exit_code == 0
    capsys.readouterr()
    with monkeypatch.context() as reading:
        stopped_in(reading, "overbar.frames.question.scored")
    told = capsys.readouterr().err
    assert told == "overbar: stopped: nothing was spent, ε = 3 is left for sales\n"
    with monkeypatch.context() as drawing:
        stopped_in(drawing, "overbar.runs.batch_run.Exact")
    told = capsys.readouterr().err
    assert told.startswith("overbar: stopped: the run was reserved and counts as spent, all of it")
    assert "see overbar ledger show " in told
    assert told.rstrip().endswith("budget.db")
    assert overbar.Ledger("budget.db").show("sales").left == "ε = 2"
    with monkeypatch.context() as writing:
        stopped_in(writing, "overbar.cli.release.show_answer")
    told = capsys.readouterr().err
    assert told.startswith("overbar: stopped after the answer was drawn: all of it is spent")
    assert overbar.Ledger("budget.db").show("sales").left == "ε = 1"


def test_whoever_stops_reading_gets_no_traceback(here):
    script = " ".join([*COMMAND, "select", "sales.csv", *LISTED]) + " | true; exit ${PIPESTATUS[0]}"
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode in (0, 141)
    assert "Traceback" not in done.stderr
    assert "Exception" not in done.stderr


def test_an_unexpected_error_is_one_line_without_its_message(here):
    code = (
        "import sys, overbar.frames.question as q\n"
        "def broken(self, frame): raise RuntimeError('SECRET104729')\n"
        "q.Question.run = broken\n"
        "from overbar.cli import main\n"
        f"sys.argv = ['overbar', 'select', 'sales.csv', *{LISTED!r}]\n"
        "main()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "RuntimeError at cli/release.py:" in done.stderr
    assert "SECRET104729" not in done.stderr + done.stdout


def test_completion_in_bash():
    done = subprocess.run(
        ["bash", "-c", 'eval "$(overbar --show-completion bash)" && complete -p overbar'],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PATH": f"{Path(SCRIPT).parent}:{os.environ['PATH']}"},
    )
    assert "overbar" in done.stdout, done.stderr
    words = subprocess.run(
        [SCRIPT],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ
        | {
            "_OVERBAR_COMPLETE": "complete_bash",
            "COMP_WORDS": "overbar select --thresh",
            "COMP_CWORD": "2",
        },
    )
    assert "--threshold" in words.stdout
