"""Build wheel and sdist so that their bytes depend on the sources alone: `make dist`.

``python -m tools.packing dist`` builds both, then builds them again from the sdist, in another
folder, and compares. Names are sorted, dates and owners are fixed, and the modes of files are two.
What is left is the version of setuptools, of Python and of its zlib.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
#: The date of every file: the first full day that a wheel can have. `SOURCE_DATE_EPOCH` has others.
DATE = "315619200"
#: What setuptools adds to an sdist, by name or ending; what work there makes is not tracked.
ADDED = ("PKG-INFO", "setup.cfg", ".egg-info")


def tracked(folder: Path) -> list[str]:
    """Return the files of a clone, or of an unpacked sdist, by their names in it."""
    git = ["git", "-C", str(folder), "ls-files", "-z"]
    if (folder / ".git").exists():
        listed = subprocess.run(git, capture_output=True, text=True, check=True).stdout
        return sorted(name for name in listed.split("\0") if name and (folder / name).exists())
    ignored = (folder / ".gitignore").read_text().split()
    made = [line.strip("/") for line in ignored]
    files = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    return sorted(
        name.as_posix()
        for name in files
        if not any(part.endswith(ADDED) for part in name.parts)
        and (
            f"!{name.as_posix()}" in ignored
            or not any(place.match(one) for place in (name, *name.parents) for one in made)
        )
    )


def build(source: Path, target: Path) -> None:
    """Build the sdist of a folder and the wheel of that sdist."""
    with tempfile.TemporaryDirectory() as place:
        clean, first = Path(place, "clean"), Path(place, "first")
        for name in tracked(source):
            (clean / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source / name, clean / name)
        _run("--sdist", clean, first)
        (sdist,) = first.glob("*.tar.gz")
        target.mkdir(parents=True, exist_ok=True)
        settled(sdist, target / sdist.name)
        with tarfile.open(target / sdist.name) as archive:
            archive.extractall(place, filter="data")
        _run("--wheel", Path(place, sdist.name.removesuffix(".tar.gz")), target)


def settled(sdist: Path, target: Path) -> None:
    """Write an sdist anew: names sorted, one date, no owners, two modes."""
    date = int(os.environ.get("SOURCE_DATE_EPOCH", DATE))
    with (
        tarfile.open(sdist) as old,
        open(target, "wb") as file,
        gzip.GzipFile("", "wb", mtime=date, fileobj=file) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as new,
    ):
        for member in sorted(old.getmembers(), key=lambda one: one.name):
            entry = tarfile.TarInfo(member.name)
            entry.type, entry.mtime = member.type, date
            entry.mode = 0o755 if member.isdir() or member.mode & 0o100 else 0o644
            content = old.extractfile(member)
            entry.size = member.size if content else 0
            new.addfile(entry, content or io.BytesIO())


def _run(what: str, source: Path, target: Path) -> None:
    command = [sys.executable, "-m", "build", "--no-isolation", what, "--outdir", target, source]
    environment = {"SOURCE_DATE_EPOCH": DATE, **os.environ}
    done = subprocess.run(
        [*map(str, command)], env=environment, umask=0o022, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    if done.returncode:
        sys.exit(done.stdout + done.stderr)


def digests(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of each distribution."""
    files = (*folder.glob("*.tar.gz"), *folder.glob("*.whl"))
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def main(target: Path) -> None:
    """Build twice; say what the bytes are, or that they differ."""
    build(ROOT, target)
    with tempfile.TemporaryDirectory() as place:
        (sdist,) = target.glob("*.tar.gz")
        with tarfile.open(sdist) as archive:
            archive.extractall(place, filter="data")
        again = Path(place, "again")
        build(Path(place, sdist.name.removesuffix(".tar.gz")), again)
        first, second = digests(target), digests(again)
    for name, digest in first.items():
        print(f"{digest}  {name}")
    if first != second:
        sys.exit("the same source gave other bytes: " + ", ".join(sorted(second)))
    print("built twice, the second time from the sdist: the same bytes")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "dist"))
