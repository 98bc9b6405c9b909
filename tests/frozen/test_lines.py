"""Rows of delimited files against a loop over their characters, on lines made to be nasty.

``python -m tests.frozen.test_lines 200`` draws two hundred times as many.
"""

from __future__ import annotations

import codecs
import gzip
import os
import random
import sys
import tempfile
from collections import Counter
from pathlib import Path

import pytest

from tests.frozen import seam
from tests.reference import lines as reference

SIGNS = (",", ";", "\t", "|", "\x1f", "^", ".", "$", "\\", "ä", "*", " ", "\x1e", "-", "]")
ENDS = (b"\n", b"\r\n", b"\r", b"\n\r", b"\r\r\n")
PIECES = (
    *(b'"', b'""', b'"""', b"", b" ", b"a", b"tea", b"\x1f", b"\x1e", b"\x00", b"\\", b"'", b"#"),
    *("ä€😀\u0085\u2028\u2029\ufeff".encode(), b"\xff", b"\x81", b"\xc3", b"\xe4\xf6"),
    b"\xed\xa0\x80",
    *(b"\xf4\x90\x80\x80", b"\xc0\xaf", b"{}", b"\t", b",", b";", b"x" * 13, b"y" * 300),
)  # fmt: skip


def nasty_line(chance, sign):
    """Return a line of 0 to 200 fields; most are near what is asked for, some or all in quotes."""
    count = chance.choice([0, 1, 2, 3, 3, 3, 4, 4, 4, 4, 4, 5, 6])
    count = chance.randint(0, 200) if chance.random() < 0.01 else count
    in_quotes = chance.choice([0.4, 0.4, 1])
    fields = []
    for _ in range(count):
        field = b"".join(chance.choices(PIECES, k=chance.choice([0, 1, 1, 1, 2, 3])))
        if chance.random() < in_quotes:
            field = b'"' + field.replace(b'"', b'""') + b'"'
        fields.append(field)
    return sign.join(fields)


def nasty_file(chance, sign, header, count):
    end = chance.choice(ENDS)
    mixed = chance.random() < 0.3
    lines = [sign.join([b"one", b"two", b"three", b"four"])] if header else []
    lines += [nasty_line(chance, sign) for _ in range(count)]
    text = b"".join(line + (chance.choice(ENDS) if mixed else end) for line in lines)
    return chance.choice([b"", codecs.BOM_UTF8]) + text


def compared(seed, count=120):
    """Return how many rows a drawn question has; the engine and the loop must agree on each."""
    chance = random.Random(seed)
    sign, header = SIGNS[seed % len(SIGNS)], chance.random() < 0.7
    encoding = chance.choice([None, None, None, "cp1252", "latin-1"])
    files = []
    raw = sign.encode(encoding or "utf-8")
    for number in range(chance.choice([1, 1, 3])):
        content = nasty_file(chance, raw, header, count)
        if encoding is not None:
            content = content.removeprefix(codecs.BOM_UTF8)
        name = f"{number}.csv{chance.choice(['', '.gz'])}"
        Path(name).write_bytes(gzip.compress(content) if name.endswith("gz") else content)
        files.append((name, content))
    places = chance.sample(range(4), 3)
    names = [("one", "two", "three", "four")[at] if header else str(at + 1) for at in places]
    row = None if header else 0
    read = {"delimiter": sign, "header_row": row, "encoding": encoding}
    found = seam.file_rows([name for name, _ in files], *names[:2], others=(names[2],), **read)
    want = reference.rows_of(
        [content for _, content in files], sign, names if header else places,
        header=header, encoding=encoding,
    )  # fmt: skip
    assert Counter(found) == Counter(want), f"seed {seed}: {sign!r}, {encoding}, {header}"
    return len(found)


@pytest.fixture
def in_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_nasty_lines_are_read_as_a_loop_reads_them(in_folder):
    """15 signs, all line ends; the lines of one file and of three."""
    assert sum(map(compared, range(30))) > 1_500


def test_control_yesterdays_cut_at_a_control_character_is_noticed(in_folder, monkeypatch):
    seam.broken(monkeypatch, "lines end at a control sign")
    with pytest.raises(AssertionError, match="seed 0"):
        compared(0)


def test_values_and_comparisons_see_the_same_lines(in_folder):
    chance = random.Random(5)
    words = [b"7", b"3.5", b"-1", b'"4"', b"x", b"", b'"2', b"1e3", b"nan"]
    lines = [
        b",".join(chance.choices(words, k=chance.choice([3, 4, 4, 4, 5]))) for _ in range(3_000)
    ]
    content = b"item,person,value,year\n" + b"\n".join(lines)
    Path("a.csv").write_bytes(content)
    found = seam.file_rows(["a.csv"], "item", "person", "value", where="year >= 2 and item != 'x'")
    numbers = {"7": 7.0, "3.5": 3.5, "-1": -1.0, "4": 4.0, "1e3": 1000.0, "nan": float("nan")}
    want = [
        (item, person, numbers.get(value))
        for item, person, value, year in reference.rows_of(
            [content], ",", ["item", "person", "value", "year"]
        )
        if item not in (None, "x") and numbers.get(year, 0) >= 2
    ]
    assert Counter(map(str, found)) == Counter(map(str, want))


def _many(times):
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        print(
            sum(compared(seed, 400) for seed in range(100, 100 + 30 * times)), "rows, no difference"
        )


if __name__ == "__main__":
    _many(int(sys.argv[1]))
