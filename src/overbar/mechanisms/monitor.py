"""A monitor: questions without end, and a limit for each person instead of a cutoff for the run.

**Hits** (Theorem 7): everyone is left out once k alarms have counted them. Then all answers cost
together what k positives against a bare threshold do.

**Weights** (Theorem 8): at an order that is fixed an alarm charges a person by how far they move
its log-hazard, and whoever could be charged more than k full hits cost is left out. Then that is
what all answers cost at this order.

Theory: :doc:`/theory/monitor`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from overbar import _check
from overbar._numbers import number_text, people_text, short_fraction
from overbar.errors import NoGuaranteeError, ParameterError, named
from overbar.mechanisms.plan import Plan, part
from overbar.mechanisms.reach_and_bar import Bar, Reach, set_checked
from overbar.mechanisms.run import Run
from overbar.mechanisms.score_plan import ScorePlan
from overbar.mechanisms.sentences import noise_text
from overbar.mechanisms.way import Request, Split, Way, refuse_bars, that_can_be
from overbar.noise import Gumbel, Noise
from overbar.privacy.arrivals import LARGEST_BARE_STEP, race
from overbar.privacy.hazard import base_renyi, hazard_step
from overbar.privacy.orders import best_order, checked_log_delta, epsilon_at
from overbar.privacy.proofs import Proof, Proofs, one
from overbar.privacy.steps import Curve

#: More hits than this are no limit.
MOST_HITS = 10**6
#: Steps of a weight, at most: a table has one charge for each.
MOST_STEPS = 10**5
#: What a full hit is charged where weights are paid for: parts of it are rounded up to whole ones.
FULL = 2**40
#: More than the relative error of a divergence, twice.
ROUNDED = 1 + 1e-9

#: Digits of a Rényi order. It lies a little above its optimum, which is flat: that takes a part in
#: a thousand more noise, and small weights last two per cent longer.
ORDER_DIGITS = 4
ABOVE_OPTIMUM = 1.01


@part("monitor")
@dataclass(frozen=True, repr=False)
class MonitorPlan(ScorePlan):
    """A threshold without noise, asked for ever; each person counts in so many alarms.

    Parameters
    ----------
    query_noise : Noise
        What is added to each question.
    bar : Bar
        What is added to the threshold in public; it has no noise.
    hits : int
        How many alarms one person counts in, at full weight.
    reach : Reach
        Between which two numbers the weight of a person lies; (0, 1) for counts.
    grid : Fraction, default 1
        Every weight is a multiple of this; for counts it is 1.
    renyi_order : Fraction, optional
        With it an alarm charges a person by about the square of their weight, as the Rényi
        divergence of this order grows. Without it every alarm that counts them is one hit.
    """

    items_per_person = None
    limit = 0
    found_form, order_text = "{:,} alarm{}", "in the order of days."
    cost_texts = ("", "All days, also those to come, cost {} together.")

    query_noise: Noise
    bar: Bar
    hits: int
    reach: Reach
    grid: Fraction = Fraction(1)
    renyi_order: Fraction | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.bar, Bar) or self.bar.noise is not None or self.bar.above_all:
            raise ParameterError("bar must be a Bar without noise, such as Bar(None)")
        set_checked(self, hits=_check.whole("hits", self.hits))
        if self.hits > MOST_HITS:
            raise ParameterError(f"hits must be at most {MOST_HITS:,}, got {self.hits:,}")
        self._check_numbers()
        if self.renyi_order is not None:
            order = _check.positive("renyi_order", self.renyi_order)
            if order <= 1:
                raise ParameterError(f"renyi_order must be above 1, got {number_text(order)}")
            set_checked(self, renyi_order=order)
        if self.steps > MOST_STEPS:
            raise ParameterError(
                f"grid must be at least a {MOST_STEPS:,}th of the largest weight, "
                f"got {people_text(self.grid)}"
            )

    def ask(
        self, run: Run, questions: Iterable[Mapping[Hashable, int]], level: int
    ) -> Iterator[bool]:
        """Answer question after question, without end.

        Who could be charged more than the most is left out of a question. It may depend on all
        answers before it.

        Parameters
        ----------
        run : Run
            Whoever runs it.
        questions : iterable of mapping
            Persons, with the grid steps of their weights.
        level : int
            Threshold plus correction in grid steps.

        Returns
        -------
        iterator of bool
            Whether there is an alarm.
        """
        costs, most = charges_of(self)
        used: Counter[Hashable] = Counter()
        for weights in questions:
            counted = {
                person: steps
                for person, steps in weights.items()
                if used[person] + costs[abs(steps)] <= most
            }
            alarm = run.passes(sum(counted.values()), self.query_noise, self.grid, level)
            if alarm:
                used.update({person: costs[abs(steps)] for person, steps in counted.items()})
            yield alarm

    @property
    def cutoff(self) -> int:
        """How many alarms one person counts in; the run itself has no limit."""
        return self.hits

    @property
    def steps(self) -> int:
        """How many grid steps the largest weight has."""
        return int(self.reach.most / self.grid)

    @property
    def counts_persons(self) -> bool:
        """Whether a person counts in full or not at all."""
        return self.steps == 1 and self.reach.low == 0

    def proofs(self) -> list[Proofs]:
        """A person is left out once enough alarms counted them: so many arrivals of a race."""
        try:
            step = monitor_step(self)
        except NoGuaranteeError:
            return []
        if self.renyi_order is None:
            rise = 0.0 if self.reach.one_way else step
            return [one(Proof(race(self.hits, rise, step, None).steps))]
        order = float(self.renyi_order)
        divergence = self.hits * weight_cost(step, order) * ROUNDED
        return [one(Proof((Curve(lambda _: divergence, order),)))]

    @classmethod
    def ways(cls, request: Request) -> list[Way]:
        """Return the one way: Gumbel noise for the hits of one person, no noise on the bar."""
        return that_can_be(cls._way, request.filled((request.delta, "gumbel", "none")))

    @classmethod
    def _way(cls, request: Request) -> Way:
        refuse_bars(request)
        unfit = {
            "top": request.top,
            "counts": request.counts is not False,
            "groups": request.groups is not None,
            "items_per_person": request.items_per_person is not None,
        }
        for name in (name for name, given in unfit.items() if given):
            raise ParameterError(f"{named(name)} must be left out with {named('hits_per_person')}")
        if request.noise != "gumbel" or request.threshold_noise != "none":
            raise NoGuaranteeError(
                "a monitor has a proof for gumbel noise on questions and none on the threshold. "
                f"Leave out {named('noise')} and {named('threshold_noise')}"
            )
        if request.delta == 0:
            raise NoGuaranteeError(
                "a monitor has no pure guarantee: it answers without end. "
                f"Give a {named('delta')}, such as {named('delta', '1e-6')}"
            )

        def make(query: Noise, _: Noise | None, grid: Fraction) -> ScorePlan:
            order = best_hits_order(request, query) if request.weights else None
            return cls(query, Bar(None), request.hits, request.reach, grid, order)

        return Way(request, make, lambda plan: float(plan.query_noise.scale), Fraction(1), Split())

    def check_scores(self) -> None:
        """Refuse: it is asked for ever, and about persons."""
        raise ParameterError(f"{named('plan')} is for a monitor, and must be one for scores")

    def conditions(self, _: float | None) -> list[str]:
        """Say what has to be true."""
        return [
            "This holds for every table: who has used up their alarms is left out. Lists of items "
            "and days must be public, and the store the newest there is: an older copy has "
            "forgotten who was counted."
        ]

    found_text, found_sentence = Plan.found_text, Plan.found_sentence
    found_and_spent, found_notes = Plan.found_and_spent, Plan.found_notes

    @property
    def answer_text(self) -> str:
        """What it answers."""
        return f"Alarms without end; {self.limit_text}."

    def method_text(self, _: str = "") -> str:
        """Say how the answer is found, and why that way."""
        return f"monitor: {self.limit_text}, so noise for that many hides everyone"

    @property
    def limit_text(self) -> str:
        """In how many alarms each person counts."""
        times = f"at most {self.hits:,} alarm{'s' * (self.hits > 1)}"
        if self.renyi_order is None:
            return f"each person counts in {times}"
        return f"each person counts in {times} at full weight, in more at less"

    def __str__(self) -> str:
        paid = ""
        if self.renyi_order is not None:
            paid = f" Weights are paid for at Rényi order {people_text(self.renyi_order)}."
        return (
            f"{noise_text(self.query_noise)} on {self.reach.on('queries')} and no noise on the "
            f"threshold, which is moved by {people_text(self.correction)}; {self.limit_text}, and "
            f"the run never halts.{paid} Releases happen on a grid of {people_text(self.grid)}."
        )


# What an alarm charges ----------------------------------------------------------------------------


def weight_cost(step: float, order: float) -> float:
    """Return what an alarm costs a person who moves its log-hazard by so much; rounded up.

    Infinite from an order of 1/(1 - e^-step) on.
    """
    return max(base_renyi(step, order), base_renyi(-step, order))


def monitor_step(plan: MonitorPlan) -> float:
    """Return how far a person moves the log-hazard of an alarm; say why, if nothing is proved."""
    if type(plan.query_noise) is not Gumbel:
        raise NoGuaranteeError(f"a monitor has a proof for gumbel noise, got {plan.query_noise!r}")
    step = hazard_step(plan.query_noise, plan.reach.most)
    order = plan.renyi_order
    if order is None and step <= LARGEST_BARE_STEP:
        return step
    if order is not None and math.isfinite(weight_cost(step, float(order))):
        return step
    raise NoGuaranteeError(
        "with so little noise a monitor has no guarantee worth the name; use a larger scale, or "
        "a lower renyi_order"
    )


class Charges(NamedTuple):
    """What an alarm charges a person, by the grid steps of their weight, and how much in all."""

    by_steps: tuple[int, ...]
    most: int


@lru_cache(maxsize=8)
def charges_of(plan: MonitorPlan) -> Charges:
    """Return the charges of a plan that has a guarantee.

    Whoever has been charged m so far is left out of a question that may charge c if m + c is more
    than the most. One who does not count is charged nothing.
    """
    monitor_step(plan)
    steps = range(1, plan.steps + 1)
    if plan.renyi_order is None:
        return Charges((0, *(1 for _ in steps)), plan.hits)
    order = float(plan.renyi_order)
    costs = [weight_cost(hazard_step(plan.query_noise, many * plan.grid), order) for many in steps]
    parts = [math.ceil(cost / costs[-1] * FULL * ROUNDED) for cost in costs]
    return Charges((0, *(min(part, FULL) for part in parts)), plan.hits * FULL)


def best_hits_order(request: Request, noise: Noise) -> Fraction:
    """Return about the order at which so many full hits cost least."""
    step, log_delta = hazard_step(noise, request.reach.most), checked_log_delta(request.delta)
    most = -1 / math.expm1(-step)  # from here on no order has a bound

    def epsilon(order: float) -> float:
        return epsilon_at(request.hits * weight_cost(step, order), order, log_delta)

    best, _ = best_order(epsilon)
    return short_fraction(min(ABOVE_OPTIMUM * best, (best + most) / 2), ORDER_DIGITS)
