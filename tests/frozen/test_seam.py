"""The suites here know the public names and the seam: no room of the house, by no way round.

What each file imports is read off its syntax tree, also within functions, and what the helpers
import that it uses. Names in texts count (`"overbar.cli"`), and attributes that begin with `_`.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import overbar

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PACKAGE = Path(overbar.__file__).parent
#: What users import, as far as the suites need it.
PUBLIC = {"overbar", "overbar.frames", "overbar.ledger"}
#: What notebooks ask for begins with a low line, and is public all the same.
PUBLIC_ATTRIBUTES = {"_repr_html_", "_exit"}
SEAM = HERE / "seam.py"
HIDDEN = re.compile("_[^_]")
DOTTED = re.compile(r"overbar(\.\w+)+")


def is_module(dotted):
    path = PACKAGE.parent.joinpath(*dotted.split("."))
    return path.is_dir() or path.with_suffix(".py").is_file()


def modules_of(dotted):
    """Return the modules of ours that a dotted name leads through."""
    parts = dotted.split(".")
    names = [".".join(parts[:length]) for length in range(1, len(parts) + 1)]
    return {name for name in names if is_module(name)}


def dotted_name(node):
    """Return an attribute of an attribute of a name as it is written; None if it is no such."""
    if isinstance(node, ast.Name):
        return node.id
    inner = dotted_name(node.value) if isinstance(node, ast.Attribute) else None
    return inner and f"{inner}.{node.attr}"


def named(tree):
    """Yield every dotted name that a tree imports, walks along or has as a text."""
    known = {"overbar": "overbar"}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (one.name for one in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            for one in node.names:
                yield f"{node.module}.{one.name}"
                known[one.asname or one.name] = f"{node.module}.{one.name}"
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value if DOTTED.fullmatch(node.value) else ""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and (written := dotted_name(node)):
            first, _, rest = written.partition(".")
            if known.get(first, "").startswith("overbar"):
                yield f"{known[first]}.{rest}"


def offences(source, seen=frozenset()):
    """Return which rooms a file of the suites knows, itself or by a helper."""
    tree, found = ast.parse(source), set()
    for name in named(tree):
        if name.split(".")[0] == "overbar":
            found |= modules_of(name) - PUBLIC
            found |= {name} if any(map(HIDDEN.match, name.split(".")[1:])) else set()
        elif name.split(".")[0] == "tests":
            path = next((path for path in paths_of(name) if path.is_file()), None)
            if path is None or path == SEAM or path in seen:
                continue
            below = offences(path.read_text(), seen | {path})
            found |= {f"{name}: {one}" for one in below}
    return found - {f"overbar.{name}" for name in PUBLIC_ATTRIBUTES}


def paths_of(name):
    """Yield the file that a name of the tests may be, and the one that it may be in."""
    whole = ROOT.joinpath(*name.split("."))
    yield whole.with_suffix(".py")
    yield whole.parent.with_suffix(".py")
    yield whole.parent / "__init__.py"


def private(source):
    """Return the attributes that begin with a low line, of whatever object."""
    names = {node.attr for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Attribute)}
    return {name for name in names if HIDDEN.match(name)} - PUBLIC_ATTRIBUTES


SUITES = sorted(path for path in HERE.rglob("*.py") if path != SEAM)


@pytest.mark.parametrize("path", SUITES, ids=lambda path: str(path.relative_to(HERE)))
def test_no_suite_knows_a_room(path):
    source = path.read_text()
    assert offences(source) == set()
    assert private(source) == set()


def test_the_seam_is_short():
    assert len(SEAM.read_text().splitlines()) <= 250


@pytest.mark.parametrize(
    "line",
    [
        "from overbar.frames import scoring",
        "from overbar.frames.scoring import scored",
        "import overbar.runs.batch",
        "from overbar.cli import app",
        "from overbar import _check",
        "def late():\n    from overbar.sampling import entropy",
        "import overbar\noverbar.frames.question.scored",
        "from overbar import frames\nframes.scoring.scored",
        "patch.setattr('overbar.runs.batch.system', None)",
        "import importlib\nimportlib.import_module('overbar.mechanisms')",
        "from tests import leaks",
        "from tests.leaks import LEAKS",
        "from tests.reference.sampling import seeded",
        "from tests.cli.shop import run",
    ],
)
def test_control_a_room_that_is_known_is_noticed(line):
    assert offences(f"import os\n{line}\n") != set()


def test_control_what_is_public_is_not_noticed():
    source = (
        "import overbar\nfrom overbar import frames, select\nfrom overbar.ledger import Entry\n"
    )
    source += "from tests.frozen import seam\nfrom tests.reference import frames as slow\n"
    source += "overbar.Ledger('a').open('b')\nframes.Question.select\nfound._repr_html_()\n"
    assert offences(source) == private(source) == set()
    assert private("run._level") == {"_level"}
