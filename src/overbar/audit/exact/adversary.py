"""Queries that depend on the answers before them, and what the answers then give away.

An adversary is a list of nodes. Each asks one query, given by its score on both data sets, and
goes on to a later node after either answer. A binary tree is the plain case. Two answers may also
lead to the same node: then the adversary forgets which it was, which can only lower what it
learns, so a δ found this way is still a true lower bound, and long runs stay small.

What an adversary sees in the end is where it stopped.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from overbar import _check
from overbar._check import Number
from overbar._numbers import short_text
from overbar.audit.exact.comparison import comparisons
from overbar.audit.exact.events import check_moves
from overbar.audit.exact.law import Law
from overbar.audit.exact.profile import Profile
from overbar.audit.exact.threshold_points import DEEP, Array
from overbar.audit.exact.transcripts import bounds, merged
from overbar.errors import ParameterError


@dataclass(frozen=True)
class Node:
    """A query, and the place in the list where it goes on after a negative or a positive answer.

    None ends the run. So does the mechanism, by itself, at its last positive.
    """

    score: Fraction
    neighbour: Fraction
    no: int | None = None
    yes: int | None = None


@dataclass(frozen=True)
class Adversary:
    """Nodes in an order in which every link points to a later one. The first is where it starts."""

    nodes: tuple[Node, ...]

    def __str__(self) -> str:
        shown = "; ".join(
            f"{short_text(node.score)} | {short_text(node.neighbour)}" for node in self.nodes[:12]
        )
        more = "" if len(self.nodes) <= 12 else f"; … ({len(self.nodes):,} nodes)"
        return f"adaptive: {shown}{more}"


Tree = Callable[[tuple[bool, ...]], "tuple[Number, Number] | None"]


def tree_adversary(tree: Tree, cutoff: int | None) -> Adversary:
    """Unroll a function from the answers so far to the next query's two scores, or to None.

    Parameters
    ----------
    tree : callable
        From the answers so far to the scores of the next query on both sides, or to None.
    cutoff : int or None
        After how many positives the run halts.

    Returns
    -------
    Adversary
        The same as a table of nodes.
    """
    nodes: list[Node] = []

    def grow(history: tuple[bool, ...]) -> int | None:
        scores = None if cutoff is not None and sum(history) >= cutoff else tree(history)
        if scores is None:
            return None
        place = len(nodes)
        one, other = (_check.rational("score", score) for score in scores)
        nodes.append(Node(one, other))
        nodes[place] = Node(one, other, grow((*history, False)), grow((*history, True)))
        return place

    grow(())
    return Adversary(tuple(nodes))


def tree_profile(law: Law, adversary: Adversary, depth: float = DEEP) -> Profile:
    """Return what an adaptive adversary learns."""
    if not law.plain:
        raise ParameterError(
            "an adaptive adversary needs a level that does not depend on scores, and answers "
            "without values; use a path"
        )
    check_moves(law, [(node.score, node.neighbour) for node in adversary.nodes])
    one = _ends(law, adversary, [law.steps(node.score) for node in adversary.nodes], depth)
    other = _ends(law, adversary, [law.steps(node.neighbour) for node in adversary.nodes], depth)
    return Profile.between(one, other, certified=law.certified)


def _ends(
    law: Law, adversary: Adversary, steps: Sequence[int], depth: float
) -> dict[Hashable, tuple[float, float]]:
    """Send all probability through the nodes in order; return it where it stops.

    All links must point forward, and the run's limits must not depend on what was forgotten.
    """
    run = comparisons(law, steps, depth)
    # Weights at a node that was reached, and after how many positives and comparisons.
    arrived: dict[int, tuple[Array, tuple[int, int]]] = {0: (run.start(), (0, 0))}
    ends: dict[Hashable, tuple[float, float]] = {}
    for place, node in enumerate(adversary.nodes):
        if place not in arrived:
            continue
        weights, (positives, asked) = arrived.pop(place)
        if law.max_queries is not None and asked >= law.max_queries:
            raise ParameterError(f"a run has at most {law.max_queries} comparisons")
        for answer, link in ((False, node.no), (True, node.yes)):
            after = weights + run.answer(steps[place], answer)
            counts = (positives + answer, asked + 1)
            if link is None or counts[0] == law.cutoff:
                ends[place, answer] = bounds(after)
                continue
            if link <= place or link >= len(adversary.nodes):
                raise ParameterError("an adversary's links must point to later nodes")
            if answer and law.resample:
                after = run.redrawn(after)
            before, same = arrived.get(link, (None, counts))
            if same[0] != counts[0] or (law.max_queries is not None and same[1] != counts[1]):
                raise ParameterError(
                    "answers that lead to the same node must have the same number of positives "
                    "and, where comparisons are limited, of comparisons"
                )
            arrived[link] = (merged(after, before), same)
    return ends
