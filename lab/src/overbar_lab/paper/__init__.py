"""Every figure and table of the paper as a study, and some of our own.

Internal files::

    study             what a study is, the datasets of a report, and tables as text
    studies           every study, in order; formula_studies those without chance
    methods           the methods of the paper, ours and references, by name; setting and references
    formulas          what studies compute without chance; overview, sweep and ablation the rest
    open_studies      what the paper leaves open: streams, misplaced, itemsets, features, factors
    claims            what the paper says, and whether it holds; claim and *_claims judge
    figures, panels   every figure; chart is the only matplotlib of the package
    assembly          CSV, PNG, SVG, PDF and, by paper_page, one HTML page, cached

Nothing here is an algorithm of the library: studies call what the other rooms offer.
"""

from __future__ import annotations

from overbar_lab.paper.panels import Panels
from overbar_lab.paper.studies import STUDIES
from overbar_lab.paper.study import Conditions, Data, Study, Table
from overbar_lab.paper.sweep import Sweep

__all__ = ["STUDIES", "Conditions", "Data", "Panels", "Study", "Sweep", "Table"]
