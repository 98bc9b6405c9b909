"""Damage copies of a monitor's store, and open each: it is refused, or has forgotten nobody.

    python -m tests.frozen.store_damage --copies 1400

A copy gets a wrong bit, wrong bytes, an empty page, two pages in each other's place, some pages of
an earlier day (as after a write that was half undone), or is cut short. Everybody in it has used up
all alarms. So whoever is counted once more, after the copy was opened, was forgotten.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import overbar

#: So little noise that one person who still counts is seen.
PLAN = overbar.plan(epsilon=10**5, delta="1e-6", hits_per_person=2)
PERSONS = [f"patient {number}" for number in range(1500)]
KINDS = ("bit", "bytes", "stretch", "empty", "swap", "cut", "earlier")
OPENED, FORGOTTEN = "opened, and has forgotten nothing", "opened, and has forgotten"
#: In memory where there is such a place: what is tried here is reading, not disks.
FAST = "/dev/shm" if os.path.isdir("/dev/shm") else None


@dataclass(frozen=True)
class Good:
    """A store in which everybody is used up, what it was one alarm before, and its page."""

    earlier: bytes
    whole: bytes
    page: int
    labels: tuple[str, ...]


def good(folder: Path) -> Good:
    path = folder / "good.db"
    with overbar.Monitor(PLAN, threshold="0.5", store=path) as own:
        for number in range(60):  # labels that fill pages of their own
            nurses = [f"nurse {number} of ward {ward}" for ward in range(5)]
            own.ask(nurses, label=f"an alarm about nurses who have the number {number}")
            own.ask(nurses)
        for part in range(0, len(PERSONS), 100):
            own.ask(PERSONS[part : part + 100], label=f"{part}")
        own.ask(PERSONS[500:])
        earlier = path.read_bytes()
        own.ask(PERSONS[:500])
        labels = own.labels
    whole = path.read_bytes()
    return Good(earlier, whole, int.from_bytes(whole[16:18], "big"), labels)


def damaged(chance: random.Random, kind: str, made: Good) -> bytes:
    """Return a copy with damage of one kind."""
    content, page = bytearray(made.whole), made.page
    pages = range(0, len(content), page)
    place, (one, other) = chance.randrange(len(content)), chance.sample(pages, 2)
    if kind == "bit":
        content[place] ^= 1 << chance.randrange(8)
    elif kind == "bytes":
        content[place : place + 16] = chance.choice([bytes(16), chance.randbytes(16)])[
            : len(content) - place
        ]
    elif kind == "stretch":
        end = min(len(content), place + chance.randrange(1, 2000))
        content[place:end] = chance.randbytes(end - place)
    elif kind == "empty":
        content[one : one + page] = bytes(page)
    elif kind == "swap":
        both = content[one : one + page], content[other : other + page]
        content[other : other + page], content[one : one + page] = both
    elif kind == "cut":
        del content[place:]
    else:
        # The first page counts commits: with all others put back it is a whole copy of that day.
        changed = [at for at in pages[1 : len(made.earlier) // page] if differ(made, at)]
        back = chance.sample(changed, chance.randrange(1, len(changed)))
        for at in back:
            content[at : at + page] = made.earlier[at : at + page]
    return bytes(content)


def differ(made: Good, at: int) -> bool:
    return made.whole[at : at + made.page] != made.earlier[at : at + made.page]


def opened(path: Path, content: bytes, plan: overbar.Plan | None, labels: tuple[str, ...]) -> str:
    """Open a copy as those do who know it; return what became of it."""
    for left in path.parent.glob(f"{path.name}*"):
        left.unlink()
    path.write_bytes(content)
    try:
        with overbar.Monitor(plan, threshold="0.5", store=path) as own:
            if own.is_new:
                return "told that it is new"
            same = own.labels == labels and own.plan == PLAN
            return OPENED if same and not own.ask(PERSONS) else FORGOTTEN
    except overbar.OverbarError as error:
        return "refused" if isinstance(error, overbar.LedgerError) else f"raw: {error!r}"
    except Exception as error:  # whatever it is, it is what is looked for
        return f"raw: {error!r}"


def damage(copies: int, first: int = 0, kinds: tuple[str, ...] = KINDS) -> Counter[tuple[str, str]]:
    """Damage so many copies; return how often a kind of damage ended how."""
    found: Counter[tuple[str, str]] = Counter()
    with tempfile.TemporaryDirectory(dir=FAST) as folder:
        made = good(Path(folder))
        assert opened(Path(folder, "same.db"), made.whole, None, made.labels) == OPENED
        for seed in range(first, first + copies):
            chance, kind = random.Random(seed), kinds[seed % len(kinds)]
            plan = chance.choice([PLAN, None])
            asked = Path(folder, "copy.db"), damaged(chance, kind, made), plan, made.labels
            ended = opened(*asked)
            # Noise alone passes once in a thousand times: then the same copy is asked again.
            found[kind, opened(*asked) if ended == FORGOTTEN else ended] += 1
    return found


def wrong(found: Counter[tuple[str, str]]) -> Counter[str]:
    """Return how often what must not be has been."""
    kinds = {FORGOTTEN: "silent", "raw": "raw"}
    bad = ((kinds.get(ended.partition(":")[0]), many) for (_, ended), many in found.items())
    return Counter(kind for kind, many in bad if kind for _ in range(many))


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--copies", type=int, default=1400)
    parser.add_argument("--first", type=int, default=0)
    asked = parser.parse_args()
    found = damage(asked.copies, asked.first)
    for (kind, ended), many in sorted(found.items()):
        print(f"{many:6} {kind}: {ended}")
    bad = wrong(found)
    print(f"{found.total()} damages, {bad['silent']} silent, {bad['raw']} raw errors")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
