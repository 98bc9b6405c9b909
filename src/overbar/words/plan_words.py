"""What a plan does, how good its answer will be, and its numbers as people read them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction

from overbar._check import Number, rational
from overbar._numbers import at_most_text, exact_text, number_text, people_text, three_digits
from overbar.accuracy.detection import SURE, detection
from overbar.mechanisms import KeyPlan, Plan
from overbar.noise import Noise
from overbar.planning.key_kind import key_forecast
from overbar.privacy import ApproximateDP
from overbar.report import Mark, Scale, Section
from overbar.runs.counting import usual_ends
from overbar.words.promise import Statement

#: The line that counts what is not in the answer.
EVERYTHING_ELSE = "everything else"
#: What is different about a run in groups.
ALL_GROUPS = (
    "This is for the answers of all groups together. Such a run costs all of it, however few are "
    "found."
)
#: What has to be true of alarms.
ALARMS = (
    "who has used up their alarms is left out. Lists of items and days must be public, and the "
    "store the newest there is: an older copy has forgotten who was counted."
)


@dataclass(frozen=True)
class Quality:
    """How good an answer is, in the units of its scores: a sentence, and the numbers in it.

    `sure` and `hardly` are about one item. For the top they are distances: to the first place
    outside, and to the last inside; and `together` is how far apart these two places must be for
    all that belong to the top to come out, which is what the sentence says.
    """

    sentence: str
    sure: Fraction | None = None
    hardly: Fraction | None = None
    together: Fraction | None = None
    scale: Scale | None = None

    def fields(self) -> dict[str, object] | None:
        """Return it for a JSON file; None where nothing can be said."""
        ends = {"sure": self.sure, "hardly": self.hardly, "together": self.together}
        exact = {name: end if end is None else exact_text(end) for name, end in ends.items()}
        return {"sentence": self.sentence, "chance": SURE, **exact} if self.sentence else None

    def sections(self, *warnings: str, hint: str = "") -> tuple[Section, ...]:
        """Return it as a section, if there is something to say."""
        if not (self.sentence or warnings or hint):
            return ()
        return (
            Section(
                name="good",
                title="How good it is, computed without data",
                lead=self.sentence,
                warnings=warnings,
                scale=self.scale,
                notes=(hint,) if hint else (),
            ),
        )


def quality_of(
    plan: Plan, threshold: Number | None, candidates: int | None, unit: str = "in score"
) -> Quality:
    """Compute how good an answer will be; nothing is known about the data."""
    if plan.labels.keys is not None:
        return Quality(key_forecast(plan.labels.keys))
    chances = detection(plan, candidates)
    if chances is None:
        return Quality("")
    least = 0 if plan.reach.low == 0 else None  # sums and counts that only ever grow begin at zero
    sentence, whole = chances.in_words(threshold, unit, least=least), unit.endswith("persons")
    sure, hardly = chances.levels(threshold or 0, whole=whole)
    apart, _ = replace(chances, sure=chances.together).levels(whole=whole)
    scale = None
    if plan.for_top and apart is not None:
        scale = _top_scale(apart, plan.cutoff)
    elif not plan.for_top and threshold is not None and sure is not None and hardly is not None:
        scale = _threshold_scale(rational("threshold", threshold), sure, hardly, least)
    return Quality(sentence, sure, hardly, apart, scale)


def _threshold_scale(
    threshold: Fraction, sure: Fraction, hardly: Fraction, least: int | None
) -> Scale:
    """Draw who comes out: dots on a line of scores, with the threshold."""
    places = [float(one) for one in (threshold, sure, hardly)]
    wide = (max(places) - min(places)) or 1.0
    start = min(places) - 0.7 * wide
    if least is not None:
        start = min(max(start, float(least)), *places)
    high, low = f"{number_text(sure)} or more:", f"{number_text(hardly)} or fewer:"
    level = f"threshold {number_text(threshold)}"
    return Scale(
        f"A line of scores: up to {number_text(hardly)} hardly any come out, from "
        f"{number_text(sure)} on nearly all; {level}",
        start,
        max(places) + 0.7 * wide,
        Mark(float(hardly), (low, "5 of 100 come out")),
        Mark(float(sure), (high, "95 of 100 come out")),
        Mark(float(threshold), (level,)),
        with_dots=True,
    )


def _top_scale(apart: Fraction, cutoff: int) -> Scale:
    """Draw who comes out: dots by how far they are behind the last place inside."""
    wide = float(apart) or 1.0
    return Scale(
        f"A line of scores: place {cutoff + 1:,} is {number_text(apart)} behind place {cutoff:,}; "
        "then the right ones come out 95 times of 100",
        -1.7 * wide,
        0.7 * wide,
        Mark(-wide, (f"place {cutoff + 1:,} and below", "stay out")),
        Mark(0.0, (f"place {cutoff:,} and above", "come out")),
        Mark(-wide / 2, (f"{number_text(apart)} apart: right 95 times of 100",)),
        with_dots=True,
    )


def may_be_more(plan: Plan, number: int, candidates: int | None) -> str:
    """Say that all places are taken, where that can hide something."""
    full = number == plan.cutoff != candidates and not plan.for_top
    return ", so there may be more" if full else ""


def conditions(plan: Plan, promised: Statement) -> list[str]:
    """Say what has to be true of the data, what unlisted candidates cost, and what is proved."""
    if plan.finds_keys:
        alone = at_most_text(plan.lone_delta())
        return [f"Of δ, {alone} is the chance that a key comes out that one person alone has."]
    if plan.labels.finds == "alarms":
        return [f"This holds for every table: {ALARMS}"]
    together = ", all of them in the same direction" if plan.reach.one_way else ""
    moved = "each score"
    if plan.items_per_person is not None:
        there = " of each group" if plan.groups else ""
        moved = f"at most {plan.items_per_person:,} scores{there}, each"
    inside = ""
    if plan.groups is not None:
        inside = f", in at most {plan.groups.per_person:,} of the {plan.groups.count:,} groups"
    sentences = [
        f"This holds if adding or removing one person moves {moved} by {_moved_by(plan)}"
        f"{together}{inside}."
    ]
    if plan.groups is not None:
        sentences.append(ALL_GROUPS)
    if promised.unlisted is not None:
        part = at_most_text(promised.unlisted)
        sentences.append(f"Of δ, δ′ = {part} pays for candidates that are read off the data.")
    proved = promised.guarantee
    if promised.unlisted is None and isinstance(proved, ApproximateDP) and proved.pure is not None:
        sentences.append(f"The same run has ε = {at_most_text(proved.pure.epsilon)} at δ = 0.")
    return sentences


def _moved_by(plan: Plan) -> str:
    """Say how far one person moves a score."""
    reach = plan.reach
    if reach.one_way or reach.low == -reach.high:
        return f"at most {reach}"
    return (
        f"at most {number_text(reach.high)} up and {number_text(-reach.low)} down, or the reverse"
    )


def plan_section(plan: Plan, threshold: Fraction | None, *, folded: bool = False) -> Section:
    """Return the numbers of a plan as people read them, by name."""
    title, keys = f"The plan: {plan.answer_text}", plan.labels.keys
    if keys is not None:
        return Section(name="plan", title=title, pairs=_key_pairs(keys), folded=folded)
    barless = plan.bar is None
    resampled = ", drawn anew after each positive" if plan.redraws else ""
    correction = f"{people_text(plan.correction)} is added to the threshold"
    return Section(
        name="plan",
        title=title,
        pairs=(
            ("mechanism", plan.method_text),
            ("groups", "" if plan.groups is None else _group_words(plan)),
            ("threshold", "" if threshold is None else number_text(threshold)),
            ("noise on scores", noise_words(plan.query_noise)),
            (
                "noise on threshold",
                noise_words(None if barless else plan.threshold_noise) + resampled,
            ),
            ("counts", _count_words(plan) if plan.gives_counts else ""),
            ("correction", "" if barless else correction),
            ("grid", people_text(plan.grid)),
        ),
        folded=folded,
    )


def _key_pairs(plan: KeyPlan) -> tuple[tuple[str, str], ...]:
    """Return the numbers of a search for keys."""
    rounds = [
        (f"round {place}", f"Gaussian noise of scale {people_text(each.sigma)} on weights")
        for place, each in enumerate(plan.rounds, 1)
    ]
    noise = plan.count_noise
    return (
        ("keys per person", f"at most {plan.items_per_person:,}, by lot"),
        ("held by", f"at least {plan.at_least:,}" if plan.at_least > 1 else ""),
        *(rounds or [("one round", "each key by a chance that rises with its persons")]),
        ("counts", noise_words(noise.each) if noise else ""),
        (EVERYTHING_ELSE, noise_words(noise.rest) if noise else ""),
    )


def _group_words(plan: Plan) -> str:
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
    deviation = three_digits(math.sqrt(noise.variance))
    return f"{name} noise of scale {people_text(noise.scale)} (standard deviation {deviation})"


def _count_words(plan: Plan) -> str:
    """Return how exact counts are, and what they cost."""
    low, high = usual_ends(plan)
    half = (high - (low or 0)) * plan.grid / 2
    shown = people_text(Fraction(math.ceil(half)) if half >= 10 else half)
    width = f"within {shown} of the truth, 95 % of the time"
    if plan.gives_values:
        noise = plan.threshold_noise
        free, shared = "free", ""
        if noise is not None:
            free, shared = "nearly free", f", less {noise_words(noise)} that all share"
        where = "the last place" if plan.for_top else "the threshold"
        return f"{free}: the noisy scores themselves{shared}, {width}; wider next to {where}"
    return f"{noise_words(plan.counts)} of their own, {width}"
