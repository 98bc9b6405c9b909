"""What the paper says, and whether it holds in what was measured.

claim       what a claim is, and how it is judged
pairs       methods against each other in a table
evaluation  the main figures
traverses   the figures on traverses and F1
appendix    the figures under RDP and on tolerance
analysis    what needs no simulation
errata      where the paper slips
ours        what this project says about itself
"""

from __future__ import annotations

from overbar.paper.claims.analysis import CLAIMS as ANALYSIS
from overbar.paper.claims.appendix import CLAIMS as APPENDIX
from overbar.paper.claims.claim import JudgedClaim, PaperClaim, Tables
from overbar.paper.claims.errata import CLAIMS as ERRATA
from overbar.paper.claims.evaluation import CLAIMS as EVALUATION
from overbar.paper.claims.ours import CLAIMS as OURS
from overbar.paper.claims.traverses import CLAIMS as TRAVERSES

__all__ = ["CLAIMS", "JudgedClaim", "PaperClaim", "judged"]

CLAIMS: tuple[PaperClaim, ...] = (
    *EVALUATION,
    *TRAVERSES,
    *APPENDIX,
    *ANALYSIS,
    *ERRATA,
    *OURS,
)


def judged(tables: Tables) -> list[JudgedClaim]:
    """Judge the claims that the tables decide."""
    return [claim.judged(tables) for claim in CLAIMS if set(claim.needs) <= set(tables)]
