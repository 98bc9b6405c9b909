"""Releases with every choice there is: a plan is made first, and handed over."""

import overbar

__all__ = ["planned_select", "planned_top"]

OF_THE_CALL = ("labels", "score_range", "booking")


def planned_select(scores, *, threshold, **asked):
    """Select by a plan for as many candidates as there are scores, unless it is said."""
    call = {name: asked.pop(name) for name in OF_THE_CALL if name in asked}
    if "candidates" not in asked:
        asked["candidates"] = max(1, len(scores))
    return overbar.select(scores, threshold=threshold, plan=overbar.plan(**asked), **call)


def planned_top(scores, **asked):
    """Take the top by a plan."""
    call = {name: asked.pop(name) for name in OF_THE_CALL if name in asked}
    return overbar.top(scores, plan=overbar.plan(top=True, **asked), **call)
