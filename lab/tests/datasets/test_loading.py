"""Names, folders, absent datasets and wrong files."""

from __future__ import annotations

import ast
import gzip
from pathlib import Path

import numpy as np
import pytest

import overbar_lab.datasets
from overbar.errors import ParameterError
from overbar_lab.datasets import DatasetError, known, load
from overbar_lab.datasets.registry import AbsentDatasetError, ChecksumError, entry, status

PAPER = {  # records, items, threshold, cutoff, as its table and captions print them
    "binary": (None, 10_000, 500, 50),
    "zipf": (None, 10_000, 200, 50),
    "t40i10d100k": (100_000, 942, 11_850, 50),
    "bms-pos": (515_597, 1_657, 13_600, 50),
    "kosarak": (990_002, 41_270, 10_500, 50),
    "adult": (48_843, 123, 200, 5),
}


def test_the_paper_s_table() -> None:
    table = {
        one.name: (one.paper_records, one.items, one.threshold, one.cutoff)
        for one in known()
        if one.kind != "prefix"
    }
    assert table == PAPER
    assert entry("adult").records == 48_842
    assert "48,843" in entry("adult").note


def test_a_prefix_never_bears_the_name_of_the_whole() -> None:
    for one in known():
        if one.kind == "prefix":
            assert one.title.endswith("-100k")
            assert one.paper_records is None


def test_every_entry_is_complete() -> None:
    for one in known():
        assert one.licence
        assert one.citation
        assert bool(one.sources) == bool(one.home) == (one.form is not None)
        assert one.kind in {"synthetic", "real", "prefix"}
        for source in one.sources:
            assert bool(one.obtain) == (source.url is None)
            algorithm, _, value = source.checksum.partition(":")
            assert len(value) == {"sha256": 64, "sha1": 40}[algorithm]


def test_binary_and_zipf() -> None:
    binary, zipf = load("Binary"), load("ZIPF")
    assert np.count_nonzero(binary.scores == 1_000) == 50
    assert np.count_nonzero(binary.scores == 0) == 9_950
    assert binary.scores.dtype == np.int64
    assert (binary.records, zipf.records) == (None, None)
    assert zipf.scores[2] == 10_000 / 3
    assert (zipf.passing, zipf.at_rank(1), zipf.at_rank(50)) == (50, 10_000, 200)
    with pytest.raises(ValueError, match="read-only"):
        zipf.scores[0] = 0


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(ParameterError, match="name must be one of 'binary', 'zipf', 't40i10d100k'"):
        load("retail")


@pytest.mark.parametrize("name", [one.name for one in known() if one.sources])
def test_absent_is_one_clear_line(name: str, no_data: Path) -> None:
    with pytest.raises(AbsentDatasetError) as caught:
        load(name)
    line = str(caught.value)
    assert "\n" not in line
    assert line.startswith(f"{name} is not here: ")
    assert entry(name).home in line
    assert str(no_data) in line
    assert entry(name).sources[0].names[0] in line
    assert not no_data.exists()


def test_a_run_goes_on_with_what_is_there(no_data: Path) -> None:
    here = [one.entry.name for one in status() if one.here]
    assert here == ["binary", "zipf"]
    for one in status():
        if not one.here:
            with pytest.raises(AbsentDatasetError) as caught:
                load(one.entry.name)
            assert str(caught.value) == one.line


def test_the_line_names_the_folder_of_the_user(no_data: Path, tmp_path: Path) -> None:
    (tmp_path / "a9a").write_text("+1 1:1\n")
    with pytest.raises(AbsentDatasetError, match=rf"put a9a\.t \(or \.gz\) in {tmp_path}"):
        load("adult", tmp_path)


def test_a_folder_that_is_not_there(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=r"data_dir must be an existing folder, got '.*none'"):
        load("adult", tmp_path / "none")
    monkeypatch.setenv("OVERBAR_DATA", str(tmp_path / "none"))
    with pytest.raises(ParameterError, match="OVERBAR_DATA must be an existing folder"):
        load("adult")
    assert len(load("binary")) == 10_000  # needs no folder


def test_another_file_under_the_name(
    no_data: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("OVERBAR_DATA", str(tmp_path))
    path = tmp_path / "kosarak.dat"
    path.write_text("1 2 2\n3\n")
    with pytest.raises(ChecksumError, match=r"wrong checksum: sha256 .* verify=False") as caught:
        load("kosarak")
    assert caught.value.path == path
    assert path.exists()  # a file of the user's is not touched
    data = load("kosarak", verify=False)
    assert (data.records, data.scores.tolist()) == (2, [1, 1, 1])
    assert repr(data) == "Dataset('Kosarak', 2 records, 3 items, threshold 10,500, cutoff 50)"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"1 2\n3 four\n", "line 2: expected"),
        (b"\x7fELF\x00\x01", "line 1: byte 0x7f"),
        (gzip.compress(b"1 2 3\n" * 999, mtime=0)[:40], "cut short"),
        (b"1 2 3\n", "wrong checksum"),
    ],
)
def test_a_broken_file_does_not_stay_in_the_cache(
    content: bytes, words: str, no_data: Path, tmp_path: Path
) -> None:
    no_data.mkdir(parents=True)
    broken = no_data / "kosarak.dat"
    broken.write_bytes(content)
    with pytest.raises(DatasetError, match=words) as caught:
        load("kosarak")
    assert "removed from the cache" in str(caught.value)
    assert not broken.exists()
    mine = tmp_path / "kosarak.dat"
    mine.write_bytes(content)
    with pytest.raises(DatasetError, match=words):
        load("kosarak", tmp_path, cache_dir=tmp_path)
    assert mine.exists()


def test_what_no_download_could_bring_back_stays(no_data: Path) -> None:
    no_data.mkdir(parents=True)
    (no_data / "BMS-POS.dat").write_text("1\t2\n")
    with pytest.raises(ChecksumError, match="wrong checksum: sha1"):
        load("bms-pos")
    assert (no_data / "BMS-POS.dat").exists()
    assert load("bms-pos", verify=False).records == 1


def test_the_study_side_keeps_to_itself() -> None:
    folder = Path(overbar_lab.datasets.__file__).parent
    forbidden = ("sampling", "mechanism", "ledger", "integrations")
    for path in folder.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = []
            if isinstance(node, ast.ImportFrom):
                names = [f"{node.module}.{alias.name}" for alias in node.names]
            elif isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            for name in names:
                assert not name.startswith(tuple(f"overbar.{room}" for room in forbidden))
