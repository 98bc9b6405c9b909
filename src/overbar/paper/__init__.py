"""The paper, figure by figure, and ours beside it.

study         what a study is
declarations  every study, in order
claims        what the paper says, and whether it holds
drawing       the only matplotlib of the package
report        CSV, PNG, SVG and one HTML page, cached

Nothing here is an algorithm of the library: studies call what the other rooms offer.
"""

from __future__ import annotations

from overbar.paper.declarations import STUDIES
from overbar.paper.study import Conditions, Study, Table

__all__ = ["STUDIES", "Conditions", "Study", "Table"]
