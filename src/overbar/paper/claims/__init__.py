"""What the paper says, and whether it holds in what was measured.

claim         what a claim is
method_pairs  methods against each other in a table
evaluation    the main figures
traverses     the figures on traverses, F1 and RDP
analysis      what needs no simulation
errata        where the paper slips
ours          what this project says about itself
"""

from __future__ import annotations

from overbar.paper.claims.analysis import CLAIMS as ANALYSIS
from overbar.paper.claims.claim import JudgedClaim, PaperClaim, Tables
from overbar.paper.claims.errata import CLAIMS as ERRATA
from overbar.paper.claims.evaluation import CLAIMS as EVALUATION
from overbar.paper.claims.ours import CLAIMS as OURS
from overbar.paper.claims.traverses import CLAIMS as TRAVERSES

__all__ = ["CLAIMS", "JudgedClaim", "PaperClaim", "judged"]

CLAIMS: tuple[PaperClaim, ...] = (*EVALUATION, *TRAVERSES, *ANALYSIS, *ERRATA, *OURS)


def judged(tables: Tables) -> list[JudgedClaim]:
    """Judge every claim by the tables there are."""
    return [claim.judged(tables) for claim in CLAIMS]
