"""Options as one value: declared once as the fields of a dataclass, read once from what was typed.

Each option is in a panel of the help. Numbers are taken as text and read exactly: 0.1 is one tenth.
"""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import re
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from typing import Annotated, Any, TypeVar, get_type_hints

import typer
from typer.core import TyperCommand, TyperGroup

from overbar import _check
from overbar.cli import completion
from overbar.cli.exit import BAD_USE, complain, refusals
from overbar.errors import ParameterError
from overbar_program import ended, on_ctrl_c

QUESTION, PRIVACY, BUDGET = "Question", "Privacy", "Budget"
OUTPUT, READING, EXPERTS = "Output", "Reading the file", "Experts"
PANELS = (QUESTION, PRIVACY, BUDGET, OUTPUT, READING, EXPERTS)

#: Names and numbers of options that are longer than this stand in a line of their own.
WIDEST_NAME = 22
#: What to give, for whoever did not know that it is needed.
_NEEDED = {
    "threshold": "the public level to be above",
    "cutoff": "how many to find at most",
    "epsilon": "the privacy budget, such as 1",
    "delta": "a small number such as 1e-6",
    "value": "the column of numbers",
    "person": "the column that says whose row it is",
    "neighbours": "by what two data sets differ of which the cost speaks: person, row, "
    "replaced-person or replaced-row",
    "time": "the column that says on which day",
    "from": "the first day, such as 2024-01-31",
    "hits_per_person": "in how many alarms one person counts, such as 5",
    "catalogue": "a public list of the items; without one use select with a threshold",
}

Read = TypeVar("Read")
#: What typer raises about what was typed.
BAD_USAGE: type[Any] = typer.BadParameter.__mro__[1]


def option(
    panel: str | None, metavar: str | None, text: str, *names: str, default: Any = None, **more: Any
) -> Any:
    """Declare a field as an option in a panel of the help."""
    typed = typer.Option(*names, rich_help_panel=panel, metavar=metavar, help=text, **more)
    return dataclasses.field(default=default, metadata={"typed": typed})


def report_format(panel: str | None) -> Any:
    """Declare how a report is written to standard output."""
    return option(
        panel,
        "NAME",
        "table (the default) or json.",
        "--format",
        autocompletion=completion.report_formats,
    )


def switch(panel: str | None, name: str, text: str) -> Any:
    """Declare a field as an option that is given or not."""
    return option(panel, None, text, name, default=False)


#: What allows a large δ, and what it says.
DELTA_IS_LARGE = ("--delta-is-large", "Allow a δ above 0.01.")


def large_delta() -> Any:
    """Declare the option that allows a large δ."""
    return switch(PRIVACY, *DELTA_IS_LARGE)


def noted_head(panel: str | None) -> Any:
    """Declare the head that a ledger must have."""
    return option(panel, "HASH", "Refuse a ledger without this head, noted before.")


def argument(default: Any = dataclasses.MISSING, **settings: Any) -> Any:
    """Declare a field as an argument, which has no name on the command line."""
    return dataclasses.field(default=default, metadata={"typed": typer.Argument(**settings)})


@dataclasses.dataclass(frozen=True)
class Verb:
    """A verb of the command line, which takes all its options as one value.

    The docstring of the options is its help. A module of this room does the work, by its function
    `run`: that of the options, unless another is named. It is imported when the verb is given, so
    that nobody waits for an engine to read the help.
    """

    name: str
    options: type[Any]
    short: str
    examples: str = ""
    module: str = ""
    command: type[TyperCommand] | None = None

    @property
    def run(self) -> Callable[[Any], None]:
        """What does the work."""
        module = f"overbar.cli.{self.module}" if self.module else self.options.__module__
        with on_ctrl_c(ended):
            found: Callable[[Any], None] = importlib.import_module(module).run
        return found

    def add_to(self, app: typer.Typer) -> None:
        """Make a command of it. What overbar refuses is said in one line, in the words typed."""

        def typed_command(**typed: Any) -> None:
            with refusals():
                self.run(self.options(**typed))

        hints = get_type_hints(self.options)
        parameters = [
            inspect.Parameter(
                field.name,
                inspect.Parameter.KEYWORD_ONLY,
                default=field.default
                if field.default is not dataclasses.MISSING
                else inspect.Parameter.empty,
                annotation=Annotated[hints[field.name], field.metadata["typed"]],
            )
            for field in dataclasses.fields(self.options)
        ]
        typed_command.__doc__ = self.options.__doc__
        typed_command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # typer reads it
        typed_command.__annotations__ = {one.name: one.annotation for one in parameters}
        kind = self.command or PanelCommand
        command = app.command(self.name, epilog=self.examples, short_help=self.short, cls=kind)
        command(typed_command)


#: Options that a verb does not have and people look for, and what to write instead.
INSTEAD = {
    ("top", "--threshold"): "top finds the highest, however low they are; what is above a "
    "threshold is found by overbar select",
    ("keys", "--threshold"): "how many persons a key needs follows from ε and δ, and --at-least "
    "asks for more; --dry-run says how many",
    ("keys", "--cutoff"): "all keys come out that many persons have; the highest are found by "
    "overbar top",
    ("keys", "--catalogue"): "keys is for those who have no list; with one ask overbar select or "
    "overbar top",
    ("", "--seed"): "there is none, because whoever knows a seed can compute the noise; to get the "
    "same answer again give --ledger and --request",
}


class Verbs(TyperGroup):
    """All verbs; `overbar help top` is what others call `overbar top --help`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Take help for a verb, as many programs do."""
        return super().parse_args(ctx, [*args[1:], "--help"] if args[:1] == ["help"] else args)


class PanelCommand(TyperCommand):
    """A command whose help shows its options in panels; each option is taken once."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any
    ) -> Any:
        """Say what is wrong with what was typed in one line, as for all else that is refused."""
        try:
            return super().make_context(info_name, args, parent, **extra)
        except BAD_USAGE as error:
            if extra.get("resilient_parsing"):
                raise
            where = f"{parent.command_path} {info_name}" if parent else info_name
            name = getattr(error, "option_name", "")
            instead = INSTEAD.get((str(info_name), name)) or INSTEAD.get(("", name))
            reason = error.format_message().rstrip(".")
            if instead is not None:
                reason = f"there is no {name} here: {instead}"
            complain(f"{reason}; see {where} --help")
            raise typer.Exit(BAD_USE) from None

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Refuse an option that is given several times, where only the last would count."""
        _, _, order = self.make_parser(ctx).parse_args(args=list(args))
        for one, times in Counter(order).items():
            several = getattr(one, "multiple", True) or one.nargs == -1  # an argument has no such
            is_switch = getattr(one, "is_flag", False) and not one.secondary_opts
            if times > 1 and not (several or is_switch or ctx.resilient_parsing):
                names = "/".join((*one.opts[:1], *one.secondary_opts))
                ctx.fail(f"{names} must be given once, got it {times} times: one run takes one")
        return super().parse_args(ctx, args)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the options, panel by panel; help, and those in no panel, come last."""
        panels: dict[str, list[tuple[str, str]]] = {
            name: [] for name in ("Arguments", *PANELS, "Options")
        }
        for parameter in self.get_params(ctx):
            record, panel = parameter.get_help_record(ctx), OUTPUT if panels[OUTPUT] else "Options"
            if record is None:
                continue
            if parameter.param_type_name == "argument":
                record, panel = (parameter.metavar or parameter.name or "", record[1]), "Arguments"
            panels[getattr(parameter, "rich_help_panel", None) or panel].append(record)
        for name, records in panels.items():
            if records:
                with formatter.section(name):
                    formatter.write_dl(records, col_max=WIDEST_NAME)


def all_given(**options: str | None) -> None:
    """Refuse a command that lacks something, with all it lacks: nobody should find out one by one.

    >>> all_given(cutoff="3", epsilon=None)
    Traceback (most recent call last):
    overbar.errors.ParameterError: --epsilon must be given: the privacy budget, such as 1
    """
    lacking = [name for name, written in options.items() if written is None]
    missing = [(f"--{name.replace('_', '-')}", _NEEDED[name]) for name in lacking]
    if len(missing) == 1:
        raise ParameterError(f"{missing[0][0]} must be given: {missing[0][1]}")
    if missing:
        listed = ", ".join(f"{option} ({what})" for option, what in missing)
        raise ParameterError(f"these must be given: {listed}")


def pair(name: str, written: str, hint: str = "") -> tuple[Fraction, Fraction]:
    """Read two numbers with a comma between them; the hint says how to choose them.

    >>> pair("value_range", "0,1/2")
    (Fraction(0, 1), Fraction(1, 2))
    """
    low, comma, high = written.partition(",")
    if not comma or "," in high:
        option = f"--{name.replace('_', '-')}"
        raise ParameterError(
            f"{option} must be two numbers with one comma between them, such as 0,100 or 0.5,99.5, "
            f"got {written!r}{f'. {hint}' * bool(hint)}"
        )
    return _check.rational(name, low), _check.rational(name, high)


def if_given(read: Callable[[str, str], Read], name: str, written: str | None) -> Read | None:
    """Read and check what was typed; None where nothing was."""
    return None if written is None else read(name, written)


def column_and_list(written: str) -> tuple[str, str]:
    """Read a column of groups and the list of them; a name that has = in it stands in quotes.

    >>> column_and_list("region=north,south"), column_and_list('"a=b"=list.txt')
    (('region', 'north,south'), ('a=b', 'list.txt'))
    """
    parts = re.fullmatch(r'(?:"([^"]+)"|([^="]+))=(.+)', written, re.DOTALL)
    if parts is None:
        raise ParameterError(
            f"--groups must be COLUMN=LIST, such as region=north,south, got {written!r}"
        )
    return parts[1] or parts[2], parts[3]
