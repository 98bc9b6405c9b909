"""The study side: nothing public hides a module, and no name means two things."""

import ast
import importlib
import inspect
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

import overbar

ROOMS = ("simulation", "metrics", "datasets", "paper", "audit")
FOLDER = Path(overbar.__file__).parent
MODULES = sorted(
    ".".join(("overbar", *path.relative_to(FOLDER).with_suffix("").parts)).removesuffix(".__init__")
    for path in FOLDER.rglob("*.py")
    if path.relative_to(FOLDER).with_suffix("").parts[0] in ROOMS
)


@pytest.mark.parametrize("name", MODULES)
def test_import_as_gives_the_module(name):
    importlib.import_module(name)
    parts = name.split(".")
    found = overbar
    for part in parts[1:]:
        found = getattr(found, part)  # what `import overbar.a.b as c` does
    assert found is sys.modules[name]


def test_simulate_is_a_function_and_hides_nothing():
    assert inspect.isfunction(overbar_lab.simulate)
    assert not (FOLDER / "simulate" / "__init__.py").exists()


def used_again(folder, rooms):
    """Return names of modules and classes that stand in several files, one of them in a room."""
    places = defaultdict(list)
    for path in sorted(folder.rglob("*.py")):
        home = path.relative_to(folder).with_suffix("")
        names = [("module", path.stem)] if path.stem != "__init__" else []
        body = ast.parse(path.read_text(encoding="utf-8")).body
        names += [("class", part.name) for part in body if isinstance(part, ast.ClassDef)]
        for name in names:
            places[name].append(home.parts)
    return {
        name: homes
        for name, homes in places.items()
        if len(homes) > 1 and any(home[0] in rooms for home in homes)
    }


def test_a_name_means_one_thing():
    assert used_again(FOLDER, ROOMS) == {}


def test_a_name_that_means_two_things_is_noticed(tmp_path):
    for name in ("metrics/share.py", "ledger/share.py", "ledger/row.py", "plans/row.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("class Row: ...\n")
    assert set(used_again(tmp_path, ["metrics"])) == {("module", "share"), ("class", "Row")}


def test_a_release_does_not_load_the_simulator():
    """It is there when it is asked for, and anything else is not."""
    program = (
        "import sys, overbar\n"
        "assert 'overbar_lab.simulation' not in sys.modules\n"
        "assert callable(overbar_lab.simulate) and 'simulate' in dir(overbar)\n"
        "assert not hasattr(overbar, 'simulated')\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
