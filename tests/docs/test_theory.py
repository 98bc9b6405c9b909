"""Every theory page names what implements it, and what implements it names the page."""

import importlib
import pkgutil
import re
from pathlib import Path

import pytest

THEORY = Path(__file__).parents[2] / "docs" / "theory"
PAGES = sorted(page for page in THEORY.glob("*.md") if page.stem != "index")


def implementers(page: Path) -> list[str]:
    """The names in the italic paragraph under the title, before what uses or tests them."""
    lead = re.search(
        r"^\*(Implemented|Shown) by .*?\*$", page.read_text(), re.MULTILINE | re.DOTALL
    )
    assert lead, f"{page.name} must begin by saying what implements it"
    return re.findall(r"`(overbar(?:_lab)?\.[\w.]+)`", re.split(";|, used", lead.group())[0])


def module_of(name: str) -> object:
    """The module that defines a name, which must exist; the name may be of a value's method."""
    pkgutil.resolve_name(name)
    while True:
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError:
            name = name.rpartition(".")[0]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_page_and_the_code_point_at_each_other(page):
    names = implementers(page)
    assert names
    for name in names:
        assert f":doc:`/theory/{page.stem}`" in (module_of(name).__doc__ or ""), name


def test_every_link_from_the_code_leads_to_a_page():
    links = {
        link
        for source in ("src", "lab/src")
        for file in (THEORY.parents[1] / source).rglob("*.py")
        for link in re.findall(r":doc:`/theory/(\w+)`", file.read_text())
    }
    assert links <= {page.stem for page in PAGES}
    assert len(links) > 8


def test_no_two_theorems_have_one_number():
    """Pages and code speak of Theorem 1, 2, … of this project: each number is one theorem."""
    headings = [
        number
        for page in PAGES
        for number in re.findall(r"^## Theorem (\d+)", page.read_text(), re.MULTILINE)
    ]
    assert sorted(map(int, headings)) == list(range(1, len(headings) + 1))
    assert len(headings) >= 5


def test_the_list_of_theorems_has_every_page():
    index = (THEORY / "index.md").read_text()
    for page in PAGES:
        assert f"{page.stem}.md" in index
