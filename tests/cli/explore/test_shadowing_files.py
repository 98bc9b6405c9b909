"""Python files that lie beside the data are data: no process of the page runs them."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import overbar
from tests.cli.explore.conftest import started
from tests.cli.explore.shop_folder import ASKED, furnish

#: Modules that starting, spawning, reading and drawing import; and what Python runs by itself.
SHADOWS = (
    *("random", "json", "socket", "pickle", "signal", "tempfile", "threading", "importlib"),
    *("multiprocessing", "runpy", "asyncio", "duckdb", "pyarrow", "narwhals", "typer", "overbar"),
    *("sitecustomize", "usercustomize"),
)


def test_no_process_of_the_page_runs_a_file_beside_the_data(tmp_path):
    folder, mark = tmp_path / "data", tmp_path / "ran.txt"
    folder.mkdir()
    furnish(folder)
    spy = f"open({str(mark)!r}, 'a').write(__name__ + '\\n')\nraise ImportError\n"
    for name in SHADOWS:
        (folder / f"{name}.py").write_text(spy)
    (folder / "numpy").mkdir()
    (folder / "numpy" / "__init__.py").write_text(spy)
    script = tmp_path / "overbar"  # what an installer writes
    script.write_text("from overbar.cli import main\nif __name__ == '__main__':\n    main()\n")
    page = started(folder, command=[sys.executable, str(script)])
    try:
        planned = page.answer("/plan", epsilon="1", cutoff="5", candidates="100", threshold="50")
        checked = page.answer("/check", **ASKED)
    finally:
        page.end()
    assert not mark.exists(), mark.read_text()
    assert "html" in planned
    assert "NOT PRIVATE" in checked["html"]


def test_processes_are_started_in_these_files_alone():
    """Whoever starts one more thinks of the folder it starts in."""
    starts = re.compile(r"\bsubprocess\b|ProcessPoolExecutor\(|\bPopen\b|os\.(exec|spawn|system)")
    package = Path(overbar.__file__).parent
    files = {path.stem for path in package.rglob("*.py") if starts.search(path.read_text())}
    assert files == {"ask_station", "serving"}
