from __future__ import annotations

import math
import re
from dataclasses import FrozenInstanceError, replace

import matplotlib
import pytest

from lab.tests.paper.conftest import changed, small_studies
from overbar.errors import ParameterError
from overbar.noise import Gumbel
from overbar_lab.datasets import Dataset
from overbar_lab.paper import STUDIES, Conditions, Data, Panels, Sweep
from overbar_lab.paper.assembly import rendered, table_key
from overbar_lab.paper.chart import saved
from overbar_lab.paper.corrections import fastest
from overbar_lab.paper.looks import LOOKS, NOISE_LOOKS, looks_of
from overbar_lab.paper.methods import ComparedMethod, OneShot
from overbar_lab.paper.panels import labelled
from overbar_lab.paper.study import csv_text, without_times

pytestmark = pytest.mark.one_in(2)

DRAWN = [study for study in STUDIES if study.draw is not None]
TIMED = ("numeric-efficiency",)


def study_named(name):
    return next(study for study in STUDIES if study.name == name)


def test_every_study_has_a_name_of_its_own_and_parameters():
    names = [study.name for study in STUDIES]
    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name) for name in names)
    assert all(study.title and study.shows for study in STUDIES)
    assert all(isinstance(study.parameters, dict) for study in STUDIES)
    assert study_named("variance-by-budget").parameters["cutoff"] == 50


def test_studies_are_frozen():
    with pytest.raises(FrozenInstanceError):
        STUDIES[0].name = "other"


@pytest.mark.parametrize("study", STUDIES, ids=lambda study: study.name)
def test_it_computes_rows_with_the_same_columns(study, tables, conditions):
    table = tables[study.name]
    assert table or not conditions.data.resolve(study.datasets)
    assert all(list(row) == list(table[0]) for row in table)
    for row in table:
        for value in row.values():
            assert value is None or isinstance(value, (str, int, float, bool))
            assert not isinstance(value, float) or math.isfinite(value)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("study", DRAWN, ids=lambda study: study.name)
def test_it_draws_without_a_warning_and_says_what_the_axes_are(study, tables):
    if not tables[study.name]:
        pytest.skip("none of its datasets is here")
    figure = study.draw(tables[study.name])
    shown = [axes for axes in figure.axes if axes.get_visible()]
    assert any(axes.get_xlabel() for axes in shown)
    assert any(axes.get_ylabel() for axes in shown)
    assert figure.legends or any(axes.get_legend() for axes in shown)
    assert figure.get_figwidth() in (3.35, 7.0)  # one column, or two


def test_figures_are_whole_and_repeatable(tables):
    study = study_named("variance-by-budget")
    figure = study.draw(tables[study.name])
    png, svg, pdf = (saved(figure, form) for form in ("png", "svg", "pdf"))
    assert png.startswith(b"\x89PNG")
    assert png.endswith(b"IEND\xaeB`\x82")
    assert svg.rstrip().endswith(b"</svg>")
    assert pdf.startswith(b"%PDF")
    again = study.draw(tables[study.name])
    assert [saved(again, form) for form in ("svg", "pdf")] == [svg, pdf]


@pytest.mark.usefixtures("one_form")
def test_settings_of_the_working_folder_have_no_say(tables):
    """A matplotlibrc there could even have LaTeX run."""
    study = study_named("variance-by-budget")
    own = rendered(study, tables[study.name])["svg"]
    with matplotlib.rc_context({"lines.linewidth": 9, "text.usetex": True, "font.size": 40}):
        assert rendered(study, tables[study.name])["svg"] == own


@pytest.mark.parametrize("name", ["law-of-difference", "error-tolerance", *TIMED])
def test_the_same_seed_gives_the_same_bytes(name, tables, conditions):
    study = next(study for study in small_studies() if study.name == name)
    again = study.compute(Conditions(conditions.runs, conditions.seed, Data()))
    assert csv_text(without_times(again)) == csv_text(without_times(tables[name]))


def test_control_another_seed_gives_other_bytes(tables, conditions):
    study = study_named("error-tolerance")
    other = study.compute(replace(conditions, seed=2))
    assert csv_text(other) != csv_text(tables["error-tolerance"])


def test_times_are_kept_apart(tables):
    for study in STUDIES:
        if not tables[study.name]:
            continue
        timed = any(name.endswith("_seconds") for name in tables[study.name][0])
        assert timed == (study.name in TIMED)
        assert "seconds" not in csv_text(without_times(tables[study.name])).splitlines()[0]


def test_a_key_knows_parameters_seed_runs_and_data(conditions, tmp_path, monkeypatch):
    monkeypatch.delenv("OVERBAR_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    here = replace(conditions, data=Data())
    study = study_named("ncr-by-budget")
    key = table_key(study, here)
    assert table_key(study, here) == key
    other = changed(study, budgets=("0.1",))
    folder = tmp_path / "overbar"
    folder.mkdir()
    (folder / "kosarak-100k.dat").write_text("1 2\n")
    others = [
        table_key(other, here),
        table_key(study, replace(here, seed=2)),
        table_key(study, replace(here, runs=3)),
        table_key(study, replace(here, data=Data())),
    ]
    assert len({key, *others}) == 5
    # Where there is no chance, neither seed nor runs matter.
    formula = study_named("variance-by-budget")
    assert table_key(formula, here) == table_key(formula, replace(here, seed=9, runs=9))


def test_ncr_and_f1_share_their_runs(conditions):
    first, second = study_named("ncr-by-budget"), study_named("f1-by-budget")
    assert table_key(first, conditions) == table_key(second, conditions)


def test_every_method_has_a_look_of_its_own():
    strangers = [f"new {place}" for place in range(6)]
    looks = looks_of([*LOOKS, *strangers])
    assert len({(look.color, look.marker, str(look.line)) for look in looks.values()}) == len(looks)
    assert NOISE_LOOKS["gaussian"] == looks["SVT-Gau"]
    for study in STUDIES:
        for method in study.parameters.get("methods", ()):
            assert study.draw is None or method.removesuffix(", paper's RDP") in LOOKS


def test_a_new_method_stands_beside_the_others(conditions):
    mine = ComparedMethod(
        "mine", lambda setting: OneShot(Gumbel(setting.pure_scale), setting.cutoff), "pure ε"
    )
    table = Sweep(("zipf",), ("SVT-Lap", mine), ("0.5", "1"))(conditions)
    assert [row["method"] for row in table] == ["SVT-Lap", "SVT-Lap", "mine", "mine"]
    (legend,) = Panels("ncr")(table).legends
    assert [text.get_text() for text in legend.get_texts()] == ["SVT-Lap", "mine"]


def test_differences_are_taken_to_one_line(tables):
    table = tables["noise-ablation"]
    figure = Panels("ncr", "rounds", against="SVT-Exp (optimal)")(table)
    axes = figure.axes[0]
    assert axes.get_ylabel() == "NCR minus that\nof SVT-Exp"
    drawn = {line.get_label(): line.get_ydata() for line in axes.lines}
    assert "SVT-Exp (optimal)" not in drawn
    binary = [row for row in table if row["dataset"] == "Binary"]
    ours, laplace = (
        [row["ncr"] for row in binary if row["method"] == f"SVT-{noise} (optimal)"]
        for noise in ("Exp", "Lap")
    )
    assert drawn["SVT-Lap (optimal)"] == pytest.approx(
        [one - other for one, other in zip(laplace, ours, strict=True)]
    )


def test_two_datasets_in_one_panel_are_refused(conditions):
    """They would be one line that goes back and forth, under the name of the first."""
    table = Sweep(("binary", "zipf"), ("SVT-Lap",), ("0.5", "1"))(conditions)
    with pytest.raises(ParameterError, match=r"several points in one place: dataset .*differ too"):
        Panels("ncr", "rounds", split="epsilon")(table)
    Panels("ncr")(table)
    one = [row for row in table if row["dataset"] == "Zipf"]
    Panels("ncr", "rounds", split="epsilon")(one)


def test_every_accuracy_has_its_comparisons_beside_it(tables):
    for row in tables["ncr-by-budget"]:
        compared = not str(row["method"]).startswith("upper bound")
        assert (row["passes"] is not None) == compared
        assert not compared or 0 < row["passes_low"] <= row["passes"] <= row["passes_high"]


@pytest.mark.parametrize(
    ("places", "width", "shown"),
    [
        ([1, 2, 3, 4, 5, 10, 20, 50, 100, 1000], 1.8, [1, 2, 3, 5, 10, 20, 100, 1000]),
        ([0.02, 0.05, 0.1, 0.2, 0.5, 1], 2.8, [0.02, 0.05, 0.1, 0.2, 0.5, 1]),
        ([0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2], 1.8, [0.01, 0.1, 0.2, 0.5, 1, 2]),
        ([0.01, 0.02, 0.05, 0.1], 1.8, [0.01, 0.02, 0.05, 0.1]),
        ([1], 1.8, [1]),
        ([1, 2], 1.8, [1, 2]),
    ],
)
def test_labels_do_not_touch(places, width, shown):
    assert labelled(places, width) == shown


def test_at_equal_cost_nobody_has_found_more_than_the_one_that_finds_fewest(tables):
    table = tables["traverses-at-equal-cost"]
    for row in table:
        assert row["selected"] <= row["most"] <= row["cutoff"]
    by_place = {}
    for row in table:
        by_place.setdefault((row["dataset"], row["rounds"]), set()).add(row["most"])
    assert all(len(found) == 1 for found in by_place.values())
    assert max(by_place["Binary", 1]) < 50


def test_workers_change_no_number(conditions):
    sweep = Sweep(("zipf",), ("SVT-Lap", "peeling"), ("0.5", "1"))
    told = []
    alone = sweep(replace(conditions, workers=1, report=lambda *done: told.append(done)))
    assert sweep(replace(conditions, workers=2)) == alone
    assert told == [(place, 4) for place in range(5)]


def test_prefixes_are_never_called_by_the_name_of_the_whole(tables, conditions):
    used = conditions.data.resolve(("kosarak", "bms-pos"))
    for study in STUDIES:
        if study.simulated:
            titles = {row["dataset"] for row in tables[study.name]}
            if "kosarak" not in used:
                assert "Kosarak" not in titles
            if "bms-pos" not in used:
                assert "BMS-POS" not in titles


def test_figures_without_a_guarantee_say_so(tables):
    for study in STUDIES:
        if study.name.startswith("renyi"):
            assert "no guarantee" in study.title
            assert study.warning
            assert b"no privacy guarantee" in _text_of(study, tables[study.name])


def _text_of(study, table):
    """All text of a figure."""
    texts = [text.get_text() for axes in study.draw(table).axes for text in axes.texts]
    return " ".join(texts).encode()


def test_a_clock_that_has_not_moved_gives_no_zero(monkeypatch):
    monkeypatch.setattr("time.process_time", lambda: 5.0)
    assert 0 < fastest(lambda: None, 3) < 1


def test_few_runs_are_as_few_everywhere(conditions):
    for runs, share, wanted in ((10, 4, 10), (10, 0.25, 3), (300, 4, 1200)):
        assert replace(conditions, runs=runs).times(share).runs == wanted


@pytest.mark.parametrize(("threshold", "said"), [(1, True), (50, False)])
def test_a_threshold_that_far_too_many_pass_is_named(threshold, said, conditions):
    mine = Dataset.of("mine", range(100), threshold=threshold, cutoff=40)
    table = Sweep((mine,), ("SVT-Lap",), ("1", "2"))(conditions)
    (legend,) = Panels("ncr")(table).legends
    told = " ".join(legend.get_title().get_text().split())  # it breaks lines
    assert ("mine: 99 pass the threshold, 40 are sought" in told) == said
