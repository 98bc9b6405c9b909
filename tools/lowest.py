"""Run tests with the lowest versions that pyproject.toml allows: `make lowest`.

``python -m tools.lowest FOLDER`` makes an environment there; ``python -m tools.lowest --print``
prints the pins. Packages that nobody names are the newest ones, as an installer would have them.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import tomllib
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]
#: What only checks, and is never installed by a user.
CHECKERS = ("mypy", "scipy-stubs", "pandas-stubs", "ruff", "import-linter", "numpydoc")
#: What touches every package that has a bound, within minutes.
TESTS = (
    "tests/test_readme.py",
    "tests/docs/test_code_blocks.py",
    "tests/integrations",
    "tests/frames/test_sums.py",
    "tests/cli/test_first_steps.py",
    "tests/cli/test_select.py",
    "tests/cli/test_answers.py",
    "tests/cli/explore/test_guard.py",
    "tests/ledger/test_bookkeeping.py",
    "tests/ledger/test_refusals.py",
    "tests/ledger/test_database.py",
    "tests/runs/test_batch.py",
    "tests/sampling",
    "tests/privacy/account/test_guarantee.py",
    "tests/accuracy",
    "lab/tests/datasets",
    "lab/tests/paper/test_report.py::test_a_report_is_whole_cached_and_the_same_again",
)
BOUND = re.compile(r"([\w.-]+)>=([\w.]+)")


def pins() -> list[str]:
    """Return each bound of the library, its extras, the tests and the laboratory as a version."""
    project, lab = (
        tomllib.loads((ROOT / folder / "pyproject.toml").read_text())["project"]
        for folder in ("", "lab")
    )
    extras = project["optional-dependencies"]
    users = [group for extra, group in extras.items() if extra not in ("docs", "dist")]
    named = (project["dependencies"], *users, lab["dependencies"])
    found = {}
    for requirement in (one for group in named for one in group):
        bound = BOUND.fullmatch(requirement)
        if bound is None:
            if not requirement.startswith(("overbar[", "overbar==")):
                sys.exit(f"{requirement!r} has no lower bound; write: {requirement}>=…")
            continue
        name, version = bound.groups()
        if found.setdefault(name, version) != version:
            sys.exit(f"{name} has two lower bounds, {found[name]} and {version}")
    return [f"{name}=={version}" for name, version in sorted(found.items()) if name not in CHECKERS]


def run(folder: Path) -> int:
    """Make the environment and run the tests; return their exit code."""
    venv.create(folder, with_pip=True, clear=True)
    python = str(folder / "bin" / "python")
    chosen = pins()
    with tempfile.TemporaryDirectory() as place:
        constraints = Path(place) / "lowest.txt"
        constraints.write_text("\n".join(chosen) + "\n")
        install = [python, "-m", "pip", "--disable-pip-version-check", "--quiet", "install"]
        subprocess.run([*install, "--constraint", str(constraints), *chosen], check=True)
        both = ["--editable", str(ROOT), "--editable", str(ROOT / "lab")]
        subprocess.run([*install, "--no-deps", *both], check=True)
    # Old packages warn about the newest of what they need: a warning is no error here.
    test = [python, "-m", "pytest", "-n", "auto", "-o", "filterwarnings=default", *TESTS]
    return subprocess.run(test, cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    if sys.argv[1:] == ["--print"]:
        print("\n".join(pins()))
    elif len(sys.argv) == 2:
        sys.exit(run(Path(sys.argv[1])))
    else:
        sys.exit("python -m tools.lowest FOLDER, or --print")
