"""The methods of the paper, our own, and references to compare with, by name.

Internal files::

    setting      what methods are compared under, and what a method is
    by_name      the methods, each a small declaration
    conventions  how the paper sets noise where it has no proof
    references   mechanisms to compare with: everything is known beforehand
"""

from __future__ import annotations

from overbar.paper.methods.by_name import METHODS
from overbar.paper.methods.references import OneShot
from overbar.paper.methods.setting import ComparedMethod, Setting

__all__ = [
    "METHODS",
    "ComparedMethod",
    "OneShot",
    "Setting",
]
