"""The first picture of the README shows the table of the README, and its script draws it."""

import re
import runpy
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).parents[2]
SCRIPT = runpy.run_path(str(ROOT / "docs" / "two_lists.py"))
WORDS = "{http://www.w3.org/2000/svg}text"


def words(picture):
    """All words of a picture, without what differs from run to run."""
    parts = [element.text for element in ElementTree.fromstring(picture).iter(WORDS)]
    true = 2 + 2 * len(SCRIPT["TRUE"])
    rest = (part for part in parts[true:] if not re.fullmatch(r"[\d,]+", part))
    return parts[:true] + sorted(rest)  # places may change


def test_the_picture_is_the_one_that_is_drawn_today():
    assert words(SCRIPT["PICTURE"].read_text()) == words(SCRIPT["picture"]())


def test_it_shows_the_table_of_the_readme():
    bought = {name: many for name, many in SCRIPT["TRUE"].items() if many}
    listed = ", ".join(f"{name}={many}" for name, many in bought.items())
    assert f"dict({listed})" in (ROOT / "README.md").read_text()
