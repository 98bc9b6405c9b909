"""What the score of an item is, and how far one person can move it. No data is needed."""

from __future__ import annotations

from collections.abc import Sequence, Sized
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from overbar import _check
from overbar._check import Number
from overbar._numbers import exact_text, number_text
from overbar.errors import ParameterError, either, named
from overbar.ledger.fields import Neighbours
from overbar.mechanisms import Groups, Reach, ScorePlan
from overbar.planning.request import checked_groups
from overbar.runs.counting import KnownScores

Range = tuple[Fraction, Fraction]
#: What the range of a column is called.
RANGE = either("the range", "--value-range")
#: What makes a good one.
GOOD_RANGE = (
    "A good range is known before a look at the data: what a value could be at most. It is so wide "
    "that few lie outside, and no wider, as noise grows with its width"
)

#: One more person is one more in a count, or none.
COUNTS = Reach(Fraction(0), Fraction(1))
#: So far at most, up or down; or from low to high.
Sensitivity = Number | tuple[Number, Number] | Reach


@dataclass(frozen=True)
class Measure:
    """How rows become one score for each item.

    Neighbouring tables differ by all rows of one person. Made by :func:`measure_of`, which derives
    how far one more person moves a score from the rest.

    The kind is "count" (persons with the item), "sum" (bounded sums over persons) or "score" (one
    row for each item); `column` is the one that is summed or holds the score. A person's sum for an
    item, or a score, is clamped to `value_range`. Several columns name an item together.
    """

    kind: str
    item: str | tuple[str, ...]
    person: str | None
    column: str | None
    value_range: Range | None
    items_per_person: int | None
    reach: Reach
    #: The first of the columns that name an item, where each of its groups is asked by itself.
    by: str | None = None
    groups: int | None = None
    groups_per_person: int | None = None

    def __str__(self) -> str:
        most, lots = self.items_per_person, self.lots
        bound = f", at most {lots:,} {self.by} of each {self.person}" if lots else ""
        there = f" in one {self.by}" if self.by else ""
        bound += f", at most {most:,} item{'s' * (most > 1)} of each{there}" if most else ""
        if self.kind == "count":
            return f"number of {self.person} for each {self.what}{bound}"
        within = ""
        if self.value_range is not None:
            within = " within {} and {}".format(*map(number_text, self.value_range))
        if self.kind == "sum":
            return f"sum of {self.column}{within} over {self.person} for each {self.what}{bound}"
        return f"{self.column}{within} for each {self.what}"

    @property
    def neighbours(self) -> Neighbours | None:
        """By what two tables differ; of scores that are there already only the caller knows."""
        return None if self.kind == "score" else "person"

    @cached_property
    def items(self) -> tuple[str, ...]:
        """The columns that name an item."""
        return (self.item,) if isinstance(self.item, str) else self.item

    @property
    def what(self) -> str:
        """What an item is, in words."""
        if self.by is not None:
            return f"{' and '.join(self.items[1:])} in each {self.by}"
        return " and ".join(self.items)

    @property
    def lots(self) -> int | None:
        """How many groups of a person count, where that may be fewer than there are."""
        return None if self.groups_per_person == self.groups else self.groups_per_person

    @property
    def unit(self) -> str:
        """What a score counts, for sentences: 90 persons, 90 in amount."""
        if self.kind == "count":
            free = self.items_per_person is None and self.lots is None
            return "persons" if free else "counted persons"
        return f"in {self.column}"

    @property
    def known(self) -> KnownScores:
        """What is public about all scores: an item that nobody has scores zero."""
        if self.kind == "count":
            return KnownScores(Fraction(0), whole=True)
        least = None if self.value_range is None else min(Fraction(0), self.value_range[0])
        return KnownScores(least if self.kind == "score" or least == 0 else None)

    @cached_property
    def labels(self) -> dict[str, str]:
        """The columns of labels, by their roles: groups; item, or item 1, item 2, …; person."""
        several = self.items if self.by is None else self.items[1:]
        roles = ["item"] if len(several) == 1 else _numbered(several)
        roles = roles if self.by is None else ["groups", *roles]
        return dict(zip(roles, self.items, strict=True)) | (
            {} if self.person is None else {"person": self.person}
        )

    def refuse_a_plan_for_less(self, plan: ScorePlan) -> None:
        """Raise if a plan made elsewhere protects less than these scores need."""
        if plan.reach.most < self.reach.most:
            raise ParameterError(
                f"the plan must have a sensitivity of at least {exact_text(self.reach.most)} "
                f"for the {self}, got {plan.reach}"
            )
        few, held = plan.items_per_person, self.items_per_person
        if few is not None and (held is None or held > few):
            raise ParameterError(
                f"the plan is for persons with at most {few:,} items; write "
                f"{named('items_per_person', few)}, so that no more of each person count"
            )
        own = None if self.groups is None else Groups(self.groups, self.groups_per_person or 1)
        if plan.groups != own:
            raise ParameterError(
                f"the plan must be for the same {named('groups')} and "
                f"{named('groups_per_person')}, got one for {plan.groups or 'no groups'}"
            )
        if plan.reach.one_way and not self.reach.one_way:
            raise ParameterError(
                f"the plan must not be for monotonic queries: the {self} can move up and down. "
                f"Plan with {either('monotonic=False', '--sensitivity LOW,HIGH')}"
            )
        if not plan.reach.holds(self.reach):
            low, high = exact_text(self.reach.low), exact_text(self.reach.high)
            raise ParameterError(
                f"the plan must be for scores that one person moves by {low} to {high} at least, "
                f"as for the {self}; got {exact_text(plan.reach.low)} to "
                f"{exact_text(plan.reach.high)}"
            )


def _numbered(items: Sequence[str]) -> list[str]:
    return [f"item {number}" for number in range(1, len(items) + 1)]


def measure_of(
    *,
    item: str | Sequence[str],
    person: str | None = None,
    value: str | None = None,
    value_range: object = None,
    score: str | None = None,
    items_per_person: int | None = None,
    sensitivity: object = None,
    by: str | None = None,
    groups: Sized | None = None,
    groups_per_person: object = None,
) -> Measure:
    """Check which columns were named, and derive how far one person moves a score."""
    several = checked_groups(groups and len(groups), groups_per_person)
    number, most_groups = (several.count, several.per_person) if several else (None, None)
    whats: dict[str, Any] = {"item": item}
    if isinstance(item, list | tuple):
        if len(item) == 1:
            whats = {"item": item[0]}
        elif item:
            whats = dict(zip(_numbered(item), item, strict=True))
    whats = whats if by is None else {"groups": by, **whats}
    roles = {**whats, "person": person, "value": value, "score": score}
    given = {role: name for role, name in roles.items() if name is not None}
    for role, name in given.items():
        if not isinstance(name, str) or not name:
            raise ParameterError(
                f"{named(role.split()[0])} must be the name of a column, got {name!r}"
            )
    item = tuple(whats.values()) if len(whats) > 1 else whats["item"]
    if len(set(given.values())) < len(given):
        columns = ", ".join(f"{role}={name!r}" for role, name in given.items())
        raise ParameterError(f"each role needs a column of its own, got {columns}")
    clamp = None if value_range is None else _checked_range(value_range)
    if score is not None:
        for role in ("groups", "person", "value"):
            if role in given:
                raise ParameterError(
                    f"{named(role)} must be left out with {named('score')}, which has one row for "
                    "each item"
                )
        return _declared(item, score, clamp, items_per_person, sensitivity)
    if person is None:
        raise ParameterError(
            f"{named('person')} must name the column that says whose row it is; or name a score "
            "column, with its sensitivity"
        )
    if (value is None) != (clamp is None):
        raise ParameterError(
            either(
                "value must be a column with a range, such as {'amount': (0, 100)}",
                "--value and --value-range LOW,HIGH must be given together",
            )
            + f": the range is public and bounds what one person adds to one item. {GOOD_RANGE}"
        )
    bound = None
    if items_per_person is not None:
        bound = _check.whole("items_per_person", items_per_person)
    # Without the person an item has lost one value of the range, with them it has gained it: a
    # person without the item adds nothing.
    kind, reach = ("count", COUNTS) if clamp is None else ("sum", reach_of_sums(*clamp))
    measure = Measure(kind, item, person, value, clamp, bound, reach, by, number, most_groups)
    if sensitivity is not None and declared_reach(sensitivity) != reach:
        low, high = exact_text(reach.low), exact_text(reach.high)
        raise ParameterError(
            f"{named('sensitivity')} must be left out: one person moves the {measure} by {low} to "
            f"{high}"
        )
    return measure


def reach_of_sums(low: Fraction, high: Fraction) -> Reach:
    """Return how far one more person moves a sum that is clamped to a range."""
    if low < 0 < high:
        return Reach(low, high)
    return Reach.of(max(-low, high), monotonic=low >= 0)


def declared_reach(sensitivity: Any) -> Reach:
    """Return how far one more person moves a score: so far at most, or from low to high.

    >>> declared_reach(2) == Reach(-2, 2), declared_reach((0, "0.5")) == Reach(0, "0.5")
    (True, True)
    """
    if isinstance(sensitivity, Reach):
        return sensitivity
    if not isinstance(sensitivity, tuple | list):
        return Reach.of(sensitivity, monotonic=False)
    ends = [_check.rational("sensitivity", end) for end in sensitivity]
    if len(ends) != 2 or not ends[0] <= 0 <= ends[1] or ends[0] == ends[1]:
        raise ParameterError(
            f"{named('sensitivity')} must be one number, or how far down and how far up one more "
            f"person moves a score, such as {either('(0, 1)', '0,1')} for counts"
        )
    return Reach(*ends)


def _declared(
    item: str | tuple[str, ...],
    score: str,
    clamp: Range | None,
    items_per_person: object,
    sensitivity: object,
) -> Measure:
    if items_per_person is not None:
        raise ParameterError(
            f"{named('items_per_person')} must be left out with {named('score')}: nobody's rows "
            "can be told apart"
        )
    if sensitivity is None:
        raise ParameterError(
            f"{named('sensitivity')} must be given with {named('score')}: how far can one person "
            "move the score of one item?"
        )
    return Measure("score", item, None, score, clamp, None, declared_reach(sensitivity))


def _checked_range(value_range: object) -> Range:
    if not isinstance(value_range, tuple | list) or len(value_range) != 2:
        raise ParameterError(f"{RANGE} must be two public numbers (low, high). {GOOD_RANGE}")
    low, high = (_check.rational("the range", end) for end in value_range)
    if low > high or low == high == 0:
        raise ParameterError(
            f"{RANGE} must have low < high, got {exact_text(low)} and {exact_text(high)}"
        )
    return low, high
