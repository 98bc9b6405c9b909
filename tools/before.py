"""The house as it was, to be asked beside the house as it is: ``python -m tools.before [FOLDER]``.

Makes a worktree of the commit below, by default in the folder ``.before`` of this repository, or
finds it there. Prints where it is, as suites and benchmarks are told.
"""

from __future__ import annotations

import argparse
import subprocess
from pathlib import Path

from benchmarks.before import VARIABLE

#: The last commit before the house was made smaller.
BEFORE = "69de486bddcfe89662cc8a23bd24f82422e69c15"
ROOT = Path(__file__).parents[1]
FOLDER = ".before"


def git(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Return what git did in a folder."""
    line = ["git", "-C", str(folder), *words]
    try:
        return subprocess.run(line, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise SystemExit(f"git is needed for commit {BEFORE[:8]}, and is not installed") from None


def worktree(folder: Path) -> Path:
    """Return the folder with the earlier commit, and nothing else, in it; make it if need be."""
    folder = folder.resolve()
    if (folder / ".git").exists():
        commit, changes = (
            git(folder, *words).stdout.strip()
            for words in (("rev-parse", "HEAD"), ("status", "--porcelain"))
        )
        if commit != BEFORE or changes:
            raise SystemExit(
                f"{folder} is not commit {BEFORE[:8]} as it was: "
                f"git worktree remove --force {folder}"
            )
        return folder
    if not (ROOT / ".git").exists():
        raise SystemExit(f"{ROOT} is not a clone, and only a clone has commit {BEFORE[:8]}")
    if git(ROOT, "cat-file", "-e", f"{BEFORE}^{{commit}}").returncode:
        raise SystemExit(
            f"commit {BEFORE[:8]} is not in this clone; if it is shallow: git fetch --unshallow"
        )
    # Forced, for a folder that git knows and somebody has taken away; never one with files in it.
    made = git(ROOT, "worktree", "add", "--force", "--detach", str(folder), BEFORE)
    if made.returncode:
        raise SystemExit(f"{folder} was not made: {made.stderr.strip()}")
    return folder


def main(arguments: list[str] | None = None) -> None:
    """Make or find the worktree, and print what is to be set."""
    parser = argparse.ArgumentParser(description=f"A worktree of commit {BEFORE[:8]}")
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / FOLDER)
    print(f"{VARIABLE}={worktree(parser.parse_args(arguments).folder)}")


if __name__ == "__main__":
    main()
