"""How the house stands, in numbers: ``python tools/measure.py``, with another folder as argument.

Counts lines, names that mean two things, small files, and how much of the documented interface
says what goes in, what comes out and what is raised. It reads source text and imports none of it.
"""

from __future__ import annotations

import ast
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

SMALL = 60
SECTIONS = ("Parameters", "Returns", "Raises")
Documented = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def sources(folder: Path) -> dict[str, str]:
    """Return the text of every module by its path."""
    return {
        path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(folder.rglob("*.py"))
    }


def repeated(names: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Return the names that stand in several files, with these files."""
    places = defaultdict(list)
    for name, path in names:
        places[name].append(path)
    return {name: found for name, found in sorted(places.items()) if len(found) > 1}


def module_names(paths: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the name of each module but ``__init__``, with its path."""
    for path in paths:
        if Path(path).stem != "__init__":
            yield Path(path).stem, path


def package_names(paths: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the name of each package and of each module beside it, with its path."""
    yield from module_names(paths)
    for path in paths:
        if Path(path).name == "__init__.py" and len(Path(path).parts) > 2:
            yield Path(path).parent.name, path


def class_names(trees: dict[str, ast.Module]) -> Iterator[tuple[str, str]]:
    """Yield the name of each class at the top of a module, with the module's path."""
    for path, tree in trees.items():
        yield from ((one.name, path) for one in tree.body if isinstance(one, ast.ClassDef))


def public_functions(trees: dict[str, ast.Module]) -> Iterator[Documented]:
    """Yield functions at the top of a module whose names begin with a letter."""
    for path, tree in trees.items():
        if not Path(path).name.startswith("_"):
            for one in tree.body:
                if isinstance(one, ast.FunctionDef) and not one.name.startswith("_"):
                    yield one


def exported(trees: dict[str, ast.Module]) -> set[str]:
    """Return the names that the packages' ``__init__`` files and the top modules list as public."""
    found: set[str] = set()
    for path, tree in trees.items():
        if Path(path).name == "__init__.py" or len(Path(path).parts) == 2:
            for one in tree.body:
                names = [t.id for t in getattr(one, "targets", []) if isinstance(t, ast.Name)]
                if isinstance(one, ast.Assign) and names == ["__all__"]:
                    found |= set(ast.literal_eval(one.value))
    return found


def sections(functions: Iterable[Documented]) -> str:
    """Return how many functions have each section in their docstring."""
    texts = [ast.get_docstring(one) or "" for one in functions]
    counts = (sum(f"\n{name}\n---" in "\n" + text for text in texts) for name in SECTIONS)
    return f"{' / '.join(map(str, counts))} of {len(texts)}"


def main(folder: Path) -> None:
    """Print one line for each measurement, and below it what it is made of."""
    texts = sources(folder)
    trees = {path: ast.parse(text) for path, text in texts.items()}
    lines = {path: text.count("\n") for path, text in texts.items()}
    small = [p for p, n in lines.items() if n < SMALL and not Path(p).name.startswith("__")]
    functions = list(public_functions(trees))
    public = [one for one in functions if one.name in exported(trees)]
    modules, classes = repeated(module_names(texts)), repeated(class_names(trees))
    packages = repeated(package_names(texts)).keys() - modules.keys()
    print(f"lines / files             {sum(lines.values()):,} / {len(lines):,}")
    print(f"longest file              {max(lines.values())} {max(lines, key=lines.__getitem__)}")
    print(f"module names used again   {len(modules)}")
    print(f"  and names of packages   {len(packages)}  {' '.join(sorted(packages))}")
    print(f"class names used again    {len(classes)}")
    print(f"files under {SMALL} lines      {len(small)}")
    print(f"{' / '.join(SECTIONS)} of functions  {sections(functions)}")
    print(f"  of those in an __all__  {sections(public)}")
    for title, found in (("module", modules), ("class", classes)):
        for name, places in found.items():
            print(f"{title} {name}: {' '.join(places)}")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1] / "src")
