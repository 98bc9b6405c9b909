"""Every make target runs in CI as part of `make test`, or is seen to start here."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests import campaigns
from tests.campaigns import CAMPAIGNS

OWN = Path(campaigns.__file__)
ROOT = Path(__file__).parents[1]
MAKEFILE = (ROOT / "Makefile").read_text()
TARGETS = re.findall(r"^([a-z]+):[^#\n]*##", MAKEFILE, re.MULTILINE)
REST = re.search(r"^REST := (.*)$", MAKEFILE, re.MULTILINE)[1].split()
#: A word of the command of each part of `make test`.
PARTS = {
    "unit": "pytest",
    "lint": "ruff format",
    "types": "mypy",
    "contract": "lint-imports",
    "docs": "sphinx-build",
    "demo": "demo.py",
    "proofs": "tools.proofs",
}

#: What each of the other targets runs, made short. `bench` is in `test_benchmarks.py`, `lowest` and
#: `dist` need a package index and are in `test_tools.py` as far as they go without one.
STARTS = {
    "campaign": ["-m", "tests.campaigns"],
    "links": ["-m", "sphinx", "-q", "-C", "-b", "linkcheck", "{folder}", "{folder}/out"],
    "bench": ["-m", "benchmarks", "--help"],
    "lowest": ["-m", "tools.lowest", "--print"],
    "dist": ["-c", "import tools.distribution"],
}


def made(*arguments, folder=ROOT, **variables):
    """Make it as if nobody had called `make` before: these tests are part of one."""
    environment = {name: value for name, value in os.environ.items() if "MAKE" not in name}
    done = subprocess.run(
        ["make", *arguments], cwd=folder, env=environment | variables, capture_output=True,
        text=True, check=False,
    )  # fmt: skip
    return done.returncode, done.stdout + done.stderr


def test_no_target_is_forgotten():
    in_ci = {"test", "unit", "rest", *REST}
    assert set(PARTS) == {"unit", *REST}
    assert in_ci | set(STARTS) | {"help", "clean"} == set(TARGETS)
    phony = re.search(r"^\.PHONY: (.*)$", MAKEFILE, re.MULTILINE)[1].split()
    assert set(phony) == set(TARGETS)


@pytest.mark.parametrize("target", TARGETS)
def test_a_target_knows_how_it_is_made(target):
    code, said = made("--dry-run", target)
    assert code == 0, said


def test_a_target_that_cannot_be_made_is_noticed():
    assert made("--dry-run", "nothing")[0] != 0


@pytest.fixture
def pretended(tmp_path):
    """A folder where every program only says how it was called, and fails if `FAILS` is in that."""
    shutil.copy(ROOT / "Makefile", tmp_path)
    programs = tmp_path / ".venv" / "bin"
    programs.mkdir(parents=True)
    (tmp_path / "lab").mkdir()
    for name in ("pyproject.toml", "lab/pyproject.toml", "constraints.txt", ".venv/python.done"):
        (tmp_path / name).touch()
    for name in ("python", "pytest", "ruff", "mypy", "lint-imports", "sphinx-build"):
        (programs / name).write_text(
            '#!/bin/sh\necho "$0 $*"\ncase "$0 $*" in *$FAILS*) exit 3; esac\n'
        )
        (programs / name).chmod(0o755)
    return tmp_path


@pytest.mark.parametrize("failing", [*PARTS, "nothing"])
def test_a_test_run_fails_if_and_only_if_a_part_does(failing, pretended):
    code, said = made(
        "test", "PYTHON=.venv/bin/python", folder=pretended, FAILS=PARTS.get(failing, failing)
    )
    assert (code == 0) is (failing == "nothing")
    if failing == "nothing":
        assert all(word in said for word in PARTS.values())
        # one installation, of library and laboratory, which make writes and then says
        assert said.count("--editable") == 4
        assert "--libraries" not in said
        alone = made("proofs", "PYTHON=.venv/bin/python", folder=pretended, FAILS=failing)
        assert "tools.proofs --libraries" in alone[1]
    else:
        assert re.search(rf"\*\*\* \[.*\b{failing}\]", said)


def test_what_is_compiled_is_kept_among_the_packages(pretended):
    """Where the environment says not to: a test run would compile everything in each process."""
    (pretended / ".venv/bin/lint-imports").write_text(
        '#!/bin/sh\necho "[$PYTHONDONTWRITEBYTECODE] $PYTHONPYCACHEPREFIX"\n'
    )
    said = made("contract", folder=pretended, PYTHONDONTWRITEBYTECODE="1", FAILS="nothing")[1]
    assert f"[] {pretended.resolve()}/.venv/bytecode\n" in said


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


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", CAMPAIGNS)
def test_a_campaign_starts(name):
    campaign = CAMPAIGNS[name]
    if campaign.variables:  # tests that are part of every run, with more of everything
        named = re.findall(r"tests/\S*", " ".join(campaign.programs))
        assert named
        assert all((ROOT / place).exists() for place in named)
        variables = [one.partition("=")[0] for one in campaign.variables]
        texts = [path.read_text() for path in (ROOT / "tests").rglob("*.py") if path != OWN]
        assert all(any(variable in text for text in texts) for variable in variables)
        return
    command = [sys.executable, "-m", "tests.campaigns", name, "--sample"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
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
    assert [line.split()[1] for line in said.splitlines() if line.startswith("  make")] == TARGETS


def test_clean_removes_what_was_made_and_nothing_else(tmp_path):
    shutil.copy(ROOT / "Makefile", tmp_path)
    for name in (".venv", "dist", "src/__pycache__", "docs/_build", "docs/theory"):
        (tmp_path / name).mkdir(parents=True)
    assert made("clean", folder=tmp_path)[0] == 0
    left = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*")}
    assert left == {"Makefile", "src", "docs", "docs/theory"}
