"""What the real files hold, where they are."""

from __future__ import annotations

import gzip
import shutil
from pathlib import Path

import numpy as np
import pytest

from lab.tests.reference import datasets as reference
from overbar_lab.datasets import Dataset, load
from overbar_lab.datasets.registry import AbsentDatasetError, entry, status

FACTS = {  # records, items, passing, {rank: score}
    "t40i10d100k": (100_000, 942, 49, {49: 11_886, 50: 11_823}),
    "adult": (48_842, 123, 81, {5: 33_906, 6: 32_650}),
    "kosarak-100k": (100_000, 23_496, 50, {50: 1_066, 51: 1_053}),
    "bms-pos-100k": (100_000, 1_350, 50, {50: 2_761, 51: 2_723}),
    "kosarak": (990_002, 41_270, 50, {50: 10_616, 51: 10_122}),
    "bms-pos": (515_597, 1_657, 50, {50: 13_685, 51: 13_517}),
}


def loaded(name: str, folder: Path, tmp_path: Path) -> Dataset:
    try:
        return load(name, folder, cache_dir=tmp_path)
    except AbsentDatasetError as error:
        pytest.skip(str(error))


@pytest.mark.parametrize("name", FACTS)
def test_facts(name: str, data_folder: Path, tmp_path: Path) -> None:
    data = loaded(name, data_folder, tmp_path)
    records, items, passing, ranks = FACTS[name]
    assert (data.records, len(data), data.passing) == (records, items, passing)
    assert (entry(name).records, entry(name).items) == (records, items)
    assert {rank: data.at_rank(rank) for rank in ranks} == ranks
    assert data.scores.dtype == data.items.dtype == np.int64
    assert np.all(np.diff(data.items) > 0)
    assert all(Path(path).parent == data_folder for path in data.origin)
    assert {one.entry.name: one.here for one in status(data_folder, cache_dir=tmp_path)}[name]


@pytest.mark.parametrize("name", ["adult", "kosarak-100k", "bms-pos-100k"])
def test_against_the_slow_reader(name: str, data_folder: Path, tmp_path: Path) -> None:
    data = loaded(name, data_folder, tmp_path)
    form = entry(name).form
    assert form is not None
    total: dict[int, int] = {}
    for path in data.origin:
        raw = Path(path).read_bytes()
        content = gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw
        for item, count in reference.supports(content, form)[0].items():
            total[item] = total.get(item, 0) + count
    assert dict(zip(data.items.tolist(), data.scores.tolist(), strict=True)) == total


def test_a_plain_copy_counts_as_well(data_folder: Path, tmp_path: Path) -> None:
    original = loaded("bms-pos-100k", data_folder, tmp_path)
    with gzip.open(original.origin[0]) as source, (tmp_path / "bms-pos-100k.csv").open("wb") as to:
        shutil.copyfileobj(source, to)
    copy = load("bms-pos-100k", tmp_path)
    assert np.array_equal(copy.scores, original.scores)
