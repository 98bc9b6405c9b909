"""Options that `plan`, `select` and `top` share, and the way from them to a plan.

Every number is taken as text and read exactly: 0.1 is one tenth, 1/3 is a third, 1e-6 a millionth.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from overbar import _check
from overbar.accounting import guarantee
from overbar.calibration.plans import plan_of
from overbar.calibration.request import Parameters
from overbar.errors import ParameterError
from overbar.plan import Plan

__all__ = [
    "Allocation",
    "Candidates",
    "Correction",
    "Cutoff",
    "Delta",
    "Epsilon",
    "Grid",
    "ItemsPerPerson",
    "MaxQueries",
    "Monotonic",
    "NoiseName",
    "PlanFile",
    "Resample",
    "Rounds",
    "Sensitivity",
    "Threshold",
    "ThresholdNoise",
    "Tolerance",
    "made_plan",
    "parameters_of",
    "read_plan",
]

UNLIMITED = "unlimited"
#: A plan is a few hundred bytes; nobody's is a gigabyte.
LARGEST_FILE = 1 << 20

Epsilon = Annotated[
    str | None,
    typer.Option(metavar="NUMBER", help="The privacy budget: smaller is more private."),
]
Delta = Annotated[
    str | None,
    typer.Option(metavar="NUMBER", help="The δ allowed beside ε; 0, the default, is pure."),
]
Cutoff = Annotated[
    str | None, typer.Option("--cutoff", "-c", metavar="COUNT", help="How many to find at most.")
]
Threshold = Annotated[
    str | None, typer.Option("--threshold", "-t", metavar="NUMBER", help="The public level.")
]
Sensitivity = Annotated[
    str | None,
    typer.Option(metavar="NUMBER", help="How far one person can move one score; 1 by default."),
]
Monotonic = Annotated[
    bool | None,
    typer.Option(
        "--monotonic/--general",
        help="Whether one person moves all scores in one direction, as with counts.",
        show_default=False,
    ),
]
NoiseName = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="exponential, gumbel, laplace, gaussian or auto, the default: the most accurate.",
    ),
]
ThresholdNoise = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="laplace, the default; gaussian or none with δ > 0."),
]
Rounds = Annotated[
    str | None,
    typer.Option(
        metavar="COUNT", help=f"How often a candidate is asked: 1 by default, or '{UNLIMITED}'."
    ),
]
Allocation = Annotated[
    str | None,
    typer.Option(
        metavar="NAME", help="Split of ε: variance, appending, or query budget by threshold budget."
    ),
]
Correction = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Added to the threshold: optimal, optimal-shared, mean, none, a number.",
    ),
]
Candidates = Annotated[
    str | None,
    typer.Option(
        "--candidates", "-n", metavar="COUNT", help="How many candidates there are; about will do."
    ),
]
Resample = Annotated[
    bool | None,
    typer.Option("--resample", help="Draw the threshold noise anew after each positive."),
]
Tolerance = Annotated[
    str | None,
    typer.Option(metavar="NUMBER", help="How far from the threshold an error does not count."),
]
MaxQueries = Annotated[
    str | None, typer.Option(metavar="COUNT", help="A limit on comparisons in all.")
]
Grid = Annotated[
    str | None, typer.Option(metavar="NUMBER", help="The grid of releases; divides sensitivity.")
]
ItemsPerPerson = Annotated[
    str | None,
    typer.Option(
        metavar="COUNT",
        help="Candidates are read off the data, and no person has more than so many of them.",
    ),
]
PlanFile = Annotated[
    Path | None,
    typer.Option("--plan", metavar="FILE", help="A plan made before; '-' reads standard input."),
]


def parameters_of(
    *,
    epsilon: str | None = None,
    delta: str | None = None,
    cutoff: str | None = None,
    sensitivity: str | None = None,
    monotonic: bool | None = None,
    noise: str | None = None,
    threshold_noise: str | None = None,
    resample: bool | None = None,
    allocation: str | None = None,
    correction: str | None = None,
    candidates: str | None = None,
    rounds: str | None = None,
    tolerance: str | None = None,
    max_queries: str | None = None,
    grid: str | None = None,
) -> Parameters:
    """Return what was given, for :func:`overbar.calibrate`, `select` or `top`; no more than that.

    >>> parameters_of(epsilon="1/3", cutoff="50", rounds="unlimited")
    {'epsilon': '1/3', 'cutoff': 50, 'rounds': None}
    """
    found: Parameters = {}
    if epsilon is not None:
        found["epsilon"] = epsilon
    if delta is not None:
        found["delta"] = delta
    if cutoff is not None:
        found["cutoff"] = _check.whole("cutoff", cutoff)
    if sensitivity is not None:
        found["sensitivity"] = sensitivity
    if monotonic is not None:
        found["monotonic"] = monotonic
    if noise is not None:
        found["noise"] = noise
    if threshold_noise is not None:
        found["threshold_noise"] = threshold_noise
    if resample:
        found["resample"] = True
    if allocation is not None:
        found["allocation"] = allocation
    if correction is not None:
        found["correction"] = correction
    if candidates is not None:
        found["candidates"] = _check.whole("candidates", candidates)
    if rounds is not None:
        found["rounds"] = None if rounds == UNLIMITED else _check.whole("rounds", rounds)
    if tolerance is not None:
        found["tolerance"] = tolerance
    if max_queries is not None:
        found["max_queries"] = _check.whole("max_queries", max_queries)
    if grid is not None:
        found["grid"] = grid
    return found


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
