"""What a plan promises, in words that need no mathematics."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction

from overbar import _check
from overbar._check import Number
from overbar._numbers import exact_text, short_text
from overbar._numbers import rounded_up as nearest_above
from overbar.accounting import ApproximateDP, PureDP, RenyiSpent
from overbar.accounting.guarantees import SHOWN_DELTA, lone_delta, proved_about
from overbar.accuracy.detection import SURE, detection
from overbar.errors import NoGuaranteeError
from overbar.mechanism.counting import usual_ends
from overbar.noise import Noise
from overbar.plans import Composed, Plan, RankedPlan, SparseVectorPlan

#: What whoever sees the answer can tell about one person, by how far the odds may change at most.
TELLING = (
    (3, "can hardly tell whether any one person was in the data"),
    (20, "may learn something about whether any one person was in the data"),
    (1000, "may learn much about whether any one person was in the data"),
    (math.inf, "may be all but sure whether any one person was in the data"),
)
#: Odds that may change by more than these factors protect little, and very little.
LARGE_FACTOR, HUGE_FACTOR = 20, 1000


@dataclass(frozen=True)
class Statement:
    """One pair of ε and δ that is proved about a plan, computed and not taken on trust.

    `unlisted` is the part of δ that goes to candidates read off the data; None where there are
    none. With it the statement is never a pure one, however small the part.
    """

    guarantee: PureDP | ApproximateDP
    epsilon: Fraction | float
    delta: Fraction
    unlisted: float | None = None

    @property
    def total_delta(self) -> float:
        """Return all of δ."""
        if self.unlisted is None:
            return float(self.delta)
        return nearest_above(self.delta + Fraction(self.unlisted))

    def cost(self, spent: Fraction | RenyiSpent) -> tuple[Fraction | float, float]:
        """Return what a run has cost, as ε and δ, where this was promised and so much spent.

        At δ = 0 it is what its positives have cost. Of a plan's ε at a positive δ, and of a δ,
        nothing is given back; only a run that asked nothing costs nothing.
        """
        if spent == 0:
            return Fraction(0), 0.0
        if self.delta == 0 and isinstance(spent, Fraction):
            return spent, self.total_delta
        return self.epsilon, self.total_delta

    @property
    def factor(self) -> str:
        """Return e^ε, rounded up."""
        return rounded_up(math.exp(min(700.0, float(self.epsilon))))

    @property
    def pure(self) -> bool:
        """Whether there is no δ at all."""
        return self.delta == 0 and self.unlisted is None

    def __str__(self) -> str:
        if self.pure:
            return f"pure differential privacy with ε = {short_text(self.epsilon)}"
        return (
            f"(ε, δ)-differential privacy with ε = {short_text(self.epsilon)} "
            f"and δ = {rounded_up(self.total_delta)}"
        )


def statement(plan: Plan, delta: Number | None = None, unlisted: float | None = None) -> Statement:
    """Compute what is proved about a plan at this δ.

    Without a δ it is the pure guarantee; where there is none, what holds at one in a million. What
    keys cost that are found first is `unlisted` too.
    """
    proved, alone = proved_about(plan), lone_delta(plan)
    if alone:
        unlisted = nearest_above(alone + Fraction(unlisted or 0))
    at = _check.probability("delta", 0 if delta is None else delta)
    if isinstance(proved, PureDP):
        at = Fraction(0)  # a δ would buy it nothing worth a weaker word
    try:
        return Statement(proved, proved.at(at), at, unlisted)
    except NoGuaranteeError:
        if delta is not None:
            raise
    return Statement(proved, proved.at(SHOWN_DELTA), SHOWN_DELTA, unlisted)


def spent_words(said: Statement, spent: Fraction | RenyiSpent) -> str:
    """Say beside a promise what a run has cost of it."""
    epsilon, delta = said.cost(spent)
    if said.total_delta == 0:
        return short_text(epsilon)
    if (epsilon, delta) == (said.epsilon, said.total_delta):
        return "all of it"
    return f"ε = {short_text(epsilon)} and all of δ" if delta else "nothing"


def promise(said: Statement) -> list[str]:
    """Return the guarantee as sentences for whoever has to answer for it."""
    epsilon = min(700.0, float(said.epsilon))
    high = 1 / (1 + math.exp(-epsilon))
    risk = "" if said.pure else rounded_up(said.total_delta)
    besides = f", plus {risk}" if risk else ""
    factor = math.exp(epsilon)
    telling = next(words for most, words in TELLING if factor <= most)
    lines = [
        f"Whoever sees the answer {telling}: it changes the odds by at most a factor of "
        f"{said.factor}"
        + (f", but for a remaining risk of about {_one_in(said.total_delta)}." if risk else "."),
        f"Precisely: any outcome is at most {said.factor} times as likely with that person in the "
        f"data as without, or without as with{besides}.",
    ]
    if said.pure:
        lines.append(
            "Anyone who gave it even odds that this person is in the data ends up between "
            f"{math.floor(100 * (1 - high))} % and {math.ceil(100 * high)} % sure, whatever else "
            "they know."
        )
    if factor > LARGE_FACTOR:
        little = "very little" if factor > HUGE_FACTOR else "little"
        lines[0] += f" This protects {little}: ask for a smaller ε."
    return lines


def promise_about(plan: Plan, said: Statement) -> list[str]:
    """Return the guarantee, what has to be true of the data, and what unlisted candidates cost."""
    together = ", all of them in the same direction" if plan.reach.one_way else ""
    moved = "each score"
    if plan.items_per_person is not None:
        moved = f"{_scores_of_a_person(plan)}, each"
    lines = [
        *promise(said),
        f"This holds if adding or removing one person moves {moved} by {_moved_by(plan)}"
        f"{together}{in_their_groups(plan)}.",
    ]
    if plan.groups is not None:
        lines.append(ALL_GROUPS)
    if said.unlisted is not None:
        part = f"{said.unlisted:.3g}"
        lines.append(f"Of δ, δ′ = {part} pays for candidates that are read off the data.")
    return lines


def _moved_by(plan: Plan) -> str:
    """Say how far one person moves a score."""
    reach = plan.reach
    if reach.one_way or reach.low == -reach.high:
        return f"at most {reach}"
    return f"at most {short_text(reach.high)} up and {short_text(-reach.low)} down, or the reverse"


def _scores_of_a_person(plan: Plan) -> str:
    """Say how many scores one person moves, where that is known: of each group by itself."""
    there = " of each group" if plan.groups else ""
    return f"at most {plan.items_per_person:,} scores{there}"


#: What is different about a run in groups.
ALL_GROUPS = (
    "This is for the answers of all groups together. Such a run costs all of it, however few are "
    "found."
)


def in_their_groups(plan: Plan) -> str:
    """Say in how many groups one person counts, where there are groups."""
    if plan.groups is None:
        return ""
    return f", in at most {plan.groups.per_person:,} of the {plan.groups.count:,} groups"


def what_it_does(plan: Plan) -> str:
    """Return what the run answers."""
    if plan.groups is not None:
        one = what_it_does(plan.labels)
        return f"In each of {plan.groups.count:,} groups: {one[0].lower()}{one[1:]}"
    if plan.for_top:
        return f"The top {plan.cutoff:,}, whether high or not."
    labels = plan.labels
    if not isinstance(labels, SparseVectorPlan):
        return f"Up to {plan.cutoff:,} candidates above the threshold, the highest first."
    asking = asked(plan)
    if labels.repeats.rounds is None:
        return f"{plan.cutoff:,} candidates, higher scores more likely, {asking}."
    return f"Up to {plan.cutoff:,} candidates above the threshold, {asking}."


@dataclass(frozen=True)
class Quality:
    """How good an answer is, in the units of its scores: a sentence, and the numbers in it.

    For the top both numbers are distances: to the first place outside, and to the last inside.
    """

    sentence: str
    sure: Fraction | None = None
    hardly: Fraction | None = None

    def fields(self) -> dict[str, object] | None:
        """Return it for a JSON file; None where nothing can be said."""
        ends = {"sure": self.sure, "hardly": self.hardly}
        exact = {name: end if end is None else exact_text(end) for name, end in ends.items()}
        return {"sentence": self.sentence, "chance": SURE, **exact} if self.sentence else None


def may_be_more(plan: Plan, number: int, candidates: int | None) -> str:
    """Say that all places are taken, where that can hide something."""
    full = number == plan.cutoff != candidates and not plan.for_top
    return ", so there may be more" if full else ""


def quality_of(
    plan: Plan, threshold: Number | None, candidates: int | None, unit: str = "in score"
) -> Quality:
    """Compute how good an answer will be; nothing is known about the data."""
    seen = detection(plan, candidates)
    if seen is None:
        return Quality("")
    least = 0 if plan.reach.low == 0 else None  # sums and counts that only ever grow begin at zero
    sentence = seen.in_words(threshold, unit, least=least)
    return Quality(sentence, *seen.levels(threshold or 0, whole=unit.endswith("persons")))


def asked(plan: Plan) -> str:
    """Return how often each candidate is asked, or what happens instead."""
    labels = plan.labels
    if not isinstance(labels, SparseVectorPlan):
        return "one noisy value each, the highest win"
    rounds = labels.repeats.rounds
    if rounds is None:
        return "each asked as often as it takes"
    return "each asked once" if rounds == 1 else f"each asked up to {rounds:,} times"


def mechanism_words(plan: Plan) -> str:
    """Return how the answer is found, and why that way."""
    labels = plan.labels
    if isinstance(labels, RankedPlan):
        bar = "nothing is spent on a threshold" if plan.for_top else "the bar costs nothing extra"
        if plan.threshold_noise is not None and plan.query_noise.name == "gumbel":
            bar = "δ buys less noise"
        return f"ranked: one noisy value for each candidate, the highest win, and {bar}"
    if not isinstance(labels, SparseVectorPlan):
        return (
            f"histogram: a person moves {_scores_of_a_person(plan)}, so noise for that many hides "
            "everyone"
        )
    most = labels.repeats.max_queries
    limit = f", at most {most:,} comparisons in all" if most else ""
    return f"sparse-vector: one by one, {asked(plan)}{limit}"


def plan_pairs(plan: Plan, threshold: Fraction | None) -> list[tuple[str, str]]:
    """Return the numbers of a plan as people read them, by name."""
    resampled = ", drawn anew after each positive" if plan.redraws else ""
    barless = plan.bar is None
    return [
        ("mechanism", mechanism_words(plan)),
        *([] if plan.groups is None else [("groups", group_words(plan))]),
        *([] if threshold is None else [("threshold", short_text(threshold))]),
        ("noise on scores", noise_words(plan.query_noise)),
        ("noise on threshold", noise_words(None if barless else plan.threshold_noise) + resampled),
        *([("counts", count_words(plan))] if plan.gives_counts else []),
        *(
            []
            if barless
            else [("correction", f"{short_text(plan.correction)} is added to the threshold")]
        ),
        ("grid", short_text(plan.grid)),
    ]


def group_words(plan: Plan) -> str:
    """Return how many groups there are, and how their costs add up."""
    assert plan.groups is not None
    often, runs = "so all cost as much as one (parallel composition)", plan.groups.per_person
    if runs > 1:
        often = f"so the costs of {runs:,} runs add up"
    return f"{plan.groups.count:,}, of which a person counts in at most {runs:,}, {often}"


def noise_words(noise: Noise | None) -> str:
    """Return a noise as people read it.

    >>> from overbar.noise import Laplace
    >>> noise_words(Laplace(2))
    'Laplace noise of scale 2 (standard deviation 2.83)'
    """
    if noise is None:
        return "none"
    name = (
        noise.name.capitalize() if noise.name in ("laplace", "gumbel", "gaussian") else noise.name
    )
    deviation = math.sqrt(noise.variance)
    return f"{name} noise of scale {float(noise.scale):.6g} (standard deviation {deviation:.3g})"


def count_words(plan: Plan) -> str:
    """Return how exact counts are, and what they cost."""
    low, high = usual_ends(plan)
    half = (high - (low or 0)) * plan.grid / 2
    shown = short_text(Fraction(math.ceil(half)) if half >= 10 else half)
    width = f"within {shown} of the truth, 95 % of the time"
    if plan.gives_values:
        noise = plan.threshold_noise
        free, shared = "free", ""
        if noise is not None:
            free, shared = "nearly free", f", less {noise_words(noise)} that all share"
        where = "the last place" if plan.for_top else "the threshold"
        return f"{free}: the noisy scores themselves{shared}, {width}; wider next to {where}"
    assert isinstance(plan, Composed)  # else the values come out
    return f"{noise_words(plan.counts)} of their own, {width}"


def scale_words(noise: Noise | None) -> str:
    """Return a scale in four digits; a dash without noise."""
    return "–" if noise is None else f"{float(noise.scale):.4g}"


def percent(share: float) -> str:
    """Write a share, rounded down, so that 100 % means all.

    >>> percent(0.99999), percent(0.5), percent(1.0)
    ('99.9 %', '50.0 %', '100.0 %')
    """
    return f"{math.floor(round(share * 1000, 9)) / 10:.1f} %"


def rounded_up(value: float) -> str:
    """Write a positive number with three digits, never below what it is.

    >>> rounded_up(2.71828), rounded_up(1.0513), rounded_up(1e-6), rounded_up(4851651.95)
    ('2.72', '1.06', '1e-6', '4,860,000')
    """
    up = Context(prec=3, rounding=ROUND_CEILING).create_decimal(Decimal(repr(value)))
    number = float(up)
    return f"{number:,.0f}" if 1000 <= number < 1e9 else f"{number:.3g}".replace("e-0", "e-")


#: Nobody reads a number with more digits than this.
SMALLEST_CHANCE = 1e-12


def _one_in(chance: float) -> str:
    """Write a small chance for people, never below what it is.

    >>> _one_in(1e-6), _one_in(0.3), _one_in(1e-72)
    ('one in 1,000,000', '0.3', 'one in 1,000,000,000,000')
    """
    chance = max(chance, SMALLEST_CHANCE)
    return f"one in {math.floor(1 / chance + 1e-6):,}" if chance <= 0.1 else rounded_up(chance)
