"""Every make target runs in CI as part of `make test`, or is seen to start here."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MAKEFILE = (ROOT / "Makefile").read_text()
TARGETS = dict(re.findall(r"^([a-z]+):([^#\n]*)##", MAKEFILE, re.MULTILINE))

#: What each of the other targets runs, made short. `bench` is in `test_benchmarks.py`, `lowest` and
#: `dist` need a package index and are in `test_tools.py` as far as they go without one.
STARTS = {
    "crash": ["-m", "tests.ledger.crash", "--kills", "1"],
    "damage": ["-m", "tests.ledger.damage", "--copies", "1"],
    "neighbours": ["-m", "pytest", "--collect-only", "tests/privacy/test_neighbouring_tables.py"],
    "intervals": ["-m", "pytest", "--collect-only", "tests/statistical/test_count_coverage.py"],
    "orders": ["-m", "tests.frames.orders", "--help"],
    "links": ["-m", "sphinx", "-q", "-C", "-b", "linkcheck", "{folder}", "{folder}/out"],
    "bench": ["-m", "benchmarks", "--help"],
    "lowest": ["-m", "tools.lowest", "--print"],
    "dist": ["-c", "import tools.distribution"],
}


def made(*arguments, folder=ROOT):
    done = subprocess.run(
        ["make", *arguments], cwd=folder, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout + done.stderr


def test_no_target_is_forgotten():
    in_ci = {"test", *TARGETS["test"].split()}
    assert in_ci | set(STARTS) | {"help", "clean"} == set(TARGETS)
    phony = re.search(r"^\.PHONY: (.*)$", MAKEFILE, re.MULTILINE)[1].split()
    assert set(phony) == set(TARGETS)


@pytest.mark.parametrize("target", TARGETS)
def test_a_target_knows_how_it_is_made(target):
    code, said = made("--dry-run", target)
    assert code == 0, said


def test_a_target_that_cannot_be_made_is_noticed():
    assert made("--dry-run", "nothing")[0] != 0


@pytest.mark.parametrize("target", STARTS)
def test_a_target_starts(target, tmp_path):
    (tmp_path / "index.rst").write_text("Nothing\n=======\n")
    command = [part.format(folder=tmp_path) for part in STARTS[target]]
    module = command[1] if command[0] == "-m" else "tools"
    assert module in MAKEFILE.replace("sphinx-build", "sphinx"), "the target runs something else"
    done = subprocess.run(
        [sys.executable, *command], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_workflow_runs_what_ci_runs_on_every_python_that_is_promised():
    workflow = (ROOT / ".github" / "workflows" / "test.yml").read_text()
    assert "- run: .ci/run\n" in workflow
    made_there = set(re.findall(r"- run: make (\w+)", workflow))
    assert {"lowest", "dist", "proofs"} <= made_there <= set(TARGETS)
    promised = re.findall(r"Python :: (3\.\d+)", (ROOT / "pyproject.toml").read_text())
    assert re.search(r"python: \[(.*)\]", workflow)[1] == ", ".join(f'"{one}"' for one in promised)


def test_help_has_every_target():
    code, said = made("help")
    assert code == 0
    assert [line.split()[1] for line in said.splitlines() if line.startswith("  make")] == list(
        TARGETS
    )


def test_clean_removes_what_was_made_and_nothing_else(tmp_path):
    shutil.copy(ROOT / "Makefile", tmp_path)
    for name in (".venv", "dist", "src/__pycache__", "docs/_build", "docs/theory"):
        (tmp_path / name).mkdir(parents=True)
    assert made("clean", folder=tmp_path)[0] == 0
    left = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*")}
    assert left == {"Makefile", "src", "docs", "docs/theory"}
