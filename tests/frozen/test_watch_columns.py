"""A store of ``watch`` goes on with its columns: by others everybody would be counted anew."""

import subprocess
import sys
from datetime import date

import pytest

from overbar import ParameterError, frames
from tests.frozen import seam

pyarrow = pytest.importorskip("pyarrow")

FIRST, NEXT = "2024-01-01", "2024-01-02"
NUMBERS = range(600)
ROWS = pyarrow.table(
    {
        "user": [f"u{number}" for number in NUMBERS] * 2,
        "mail": [f"{number}@example.org" for number in NUMBERS] * 2,
        "region": ["north"] * 1_200,
        "street": ["north"] * 1_200,
        "day": [FIRST] * 600 + [NEXT] * 600,
        "seen": [FIRST] * 600 + [NEXT] * 600,
    }
)
ASK = {
    "item": "region", "person": "user", "time": "day", "catalogue": ["north"],
    "threshold": 100, "epsilon": 1, "delta": "1e-6", "hits_per_person": 1,
}  # fmt: skip


def watch(store, last=NEXT, **changes):
    return frames.watch(ROWS, **ASK | {"days": (FIRST, last), "store": store} | changes)


@pytest.fixture
def store(tmp_path):
    path = tmp_path / "days.db"
    assert watch(path, FIRST).labels == ((date(2024, 1, 1), "north"),)
    return path


@pytest.mark.parametrize("changed", [{"person": "mail"}, {"item": "street"}, {"time": "seen"}])
def test_another_column_is_refused_and_nobody_is_counted(store, changed):
    before = store.read_bytes()
    with pytest.raises(ParameterError) as refusal:
        watch(store, **changed)
    said = str(refusal.value)
    assert "the store was made with person 'user', item 'region', time 'day'" in said
    assert "write the same, or begin with a new store" in said
    assert store.read_bytes() == before
    assert watch(store).labels == ((date(2024, 1, 1), "north"),)  # its own go on, all used up


def test_with_a_new_store_the_other_column_is_asked(store, tmp_path):
    """The control: it is the store that refuses, and each person counts in it alone."""
    found = watch(tmp_path / "new.db", FIRST, person="mail")
    assert found.labels == ((date(2024, 1, 1), "north"),)
    assert set(seam.counted(store)[1]) == {f"u{number}" for number in NUMBERS}
    assert len(seam.counted(tmp_path / "new.db")[1]) == 600


def test_columns_of_one_item_have_an_order(tmp_path):
    listed = {"item": ["region", "street"], "catalogue": [("north", "north")]}
    watch(tmp_path / "two.db", **listed)
    with pytest.raises(ParameterError, match="item 'region' 'street'"):
        watch(tmp_path / "two.db", **listed | {"item": ["street", "region"]})
    watch(tmp_path / "two.db", **listed)


def test_the_command_line_says_it_in_its_words(tmp_path):
    lines = [",".join(row.values()) for row in ROWS.to_pylist()]
    (tmp_path / "events.csv").write_text("\n".join([",".join(ROWS.column_names), *lines, ""]))

    def command(person, last):
        words = [
            *(sys.executable, "-m", "overbar", "watch", "events.csv", "--person", person),
            *("--item", "region", "--time", "day", "--catalogue", "north,south"),
            *("--threshold", "100", "--hits-per-person", "1", "--epsilon", "1", "--delta", "1e-6"),
            *("--store", "days.db", "--from", FIRST, "--to", last),
        ]
        return subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)

    alarm = f"found,day,region\n1,{FIRST},north\n"
    assert command("user", FIRST).stdout == alarm
    refused = command("mail", NEXT)
    assert refused.returncode == 2
    assert refused.stdout == ""
    assert "made with --person 'user', --item 'region', --time 'day'" in refused.stderr
    assert "Traceback" not in refused.stderr
    assert command("user", NEXT).stdout == alarm
