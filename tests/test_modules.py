"""Laboratory and audit: nothing public hides a module, and no name means two things."""

import ast
import importlib
import inspect
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

import overbar
import overbar_lab

FOLDERS = [Path(package.__file__).parent for package in (overbar, overbar_lab)]
#: Where names are looked at, by how their modules begin.
ROOMS = ("overbar.audit", "overbar_lab")


def module_of(folder, path):
    """Return the name of the module that a file of a package is."""
    parts = path.relative_to(folder.parent).with_suffix("").parts
    return ".".join(parts).removesuffix(".__init__")


MODULES = [
    name
    for folder in FOLDERS
    for name in sorted(module_of(folder, path) for path in folder.rglob("*.py"))
    if name.startswith(ROOMS)
]


@pytest.mark.parametrize("name", MODULES)
def test_import_as_gives_the_module(name):
    package, *parts = name.split(".")
    importlib.import_module(name)
    found = sys.modules[package]
    for part in parts:
        found = getattr(found, part)  # what `import overbar.a.b as c` does
    assert found is sys.modules[name]


def test_simulate_is_a_function_and_hides_nothing():
    assert inspect.isfunction(overbar_lab.simulate)
    assert not any(name.endswith(".simulate") for name in MODULES)


def used_again(folders, rooms):
    """Return names of modules and classes that stand in several files, one of them in a room."""
    places = defaultdict(list)
    for folder in folders:
        for path in sorted(folder.rglob("*.py")):
            names = [("module", path.stem)] if path.stem != "__init__" else []
            body = ast.parse(path.read_text(encoding="utf-8")).body
            names += [("class", part.name) for part in body if isinstance(part, ast.ClassDef)]
            for name in names:
                places[name].append(module_of(folder, path))
    return {
        name: homes
        for name, homes in places.items()
        if len(homes) > 1 and any(home.startswith(rooms) for home in homes)
    }


def test_a_name_means_one_thing():
    assert used_again(FOLDERS, ROOMS) == {}


def test_a_name_that_means_two_things_is_noticed(tmp_path):
    for name in ("lab/share.py", "house/share.py", "house/row.py", "house/plans/row.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("class Row: ...\n")
    folders = [tmp_path / "house", tmp_path / "lab"]
    assert set(used_again(folders, ("lab",))) == {("module", "share"), ("class", "Row")}


def test_a_release_does_not_load_the_laboratory():
    program = (
        "import sys, overbar\n"
        "assert not any(name.startswith('overbar_lab') for name in sys.modules)\n"
        "assert not hasattr(overbar, 'simulate')\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
