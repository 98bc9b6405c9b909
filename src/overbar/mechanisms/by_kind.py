"""Functions of a plan that have an answer for each kind of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar

from overbar.mechanisms.plan import Plan

P = ParamSpec("P")
Answer = TypeVar("Answer")
Own = TypeVar("Own", bound=Callable[..., Any])


class ByKind(Generic[P, Answer]):
    """A function of a plan; what is decorated answers for kinds of which nothing is known.

    It goes by the very class: nothing that was proved of a plan, and no draw, passes on to what
    derives from it.
    """

    def __init__(self, otherwise: Callable[Concatenate[Plan, P], Answer]) -> None:
        self._otherwise = otherwise
        self._own: dict[type[Plan], Callable[..., Answer]] = {}
        self.__doc__ = otherwise.__doc__

    def of(self, *kinds: type[Plan]) -> Callable[[Own], Own]:
        """Return a decorator: this function answers for these kinds."""

        def register(own: Own) -> Own:
            self._own.update(dict.fromkeys(kinds, own))
            return own

        return register

    def __call__(self, plan: Plan, *args: P.args, **kwargs: P.kwargs) -> Answer:
        """Return what the kind of the plan answers."""
        return self._own.get(type(plan), self._otherwise)(plan, *args, **kwargs)
