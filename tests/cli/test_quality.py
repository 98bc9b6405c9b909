"""How good the answer is, in words of the user: the same sentence wherever it is shown."""

import json

import pytest

import overbar
from overbar import Plan
from overbar.frames import Question
from overbar.words import plan_report
from overbar.words.plan_words import quality_of
from overbar.words.promise import promise, spent_words, statement
from tests.cli.shop import ASK, LISTED, SELECT, run
from tests.queue_plans import queue_plan

SENTENCE = (
    "Items with 1,507 or more persons come out at least 95 times of 100 while places are left "
    "(3 in all); those with 1,492 or fewer, at most 5 times of 100."
)
TOP = [*ASK, "--catalogue", "products.txt"]


def flat(text):
    return " ".join(text.split())


@pytest.mark.parametrize("more", [["--format", "table"], ["--format", "json"], ["--dry-run"]])
def test_answer_file_and_dry_run_say_how_good_it_is(here, more):
    result = run("select", "sales.csv", *LISTED, *more)
    assert result.exit_code == 0, result.output
    assert SENTENCE in flat(result.stdout)


def test_it_is_computed_where_it_is_shown(here, monkeypatch):
    """For a tiny ε it takes seconds, and CSV has no room for it."""
    asked = []
    monkeypatch.setattr(plan_report, "quality_of", lambda *a: asked.append(a) or quality_of(*a))
    assert run("select", "sales.csv", *LISTED, "--format", "csv").exit_code == 0
    assert not asked
    assert run("select", "sales.csv", *LISTED, "--format", "table").exit_code == 0
    assert len(asked) == 1


@pytest.mark.parametrize("form", ["table", "json"])
def test_an_answer_that_is_paid_for_comes_out_without_it(here, monkeypatch, form):
    def failing(*_):
        raise OverflowError("a float is too small for this")

    monkeypatch.setattr(plan_report, "quality_of", failing)
    result = run("select", "sales.csv", *LISTED, "--format", form)
    assert result.exit_code == 0
    assert "tea" in result.stdout


def test_the_top_is_told_by_distances(here):
    result = run("top", "sales.csv", *TOP, "--format", "table")
    assert "or more persons apart, the right 3 come out at least 95" in flat(result.stdout)
    assert "Items 9 or more persons behind place 3 come out at most 5" in flat(result.stdout)
    assert "A top comes out even of an empty table. Was the file read" in result.stderr
    assert "there may be more" not in result.stdout


def test_who_counts_is_said_where_not_everyone_does(here):
    limited = run("select", "sales.csv", *LISTED, "--items-per-person", "4", "--dry-run")
    assert "or more counted persons come out" in flat(limited.stdout)
    value = ["--value", "amount", "--value-range", "0,5"]
    summed = run("select", "sales.csv", *LISTED, *value, "--dry-run")
    assert "or more in amount come out" in flat(summed.stdout)


def test_a_dry_run_asks_how_many_items_a_person_has(here):
    hint = "Say how many items one person has at most (--items-per-person N)"
    for verb, asked in (("select", LISTED), ("top", TOP)):
        assert hint in flat(run(verb, "sales.csv", *asked, "--dry-run").stdout)
        said = [*asked, "--items-per-person", "2", "--dry-run"]
        assert hint not in flat(run(verb, "sales.csv", *said).stdout)
    assert hint not in flat(run("select", "sales.csv", *LISTED, "--format", "table").stdout)
    asked = ["--item", "product", "--score", "amount", "--sensitivity", "1"]
    asked += ["--threshold", "5", *TOP[-2:], "--cutoff", "2", "--epsilon", "1", "--dry-run"]
    result = run("select", "sales.csv", *asked)
    assert result.exit_code == 0, result.output
    assert hint not in flat(result.stdout)


def test_few_items_per_person_are_more_accurate():
    """What the hint says is so, and many items do no harm."""
    asked = {"epsilon": 1, "cutoff": 50, "monotonic": True, "candidates": 10_000}
    without = overbar.plan(**asked).query_noise.variance
    few, many = (overbar.plan(**asked, items_per_person=one).query_noise for one in (3, 10**6))
    assert few.variance < without / 4
    assert many.variance <= without


def test_reaching_the_cutoff_says_that_there_may_be_more(here):
    """Three of eight are far above; with room for five, nothing else is said."""
    for cutoff, more in (("2", True), ("5", False)):
        asked = ["--cutoff", cutoff, "--epsilon", "20"]
        result = run("select", "sales.csv", *LISTED, *asked, "--format", "table")
        assert ("found, so there may be more;" in result.stdout) == more
    (here / "two.txt").write_text("tea\nrum é\n")
    asked = ["--catalogue", "two.txt", "--cutoff", "2", "--epsilon", "20"]
    assert "2 of at most 2 found; " in run("select", "sales.csv", *SELECT, *asked).stderr


def test_plan_supposes_what_select_finds_in_a_table(here):
    numbers = ["--cutoff", "3", "--epsilon", "1"]
    made = run("plan", *numbers, "--candidates", "8", "--threshold", "1500", "--format", "json")
    planned = json.loads(made.stdout)
    asked = json.loads(run("select", "sales.csv", *LISTED, "--format", "json").stdout)
    assert Plan.from_json(json.dumps(planned["plan"])) == Plan.from_json(json.dumps(asked["plan"]))
    assert planned["how_good"]["sentence"].startswith("Items with 1,507 or more in score come out")
    numbers += ["--candidates", "8", "--format", "json"]
    for typed, low, high in (("1", "-1", "1"), ("0,2", "0", "2"), ("-1/2, 3", "-0.5", "3")):
        general = json.loads(run("plan", *numbers, "--sensitivity", typed).stdout)
        assert general["plan"]["reach"] == {"low": low, "high": high}
    for typed in ("1,2", "0,0", "1,", "x", "0,1,2"):
        refused = run("plan", *numbers, "--sensitivity", typed)
        assert refused.exit_code == 2
        assert refused.stderr.startswith("overbar: --sensitivity must be ")


def test_what_it_protects_is_told_honestly():
    """The larger ε, the less can be hidden: no soft word at a factor of a hundred or a million."""
    told = {}
    for epsilon in (1, 2, 4, 20):
        plan = overbar.plan(epsilon=epsilon, cutoff=5, candidates=100, monotonic=True)
        told[epsilon] = promise(statement(plan))[0]
    assert "can hardly tell" in told[1]
    assert "may learn something" in told[2]
    assert "may learn much" in told[4]
    assert "may be all but sure" in told[20]


def test_what_was_spent_is_one_number_beside_the_promise():
    plan = overbar.plan(epsilon=1, cutoff=4, candidates=100, monotonic=True)
    said = statement(plan)
    assert spent_words(said, said.epsilon) == "1"
    unlisted = statement(plan, None, 1e-7)
    assert spent_words(unlisted, unlisted.epsilon) == "all of it"
    assert spent_words(unlisted, unlisted.epsilon / 2) == "ε = 0.5 and all of δ"


def test_where_nothing_can_be_said_the_file_has_nothing():
    plan = queue_plan(epsilon=1, cutoff=4, candidates=100, rounds=None)
    assert quality_of(plan, 500, 100).fields() is None


def test_units_come_from_the_columns():
    asked = {"item": "product", "person": "customer", "cutoff": 3, "epsilon": 1}
    listed = {"catalogue": ["tea", "rum"], "threshold": 9}
    assert Question.select(**asked, **listed).measure.unit == "persons"
    some = Question.select(**asked, **listed, items_per_person=2)
    assert some.measure.unit == "counted persons"
    turnover = {"value": {"amount": (0, 5)}}
    assert Question.select(**asked, **listed, **turnover).measure.unit == "in amount"


def test_a_notebook_says_how_good_it_is():
    found = overbar.select({"tea": 10**6, "rum": 0}, threshold=500, cutoff=2, epsilon=1)
    assert "above the threshold come out at least 95 times of 100" in found._repr_html_()
    highest = overbar.top({"tea": 10**6, "rum": 0}, cutoff=1, epsilon=1)
    assert "behind place 1 come out at most 5 times of 100" in highest._repr_html_()
    assert "95 " not in repr(found)
