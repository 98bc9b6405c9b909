"""The fast parsers against the slow ones, on files of every form, sound and broken."""

from __future__ import annotations

import gzip
import pickle
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lab.tests.reference import datasets as reference
from overbar.errors import ParameterError
from overbar_lab.datasets import DatasetError, count_supports, supports
from overbar_lab.datasets.supports import count_pairs

pytestmark = pytest.mark.one_in(3)

IDS = st.one_of(
    st.integers(0, 9), st.integers(0, 9), st.integers(0, 1000), st.integers(0, 10**18 - 1)
).map(str)
BLANKS = st.sampled_from([" ", " ", " ", "  ", "\t", " \t "])
VALUES = st.sampled_from(["1", "1", "0", "0.0", "-0", ".5", "1e3", "0e7", "+2.", "-1.25E-2", "00"])


def joined(parts: list[str], blank: str, end: str) -> str:
    return blank.join(parts) + end


ENDS = st.sampled_from(["", "", " ", "\t"])
GOOD = {
    "fimi": st.builds(joined, st.lists(IDS, max_size=6), BLANKS, ENDS),
    "comma": st.builds(
        joined, st.lists(IDS, min_size=1, max_size=6), st.sampled_from([",", ", "]),
        st.sampled_from(["", ",", ", "]),
    ),
    "pairs": st.builds(joined, st.tuples(IDS, IDS).map(list), BLANKS, ENDS),
    "libsvm": st.builds(
        lambda label, pairs, end: joined([label, *(f"{i}:{v}" for i, v in pairs)], " ", end),
        VALUES, st.lists(st.tuples(IDS, VALUES), max_size=5), ENDS,
    ),
}  # fmt: skip
WILD = st.text(alphabet="0123456789 \t,-:.+eEx#\r\x00é", max_size=12)


@st.composite
def contents(draw: st.DrawFn, form: str) -> bytes:
    line = st.one_of(*[GOOD[form]] * 12, st.just(""), WILD)
    lines = draw(st.lists(line, min_size=1, max_size=12))
    text = draw(st.sampled_from(["\n", "\n", "\r\n"])).join(lines) + draw(
        st.sampled_from(["", "\n"])
    )
    return draw(st.sampled_from([b"", b"", b"\xef\xbb\xbf"])) + text.encode("utf-8")


def assert_same(path: Path, content: bytes, form: str) -> None:
    path.write_bytes(content)
    line = None
    try:
        counts, records = reference.supports(content, form)
    except reference.MalformedError as malformed:
        line = malformed.line
    if line is not None:
        with pytest.raises(DatasetError) as caught:
            count_supports(path, form)
        assert caught.value.line == line
        assert str(caught.value).startswith(f"{path}, line {line}: ")
        assert "\n" not in str(caught.value)
        return
    if not records:
        with pytest.raises(DatasetError, match="holds no transactions"):
            count_supports(path, form)
        return
    found = count_supports(path, form)
    assert found.records == records
    assert found.items.dtype == found.counts.dtype == np.int64
    assert found.items.tolist() == sorted(counts)
    assert dict(zip(found.items.tolist(), found.counts.tolist(), strict=True)) == counts


@pytest.mark.parametrize("form", GOOD)
@settings(
    max_examples=250, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_every_form_against_the_slow_reader(form: str, data: st.DataObject, tmp_path: Path) -> None:
    content = data.draw(contents(form))
    with pytest.MonkeyPatch.context() as patch:  # transactions and repeats across block borders
        patch.setattr(supports, "BLOCK", data.draw(st.sampled_from([4, 30, 1 << 20])))
        assert_same(tmp_path / "file", content, form)


@pytest.mark.parametrize("form", ["fimi", "comma"])
def test_a_large_random_file_with_repeats(form: str, tmp_path: Path) -> None:
    generator = np.random.default_rng(7)
    separator = {"fimi": " ", "comma": ","}[form]
    lines = [
        separator.join(map(str, generator.integers(0, 200, size=size)))
        for size in 1 + generator.poisson(9, 4_000)
    ]
    content = "\n".join(lines).encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(supports, "BLOCK", 1 << 13)
        assert_same(tmp_path / "file", content, form)
    repeated = sum(len(line.split(separator)) for line in lines)
    assert count_supports(tmp_path / "file", form).counts.sum() < repeated  # there are repeats


@pytest.mark.parametrize(
    ("form", "content", "line", "words"),
    [
        ("fimi", b"1 2\n3 x 4\n", 2, "separated by spaces, got '3 x 4'"),
        ("fimi", b"1 2\n\n-3 4\n", 3, "whole numbers from 0"),
        ("fimi", b"1\n1234567890123456789\n", 2, "more than 18 digits"),
        ("fimi", b"1\n2\n\x89PNG\x00", 3, "byte 0x89 at column 1"),
        ("fimi", b"1 2\r3 4\r", 1, "byte 0x0d"),
        ("fimi", b"\xff\xfe1\x00 \x00", 1, "binary or compressed"),
        ("fimi", b"1 " * 500 + b"oops 7 " + b"2 " * 500, 1, "got ...' 1 1 1 1 1 1 1 oops 7 2"),
        ("comma", b"1,2,\n1,,2\n", 2, "single commas"),
        ("comma", b"1 2\n", 1, "single commas"),
        ("pairs", b"1\t2\n3\n", 2, "a tab"),
        ("pairs", b"1\t2\t3\n", 1, "a tab"),
        ("libsvm", b"+1 3:1\n-1 4\n", 2, "index:value"),
        ("libsvm", b"yes 3:1\n", 1, "numeric label"),
    ],
)
def test_what_is_wrong_is_said(
    form: str, content: bytes, line: int, words: str, tmp_path: Path
) -> None:
    path = tmp_path / "some.dat"
    path.write_bytes(content)
    with pytest.raises(DatasetError) as caught:
        count_supports(path, form)
    assert str(caught.value).startswith(f"{path}, line {line}: ")
    assert words in str(caught.value)
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.line, again.path) == (str(caught.value), line, path)


def test_gzip_is_seen_from_the_content(tmp_path: Path) -> None:
    path = tmp_path / "baskets"
    path.write_bytes(gzip.compress(b"1 2 2\n2\n"))
    found = count_supports(path)
    assert found.counts.tolist() == [1, 2]
    with pytest.raises(ValueError, match="read-only"):
        found.counts[0] = 9


@pytest.mark.parametrize("keep", [5, 30, -1])
def test_a_gzip_cut_short(keep: int, tmp_path: Path) -> None:
    path = tmp_path / "cut.gz"
    path.write_bytes(gzip.compress(b"1 2 3\n" * 5_000)[:keep])
    with pytest.raises(DatasetError, match="the gzip file is cut short"):
        count_supports(path)


def test_a_damaged_gzip(tmp_path: Path) -> None:
    whole = bytearray(gzip.compress(np.random.default_rng(1).bytes(2_000).hex().encode()))
    path = tmp_path / "bad.gz"
    for position in (2, len(whole) // 2, len(whole) - 6):  # the header, the data, the checksum
        damaged = bytearray(whole)
        damaged[position] ^= 0x55
        path.write_bytes(damaged)
        with pytest.raises(DatasetError, match=r"bad\.gz"):
            count_supports(path)


def test_a_line_that_never_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supports, "BLOCK", 100)
    monkeypatch.setattr(supports, "LONGEST_LINE", 1_000)
    path = tmp_path / "one.dat"
    path.write_bytes(b"1\n2\n" + b"3 " * 10_000)
    with pytest.raises(DatasetError, match="line 3: a line of more than 1000 bytes"):
        count_supports(path)


def test_a_folder_and_an_absent_file_cannot_be_read(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "nothing"):
        with pytest.raises(DatasetError, match="cannot be read"):
            count_supports(path)


def test_an_unknown_form_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="form must be one of 'fimi', 'comma', 'pairs'"):
        count_supports(tmp_path / "x", "csv")


def test_huge_ids_with_repeats(tmp_path: Path) -> None:
    big = 10**18 - 1
    path = tmp_path / "huge"
    path.write_text(f"{big} 5 {big}\n5\n" * 40)
    found = count_supports(path)
    assert (found.items.tolist(), found.counts.tolist()) == ([5, big], [80, 40])


def test_a_long_table_in_any_order() -> None:
    transactions = np.array([9, 3, 9, 9, 3])
    items = np.array([1, 1, 1, 2, 7])
    found = count_pairs(transactions, items)
    assert (found.items.tolist(), found.counts.tolist(), found.records) == ([1, 2, 7], [2, 1, 1], 2)
