"""Changes are what they say, one at a time, and leave alone what only people read."""

import ast
import textwrap

import pytest
from mutation.operators import changed, mutants
from mutation.report import justified, still_there
from mutation.rooms import ROOMS
from mutation.survey import Survey


def afters(source):
    return {one.after for one in mutants(textwrap.dedent(source), "module")}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("x = a < b", {"x = a <= b", "x = a >= b"}),
        ("x = a + b", {"x = a - b"}),
        ("x = a and b", {"x = a or b"}),
        ("x = -a", {"x = a"}),
        ("x = 3", {"x = 4", "x = 2"}),
        ("x = 2.5", {"x = 3.5", "x = -2.5"}),
        ("x = 1e-15", {"x = -1e-15"}),
        ("x = math.floor(y)", {"x = math.ceil(y)"}),
        ("x = y if z else w", {"x = w if z else y"}),
        ("f(x)", {"pass"}),
        ("x[i] = y", {"pass"}),
        ("x += y", {"pass"}),
    ],
)
def test_every_slip(source, expected):
    assert afters(source) == expected


def test_returns_raises_conditions_and_blocks():
    source = """
    @sealed
    def f(x):
        if x:
            raise ValueError("x must be below 3, got 4" + str(1 + 1))
        with lock:
            return x
    """
    expected = {"def f(x):", "if not x:", "pass", "if True:", "return None"}
    assert afters(source) == expected


@pytest.mark.parametrize(
    "source",
    [
        '"""A docstring of 3 words."""',
        "import a",
        "assert x > 3",
        '__all__ = ["a", "b"]',
        "Kind = int | None",
        "def __repr__(self):\n    return 1 + 1",
        "def f(x: 'A | B') -> 'C | D':\n    pass",
        "@lru_cache(maxsize=8)\ndef f(x):\n    pass",
        "raise ValueError(f'{1 + 1}')  # but for being dropped",
    ],
)
def test_what_people_read_is_left_alone(source):
    assert afters(source) <= {"pass"}


def test_a_change_is_made_in_one_place_only():
    source = "def f(a, b):\n    return a + b + 1\n"
    for one in mutants(source, "module"):
        assert ast.unparse(changed(source, one.number)) != ast.unparse(ast.parse(source))
        assert one.after in ast.unparse(changed(source, one.number))
        assert (one.function, one.line) == ("f", 2)


def test_a_change_is_known_again_when_lines_move():
    old, new = mutants("x = 3\n", "module"), mutants("import a\n\nx = 3\n", "module")
    assert [one.line for one in new] == [3, 3]
    outcomes = dict(zip(old, ("survived", "some test"), strict=True))
    assert list(still_there(outcomes, new).values()) == ["survived", "some test"]


def test_tests_come_fastest_first_and_not_for_too_long():
    survey = Survey(
        {"slow": 20.0, "fast": 0.1, "other": 0.2},
        {"a.py": {1: ["slow", "fast"], 2: ["slow"], 9: [""]}, "c.py": {1: [""], 2: ["other"]}},
    )
    assert survey.tests_for("a.py", 1, 1, 20) == ["fast"]
    assert survey.tests_for("a.py", 2, 2, 20) == ["slow"]
    assert survey.tests_for("a.py", 5, 5, 20) == ["fast"]  # anyone who executes the file
    assert survey.tests_for("b.py", 5, 5, 20) == []
    assert survey.tests_for("a.py", 9, 9, 21) == ["fast", "slow", "other"]
    assert survey.tests_for("c.py", 1, 1, 20) == ["other", "fast"]


@pytest.mark.parametrize("room", ROOMS)
def test_every_justified_survivor_has_a_reason(room):
    reasons = justified(room)
    assert reasons
    assert all(why.endswith(".") for why in reasons.values())
    assert all(before != after for _, _, before, after in reasons)
