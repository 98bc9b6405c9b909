"""How the house stands, in numbers: ``python -m tools.measure``; ``--write`` puts them on the page.

Prints the table of `docs/architecture.md`: what the numbers were before plans had a class for each
mechanism, what they are now and what is wanted; and below it each name that means two things.
"""

from __future__ import annotations

import argparse
import ast
import inspect
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import fields as fields_of
from dataclasses import is_dataclass
from itertools import chain
from pathlib import Path

import typer

import overbar
from overbar import frames, plans
from overbar.cli import app
from tools.docstrings import functions, has, needed
from tools.public_modules import public_objects
from tools.walk import walk

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "architecture.md"
SECTIONS = ("Parameters", "Returns", "Raises")
HEAD = ("what", "before", "now", "wanted")
#: Names of locals that do not say what the thing is.
RIDDLES = ("found", "said", "told", "made", "seen")
VERBS = ("select", "top", "plan", "keys")
WITH_LEDGER = (
    "overbar select sales.csv --item product --person customer --catalogue products.txt "
    "--threshold 500 --cutoff 3 --epsilon 1/4 --ledger x.db --dataset sales"
)
TAGS = re.compile(r"</?(?:table|td|tr|th|p|h[1-6]|div|span|section|pre|svg|details|ul|li)\b[^a-z]")
#: What is measured, the value before plans had a class for each mechanism, and what is wanted.
MEASURES = (
    ("lines in `src/`", "42,955", "≤ 36,000"),
    ("files / below 60 lines", "303 / 50", "≤ 230 / ≤ 20"),
    ("comparisons of `.mechanism` / reads of `.is_top`", "67 / 51", "0 / 0"),
    ("fields of the largest plan; lines of the longest `__post_init__`", "17; 50", "≤ 8; ≤ 20"),
    ("parameters of `frames.select`, `overbar.select`", "32, 25", "≤ 18, ≤ 13"),
    ("options of `select`, `top`, `plan`, `keys`", "51, 47, 34, 28", "≤ 36, ≤ 34, ≤ 36, ≤ 26"),
    ("lines of `overbar select --help`", "171", "≤ 110"),
    ("`locals()` / `inspect.signature` in `src/`", "10 / 7", "0 / ≤ 2"),
    ("public names / of these in `audit.exact`", "147 / 19", "≤ 100 / ≤ 4"),
    ("classes of question, answer, planned", "2, 4, 2", "1, 1, 1"),
    ("files outside `ledger/` that reserve or settle", "3", "1"),
    ("files with tags of HTML", "9", "1"),
    (
        "walk of `overbar select … --ledger`: frames / functions / files / calls",
        "16 / 394 / 85 / 1,622",
        "≤ 14 / ≤ 260 / ≤ 60 / ≤ 700",
    ),
    ("locals called " + " / ".join(RIDDLES), "218 / 40 / 28 / 24 / 24", "≤ 40 / 0 / 0 / 0 / 0"),
    ("module names used again / class names", "0 / 0", "0 / 0"),
    (
        "Parameters / Returns / Raises of public functions that need them",
        "49 of 49 / 49 of 49 / 14 of 14",
        "all",
    ),
    ("places that add threshold and correction in grid steps", "1", "1"),
    ("lines of tests", "42,535", "fewer"),
)
Row = tuple[str, str, str, str]
#: All parts of every module by its path, the module itself first: looked up once.
Trees = dict[str, list[ast.AST]]


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
    return {name: files for name, files in sorted(places.items()) if len(files) > 1}


def module_names(paths: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the name of each module but ``__init__``, with its path."""
    for path in paths:
        if Path(path).stem != "__init__":
            yield Path(path).stem, path


def class_names(trees: Trees) -> Iterator[tuple[str, str]]:
    """Yield the name of each class at the top of a module, with the module's path."""
    for path, (tree, *_) in trees.items():
        assert isinstance(tree, ast.Module)
        yield from ((one.name, path) for one in tree.body if isinstance(one, ast.ClassDef))


def trees_of(texts: dict[str, str]) -> Trees:
    """Return all parts of these modules."""
    return {path: list(ast.walk(ast.parse(text))) for path, text in texts.items()}


def nodes(trees: Trees) -> Iterator[ast.AST]:
    """Yield every node of the package."""
    return chain.from_iterable(trees.values())


def adds_correction(node: ast.AST) -> bool:
    """Whether a sum has the correction in grid steps in it: ``Plan.level`` written out."""
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Add):
        return False
    added = re.compile(r"int\([\w.]*\.correction / [\w.]*\.grid\)")
    return added.fullmatch(ast.unparse(node.right)) is not None


def local_names(trees: Trees) -> Counter[str]:
    """Count where a name is given to something inside a function."""
    names: Counter[str] = Counter()
    for node in nodes(trees):
        if isinstance(node, ast.FunctionDef):
            inside = (part for part in ast.walk(node) if isinstance(part, ast.Name))
            names.update({part.id for part in inside if isinstance(part.ctx, ast.Store)})
    return names


def calls_of(trees: Trees, *names: str) -> int:
    """Count calls of these functions, by how they are written."""
    last = {name.rpartition(".")[2] for name in names}
    called = (node.func for node in nodes(trees) if isinstance(node, ast.Call))
    alike = (
        function
        for function in called
        if getattr(function, "id", getattr(function, "attr", None)) in last
    )
    return sum(ast.unparse(function) in names for function in alike)


def payers(trees: Trees) -> int:
    """Count files outside the ledger that reserve or settle."""
    ways = (ast.Call,)
    return sum(
        any(
            isinstance(node, ways)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in ("reserve", "settle")
            for node in inside
        )
        for path, inside in trees.items()
        if "/ledger/" not in path
    )


def tagged(trees: Trees) -> int:
    """Count files with tags of HTML in a text that is no docstring."""
    count = 0
    for inside in trees.values():
        strings = (part for part in inside if isinstance(part, ast.Constant))
        texts = [part.value for part in strings if isinstance(part.value, str)]
        count += any(TAGS.search(text) and "\n    " not in text for text in texts)
    return count


def largest_check(trees: Trees) -> int:
    """Return how many lines the longest ``__post_init__`` has."""
    found = (node for node in nodes(trees) if isinstance(node, ast.FunctionDef))
    return max(
        1 + (node.end_lineno or 0) - node.lineno for node in found if node.name == "__post_init__"
    )


def options(verb: str) -> int:
    """Return how many options a verb of the command line has."""
    group = typer.main.get_command(app)  # type: ignore[arg-type]
    return len(group.commands[verb].params)  # type: ignore[attr-defined]


def help_lines(verb: str) -> int:
    """Return how many lines the help of a verb has, 80 characters wide."""
    from typer.testing import CliRunner

    shown = CliRunner().invoke(app, [verb, "--help"], env={"COLUMNS": "80"})  # type: ignore[arg-type]
    return shown.output.count("\n")


def parameters(function: object) -> int:
    """Return how many parameters a function has."""
    return len(inspect.signature(function).parameters)  # type: ignore[arg-type]


def sections() -> str:
    """Return how many public functions have each section, of those that need it."""
    needs = {function: needed(function) for function in functions()}
    parts = []
    for name in SECTIONS:
        those = [function for function, sections in needs.items() if name in sections]
        parts.append(f"{sum(has(one, name) for one in those)} of {len(those)}")
    return " / ".join(parts)


def rows(texts: dict[str, str], trees: Trees) -> list[Row]:
    """Return the table: what is measured, before, now, and wanted."""
    lines = {path: text.count("\n") for path, text in texts.items()}
    small = sum(1 for path, count in lines.items() if count < 60)
    compared = sum(
        isinstance(node, ast.Compare) and getattr(node.left, "attr", None) == "mechanism"
        for node in nodes(trees)
    )
    tops = sum(isinstance(node, ast.Attribute) and node.attr == "is_top" for node in nodes(trees))
    fields = max(len(fields_of(kind)) for kind in plan_classes())
    names, public = local_names(trees), list(public_objects())
    exact = sum(module == "overbar.audit.exact" for module, *_ in public)
    select = walk(WITH_LEDGER)
    deepest = max(len(way) for way in select.ways if any("highest" in part for part in way))
    counts = f"{deepest} / {len(select.functions)} / {len(select.files)} / {select.calls:,}"
    riddles = " / ".join(str(names[name]) for name in RIDDLES)
    twice = f"{len(repeated(module_names(texts)))} / {len(repeated(class_names(trees)))}"
    tests = sum(path.read_text().count("\n") for path in (ROOT / "tests").rglob("*.py"))
    now = (
        f"{sum(lines.values()):,}",
        f"{len(lines)} / {small}",
        f"{compared} / {tops}",
        f"{fields}; {largest_check(trees)}",
        f"{parameters(frames.select)}, {parameters(overbar.select)}",
        ", ".join(str(options(verb)) for verb in VERBS),
        str(help_lines("select")),
        f"{calls_of(trees, 'locals')} / {calls_of(trees, 'inspect.signature', 'signature')}",
        f"{len({name for _, name, _ in public})} / {exact}",
        classes_like(trees),
        str(payers(trees)),
        str(tagged(trees)),
        counts,
        riddles,
        twice,
        sections(),
        str(sum(map(adds_correction, nodes(trees)))),
        f"{tests:,}",
    )
    return [
        (what, before, value, wanted)
        for (what, before, wanted), value in zip(MEASURES, now, strict=True)
    ]


def plan_classes() -> list[type]:
    """Return the classes of plans."""
    public = (getattr(plans, name) for name in plans.__all__)
    return [
        kind
        for kind in public
        if isinstance(kind, type) and issubclass(kind, plans.Plan) and is_dataclass(kind)
    ]


def classes_like(trees: Trees) -> str:
    """Return how many classes of question, answer and planned there are."""
    names = [name for name, _ in class_names(trees)]
    endings = ("Question", ("Answer", "Keys", "Selection"), ("Planned", "PlannedKeys"))
    return ", ".join(str(sum(name.endswith(ending) for name in names)) for ending in endings)


def table(measured: Iterable[Row]) -> str:
    """Return the rows as a table of a page."""
    return "\n".join(f"| {' | '.join(row)} |" for row in (HEAD, ("---",) * len(HEAD), *measured))


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
    texts = sources(folder)
    trees = trees_of(texts)
    text = table(rows(texts, trees))
    if chosen.write:
        PAGE.write_text(written(PAGE.read_text(), text))
    print(text)
    for kind, names in (("module", module_names(texts)), ("class", class_names(trees))):
        for name, places in repeated(names).items():
            print(f"{kind} {name}: {' '.join(places)}")


if __name__ == "__main__":
    main()
