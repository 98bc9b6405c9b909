"""The exact auditor: privacy profiles of small runs by enumeration, and a search for the worst."""

from __future__ import annotations

from overbar.audit.exact.law import Law, ThresholdNoise, law_of

__all__ = ["Law", "ThresholdNoise", "law_of"]
