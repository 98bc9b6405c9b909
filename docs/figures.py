"""The plots of the page on choosing parameters: `python docs/figures.py FOLDER`, or `make docs`.

No data and no randomness: every curve is computed from plans.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import overbar
from overbar import Plan
from overbar.accuracy import chances
from overbar.errors import NoGuaranteeError
from overbar.mechanisms import Repeats
from overbar.privacy import unlisted_delta
from overbar_lab.paper.chart import new_figure, saved
from overbar_lab.paper.looks import SERIES

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CANDIDATES, CUTOFF = 10_000, 50


def plan_of(**changes: Any) -> Plan:
    """Return the plan all plots start from, with some numbers changed."""
    start = {"epsilon": 1, "cutoff": CUTOFF, "monotonic": True, "candidates": CANDIDATES}
    return overbar.plan(**{**start, **changes})


def curves(
    across: Sequence[float],
    lines: dict[str, Callable[[float], float]],
    *,
    x: str,
    y: str,
    logarithmic: str = "",
) -> Figure:
    """Draw some functions of one number."""
    figure, axes = new_figure(6.4, 3.6)
    one = axes[0, 0]
    for look, (name, height) in zip(SERIES, lines.items(), strict=False):
        values = [height(place) for place in across]
        one.plot(across, values, color=look.color, linestyle=look.line, linewidth=2, label=name)
    for axis in logarithmic:
        getattr(one, f"set_{axis}scale")("log")
    one.tick_params(labelsize=9)
    one.set_xlabel(x, fontsize=10)
    one.set_ylabel(y, fontsize=10)
    one.legend(frameon=False, fontsize=9)
    return figure


def chance_of(plan: Plan) -> Callable[[float], float]:
    """Return the chance to be found as a function of the margin."""
    return lambda margin: chances(plan, margin).above


def by_budget() -> Figure:
    """Chance to be found by margin for several ε."""
    return curves(
        np.geomspace(10, 10_000, 61).tolist(),
        {f"ε = {epsilon}": chance_of(plan_of(epsilon=epsilon)) for epsilon in ("0.1", "0.3", 1, 3)},
        x="margin: how far a score is above the threshold",
        y="chance to be found",
        logarithmic="x",
    )


def by_cutoff() -> Figure:
    """Noise scale by cutoff, for four ways to account for it."""

    def scale(**changes: Any) -> Callable[[float], float]:
        return lambda cutoff: float(plan_of(cutoff=int(cutoff), **changes).query_noise.scale)

    race = {"noise": "gumbel", "delta": "1e-6", "allocation": "appending"}
    return curves(
        [1, 2, 3, 5, 10, 20, 50, 100, 200, 500],
        {
            "general, pure ε": scale(monotonic=False),
            "monotonic, pure ε": scale(),
            "general, δ = 10⁻⁶, bare threshold": scale(
                monotonic=False, **race, threshold_noise="none"
            ),
            "monotonic, δ = 10⁻⁶": scale(**race),
        },
        x="cutoff c: positives that are paid for",
        y="scale of the query noise, ε = 1",
        logarithmic="xy",
    )


def by_rounds() -> Figure:
    """Chances above and below by rounds, with the correction for one round or for as many."""
    paper = {"mechanism": "sparse-vector", "correction": "optimal"}
    once = plan_of(**paper)

    def at(side: str, make: Callable[[int], Plan]) -> Callable[[float], float]:
        return lambda rounds: float(getattr(chances(make(int(rounds)), 200), side))

    return curves(
        [1, 2, 3, 5, 10, 20, 50, 100],
        {
            f"200 {side}, correction for {words}": at(side, make)
            for words, make in (
                ("one round", lambda rounds: replace(once, repeats=Repeats(rounds))),
                ("all rounds", lambda rounds: plan_of(rounds=rounds, **paper)),
            )
            for side in ("above", "below")
        },
        x="rounds: times a query is asked at most",
        y="chance to be found",
        logarithmic="xy",
    )


def without_catalogue() -> Figure:
    """The δ of candidates read off the data, by threshold."""

    def delta(items: int, rounds: int) -> Callable[[float], float]:
        plan = replace(plan_of(mechanism="sparse-vector"), repeats=Repeats(rounds))

        def height(threshold: float) -> float:
            try:
                return max(unlisted_delta(plan, int(threshold), items), 1e-16)
            except NoGuaranteeError:
                return 1.0

        return height

    return curves(
        list(range(0, 2001, 50)),
        {
            "1 item per person, 1 round": delta(1, 1),
            "20 items per person, 1 round": delta(20, 1),
            "20 items per person, 10 rounds": delta(20, 10),
        },
        x="threshold",
        y="δ′, added to the guarantee",
        logarithmic="y",
    )


FIGURES = (by_budget, by_cutoff, by_rounds, without_catalogue)


def write(folder: Path) -> None:
    """Write every figure as SVG."""
    folder.mkdir(parents=True, exist_ok=True)
    for make in FIGURES:
        (folder / f"{make.__name__}.svg").write_bytes(saved(make(), "svg"))


if __name__ == "__main__":
    write(Path(sys.argv[1]))
