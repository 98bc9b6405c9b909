"""Ctrl-C at random moments against real `overbar` processes: ``python -m tests.frozen.interrupts``.

After each signal: no traceback and at most one line beside the answer, an exit code that is there
for it (130 if it was stopped, 0 if it was done before), no part of a file, a ledger that verifies
and holds no more than the run may cost; and a process that was not stopped has all of its answer.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Sequence
from pathlib import Path

from overbar import Ledger

PROGRAM = (str(Path(sys.executable).with_name("overbar")),)
ROWS = 20_000
CELL = '<c t="inlineStr"><is><t>{}</t></is></c>'
ASK = "--item product --person customer --epsilon 1"
LIST = "--catalogue tea,rum,ale,gin"
PAID = "--ledger budget.db --dataset sales --out answer.csv --force"
WATCH = "--time day --from 2024-01-01 --to 2024-03-30 --threshold 100 --hits-per-person 3"
COMMANDS = (
    f"top sales.csv {ASK} {LIST} --cutoff 2 {PAID}",
    f"top sales.xlsx {ASK} {LIST} --cutoff 2 {PAID}",
    f"select sales.parquet {ASK} {LIST} --cutoff 2 --threshold 900 --out answer.html {PAID}",
    f"keys sales.csv {ASK} --delta 1e-6 --counts {PAID}",
    "check sales.csv --item product --person customer",
    "check sales.xlsx --item product --person customer",
    "check sales.parquet --item product --person customer",
    f"watch sales.csv {ASK} {LIST} {WATCH} --delta 1e-6 --store watch.db",
    "plan --cutoff 50 --epsilon 1 --delta 1e-6 --candidates 10000",
    "ledger verify budget.db",
)
#: Seconds for which no line of this project has run yet.
STARTING = 0.06


def tables(folder: Path) -> None:
    """Write the same sales in three kinds of files, and open a budget for many runs."""
    import pyarrow
    from pyarrow import csv, parquet

    names = ("tea", "rum", "ale", "gin")
    days = [f"2024-{month:02}-{day:02}" for month in (1, 2, 3) for day in range(1, 29)]
    rows = [
        (f"c{number % 3000}", names[number % 7 % 4], days[number % len(days)])
        for number in range(ROWS)
    ]
    columns = ("customer", "product", "day")
    table = pyarrow.table({name: [row[n] for row in rows] for n, name in enumerate(columns)})
    csv.write_csv(table, folder / "sales.csv")
    parquet.write_table(table, folder / "sales.parquet")
    workbook(folder / "sales.xlsx", [columns, *rows])
    Ledger(folder / "budget.db").open("sales", epsilon=10_000, delta="1e-3")


def workbook(path: Path, rows: list[tuple[str, ...]]) -> None:
    """Write a workbook of one sheet of text."""
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006/relationships"
    sheet = "".join("<row>" + "".join(map(CELL.format, row)) + "</row>" for row in rows)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr(
            "xl/workbook.xml",
            f'<workbook xmlns="{main}" xmlns:r="{office}"><sheets>'
            '<sheet name="sales" sheetId="1" r:id="r1"/></sheets></workbook>',
        )
        file.writestr(
            "xl/_rels/workbook.xml.rels",
            f'<Relationships xmlns="{package}"><Relationship Id="r1" '
            f'Type="{office}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
        )
        file.writestr(
            "xl/worksheets/sheet1.xml",
            f'<worksheet xmlns="{main}"><sheetData>{sheet}</sheetData></worksheet>',
        )


def run(
    command: str, folder: Path, moment: float | None, program: Sequence[str] = PROGRAM
) -> tuple[int, str, str]:
    """Run a command, and stop it after so many seconds."""
    process = subprocess.Popen(
        [*program, *command.split()],
        cwd=folder,
        env=os.environ | {"COLUMNS": "80", "NO_COLOR": "1"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    if moment is not None:
        time.sleep(moment)
        process.send_signal(signal.SIGINT)
    said, beside = process.communicate(timeout=600)
    return process.returncode, said, beside


def wrong(ended: tuple[int, str, str], folder: Path, before: tuple[str, float]) -> str | None:
    """Return what is not as it should be after a command that was stopped."""
    code, answer, beside = ended
    said = [line for line in beside.splitlines() if not line.startswith("reading ")]
    if "Traceback" in beside or any(not line.startswith("overbar: ") for line in said):
        return "a traceback, or more than a line"
    if code == -signal.SIGINT and not answer + beside:  # Python itself was not there yet
        code = 130
    elif code == 130 and (len(said) != 1 or "stopped" not in said[0]):
        return "stopped without saying so in one line"
    if code not in (0, 130) or (code == 0 and not answer):
        return f"exit code {code}, and {answer or 'nothing'} came out"
    left = [path.name for path in folder.iterdir() if path.name.startswith(".")]
    if left:
        return f"parts of files: {left}"
    for path in folder.glob("answer.*"):
        whole = path.read_text()
        if not re.search(r"</html>\s*$" if path.suffix == ".html" else r"\n$", whole):
            return f"half of {path.name}"
    ledger = Ledger(folder / "budget.db", create=False)
    ledger.verify(before[0])
    spent = before[1] - float(ledger.remaining("sales"))
    if spent > 1.0001:
        return f"it has cost {spent}"
    paid = ledger.head != before[0]
    if code == 130 and paid is not bool(re.search("(?<!nothing was) spent", beside)):
        return f"it {'was' * paid or 'was not'} paid for, and this is not what it says"
    return None


def state(folder: Path) -> tuple[str, float]:
    """Return the head of the ledger and what is left."""
    ledger = Ledger(folder / "budget.db", create=False)
    return ledger.head, float(ledger.remaining("sales"))


def campaign(signals: int, seed: int, program: Sequence[str] = PROGRAM) -> list[str]:
    """Send so many signals; return what was wrong after which."""
    drawn, found, codes = random.Random(seed), [], []
    takes: list[float] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tables(folder)
        for number in range(signals):
            command = COMMANDS[number % len(COMMANDS)]
            for path in folder.glob("watch.db*"):
                path.unlink()
            if number < len(COMMANDS):  # to its end, to know how long it takes
                begin = time.monotonic()
                code, _, beside = run(command, folder, None, program)
                assert code == 0, (command, beside)
                takes.append(time.monotonic() - begin)
            whole, before = takes[number % len(COMMANDS)], state(folder)
            moment = drawn.uniform(STARTING, whole * 1.05)
            ended = run(command, folder, moment, program)
            codes.append(ended[0])
            trouble = wrong(ended, folder, before)
            if trouble is not None:
                found.append(f"{command}\n{moment:.3f} s of {whole:.3f}: {trouble}\n{ended[2]}")
                for path in folder.glob(".*"):
                    path.unlink()
    stopped, done = len(codes) - codes.count(0), codes.count(0)
    print(f"{signals} signals: {stopped} stopped, {done} done, {len(found)} wrong")
    if signals > len(COMMANDS) and stopped < signals / 4:
        found.append("hardly any was stopped: this has tried nothing")
    return found


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--signals", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--program", nargs="+", default=PROGRAM)
    given = parser.parse_args()
    # As at a terminal: a shell has what it starts in the background, and its children, ignore it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.exit("\n".join(campaign(given.signals, given.seed, given.program)))
