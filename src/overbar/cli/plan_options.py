"""Options that `plan`, `select` and `top` share, and the way from them to a plan."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, cast

from overbar import _check
from overbar.accounting import guarantee
from overbar.calibration.plans import plan_of
from overbar.calibration.request import Parameters
from overbar.cli import completion
from overbar.cli.options import EXPERTS, PRIVACY, QUESTION, option
from overbar.errors import ParameterError
from overbar.plan import Plan

__all__ = ["PlanNumbers", "SelectNumbers", "made_plan", "parameters_of", "read_plan"]

UNLIMITED = "unlimited"
#: A plan is a few hundred bytes; nobody's is a gigabyte.
LARGEST_FILE = 1 << 20
COUNTS = ("cutoff", "candidates", "rounds", "max_queries")


@dataclass(frozen=True, kw_only=True)
class PlanNumbers:
    """The numbers of any plan, as they were typed."""

    cutoff: Annotated[
        str | None,
        option(QUESTION, "--cutoff", "-c", metavar="COUNT", help="How many to find at most."),
    ] = None
    epsilon: Annotated[
        str | None,
        option(PRIVACY, metavar="NUMBER", help="The privacy budget: smaller is more private."),
    ] = None
    delta: Annotated[
        str | None,
        option(
            PRIVACY,
            metavar="NUMBER",
            help="A small number such as 1e-6 that is allowed beside ε; 0, the default, is pure "
            "differential privacy.",
        ),
    ] = None
    sensitivity: Annotated[
        str | None,
        option(
            PRIVACY, metavar="NUMBER", help="How far one person can move one score; 1 by default."
        ),
    ] = None
    monotonic: Annotated[
        bool | None,
        option(
            PRIVACY,
            "--monotonic/--general",
            help="Whether one person moves all scores in the same direction, as with counts.",
            show_default=False,
        ),
    ] = None
    plan_file: Annotated[
        Path | None,
        option(
            PRIVACY,
            "--plan",
            metavar="FILE",
            help="A plan made by 'overbar plan --out', instead of numbers; - reads standard input.",
        ),
    ] = None
    noise: Annotated[
        str | None,
        option(
            EXPERTS,
            metavar="NAME",
            help="Noise on scores: exponential, gumbel, laplace, gaussian, or auto, the default: "
            "the most accurate.",
            autocompletion=completion.noises,
        ),
    ] = None
    threshold_noise: Annotated[
        str | None,
        option(
            EXPERTS,
            metavar="NAME",
            help="Noise on the threshold: laplace, the default; gaussian or none with δ > 0.",
            autocompletion=completion.threshold_noises,
        ),
    ] = None
    allocation: Annotated[
        str | None,
        option(
            EXPERTS,
            metavar="NAME",
            help="Split of ε: variance, appending, or a number: query budget divided by threshold "
            "budget.",
            autocompletion=completion.allocations,
        ),
    ] = None
    resample: Annotated[
        bool | None,
        option(EXPERTS, "--resample", help="Draw new threshold noise after each item found."),
    ] = None
    max_queries: Annotated[
        str | None, option(EXPERTS, metavar="COUNT", help="A limit on all comparisons together.")
    ] = None
    grid: Annotated[
        str | None,
        option(
            EXPERTS,
            metavar="NUMBER",
            help="Scores are rounded to multiples of this number; it must divide the sensitivity.",
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class SelectNumbers(PlanNumbers):
    """The numbers of a plan for `select`, as they were typed."""

    threshold: Annotated[
        str | None,
        option(
            QUESTION, "--threshold", "-t", metavar="NUMBER", help="The public level to be above."
        ),
    ] = None
    candidates: Annotated[
        str | None,
        option(
            QUESTION,
            "--candidates",
            "-n",
            metavar="COUNT",
            help="Approximate number of candidates.",
        ),
    ] = None
    rounds: Annotated[
        str | None,
        option(
            EXPERTS,
            metavar="COUNT",
            help="How often each candidate is compared: 1 by default, or 'unlimited'.",
            autocompletion=completion.rounds,
        ),
    ] = None
    correction: Annotated[
        str | None,
        option(
            EXPERTS,
            metavar="NAME",
            help="What is added to the threshold: optimal, optimal-shared, mean, none, or a "
            "number.",
            autocompletion=completion.corrections,
        ),
    ] = None
    tolerance: Annotated[
        str | None,
        option(
            EXPERTS,
            metavar="NUMBER",
            help="Errors this close to the threshold do not count, for the optimal correction.",
        ),
    ] = None


def parameters_of(**typed: object) -> Parameters:
    """Return what was given, for :func:`overbar.calibrate`, `select` or `top`; no more than that.

    >>> parameters_of(epsilon="1/3", cutoff="50", rounds="unlimited", threshold="7", delta=None)
    {'epsilon': '1/3', 'cutoff': 50, 'rounds': None}
    """
    found: dict[str, object] = {
        name: typed[name] for name in Parameters.__annotations__ if typed.get(name) is not None
    }
    if not found.get("resample"):  # a switch that was not set says nothing
        found.pop("resample", None)
    for name in COUNTS:
        if name in found:
            unlimited = name == "rounds" and found[name] == UNLIMITED
            found[name] = None if unlimited else _check.whole(name, found[name])
    return cast("Parameters", found)


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
    for name in ("epsilon", "cutoff"):
        if name not in parameters:
            raise ParameterError(f"--{name} must be given, or a plan: --plan FILE")
    return plan_of(None, parameters, top=top)


def read_plan(path: Path) -> Plan:
    """Read a plan and make sure that something is proved about it."""
    try:
        if str(path) == "-":
            text = sys.stdin.read(LARGEST_FILE + 1)
        else:
            with path.open(encoding="utf-8") as file:
                text = file.read(LARGEST_FILE + 1)
    except OSError as error:
        raise ParameterError(f"cannot read the plan {str(path)!r}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ParameterError(f"the plan {str(path)!r} is not text") from None
    if len(text) > LARGEST_FILE:
        raise ParameterError(f"the plan {str(path)!r} is too long to be one")
    try:
        plan = Plan.from_json(text)
    except ParameterError as error:
        raise ParameterError(f"{str(path)!r}: {error}") from None
    guarantee(plan)
    return plan
