"""A report is said once: the same sentences as text, as HTML and as JSON, and tags in one file."""

import ast
import re
from fractions import Fraction
from html.parser import HTMLParser
from pathlib import Path

import polars
import pytest

import overbar
from overbar import frames
from overbar.frames.owner_check import WARNING
from overbar.report import Gauge, Report, Section, html_of, text_of
from overbar.report.as_html import notebook_html, report_page, sections
from overbar.report.as_text import brief, columns, lines, plain_text
from overbar.report.report import json_text, report_of
from overbar.words.account_report import account_report
from overbar.words.answer_report import answer_report
from overbar.words.check_report import check_report
from overbar.words.forecast import forecast, others_like
from overbar.words.plan_report import Planned, how_good, plan_report, promised_by, question_report
from overbar.words.promise import statement
from overbar.words.released_answer import Answer, PublicList

PACKAGE = Path(overbar.__file__).parent
#: A tag of HTML in a text.
TAG = re.compile(r"</?(?:[a-z]+[1-6]?)(?:[ >]|$)")
ROWS = polars.DataFrame({"product": ["tea", "rum <b>"] * 2000, "customer": list(range(4000))})
ASK = {"item": "product", "person": "customer", "cutoff": 2, "epsilon": 9}


def answered(question, **more):
    found = question.run(ROWS)
    promised = statement(question.plan)
    return answer_report(
        Answer(selection=found, question=question, promised=promised, source="sales.csv", **more),
        details=True,
    )


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    """A report about each subject."""
    listed = frames.Question.top(**ASK, catalogue=["tea", "rum <b>", "ale"], counts=True)
    search = frames.Question.keys(
        item="product", person="customer", epsilon=9, delta="1e-6", counts=True
    )
    keys = Answer(
        selection=search.run(ROWS),
        question=search,
        promised=promised_by(search),
        source="sales.csv",
    )
    plan = overbar.plan(epsilon=1, cutoff=5, candidates=99, monotonic=True)
    promised = statement(plan)
    expected = forecast(
        plan, candidates=99, others=others_like(plan, promised, 99), margins=[7], curves=True
    )
    made = Planned(plan, promised, Fraction(500), (("margin", Fraction(7), "Seven."),), expected)
    ledger = overbar.Ledger(tmp_path_factory.mktemp("budget") / "budget.db")
    ledger.open("sales", epsilon=30, note="<i>")
    listed.run(ROWS, booking=ledger.booking("sales", purpose="shelves"))
    look = frames.check(ROWS, item="product", person="customer", show_true_counts=True)
    return {
        "plan": plan_report(made, persons=9, unit="persons", plan_file="plan.json"),
        "question": question_report(listed, promised, how_good(listed, 3), ["Enough is left."]),
        "answer": answered(listed, candidates=3),
        "keys": answer_report(keys, details=True),
        "check": check_report(look),
        "budget": account_report([ledger.show("sales")], runs=True),
    }


SUBJECTS = ("plan", "question", "answer", "keys", "check", "budget")


class Reader(HTMLParser):
    """What a reader sees of a page; tags must close in order."""

    EMPTY = frozenset({"meta", "line", "polyline", "path", "rect"})

    def __init__(self, html):
        super().__init__()
        self.open, self.text = [], []
        self.feed(html)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        """Nothing is to be closed."""

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def flat(text):
    return " ".join(text.split())


def words_of(report):
    """Every text of a report, one by one."""
    for part in report.sections:
        yield from (part.title, part.lead, *part.warnings, *part.sentences, *part.notes)
        yield from (text for pair in part.pairs if pair[1] for text in pair)
        if part.table is not None:
            yield part.table.caption
            yield from (cell for row in part.table.rows for cell in row)
            first = part.table.rows[0]
            if len(first) > 1:  # letters do not show every bar, and then no head of it
                both = zip(part.table.head, first, strict=True)
                yield from (name for name, cell in both if not isinstance(cell, Gauge))


@pytest.mark.parametrize("subject", SUBJECTS)
def test_text_page_and_data_have_every_word(reports, subject):
    report = reports[subject]
    page = flat(" ".join(Reader(report_page(report)).text))
    text = "\n".join(line for line, _ in lines(report, 200, 400))
    words = [word for word in words_of(report) if word]
    assert len(words) > 5
    for word in words:
        if isinstance(word, Gauge):
            assert f'aria-label="{word.label}"' in report_page(report)
            assert 0 <= word.share <= 1
            continue
        assert flat(word) in page
        assert flat(word) in flat(text)


@pytest.mark.parametrize("subject", SUBJECTS)
def test_what_is_written_as_json_comes_back(reports, subject):
    report = reports[subject]
    again = report_of(json_text(report))
    assert again.sections == report.sections
    assert (again.title, again.summary) == (report.title, report.summary)
    assert sections(again, "x-") == sections(report, "x-")


def test_tags_are_in_the_renderer_alone():
    """The pages that are sent as they are have a file of their own."""
    tagged = set()
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            text = node.value if isinstance(node, ast.Constant) else None
            if isinstance(text, str) and TAG.search(text) and "\n    " not in text:
                tagged.add(path.relative_to(PACKAGE).as_posix())
    # A reader of XML closes what it has opened, and a pattern of filters names its groups.
    assert tagged - {"cli/tables/xml_pieces.py", "cli/tables/filters.py"} == {"report/as_html.py"}


def test_nothing_is_cut_out_of_what_we_say_ourselves():
    """The page gets sections as data: there is no pattern in its rooms, nor where reports are."""
    for room in ("cli/explore", "report", "words"):
        for path in (PACKAGE / room).glob("*.py"):
            names = [
                alias.name
                for node in ast.walk(ast.parse(path.read_text()))
                if isinstance(node, ast.Import)
                for alias in node.names
            ]
            assert "re" not in names, path


@pytest.mark.parametrize("subject", SUBJECTS)
def test_true_numbers_say_what_they_are_and_nothing_else_does(reports, subject):
    """In every form, at the beginning and at the end."""
    report = reports[subject]
    forms = [report_page(report), notebook_html(report), plain_text(report), json_text(report)]
    for form in forms:
        assert form.count(WARNING) >= 2 * (subject == "check")
        assert (WARNING in form) == (subject == "check")


def test_plans_guarantees_answers_and_ledgers_show_themselves(tmp_path):
    plan = overbar.plan(epsilon=1, cutoff=5, candidates=99, monotonic=True)
    found = overbar.select({"<b>": 10**6}, threshold=500, plan=plan)
    ledger = overbar.Ledger(tmp_path / "budget.db")
    ledger.open("sales", epsilon=3)
    search = frames.Question.keys(item="a", person="b", epsilon=1, delta="1e-6").plan
    for subject, words in (
        (plan, "exponential noise of scale 5"),
        (overbar.guarantee(plan), "at most a factor of 2.72"),
        (found, "1 found, of at most 5."),
        (ledger, "next run may cost"),
        (search, "Keys held by about"),
    ):
        html = subject._repr_html_()
        assert html == html_of(subject)
        assert words in "".join(Reader(html).text)
        assert "<b>" not in html
        assert words in flat(text_of(subject))
    with pytest.raises(TypeError, match="no report about int"):
        html_of(7)


def test_a_plan_without_a_proof_says_so():
    plan = overbar.plan(epsilon=1, cutoff=5, candidates=99, monotonic=True)
    bell = overbar.Plan.from_json(plan.to_json().replace("exponential", "gaussian"))
    assert "has a proof for exponential and gumbel noise alone" in bell._repr_html_()


def test_wide_letters_and_long_labels_stay_in_their_columns():
    listed = overbar.top({"日本": 10**6, "a" * 90: 10**5}, cutoff=2, epsilon=9, counts=True)
    answer = overbar.report.report_about(listed)
    shown = [line for line, _ in brief(answer, 60, 60)]
    table = shown[: next(n for n, line in enumerate(shown) if line.startswith("Selection"))]
    assert all(columns(line) <= 60 for line in table)
    assert "".join(line.split()[0] for line in table[3:]).count("a") == 90 - table[2].count("a")


def test_no_name_steers_a_terminal():
    red = "\x1b[31m\x9b0m\x07\n"
    report = Report(red, (Section(name="a", title=red, pairs=((red, red),), code=(red,)),), red)
    for form in (plain_text(report), report_page(report), notebook_html(report)):
        assert all(letter.isprintable() or letter == "\n" for letter in form)


def test_an_answer_says_where_the_ledger_has_it(tmp_path):
    ledger = overbar.Ledger(tmp_path / "budget.db")
    ledger.open("sales' <b>", epsilon=30)
    question = frames.Question.top(**ASK, catalogue=["tea", "rum <b>", "ale"])
    booking = ledger.booking("sales' <b>", request_id="monday")
    first, again = (question.run(ROWS, booking=booking) for _ in range(2))
    names = PublicList("drinks.txt", 3, "0f" * 32)
    for found in (first, again):
        answer = Answer(
            selection=found,
            question=question,
            promised=statement(question.plan),
            source="sales.csv",
            public_list=names,
        )
        report = answer_report(answer, details=True)
        (entry,) = ledger.show("sales' <b>").entries
        assert report.fields["released"] == report.fields["ledger"]["time"] >= entry.time
        assert report.fields["ledger"]["run"] == entry.number == 2
        assert report.fields["ledger"]["request"] == entry.request_id
        assert report.fields["public_list"]["sha256"] == names.sha256
        shown = "\n".join(line for line, _ in brief(report))
        head = found.receipt.head
        assert ledger.verify(head) == head
        for text in (plain_text(report), shown):
            for word in (f"head     {head}", "row 2, paid for by sales' <b>", "request  monday"):
                assert word in text
            assert found.receipt.time[:16].replace("T", " ") + " UTC" in text
        page = report_page(report)
        assert "drinks.txt, 3 items; SHA-256 0f0f" in page
        assert f"overbar {overbar.__version__}" in page
        code = "overbar ledger show LEDGER 'sales'\"'\"' <b>'"
        assert code in report.section("record").code
    assert first.receipt.time == again.receipt.time
    assert "record" not in [one.name for one in answered(question, candidates=3).sections]
