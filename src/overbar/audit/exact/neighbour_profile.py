"""The exact privacy profile of a plan or law between two neighbouring inputs."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from overbar import _check
from overbar._check import Number
from overbar.audit.exact.adversary import Adversary, tree_profile
from overbar.audit.exact.events import Path, check_moves, path_profile
from overbar.audit.exact.labels import labels
from overbar.audit.exact.law import Law, law_of
from overbar.audit.exact.profile import Profile
from overbar.audit.exact.transcripts import answers
from overbar.errors import ParameterError
from overbar.plan import Plan

#: What a run lets the world see: every answer, or the queries found, in the order found.
RELEASES = ("answers", "labels")

#: Two neighbouring lists of scores.
Pair = tuple[Sequence[Number], Sequence[Number]]


def exact_profile(
    subject: Plan | Law,
    between: Pair | Adversary | Path,
    *,
    threshold: Number = 0,
    release: str = "answers",
) -> Profile:
    """Compute what a run gives away between two neighbouring inputs, with certified bounds.

    Parameters
    ----------
    subject
        A plan, of which the law of a release is taken, or the law of any other mechanism.
    between
        Two neighbouring lists of scores, asked in order; or an adversary whose queries depend on
        the answers; or one path, of which only the event that it was taken counts.
    threshold
        The public threshold of a plan; a law has its own level.
    release
        "answers": all answers, one by one. "labels": which queries were positive, in the order
        found, as a batch release says.

    Examples
    --------
    >>> from overbar import calibrate
    >>> plan = calibrate(epsilon=1, cutoff=1, correction=0, grid=1)
    >>> profile = exact_profile(plan, ([0, 0], [1, -1]))
    >>> round(profile.loss().low, 6), profile.worst()
    (1.0, ((0, False), (1, True)))
    """
    law = law_of(subject, threshold)
    if isinstance(between, Adversary):
        return tree_profile(law, between)
    if isinstance(between, Path):
        return path_profile(law, between)
    _check.choice("release", release, RELEASES)
    one, other = (_rational(scores) for scores in between)
    if len(one) != len(other):
        raise ParameterError("neighbouring lists of scores must have the same length")
    check_moves(law, list(zip(one, other, strict=True)))
    enumerate_run = answers if release == "answers" else labels
    first, second = (
        enumerate_run(law, [law.steps(score) for score in scores]) for scores in (one, other)
    )
    return Profile.between(first, second, certified=law.certified and not law.releases_value)


def _rational(scores: Sequence[Number]) -> list[Fraction]:
    return [_check.rational("score", score) for score in scores]
