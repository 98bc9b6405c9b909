"""Files as people have them, and what happens: the table of docs/messy-files.md, replayed.

Each file is refused before anything is spent, gives the right answer, or is answered in silence and
explained by `overbar check`. What is right a plain loop says, not the program. At ε = 10⁹ a count
that is wrong by a half has a chance below 10⁻¹⁰⁰.
"""

from __future__ import annotations

import itertools
import json
import re
from pathlib import Path

import pytest

from tests.frozen import seam
from tests.frozen.messy.makers import LIST, SUMS, listing
from tests.frozen.messy.places import PLACES
from tests.frozen.messy.texts import TEXTS
from tests.frozen.typed import replaced

pytestmark = pytest.mark.one_in(10)

MESSY = [*TEXTS, *PLACES]
PAGE = Path(__file__).parents[2] / "docs" / "messy-files.md"
SPENT = ["--cutoff", "4", "--epsilon", "1000000000", "--counts", "--format", "json"]


def true_scores(rows):
    """How many persons have each item, or what they paid for it: by hand."""
    paid = {}
    for person, item, *amount in rows:
        paid.setdefault(item, {}).setdefault(person, []).extend(amount)
    return {
        item: round(sum(sum(one) for one in persons.values()), 2)
        if any(persons.values())
        else len(persons)
        for item, persons in paid.items()
    }


def answered(text):
    """What came out, without what nobody has."""
    found = json.loads(text)
    counts = [round(float(one["count"]), 2) for one in found["counts"]]
    return {
        label: count for label, count in zip(found["labels"], counts, strict=True) if count > 0.01
    }


def in_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    listing("\n".join(LIST) + "\n")


def checked(sources, typed, listed):
    kept = [one for one in typed if one not in SUMS[2:]]
    return " ".join(seam.command(*replaced(["check", *sources, *kept, *listed])).output.split())


@pytest.mark.parametrize(
    ("make", "typed", "outcome", "want"), [one[2:] for one in MESSY], ids=[one[1] for one in MESSY]
)
def test_what_happens(tmp_path, monkeypatch, make, typed, outcome, want):
    in_folder(tmp_path, monkeypatch)
    sources = make()
    listed = [] if "--catalogue" in typed else ["--catalogue", "list.txt"]
    answer = seam.command(*replaced(["top", *sources, *SPENT, *typed, *listed]))
    assert "unexpected" not in answer.output
    if outcome == "refused":
        assert answer.exit_code == 2, answer.output
        assert want in " ".join(answer.stderr.split())
        assert "spent" not in answer.stderr
        return
    assert answer.exit_code == 0, answer.output
    if outcome == "right":
        assert answered(answer.stdout) == true_scores(want)
    elif outcome == "said":
        assert want in answer.stderr
    else:
        assert want not in answer.output
        assert want in checked(sources, typed, listed)


def test_there_are_many_kinds():
    assert len({title for _, title, *_ in MESSY if title}) >= 123
    assert len({group for group, *_ in MESSY}) >= 10


def test_the_page_has_the_same_table():
    rows = re.findall(r"^\| (.+?) \| (refused|right|shown|said)(?:: \*(.+)\*)? \|$",
                      PAGE.read_text(), re.MULTILINE)  # fmt: skip
    assert rows == [
        (title.replace("|", "\\|"), outcome, "" if outcome == "right" else want.replace("|", "\\|"))
        for _, title, _, _, outcome, want in MESSY
    ], "write it anew: python -m tests.frozen.test_messy_files"


def page_table():
    """The table for the page, group by group."""
    for group, kinds in itertools.groupby(MESSY, key=lambda one: one[0]):
        yield f"\n### {group.capitalize() if group != 'JSON' else group}\n\n| file | what happens |"
        yield "|---|---|"
        for _, title, _, _, outcome, want in kinds:
            said = "" if outcome == "right" else f": *{want}*"
            yield _line(title, outcome + said)


def _line(title, happens):
    cells = (cell.replace("|", "\\|") for cell in (title, happens))
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    begin, end = "<!-- kinds -->\n", "<!-- end of kinds -->\n"
    text = PAGE.read_text()
    before, _, rest = text.partition(begin)
    _, _, after = rest.partition(end)
    PAGE.write_text(before + begin + "\n".join(page_table()) + "\n\n" + end + after)
