"""Every script in examples/ runs as people would run it: by itself, in an empty folder."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from overbar import Ledger

EXAMPLES = Path(__file__).parents[2] / "examples"
SCRIPTS = sorted(EXAMPLES.glob("*.py"))

#: A line that each must write. One that is missing here is a script nobody looked at.
SAYS = {
    "algorithm_2.py": r"APPEND = True",
    "audit_your_own.py": r"RoundedNoise: .*",
    "compose_with_dp_accounting.py": r"Together, PLDAccountant: epsilon=1\.11\d at delta=2e-6",
    "demo.py": r"\d+ of the \d+ products above 3,000 were found\.",
    "feature_selection.py": r"  chosen privately +0\.\d+",
    "market_baskets.py": r"[\d,]+ purchases of 1,000 customers, all made up\.",
    "private_text.py": r"For every guest: epsilon=0\.\d\d at delta=2e-6",
    "stream_alarm.py": r"SparseVector: \d+ asked, \d of 5 positives given, .* of 0\.5",
    "watch_incidents.py": r"  300 to   599 +32 +(9[5-9]|100)% .*",
    "top_products.py": r"Spent in all: epsilon = 1\.\d+",
}


#: What makes one shorter.
SHORT = {"watch_incidents.py": ["60"]}


def run(script, folder):
    return subprocess.run(
        [sys.executable, "-W", "error", script, *SHORT.get(script.name, [])],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_an_example_runs_in_an_empty_folder(script, tmp_path):
    done = run(script, tmp_path)
    assert done.returncode == 0, done.stderr
    assert re.search(f"^{SAYS[script.name]}$", done.stdout, re.MULTILINE), done.stdout


def test_the_readme_names_every_script():
    named = re.findall(r"^\| `(\w+\.py)`", (EXAMPLES / "README.md").read_text(), re.MULTILINE)
    assert sorted(named) == sorted({*SAYS, *(script.name for script in SCRIPTS)})


def test_the_alarm_stays_silent_rather_than_overspend(tmp_path):
    Ledger(tmp_path / "budgets.db").open("users", epsilon="0.4")  # a run asks for 0.5
    done = run(EXAMPLES / "stream_alarm.py", tmp_path)
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.startswith("No alarm today: epsilon must be at most ")


def test_a_script_that_fails_is_noticed(tmp_path):
    broken = tmp_path / "broken.py"
    broken.write_text("import warnings\nwarnings.warn('soon')\n")
    assert run(broken, tmp_path).returncode == 1
