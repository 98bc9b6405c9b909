"""The study side: nothing public hides a module, and no name means two things."""

import ast
import importlib
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import overbar
from tools.measure import class_names, module_names, repeated, sources

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
    assert inspect.isfunction(overbar.simulate)
    assert not (FOLDER / "simulate" / "__init__.py").exists()


@pytest.mark.parametrize("kind", ["modules", "classes"])
def test_a_name_means_one_thing(kind):
    texts = sources(FOLDER)
    if kind == "modules":
        names = module_names(texts)
    else:
        names = class_names({path: [ast.parse(text)] for path, text in texts.items()})
    again = repeated(names)
    assert not {
        name: paths
        for name, paths in again.items()
        if any(path.removesuffix(".py").split("/")[0] in ROOMS for path in paths)
    }


def test_a_release_does_not_load_the_simulator():
    """It is there when it is asked for, and anything else is not."""
    program = (
        "import sys, overbar\n"
        "assert 'overbar.simulation' not in sys.modules\n"
        "assert callable(overbar.simulate) and 'simulate' in dir(overbar)\n"
        "assert not hasattr(overbar, 'simulated')\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
