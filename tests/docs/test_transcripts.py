"""Every ``sh`` block of the documentation is pasted into bash, as a reader does.

The form, for whoever writes one:

    ```sh
    overbar select sales.csv --item product \\
        --person customer ... | sort
    ```

    ```text
    tea
    spent ...
    ```

- A block is pasted whole: no prompt stands in it, and nothing that a command writes. What it
  writes, on both streams, is the ``text`` block that follows with nothing between, if any does.
- ``...`` in a line stands for anything within that line; a line that is only ``...`` stands for any
  number of lines. Use it for what is random, and for what is long. Trailing spaces do not count.
- Signs of life (``reading sales.csv: 10 s``) are no part of it: they come where a machine is busy.
- All commands must leave with 0; but the last of a block may leave with the number in a last line
  ``[exit code N]``.
- All blocks of a page run in one folder, in their order, with ``overbar`` and ``python`` from where
  the tests run; but for the first command of README, ``overbar`` is the one that needs no start
  (`tests/prepared.py`). The folder is empty at first: a page makes its own files. ``cd`` and
  variables do not last from one block to the next.
- A block that begins with ``pip install`` or ``make`` installs something, and is left out.
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
#: A block, and what it writes.
BLOCK = re.compile(r"^```sh\n(.*?)^```$(?:\n\n```text\n(.*?)^```$)?", re.MULTILINE | re.DOTALL)
LEFT_OUT = ("pip install ", "make ")
PAGES = [
    page
    for page in sorted([*ROOT.glob("*.md"), *ROOT.glob("lab/*.md"), *(ROOT / "docs").rglob("*.md")])
    if "```sh" in page.read_text() and "_build" not in page.parts
]
SIGN_OF_LIFE = re.compile(r"^reading [^\n]*: \d+ s(?:, \d+ %)?\n", re.MULTILINE)
LEFT = re.compile(r"\[exit code (\d+)\]")


def pasted(text):
    """What is pasted of a page, each with what it stands for as text of the page."""
    return [found for found in BLOCK.finditer(text) if not found[1].startswith(LEFT_OUT)]


def steps(text):
    """Blocks of a page, each with the lines it should write and its exit code."""
    found = []
    for block in pasted(text):
        lines, code = (block[2] or "").splitlines(), 0
        if lines and LEFT.fullmatch(lines[-1]):
            code = int(LEFT.fullmatch(lines.pop())[1])
        found.append((block[1], lines, code))
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
    """Paste the blocks of a page, with these programs; return those that did otherwise."""
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
            ["bash", "-e", "-o", "pipefail", "-s"],
            cwd=folder,
            env=environment,
            input=command,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=1200,  # a page that waits for ever is wrong, whatever it waits for
        )
        written = SIGN_OF_LIFE.sub("", done.stdout)
        if done.returncode != code or not pattern(lines).fullmatch(written):
            wrong.append(f"{command}{written}[exit code {done.returncode}]")
        if "overbar " in command:
            environment["PATH"] = soon
    return wrong


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_transcript_happens_again(page, tmp_path):
    wrong = replay(page.read_text(), tmp_path, installed=page.name == "README.md")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    ("typed", "written", "right"),
    [
        ("echo tea", "tea", True),
        ("echo tea", "rum", False),
        ("echo tea", "", False),
        ("$ echo tea", "tea", False),
        ("echo tea \\\n> rum", "tea rum", False),
        ("echo tea\necho rum", "tea\n...", True),
        ("printf 'a 1\\nb 2\\n'", "a ...\nb ...", True),
        ("printf 'a 1\\nb 2\\n'", "a ...", False),
        ("printf 'a\\nb\\nc\\n'", "a\n...\nc", True),
        ("cat <<END\ntea\n\nEND", "tea\n", True),
        ("exit 2", "[exit code 2]", True),
        ("exit 2", "", False),
        ("false\ntrue", "", False),
        ("echo loud >&2", "loud", True),
        ("false | cat", "", False),
        ("make no such thing", "", True),
        ("echo 'reading a.csv: 10 s, 40 %' >&2; echo tea", "tea", True),
        ("echo 'reading a.csv failed'; echo tea", "tea", False),
    ],
)
def test_a_wrong_block_is_noticed(typed, written, right, tmp_path):
    page = f"```sh\n{typed}\n```\n" + f"\n```text\n{written}\n```\n" * bool(written)
    assert (not replay(page, tmp_path)) is right


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_no_block_is_overlooked(page):
    text = page.read_text()
    assert text.count("```sh\n") == len(BLOCK.findall(text))
