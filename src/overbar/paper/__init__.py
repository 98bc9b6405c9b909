"""Every figure and table of the paper as a study, and some of our own.

Internal files::

    study         what a study is, and tables as text
    studies       every study, in order
    methods       the methods of the paper, ours and references, by name
    computations  what studies compute
    data          the datasets of a report: which are here, what stands in for which
    claims        what the paper says, and whether it holds
    figures       the only matplotlib of the package
    report        CSV, PNG, SVG, PDF and one HTML page, cached

Nothing here is an algorithm of the library: studies call what the other rooms offer.
"""

from __future__ import annotations

from overbar.paper.computations.sweep import Sweep
from overbar.paper.data import Data
from overbar.paper.figures.panels import Panels
from overbar.paper.studies import STUDIES
from overbar.paper.study import Conditions, Study, Table

__all__ = ["STUDIES", "Conditions", "Data", "Panels", "Study", "Sweep", "Table"]
