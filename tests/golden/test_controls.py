"""What the golden tests must notice: a part in a thousand, either way, of every kind of number."""

import ast
from pathlib import Path

import pytest

from tests.golden import compare
from tests.golden import seam as house
from tests.golden.compare import (
    BROKEN,
    BY_HAND,
    NOISE,
    as_golden,
    at_same_noise,
    differing,
    failing,
    far_off,
    read_better,
    verdicts,
)
from tests.golden.entries import OTHERS, first_of_each, read, rounded, write
from tests.golden.table import main

PLANS = read("plans")
THOUSANDTH = 0.001
EITHER_WAY = ((1 + THOUSANDTH, "worse"), (1 - THOUSANDTH, "better"))
#: δ is compared by its logarithm, and of these others neither more nor less is worse.
NOT_BY_A_FACTOR = ("delta at", "correction", "grid", "refused")


def numbers_in(value):
    """Return the numbers in what an entry has under a name: one, or those of a list."""
    values = value if isinstance(value, list) else [value]
    return [one for one in values if isinstance(one, int | float)]


def moved(value, factor):
    """Return the same with its largest number times a factor; None if that is next to nothing."""
    largest = max(numbers_in(value), default=0)
    if largest < 2 * compare.LEAST_SHARE:
        return None
    if isinstance(value, list):
        return [one * factor if one == largest else one for one in value]
    return value * factor


def numbers_of_all():
    return sorted({name for entry in PLANS for name in entry["is"]})


@pytest.mark.parametrize("name", [n for n in numbers_of_all() if not n.startswith(NOT_BY_A_FACTOR)])
def test_a_thousandth_more_is_worse_and_less_is_better(name):
    tried = 0
    for entry in PLANS:
        for factor, verdict in EITHER_WAY:
            now = moved(entry["is"].get(name), factor)
            if now is not None:
                assert verdicts(entry["is"], entry["is"] | {name: now}) == {name: verdict}
                assert failing(entry, entry["is"] | {name: now}, []) == {name: verdict}
                tried += 1
    assert tried > 10


@pytest.mark.parametrize(
    "name", ["query_noise", "epsilon at 1e-6", "charged wide", "kept wide at half"]
)
def test_a_thousandth_in_what_the_house_says_fails(name):
    for entry in first_of_each([one for one in PLANS if one["is"].get(name)])[0][:6]:
        numbers = house.numbers(entry["ask"])
        own = entry | {"is": rounded(numbers)}  # whatever a line of better.toml is about
        assert failing(own, numbers, []) == {}
        for factor, verdict in EITHER_WAY:
            wrong = numbers | {name: moved(numbers[name], factor)}
            assert failing(own, wrong, []) == {name: verdict}


@pytest.mark.parametrize("name", [n for n in numbers_of_all() if n.startswith("delta at")])
def test_a_little_of_epsilon_is_seen_in_delta(name):
    tried = 0
    for entry in PLANS:
        delta = entry["is"].get(name, 0)
        if not 0 < delta < 1:
            continue
        for power, verdict in ((1 - THOUSANDTH, "worse"), (1 + THOUSANDTH, "better")):
            now = entry["is"] | {name: delta**power}
            assert verdicts(entry["is"], now) == {name: verdict}
            tried += 1
    assert tried > 10


WAS = {"query_noise": ["gumbel", 2.0], "grid": 0.5, "correction": 3.0, "epsilon at 1e-6": 1.0}
OTHER = {
    "a number is gone": ({"grid": None}, {"grid": "other"}),
    "a number is new": ({"persons": [1, 2]}, {"persons": "other"}),
    "no ε any more": ({"epsilon at 1e-6": None}, {"epsilon at 1e-6": "worse"}),
    "another noise, and wider": ({"query_noise": ["laplace", 2.0]}, {"query_noise": "worse"}),
    "another noise, no wider": ({"query_noise": ["laplace", 1.0]}, {"query_noise": "other"}),
    "another grid": ({"grid": 0.25}, {"grid": "other"}),
    "a correction by two steps": ({"correction": 4.0}, {"correction": "other"}),
    "a correction by a step": ({"correction": 3.5}, {}),
}


@pytest.mark.parametrize("what", OTHER)
def test_what_is_other(what):
    change, verdict = OTHER[what]
    now = {name: value for name, value in (WAS | change).items() if name != "grid" or value}
    assert verdicts(WAS, now) == verdict


def test_a_refusal_is_worse_and_an_answer_is_better():
    refused = {"refused": "NoGuaranteeError"}
    assert verdicts(WAS, refused) == {"refused": "worse"}
    assert verdicts(refused, WAS) == {"refused": "better"}
    assert verdicts(refused, refused) == {}
    assert verdicts(refused, {"refused": "ParameterError"}) == {"refused": "other"}
    charge = {"charged once": [1.0, 1.0]}
    closed = {"charged once": "BudgetError"}
    assert verdicts(charge, closed) == {"charged once": "worse"}
    assert verdicts(closed, charge) == {"charged once": "better"}
    assert verdicts(charge, {"charged once": [1.0]}) == {"charged once": "other"}


def with_noise(golden, query, bar, correction=1.0):
    """Return numbers with so much of two noises, and of the correction."""
    found = golden | {"correction": correction * golden["correction"]}
    for name, factor in zip(NOISES, (query, bar), strict=True):
        found[name] = [golden[name][0], factor * golden[name][1]]
    return found


def failing_of(own, made, golden=None):
    """Return what fails where the house says one thing of its plan, and another by hand."""
    entry = RANKED | {"is": golden or GOLDEN}
    return failing(entry, at_same_noise(entry, lambda _, noise=None: made if noise else own), [])


NOISES = ("query_noise", "threshold_noise")
RANKED = next(one for one in PLANS if one["name"] == "select-000")
GOLDEN = RANKED["is"]
#: Costs where the budget is used up with less noise: on either side of the golden ones.
MOVED = {"delta at 1/2 epsilon": 1e-4, "delta at 2 epsilon": 1e-40, "divergence at 8": 0.005}


def test_with_other_noise_costs_are_compared_at_the_golden_noise():
    for factor, noise in ((0.95, "better"), (1.001, "worse")):
        own, found = with_noise(GOLDEN, factor, factor) | MOVED, dict.fromkeys(NOISES, noise)
        assert failing_of(own, GOLDEN) == found
        for more, said in EITHER_WAY:
            made = GOLDEN | {"epsilon at 1e-6": more * GOLDEN["epsilon at 1e-6"]}
            assert failing_of(own, made) == found | {"epsilon at 1e-6": said}
        for made in (own, {"refused": "ParameterError"}):  # by hand it is not the same plan
            assert failing_of(own, made)[BY_HAND] == "other"
    assert failing_of(GOLDEN | MOVED, GOLDEN).keys() == MOVED.keys()
    assert failing_of(with_noise(GOLDEN, 0.9999, 1) | MOVED, GOLDEN) == {}


def test_a_split_that_moved_is_compared_by_the_sum_of_variances():
    for query, bar, said in (
        (0.99, 1.05, "better"),
        (0.999, 1.2, "worse"),
        (0.99, 1.2601, "other"),
    ):
        assert failing_of(with_noise(GOLDEN, query, bar), GOLDEN) == dict.fromkeys(NOISES, said)


def test_correction_and_grid_go_with_the_noise():
    golden = GOLDEN | {"correction": 700.0}
    for part in (1, 0.95, 0.92, 1.02):
        found = failing_of(with_noise(golden, 0.95, 0.95, part), golden, golden)
        assert found.keys() - {*NOISES} == ({"correction"} if part in (0.92, 1.02) else set())
    for noise, part in ((0.95, 2), (0.95, 0.25), (1, 0.5), (0.95, 0.5)):
        own = with_noise(golden, noise, noise) | {"grid": part * golden["grid"]}
        allowed = (noise, part) == (0.95, 0.5)
        assert failing_of(own, golden, golden).get("grid") == (None if allowed else "other")


#: One of every kind of plan: ranked, histogram, bare set, in turn; with counts, values, groups.
EACH = (
    *(
        "select-053",
        "select-031",
        "select-024",
        "select-048",
        "select-077",
        "select-096",
        "top-030",
    ),
    *("top-066", "top-000", "online-072", "online-049", "keys-028", "keys-003", "monitor-005"),
    *("monitor-008", "unlisted-select-011", "unlisted-top-009"),
)


@pytest.mark.parametrize("name", EACH)
def test_less_noise_than_the_budget_allows_is_found(name, monkeypatch):
    entry = next(one for one in PLANS if one["name"] == name)
    golden = as_golden(house.numbers(entry["ask"]))  # whatever a line of better.toml is about
    other = house.planned(**entry["ask"] | {"epsilon": 1.25 * float(entry["ask"]["epsilon"])})
    monkeypatch.setattr(house, "_planned", lambda _: other)
    now = at_same_noise({"ask": entry["ask"], "is": golden}, house.numbers)
    found, lines = verdicts(golden, now), [LINE | {"entries": "*", "numbers": "*"}]
    assert failing(entry | {"is": golden}, now, lines) == {BROKEN: "worse"}
    assert found.pop(BROKEN) == "worse"
    assert {*found.values()} == {"better"}
    assert found.keys() <= {*NOISE}  # what it costs at the golden noise is the same


def test_the_table_says_what_differs(monkeypatch, capsys):
    monkeypatch.setattr(house, "numbers", lambda *_: GOLDEN)
    assert not main(["select-000"])
    assert "nothing differs" in capsys.readouterr().out
    monkeypatch.setattr(house, "numbers", lambda *_: with_noise(GOLDEN, 1.25, 1))
    assert main(["select-000"])
    assert "query_noise             worse" in capsys.readouterr().out


LINE = {
    "entries": "keys*", "numbers": "bars", "attacked_by": "Ada",
    "reason": "Chances are summed more tightly.", "how": "She enumerated 500 small tables.",
}  # fmt: skip


def test_better_passes_with_a_line_about_it_alone():
    entry = {"name": "keys-001", "tags": ["delta"], "is": {"bars": [9.0], "sigmas": [4.0]}}
    assert failing(entry, {"bars": [8.0], "sigmas": [4.0]}, [LINE]) == {}
    assert failing(entry, {"bars": [8.0], "sigmas": [3.0]}, [LINE]) == {"sigmas": "better"}
    assert failing(entry, {"bars": [9.1], "sigmas": [4.0]}, [LINE]) == {"bars": "worse"}
    assert failing(entry | {"name": "top-001"}, {"bars": [8.0], "sigmas": [4.0]}, [LINE])
    assert failing(entry | {"tags": ["keys"]}, {"bars": [8.0], "sigmas": [4.0]}, [LINE]) == {}


def read_line(folder, line):
    path = folder / "better.toml"
    path.write_text("[[better]]\n" + "".join(f'{name} = "{said}"\n' for name, said in line.items()))
    return read_better(path)


def test_a_line_says_who_attacked_it_and_how(tmp_path):
    assert read_line(tmp_path, LINE) == [LINE]
    for name in LINE:
        with pytest.raises(ValueError, match=r"a line of better\.toml"):
            read_line(tmp_path, {one: said for one, said in LINE.items() if one != name})
        with pytest.raises(ValueError, match=r"a line of better\.toml"):
            read_line(tmp_path, LINE | {name: " "})
    with pytest.raises(ValueError, match="entries"):
        read_line(tmp_path, LINE | {"entries": "*"})
    with pytest.raises(ValueError, match="how"):
        read_line(tmp_path, LINE | {"how": "tests"})


def test_a_law_that_differs_in_the_eighth_digit_is_told():
    for entry in read("laws"):
        assert differing(entry, entry["is"]) == {}
        said = max(entry["is"].keys() - {OTHERS}, key=entry["is"].get)
        for change in (1e-8, -1e-8):
            wrong = entry["is"] | {said: entry["is"][said] + change}
            assert said in differing(entry, wrong)
    assert differing(entry, entry["is"] | {"new": 0.01}) == {OTHERS: entry["is"][OTHERS] + 0.01}


def test_a_study_that_is_off_is_told():
    for entry in read("studies"):
        for name, (mean, error) in entry["is"].items():
            near = {**entry["is"], name: [mean + 3 * error, error]}
            off = {**entry["is"], name: [mean - 6 * error - 1e-6, error]}
            assert far_off(entry, near) == {}
            assert list(far_off(entry, off)) == [name]


def test_every_tag_is_in_what_always_runs():
    for name in ("plans", "laws", "studies"):
        entries = read(name)
        first, rest = first_of_each(entries)
        assert len(first) + len(rest) == len(entries)
        assert {tag for one in first for tag in one["tags"]} == {
            tag for one in entries for tag in one["tags"]
        }
        assert len({one["name"] for one in entries}) == len(entries)


def test_entries_are_read_as_they_are_written(tmp_path, monkeypatch):
    monkeypatch.setattr("tests.golden.entries.HERE", tmp_path)
    entries = [{"name": "a", "is": rounded({"ε": [1 / 3, None, "x"], "n": 7})}, {"name": "b"}]
    write("some", entries)
    assert read("some") == entries
    assert entries[0]["is"] == {"ε": [0.3333333333, None, "x"], "n": 7}
    assert len((tmp_path / "some.json").read_text().splitlines()) == 4


def asks_the_house(code):
    """Return whether a file imports the package, or what the package's own tests have."""
    own = ("tests.golden", "tests.frozen", "tools.before", "benchmarks.before")
    for part in ast.walk(ast.parse(code)):
        names = [one.name for one in part.names] if isinstance(part, ast.Import) else []
        names += [part.module or "."] if isinstance(part, ast.ImportFrom) else []
        rooms = ("overbar", "tests", "benchmarks", "tools")
        if any(one.split(".")[0] in rooms and not one.startswith(own) for one in names):
            return True
    return False


def test_the_house_is_asked_through_one_file():
    files = {path.name: path.read_text() for path in Path(__file__).parent.glob("*.py")}
    assert {name for name, code in files.items() if asks_the_house(code)} == {
        "seam.py",
        "seam_before.py",
    }
    assert asks_the_house("def f():\n    from overbar.mechanisms import Plan\n")
    assert asks_the_house("import overbar")
    assert asks_the_house("from tests.reference.plans import any_plan")
