"""``overbar plan``: its options, those that `select` and `top` share, and the way to a plan."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from overbar import _check
from overbar.cli import completion
from overbar.cli.options import (
    EXPERTS,
    OUTPUT,
    PRIVACY,
    QUESTION,
    Verb,
    all_given,
    if_given,
    large_delta,
    option,
    pair,
    report_format,
    switch,
)
from overbar.errors import ParameterError
from overbar.mechanisms import Plan
from overbar.planning.counts import checked_share
from overbar.planning.make import UNLIMITED
from overbar.planning.plan_parameters import Parameters, plan_of, those_given
from overbar.privacy import guarantee

#: A plan is a few hundred bytes; nobody's is a gigabyte.
LARGEST_FILE = 1 << 20
#: Which options are numbers of a plan; a table says the others with its columns.
NUMBERS = (
    *("cutoff", "epsilon", "delta", "sensitivity", "candidates", "mechanism"),
    *("noise", "threshold_noise", "correction", "tolerance", "rounds", "allocation", "resample"),
    *("max_queries", "upper_bound", "grid"),
)
WHOLE = ("cutoff", "candidates", "rounds", "max_queries")


@dataclass(frozen=True, kw_only=True)
class PlanNumbers:
    """The numbers of any plan, as they were typed."""

    cutoff: str | None = option(
        QUESTION, "COUNT", "How many items to find at most.", "--cutoff", "-c"
    )
    epsilon: str | None = option(PRIVACY, "NUMBER", "The privacy budget: smaller is more private.")
    delta: str | None = option(
        PRIVACY,
        "NUMBER",
        "δ, a small number such as 1e-6. By default 0: pure.",
    )
    delta_is_large: bool = large_delta()
    sensitivity: str | None = option(
        PRIVACY,
        "LOW,HIGH",
        "How far one more person moves a score: 0,1 as for counts (the default), or one number for "
        "both ways.",
    )
    counts: bool = switch(
        PRIVACY,
        "--counts",
        "Give noisy counts, with intervals of about 95 %. With few --items-per-person it is free, "
        "with --delta nearly so; otherwise it takes a share of ε.",
    )
    plan_file: Path | None = option(
        PRIVACY,
        "FILE",
        "A file of 'overbar plan --out', with every choice there is, instead of numbers; - for "
        "standard input.",
        "--plan",
    )


@dataclass(frozen=True, kw_only=True)
class SelectNumbers(PlanNumbers):
    """The numbers of a plan for `select`, as they were typed."""

    threshold: str | None = option(
        QUESTION,
        "NUMBER",
        "The public number that scores must be above.",
        "--threshold",
        "-t",
    )
    candidates: str | None = option(
        QUESTION,
        "COUNT",
        "Approximate number of candidates: of all items.",
        "--candidates",
        "-n",
    )


def parameters_of(numbers: PlanNumbers) -> Parameters:
    """Return what was given, for :func:`overbar.plan`, `select` or `top`; no more than that.

    >>> parameters_of(SelectNumbers(epsilon="1/3", cutoff="50", threshold="7"))
    {'cutoff': 50, 'epsilon': '1/3'}
    """
    typed = {name: value for name, value in vars(numbers).items() if name in NUMBERS}
    parameters = those_given(**typed)
    for name, value in parameters.items():
        if name in WHOLE and value != UNLIMITED:
            parameters[name] = _check.whole(name, value)
    if "," in parameters.get("sensitivity", ""):
        parameters["sensitivity"] = pair("sensitivity", parameters["sensitivity"])
    share = getattr(numbers, "counts_share", None)
    if share is not None or numbers.counts:
        parameters["counts"] = share is None or checked_share(share, "counts_share")
    if not parameters.get("resample", True):  # a switch that was not set says nothing
        del parameters["resample"]
    return parameters


def made_plan(parameters: Parameters, plan_file: Path | None = None, *, top: bool = False) -> Plan:
    """Return the plan of a file, or the one the parameters ask for; refuse one without a proof.

    With `top` it is the plan of :func:`overbar.top`: unlimited rounds, a bar above all scores.
    """
    if plan_file is not None:
        if parameters or top:
            given = [*sorted(parameters), *(["top"] if top else [])]
            names = ", ".join(f"--{name.replace('_', '-')}" for name in given)
            raise ParameterError(f"a plan brings its own numbers: leave out {names}, or --plan")
        return read_plan(plan_file)
    return plan_of(None, parameters, top=top)


def read_text(path: Path, what: str) -> str:
    """Read a small file that someone wrote."""
    try:
        if str(path) == "-":
            text = sys.stdin.read(LARGEST_FILE + 1)
        else:
            with path.open(encoding="utf-8") as file:
                text = file.read(LARGEST_FILE + 1)
    except OSError as error:
        raise ParameterError(f"cannot read the {what} {str(path)!r}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ParameterError(f"the {what} {str(path)!r} is not text") from None
    if len(text) > LARGEST_FILE:
        raise ParameterError(f"the {what} {str(path)!r} is too long to be one")
    return text


def read_plan(path: Path) -> Plan:
    """Read a plan and make sure that something is proved about it."""
    text = read_text(path, "plan")
    try:
        plan = Plan.from_json(text)
    except ParameterError as error:
        raise ParameterError(f"{str(path)!r}: {error}") from None
    guarantee(plan)
    return plan


def key_parameters(options: Any) -> dict[str, Any]:
    """Return what was typed of a search for keys, no more; refuse one that lacks a number."""
    all_given(epsilon=options.epsilon, delta=options.delta)
    limits = ("items_per_person", "rounds", "at_least")
    whole = {name: if_given(_check.whole, name, getattr(options, name, None)) for name in limits}
    return {
        "epsilon": options.epsilon,
        "delta": options.delta,
        **{name: number for name, number in whole.items() if number is not None},
        **{name: True for name in ("counts", "delta_is_large") if getattr(options, name)},
    }


EXAMPLES = """Examples:

\b
overbar plan --epsilon 1 --cutoff 50 --candidates 10000
overbar plan --epsilon 1 --delta 1e-6 --cutoff 50 --candidates 10000
overbar plan --recall 0.95 --margin 500 --cutoff 50 --candidates 10000
overbar plan --top --epsilon 1 --cutoff 50 --candidates 10000
overbar plan --keys --epsilon 1 --delta 1e-6
overbar plan --epsilon 1 --cutoff 50 --candidates 10000 --out plan.json
overbar plan --plan plan.json --candidates 10000 --out plan.html
"""


@dataclass(frozen=True, kw_only=True)
class PlanOptions(SelectNumbers):
    """Show what a run would guarantee and how accurate it would be. Reads no data.

    Numbers are exact: 0.1 is one tenth, and 1/3 and 1e-6 are fine.
    """

    items_per_person: str | None = option(
        QUESTION,
        "COUNT",
        "At most this many items of each person count; with few, much less noise is needed.",
    )
    groups: str | None = option(
        QUESTION, "COUNT", "In how many public groups the plan is run, each by itself."
    )
    groups_per_person: str | None = option(
        QUESTION, "COUNT", "In how many groups a person counts at most: ε is for all of them."
    )
    unlisted: bool = switch(
        QUESTION, "--unlisted", "Plan for items that are read off the data, without a catalogue."
    )
    top: bool = switch(QUESTION, "--top", "Plan for 'overbar top' instead of 'overbar select'.")
    keys: bool = switch(
        QUESTION,
        "--keys",
        "Plan for 'overbar keys': it takes --epsilon, --delta, --items-per-person, --rounds and "
        "--counts.",
    )
    margin: str | None = option(
        QUESTION, "NUMBER", "A distance from the threshold: how likely is who lies there found?"
    )
    recall: str | None = option(
        QUESTION,
        "SHARE",
        "A share to find, such as 0.95: which margin does it take, or, with --margin, which ε?",
    )
    counts_share: str | None = option(
        EXPERTS, "SHARE", "Counts as with --counts, from this share of ε, such as 0.3."
    )
    mechanism: str | None = option(
        EXPERTS,
        "NAME",
        "How the answer is found: auto (the default: the most accurate), ranked, histogram, "
        "bare-set or sparse-vector (the paper's).",
        autocompletion=completion.mechanisms,
    )
    noise: str | None = option(
        EXPERTS,
        "NAME",
        "Noise on scores: auto (the default: the most accurate), exponential, gumbel, laplace or "
        "gaussian.",
        autocompletion=completion.noises,
    )
    threshold_noise: str | None = option(
        EXPERTS,
        "NAME",
        "Noise on the threshold: auto (the default), exponential, laplace, or with δ > 0 "
        "gaussian or none.",
        autocompletion=completion.threshold_noises,
    )
    allocation: str | None = option(
        EXPERTS,
        "NAME",
        "How ε is split: variance, appending, or a number (query budget divided by threshold "
        "budget).",
        autocompletion=completion.allocations,
    )
    resample: bool = switch(
        EXPERTS, "--resample", "Draw new threshold noise after each item found; for a run online."
    )
    max_queries: str | None = option(
        EXPERTS, "COUNT", "A limit on all comparisons together; for a run online."
    )
    grid: str | None = option(
        EXPERTS,
        "NUMBER",
        "Scores are rounded to multiples of this number; it must divide the sensitivity.",
    )
    rounds: str | None = option(
        EXPERTS,
        "COUNT",
        "How often each candidate is compared: 1 by default, or 'unlimited'.",
        autocompletion=completion.rounds,
    )
    correction: str | None = option(
        EXPERTS,
        "NAME",
        "What is added to the threshold: halfway (the default), optimal (the paper's), "
        "optimal-shared, mean, none, or a number.",
        autocompletion=completion.corrections,
    )
    tolerance: str | None = option(
        EXPERTS,
        "NUMBER",
        "For the optimal correction: errors this close to the threshold do not count.",
    )
    upper_bound: str | None = option(
        EXPERTS,
        "NUMBER",
        "For --top with --mechanism sparse-vector: a public number that no score exceeds, such as "
        "the number of people; far too high costs nothing.",
    )
    out: list[Path] | None = option(
        OUTPUT,
        "FILE",
        "Write the plan to a JSON file, or a report to an .html file; may be given several times.",
        "--out",
        "-o",
    )
    format_: str | None = report_format(OUTPUT)
    save: Path | None = option(
        OUTPUT, "FILE", "Write the question to a .toml file, for overbar run: what was typed."
    )
    force: bool = switch(OUTPUT, "--force", "Replace files that exist.")


VERB = Verb("plan", PlanOptions, "What a run would guarantee, before it.", EXAMPLES, "planned")
