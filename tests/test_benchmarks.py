"""Every benchmark runs, at its smallest size. What it measures then means nothing."""

import importlib
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import benchmarks
from benchmarks import __main__ as command

FOLDER = Path(benchmarks.__file__).parent


def test_every_file_is_a_benchmark_of_the_command():
    files = {path.stem for path in FOLDER.glob("*.py") if not path.stem.startswith("__")}
    assert files == set(command.NAMES)


@pytest.mark.one_in(10)
@pytest.mark.parametrize("name", command.NAMES)
@pytest.mark.filterwarnings("default")
def test_a_benchmark_runs(name, monkeypatch):
    monkeypatch.chdir(FOLDER.parent)  # some start themselves again as a process
    try:
        with ThreadPoolExecutor() as other:  # a browser of other tests may have a loop in this one
            rows = other.submit(importlib.import_module(f"benchmarks.{name}").rows, True).result()
    except benchmarks.AbsentError:
        # One needs files, one a browser; the others nothing that the tests do not have.
        assert name in ("third_party_audit", "explore")
    else:
        assert rows
        assert all(row["name"] for row in rows)


def test_the_command_goes_through_all_and_writes_nothing(monkeypatch, capsys):
    asked = []

    class Benchmark:
        def __init__(self, name):
            self.name = name

        def rows(self, check):
            asked.append(self.name)
            assert check
            if self.name == "benchmarks.frames":
                raise benchmarks.AbsentError("no table")
            return [{"name": self.name, "seconds": 0.5}]

    monkeypatch.setattr(importlib, "import_module", Benchmark)
    monkeypatch.setattr(command, "write", lambda *_: pytest.fail("a check writes nothing"))
    monkeypatch.setattr(sys, "argv", ["benchmarks", "--check"])
    command.main()
    assert asked == [f"benchmarks.{name}" for name in command.NAMES]
    assert "frames is left out: no table" in capsys.readouterr().out


def test_tables_come_in_markdown():
    rows = [{"name": "one", "seconds": 0.5}, {"name": "two", "ratio": 2}]
    assert command.markdown(rows).splitlines() == [
        "|  | seconds | ratio |",
        "| --- | --- | --- |",
        "| one | 0.5 |  |",
        "| two |  | 2 |",
    ]


def test_an_unknown_name_is_named(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["benchmarks", "speed"])
    with pytest.raises(SystemExit) as left:
        command.main()
    assert left.value.code == 2
    assert "no such benchmark: speed" in capsys.readouterr().err
