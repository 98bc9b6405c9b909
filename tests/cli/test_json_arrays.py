"""JSON arrays: cut while they pass by, and one element that is broken loses no other."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from overbar.cli.tables import ReadingError, Source, json_lines
from overbar.cli.tables.json_lines import array_lines
from tests.cli.test_tables import rows


def lines(text, size=1 << 18):
    cut = (text[at : at + size] for at in range(0, len(text), size))
    found = b"".join(array_lines(cut, "a.json")).split(b"\n")
    return [line.strip() for line in found if line.strip()]


def drawn(dice, depth=0):
    kind = dice.randrange(8 if depth < 3 else 5)
    if kind < 3:
        return "".join(dice.choices('ab"\\{}[],:\n€', k=dice.randrange(7)))
    if kind < 5:
        return dice.choice([1, -2.5, None, True, float("nan"), float("inf")])
    if kind == 5:
        return [drawn(dice, depth + 1) for _ in range(dice.randrange(4))]
    return {f'"{n}': drawn(dice, depth + 1) for n in range(dice.randrange(4))}


@pytest.mark.parametrize("seed", range(40))
def test_every_element_of_an_array_is_a_line_wherever_blocks_end(seed):
    dice = random.Random(seed)
    records = [drawn(dice) for _ in range(dice.randrange(9))]
    text = json.dumps(records, indent=dice.choice([None, 1])).encode()
    for size in (1, 2, 7, 10_000):
        found = lines(dice.choice([b"", b"\xef\xbb\xbf \n"]) + text, size)
        assert repr([json.loads(line) for line in found]) == repr(records)


BROKEN = [
    b'{"a": "te', b'{"a": "5" tea"}', b'{"a": "x\\"}', b'{"a": 1', b'{"a": {"b": 1}', b'{"a": [1}',
    b'{"a": 1]', b'{"a": 1}}', b"]", b"}", b'"', b"nope", b'{"a":1,,}', b"[1,2}", b'{a:{b:"}',
    b"[" * 11_000 + b"]" * 11_000, b"{" * 11_000, b"\xff\x00", b"",
]  # fmt: skip


@pytest.mark.parametrize("broken", BROKEN)
def test_a_broken_element_loses_no_other(broken):
    """A quote or a bracket that one record lacks took everybody's behind it away."""
    others = [b'{"n": %d, "in": {"a": [{}, {"b": "]"}]}}' % n for n in range(4)]
    for at in range(5):
        text = b"[" + b",\n".join([*others[:at], broken, *others[at:]]) + b"]"
        found = lines(text)
        assert [line for line in found if line in others] == others
        assert lines(text, 3) == found


def test_control_brackets_alone_lose_the_others():
    """What is between brackets that balance: an element ends where all is closed."""
    text = b'[{"a": 1,\n{"n": 1},\n{"n": 2}]'
    assert text.count(b"{") > text.count(b"}")
    assert lines(text) == [b'{"a": 1,', b'{"n": 1}', b'{"n": 2}']


def test_arrays_one_after_the_other_are_read_on():
    Path("a.json").write_text('[{"item":"tea","person":1}]\n[{"item":"rum","person":2}] ')
    assert rows(Source.of(["a.json"]))[-2:] == [("rum", "2"), ("tea", "1")]


@pytest.fixture(autouse=True)
def in_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_an_array_is_never_held_as_a_whole(monkeypatch):
    monkeypatch.setattr(json_lines, "LONGEST", 1_000)
    taken = 0

    def blocks():
        nonlocal taken
        yield b'[{"a":"'
        for _ in range(50):
            taken += 1
            yield b"x" * 100
        yield b'"},{"b":1}]'

    passed = 0
    for number, part in enumerate(array_lines(blocks(), "a.json")):
        assert taken <= number
        passed += len(part)
    assert 1_000 < passed < 1_300
    assert part.endswith(b'{"b":1}\n')


def test_what_is_no_array_is_refused():
    for text in (b"", b" \n", b"\xef\xbb\xbf", b'{"a":1}', b"7"):
        with pytest.raises(ReadingError, match=r"must be a JSON array, which begins with \["):
            lines(text)
