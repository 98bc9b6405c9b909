"""Every ``console`` block of the documentation is a transcript, and is replayed.

The form, for whoever writes one:

    ```console
    $ overbar select sales.csv --item product \\
    >     --person customer ... | sort
    tea
    spent ...
    $ overbar select nothing.csv --item product
    overbar: there is no file nothing.csv
    [exit code 2]
    ```

- ``$ `` begins a command, ``> `` goes on with it; what follows is what it writes, on both streams.
- ``...`` in a line stands for anything within that line; a line that is only ``...`` stands for any
  number of lines. Use it for what is random, and for what is long. Trailing spaces do not count.
- Signs of life (``reading sales.csv: 10 s``) are no part of it: they come where a machine is busy.
- A command must leave with 0, or with the number in a last line ``[exit code N]``.
- All blocks of a page run in one folder, in their order, with ``overbar`` and ``python`` from where
  the tests run; but for the first command of README, ``overbar`` is the one that needs no start
  (`tests/prepared.py`). The folder is empty at first: a page makes its own files. ``cd`` and
  variables do not last from one command to the next.
- What must not run (``pip install``) is an ``sh`` block, without ``$ ``.
- A page that needs a file of the repository finds its root in ``$REPOSITORY``.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests import prepared

ROOT = Path(__file__).parents[2]
PAGES = [
    page
    for page in sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
    if "```console" in page.read_text() and "_build" not in page.parts
]
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SIGN_OF_LIFE = re.compile(r"^reading [^\n]*: \d+ s(?:, \d+ %)?\n", re.MULTILINE)
LEFT = re.compile(r"\[exit code (\d+)\]")


def steps(text):
    """Commands of a page, each with the lines it should write and its exit code."""
    found = []
    for block in BLOCK.findall(text):
        for line in block.splitlines():
            if line.startswith("$ "):
                found.append([line[2:], [], 0])
            elif (line.startswith("> ") or line == ">") and found and not found[-1][1]:
                found[-1][0] += "\n" + line[2:]
            elif LEFT.fullmatch(line):
                found[-1][2] = int(LEFT.fullmatch(line)[1])
            else:
                found[-1][1].append(line)
    return found


def pattern(lines):
    """What the lines of a transcript match."""
    parts = []
    for line in lines:
        if line.strip() == "...":
            parts.append(r"(?:[^\n]*\n)*?")
        else:
            pieces = map(re.escape, line.rstrip().split("..."))
            parts.append("[^\n]*".join(pieces) + r"[ \t]*\n")
    return re.compile("".join(parts))


def replay(text, folder, programs=None, *, installed=False):
    """Run the commands of a page with these programs; return those that did otherwise."""
    own = programs or Path(sys.executable).parent
    path = f"{own}{os.pathsep}{os.environ['PATH']}"
    soon = path if programs else f"{Path(prepared.program()).parent}{os.pathsep}{path}"
    environment = os.environ | {
        "PATH": path if installed else soon,
        "NO_COLOR": "1",
        "COLUMNS": "80",
        "REPOSITORY": str(ROOT),
        "OVERBAR_DATA": "",
    }
    wrong = []
    for command, lines, code in steps(text):
        done = subprocess.run(
            ["bash", "-o", "pipefail", "-c", command],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=1200,  # a page that waits for ever is wrong, whatever it waits for
        )
        written = SIGN_OF_LIFE.sub("", done.stdout)
        if done.returncode != code or not pattern(lines).fullmatch(written):
            wrong.append(f"$ {command}\n{written}[exit code {done.returncode}]")
        if "overbar " in command:
            environment["PATH"] = soon
    return wrong


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_transcript_happens_again(page, tmp_path):
    wrong = replay(page.read_text(), tmp_path, installed=page.name == "README.md")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    ("body", "right"),
    [
        ("$ echo tea\ntea", True),
        ("$ echo tea\nrum", False),
        ("$ echo tea\n> echo rum\ntea\n...", True),
        ("$ printf 'a 1\\nb 2\\n'\na ...\nb ...", True),
        ("$ printf 'a 1\\nb 2\\n'\na ...", False),
        ("$ printf 'a\\nb\\nc\\n'\na\n...\nc", True),
        ("$ exit 2\n[exit code 2]", True),
        ("$ exit 2", False),
        ("$ echo loud >&2\nloud", True),
        ("$ false | cat", False),
        ("$ echo 'reading a.csv: 10 s, 40 %' >&2; echo tea\ntea", True),
        ("$ echo 'reading a.csv failed'; echo tea\ntea", False),
    ],
)
def test_a_wrong_transcript_is_noticed(body, right, tmp_path):
    assert (not replay(f"```console\n{body}\n```\n", tmp_path)) is right
