"""How commands fail: one clear line on the error stream, exit code 2, no traceback."""

from __future__ import annotations

from typing import NoReturn

import typer

__all__ = ["BAD_USE", "fail"]

BAD_USE = 2


def fail(message: str) -> NoReturn:
    """Say what is wrong, and leave."""
    typer.echo(f"overbar: {message}", err=True)
    raise typer.Exit(BAD_USE)
