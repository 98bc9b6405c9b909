from __future__ import annotations

import csv
import os
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from lab.tests.paper.conftest import changed, small_studies
from overbar_lab.paper import Conditions, Data, figures
from overbar_lab.paper.assembly import FEW_STUDIES, make_report, write
from overbar_lab.paper.study import text_of

NAMES = ("variance-by-budget", "error-tolerance", "allocation-general", "numeric-efficiency")


@pytest.fixture(autouse=True)
def no_files(monkeypatch, tmp_path):
    monkeypatch.delenv("OVERBAR_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "nothing"))


def some(*names):
    """Return studies by name; the one about running times is not drawn, which others look at."""
    return [
        replace(study, draw=None) if study.name == "numeric-efficiency" else study
        for study in small_studies()
        if study.name in names
    ]


def files_of(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A report of some studies, made once for all who look at it."""
    folder = tmp_path_factory.mktemp("report")
    with pytest.MonkeyPatch.context() as patched:
        patched.delenv("OVERBAR_DATA", raising=False)
        patched.setenv("XDG_CACHE_HOME", str(folder / "nothing"))
        return make_report(some(*NAMES), Conditions(2, 1, Data()), folder)


def test_a_report_is_whole_cached_and_the_same_again(made, tmp_path):
    first, out = made, made.page.parent
    conditions = Conditions(2, 1, Data())
    assert sorted(first.computed) == sorted(NAMES)
    assert len(first.drawn) == 2
    before = files_of(out)
    assert {f"csv/{name}.csv" for name in NAMES} <= set(before)
    assert {f"figures/error-tolerance.{form}" for form in ("png", "svg", "pdf")} <= set(before)
    assert "timings/numeric-efficiency.csv" in before
    assert not any(Path(name).name.startswith(".") for name in before)  # all are whole

    second = make_report(some(*NAMES), conditions, out)
    assert second.computed == second.drawn == []
    assert sorted(second.recalled) == sorted(NAMES)
    assert files_of(out) == before

    undrawn = [replace(study, draw=None) for study in some(*NAMES)]
    elsewhere = make_report(undrawn, conditions, tmp_path / "elsewhere")
    assert elsewhere.computed
    for name in NAMES:
        assert (tmp_path / "elsewhere/csv" / f"{name}.csv").read_bytes() == before[
            f"csv/{name}.csv"
        ]


@pytest.mark.usefixtures("one_form")
def test_a_changed_parameter_or_seed_is_computed_anew(tmp_path):
    conditions = Conditions(2, 1, Data())
    (study,) = some("error-tolerance")
    small = changed(study, budgets=("0.5", "1"))
    make_report([small], conditions, tmp_path)
    other = changed(study, budgets=("0.4", "1"))
    assert make_report([other], conditions, tmp_path).computed == ["error-tolerance"]
    assert make_report([other], conditions, tmp_path).computed == []
    again = make_report([other], replace(conditions, seed=2), tmp_path)
    assert again.computed == again.drawn == ["error-tolerance"]
    # What was computed first is still there: only its figure is drawn again.
    back = make_report([small], conditions, tmp_path)
    assert back.computed == []
    assert back.drawn == ["error-tolerance"]


def test_a_damaged_cache_is_computed_anew(tmp_path):
    conditions = Conditions(2, 1, Data())
    make_report(some("allocation-general"), conditions, tmp_path)
    for path in (tmp_path / "cache").glob("*.json"):
        path.write_text("[{")
    assert make_report(some("allocation-general"), conditions, tmp_path).computed


class Page(HTMLParser):
    def __init__(self):
        super().__init__()
        self.ids, self.links, self.sources, self.tags = set(), [], [], []

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.tags.append(tag)
        self.ids.add(found.get("id"))
        if tag == "a":
            self.links.append(found["href"])
        self.sources += [found[name] for name in ("src", "srcset", "data") if name in found]


def test_the_page_needs_nothing_else(made):
    text = made.page.read_text()
    page = Page()
    page.feed(text)
    assert page.sources
    assert all(source.startswith("data:image/svg+xml;base64,") for source in page.sources)
    assert not {"script", "link", "iframe"} & set(page.tags)
    assert "@import" not in text
    assert not re.search(r"url\(", text)
    inner = [link[1:] for link in page.links if link.startswith("#")]
    assert {"claims", *NAMES} <= set(inner)
    assert {"claims", *NAMES} <= page.ids
    for study in some(*NAMES):
        for name, value in study.parameters.items():
            assert f"<dt>{name.replace('_', ' ')}</dt>" in text
            assert text_of(value) in text
    rows = list(csv.DictReader((made.page.parent / "claims.csv").read_text().splitlines()))
    assert len(rows) >= 5
    assert all(row["verdict"] and row["rule"] and row["measured"] for row in rows)


@pytest.mark.usefixtures("one_form")
def test_the_page_opens_with_what_was_asked_for(tmp_path):
    """One study is asked for: it comes first, and no claim about another is on the page."""
    made = make_report(some("variance-by-budget"), Conditions(2, 1, Data()), tmp_path)
    text = made.page.read_text()
    assert text.index('id="variance-by-budget"') < text.index('id="claims"')
    assert "errata-table" not in text
    assert {one.claim.needs for one in made.findings} == {("variance-by-budget",)}
    assert "cannot be judged" not in text


def test_figures_of_few_runs_are_drawn_again_for_print(tmp_path):
    """Publishers refuse fonts of Type 3, which a first look may have."""
    drawn = []
    for runs in (2, 50, 300):
        made = make_report(some("variance-by-budget"), Conditions(runs, 1, Data()), tmp_path)
        quick = b"/Type3" in (tmp_path / "figures/variance-by-budget.pdf").read_bytes()
        drawn.append((made.drawn, quick))
    name = "variance-by-budget"
    assert drawn == [([name], True), ([name], False), ([], False)]


def test_many_studies_at_once_are_those_of_one_after_the_other(tmp_path):
    plain = [
        study for study in small_studies() if not study.datasets and "stream" not in study.name
    ]
    plain += some("error-tolerance")
    several = [replace(one, draw=None) for one in plain if one.name != "numeric-efficiency"]
    assert len(several) > FEW_STUDIES
    conditions = Conditions(2, 1, Data(), workers=2)
    together = make_report(several, conditions, tmp_path / "together")
    assert sorted(together.computed) == sorted(study.name for study in several)
    for study in several:
        make_report([study], conditions, tmp_path / "alone")
    assert [
        (tmp_path / "together/csv" / f"{study.name}.csv").read_bytes() for study in several
    ] == [(tmp_path / "alone/csv" / f"{study.name}.csv").read_bytes() for study in several]
    assert make_report(several, conditions, tmp_path / "together").computed == []


@pytest.mark.usefixtures("one_form")
def test_absent_datasets_leave_a_line_and_the_rest(tmp_path):
    conditions = Conditions(2, 1, Data())
    (study,) = some("dataset-profile")
    made = make_report([study, *some("adult-threshold")], conditions, tmp_path)
    assert made.drawn == ["dataset-profile"]
    assert len([line for line in conditions.data.notes if "\n" not in line]) == 4
    profile = (tmp_path / "csv/dataset-profile.csv").read_text()
    assert "Binary" in profile
    assert "Adult" not in profile
    assert "None of its datasets is here" in made.page.read_text()


@pytest.mark.usefixtures("one_form")
def test_a_damaged_dataset_counts_as_absent(tmp_path):
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "T40I10D100K.dat").write_text("1 2 3\n")
    conditions = Conditions(2, 1, Data(folder))
    make_report(some("dataset-profile"), conditions, tmp_path / "out")
    assert any("t40i10d100k cannot be used" in line for line in conditions.data.notes)
    again = make_report(some("dataset-profile"), Conditions(2, 1, Data(folder)), tmp_path / "out")
    assert again.computed == []


def test_a_good_file_outlives_a_failed_write(tmp_path, monkeypatch):
    write(tmp_path, "one.csv", "good")

    def broken(source, target):
        raise OSError("disk full")

    monkeypatch.setattr(os, "replace", broken)
    with pytest.raises(OSError, match="disk full"):
        write(tmp_path, "one.csv", "half")
    assert (tmp_path / "one.csv").read_text() == "good"
    assert [path.name for path in tmp_path.iterdir()] == ["one.csv"]


@pytest.mark.parametrize("workers", [1, 2])
def test_an_error_while_drawing_reaches_the_caller(workers, tmp_path):
    conditions = Conditions(2, 1, Data(), workers=workers)
    studies = [
        replace(one, draw=figures.draw_gain) for one in some("variance-by-budget", *NAMES[:2])
    ]
    with pytest.raises(KeyError):
        make_report(studies, conditions, tmp_path)


def test_no_page_is_bound_without_its_figures(tmp_path):
    study = replace(some("variance-by-budget")[0], draw=_refuse)
    with pytest.raises(KeyError):
        make_report([study], Conditions(2, 1, Data()), tmp_path)
    assert not (tmp_path / "report.html").exists()


def _refuse(table):
    return table[0]["no such column"]
