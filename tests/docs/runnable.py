"""What the tests run of a page, block by block: the text that a copy button must give."""

import ast
import doctest
import re
from pathlib import Path

from tests.docs.test_code_blocks import PAGES, ROOT, blocks
from tools.notebooks import code

#: A page that shows a file of the repository.
INCLUDED = re.compile(r"```\{include\} (\S+)\n")
PARSER = doctest.DocTestParser()
__all__ = ["PAGES", "ROOT", "documented", "runnable", "session"]


def source(page: Path) -> Path:
    """The file with the text of a page."""
    whole = INCLUDED.match(page.read_text())
    return (page.parent / whole[1]).resolve() if whole else page


def session(text: str) -> str:
    """The lines that a session types."""
    return "".join(example.source for example in PARSER.get_examples(text)).rstrip("\n")


def runnable(page: Path) -> list[str]:
    """What each block of a page that has a button says when it is typed."""
    if page.stem == "notebook":
        return ["".join(cell["source"]) for cell in code() if cell["cell_type"] == "code"]
    kinds = {
        "pycon": session,
        "python": lambda text: text.rstrip("\n"),
        "sh": lambda text: text.rstrip("\n"),
    }
    return [kinds[kind](text) for kind, text, _ in blocks(source(page)) if kind in kinds]


def documented() -> str:
    """All sessions in docstrings, which are tested where they stand."""
    found = []
    for file in sorted([*(ROOT / "src").rglob("*.py"), *(ROOT / "lab/src").rglob("*.py")]):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
                text = ast.get_docstring(node)
                if text and ">>> " in text:
                    found.append(session(text))
    return "\n\0\n".join(found)
