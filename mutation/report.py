"""Outcomes on disk, scores and survivors."""

from __future__ import annotations

import json
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path

from mutation.operators import Mutant

JUSTIFIED = Path(__file__).parent / "justified.toml"

#: Under this heading come survivors that nobody has explained.
OPEN = "Not justified: a test is missing."
#: Characters shown on each side of a change.
AROUND = 28

#: What identifies a change wherever its lines move to: module, function, text before and after.
Key = tuple[str, str, str, str]


def key(mutant: Mutant) -> Key:
    """Identify a change."""
    return mutant.module, mutant.function, mutant.before, mutant.after


def read(path: Path) -> dict[Mutant, str]:
    """Read outcomes written by an earlier run."""
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    return {Mutant(**row["change"]): row["outcome"] for row in rows}


def write(path: Path, outcomes: Mapping[Mutant, str]) -> None:
    """Begin a file of outcomes, one a line."""
    path.write_text("")
    for one, how in outcomes.items():
        append(path, one, how)


def append(path: Path, mutant: Mutant, outcome: str) -> None:
    """Add an outcome; for the same change the last one counts."""
    with path.open("a") as file:
        file.write(json.dumps({"change": asdict(mutant), "outcome": outcome}) + "\n")


def still_there(before: Mapping[Mutant, str], every: Iterable[Mutant]) -> dict[Mutant, str]:
    """Carry outcomes over to a source whose lines have moved; changes that are gone are dropped."""
    known = {key(one): how for one, how in before.items()}
    return {one: known[key(one)] for one in every if key(one) in known}


def justified(room: str) -> dict[Key, str]:
    """Read the survivors that are said to be harmless, with the reason."""
    rows = tomllib.loads(JUSTIFIED.read_text()).get(room, [])
    return {
        (row["module"], row["function"], row["before"], row["after"]): row["why"] for row in rows
    }


def summary(room: str, outcomes: Mapping[Mutant, str]) -> str:
    """Give the score both ways: every survivor counted, and without the justified ones."""
    survived = [one for one, how in outcomes.items() if how == "survived"]
    known = justified(room)
    excused = [one for one in survived if key(one) in known]
    total, killed = len(outcomes), len(outcomes) - len(survived)
    return (
        f"{room}: {killed} of {total} noticed, {killed / total:.1%}; "
        f"{len(excused)} of {len(survived)} survivors justified, "
        f"without them {killed / (total - len(excused)):.1%}"
    )


def tables(room: str, outcomes: Mapping[Mutant, str]) -> str:
    """Write the score of every module, and every survivor, in Markdown."""
    noticed = Counter(one.module for one, how in outcomes.items() if how != "survived")
    total = Counter(one.module for one in outcomes)
    lines = [f"### `{room}/`", "", summary(room, outcomes) + ".", ""]
    lines += ["| module | noticed | of |", "|---|---|---|"]
    lines += [
        f"| `{module}.py` | {noticed[module]} | {total[module]} |" for module in sorted(total)
    ]
    known = justified(room)
    survived = [one for one, how in outcomes.items() if how == "survived"]
    groups: dict[str, list[Mutant]] = {why: [] for why in [*dict.fromkeys(known.values()), OPEN]}
    for one in sorted(survived, key=lambda one: (one.module, one.line, one.after)):
        groups[known.get(key(one), OPEN)].append(one)
    for why, members in groups.items():
        if members:
            lines += ["", f"{why}", ""]
            lines += [f"- `{_shown(one)}`" for one in members]
    return "\n".join([*lines, ""])


def _shown(mutant: Mutant) -> str:
    """Show where a change is and the part of the statement that differs."""
    before, after = mutant.before, mutant.after
    start = next((i for i, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), 0)
    ends = zip(reversed(before[start:]), reversed(after[start:]), strict=False)
    same = next((i for i, (a, b) in enumerate(ends) if a != b), 0)
    left, right = max(0, start - AROUND), max(0, same - AROUND)
    old, new = (text[left : len(text) - right] for text in (before, after))
    return f"{mutant.module}.{mutant.function or 'import'}: {old.strip()} → {new.strip()}"
