"""Figures drawn in a process of their own, while the next table is being computed."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from types import TracebackType
from typing import Any

from overbar.paper.figures.style import png_of, svg_of
from overbar.paper.study import Study, Table

Deliver = Callable[[Study, bytes, bytes], None]


def rendered(study: Study, table: Table) -> tuple[bytes, bytes]:
    """Draw a study as PNG and SVG."""
    assert study.draw is not None
    figure = study.draw(table)
    return png_of(figure), svg_of(figure)


@dataclass
class Painter:
    """Takes orders, and delivers each figure as it is done; all are delivered when it closes.

    One order is with the process at a time, so that neither side waits to send while the other
    does. The process is spawned, holds one end of one pipe, and ends when the other end goes away.
    For a few figures starting it is not worth while: without `apart` they are drawn at once.
    """

    deliver: Deliver
    apart: bool
    _waiting: list[tuple[Study, Table]] = field(default_factory=list, init=False)
    _busy: Study | None = field(default=None, init=False)
    _pipe: Connection[Any, Any] | None = field(default=None, init=False)

    def order(self, study: Study, table: Table) -> None:
        """Ask for a figure, and deliver any that is ready."""
        if not self.apart:
            self.deliver(study, *rendered(study, table))
            return
        self._waiting.append((study, table))
        self._step(wait=False)

    def __enter__(self) -> Painter:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            while kind is None and (self._waiting or self._busy):
                self._step(wait=True)
        finally:
            if self._pipe is not None:
                self._pipe.close()

    def _step(self, *, wait: bool) -> None:
        if self._pipe is None:
            self._pipe = _start()
        if self._busy is not None and (wait or self._pipe.poll()):
            study, self._busy = self._busy, None
            answer = self._pipe.recv()
            if isinstance(answer, BaseException):
                raise answer
            self.deliver(study, *answer)
        if self._busy is None and self._waiting:
            study, table = self._waiting.pop(0)
            self._pipe.send((study, table))
            self._busy = study


def _start() -> Connection[Any, Any]:
    context = multiprocessing.get_context("spawn")
    mine, theirs = context.Pipe()
    context.Process(target=_paint, args=(theirs,), daemon=True).start()
    theirs.close()
    return mine


def _paint(pipe: Connection[Any, Any]) -> None:
    """Draw what is asked for until the other side is gone."""
    try:
        while True:
            study, table = pipe.recv()
            try:
                pipe.send(rendered(study, table))
            except (EOFError, OSError):
                raise
            except Exception as error:
                pipe.send(error)
    except (EOFError, OSError, KeyboardInterrupt):
        pass
