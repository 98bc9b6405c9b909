"""Processes that ask for answers from one budget at the same time, as fast as they can.

    python -m tests.frozen.hammer LEDGER REQUESTS PROCESSES

Every request is made by two of them. Each prints a line of JSON per request: its
id and the labels it was given, or null if it was refused.
"""

import json
import os
import sys
import time

import psycopg  # noqa: F401  # once, and not in every process

import overbar
from tests.queue_plans import queue_plan

HIGH = 10**9
PLAN = queue_plan(epsilon="1/50", cutoff=2, monotonic=True, candidates=100)
SCORES = dict.fromkeys("abcdef", HIGH)  # any two of them: answers differ from run to run


def ask(ledger, request):
    try:
        found = overbar.select(
            SCORES, threshold=500, plan=PLAN, booking=ledger.booking("shared", request_id=request)
        )
    except overbar.BudgetError:
        return None
    return list(found.labels)


def _work(path, requests, start):
    ledger = overbar.Ledger(path)
    time.sleep(max(0.0, start - time.monotonic()))  # all at once
    for request in requests:
        line = json.dumps([request, ask(ledger, request)]) + "\n"
        os.write(1, line.encode())


def main():
    path, count, processes = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    start = time.monotonic() + 0.3
    children = []
    for number in range(processes):
        child = os.fork()
        if child == 0:
            code = 1
            try:
                mine = range(number // 2, count, processes // 2)
                _work(path, [f"request {i}" for i in mine], start)
                code = 0
            finally:
                os._exit(code)
        children.append(child)
    ends = [os.waitpid(child, 0)[1] for child in children]
    sys.exit(any(ends))


if __name__ == "__main__":
    main()
