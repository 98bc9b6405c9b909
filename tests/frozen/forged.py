"""Rows that nobody honest writes, with right hashes: each must be refused, also by ``python -O``.

    python -O -m tests.frozen.forged 1

Every one of them, or every fourth with 4. Prints how many there were, and what was not refused.
"""

import copy
import json
import sqlite3
import sys
import tempfile
from fractions import Fraction
from itertools import islice
from pathlib import Path

import overbar
from tests.frozen import seam
from tests.frozen.damage import FAST
from tests.queue_plans import queue_plan

PLAN = queue_plan(epsilon="1/4", cutoff=2, monotonic=True, candidates=100)
#: Not the number that belongs there; some would take a day to be read.
NO_NUMBERS = (
    "-1", "-1/4", "1/0", "0/0", "1e999999999", "nan", "inf", "", "٣", " 1", "1_0", "0.25",
    1, 0.25, None, True, [], {}, "9" * 5000, "1/" + "9" * 5000,
)  # fmt: skip
#: Texts that may be others.
FREE = ("note", "purpose")
FULL = overbar.guarantee(PLAN).epsilon
#: Not the answer to a request; the labels could not be read, or the cost would be another.
ANSWERS = (
    None, 5, "x", [], {}, {"labels": ["a"]},
    *(
        {"labels": ["a"], "indices": [0], "asked": True}
        | dict.fromkeys(("counts", "rest"))
        | change
        for change in (
            {"asked": False}, {"asked": "no"}, {"asked": None}, {"labels": None}, {"labels": 5},
            {"labels": []}, {"labels": ["a"] * 3, "indices": None}, {"labels": "a"},
            {"indices": 5}, {"indices": ["x"]}, {"indices": [-1]}, {"indices": [1, 2]},
            {"indices": [True]}, {"asked": False, "labels": []},
            {"asked": False, "labels": None, "indices": None},
            *({"labels": [label]} for label in (
                5, None, [], ["int", "abc"], ["int", 5], ["int", "1" * 5000], ["fraction", "1/0"],
                ["fraction", "1e99999999"], ["float", "0x1p99999"], ["float", None],
                ["decimal", "x"], ["date", "x"], ["colour", "red"],
            )),
        )
    ),
)  # fmt: skip


def write(path):
    """Write a ledger whose last rows are a reservation and its settlement."""
    ledger = overbar.Ledger(path)
    ledger.open("data", epsilon=10)
    ledger.open("both", epsilon=10, delta="1e-6")
    seam.settle(seam.reserve(ledger, "both", PLAN), 1)
    repeated(ledger)


def replaced(fields, way, value):
    """Return fields with another value at the end of a way; `...` takes it out."""
    changed = copy.deepcopy(fields)
    place = changed
    for name in way[:-1]:
        place = place[name]
    if value is ...:
        del place[way[-1]]
    else:
        place[way[-1]] = value
    return changed


def forgeries(rows):
    """Yield what was forged and all rows with it; the balances after it fit."""
    opened, reserved, settled = rows[0], rows[-2], rows[-1]
    numbers = [
        (0, ("budget", "epsilon")), (1, ("budget", "delta")), (1, ("budget", "additive")),
        (2, ("budget", "limits", 0)), (2, ("budget", "orders", 0)), (2, ("charge", "renyi", 0)),
        (4, ("charge", "pure")), (4, ("charge", "delta")), (5, ("cost", "pure")),
        (5, ("balance", "held", "pure")), (5, ("balance", "settled", "pure")),
    ]  # fmt: skip
    for index, way in numbers:
        for value in (*NO_NUMBERS, ...):
            yield f"{way} = {value!r:.20}", {index: replaced(rows[index], way, value)}
    texts = [
        (0, ("dataset",)), (0, ("kind",)), (0, ("time",)), (0, ("note",)), (4, ("request",)),
        (4, ("description",)), (4, ("description", "plan")), (4, ("description", "unlisted_delta")),
        (4, ("form",)), (4, ("balance",)), (4, ("budget",)), (5, ("run",)), (5, ("cost",)),
        (5, ("superseded",)), (5, ("closed",)), (5, ("balance", "held")), (5, ("number",)),
    ]  # fmt: skip
    texts += [(4, ("description", name)) for name in ("kind", "purpose", "order", "question")]
    large, close = "1" + "0" * 3999, f"{10**3998 + 1}/{10**3998}"
    numbers += [(3, ("budget", name)) for name in ("epsilon", "delta")]
    numbers += [(3, ("budget", name, 0)) for name in ("orders", "limits")]
    numbers += [(3, ("balance", "settled", "pure")), (3, ("balance", "settled", "renyi", 0))]
    for index, way in numbers:
        yield f"{way} is large", {index: replaced(rows[index], way, large)}
        yield f"{way} is tiny", {index: replaced(rows[index], way, f"1/{large}")}
        yield f"{way} is close to 1", {index: replaced(rows[index], way, close)}
    for index, way in texts:
        for value in (7, "x", "\ud800", [], {}, -1, 2.5):
            if value != "x" or way[-1] not in FREE:
                yield f"{way} = {value!r}", {index: replaced(rows[index], way, value)}
    for value in ("1/0", 5, "", "--1", "1e9", "\ud800", [], {}):
        yield f"threshold = {value!r}", {4: replaced(reserved, ("description", "threshold"), value)}
    for value in ANSWERS:
        for name, changes in (("", {5: settled}), (", free", cheap(reserved, settled, FULL, 0))):
            changes[5] = changes[5] | {"answer": value}
            yield f"answer {value!r:.60}{name}", changes
    for index, way in ((3, ("answer",)), (5, ("answer", "labels", 0)), (5, ("answer", "indices"))):
        yield f"{way} = 7", {index: replaced(rows[index], way, 7)}
    deep = json.loads("[" * 900 + "]" * 900)
    yield "a deep field", {4: replaced(reserved, ("description",), deep)}
    yield "a deep budget", {0: replaced(opened, ("budget",), deep)}
    yield "a cheap reservation", cheap(reserved, settled, Fraction(1, 8), Fraction(1, 8))
    for cost in (Fraction(0), Fraction(1, 1000), FULL * Fraction(9, 10), FULL):
        yield f"a cost of {cost}", cheap(reserved, settled, FULL, cost)


def cheap(reserved, settled, charge, cost):
    """Return the two last rows with another charge and cost, and balances that fit."""
    nothing = reserved["balance"]["settled"] | {"pure": "0"}
    return {
        4: reserved
        | {
            "charge": nothing | {"pure": str(charge)},
            "balance": {"settled": nothing, "held": nothing | {"pure": str(charge)}},
        },
        5: settled
        | {
            "cost": nothing | {"pure": str(cost)},
            "balance": {"settled": nothing | {"pure": str(cost)}, "held": nothing},
        },
    }


def refused(use):
    try:
        use()
    except overbar.LedgerError:
        return True
    return False


def repeated(ledger):
    """Ask the request of the last rows, or ask it once more."""
    scores = {"a": 10**9, "b": -(10**9)}
    overbar.select(scores, threshold=5, plan=PLAN, booking=ledger.booking("data", request_id="r"))


def accepted(every):
    """Return how many were forged; those that `verify` lets pass, and what else went wrong."""
    with tempfile.TemporaryDirectory(dir=FAST) as folder:
        return _accepted(Path(folder) / "ledger.db", every)


def _accepted(path, every):
    write(path)
    whole, rows = path.read_bytes(), seam.rows(path)
    found, tried = [], 0
    for name, changes in islice(forgeries(rows), 0, None, every):
        path.write_bytes(whole)
        try:
            seam.forge(path, changes)
        except sqlite3.Error:  # the file itself will not have it
            continue
        tried += 1
        try:
            ledger = overbar.Ledger(path)
            if not refused(ledger.verify):
                found.append(f"{name} passed")
            for use in (
                lambda ledger=ledger: [ledger.show(one).left for one in ledger.datasets()],
                lambda ledger=ledger: [ledger.remaining(one) for one in ("data", "both")],
                lambda ledger=ledger: seam.reserve(ledger, "both", PLAN),
                lambda ledger=ledger: seam.reserve(ledger, "data", PLAN),
                lambda ledger=ledger: repeated(ledger),
                lambda ledger=ledger: ledger.close("both"),
            ):
                refused(use)
        except Exception as error:  # an error of another kind is what is looked for
            found.append(f"{name}: {type(error).__name__} {error}")
    return tried, found


if __name__ == "__main__":
    count, passed = accepted(int(sys.argv[1]))
    print(count, *passed, sep="\n")
