"""overbar_lab: the laboratory beside overbar. Seeded, in floating point; nothing protects anyone.

simulation   many seeded runs at once: `simulate`
metrics      precision, recall, F1 and NCR of a selection
datasets     the datasets of the paper
paper        every figure, table and claim of the paper as a study
program      the command line: ``overbar-lab reproduce`` and ``overbar-lab datasets``
reproduction how the paper is made

>>> import overbar
>>> from overbar_lab import simulate
>>> plan = overbar.plan(epsilon=1, cutoff=2, monotonic=True, candidates=4)
>>> len(simulate(plan, [900, 3, 700, 5], threshold=100, runs=3, seed=0).selected)
3
"""

from __future__ import annotations

from overbar_lab.simulation import simulate

__all__ = ["simulate"]
