"""Expected accuracy by margin and method, as screen and page show it. It needs no data."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from overbar import _check
from overbar._check import Number
from overbar._numbers import exact_text, short_text
from overbar.accuracy import Chances, chances, margin_for
from overbar.calibration.alternatives import Method, methods
from overbar.calibration.plan_parameters import Parameters, plan_of
from overbar.cli.output.words import Quality, Statement, percent, quality_of, scale_words
from overbar.plans import Plan, SparseVectorPlan

#: The chance to be found that methods are compared at.
ENOUGH = Fraction(95, 100)
#: Points of a curve.
POINTS = 40
#: A method that needs more than so many times the margin of the plan does not set the axis.
WIDEST = 3


@dataclass(frozen=True)
class Line:
    """One method: what it needs and what it finds; the plan itself is the one chosen."""

    name: str
    plan: Plan
    chosen: bool
    enough_at: Fraction
    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Forecast:
    """What to expect: margins with what the plan finds there, and methods, best first."""

    candidates: int | None
    rows: tuple[tuple[Fraction, Chances], ...]
    lines: tuple[Line, ...]

    @property
    def chosen(self) -> Line:
        """Return the plan's own line."""
        return next(line for line in self.lines if line.chosen)

    def by_margin(self) -> list[list[str]]:
        """Return the margin, and what is found so far above and below, as people read them."""
        return [[short_text(margin), *map(percent, found)] for margin, found in self.rows]

    def by_method(self) -> list[list[str]]:
        """Return method, scales and the margin that is enough as people read them."""
        return [
            [
                f"{line.name} (this plan)" if line.chosen else line.name,
                scale_words(line.plan.query_noise),
                scale_words(line.plan.threshold_noise),
                short_text(line.enough_at),
            ]
            for line in self.lines
        ]


@dataclass(frozen=True)
class Planned:
    """A plan and all that is said about it; public numbers only.

    `seen` is None where accuracy is not predicted, and then `unseen` says why.
    """

    plan: Plan
    said: Statement
    threshold: Fraction | None
    answers: tuple[tuple[str, Fraction | float, str], ...]
    seen: Forecast | None
    unseen: str
    candidates: int | None = None

    @property
    def quality(self) -> Quality:
        """How high a score must be to be found."""
        return quality_of(self.plan, self.threshold, self.candidates)

    def to_json(self) -> str:
        """Write everything as JSON; numbers of the plan are exact text."""
        epsilon = self.said.epsilon
        return json.dumps(
            {
                "plan": json.loads(self.plan.to_json()),
                "guarantee": {
                    "epsilon": exact_text(epsilon) if isinstance(epsilon, Fraction) else epsilon,
                    "delta": exact_text(self.said.delta),
                    "unlisted_delta": self.said.unlisted or 0.0,
                    "pure": self.said.pure,
                    "proved": repr(self.said.guarantee),
                },
                "threshold": None if self.threshold is None else exact_text(self.threshold),
                "answers": {
                    name: exact_text(value) if isinstance(value, Fraction) else value
                    for name, value, _ in self.answers
                },
                "how_good": self.quality.fields(),
                "expected": None if self.seen is None else _expected(self.seen),
            },
            indent=2,
            ensure_ascii=False,
        )


def _expected(seen: Forecast) -> dict[str, object]:
    return {
        "candidates": seen.candidates,
        "by_margin": [
            {"margin": exact_text(margin), **found._asdict()} for margin, found in seen.rows
        ],
        "by_method": [
            {
                "method": line.name,
                "this_plan": line.chosen,
                "plan": json.loads(line.plan.to_json()),
                "margin_for_95_percent": exact_text(line.enough_at),
            }
            for line in seen.lines
        ],
    }


def forecast(
    plan: Plan,
    *,
    candidates: int | None,
    others: Sequence[Method] = (),
    margins: Sequence[Number] = (),
    curves: bool = False,
) -> Forecast:
    """Compute what to expect of a plan, and of others beside it.

    `margins` are rows that must be among those shown. `curves` asks for many points a line.
    """

    def expect(one: Plan, margin: Number) -> Chances:
        return chances(one, margin, candidates=candidates)

    needed = [
        (method, margin_for(method.plan, ENOUGH, candidates=candidates))
        for method in _with_plan(plan, others)
    ]
    needed.sort(key=lambda pair: pair[1])
    own = next(margin for method, margin in needed if method.plan == plan)
    rows = sorted({*_round_margins(own), *(_check.rational("margin", one) for one in margins)})
    end = 1.3 * min(float(max(margin for _, margin in needed)), WIDEST * float(own))
    places = [end * i / POINTS for i in range(POINTS + 1)] if curves else []
    return Forecast(
        candidates=candidates,
        rows=tuple((margin, expect(plan, margin)) for margin in rows),
        lines=tuple(
            Line(
                method.name,
                method.plan,
                method.plan == plan,
                margin,
                tuple((place, expect(method.plan, place).above) for place in places),
            )
            for method, margin in needed
        ),
    )


def margin_words(plan: Plan) -> str:
    """Return what a margin is, and what is forecast at it."""
    if plan.for_top:
        return (
            f"How likely an item comes out, at least, that leads place {plan.cutoff + 1:,} by the "
            f"margin, and at most, one that is so far behind place {plan.cutoff:,}:"
        )
    return (
        "How likely an item comes out that is the margin above the threshold, or as far below it, "
        "while places are left:"
    )


def others_like(plan: Plan, said: Statement, candidates: int | None) -> list[Method]:
    """Return the methods that keep the same ε and δ for the same kind of run."""

    def make(way: Parameters) -> Plan:
        wanted: Parameters = {
            "epsilon": said.epsilon,
            "cutoff": plan.cutoff,
            "reach": plan.reach,
            "items_per_person": plan.items_per_person,
            "counts": plan.gives_counts,
            "groups": plan.groups and plan.groups.count,
            "groups_per_person": plan.groups and plan.groups.per_person,
            **way,
        }
        if not plan.for_top:
            labels, wanted["candidates"] = plan.labels, candidates
            if isinstance(labels, SparseVectorPlan):
                wanted["rounds"] = labels.repeats.rounds
        return plan_of(None, wanted, top=plan.for_top)

    return methods(make, said.delta)


def _with_plan(plan: Plan, others: Sequence[Method]) -> list[Method]:
    """Return the methods with the plan among them, in the place of its like if there is one."""
    alike = [_alike(plan, method.plan) for method in others]
    if not any(alike):
        name = f"{plan.labels.kind}, {plan.query_noise.name}, as planned"
        return [Method(name, plan), *others]
    place = alike.index(True)
    return [
        Method(method.name, plan) if number == place else method
        for number, method in enumerate(others)
    ]


def _alike(plan: Plan, other: Plan) -> bool:
    """Say whether two plans differ by no more than the rounding of an ε that was computed."""
    pairs = (
        (plan.query_noise, other.query_noise),
        (plan.threshold_noise, other.threshold_noise),
    )
    if plan.labels.kind != other.labels.kind:
        return False
    for one, two in pairs:
        if getattr(one, "name", None) != getattr(two, "name", None):
            return False
        if one is not None and two is not None and abs(one.scale / two.scale - 1) > 1e-6:
            return False
    return abs(plan.correction - other.correction) <= 2 * max(plan.grid, other.grid)


def round_step(rough: float) -> Fraction:
    """Return the nearest of 1, 2 and 5 times a power of ten.

    >>> round_step(86.0), round_step(0.3)
    (Fraction(100, 1), Fraction(1, 5))
    """
    power = Fraction(10) ** math.floor(math.log10(rough))
    return min((power * size for size in (1, 2, 5, 10)), key=lambda one: abs(float(one) - rough))


def _round_margins(enough: Fraction) -> list[Fraction]:
    """Return some round margins up to a bit beyond the one that is enough."""
    if enough <= 0:
        return [Fraction(0), Fraction(1)]
    step = round_step(1.2 * float(enough) / 7)
    count = math.ceil(Fraction(11, 10) * enough / step)
    return [step * i for i in range(1, count + 1)]
