"""Files and disks that fail: a clear error, nothing released, nothing lost."""

import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import textwrap
from fractions import Fraction
from pathlib import Path

import pytest

import overbar
from overbar import LedgerError
from tests.frozen.hammer import PLAN, SCORES, ask

EACH = Fraction(1, 50)


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "ledger.db"
    overbar.Ledger(file).open("shared", epsilon=1)
    assert ask(overbar.Ledger(file), "first") is not None
    return file


def in_a_process(code, *arguments):
    """Run code in a process of its own; it prints what it has to say."""
    result = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code), *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


# A full disk -----------------------------------------------------------------------------------

FILLED = """
    import resource, signal, sys
    import overbar
    from tests.frozen.hammer import PLAN, SCORES

    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

    def limit(size):
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))

    def batches(ledger):
        if "settle" in path:
            limit(0)  # after the reservation, before the settlement
        yield SCORES

    for path in sys.argv[1:]:
        ledger = overbar.Ledger(path)
        limit(0 if "reserve" in path else resource.RLIM_INFINITY)
        try:
            found = overbar.select(
                batches(ledger), threshold=500, plan=PLAN, booking=ledger.booking("shared")
            )
        except overbar.LedgerError as error:
            told = f"refused: {error}"
        else:
            told = f"released: {found.labels}"
        limit(resource.RLIM_INFINITY)
        print(told)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs limits on files")
def test_a_file_that_may_not_grow(path):
    lost = {path.with_name("reserve.db"): 0, path.with_name("settle.db"): 1}
    control = path.with_name("control.db")
    for file in (*lost, control):
        shutil.copy(path, file)
    *told, free = in_a_process(FILLED, *lost, control).splitlines()
    assert free.startswith("released")
    for line, (file, count) in zip(told, lost.items(), strict=True):
        assert line.startswith("refused: the ledger")
        assert "cannot be used" in line
        ledger = overbar.Ledger(file)
        ledger.verify()
        account = ledger.show("shared")
        assert sum(entry.open for entry in account.entries) == count
        assert ledger.remaining("shared") == 1 - EACH * (1 + count)
        assert ask(ledger, "later") is not None


MOUNTED = """
    import os, subprocess, sys
    import overbar
    from tests.frozen.hammer import PLAN, SCORES

    folder = sys.argv[1]
    ledger = overbar.Ledger(folder + "/ledger.db")
    ledger.open("shared", epsilon=1000)

    def run():
        found = overbar.select(SCORES, threshold=500, plan=PLAN, booking=ledger.booking("shared"))
        return len(found)

    released = 0
    try:
        for number in range(10_000):
            run()
            released += 1
    except overbar.LedgerError as error:
        print("refused:", error)
    print(released)
"""


@pytest.mark.skipif(shutil.which("mount") is None, reason="needs mount")
def test_a_disk_that_is_really_full(tmp_path):
    folder = tmp_path / "small"
    folder.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=200k", "tmpfs", str(folder)],
        capture_output=True,
        check=False,
    )
    if made.returncode:
        pytest.skip("mounting is not permitted here")
    try:
        refused, released = in_a_process(MOUNTED, folder).splitlines()
        assert "disk is full" in refused or "disk I/O error" in refused
        subprocess.run(["mount", "-o", "remount,size=10m", str(folder)], check=True)
        ledger = overbar.Ledger(folder / "ledger.db")
        ledger.verify()
        account = ledger.show("shared")
        assert sum(not entry.open for entry in account.entries) == int(released) > 3
        assert account.balance.total.pure >= EACH * int(released)
        assert ask(ledger, "later") is not None
    finally:
        subprocess.run(["umount", str(folder)], check=True)


# No permission ---------------------------------------------------------------------------------

UNPRIVILEGED = """
    import os, sys
    import overbar
    from tests.frozen.hammer import PLAN, SCORES

    if os.getuid() == 0:
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)
    for path in sys.argv[1:]:
        try:
            ledger = overbar.Ledger(path)
            found = overbar.select(
                SCORES, threshold=500, plan=PLAN, booking=ledger.booking("shared")
            )
        except overbar.LedgerError as error:
            print("refused:", error)
        else:
            print("released:", found.labels)
"""


@pytest.mark.skipif(not hasattr(os, "setuid"), reason="needs users")
def test_what_may_not_be_written(path):
    with tempfile.TemporaryDirectory() as name:  # not in a folder that only its owner may enter
        folder = Path(name)
        folder.chmod(0o755)
        modes = {"file": (0o444, 0o777), "folder": (0o666, 0o555), "both": (0o444, 0o555)}
        files = [folder / what / "ledger.db" for what in modes]
        for file, (mode, around) in zip(files, modes.values(), strict=True):
            file.parent.mkdir()
            shutil.copy(path, file)
            file.chmod(mode)
            file.parent.chmod(around)
        targets = [*files, folder / "no such folder" / "ledger.db", folder]
        told = in_a_process(UNPRIVILEGED, *targets).splitlines()
        assert len(told) == len(targets)
        for line in told:
            assert line.startswith("refused: the ledger")
        for file in files:
            file.parent.chmod(0o755)
            file.chmod(0o600)
            assert file.read_bytes() == path.read_bytes()
            overbar.Ledger(file).verify()


# Files that are something else -------------------------------------------------------------------


def refuses(path, message):
    """Every use of the file fails with a clear message and leaves the file as it is."""
    before = path.read_bytes()
    with pytest.raises(LedgerError, match=message):
        overbar.Ledger(path)
    assert path.read_bytes() == before


def test_random_bytes(tmp_path):
    path = tmp_path / "ledger.db"
    path.write_bytes(random.Random(1).randbytes(20_000))
    refuses(path, "file is not a database")


def test_another_database(tmp_path):
    path = tmp_path / "ledger.db"
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE mine (x)")
    other.close()
    refuses(path, "it is an SQLite file, but not a ledger")


@pytest.mark.parametrize(("version", "age"), [(1, "a newer"), (-1, "an older")])
def test_other_forms(path, version, age):
    connection = sqlite3.connect(path)
    (known,) = connection.execute("PRAGMA user_version").fetchone()
    version = known + 1 if version == 1 else version
    connection.execute(f"PRAGMA user_version = {version}")
    connection.close()
    refuses(path, f"it has form {version}, written by {age} overbar; this one knows form {known}")
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA user_version = {known}")
    connection.close()
    assert overbar.Ledger(path).remaining("shared") == 1 - EACH


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_a_file_cut_short(path, share):
    whole = path.read_bytes()
    path.write_bytes(whole[: int(len(whole) * share)])
    with pytest.raises(LedgerError):
        overbar.Ledger(path).verify()


def test_damaged_pages_are_never_intact(path):
    """Overwrite a stretch anywhere: it is refused, or what is read is what was written."""
    whole = path.read_bytes()
    head = overbar.Ledger(path).head
    chance = random.Random(2)
    noticed = 0
    for _ in range(60):
        place = chance.randrange(len(whole) - 16)
        path.write_bytes(whole[:place] + chance.randbytes(16) + whole[place + 16 :])
        try:
            assert overbar.Ledger(path).verify(head) == head
            assert overbar.Ledger(path).remaining("shared") == 1 - EACH
        except LedgerError:
            noticed += 1
    assert noticed > 5


def test_a_file_that_vanished(path):
    ledger = overbar.Ledger(path)
    path.unlink()
    with pytest.raises(LedgerError, match="unable to open database file"):
        ask(ledger, "second")
    assert not path.exists()


def test_an_abandoned_new_file_is_laid_out(tmp_path):
    """A crash right after the file was made leaves an empty one."""
    (tmp_path / "ledger.db").touch()
    overbar.Ledger(tmp_path / "ledger.db").open("shared", epsilon=1)


@pytest.mark.parametrize("path", [3, None, b"ledger.db"])
def test_what_is_no_path(path):
    with pytest.raises(overbar.ParameterError, match="path must be the name of a file"):
        overbar.Ledger(path)


def test_an_older_copy_put_back_during_a_run(path):
    """The reservation is gone: then no answer leaves that the ledger does not know of."""
    old = path.read_bytes()
    ledger = overbar.Ledger(path)

    def batches():
        path.write_bytes(old)
        overbar.SparseVector(PLAN, booking=ledger.booking("shared"))  # takes the same number
        yield SCORES

    with pytest.raises(LedgerError, match="not in the ledger any more"):
        overbar.select(batches(), threshold=500, plan=PLAN, booking=ledger.booking("shared"))
    overbar.Ledger(path).verify()


def test_only_its_owner_may_read_a_new_file(path):
    assert path.stat().st_mode & 0o777 == 0o600
    assert overbar.select(SCORES, threshold=500, plan=PLAN).receipt is None
