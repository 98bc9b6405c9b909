"""How long a slider move takes to answer, in a real browser: ``python -m benchmarks explore``.

From the move to the numbers on the page. No question was asked before, so nothing is kept; *again*
is for those that were. The slider rests now and then, so that the whole plan of an earlier place is
often under way when the next move comes. *whole* is the time from a rest until curves, δ and other
mechanisms are there. Wanted: 150 ms at the median, 400 ms at the 95th percentile.
"""

from __future__ import annotations

import statistics
import tempfile
from typing import Any

from benchmarks import AbsentError

Row = dict[str, object]

QUESTIONS = {
    "select, pure": "question=select&cutoff=50&threshold=500&candidates=10000&delta=0",
    "select, δ = 1e-6": "question=select&cutoff=50&threshold=500&candidates=10001&delta=1e-6",
    "top, pure": "question=top&cutoff=50&candidates=10000&delta=0",
    "top, δ = 1e-6": "question=top&cutoff=50&candidates=10001&delta=1e-6",
}
#: Moves the slider, waits until the page shows that ε, and returns milliseconds.
MOVE = """async ([stop, whole]) => {
  const slider = document.querySelector('#slider'), shown = document.querySelector('#planned');
  const began = performance.now();
  slider.value = stop;
  slider.dispatchEvent(new Event('input', { bubbles: true }));
  const epsilon = new FormData(document.querySelector('#asked')).get('epsilon');
  const there = () => new URLSearchParams(shown.dataset.asked).get('epsilon') === epsilon
    && (!whole || shown.dataset.look === 'whole');
  while (!there()) await new Promise((next) => setTimeout(next, 2));
  return performance.now() - began;
}"""
#: Stops in an order that never comes back, after a start at the middle.
STOPS = [one for step in range(1, 11) for one in (20 - step, 20 + step)]
#: So long the slider rests before some moves.
REST = 0.25


def rows(check: bool = False) -> list[Row]:
    """Measure moves of every question."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        raise AbsentError("playwright is not installed") from None
    from conftest import chromium
    from tests.cli.explore.conftest import opened, started

    place = chromium()
    if place is None:
        raise AbsentError("there is no Chromium here")
    found: list[Row] = []
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        page = started(folder)
        browser = driver.chromium.launch(executable_path=place, args=["--no-sandbox"])
        context: Any = browser.new_context()
        for name, query in list(QUESTIONS.items())[: 1 if check else None]:
            tab = opened(context, page, f"?epsilon=1&{query}")
            stops = STOPS[: 2 if check else None]
            moves = []
            for number, stop in enumerate(stops):
                if number % 3 == 0:
                    tab.wait_for_timeout(1000 * REST)
                moves.append(tab.evaluate(MOVE, [stop, False]))
            # Wide noise has the longest curves: to be tried, a narrow one is enough.
            wholes = [tab.evaluate(MOVE, [stop, True]) for stop in ((30,) if check else (0, 1, 2))]
            again = [tab.evaluate(MOVE, [stop, False]) for stop in (stops if check else (0, 1) * 2)]
            found.append(
                {
                    "name": name,
                    "moves": len(moves),
                    "median (ms)": round(statistics.median(moves)),
                    "95 % (ms)": round(sorted(moves)[int(0.95 * len(moves))]),
                    "whole (ms)": round(statistics.median(wholes)),
                    "again (ms)": round(statistics.median(again)),
                }
            )
            tab.close()
        browser.close()
        page.stop()
    return found
