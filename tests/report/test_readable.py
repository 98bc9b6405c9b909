"""What is shown is for people: no line ends inside of a number, and a sum is not a count."""

import polars

import overbar
from overbar import frames
from overbar.report import Report, Section
from overbar.report.as_text import brief, lines
from overbar.words.answer_report import answer_report
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
