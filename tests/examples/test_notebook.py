"""The notebook runs from its first cell to its last, and is stored without what it gave."""

import subprocess
import sys
from pathlib import Path

import pytest

from tools.notebooks import NEEDED, NOTEBOOK, can_execute, code, page

ROOT = Path(__file__).parents[2]


def ran(path):
    script = "import sys, pathlib; from tools.notebooks import *; p = pathlib.Path(sys.argv[1]); "
    return subprocess.run(
        [sys.executable, "-c", script + "print(page(executed(p)))", str(path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


needs_a_kernel = pytest.mark.skipif(
    not can_execute(), reason=f"one of {', '.join(NEEDED)} is not installed"
)


@needs_a_kernel
def test_the_notebook_runs():
    done = ran(NOTEBOOK)
    assert done.returncode == 0, done.stderr
    assert "left of the budget: 2" in done.stdout
    assert "NOT PRIVATE" in done.stdout
    assert "<table" in done.stdout, "a selection is shown as a table"


@needs_a_kernel
def test_a_notebook_that_fails_is_noticed(tmp_path):
    broken = tmp_path / "broken.ipynb"
    broken.write_text(NOTEBOOK.read_text().replace('"Hörbücher\\")', '"Physik\\")'))
    done = ran(broken)
    assert done.returncode != 0
    assert "AssertionError" in done.stderr


def test_no_output_is_stored():
    cells = [cell for cell in code() if cell["cell_type"] == "code"]
    assert len(cells) > 5
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in cells)
    assert "```python\nimport overbar" in page(code())
