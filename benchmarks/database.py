"""Selecting from a table in PostgreSQL, against the server's own query on the same table.

Run with ``python -m benchmarks database``. Five million rows of market baskets, items by a Zipf
law. Both run in processes of their own and take turns; the shortest of each counts. The plain query
reads its answer and does nothing with it. The owed ratio is 1.3, the owed memory 300 MiB.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time

from benchmarks import AbsentError
from overbar import frames

ROWS, ITEMS, PERSONS, ROUNDS = 5_000_000, 100_000, 500_000, 3
#: The quicker of the two ways to say it in plain SQL.
OWN = "select item, count(*) from (select distinct item, person from baskets) as x group by item"
ASK = {"item": "item", "person": "person", "cutoff": 50, "epsilon": 1, "threshold": 50_000}
FILL = """create table baskets as select
floor(exp(random() * ln({items})))::bigint as item, floor(random() * {persons})::bigint as person,
'item ' || floor(exp(random() * ln({items})))::bigint as label from generate_series(1, {rows})"""

Row = dict[str, object]


def own(address: str) -> int:
    """Ask for all counts and read them."""
    import psycopg

    with psycopg.connect(address) as connection:
        return len(connection.execute(OWN).fetchall())


def listed(address: str) -> int:
    """Select among the items of a public list."""
    table = frames.DatabaseTable(address, "baskets")
    return len(frames.select(table, **ASK, catalogue=range(1, ITEMS + 1)))


def unlisted(address: str) -> int:
    """Select among the items that occur, ten of each person."""
    table = frames.DatabaseTable(address, "baskets")
    return len(frames.select(table, **ASK, delta="1e-6", items_per_person=10, candidates=ITEMS))


WAYS = {"plain SQL": own, "listed": listed, "unlisted, 10 items per person": unlisted}


def measure(address: str, way: str) -> dict[str, float]:
    """Run one way in this process."""
    start = time.perf_counter()
    WAYS[way](address)
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"seconds": time.perf_counter() - start, "memory": used}


def measured(address: str, way: str) -> dict[str, float]:
    """Run one way in a process of its own."""
    told = subprocess.run(
        [sys.executable, "-m", "benchmarks.database", address, way],
        capture_output=True, check=True, text=True,
    ).stdout  # fmt: skip
    found: dict[str, float] = json.loads(told)
    return found


def rows(check: bool = False) -> list[Row]:
    """Measure all ways in turn."""
    try:
        import psycopg

        from tests.ledger.server import Server
    except ImportError as error:
        raise AbsentError(str(error)) from None
    server = Server()
    sizes = {"rows": 2_000 if check else ROWS, "items": ITEMS, "persons": PERSONS}
    try:
        with psycopg.connect(server.plain, autocommit=True) as connection:
            connection.execute(FILL.format(**sizes))
            connection.execute("vacuum analyze baskets")
        found: dict[str, list[dict[str, float]]] = {way: [] for way in WAYS}
        for _ in range(1 if check else ROUNDS):
            for way, runs in found.items():
                run = measure if check and WAYS[way] is not own else measured
                runs.append(run(server.plain, way))
    finally:
        server.close()
    best = {way: min(one["seconds"] for one in runs) for way, runs in found.items()}
    return [
        {
            "name": way,
            "seconds": best[way],
            "ratio": best[way] / best["plain SQL"],
            "peak MiB": max(one["memory"] for one in runs),
        }
        for way, runs in found.items()
    ]


if __name__ == "__main__":
    print(json.dumps(measure(*sys.argv[1:3])))
