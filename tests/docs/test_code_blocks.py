"""Every code block of README and documentation runs, or says that it is only text.

- ``python`` blocks run, ``pycon`` blocks are sessions whose output is compared; the blocks of one
  page share their names and run in order, in an empty folder;
- ``sql`` blocks run in the tests of the ledger (`tests/ledger/test_database.py`);
- ``sh`` blocks are pasted into bash, and what they write is compared with the ``text`` block that
  follows (`test_transcripts.py`); of those that install something only names are looked up
  (`test_facts.py`);
- other ``text`` blocks are no code, ``math`` blocks are formulas; anything else is refused, so that
  nothing escapes by its name.
"""

import doctest
import re
from pathlib import Path

import pytest

from overbar.mechanisms.plan import PARTS

ROOT = Path(__file__).parents[2]
PAGES = [
    page
    for page in sorted([*ROOT.glob("*.md"), *ROOT.glob("lab/*.md"), *(ROOT / "docs").rglob("*.md")])
    if not page.is_relative_to(ROOT / "docs" / "api" / "modules")
    and not page.is_relative_to(ROOT / "docs" / "_build")
]
FENCE = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
DIRECTIVES = ("{toctree}", "{eval-rst}", "{include}", "{figure}", "{image}")
PROMPTS = (">>> ", "... ")
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL


def blocks(page: Path) -> list[tuple[str, str, int]]:
    """Language, text and line of each fenced block."""
    text = page.read_text()
    return [
        (found.group(1).strip(), found.group(2), text[: found.start()].count("\n") + 2)
        for found in FENCE.finditer(text)
    ]


def run(page: Path, found: list[tuple[str, str, int]]) -> int:
    """Run the code of a page; return how many sessions and scripts ran."""
    names: dict[str, object] = {"__name__": "__main__"}
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner(optionflags=FLAGS)
    ran = 0
    for language, text, line in found:
        if language == "python":
            exec(compile("\n" * (line - 1) + text, str(page), "exec"), names)
            ran += 1
        elif language == "pycon":
            session = parser.get_doctest(text, names, page.name, str(page), line - 1)
            assert session.examples, f"{page.name}:{line} is no session"
            assert runner.run(session, clear_globs=False).failed == 0, f"{page.name}:{line}"
            names.update(session.globs)
            ran += 1
    return ran


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_code_on_the_page_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    known = len(PARTS)
    try:
        run(page, blocks(page))
    finally:
        del PARTS[known:]  # a page makes a mechanism of its own


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_block_says_what_it_is(page):
    for language, _, line in blocks(page):
        known = language in {"python", "pycon", "sh", "sql", "text", "math"}
        assert known or language.startswith(DIRECTIVES), f"{page.name}:{line}: ```{language}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_no_line_that_is_typed_is_longer_than_the_column(page):
    code = [block for block in blocks(page) if not block[0].startswith((*DIRECTIVES, "text"))]
    for language, text, line in code:
        for number, found in enumerate(text.splitlines(), line):
            typed = language != "pycon" or found.startswith(PROMPTS)
            assert not typed or len(found) <= 100, f"{page.name}:{number}"


def test_a_wrong_page_is_noticed(tmp_path):
    page = tmp_path / "wrong.md"
    page.write_text("```pycon\n>>> 1 + 1\n3\n```\n")
    with pytest.raises(AssertionError):
        run(page, blocks(page))
    page.write_text("```python\nassert 1 == 2\n```\n")
    with pytest.raises(AssertionError):
        run(page, blocks(page))
