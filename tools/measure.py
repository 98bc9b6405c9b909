"""How the house stands, in numbers: ``python -m tools.measure``; ``--write`` puts them on the page.

Prints the table of `docs/architecture.md`: what the numbers were before the rooms were laid anew,
what they are now and what is wanted; and below it each name that means two things.
"""

from __future__ import annotations

import argparse
import ast
import inspect
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

import overbar
from tools.docstrings import functions, has, needed
from tools.public_modules import MODULES
from tools.walk import walk

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "architecture.md"
SECTIONS = ("Parameters", "Returns", "Raises")
CALIBRATION = set(inspect.signature(overbar.calibrate).parameters)
BOOKING = {"ledger", "dataset", "request", "request_id", "purpose"}
#: As many calibration numbers as this, named in one place, are a translation of all of them.
MOST = 8
HEAD = ("what", "before", "now", "wanted")
Row = tuple[str, str, str, str]


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


def class_names(trees: dict[str, ast.Module]) -> Iterator[tuple[str, str]]:
    """Yield the name of each class at the top of a module, with the module's path."""
    for path, tree in trees.items():
        yield from ((one.name, path) for one in tree.body if isinstance(one, ast.ClassDef))


def spelled(node: ast.AST) -> set[str]:
    """Return the names that a signature, a class, a call or a mapping spells out."""
    if isinstance(node, ast.FunctionDef):
        return {one.arg for one in (*node.args.args, *node.args.kwonlyargs)}
    if isinstance(node, ast.ClassDef):
        targets = [one.target for one in node.body if isinstance(one, ast.AnnAssign)]
        return {one.id for one in targets if isinstance(one, ast.Name)}
    if isinstance(node, ast.Call):
        return {one.arg for one in node.keywords if one.arg}
    if isinstance(node, ast.Dict):
        return {one.value for one in node.keys if isinstance(one, ast.Constant)}  # type: ignore[misc]
    return set()


def nodes(trees: dict[str, ast.Module], *rooms: str) -> Iterator[ast.AST]:
    """Yield every node of these rooms; of the whole package if none is named."""
    for path, tree in trees.items():
        if not rooms or path.removeprefix("overbar/").split("/")[0] in rooms:
            yield from ast.walk(tree)


def adds_correction(node: ast.AST) -> bool:
    """Whether a sum has the correction in grid steps in it: ``Plan.level`` written out."""
    text = ast.unparse(node) if isinstance(node, ast.BinOp) else ""
    return bool(re.search(r" \+ int\([\w.]*\.correction / [\w.]*\.grid\)$", text))


def sections() -> str:
    """Return how many public functions have each section, of those that need it."""
    needs = {function: needed(function) for function in functions()}
    found = []
    for name in SECTIONS:
        those = [function for function, sections in needs.items() if name in sections]
        found.append(f"{sum(has(one, name) for one in those)} of {len(those)}")
    return " / ".join(found)


def rows(folder: Path) -> list[Row]:
    """Return the table: what is measured, before, now, and wanted."""
    texts = sources(folder)
    trees = {path: ast.parse(text) for path, text in texts.items()}
    select = walk()
    asked = [
        way for way in select.ways if any("bar.raise_bar.<locals>.highest" in name for name in way)
    ]
    inside = [name for name in max(asked, key=len) if not name.startswith("cli.")]
    translated = sum(len(spelled(node) & CALIBRATION) >= MOST for node in nodes(trees, "cli"))
    tolerance = sum(
        "tolerance" in spelled(node)
        for node in nodes(trees, "cli", "calibration", "calibrate.py", "mechanism", "frames")
    )
    booked = sum(
        len(spelled(node) & BOOKING) > 2
        for node in nodes(trees)
        if isinstance(node, ast.FunctionDef)
    )
    modules, classes = repeated(module_names(texts)), repeated(class_names(trees))
    lines = sum(text.count("\n") for text in texts.values())
    return [
        (
            "frames from `overbar select` to the word that decides (of these below `cli`)",
            "20 (12)",
            f"{len(max(asked, key=len))} ({len(inside)})",
            "≤ 15",
        ),
        ("functions called on the way", "193", str(len(select.functions)), "≤ 170"),
        ("places in `cli` that name the calibration numbers", "7", str(translated), "3"),
        ("places that spell out `tolerance`", "9", str(tolerance), "≤ 4"),
        ("signatures that spell out a booking", "11", str(booked), "≤ 1"),
        ("module names used again", "27", str(len(modules)), "0"),
        ("class names used again", "17", str(len(classes)), "0"),
        (
            "Parameters / Returns / Raises of public functions that need them",
            "17 / 0 / 1 of 411",
            sections(),
            "all",
        ),
        ("modules in the reference", "247", str(len(MODULES)), "about ten"),
        (
            "places that add threshold and correction in grid steps",
            "5",
            str(sum(map(adds_correction, nodes(trees)))),
            "1",
        ),
        ("lines in `src/`", "28,964", f"{lines:,}", "fewer"),
    ]


def table(found: Iterable[Row]) -> str:
    """Return the rows as a table of a page."""
    return "\n".join(f"| {' | '.join(row)} |" for row in (HEAD, ("---",) * len(HEAD), *found))


def written(page: str, text: str) -> str:
    """Return the page with its table of measurements replaced."""
    begin = f"| {' | '.join(HEAD)} |"
    start = page.index(begin)
    end = page.index("\n\n", start)
    return page[:start] + text + page[end:]


def main(arguments: list[str] | None = None) -> None:
    """Print the table, or put it on the page; then what names mean two things."""
    parser = argparse.ArgumentParser(description="Measure the package")
    parser.add_argument("--write", action="store_true", help="put the table on the page")
    chosen = parser.parse_args(arguments)
    folder = Path(overbar.__file__).parents[1]
    text = table(rows(folder))
    if chosen.write:
        PAGE.write_text(written(PAGE.read_text(), text))
    print(text)
    texts = sources(folder)
    trees = {path: ast.parse(code) for path, code in texts.items()}
    for kind, names in (("module", module_names(texts)), ("class", class_names(trees))):
        for name, places in repeated(names).items():
            print(f"{kind} {name}: {' '.join(places)}")


if __name__ == "__main__":
    main()
