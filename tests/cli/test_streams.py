"""Standard input, pipes and old line ends: all rows arrive, or a clear word comes first."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
import threading
import time

import pytest

from overbar.cli.tables import NamedColumns, ReadingError, Source, start_engine
from tests.cli.shop import HIGH, LISTED, labels
from tests.prepared import program

pytestmark = pytest.mark.one_in(3)

USUAL = NamedColumns("item", "person")
PAIRS = [("rum", "bob"), ("tea", "ann")]
TEXTS = {
    "csv": "person,item\nann,tea\nbob,rum\n",
    "tsv": "person\titem\nann\ttea\nbob\trum\n",
    "jsonl": '{"person":"ann","item":"tea"}\n{"person":"bob","item":"rum"}\n',
}
READ = (
    "import sys\nfrom overbar.cli.tables import *\n"
    "source = Source.of([sys.argv[1]], input_format=sys.argv[2])\n"
    "print(sorted(source.open(start_engine(), NamedColumns('item', 'person')).fetchall()))"
)


@pytest.fixture(autouse=True)
def in_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def rows(*places, columns=USUAL, **options):
    with start_engine("500MB") as engine:
        engine.execute("set threads = 2")
        found = Source.of(list(places), **options).open(engine, columns).fetchall()
        return sorted(found, key=str)


@pytest.mark.parametrize("form", TEXTS)
def test_a_file_as_standard_input_has_one_header(in_folder, form):
    """It was read twice: once for its header and again from the top, header included."""
    (in_folder / "a").write_text(TEXTS[form])
    with (in_folder / "a").open() as stream:
        done = subprocess.run(
            [sys.executable, "-c", READ, "-", form],
            stdin=stream, capture_output=True, text=True, check=False, timeout=600,
        )  # fmt: skip
    assert done.stdout.strip() == str(PAIRS), done.stderr


@pytest.mark.parametrize("form", TEXTS)
@pytest.mark.parametrize("slow", [0, 0.2])
def test_a_named_pipe_is_read_whole(in_folder, form, slow):
    """Whether its writer has left before the engine looks, or takes its time."""
    os.mkfifo("pipe")

    def write():
        with (in_folder / "pipe").open("w") as pipe:
            for line in TEXTS[form].splitlines(keepends=True):
                pipe.write(line)
                pipe.flush()
                time.sleep(slow)

    writer = threading.Thread(target=write, daemon=True)
    writer.start()
    assert rows("pipe", input_format=form) == PAIRS
    writer.join()


def test_process_substitution(in_folder):
    (in_folder / "a.csv.gz").write_bytes(gzip.compress(TEXTS["csv"].encode()))
    done = subprocess.run(
        ["bash", "-c", f"{sys.executable} -c \"{READ}\" <(zcat a.csv.gz) csv"],
        capture_output=True, text=True, check=False, timeout=600,
    )  # fmt: skip
    assert done.stdout.strip() == str(PAIRS), done.stderr


def test_a_long_pipe_and_one_that_nobody_reads_on(in_folder):
    """More than a pipe holds; and a run that is refused half way leaves nothing waiting."""
    text = "person,item\n" + "".join(f"p{n},{n % 7}\n" for n in range(300_000))
    done = subprocess.run(
        [program(), "select", "-", "--input-format", "csv", "--item", "item", "--person", "person",
         "--cutoff", "9", "--epsilon", "1", "--threshold", "9000", "--catalogue", "0..9"],
        input=text, capture_output=True, text=True, check=False, timeout=600,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 8
    refused = subprocess.run(
        [program(), "select", "-", "--input-format", "csv", "--item", "none", "--person", "person",
         "--cutoff", "9", "--epsilon", "1", "--threshold", "9000", "--catalogue", "0..9"],
        input=text, capture_output=True, text=True, check=False, timeout=600,
    )  # fmt: skip
    assert refused.returncode == 2
    assert "has no column 'none'" in refused.stderr


def test_pipes_that_cannot_be_read_are_refused(in_folder):
    os.mkfifo("pipe.csv")
    os.mkfifo("pipe.parquet")
    (in_folder / "a.csv").write_text(TEXTS["csv"])
    with pytest.raises(ReadingError, match="must be the only source; put all rows into one pipe"):
        rows("a.csv", "pipe.csv")
    with pytest.raises(ReadingError, match="parquet is read in place: write it to a file first"):
        rows("pipe.parquet")


@pytest.mark.parametrize("end", ["\r", "\r\n", "\n"])
@pytest.mark.parametrize("header", [True, False])
@pytest.mark.parametrize("pipe", [True, False])
def test_every_line_end(in_folder, end, header, pipe):
    lines = ["person,item"] * header + ["ann,tea", '"bob","rum"']
    (in_folder / "a.csv").write_bytes((end.join(lines) + end).encode())
    columns = USUAL if header else NamedColumns("2", "1")
    assert rows("a.csv", header_row=None if header else 0, columns=columns) == PAIRS
    if pipe:
        os.mkfifo("p.csv")
        content = (in_folder / "a.csv").read_bytes()
        threading.Thread(
            target=(in_folder / "p.csv").write_bytes, args=(content,), daemon=True
        ).start()
        assert rows("p.csv", header_row=None if header else 0, columns=columns) == PAIRS


@pytest.mark.one_in(6)
@pytest.mark.parametrize("end", [b"\r", b"\r\n", b"\n"])
@pytest.mark.parametrize(
    "someone", [b"eve\rtea,x", b"eve,\ntea", b"\r", b"\n\r", b'"eve\r', b"e\r\r\n"]
)
@pytest.mark.parametrize("header", [True, False])
@pytest.mark.parametrize("first", [True, False])
def test_no_row_decides_where_the_lines_of_others_end(in_folder, end, someone, header, first):
    others = [b"ann,tea", b"bob,rum"]
    lines = [someone, *others] if first else [others[0], someone, others[1]]
    (in_folder / "a.csv").write_bytes(end.join([b"person,item"] * header + lines) + end)
    found = rows(
        "a.csv",
        header_row=None if header else 0,
        columns=USUAL if header else NamedColumns("2", "1"),
    )
    assert [row for row in found if row[1] in ("ann", "bob")] == PAIRS


def test_a_file_of_old_line_ends_gives_the_answer(here):
    text = (here / "sales.csv").read_bytes().replace(b"\r\n", b"\r").replace(b"\n", b"\r")
    (here / "old.csv").write_bytes(text)
    done = subprocess.run(
        [program(), "select", "old.csv", *LISTED], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert set(labels(done.stdout)) == HIGH


def test_control_the_engine_left_to_itself_swallows_a_neighbour(in_folder):
    (in_folder / "a.csv").write_bytes(b"person,item\r\neve,gin\r\r\nann,tea\r\n")
    assert ("tea", "ann") in rows("a.csv")
    with start_engine() as engine:
        itself = engine.sql(
            "select * from read_csv('a.csv', auto_detect=false, header=true, delim='|', quote='', "
            "columns={'line': 'VARCHAR'}, ignore_errors=true, strict_mode=false, parallel=false)"
        )
        assert ("ann,tea",) not in itself.fetchall()
