"""What keeps secrets out of tracebacks, pickles and forks.

A traceback can print the local variables of every frame it passes through (rich, cgitb, error
trackers do). So an error that leaves the mechanism leaves without the mechanism's frames.

Theory: :doc:`/theory/exact`.
"""

from __future__ import annotations

import functools
import mmap
import os
from collections.abc import Callable
from typing import NoReturn, ParamSpec, TypeVar

from overbar import _check
from overbar.errors import SecrecyError

#: Linux: the child of a fork finds zeros in such memory, whoever forked and how.
WIPE_ON_FORK = 18


class Forks:
    """How many forks lie between this process and the one that loaded the package.

    A child counts one more than its parent, so a run that remembers the count it began with knows
    when it has been carried into another process. Python tells of a fork of its own; a fork made by
    a C library shows in `mark`, which is not set in the child until the fork is counted.
    """

    def __init__(self) -> None:
        self.count = 0
        self.mark = _mark()
        self.mark[0] = 1
        if hasattr(os, "register_at_fork"):  # not on Windows, which does not fork
            os.register_at_fork(after_in_child=self._carried)

    def _carried(self) -> None:
        self.count += 1
        self.mark[0] = 1

    def here(self) -> int:
        """Return the count of this process, for a run that begins in it."""
        if not self.mark[0]:
            self._carried()
        return self.count

    def check(self, since: int) -> None:
        """Refuse a run that began in another process."""
        if since != self.count or not self.mark[0]:
            raise SecrecyError(
                "a run cannot be used in a forked process: parent and child would answer from the "
                "same noise. Start a new run there"
            )


class ProcessMark:
    """A mark that is set in the process that set it, by its id: for systems that wipe no memory."""

    def __init__(self) -> None:
        self._process = 0

    def __getitem__(self, _: int) -> int:
        return os.getpid() == self._process

    def __setitem__(self, _: int, value: int) -> None:
        self._process = os.getpid() if value else 0


def _mark() -> mmap.mmap | ProcessMark:
    try:
        page = mmap.mmap(-1, mmap.PAGESIZE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        page.madvise(WIPE_ON_FORK)
    except (AttributeError, OSError, ValueError):  # another system, or an old Linux
        return ProcessMark()
    return page  # reading it takes a tenth of the time of asking for the process id


FORKS = Forks()

P = ParamSpec("P")
R = TypeVar("R")


def sealed(function: Callable[P, R]) -> Callable[P, R]:
    """Let errors out of a function without its frames, and so without their local variables.

    The error itself stays: its type, its message, and where the caller's own code was. A misspelt
    keyword is told with the one that was probably meant.
    """
    names = _check.keywords(function)

    @functools.wraps(function)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            _check.refuse_unknown(function.__qualname__, kwargs, names)
            return function(*args, **kwargs)
        except BaseException as error:
            # The arguments are this frame's only secrets; without them it may be shown. They are
            # emptied rather than deleted, because cgitb looks them up.
            args, kwargs = (), {}  # type: ignore[assignment]  # no call follows
            error.__context__ = None
            raise error.with_traceback(None) from None

    return wrapper


class Unshareable:
    """A live run: it exists once, in one process, and is never written down."""

    __slots__ = ()

    def _refuse(self, *_: object) -> NoReturn:
        raise SecrecyError(
            "a live run holds a secret threshold and cannot be pickled or copied; "
            "pass its plan and start a new run (which is paid for anew)"
        )

    __reduce__ = __reduce_ex__ = __getstate__ = __copy__ = __deepcopy__ = _refuse
