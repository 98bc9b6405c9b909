"""Persons under several names, and names of nobody, are told to the owner on every engine."""

from __future__ import annotations

import random

import pytest

from overbar import frames
from tests.frozen.engines import ENGINES, table_of


def looked_at(engine, persons, person="text"):
    table = table_of([("tea", one) for one in persons], person=person)
    return frames.check(ENGINES[engine](table), item="what", person="who")


def plain_loop(persons):
    """Return how many names belong to how many persons, by the rule itself."""
    alike = {}
    for one in set(persons):
        alike.setdefault(one.strip().lower().lstrip("0"), set()).add(one)
    several = [names for names in alike.values() if len(names) > 1]
    return sum(map(len, several)), len(several)


@pytest.mark.parametrize("engine", ENGINES)
def test_one_person_under_several_names_is_told(engine):
    chance = random.Random(engine)
    names = [
        "Anna",
        "anna ",
        "ANNA",
        "000123",
        "123",
        "0",
        "00",
        "Ben",
        " ben",
        "Cleo",
        "12 3",
        "É",
    ]
    for _ in range(3):
        persons = chance.choices(names, k=9)
        ways, number = plain_loop(persons)
        said = [note for note in looked_at(engine, persons).notes if "leading zeros" in note]
        expected = [f"{ways} persons in 'who' may be {number}: "] if number else []
        assert [note[: len(start)] for note, start in zip(said, expected, strict=True)] == expected
    told = looked_at(engine, ["000123", "123", "Anna", "anna "]).notes
    assert "such as '000123' and '123', 'Anna' and 'anna '. Each way" in told[-1]


@pytest.mark.parametrize("engine", ENGINES)
def test_names_of_nobody_with_far_too_many_rows_are_told(engine):
    crowd = [f"c{n}" for n in range(1000)]
    persons = crowd + ["NULL"] * 200 + ["n/a"] * 120 + ["k.A."] * 60 + ["x"] * 28
    notes = looked_at(engine, persons).notes
    assert notes[0].startswith(
        "4 persons in 'who' have 29 % of the rows: 'NULL' (14 %), 'n/a' (8.5 %), 'k.A.' (4.3 %), "
        "'x' (2 %). Are they persons?"
    )
    assert looked_at(engine, crowd * 2).notes == ()
    # A number can be far too frequent as well; and a few persons may well share the rows.
    heavy = looked_at(engine, [*range(1000), *[0] * 400], person="whole").notes
    assert heavy[0].startswith("1 persons in 'who' have 29 % of the rows: 0 (29 %)")
    assert looked_at(engine, [1, 1, 1, 1, 2], person="whole").notes == ()


@pytest.mark.parametrize("engine", ENGINES)
def test_few_of_another_kind_are_told(engine):
    numbers = [str(n) for n in range(1, 40)]
    (note,) = looked_at(engine, [*numbers, "ann@example.org"]).notes
    assert note.startswith("1 of 40 persons in 'who' are no numbers, and the others are: 'ann@")
    (note,) = looked_at(engine, [*(f"c{n}" for n in range(39)), "7"]).notes
    assert note.startswith("1 of 40 persons in 'who' are numbers, and the others are not: '7'.")
