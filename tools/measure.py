"""How the house stands, in numbers: ``python -m tools.measure``; ``--write`` puts them on the page.

Prints the table of `docs/architecture.md`: what the numbers were before the house was made smaller
(commit 69de486b), what they are now, and what is wanted. Lines are those of every text file, as it
stands: `make lint` holds Python as ``ruff format`` would have it. Tokens are those of Python
without docstrings, comments, line ends and indents.
"""

from __future__ import annotations

import argparse
import ast
import io
import re
import tokenize
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import typer

from overbar.cli import app
from tools.public_modules import public_objects
from tools.walk import walks

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "architecture.md"
HEAD = ("what", "before", "now", "wanted")
#: What is measured in files, the value before, and what is wanted.
FILES = (
    ("lines in `src/`", "58,211", "≤ 28,000"),
    (
        "lines of each kind",
        "Python 56,152, TOML 1,269, JavaScript 384, HTML 178, CSS 159, CSV 69",
        "",
    ),
    ("Python tokens in `src/`", "327,797", "≤ 165,000"),
    ("lines / Python tokens in `lab/src/`", "0 / 0", "≤ 3,500 lines"),
    ("share of lines of Python that import", "7.5 %", "≤ 3.5 %"),
    ("Python files / below 60 lines / lines of the longest", "287 / 26 / 400", "fewer / – / ≤ 450"),
    ("Python files that name `histogram` / `cutoff`", "45 / 111", "fewer"),
    ("Python files that name `numpy.random` or `default_rng`", "15", "0"),
    ("lines of tests", "58,252", "fewer"),
)
#: What users meet.
FRONT = (
    ("public names", "107", "fewer"),
    (
        "options of each verb",
        "select 36, top 34, keys 26, quantile 29, mean 27, describe 31, watch 30, check 17, run 3, "
        "plan 33, explore 4, audit 5, reproduce 8, datasets 1, ledger open 8, ledger close 2, "
        "ledger verify 2, ledger show 3, ledger copy 2, ledger roles 1, ledger spend 9",
        "fewer",
    ),
)
#: What the walks were, in their order.
WALKED = (
    "511 / 92 / 1,483 / 30",
    "183 / 41 / 483 / 16",
    "361 / 51 / 22,763 / 29",
    "164 / 33 / 485 / 12",
)
KINDS = {
    ".py": "Python",
    ".toml": "TOML",
    ".js": "JavaScript",
    ".html": "HTML",
    ".css": "CSS",
    ".csv": "CSV",
}
OTHER = "other"
#: What Python and packaging leave among the sources.
LEFT_THERE = ("__pycache__", ".egg-info")
SHORT = 60
WORDS = ("histogram", "cutoff")
SEEDED = re.compile(r"numpy\.random|np\.random|default_rng")
LAYOUT = {"COMMENT", "NL", "NEWLINE", "INDENT", "DEDENT", "ENDMARKER"}
Row = tuple[str, str, str, str]
Texts = dict[Path, str]


def texts(folder: Path) -> Texts:
    """Return every file below a folder, if there is one, as text."""
    return {
        path: path.read_text(encoding="utf-8", errors="replace")
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not any(part.endswith(LEFT_THERE) for part in path.parts)
    }


def modules(found: Texts) -> list[str]:
    """Return the texts that are Python."""
    return [text for path, text in found.items() if path.suffix == ".py"]


def lines(found: Iterable[str]) -> int:
    """Return how many lines these texts have."""
    return sum(text.count("\n") for text in found)


def kinds(found: Texts) -> str:
    """Return how many lines each kind of file has."""
    counts: Counter[str] = Counter()
    for path, text in found.items():
        counts[KINDS.get(path.suffix, OTHER)] += text.count("\n")
    return ", ".join(
        f"{kind} {counts[kind]:,}" for kind in (*KINDS.values(), OTHER) if counts[kind]
    )


def docstrings(text: str) -> Iterator[tuple[int, int]]:
    """Yield where each docstring of a module begins."""
    explained = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, explained) and ast.get_docstring(node) is not None:
            yield node.body[0].lineno, node.body[0].col_offset


def tokens(text: str) -> int:
    """Return how many tokens a module has; a text with values in it is one, as in Python 3.11."""
    skipped, count, inside = set(docstrings(text)), 0, 0
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        name = tokenize.tok_name[token.type]
        count += not inside and name not in LAYOUT and token.start not in skipped
        inside += (name == "FSTRING_START") - (name == "FSTRING_END")
    return count


def import_lines(text: str) -> int:
    """Return how many lines of a module import something."""
    kind = (ast.Import, ast.ImportFrom)
    found = (node for node in ast.walk(ast.parse(text)) if isinstance(node, kind))
    return sum(1 + (node.end_lineno or 0) - node.lineno for node in found)


def in_files(root: Path) -> tuple[str, ...]:
    """Return what `FILES` names, of the files below a folder."""
    library, laboratory = texts(root / "src"), texts(root / "lab/src")
    tests = texts(root / "tests") | texts(root / "lab/tests")
    python = modules(library)
    sizes = [lines([text]) for text in python]
    imports = sum(map(import_lines, python)) / max(1, sum(sizes))
    named = (sum(word in text for text in python) for word in WORDS)
    studies = sum(map(tokens, modules(laboratory)))
    return (
        f"{lines(library.values()):,}",
        kinds(library),
        f"{sum(map(tokens, python)):,}",
        f"{lines(laboratory.values()):,} / {studies:,}",
        f"{100 * imports:.1f} %",
        f"{len(sizes)} / {sum(size < SHORT for size in sizes)} / {max(sizes, default=0)}",
        " / ".join(map(str, named)),
        str(sum(SEEDED.search(text) is not None for text in python)),
        f"{lines(modules(tests)):,}",
    )


def options(group: Any, before: str = "") -> Iterator[str]:
    """Yield each verb with how many options it has."""
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from options(command, f"{before}{name} ")
        else:
            yield f"{before}{name} {len(command.params)}"


def at_the_front() -> tuple[str, ...]:
    """Return what `FRONT` names."""
    names = {name for module, name, _ in public_objects() if not module.startswith("overbar_lab")}
    return str(len(names)), ", ".join(options(typer.main.get_command(app)))  # type: ignore[arg-type]


def rows() -> Iterator[Row]:
    """Yield the table: what is measured, before, now, and wanted."""
    now = (*in_files(ROOT), *at_the_front())
    for (what, before, wanted), value in zip((*FILES, *FRONT), now, strict=True):
        yield what, before, value, wanted
    for (name, seen), before in zip(walks().items(), WALKED, strict=True):
        yield f"{name}: functions / files / calls / depth", before, str(seen), "fewer"


def table(measured: Iterable[Row]) -> str:
    """Return the rows as a table of a page."""
    return "\n".join(f"| {' | '.join(row)} |" for row in (HEAD, ("---",) * len(HEAD), *measured))


def written(page: str, text: str) -> str:
    """Return the page with its table of measurements replaced."""
    start = page.index(f"| {' | '.join(HEAD)} |")
    end = page.index("\n\n", start)
    return page[:start] + text + page[end:]


def main(arguments: list[str] | None = None) -> None:
    """Print the table, or put it on the page as well."""
    parser = argparse.ArgumentParser(description="Measure the house")
    parser.add_argument("--write", action="store_true", help="put the table on the page")
    chosen = parser.parse_args(arguments)
    text = table(rows())
    if chosen.write:
        PAGE.write_text(written(PAGE.read_text(), text))
    print(text)


if __name__ == "__main__":
    main()
