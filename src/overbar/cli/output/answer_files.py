"""Writing an answer to the files that were named."""

from __future__ import annotations

from pathlib import Path

from overbar._files import write_whole
from overbar.cli.output.answer import Answer
from overbar.cli.output.answer_formats import csv_text, json_text, parquet_bytes
from overbar.cli.output.answer_page import Purse, write_page
from overbar.cli.output.answer_screen import show_answer
from overbar.cli.output.targets import Target
from overbar.errors import OverbarError

__all__ = ["WritingError", "save"]


class WritingError(OverbarError):
    """An answer was found and paid for, but a file could not be written."""


def save(answer: Answer, targets: tuple[Target, ...], purse: Purse | None) -> None:
    """Write every file; if one cannot be, the others are, and the answer is on the screen."""
    failed: list[str] = []
    for target in targets:
        try:
            if target.kind == "html":
                _write_page(target.path, answer, purse)
            else:
                write_whole(target.path, _content(answer, target.kind))
        except Exception as error:  # whatever it is: the budget is spent already
            why = error.strerror if isinstance(error, OSError) else None
            failed.append(f"{target.path} cannot be written: {why or type(error).__name__}")
    if failed:
        show_answer(answer, "csv")  # it is paid for: it must not be lost
        raise WritingError(f"{'; '.join(failed)}; the answer is on standard output")


def _write_page(path: Path, answer: Answer, purse: Purse | None) -> None:
    write_page(
        path,
        plan=answer.found.plan,
        threshold=answer.question.threshold if answer.kind == "select" else None,
        kind=answer.kind,
        candidates=answer.candidates,
        delta=answer.said.delta,
        unlisted_delta=answer.question.unlisted_delta,
        selection=answer.found,
        source_name=answer.source,
        ledger=purse,
    )


def _content(answer: Answer, kind: str) -> str | bytes:
    if kind == "parquet":
        return parquet_bytes(answer)
    return csv_text(answer) if kind == "csv" else json_text(answer)
