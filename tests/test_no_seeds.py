"""The library has no seeded generator in it: what it draws comes from the system, exactly.

Read off the syntax trees, because a name that is imported under another one is the same generator.
"""

import ast
from pathlib import Path

import pytest

import overbar

FOLDER = Path(overbar.__file__).parent
FILES = sorted([*FOLDER.rglob("*.py"), FOLDER.with_name("overbar_program.py")])
#: What makes a seeded generator, or holds what does.
SEEDED = {"numpy.random", "np.random", "random.Random"}
NAMES = {"default_rng", "RandomState", "SeedSequence"}
#: What imports a module by a text.
LATE = ("import_module", "__import__")


def seeded(source):
    """Return what a module names that is seeded, wherever and however it stands."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {one.name for one in node.names if one.name.split(".")[0] == "random"}
            found |= {one.name for one in node.names if one.name.startswith("numpy.random")}
        elif isinstance(node, ast.ImportFrom):
            names = {f"{node.module}.{one.name}" for one in node.names}
            found |= {name for name in names if name.startswith(("random.", "numpy.random"))}
        elif isinstance(node, ast.Attribute):
            found |= {ast.unparse(node)} & SEEDED
            found |= {node.attr} & NAMES
        elif isinstance(node, ast.Name):
            found |= {node.id} & NAMES
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith(LATE):
            texts = {one.value for one in node.args[:1] if isinstance(one, ast.Constant)}
            found |= {text for text in texts if text in ("random", "numpy.random")}
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(FOLDER.parent).as_posix())
def test_the_library_names_no_seeded_generator(path):
    assert seeded(path.read_text(encoding="utf-8")) == set()


@pytest.mark.parametrize(
    "line",
    [
        "import random",
        "import numpy.random",
        "import numpy.random as draws",
        "from numpy import random",
        "from numpy.random import Generator",
        "from random import choice",
        "numpy.random.normal()",
        "np.random.normal()",
        "def draw(generator: np.random.Generator): ...",
        "numpy.default_rng(1)",
        "random.Random(1)",
        "__import__('random')",
        "importlib.import_module('numpy.random')",
    ],
)
def test_control_a_seeded_generator_is_noticed(line):
    assert seeded(f"import os\n{line}\n")


def test_control_what_the_system_draws_is_not_noticed():
    source = "import os, secrets\nos.urandom(8)\nfrom os import getrandom\nrandom_word = 1\n"
    assert seeded(source + '"""A random word."""\n') == set()
