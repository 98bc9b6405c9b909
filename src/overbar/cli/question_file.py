"""A question in a file: what was typed for `select`, `plan` and so on; ``overbar run``.

It holds what was typed and nothing else: no rows, no answer. Its keys are the options of the verb,
without dashes at the front. What is a file or a folder there is looked for beside the question
file. An address of a ledger may hold a password and is never written.
"""

from __future__ import annotations

import dataclasses
import difflib
import json
import os
import re
import tomllib
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Union, get_args, get_origin, get_type_hints

from overbar._files import write_whole
from overbar.cli.options import (
    BUDGET,
    OUTPUT,
    QUESTION,
    Verb,
    argument,
    column_and_list,
    noted_head,
    switch,
)
from overbar.cli.plan_options import VERB as PLAN
from overbar.cli.plan_options import PlanOptions, read_text
from overbar.cli.table_options import FileOptions
from overbar.cli.verbs import KEYS, SELECT, TOP, WATCH
from overbar.errors import ParameterError
from overbar.ledger.address import is_address

EXAMPLES = """Examples:

\b
Write a question without asking it, look at it, and run it:
  overbar top sales.csv --item product --person customer --catalogue products.txt \\
      --cutoff 10 --epsilon 1 --save question.toml --dry-run
  overbar run question.toml
"""

Options = FileOptions | PlanOptions

#: The verbs that ask.
VERBS = {verb.name: verb for verb in (SELECT, TOP, KEYS, WATCH, PLAN)}
#: What is a matter of one run and not of the question.
OF_THE_RUN = ("save", "force", "dry_run")
#: What an option is called in the help if it names a place.
PLACES = ("FILE", "FOLDER", "TABLE", "LIST", "COLUMN=LIST")
#: A list of whole numbers, and standard input, are no files.
NO_FILE = re.compile(r"-|-?\d+\.\.-?\d+")


@dataclasses.dataclass(frozen=True)
class Key:
    """One option of a verb, as a key of the file."""

    name: str
    field: str
    kind: type
    several: bool
    is_place: bool
    default: object
    variable: str | None
    opposite: str = ""

    def word(self, value: object) -> str:
        """Return what is typed for it: one word, whatever the value is."""
        if isinstance(value, bool):
            return f"--{self.name if value else self.opposite}"
        return f"--{self.name}={value}"

    def read(self, found: object, folder: str) -> object:
        """Return what the file says as the command line would have understood it."""
        if self.several:
            listed = found if isinstance(found, list) else [found]
            return [self._one(one, folder) for one in listed]
        return self._one(found, folder)

    def _one(self, found: object, folder: str) -> object:
        if self.kind is bool or isinstance(found, bool):
            if self.kind is bool and isinstance(found, bool):
                return found
            wish = "true or false" if self.kind is bool else "a number, or text in quotes"
            raise ParameterError(f"{self.name} must be {wish}")
        if not isinstance(found, str | int):
            raise ParameterError(f"{self.name} must be a number, or text in quotes")
        if self.kind is int:
            if not isinstance(found, int):
                raise ParameterError(f"{self.name} must be a whole number")
            return found
        text = str(found)
        if self.is_place:
            text = self.moved(text, lambda name: os.path.join(folder, name))
        return self.kind(text)

    def moved(self, text: str, move: Callable[[str], str]) -> str:
        """Move a place; of groups that is what stands behind their column."""
        listed = column_and_list(text)[1] if self.field == "groups" else text
        return text.removesuffix(listed) + moved(listed, move)


def keys_of(options: type[Options]) -> Iterator[Key]:
    """Yield the keys of a verb, in the order of its options: read off their definitions."""
    hints = get_type_hints(options)
    for field in dataclasses.fields(options):
        if field.name in OF_THE_RUN:
            continue
        typed, hint = field.metadata["typed"], hints[field.name]
        kinds = [hint]
        if get_origin(hint) in (Union, types.UnionType):
            kinds = [one for one in get_args(hint) if one is not type(None)]
        several = get_origin(kinds[0]) is list
        names = (typed.default, *(typed.param_decls or ()))  # typer has one in default
        named = next((one for one in map(str, names) if one.startswith("--")), "")
        spelt, _, opposite = named.partition("/")
        name = spelt.removeprefix("--") or field.name.replace("_", "-")
        kind = get_args(kinds[0])[0] if several else kinds[0]
        missing = field.default is dataclasses.MISSING
        yield Key(
            name,
            field.name,
            kind,
            several,
            typed.metavar in PLACES,
            None if missing else field.default,
            typed.envvar if isinstance(typed.envvar, str) else None,
            opposite.removeprefix("--"),
        )


def moved(text: str, move: Callable[[str], str]) -> str:
    """Move a place that is not absolute; addresses and lists of numbers are no places."""
    from overbar.cli.tables.public_list import is_typed_list  # here: it loads an engine

    if NO_FILE.fullmatch(text) or is_address(text) or os.path.isabs(text):
        return text
    if is_typed_list(text) and is_typed_list(move(text)):
        return text
    return os.path.normpath(move(text))


def read_question(path: Path) -> tuple[Options, Verb]:
    """Return what a file asks, and the verb that answers it."""
    try:
        # A decimal stays text, so that 0.1 is one tenth.
        found = tomllib.loads(read_text(path, "question"), parse_float=str)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        # The message may quote what is there, and that may be a table.
        place = re.search(r"\(at .*\)$", str(error))
        where = f" {place[0]}" if place else ""
        raise ParameterError(
            f"the question {str(path)!r} is not TOML{where}; write one with --save"
        ) from None
    name = found.pop("verb", None)
    if not isinstance(name, str) or name not in VERBS:
        choice = " or ".join(f'"{one}"' for one in VERBS)
        raise ParameterError(f"the question {str(path)!r} needs a line verb = {choice}")
    verb = VERBS[name]
    keys = {key.name: key for key in keys_of(verb.options)}
    for name in found:
        if name not in keys:
            near = difflib.get_close_matches(name.replace("_", "-"), keys, n=1)
            hint = f"; did you mean {near[0]!r}?" if near else f"; see overbar {verb.name} --help"
            raise ParameterError(f"{verb.name} has no {name!r}, which {str(path)!r} asks for{hint}")
    if "sources" in keys and "sources" not in found:
        raise ParameterError(f'the question {str(path)!r} needs a line sources = "TABLE"')
    folder = os.path.dirname(path)
    read = ((keys[name], written) for name, written in found.items())
    values: dict[str, Any] = {key.field: key.read(written, folder) for key, written in read}
    for key in keys.values():
        if key.variable and os.environ.get(key.variable):
            values.setdefault(key.field, os.environ[key.variable])
    return verb.options(**values), verb


def given(options: Options) -> Iterator[tuple[Key, Any]]:
    """Yield what was typed and is not the default anyway."""
    for key in keys_of(type(options)):
        value = getattr(options, key.field)
        if value not in (None, []) and value != key.default:
            yield key, value


def verb_of(options: Options) -> str:
    """Return the verb that has these options."""
    name: str = next(verb.name for verb in VERBS.values() if type(options) is verb.options)
    return name


def words_of(options: Options) -> list[str]:
    """Return what to type for it; an option and its value are one word."""
    words = [verb_of(options), *getattr(options, "sources", ())]
    for key, value in given(options):
        if key.field != "sources":
            words += map(key.word, value if key.several else [value])
    return words


def save_question(options: Options, path: Path | None) -> None:
    """Write what was typed to a file, if one was named."""
    if path is None:
        return
    if path.suffix != ".toml":
        raise ParameterError(f"--save must end in .toml, got {path}")
    write_whole(path, question_text(options, path))


def question_text(options: Options, path: Path) -> str:
    """Return what was typed as the text of a file; places are told as seen from there."""
    verb, folder = verb_of(options), os.path.dirname(os.path.abspath(path))
    lines = [f"# Run it with: overbar run {path.name}", f'verb = "{verb}"']
    kept: dict[str, object] = {"verb": verb}
    for key, value in given(options):
        if key.field == "ledger" and is_address(value):
            lines.append(f"# The ledger's address may hold a password: set {key.variable}.")
            continue
        if key.is_place and any(map(is_address, value if key.several else [value])):
            raise ParameterError(f"--save writes no address, which may hold a password: {key.name}")
        texts = [_told(key, one, folder) for one in (value if key.several else [value])]
        kept[key.name] = texts if len(texts) > 1 else texts[0]
        lines.append(f"{key.name} = {json.dumps(kept[key.name], ensure_ascii=False)}")
    text = "\n".join(lines).replace("\x7f", "\\u007f") + "\n"
    try:
        text.encode()
        same = tomllib.loads(text) == kept
    except (UnicodeEncodeError, tomllib.TOMLDecodeError):
        same = False
    if not same:
        raise ParameterError("--save cannot write a question that holds what is not text")
    return text


def _told(key: Key, value: object, folder: str) -> object:
    if isinstance(value, bool | int):
        return value
    text = str(value)
    return key.moved(text, lambda name: os.path.relpath(name, folder)) if key.is_place else text


@dataclasses.dataclass(frozen=True, kw_only=True)
class RunOptions:
    """Put the question of a file that --save of a verb that asks has written.

    The file names a verb and its options, as in epsilon = "1". It holds no data and no answer.
    Files that it names are looked for beside it. With a ledger and a request in it, a second run
    gives the same answer and costs nothing. Where it names no ledger, OVERBAR_LEDGER does.
    """

    question: Path = argument(
        metavar="QUESTION", help="A .toml file.", rich_help_panel=QUESTION, show_default=False
    )
    head: str | None = noted_head(BUDGET)
    force: bool = switch(OUTPUT, "--force", "Replace files that exist.")
    dry_run: bool = switch(OUTPUT, "--dry-run", "Show plan, guarantee and cost; read no data.")


VERB = Verb("run", RunOptions, "A question from a file.", EXAMPLES)


def run(asked: RunOptions) -> None:
    """Read a question and put it."""
    options, verb = read_question(asked.question)
    options = dataclasses.replace(options, force=asked.force)
    if isinstance(options, FileOptions):  # a plan is a dry run
        head = _one_head(asked, options.head)
        options = dataclasses.replace(options, dry_run=asked.dry_run, head=head)
    elif asked.head is not None:
        raise ParameterError(f"--head must be left out: no ledger pays for a {verb.name}")
    verb.run(options)


def _one_head(asked: RunOptions, written: str | None) -> str | None:
    """Return the head that was typed or is in the file; two of them must be one."""
    if None not in (asked.head, written) and asked.head != written:
        raise ParameterError(
            f"--head must be that of the question {str(asked.question)!r}, {written}, got "
            f"{asked.head}: leave out --head, or correct the question"
        )
    return written if asked.head is None else asked.head
