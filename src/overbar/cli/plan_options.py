"""Options that `plan`, `select` and `top` share, and the way from them to a plan."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from overbar import _check
from overbar.accounting import guarantee
from overbar.calibration.counts_noise import checked_share
from overbar.calibration.plan_parameters import NAMES, Parameters, plan_of
from overbar.cli import completion
from overbar.cli.options import EXPERTS, PRIVACY, QUESTION, option, switch
from overbar.errors import ParameterError
from overbar.plans import Plan

UNLIMITED = "unlimited"
#: A plan is a few hundred bytes; nobody's is a gigabyte.
LARGEST_FILE = 1 << 20
COUNTS = ("cutoff", "candidates", "rounds", "max_queries")
#: What is about the table too, and read with it.
OF_TABLES = ("items_per_person", "groups", "groups_per_person")


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
        "The δ of (ε, δ)-differential privacy, a small number such as 1e-6. By default 0: pure "
        "differential privacy.",
    )
    sensitivity: str | None = option(
        PRIVACY, "NUMBER", "How far one person can move one score; 1 by default."
    )
    monotonic: bool | None = option(
        PRIVACY,
        None,
        "Whether one person moves all scores in the same direction, as with counts. A table says "
        "it by itself; 'overbar plan' supposes it.",
        "--monotonic/--general",
        show_default=False,
    )
    counts: bool = switch(
        PRIVACY,
        "--counts",
        "Give each item with a noisy count and an interval of about 95 %. With few "
        "--items-per-person it is free, with --delta nearly so; otherwise it takes a share of ε.",
    )
    counts_share: str | None = option(
        PRIVACY, "SHARE", "The share of ε for counts, such as 0.3; by default a good one."
    )
    plan_file: Path | None = option(
        PRIVACY,
        "FILE",
        "A file that 'overbar plan --out' has written, instead of the numbers of a plan; - reads "
        "standard input.",
        "--plan",
    )
    mechanism: str | None = option(
        EXPERTS,
        "NAME",
        "How the answer is found: auto (the default: the most accurate), ranked, histogram, or "
        "sparse-vector (the paper's).",
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
        EXPERTS, "--resample", "Draw new threshold noise after each item found."
    )
    max_queries: str | None = option(EXPERTS, "COUNT", "A limit on all comparisons together.")
    grid: str | None = option(
        EXPERTS,
        "NUMBER",
        "Scores are rounded to multiples of this number; it must divide the sensitivity.",
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


def parameters_of(numbers: PlanNumbers) -> Parameters:
    """Return what was given, for :func:`overbar.calibrate`, `select` or `top`; no more than that.

    >>> parameters_of(SelectNumbers(epsilon="1/3", cutoff="50", rounds="unlimited", threshold="7"))
    {'epsilon': '1/3', 'cutoff': 50, 'rounds': None}
    """
    typed = vars(numbers)
    found = {
        name: typed[name] for name in NAMES if typed.get(name) is not None and name not in OF_TABLES
    }
    found["counts"] = share_typed(numbers.counts, numbers.counts_share)
    for name in ("resample", "counts"):  # a switch that was not set says nothing
        if not found[name]:
            del found[name]
    for name in COUNTS:
        if name in found:
            unlimited = name == "rounds" and found[name] == UNLIMITED
            found[name] = None if unlimited else _check.whole(name, found[name])
    return found


def share_typed(counts: bool, share: str | None) -> bool | Fraction:
    """Return whether counts are asked for, or the share of the budget that was typed for them."""
    if share is None:
        return counts
    if not counts:
        raise ParameterError("--counts-share goes with --counts")
    return checked_share(share, "counts_share")


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
