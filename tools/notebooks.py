"""Execute the notebook of the examples, and show it as a page: `python -m tools.notebooks`.

In the repository it has no outputs. The page has them where nbclient and ipykernel are installed,
which the extras `docs` and `test` bring; elsewhere it has the code alone, and says so.
"""

from __future__ import annotations

import html
import importlib.util
import json
import logging
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

NOTEBOOK = Path(__file__).parents[1] / "examples" / "library_loans.ipynb"
#: What must be there to execute it.
NEEDED = ("nbclient", "nbformat", "ipykernel")


def can_execute() -> bool:
    """Whether all that is needed is installed."""
    return all(importlib.util.find_spec(name) for name in NEEDED)


def executed(path: Path = NOTEBOOK) -> list[dict[str, Any]]:
    """Run a notebook in an empty folder; return its cells with their outputs."""
    import nbclient
    import nbformat
    from traitlets.config import Config

    logging.getLogger("traitlets").setLevel(logging.ERROR)  # it says when it starts and ends
    found = nbformat.read(path, as_version=4)
    with tempfile.TemporaryDirectory() as folder:
        sockets = {"transport": "ipc", "ip": f"{folder}/kernel"}  # in the folder: no port is opened
        nbclient.NotebookClient(
            found,
            kernel_name="python3",
            timeout=300,
            resources={"metadata": {"path": folder}},
            config=Config(KernelManager=sockets),
        ).execute()
    return list(found.cells)


def code(path: Path = NOTEBOOK) -> list[dict[str, Any]]:
    """Return the cells of a notebook as they are stored."""
    return list(json.loads(path.read_text())["cells"])


def page(cells: list[dict[str, Any]]) -> str:
    """Return cells with what they gave, as Markdown for the site."""
    return "\n".join(line for cell in cells for line in _shown(cell))


def _shown(cell: dict[str, Any]) -> Iterator[str]:
    text = "".join(cell["source"])
    if cell["cell_type"] == "markdown":
        yield from (text, "")
        return
    yield from ("```python", text, "```", "")
    for output in cell["outputs"]:
        data = output.get("data", {})
        plain = "".join(data.get("text/plain", output.get("text", "")))
        given = "".join(data.get("text/html", f"<pre>{html.escape(plain)}</pre>"))
        yield from ("```{raw} html", f'<div class="output">{given}</div>', "```", "")


if __name__ == "__main__":
    if not can_execute():
        sys.exit(f"a notebook needs {', '.join(NEEDED)}: pip install '.[test]'")
    print(page(executed()))
