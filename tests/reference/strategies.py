"""Adaptive adversaries as functions, unrolled for the exact auditor."""

from fractions import Fraction

from tests.attacks.online import Node, Strategy


def tree_strategy(tree, cutoff):
    """Unroll a function from the answers so far to the next query's two scores, or to None."""
    nodes = []

    def grow(history):
        scores = None if cutoff is not None and sum(history) >= cutoff else tree(history)
        if scores is None:
            return None
        place = len(nodes)
        one, other = map(Fraction, scores)
        nodes.append(Node(one, other))
        nodes[place] = Node(one, other, grow((*history, False)), grow((*history, True)))
        return place

    grow(())
    return Strategy(tuple(nodes))
