"""What is shown is for people: no line ends inside of a number, and no bar compares two units."""

from fractions import Fraction

import polars

import overbar
from overbar import frames
from overbar.calibration.bounds_kind import bounds_plan, outside_words
from overbar.report import Gauge, Report, Section
from overbar.report.as_text import brief, lines
from overbar.words.answer_report import answer_report, found_sections
from overbar.words.promise import promise_sections, statement
from overbar.words.released_answer import Answer

ROWS = polars.DataFrame(
    {"who": range(4000), "age": [18, 40, 66, 40] * 1000, "town": ["Bonn", "Rome"] * 2000}
)


def test_no_line_ends_between_a_letter_and_its_number():
    words = "a run of this kind costs ε = 0.92 and δ = 1e-6 at most, or 95 % of ρ = 0.5"
    for width in range(14, 70):
        shown = [text for text, _ in lines(Report(words, ()), width)]
        assert " ".join(shown) == words
        for part in ("ε = 0.92", "δ = 1e-6", "95 %", "ρ = 0.5"):
            assert any(part in line for line in shown)


def test_an_epsilon_that_protects_little_is_warned_of_beside_the_promise():
    told = {}
    for epsilon in (1, 4, 20, 50, 2000):
        plan = overbar.plan(epsilon=epsilon, cutoff=5, candidates=100, monotonic=True)
        told[epsilon], _ = promise_sections(statement(plan))
    assert told[1].warnings == ()
    assert told[4].warnings == ("This protects little: ask for a smaller ε.",)
    for epsilon in (20, 50, 2000):
        assert told[epsilon].warnings == ("This protects very little: ask for a smaller ε.",)
    assert "a factor of 486,000,000." in told[20].lead
    for epsilon in (50, 2000):
        assert "a factor of more than 1,000,000,000." in told[epsilon].lead
    shown = list(brief(Report("", (Section(name="answer"), told[50]))))
    assert (told[50].warnings[0], "bold") in shown


def test_no_bar_compares_persons_with_values():
    """Of 4,000 persons half are no older than 40: these are not the same unit."""
    found = frames.quantile(ROWS, value="age", person="who", epsilon=9)
    table = found_sections(found, "at")[0].table
    assert table.head == ("at", "value", "95 % interval")
    counted = frames.top(
        ROWS,
        item="town",
        person="who",
        catalogue=["Bonn", "Rome"],
        cutoff=2,
        epsilon=9,
        counts=True,
    )
    assert isinstance(found_sections(counted, "town")[0].table.rows[0][-1], Gauge)


def test_common_values_that_nobody_looked_for_are_not_called_rare():
    for delta, said in ((0, "not looked for, as that takes a δ"), ("1e-6", "Bonn 50 %, Rome 50 %")):
        shape = frames.describe(ROWS, person="who", epsilon=200, delta=delta)
        assert said in str(found_sections(shape, "")[-1].table.rows)


def test_who_lies_outside_is_a_number_plus_a_share():
    """A share is of all persons; a number alone is a number alone."""
    tenth, share = Fraction(1, 10), Fraction(24, 25)
    assert outside_words(bounds_plan(tenth, rungs=200, sides=2)) == "319 persons"
    said = outside_words(bounds_plan(tenth, rungs=200, inside=share))
    assert said.endswith(" persons plus 4 % of all")
    said = outside_words(bounds_plan(tenth, rungs=9, inside=share, surely=True))
    assert said.startswith("4 % of all persons, and at most ")


def test_a_sum_is_not_called_a_count():
    ask = {"item": "town", "person": "who", "cutoff": 2, "epsilon": 9, "counts": True}
    for value, kind in ((None, "count"), ({"age": (0, 100)}, "sum")):
        question = frames.Question.top(**ask, value=value, catalogue=["Bonn", "Rome"])
        found = question.run(ROWS)
        answer = Answer(
            selection=found, question=question, promised=statement(question.plan), source="x"
        )
        section = answer_report(answer).section("answer")
        assert section.table.head == ("", "town", kind, "95 % interval", "")
        assert f"{kind.capitalize()}s are noisy. " in " ".join(section.notes)
