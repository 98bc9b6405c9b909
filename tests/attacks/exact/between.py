"""The exact privacy profile of a plan between two neighbouring inputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from overbar import _check
from overbar._check import Number
from overbar.audit.profile import Outcomes, Profile
from overbar.errors import ParameterError
from overbar.mechanisms import Plan
from tests.attacks.exact.key_outcomes import KeyLaw
from tests.attacks.exact.law import Law, law_of
from tests.attacks.exact.ranked_outcomes import with_counts

#: What a run lets the world see: every answer, or the queries found, in the order found.
RELEASES = ("answers", "labels")

#: Neighbouring inputs: two lists of scores, or two tables.
Between = tuple[Sequence[Number], Sequence[Number]] | tuple[Mapping[str, Any], ...]


def exact_profile(
    plan: Plan,
    between: Between,
    *,
    threshold: Number = 0,
    release: str = "answers",
) -> Profile:
    """Compute what a run gives away between two neighbouring inputs, with certified bounds.

    Parameters
    ----------
    plan : Plan
        The plan, of which the law of a release is taken.
    between : pair of sequences or of mappings
        Two neighbouring lists of scores, asked in order; two mappings from items to scores, where
        the candidates are those that occur; or for keys, two mappings from persons to their keys,
        each a letter.
    threshold : int, float, str, Fraction or Decimal, default 0
        The public threshold.
    release : {"answers", "labels"}, default "answers"
        "answers": all answers, one by one. "labels": which queries were positive, in the order
        found, as a batch release says. What takes a whole list of scores, such as ranked
        selection, has labels alone, or labels and counts.

    Returns
    -------
    Profile
        Each outcome with its chances on both sides.

    Raises
    ------
    ParameterError
        If the two inputs are no neighbours, or something in the plan would not be looked at.

    Examples
    --------
    >>> import overbar
    >>> plan = overbar.plan(epsilon=1, cutoff=1, correction=0, grid=1, mechanism="sparse-vector")
    >>> profile = exact_profile(plan, ([0, 0], [1, -1]))
    >>> round(profile.loss().low, 6), profile.worst()
    (1.0, ((0, False), (1, True)))
    >>> exact_profile(plan, ({"tea": 9, "mine": 1}, {"tea": 9}), threshold=8).delta(1).low > 0
    True
    """
    labels = _check.choice("release", release, RELEASES) == "labels"
    return law_profile(law_of(plan, threshold), between, labels=labels)


def law_profile(law: Law | KeyLaw, between: Between, *, labels: bool = False) -> Profile:
    """Compute the same of a law."""
    one, other = _sides(law, between, labels)
    return side_by_side(law, one, other, law.outcomes(one), law.outcomes(other))


def _sides(law: Law | KeyLaw, between: Any, labels: bool) -> tuple[Any, ...]:
    """Read two neighbouring inputs as `law.outcomes` takes them."""
    if isinstance(law, KeyLaw):
        return tuple(between)
    if isinstance(between[0], Mapping):
        return tuple({item: law.steps(data[item]) for item in data} for data in between)
    one, other = ([_check.rational("score", score) for score in scores] for scores in between)
    if len(one) != len(other):
        raise ParameterError("neighbouring lists of scores must have the same length")
    law.check_moves(list(zip(one, other, strict=True)))
    steps = [tuple(map(law.steps, scores)) for scores in (one, other)]
    if law.takes_a_list or labels:
        return tuple(steps)
    return tuple(law.asked(scores) for scores in steps)


def side_by_side(
    law: Law | KeyLaw, one: Any, other: Any, first: Outcomes, second: Outcomes
) -> Profile:
    """Put what is said about two inputs side by side, with the counts beside labels."""
    if isinstance(law, Law) and law.counts is not None:
        before, after = (
            dict(data if isinstance(data, Mapping) else enumerate(data)) for data in (one, other)
        )
        moved = {item: after.get(item, 0) - before.get(item, 0) for item in before | after}
        moved |= dict.fromkeys(before.keys() ^ after.keys(), 0)  # on one side nobody has them
        first, second = with_counts(law.counts, law.grid, first, second, moved)
    return Profile.between(first, second)
