"""What a plan does, how good its answer will be, and its numbers as people read them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from overbar._check import Number, rational
from overbar._numbers import at_most_text, exact_text, number_text
from overbar.accuracy.detection import SURE
from overbar.mechanisms import Plan
from overbar.privacy import ApproximateDP
from overbar.report import Mark, Scale, Section
from overbar.words.promise import Statement


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
    chances = plan.expected(candidates)
    if chances is None:
        return Quality(plan.expected_text)
    sentence, whole = chances.in_words(threshold, unit), unit.endswith("persons")
    sure, hardly = chances.levels(threshold or 0, whole=whole)
    apart, _ = replace(chances, sure=chances.together).levels(whole=whole)
    scale = None
    if plan.for_top and apart is not None:
        scale = _top_scale(apart, chances.cutoff)
    elif not plan.for_top and threshold is not None and sure is not None and hardly is not None:
        scale = _threshold_scale(rational("threshold", threshold), sure, hardly, chances.least)
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


def conditions(plan: Plan, promised: Statement) -> list[str]:
    """Say what has to be true of the data, what unlisted candidates cost, and what is proved."""
    sentences, proved = plan.conditions(promised.unlisted), promised.guarantee
    if promised.unlisted is None and isinstance(proved, ApproximateDP) and proved.pure is not None:
        sentences.append(f"The same run has ε = {at_most_text(proved.pure.epsilon)} at δ = 0.")
    return sentences


def plan_section(plan: Plan, threshold: Fraction | None, *, folded: bool = False) -> Section:
    """Return the numbers of a plan as people read them, by name."""
    title = f"The plan: {plan.answer_text}"
    return Section(name="plan", title=title, pairs=plan.numbers(threshold), folded=folded)
