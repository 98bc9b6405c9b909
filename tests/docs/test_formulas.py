"""Formulas are typeset when the site is built: each can be read, and none asks for a network."""

import re
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

pytest.importorskip("sphinx")
DOCS = Path(__file__).parents[2] / "docs"
PAGES = sorted([*DOCS.glob("*.md"), *DOCS.glob("theory/*.md")])
sys.path.insert(0, str(DOCS))
from mathml import MathError, mathml  # noqa: E402

sys.path.remove(str(DOCS))
FORMULA = re.compile(r"^[> ]*```math\n(.*?)^[> ]*```$", re.MULTILINE | re.DOTALL)
FENCED = re.compile(r"^[> ]*```.*?^[> ]*```$", re.MULTILINE | re.DOTALL)
#: An indented block, in a quotation too: how formulas were written before.
INDENTED = re.compile(r"^(?:> )? {4,}\S.*[=≤·].*$", re.MULTILINE)


def formulas(text):
    return [re.sub("^[> ]+", "", found, flags=re.MULTILINE) for found in FORMULA.findall(text)]


def test_every_formula_becomes_mathml():
    found = [formula for page in PAGES for formula in formulas(page.read_text())]
    assert len(found) > 30
    for formula in found:
        text = re.sub(r"&(?!lt|gt|amp)\w+;", " ", mathml(formula, block=True))  # names of HTML
        tree = ElementTree.fromstring(text)
        assert tree.tag.endswith("}math")
        assert tree.get("display") == "block"


def test_a_formula_that_cannot_be_read_is_refused():
    for wrong in (r"\nonsense{x}", "x^", r"\frac{a}", "☂"):
        with pytest.raises(MathError):
            mathml(wrong, block=True)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(DOCS)))
def test_no_formula_is_left_as_a_block_of_code(page):
    assert INDENTED.findall(FENCED.sub("", page.read_text())) == []


def test_a_formula_in_a_block_of_code_is_noticed():
    assert INDENTED.findall("so\n\n    p(r) = Γ(r + α)^k\n")
    assert INDENTED.findall("> so\n>\n>     w = f·c\n")


def test_the_site_takes_no_script_for_formulas():
    settings = (DOCS / "conf.py").read_text()
    assert 'html_math_renderer = "mathml"' in settings
    assert "mathjax" not in settings
