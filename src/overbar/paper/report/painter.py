"""Figures drawn in a process of their own, while the next table is being computed."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass, field
from types import TracebackType

from overbar.paper.figures.style import png_of, svg_of
from overbar.paper.study import Study, Table
from overbar.simulation.workers import end_with_parent

Deliver = Callable[[Study, bytes, bytes], None]


def rendered(study: Study, table: Table) -> tuple[bytes, bytes]:
    """Draw a study as PNG and SVG."""
    assert study.draw is not None
    figure = study.draw(table)
    return png_of(figure), svg_of(figure)


@dataclass
class Painter:
    """Takes orders, and delivers each figure as it is done; all are delivered when it closes.

    For a few figures starting a process is not worth while: without `apart` they are drawn at once.
    """

    deliver: Deliver
    apart: bool
    _orders: list[tuple[Study, Future[tuple[bytes, bytes]]]] = field(
        default_factory=list, init=False
    )
    _pool: ProcessPoolExecutor | None = field(default=None, init=False)

    def order(self, study: Study, table: Table) -> None:
        """Ask for a figure, and deliver any that is ready."""
        if not self.apart:
            self.deliver(study, *rendered(study, table))
            return
        if self._pool is None:
            self._pool = ProcessPoolExecutor(
                1, multiprocessing.get_context("spawn"), initializer=end_with_parent
            )
        self._orders.append((study, self._pool.submit(rendered, study, table)))
        while self._orders and self._orders[0][1].done():
            self._deliver_next()

    def __enter__(self) -> Painter:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            while kind is None and self._orders:
                self._deliver_next()
        finally:
            if self._pool is not None:
                self._pool.shutdown(cancel_futures=True)

    def _deliver_next(self) -> None:
        study, figure = self._orders.pop(0)
        self.deliver(study, *figure.result())
