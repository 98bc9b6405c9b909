"""Datasets for studies: the paper's six and two prefixes.

>>> from overbar_lab.datasets import known, load
>>> [one.name for one in known()]
['binary', 'zipf', 't40i10d100k', 'bms-pos', 'kosarak', 'adult', 'kosarak-100k', 'bms-pos-100k']
>>> binary = load("binary")
>>> binary.passing, binary.threshold, binary.cutoff
(50, 500, 50)

Files are read from the folder that ``OVERBAR_DATA`` or ``data_dir`` names, then from the cache;
``download=True`` fetches what is missing from its public home. No data come with the package.
"""

from __future__ import annotations

from overbar_lab.datasets.loader import load
from overbar_lab.datasets.registry import Dataset, DatasetError, known
from overbar_lab.datasets.supports import Supports, count_supports

__all__ = [
    "Dataset",
    "DatasetError",
    "Supports",
    "count_supports",
    "known",
    "load",
]
