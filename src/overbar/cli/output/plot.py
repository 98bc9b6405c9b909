"""Curves as SVG, drawn by hand: no script, no picture file, colours from the style sheet."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from html import escape

from overbar._html import LINE_STYLES
from overbar.cli.output.forecast import Line, round_step

WIDTH, HEIGHT = 460, 300
LEFT, RIGHT, TOP, BOTTOM = 52, 14, 12, 48


def plot(
    title: str,
    lines: Sequence[Line],
    described: str,
    *,
    start: float = 0.0,
    axis: str = "margin",
) -> str:
    """Return a figure of chances against the margin, a curve for each method.

    The axis begins at `start`: at the threshold it shows scores.
    """
    # Where all candidates are found there is no margin to speak of.
    end = max(margin for line in lines for margin, _ in line.points) or 1.0

    def x(margin: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * margin / end

    def y(value: float) -> float:
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * value

    parts = [_frame(x, y, end, start, axis)]
    # The plan's own curve is drawn last, on top of the others.
    for look, line in sorted(zip(_looks(lines), lines, strict=True), key=lambda pair: -pair[0]):
        points = " ".join(f"{x(margin):.1f},{y(chance):.1f}" for margin, chance in line.points)
        parts.append(f'<polyline class="curve s{look}" points="{points}"/>')
    return (
        f"<figure><figcaption>{escape(title)}</figcaption>"
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(described)}">'
        f"{''.join(parts)}</svg></figure>"
    )


def key(lines: Sequence[Line]) -> str:
    """Return which curve is which."""
    items = "".join(
        '<li><svg viewBox="0 0 40 12" aria-hidden="true">'
        f'<line class="curve s{look}" x1="0" y1="6" x2="40" y2="6"/></svg>'
        f"{escape(line.name)}{' (this plan)' if line.chosen else ''}</li>"
        for look, line in zip(_looks(lines), lines, strict=True)
    )
    return f'<ul class="key" aria-label="Methods">{items}</ul>'


def _looks(lines: Sequence[Line]) -> list[int]:
    """Return the style of each line: the plan's own is the solid one."""
    rest = iter(range(1, len(lines) + 1))
    return [0 if line.chosen else 1 + (next(rest) - 1) % (LINE_STYLES - 1) for line in lines]


def _frame(
    x: Callable[[float], float], y: Callable[[float], float], end: float, start: float, axis: str
) -> str:
    parts = []
    for percent in (0, 25, 50, 75, 100):
        at = y(percent / 100)
        rule = "axis" if percent == 0 else "rule"
        parts.append(
            f'<line class="{rule}" x1="{LEFT}" y1="{at:.1f}" x2="{WIDTH - RIGHT}" y2="{at:.1f}"/>'
            f'<text x="{LEFT - 7}" y="{at + 4.5:.1f}" text-anchor="end">{percent} %</text>'
        )
    for tick in _ticks(end):
        parts.append(
            f'<line class="axis" x1="{x(tick):.1f}" y1="{y(0):.1f}" x2="{x(tick):.1f}" '
            f'y2="{y(0) + 5:.1f}"/>'
            f'<text x="{x(tick):.1f}" y="{y(0) + 20:.1f}" text-anchor="middle">'
            f"{start + tick:,.6g}</text>"
        )
    middle = (LEFT + WIDTH - RIGHT) / 2
    parts.append(f'<text x="{middle}" y="{HEIGHT - 8}" text-anchor="middle">{axis}</text>')
    return "".join(parts)


def _ticks(end: float) -> list[float]:
    """Return round numbers from zero up, about five of them.

    >>> _ticks(430.0)
    [0.0, 100.0, 200.0, 300.0, 400.0]
    """
    step = float(round_step(end / 5))
    return [step * i for i in range(math.floor(end / step + 1e-9) + 1)]
