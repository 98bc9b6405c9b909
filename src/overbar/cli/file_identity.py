"""What is read and what is written are kept apart: by which file it is, whatever it is called.

A table that is its own public list would let out items that one person has. Tables are looked up
here and never opened: a dry run comes this way too. Of a file that would be replaced the first
bytes are read, because a ledger that is lost has forgotten what was spent.
"""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from overbar.errors import ParameterError
from overbar.ledger.address import is_address

if TYPE_CHECKING:
    from overbar.cli.table_options import FileOptions

STANDARD_INPUT = "-"
#: So many bytes are written, and removed, where an answer is to be written: as much as most need.
TRIED = 1 << 16
#: How every SQLite database begins, and so every ledger; what DuckDB's have at their ninth byte.
SQLITE, DUCKDB = b"SQLite format 3\0", b"DUCK"
#: Files beside a database that belong to it: what was written last may be nowhere else.
BESIDE = ("-wal", "-shm", "-journal", ".wal")
#: Device and number of a file that is there; the resolved name of one that is not.
Identity = tuple[int, int] | str


def identity(name: str | os.PathLike[str]) -> Identity:
    """Return which file a name stands for: links of both kinds lead to the same one."""
    try:
        status = os.fstat(0) if str(name) == STANDARD_INPUT else os.stat(name)
    except OSError:
        return os.path.realpath(name)
    return status.st_dev, status.st_ino


def keep_apart(
    options: FileOptions,
    *,
    catalogue: str | None = None,
    groups: str | None = None,
    plan: Path | None = None,
) -> None:
    """Refuse a table that is also the list or the plan, and outputs that cannot be written."""
    from overbar.cli.tables.files import matching_files
    from overbar.cli.tables.public_list import catalogue_file

    tables = {identity(name) for place in options.sources for name in matching_files(place)}
    typed = {"catalogue": catalogue, "groups": groups}
    lists = {what: name and catalogue_file(name) for what, name in typed.items()}
    for what, listed in lists.items():
        if listed is not None and identity(listed) in tables:
            raise ParameterError(
                f"--{what} must be a public list, but {listed} is the table itself, and what is "
                "taken from the data is not public; give a list made without looking at the data, "
                f"or leave --{what} out"
            )
    if plan is not None and identity(plan) in tables:
        raise ParameterError(
            f"--plan must be a plan, but {plan} is the table itself; write --plan FILE with what "
            "'overbar plan --out FILE' has written"
        )
    taken = dict.fromkeys(tables, "the table")
    store = getattr(options, "store", None)
    ledger = None if is_address(options.ledger) else options.ledger
    for what, name in (*lists.items(), ("plan", plan), ("ledger", ledger), ("store", store)):
        if name is not None:
            taken.setdefault(identity(name), f"the {what}")
    outputs = [*(options.out or []), options.save]
    check_outputs(outputs, taken, force=options.force)


def check_outputs(
    outputs: Iterable[Path | None], taken: Mapping[Identity, str], *, force: bool
) -> None:
    """Refuse outputs that are read, named twice, there already, or cannot be written."""
    written: set[Identity] = set()
    for path in outputs:
        if path is None:
            continue
        one = identity(path)
        if one in taken:
            raise ParameterError(
                f"{path} is {taken[one]} that this run reads, and would be lost; write to another "
                "file"
            )
        if one in written:
            raise ParameterError(f"{path} must be named once")
        written.add(one)
        _check_place(path, force=force)


def _check_place(path: Path, *, force: bool) -> None:
    if path.is_dir():
        raise ParameterError(f"{path} is a folder; name a file")
    try:
        plain = stat.S_ISREG(path.stat().st_mode)  # a pipe or /dev/null loses nothing
    except OSError:
        plain = os.path.lexists(path)
    if _of_database(path, plain=plain):
        raise ParameterError(
            f"{path} is a database or a part of one, perhaps a ledger, and is never replaced; "
            "write to another file"
        )
    if plain and not force:
        raise ParameterError(f"{path} exists already; write --force to replace it")
    folder = path.absolute().parent
    if not folder.is_dir():
        raise ParameterError(f"there is no folder {path.parent} to write {path.name} into")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise ParameterError(f"{path.parent} may not be written to: permission denied")
    if plain or not path.exists():
        _try_writing(folder)


def _try_writing(folder: Path) -> None:
    """Refuse a folder that takes no file, such as one of a full disk, before anything is paid."""
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(bytes(TRIED))
            file.flush()
    except OSError as error:
        raise ParameterError(f"{folder} cannot be written to: {error.strerror}") from None


def _of_database(path: Path, *, plain: bool) -> bool:
    """Tell whether a file is a database, or has the name of what belongs to one."""
    name = os.path.realpath(path)
    beside = next((name.removesuffix(end) for end in BESIDE if name.endswith(end)), "")
    return (plain and _is_database(path)) or (os.path.isfile(beside) and _is_database(Path(beside)))


def _is_database(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            first = file.read(len(SQLITE))
    except FileNotFoundError:  # a link that leads nowhere
        return False
    except OSError:
        raise ParameterError(
            f"{path} may not be read, so it is not replaced: it may be a ledger; write to another "
            "file"
        ) from None
    return first == SQLITE or first[8:].startswith(DUCKDB)
