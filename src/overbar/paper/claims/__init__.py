"""What the paper says, and whether it holds in what was measured.

claims.toml  the sentences, with their places, rules and studies
claim        what a claim is, and how it is judged
pairs        methods against each other in a table
evaluation   judges of the main figures, of those on traverses, and on F1
appendix     judges of the figures under RDP, on tolerance, and beyond the paper
analysis     judges of what needs no simulation
"""

from __future__ import annotations

import tomllib
from functools import partial
from importlib.resources import files
from typing import Any

from overbar.paper.claims import analysis, appendix, evaluation
from overbar.paper.claims.claim import FAILS, JudgedClaim, Judgement, PaperClaim, Tables
from overbar.paper.study import Table

__all__ = ["CLAIMS", "JudgedClaim", "PaperClaim", "judged"]


def judged(tables: Tables) -> list[JudgedClaim]:
    """Judge the claims that the tables decide."""
    return [claim.judged(tables) for claim in CLAIMS if set(claim.needs) <= set(tables)]


def _reading(holds: str, table: Table) -> Judgement:
    """Judge what the text itself shows to be a slip."""
    return FAILS, holds.format(**{str(row["key"]): row["measured"] for row in table})


def _claim(row: dict[str, Any]) -> PaperClaim:
    judge = JUDGES[f"_{row.pop('judge')}"]
    first = [row.pop(name) for name in ("of", "instead") if name in row]
    return PaperClaim(judge=partial(judge, *first), **row | {"needs": tuple(row["needs"])})


JUDGES = {
    **vars(evaluation),
    **vars(appendix),
    **vars(analysis),
    "_reading": _reading,
}
CLAIMS: tuple[PaperClaim, ...] = tuple(
    map(_claim, tomllib.loads(files(__name__).joinpath("claims.toml").read_text("utf-8"))["claim"])
)
