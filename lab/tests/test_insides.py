"""The laboratory imports nothing of the library but what is public.

Read off the syntax trees of ``lab/src``. What a public module has in its ``__all__`` is public.
"""

import ast
import importlib
from pathlib import Path

import pytest

import overbar_lab
from tools.public_modules import MODULES

FOLDER = Path(overbar_lab.__file__).parent


def imported(source):
    """Yield the modules and names that a source takes from the library."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from ((one.name, None) for one in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ((node.module, one.name) for one in node.names)


def insides(source):
    """Return what a source imports of the library's insides, by full names."""
    found = set()
    for module, name in imported(source):
        if module.split(".")[0] not in ("overbar", "overbar_program"):
            continue
        public = module in MODULES
        if public and name is not None:
            whole = f"{module}.{name}"
            public = whole in MODULES or name in importlib.import_module(module).__all__
        if not public:
            found.add(module if name is None else f"{module}.{name}")
    return found


def used(folder):
    return set().union(*(insides(path.read_text()) for path in folder.rglob("*.py")))


def test_the_laboratory_imports_no_insides():
    assert used(FOLDER) == set()


@pytest.mark.parametrize(
    "line",
    [
        "from overbar import _check",
        "from overbar._check import Number",
        "import overbar.sampling.entropy",
        "from overbar import sampling",
        "from overbar.errors import named",
        "def late():\n    from overbar.runs import batch",
        "import overbar_program",
    ],
)
def test_control_an_inside_is_noticed(line):
    assert insides(f"import os\n{line}\n")


def test_control_what_is_public_is_not_noticed():
    source = "import overbar, numpy\nfrom overbar import frames, plan\n"
    source += "from overbar.mechanisms import Bar\nimport overbar.errors\n"
    source += "from overbar_lab import metrics\n"
    assert insides(source) == set()
