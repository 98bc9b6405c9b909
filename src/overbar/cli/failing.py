"""How commands speak and fail: one clear line on the error stream, exit code 2, no traceback.

Names of files, tables, columns and datasets, types and purposes may be anyone's words. Whatever is
said goes through :func:`clean`, so that none of them can steer a terminal.
"""

from __future__ import annotations

from typing import NoReturn

import typer

from overbar.mechanism.selection import visible

__all__ = ["BAD_USE", "clean", "complain", "fail", "tell"]

BAD_USE = 2


def clean(text: str) -> str:
    r"""Write a text so that it cannot steer a terminal; its lines stay lines.

    >>> clean("tea\x1b[31m\nrum")
    'tea\\x1b[31m\nrum'
    """
    return "\n".join(map(visible, text.split("\n")))


def tell(text: str, *, err: bool = False) -> None:
    """Say something on standard output, or beside it."""
    typer.echo(clean(text), err=err)


def complain(message: str) -> None:
    """Say what is wrong, in one line."""
    typer.echo(f"overbar: {visible(message)}", err=True)


def fail(message: str) -> NoReturn:
    """Say what is wrong, and leave."""
    complain(message)
    raise typer.Exit(BAD_USE)
