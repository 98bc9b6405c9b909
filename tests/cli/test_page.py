"""The page: complete, self-contained, escaped, and only public numbers in it."""

import os
import re
from dataclasses import fields, replace
from fractions import Fraction
from html.parser import HTMLParser
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

from overbar import select, top
from overbar._files import write_whole
from overbar.cli import app
from overbar.frames import Question
from overbar.report.as_html import report_page
from overbar.words.answer_report import answer_report, what_was_asked
from overbar.words.promise import percent, rounded_up, statement
from overbar.words.released_answer import Answer
from tests.cli.shop import PAID, run
from tests.queue_plans import queue_plan

LABELS = ['<script>alert("1")</script>', "a & b", "tea", "Zoë", "'quoted'"]


class Outline(HTMLParser):
    """Checks that tags close in order, and collects what a reader sees."""

    EMPTY = frozenset({"meta", "line", "polyline"})

    def __init__(self):
        super().__init__()
        self.open, self.tags, self.text = [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def read(path):
    outline = Outline()
    outline.feed(path.read_text(encoding="utf-8"))
    assert outline.open == []
    return outline


def question(**asked):
    """A question with a plan of 100 candidates, whatever is asked of it."""
    usual = {"item": "product", "person": "customer", "cutoff": 8, "epsilon": 1}
    listed = [*LABELS, *(f"rare {i}" for i in range(95))]
    asked = {**usual, "catalogue": listed, **asked}
    return Question.select(**asked) if "threshold" in asked else Question.top(**asked)


def write_page(path, found, asked, *, delta=None, ledger=None, **more):
    if ledger is not None:
        receipt = SimpleNamespace(
            standing=SimpleNamespace(**ledger), dataset="", request_id=None, number=1, head="",
            repeated=False, time="2026-01-31T08:15:59+00:00",
        )  # fmt: skip
        found = replace(found, receipt=receipt)
    more = {"source": "", "candidates": 100, **more}
    answer = Answer(selection=found, question=asked, promised=statement(found.plan, delta), **more)
    write_whole(path, report_page(answer_report(answer, details=True)))


@pytest.fixture
def selection():
    counts = dict.fromkeys(LABELS, 100000) | {f"rare {i}": 0 for i in range(95)}
    return select(counts, threshold=5_000, plan=question(threshold=5_000).plan)


@pytest.fixture
def outline(selection, tmp_path):
    path = tmp_path / "page.html"
    write_page(
        path,
        selection,
        question(threshold=5_000),
        source="<baskets>.parquet",
        purpose="to <test>",
        ledger={"dataset": "shop", "left": "ε = 9", "granted": "ε = 10"},
    )
    return read(path)


def test_labels_are_shown_and_never_become_tags(outline):
    assert not [tag for tag, _ in outline.tags if tag in ("script", "b", "baskets", "img", "link")]
    text = "".join(outline.text)
    for label in LABELS:
        assert label in text
    assert "<baskets>.parquet" in text
    assert "to <test>" in text


def test_no_label_or_name_steers_what_shows_the_page(tmp_path):
    """A page may be shown on a terminal; a lone surrogate must not lose a paid answer."""
    red, path = "\x1b[31mred\x9b0m\x07\ntea", tmp_path / "page.html"
    asked = question(threshold=5, cutoff=2, item=f"a{red}.csv")
    found = select({red: 10**9, "\ud800": 10**9}, threshold=5, plan=asked.plan)
    account = {"dataset": f"shop{red}", "left": "ε = 9", "granted": "ε = 10"}
    write_page(path, found, asked, ledger=account)
    source = path.read_text(encoding="utf-8")
    assert all(letter.isprintable() for letter in source.replace("\n", ""))
    assert "<li>\\x1b[31mred\\x9b0m\\x07\\ntea</li>" in source
    assert "<li>\\ud800</li>" in source
    assert "a\\x1b[31mred" in source
    assert "for shop\\x1b[31mred" in source
    assert all(letter.isprintable() for letter in found._repr_html_())


def test_the_page_needs_nothing_from_outside(selection, tmp_path, outline):
    source = (tmp_path / "page.html").read_text()
    assert "http" not in source
    assert "url(" not in source
    assert "@import" not in source
    assert not [1 for _, attributes in outline.tags if {"src", "href"} & set(attributes)]


def test_a_plan_that_gives_nothing_back_does_not_say_so(tmp_path):
    """A Rényi cost is fixed before a run: no ledger gives it back, however little was found."""
    given = {"epsilon": 1, "delta": "1e-6", "cutoff": 8, "monotonic": True, "candidates": 100}
    plan = queue_plan(**given, noise="gumbel", threshold_noise="gaussian")
    found = select([10**9], threshold=500, plan=plan)
    write_page(tmp_path / "b.html", found, question(threshold=500), delta="1e-6")
    text = (tmp_path / "b.html").read_text()
    assert "1 found, of at most 8" in text
    assert "cost less" not in text


def test_it_says_what_a_manager_asks(outline):
    text = " ".join("".join(outline.text).split())
    for piece in (
        "5 found, of at most 8.",
        "or more persons come out at least 95 times of 100 while places are left (8 in all)",
        "changes the odds by at most a factor of 2.72",
        "pure differential privacy with ε = 1",
        "Chance to be found",
        "It found fewer than it might have, so it cost less than planned.",
        "of 10; 9 are left for shop.",
        "overbar plan --plan plan.json",
        "threshold5,000",
    ):
        assert piece in text


def test_pictures_have_words_and_sections_have_names(outline):
    pictures = [a for tag, a in outline.tags if tag == "svg" and a.get("role") == "img"]
    assert all(picture["aria-label"] for picture in pictures)
    others = [one["aria-label"] for one in pictures if one.get("class") != "gauge"]
    assert "A line of scores" in others[0]
    assert "% sure" in others[1]
    assert "from a margin of" in others[2]
    names = [a["id"] for tag, a in outline.tags if tag == "h2"]
    labelled = [a["aria-labelledby"] for tag, a in outline.tags if tag == "section"]
    assert (
        names
        == labelled
        == [
            *("answer", "good", "promise", "cost", "question"),
            *("record", "technical", "accuracy", "ways", "plan", "check"),
        ]
    )
    assert ("html", {"lang": "en"}) in outline.tags
    for tag, attributes in outline.tags:
        if tag == "th":
            assert attributes["scope"] == "col"


def test_curves_stay_inside_the_picture(outline):
    curves = [a["points"] for tag, a in outline.tags if tag == "polyline"]
    assert len(curves) == 4
    for points in curves:
        for point in points.split():
            x, y = map(float, point.split(","))
            assert 0 <= x <= 460
            assert 0 <= y <= 300


def test_no_private_number_can_be_passed_in():
    """What the page is made of is public by type: selections, questions, and public words."""
    assert {one.name for one in fields(Answer)} == {
        *("selection", "question", "promised", "source", "candidates", "purpose"),
        "public_list",
    }


def test_no_planted_count_is_on_the_page(tmp_path):
    counts = {"tea": 8_675_309, "rum": 4_815_162}
    found = select(counts, threshold=500, cutoff=2, epsilon=1)
    path = tmp_path / "page.html"
    write_page(path, found, question(threshold=500, cutoff=2), candidates=2)
    digits = re.sub(r"[,.]", "", path.read_text())
    assert "8675309" not in digits
    assert "4815162" not in digits


@pytest.mark.parametrize("kind", ["select", "top"])
def test_a_page_without_a_number_of_candidates_says_so(kind, tmp_path):
    path = tmp_path / "page.html"
    if kind == "top":
        asked = question(cutoff=3)
        write_page(path, top([7, 8, 9, 10], plan=asked.plan), asked, candidates=None)
    else:
        plan = queue_plan(epsilon=1, delta="1e-6", cutoff=3, noise="gumbel", candidates=50)
        found = select([7], threshold=9, plan=plan)
        write_page(path, found, question(threshold=9), candidates=None, delta="1e-6")
    text = "".join(read(path).text)
    assert ("The number of candidates is not public" in text) == (kind == "top")
    assert ("Chance to be found" in text) == ("δ = 1e-6" in text) == (kind == "select")


def test_plan_writes_the_page_it_announces(tmp_path):
    path = tmp_path / "page.html"
    asked = ["plan", "--epsilon", "1", "--cutoff", "5", "--candidates", "300"]
    result = CliRunner().invoke(app, [*asked, "--out", str(path)])
    assert result.exit_code == 0, result.output
    assert f"report: {path}" in result.output
    assert "A plan: what is above the threshold" in "".join(read(path).text)


def test_a_page_of_a_plan_says_why_no_accuracy_is_predicted(tmp_path):
    path = tmp_path / "page.html"
    made = run("plan", "--top", "--epsilon", "1", "--cutoff", "5", "--out", path)
    assert made.exit_code == 0, made.output
    for shown in ("".join(read(path).text), made.output):
        assert "give --candidates to see the accuracy to expect" in shown


def test_files_keep_their_permissions_and_links(tmp_path):
    real, link = tmp_path / "real.txt", tmp_path / "link.txt"
    real.write_text("old")
    real.chmod(0o640)
    link.symlink_to(real)
    write_whole(link, "new")
    assert link.is_symlink()
    assert real.read_text() == "new"
    assert real.stat().st_mode & 0o777 == 0o640
    write_whole(tmp_path / "fresh.txt", b"bytes")
    mask = os.umask(0)
    os.umask(mask)
    assert (tmp_path / "fresh.txt").stat().st_mode & 0o777 == 0o666 & ~mask
    write_whole(tmp_path.joinpath("/dev/null"), "gone")


def test_numbers_are_rounded_to_the_safe_side():
    assert rounded_up(2.7182818) == "2.72"
    assert rounded_up(2.721) == "2.73"
    assert percent(0.9999) == "99.9 %"
    plan = queue_plan(epsilon=1, delta="1e-6", cutoff=5, noise="gumbel", candidates=50)
    assert statement(plan).delta == 0
    assert float(statement(plan, "1e-6").epsilon) <= 1
    bare = queue_plan(
        epsilon=1, delta="1e-6", cutoff=5, noise="gumbel", threshold_noise="none", candidates=50
    )
    assert statement(bare).delta == Fraction(1, 10**6)


def test_the_page_of_an_answer_begins_with_the_question(here):
    """A manager sees what was asked, what for, of whom and when; the rest is folded away."""
    assert run("ledger", "open", "budget.db", "sales", "--epsilon", "3").exit_code == 0
    purpose = ["--purpose", "What do we keep?"]
    made = run("select", "sales.csv", *PAID, *purpose, "--out", "answer.html")
    assert made.exit_code == 0, made.output
    outline = read(here / "answer.html")
    text = " ".join("".join(outline.text).split())
    first, folded = text.split("For researchers and reviewers")
    for piece in (
        "Which values of product have 1,500 or more persons?",
        "What do we keep?",
        "each value of customer; all rows of one person are protected together",
        "3 found, of at most 3, so there may be more.",
        "Items with 1,507 or more persons come out at least 95 times of 100",
        "This cost ε = 1 of 3; 2 are left for sales.",
    ):
        assert piece in first
    assert "exponential noise of scale" not in first
    assert "exponential noise of scale" in folded
    details = [attributes for tag, attributes in outline.tags if tag == "details"]
    assert details == [{"class": "more"}]


def test_every_kind_of_question_is_told_in_words():
    asked = {"item": "product", "cutoff": 3, "epsilon": 1, "catalogue": ["tea", "rum"]}
    counted = {**asked, "person": "customer"}
    summed = {**counted, "value": {"amount": (0, 9)}}
    scored = {**asked, "score": "rating", "sensitivity": 1}
    braced = {**asked, "score": "rate {0}", "sensitivity": 1}
    questions = {
        "Which values of product have a rate {0} of 7 or more?": Question.select(
            **braced, threshold=7
        ),
        "Which values of product have 9,000 or more persons?": Question.select(
            **counted, threshold=9_000
        ),
        "Which 3 values of product have the most counted persons?": Question.top(
            **counted, items_per_person=2
        ),
        "Which values of product have a sum of amount of 0.5 or more?": Question.select(
            **summed, threshold="0.5"
        ),
        "Which 3 values of product have the highest sum of amount?": Question.top(**summed),
        "Which values of product have a rating of 7 or more?": Question.select(
            **scored, threshold=7
        ),
        "Which 3 values of product have the highest rating?": Question.top(**scored),
    }
    for words, question in questions.items():
        assert what_was_asked(question) == words


def test_a_page_of_counts_closes_its_tags_and_needs_nothing(tmp_path):
    """Also where as many are found as there are: a report of that could not be written."""
    asked = question(cutoff=5, counts=True)
    found = top(dict.fromkeys(LABELS, 7), plan=asked.plan)
    path = tmp_path / "page.html"
    write_page(path, found, asked, candidates=5)
    seen = Outline()
    seen.feed(path.read_text())
    assert seen.open == []
    assert "Counts are noisy." in " ".join(seen.text)
    bars = [a for tag, a in seen.tags if a.get("aria-label") == "bar with its interval"]
    assert len(bars) == 5
    assert not any("href" in marks or "src" in marks for _, marks in seen.tags)
    assert ("td", {"class": "bar"}) in seen.tags
    assert "Their noise is not that of the order" in " ".join(seen.text)


def test_the_page_of_keys_has_the_same_order_of_things(here):
    asked = ["--item", "product", "--person", "customer", "--epsilon", "8", "--delta", "1e-4"]
    said = ["--purpose", "What is there?", "--out", "keys.html"]
    made = run("keys", "sales.csv", *asked, *said)
    assert made.exit_code == 0, made.output
    outline = read(here / "keys.html")
    text = " ".join("".join(outline.text).split())
    assert "Which values of product do many persons have?" in text
    assert "What is there?" in text
    assert "At least 95 times of 100" in text
    names = [a["id"] for tag, a in outline.tags if tag == "h2"]
    assert names == ["answer", "good", "promise", "cost", "question", "technical", "plan"]
    lost = run("keys", "sales.csv", *asked, "--purpose", "What is there?")
    assert "--purpose goes with --ledger FILE or --out FILE" in lost.stderr


def test_a_plan_that_finds_even_what_is_below_has_a_curve(tmp_path):
    """Asked a hundred times without a correction: 95 % are found from below the threshold on."""
    path = tmp_path / "page.html"
    asked = ["plan", "--epsilon", "1", "--cutoff", "5", "--candidates", "300", "--rounds", "100"]
    made = run(*asked, "--mechanism", "sparse-vector", "--correction", "none", "--out", path)
    assert made.exit_code == 0, made.output
    assert "Chance to be found" in "".join(read(path).text)
    assert "margin above below" in " ".join(made.output.split())
