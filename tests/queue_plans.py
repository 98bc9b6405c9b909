"""Plans of a sparse vector run as in the paper, whatever the defaults of the library are."""

import overbar
from overbar import Plan

__all__ = ["queue_plan", "queue_top_plan"]


def queue_plan(**asked) -> Plan:
    """Return a plan that asks one by one, with the paper's correction and threshold noise."""
    told = {"mechanism": "sparse-vector", "correction": "optimal"} | asked
    if told.get("rounds", 1) is None:  # as plans say it
        told["rounds"] = "unlimited"
    if not told.get("delta"):
        told.setdefault("threshold_noise", "laplace")
    return overbar.plan(**told)


def queue_top_plan(**asked) -> Plan:
    """Return a plan for the top that asks one by one, again and again."""
    told = {"mechanism": "sparse-vector"} | asked
    if not told.get("delta"):
        told.setdefault("threshold_noise", "laplace")
    return overbar.plan(top=True, **told)
