"""All that the paper has that is numbered, and where it is here: the list is in inventory.csv.

Numbers and labels are those of the preprint, arXiv:2407.20068. *kind* and *number* are "Figure" and
"7", or a section with the place of a claim in its enumeration. *here* names a study, a page of the
theory (``theory/…``) or something of this package; it is empty for pictures.
"""

from __future__ import annotations

import csv
from importlib.resources import files

ITEMS = tuple(
    csv.DictReader(files("overbar.paper").joinpath("inventory.csv").read_text("utf-8").splitlines())
)


def place_of(study: str) -> str:
    """Return which figures and tables of the paper a study shows; empty for ours.

    >>> place_of("f1-by-budget"), place_of("race-gain")
    ('Figure 10', '')
    """
    return ", ".join(
        f"{item['kind']} {item['number']}"
        for item in ITEMS
        if item["kind"] in ("Figure", "Table") and study in item["here"].split()
    )
