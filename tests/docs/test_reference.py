"""The public modules stand in one list; the reference shows these, and pages import no others."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest

from tools.public_modules import MODULES, public_name, public_objects

ROOT = Path(__file__).parents[2]
PAGES = [
    *sorted(ROOT.glob("*.md")),
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs" / "theory").glob("*.md")),
    *sorted((ROOT / "examples").glob("*.*")),
    *sorted((ROOT / "lab").glob("*.md")),
    *sorted((ROOT / "lab" / "examples").glob("*.*")),
]
IMPORT = re.compile(r"^[> .]*(?:from (overbar[\w.]*) import (.*)|import (overbar[\w.]*).*)$", re.M)
#: What makes Sphinx document something.
DIRECTIVE = re.compile(r"(?:auto(?:module|class|function|data|method)|py:\w+)::")


def complaints(text: str) -> list[str]:
    """Lines that import what is not public and do not say so."""
    return [
        line.group()
        for line in IMPORT.finditer(text)
        if (line[1] or line[3]) not in MODULES and "# internal" not in line.group()
    ]


@pytest.mark.parametrize("module", MODULES)
def test_a_public_module_says_what_is_public(module):
    found = importlib.import_module(module)
    assert found.__doc__
    assert found.__all__
    assert all(hasattr(found, name) for name in found.__all__)


def test_everything_public_is_explained():
    for module, name, subject in public_objects():
        if callable(subject):
            assert subject.__doc__, f"{module}.{name}"
            assert complaints(subject.__doc__) == [], f"{module}.{name}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_pages_and_examples_import_what_is_public(page):
    assert complaints(page.read_text()) == []


def test_an_internal_import_is_noticed():
    line = ">>> from overbar.sampling.race import race_above"
    assert complaints(f"{line}\n") == [line]
    assert complaints(f"{line}  # internal\n") == []
    assert complaints("import overbar.sampling as exact\n")
    assert not complaints("from overbar import frames\n")


def test_no_page_documents_a_module_by_itself():
    by_hand = [
        page
        for page in (ROOT / "docs").rglob("*.md")
        if page.parent.name != "modules" and DIRECTIVE.search(page.read_text())
    ]
    assert by_hand == []
    assert "tools.public_modules import MODULES" in (ROOT / "docs" / "conf.py").read_text()


def test_a_name_is_documented_once():
    assert public_name("overbar.privacy.guarantee") == "overbar.guarantee"
    assert public_name("overbar.frames.select") == "overbar.frames.select"
    assert public_name("overbar.sampling.race.race_above") is None
    with pytest.raises(AttributeError):
        public_name("overbar.no_such")
