"""The first picture of the README: what is true beside what came out.

``python docs/two_lists.py`` asks anew, by `overbar.frames.top` with counts, and writes
`docs/_static/two-lists.svg`. The noise is real, so the numbers are others each time.
"""

from __future__ import annotations

from pathlib import Path
from xml.sax.saxutils import escape

import pyarrow

from overbar import frames
from overbar.runs import Selection

#: The customers of each product: the table of the README.
TRUE = {"tea": 2400, "rum": 1800, "ale": 1500, "gin": 120, "mead": 45, "port": 0, "sake": 0}
CUTOFF = 3
BUDGETS = ("1", "0.1")
PICTURE = Path(__file__).parent / "_static" / "two-lists.svg"
COLUMN, ROW, TOP, BAR = 265, 27, 78, 90
STYLE = """
text { font: 14px system-ui, sans-serif; fill: #1f2328 }
.head { font-weight: 600; font-size: 16px } .small { font-size: 12px } .number { text-anchor: end }
.small, .no { fill: #59636e } .true { fill: #8c959f } .out { fill: #2f6fb0 }
line { stroke: #1f2328; stroke-width: 1.5 } .card { fill: #fff; stroke: #d1d9e0 }
@media (prefers-color-scheme: dark) {
  text { fill: #f0f6fc } .small, .no { fill: #9198a1 } .true { fill: #656c76 }
  .out { fill: #4493f8 } line { stroke: #f0f6fc } .card { fill: #0d1117; stroke: #3d444d }
}"""


def asked(epsilon: str) -> Selection:
    """Ask for the products with the most customers."""
    pairs = [(f"customer {n}", name) for name, many in TRUE.items() for n in range(many)]
    customers, products = zip(*pairs, strict=True)
    return frames.top(
        pyarrow.table({"customer": customers, "product": products}),
        item="product",
        person="customer",
        catalogue=list(TRUE),
        cutoff=CUTOFF,
        epsilon=epsilon,
        counts=True,
    )


def text(x: float, y: float, words: str, kind: str = "") -> str:
    """Write some words."""
    return f'<text x="{x}" y="{y}" class="{kind}">{escape(words)}</text>'


def bar(x: float, y: float, value: float, kind: str) -> str:
    """Draw a count; the longest is that of the first product."""
    width = round(max(value, 0) * BAR / TRUE["tea"], 1)
    return f'<rect x="{x}" y="{y - 12}" width="{width}" height="14" rx="2" class="{kind}"/>'


def true_list() -> list[str]:
    """Draw what only the owner of the data may see."""
    parts = [
        text(20, 34, "What is true", "head"),
        text(20, 54, "customers; nobody sees this", "small"),
    ]
    for place, (name, many) in enumerate(TRUE.items()):
        y = TOP + 10 + place * ROW
        parts += [text(20, y, name), text(110, y, f"{many:,}", "number"), bar(122, y, many, "true")]
    return parts


def released_list(x: float, epsilon: str) -> list[str]:
    """Ask, and draw what came out, with the interval of each count."""
    found = asked(epsilon)
    parts = [
        text(x, 34, f"What came out at ε = {epsilon}", "head"),
        text(x, 54, f"the top {CUTOFF}, with 95 % intervals", "small"),
    ]
    for place, (name, count) in enumerate(zip(found.labels, found.counts or (), strict=True)):
        y, scale = TOP + 10 + place * ROW, BAR / TRUE["tea"]
        low, high = (round(x + 102 + float(end or 0) * scale, 1) for end in (count.low, count.high))
        value = round(float(count.value))
        parts += [text(x, y, str(name)), text(x + 90, y, f"{value:,}", "number")]
        parts += [bar(x + 102, y, value, "out")]
        parts += [f'<line x1="{low}" x2="{high}" y1="{y - 5}" y2="{y - 5}"/>']
        parts += [f'<line x1="{end}" x2="{end}" y1="{y - 9}" y2="{y - 1}"/>' for end in (low, high)]
    y = TOP + 10 + len(found.labels) * ROW
    return [*parts, text(x, y, "the others stay hidden", "no")]


def picture() -> str:
    """Return the whole picture, as SVG."""
    height = TOP + len(TRUE) * ROW + 10
    parts = true_list()
    for place, epsilon in enumerate(BUDGETS, 1):
        parts += released_list(20 + place * COLUMN, epsilon)
    size = f'viewBox="0 0 {3 * COLUMN} {height}" width="{3 * COLUMN}" height="{height}"'
    card = f'<rect x="1" y="1" width="{3 * COLUMN - 2}" height="{height - 2}" rx="8" class="card"/>'
    head = [f'<svg xmlns="http://www.w3.org/2000/svg" {size}>', f"<style>{STYLE}\n</style>"]
    return "\n".join([*head, card, *parts, "</svg>", ""])


if __name__ == "__main__":
    PICTURE.write_text(picture())
