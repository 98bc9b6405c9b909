"""What a guarantee promises and what a run costs, in words that need no mathematics."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING
from fractions import Fraction

from overbar import _check
from overbar._check import Number
from overbar._numbers import at_most_text, three_digits
from overbar._numbers import rounded_up as nearest_above
from overbar.errors import NoGuaranteeError
from overbar.mechanisms import Plan
from overbar.privacy import Guarantee, PureDP
from overbar.privacy.guarantees import SHOWN_DELTA, proved_about
from overbar.privacy.instalments import RenyiSpent
from overbar.report import Mark, Report, Scale, Section

#: A δ above this is warned of.
LARGE_DELTA = 1e-4
#: What whoever sees the answer can tell about one person, by how far the odds may change at most,
#: and by δ.
TELLING = (
    (3, LARGE_DELTA, "can hardly tell whether any one person was in the data"),
    (20, 0.01, "may learn something about whether any one person was in the data"),
    (1000, 0.1, "may learn much about whether any one person was in the data"),
    (math.inf, 1, "may be all but sure whether any one person was in the data"),
)
#: A sum of parts of δ is rounded up: by so much it is no larger than what was asked for.
ROUNDED = 1 + 1e-9
#: Odds that may change by more than these factors protect little, and very little.
LARGE_FACTOR, HUGE_FACTOR = 20, 1000
#: Nobody reads a larger factor, nor more digits of a per cent.
MOST_READ, MOST_DIGITS = 10**9, 9


@dataclass(frozen=True)
class Statement:
    """One pair of ε and δ that is proved about a plan, computed and not taken on trust.

    `unlisted` is the part of δ that goes to candidates read off the data; None where there are
    none. With it the statement is never a pure one, however small the part.
    """

    guarantee: Guarantee
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
            return f"pure differential privacy with ε = {at_most_text(self.epsilon)}"
        return (
            f"(ε, δ)-differential privacy with ε = {at_most_text(self.epsilon)} "
            f"and δ = {rounded_up(self.total_delta)}"
        )


def statement(plan: Plan, delta: Number | None = None, unlisted: float | None = None) -> Statement:
    """Compute what is proved about a plan at this δ.

    Without a δ it is the pure guarantee; where there is none, what holds at one in a million. What
    keys cost that are found first is `unlisted` too.
    """
    proved, alone = proved_about(plan), plan.lone_delta()
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


def spent_words(promised: Statement, spent: Fraction | RenyiSpent) -> str:
    """Say beside a promise what a run has cost of it."""
    epsilon, delta = promised.cost(spent)
    if promised.total_delta == 0:
        return at_most_text(epsilon)
    if (epsilon, delta) == (promised.epsilon, promised.total_delta):
        return "all of it"
    return f"ε = {at_most_text(epsilon)} and all of δ" if delta else "nothing"


def price(epsilon: Fraction | float, delta: float) -> str:
    """Write what something costs."""
    return f"ε = {at_most_text(epsilon)}" + (f" and δ = {rounded_up(delta)}" if delta else "")


def cost_at_most(promised: Statement) -> str:
    """Say what a run costs that was not run yet."""
    return f"A run costs at most {price(promised.epsilon, promised.total_delta)}."


def cost_now(
    promised: Statement, spent: Fraction | RenyiSpent, texts: Sequence[str], *, is_full: bool
) -> list[str]:
    """Say what a run has cost; one that is not full found fewer than it might have."""
    epsilon, delta = promised.cost(spent)
    sentences = [text.format(price(epsilon, delta)) for text in texts]
    if not is_full and epsilon < promised.epsilon:
        sentences.append("It found fewer than it might have, so it cost less than planned.")
    return sentences


def promise(promised: Statement) -> list[str]:
    """Return the guarantee as sentences for whoever has to answer for it."""
    epsilon = min(700.0, float(promised.epsilon))
    low, high = map(_per_cent, after_even_odds(promised))
    risk = "" if promised.pure else rounded_up(promised.total_delta)
    besides = f", plus {risk}" if risk else ""
    factor = math.exp(epsilon)
    telling = next(
        words
        for most, risk, words in TELLING
        if factor <= most and promised.total_delta <= risk * ROUNDED
    )
    odds = f"changes the odds by at most a factor of {promised.factor}"
    if factor > MOST_READ:
        odds = f"may change the odds by a factor of more than {MOST_READ:,}"
    lines = [
        f"Whoever sees the answer {telling}: it {odds}"
        + (f", but for a remaining risk of about {_one_in(promised.total_delta)}" if risk else "")
        + ".",
        f"Precisely: any outcome is at most {promised.factor} times as likely with that person in "
        f"the data as without, or without as with{besides}.",
    ]
    if promised.pure:
        lines.append(
            "Anyone who gave it even odds that this person is in the data ends up between "
            f"{low} and {high} sure, whatever else they know."
        )
    else:
        lines.append(
            "Anyone who gave it even odds that this person is in the data guesses right in at most "
            f"{high} of all cases."
        )
    return lines


def after_even_odds(promised: Statement) -> tuple[float, float]:
    """Return between which per cents whoever gave it even odds ends up; rounded outwards.

    With δ, the second is how often a guess is right at most, (e^ε + δ) / (e^ε + 1), and the first
    the rest (Kairouz, Oh and Viswanath 2015: no test does better).

    >>> after_even_odds(Statement(PureDP(1), Fraction(1), Fraction(0)))
    (26.8, 73.2)
    >>> after_even_odds(Statement(PureDP(10), Fraction(10), Fraction(0)))
    (0.004, 99.996)
    """
    less = 1 / (1 + math.exp(min(700.0, float(promised.epsilon))))
    wrong = 100 * less * (1 - min(1.0, promised.total_delta))
    digits = min(MOST_DIGITS, max(1, -math.floor(math.log10(wrong or less))))
    low = math.floor(wrong * 10**digits) / 10**digits
    return low, round(100 - low, digits)


def _per_cent(share: float) -> str:
    """Write per cents, with the digits that they have.

    >>> _per_cent(73.2), _per_cent(99.996), _per_cent(75.0)
    ('73.2 %', '99.996 %', '75 %')
    """
    return f"{share:.12g} %"


def _attacker(promised: Statement) -> Scale:
    """Draw what whoever sees the answer learns."""
    ends = after_even_odds(promised)
    low, high = map(_per_cent, ends)
    if promised.pure:
        label = f"Whoever was 50 % sure ends up between {low} and {high} sure"
        first = Mark(ends[0], (f"at least {low}", "after the answer"))
        last = Mark(ends[1], (f"at most {high}", "after the answer"))
        return Scale(label, 0, 100, first, last, Mark(50, ("50 % sure before",)))
    label = f"Of all guesses 50 % are right before the answer, and at most {high} after it"
    last = Mark(ends[1], ("after it at most", f"{high} are right"))
    return Scale(
        label, 0, 100, Mark(50, ()), last, Mark(50, ("of all guesses, 50 % right before",))
    )


def too_large(promised: Statement, persons: int | None = None) -> list[str]:
    """Warn of an ε or a δ that protects little; of so many persons, where that is known."""
    factor, delta = math.exp(min(700.0, float(promised.epsilon))), promised.total_delta
    warnings = []
    if factor > LARGE_FACTOR:
        little = "very little" if factor > HUGE_FACTOR else "little"
        warnings.append(f"This protects {little}: ask for a smaller ε.")
    warnings += too_large_delta(delta)
    if persons is not None and delta * persons > ROUNDED:
        warnings.append(
            f"δ is above one divided by the number of persons, {persons:,}: whoever publishes all "
            "rows of one of them, drawn by lot, keeps such a δ. Ask for a smaller one."
        )
    return warnings


def too_large_delta(delta: float) -> list[str]:
    """Warn of a δ that protects nobody with a chance to be reckoned with."""
    if delta <= LARGE_DELTA * ROUNDED:
        return []
    return [
        f"With a chance of up to {_one_in(delta)} this protects nobody: the answer may then "
        "show anything about a person. Ask for a δ such as 1e-6."
    ]


def promise_sections(
    promised: Statement, conditions: Sequence[str] = (), persons: int | None = None
) -> tuple[Section, ...]:
    """Return what is protected, and the same in technical terms with what has to be true for it.

    With a public number of persons it says what looks wrong beside it.
    """
    first, precisely, *rest = promise(promised)
    return (
        Section(
            name="promise",
            title="What it protects",
            lead=first,
            warnings=tuple(too_large(promised, persons)),
            sentences=tuple(rest),
            scale=_attacker(promised),
        ),
        Section(
            name="technical",
            title=f"Guaranteed: {promised}",
            sentences=(precisely, *conditions),
            folded=True,
        ),
    )


def guarantee_report(proved: Guarantee) -> Report:
    """Return what is said about a guarantee alone."""
    try:
        promised = Statement(proved, proved.at(0), Fraction(0))
    except NoGuaranteeError:
        promised = Statement(proved, proved.at(SHOWN_DELTA), SHOWN_DELTA)
    return Report("A guarantee", promise_sections(promised), repr(proved))


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
    return three_digits(value, ROUND_CEILING)


#: Nobody reads a number with more digits than this.
SMALLEST_CHANCE = 1e-12


def _one_in(chance: float) -> str:
    """Write a small chance for people, never below what it is.

    >>> _one_in(1e-6), _one_in(0.3), _one_in(1e-72)
    ('one in 1,000,000', '0.3', 'one in 1,000,000,000,000')
    """
    chance = max(chance, SMALLEST_CHANCE)
    return f"one in {math.floor(1 / chance + 1e-6):,}" if chance <= 0.1 else rounded_up(chance)
