"""Exact draws for releases, from the operating system's bits alone.

Nothing here is decided by an uncertified float. Floats only set aside what is far from any edge,
with margins many orders wider than their error; what is near one is decided by ball arithmetic.
How long a draw takes may depend on the private gaps; only the threshold's noise is drawn in a time
that does not depend on its value.

Theory: :doc:`/theory/exact`.
"""

from __future__ import annotations

from overbar.sampling.bernoulli import (
    CutTable,
    cut_table,
    draw_positive,
    positive_drawer,
    positives,
    positives_above,
)
from overbar.sampling.enclosure import check_exact
from overbar.sampling.entropy import Source, random_bits, random_words, system
from overbar.sampling.histogram_draw import noisy_highest, noisy_values
from overbar.sampling.race_draw import Positions, race_above
from overbar.sampling.ranked_draw import Ranked, highest, highest_by_gumbel
from overbar.sampling.runner import Runner
from overbar.sampling.shuffle import random_below, shuffled
from overbar.sampling.threshold import discrete_exponential, discrete_gaussian, discrete_laplace

__all__ = [
    "CutTable",
    "Positions",
    "Ranked",
    "Runner",
    "Source",
    "check_exact",
    "cut_table",
    "discrete_exponential",
    "discrete_gaussian",
    "discrete_laplace",
    "draw_positive",
    "highest",
    "highest_by_gumbel",
    "noisy_highest",
    "noisy_values",
    "positive_drawer",
    "positives",
    "positives_above",
    "race_above",
    "random_below",
    "random_bits",
    "random_words",
    "shuffled",
    "system",
]
