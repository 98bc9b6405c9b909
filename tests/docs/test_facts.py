"""What README and documentation name is there: files, functions, make targets, packages, links."""

from __future__ import annotations

import importlib
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [
    *sorted(ROOT.glob("*.md")),
    *sorted((ROOT / "lab").glob("*.md")),
    *sorted((ROOT / "lab" / "examples").glob("*.py")),
    *sorted((ROOT / "examples").glob("*.md")),
    *sorted((ROOT / "examples").glob("*.py")),
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs" / "theory").glob("*.md")),
]
FOLDERS = "src|lab|tests|docs|examples|benchmarks|tools"
FILE = re.compile(rf"`((?:{FOLDERS})/[\w./-]+)`")
NAME = re.compile(r"`(overbar(?:_lab)?(?:\.\w+)+)`")
TARGET = re.compile(r"(?:^|`)make ([a-z]+)\b", re.MULTILINE)
EXTRAS = re.compile(r"pip install '(?:\.|overbar)\[([\w,]+)\]'")
#: There is no release: what is installed by this name would be somebody else's.
NOT_RELEASED = re.compile(r"pip install '?overbar\b")
LINK = re.compile(r"\]\(([^)\s#]+)(?:#[^)]*)?\)")


def exists(name: str) -> bool:
    """Whether a dotted name leads to a module or to something in one."""
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        try:
            found: object = importlib.import_module(".".join(parts[:length]))
        except ModuleNotFoundError:
            continue
        for part in parts[length:]:
            if not hasattr(found, part):
                return False
            found = getattr(found, part)
        return True
    return False


def complaints(page: Path) -> list[str]:
    """What the page names that is not there."""
    text = page.read_text()
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    makefile = (ROOT / "Makefile").read_text()
    wrong = [file for file in FILE.findall(text) if not (ROOT / file).exists()]
    wrong += [name for name in NAME.findall(text) if not exists(name)]
    wrong += [f"make {one}" for one in TARGET.findall(text) if f"\n{one}:" not in makefile]
    wrong += [
        f"[{extra}]"
        for extras in EXTRAS.findall(text)
        for extra in extras.split(",")
        if extra not in requirements()
    ]
    wrong += NOT_RELEASED.findall(text)
    wrong += [
        link
        for link in LINK.findall(prose)
        if not re.match(r"https?:", link) and not (page.parent / link).exists()
    ]
    return wrong


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_what_a_page_names_is_there(page):
    assert complaints(page) == []


def test_a_wrong_page_is_noticed(tmp_path):
    page = tmp_path / "wrong.md"
    wrong = ["tests/nowhere.py", "overbar.privacy.steps.no_such", "make nothing", "[no]"]
    wrong += ["pip install 'overbar", "no.md"]
    page.write_text(
        "`{}`, `{}`, `{}`, pip install '.{}', {}[cli]' and [a page]({})\n".format(*wrong)
    )
    assert complaints(page) == wrong


def requirements() -> dict[str, list[str]]:
    """The packages of each extra, of the laboratory, and under "" those that are always needed.

    What an extra takes over from others (``overbar[cli]``) is listed there.
    """
    project, lab = (
        tomllib.loads((ROOT / folder / "pyproject.toml").read_text())["project"]
        for folder in ("", "lab")
    )
    groups = {
        "": project["dependencies"],
        **project["optional-dependencies"],
        "lab": lab["dependencies"],
    }
    return {
        extra: [re.split("[<>=]", one)[0] for one in group if not one.startswith("overbar")]
        for extra, group in groups.items()
    }


def test_every_dependency_has_its_reason():
    text = (ROOT / "docs" / "dependencies.md").read_text()
    for extra, names in requirements().items():
        assert not extra or f"`{extra}`" in text
        for name in names:
            assert re.search(rf"^\|.*\b{re.escape(name)}\b", text, re.MULTILINE), name


def test_every_dependency_is_pinned():
    pins = (ROOT / "constraints.txt").read_text().casefold()
    for names in requirements().values():
        for name in names:
            assert f"\n{name}==" in pins, name
