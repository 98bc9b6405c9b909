"""A file is read once, however often and under whatever names it is given."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from overbar.cli import file_identity
from overbar.cli.tables import NamedColumns, Source, files
from tests.cli.test_tables import rows

#: Two persons with two items each, in every kind that may be given in several files.
LINES = {
    "csv": "item,person\n1,a\n2,a\n1,b\n3,b\n",
    "tsv": "item\tperson\n1\ta\n2\ta\n1\tb\n3\tb\n",
    "jsonl": "".join(f'{{"item":"{i}","person":"{p}"}}\n' for i, p in ("1a", "2a", "1b", "3b")),
}
PLACES = [
    ["a.{}", "./a.{}"],
    ["a.{}", "{folder}/a.{}"],
    ["a.{}", "link.{}"],
    ["a.{}", "hard.{}"],
    ["link.{}", "sub/up.{}", "a.{}"],
    ["*.{}"],
    ["**/*.{}"],
    ["sub/../a.{}", "[ah]*.{}"],
]


@pytest.fixture
def named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("sub").mkdir()
    for ending, text in LINES.items():
        Path(f"a.{ending}").write_text(text)
        Path(f"link.{ending}").symlink_to(f"a.{ending}")
        os.link(f"a.{ending}", f"hard.{ending}")
        Path(f"sub/up.{ending}").symlink_to(f"../link.{ending}")
    return tmp_path


def read(ending, places, folder):
    return rows(Source.of([place.format(ending, folder=folder) for place in places]))


@pytest.mark.parametrize("places", PLACES, ids=" ".join)
def test_nobody_counts_twice_where_a_file_is_named_twice(named, places):
    for ending in LINES:
        assert sorted(item for item, _ in read(ending, places, named)) == ["1", "1", "2", "3"]


@pytest.mark.parametrize("places", PLACES, ids=" ".join)
def test_control_by_name_alone_everybody_counts_again(named, places, monkeypatch):
    monkeypatch.setattr(files, "identity", str)
    for ending in LINES:
        assert len(read(ending, places, named)) > 4


def test_files_stay_in_the_order_given(named):
    Path("b.csv").write_text("person,item\n")
    assert files.existing_files(("b.csv", "a.csv", "./b.csv")) == ("b.csv", "a.csv")


def test_a_file_called_like_standard_input_is_a_file(named):
    Path("-").write_text("item,person\n1,a\n2,a\n")
    assert files.matching_files("-") == ["-"]
    assert files.matching_files("[-]") == ["./-"]
    assert file_identity.identity(files.matching_files("[-]")[0]) == file_identity.identity("./-")
    assert len(rows(Source.of(["[-]", "a.csv"], input_format="csv"), NamedColumns("item"))) == 6
