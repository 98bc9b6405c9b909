"""Expected accuracy by margin and method. It needs no data."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from overbar import _check
from overbar._check import Number
from overbar._numbers import at_most_text, exact_text, number_text, people_text
from overbar.accuracy import Chances, chances, margin_for
from overbar.mechanisms.score_plan import ScorePlan
from overbar.noise import Noise
from overbar.planning.make import UNLIMITED
from overbar.planning.plan_parameters import Method, Parameters, methods, plan_of
from overbar.report import Curve, Gauge, ReportTable, Section, Series
from overbar.report.as_html import round_step
from overbar.words.promise import Statement, percent

#: The chance to be found that methods are compared at.
ENOUGH = Fraction(95, 100)
SHARE = f"{float(100 * ENOUGH):g} %"
#: Points of a curve.
POINTS = 40
#: A method that needs more than so many times the margin of the plan does not set the axis.
WIDEST = 3


@dataclass(frozen=True)
class Line:
    """One method: what it needs and what it finds; the plan itself is the one chosen."""

    method: str
    plan: ScorePlan
    chosen: bool
    enough_at: Fraction
    points: tuple[tuple[float, float], ...]

    @property
    def name(self) -> str:
        """The method, and whether it is the one of the plan."""
        return f"{self.method} (this plan)" if self.chosen else self.method


@dataclass(frozen=True)
class Forecast:
    """What to expect: margins with what the plan finds there, and methods, best first.

    `about` says what a margin is, and what is forecast at it.
    """

    about: str
    candidates: int | None
    rows: tuple[tuple[Fraction, Chances], ...]
    lines: tuple[Line, ...]

    @property
    def chosen(self) -> Line:
        """Return the plan's own line."""
        return next(line for line in self.lines if line.chosen)

    def sections(self, *, folded: bool) -> tuple[Section, ...]:
        """Return it as tables and a curve."""
        rows: tuple[tuple[str | Gauge, ...], ...] = tuple(
            (number_text(margin), *map(percent, at), Gauge(at.above, f"{percent(at.above)} above"))
            for margin, at in self.rows
        )
        enough = at_most_text(self.chosen.enough_at)
        curve = Curve(
            "Chance to be found",
            "margin",
            f"Chance to be found against the margin: the plan finds {SHARE} from a margin of "
            f"{enough} on; the table below has more numbers",
            tuple(Series(line.name, line.points, line.chosen) for line in self.lines),
        )
        accuracy = Section(
            name="accuracy",
            title="Expected accuracy, computed without data",
            sentences=(self.about,),
            curves=(curve,) if self.chosen.points else (),
            table=ReportTable(("margin", "above", "below", "above"), rows, words=0),
            folded=folded,
        )
        methods = tuple(
            (
                line.name,
                _scale_words(line.plan.query_noise),
                _scale_words(line.plan.threshold_noise),
                at_most_text(line.enough_at),
            )
            for line in self.lines
        )
        others = Section(
            name="ways",
            title=f"The same privacy in other ways, and the margin at which each finds {SHARE}",
            table=ReportTable(
                ("method", "scale", "on threshold", "margin"),
                methods,
                looks=tuple("chosen" if line.chosen else "" for line in self.lines),
            ),
            folded=folded,
        )
        return (accuracy, others) if len(methods) > 1 else (accuracy,)

    def fields(self) -> dict[str, object]:
        """Return it for a JSON file."""
        return {
            "candidates": self.candidates,
            "by_margin": [
                {"margin": exact_text(margin), **at._asdict()} for margin, at in self.rows
            ],
            "by_method": [
                {
                    "method": line.method,
                    "this_plan": line.chosen,
                    "plan": json.loads(line.plan.to_json()),
                    "margin_for_95_percent": exact_text(line.enough_at),
                }
                for line in self.lines
            ],
        }


def forecast(
    plan: ScorePlan,
    *,
    candidates: int | None,
    others: Sequence[Method] = (),
    margins: Sequence[Number] = (),
    curves: bool = False,
) -> Forecast:
    """Compute what to expect of a plan, and of others beside it.

    `margins` are rows that must be among those shown. `curves` asks for many points a line.
    """

    def expect(one: ScorePlan, margin: Number) -> Chances:
        return chances(one, margin, candidates=candidates)

    needed = [
        (method, margin_for(method.plan, ENOUGH, candidates=candidates))
        for method in _with_plan(plan, others)
    ]
    needed.sort(key=lambda pair: pair[1])
    own = next(margin for method, margin in needed if method.plan == plan)
    rows = sorted({*_round_margins(own), *(_check.rational("margin", one) for one in margins)})
    # What is found even below the threshold has no margin to set the axis.
    wide = max(float(own), float(plan.query_noise.scale))
    end = 1.3 * min(max(wide, *(float(margin) for _, margin in needed)), WIDEST * wide)
    places = [end * i / POINTS for i in range(POINTS + 1)] if curves else []
    return Forecast(
        about=plan.margin_text,
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


def others_like(plan: ScorePlan, promised: Statement, candidates: int | None) -> list[Method]:
    """Return the methods that keep the same ε and δ for the same kind of run."""

    def make(way: Parameters) -> ScorePlan:
        wanted: Parameters = {
            "epsilon": promised.epsilon,
            "cutoff": plan.cutoff,
            "reach": plan.reach,
            "items_per_person": plan.items_per_person,
            "counts": plan.gives_counts,
            "groups": plan.groups and plan.groups.count,
            "groups_per_person": plan.groups and plan.groups.per_person,
            **way,
        }
        if not plan.for_top:
            wanted["candidates"] = candidates
            wanted["rounds"] = plan.repeats.rounds or UNLIMITED
        return plan_of(None, wanted, top=plan.for_top)

    return methods(make, promised.delta)


def _with_plan(plan: ScorePlan, others: Sequence[Method]) -> list[Method]:
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


def _alike(plan: ScorePlan, other: ScorePlan) -> bool:
    """Say whether two plans differ by no more than the rounding of an ε that was computed."""
    pairs = ((plan.query_noise, other.query_noise), (plan.threshold_noise, other.threshold_noise))
    if plan.labels.kind != other.labels.kind:
        return False
    for one, two in pairs:
        if getattr(one, "name", None) != getattr(two, "name", None):
            return False
        if one is not None and two is not None and abs(one.scale / two.scale - 1) > 1e-6:
            return False
    return abs(plan.correction - other.correction) <= 2 * max(plan.grid, other.grid)


def _round_margins(enough: Fraction) -> list[Fraction]:
    """Return some round margins up to a bit beyond the one that is enough."""
    if enough <= 0:
        return [Fraction(0), Fraction(1)]
    step = round_step(1.2 * float(enough) / 7)
    count = math.ceil(Fraction(11, 10) * enough / step)
    return [step * i for i in range(1, count + 1)]


def _scale_words(noise: Noise | None) -> str:
    """Return a scale; a dash without noise."""
    return "–" if noise is None else people_text(noise.scale)
