"""Plans as JSON: each value by its fields, fractions as text, so that reading it back is exact."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from fractions import Fraction
from typing import Any

from overbar import _check
from overbar._numbers import exact_text
from overbar.errors import ParameterError
from overbar.noise import Noise, noise_class
from overbar.plans.composed_plan import Composed, Groups
from overbar.plans.histogram_plan import HistogramPlan
from overbar.plans.plan import Bar, Plan
from overbar.plans.ranked_plan import RankedPlan
from overbar.plans.reach import Reach
from overbar.plans.sparse_vector_plan import Repeats, SparseVectorPlan

#: Version of the file form; a file of another version is refused, not guessed at.
FILE_VERSION = 1
#: The kinds of plans, by what they are called.
KINDS: dict[str, type[Plan]] = {
    kind.kind: kind for kind in (RankedPlan, HistogramPlan, SparseVectorPlan, Composed)
}
#: What lies inside a plan, by the name of its field.
VALUES: dict[str, type] = {"bar": Bar, "reach": Reach, "repeats": Repeats, "groups": Groups}
NOISE_FIELDS = ("query_noise", "noise", "shared", "counts")
PLAN_FIELDS = ("labels", "first")


def plan_text(plan: Plan) -> str:
    """Write a plan as JSON."""
    return json.dumps({"overbar_plan": FILE_VERSION, **_written(plan)}, indent=2)


def _written(value: object) -> Any:
    if isinstance(value, Noise):
        return {"name": value.name, "scale": exact_text(value.scale)}
    if isinstance(value, Fraction):
        return exact_text(value)
    if not is_dataclass(value):
        return value
    named: dict[str, object] = {"kind": value.kind} if isinstance(value, Plan) else {}
    return {**named, **{one.name: _written(getattr(value, one.name)) for one in fields(value)}}


def read_plan(text: str) -> Plan:
    """Read a plan; refuse what is none."""
    try:
        read = json.loads(text)
    except (TypeError, ValueError) as error:
        raise ParameterError(f"a plan must be JSON text: {error}") from None
    except RecursionError:
        raise ParameterError("a plan must be JSON text: it is nested too deeply") from None
    if not isinstance(read, dict) or read.pop("overbar_plan", None) != FILE_VERSION:
        raise ParameterError(
            f'a plan must be a JSON object with "overbar_plan": {FILE_VERSION}; '
            "write one with Plan.to_json"
        )
    return _plan("plan", read, whole=True)


def _plan(name: str, read: object, *, whole: bool = False) -> Plan:
    if not isinstance(read, Mapping):
        raise ParameterError(f"{name} must be an object")
    own = dict(read)
    kind = KINDS.get(own.pop("kind", None))
    if kind is None or (kind is Composed and not whole):
        raise ParameterError(f'the "kind" of a {name} must be one of {", ".join(KINDS)}')
    return _value("a plan", kind, own)  # type: ignore[no-any-return]


def _value(name: str, kind: type, read: object) -> Any:
    """Make a value of its fields, exactly these."""
    if not isinstance(read, Mapping):
        raise ParameterError(f"{name} must be an object")
    names = [one.name for one in fields(kind)]
    missing, unknown = sorted(set(names) - set(read)), sorted(set(read) - set(names))
    if missing or unknown:
        raise ParameterError(
            f"{name} needs exactly its own fields: missing {missing}, unknown {unknown}"
        )
    return kind(**{one: _field(one, read[one]) for one in names})


def _field(name: str, read: object) -> object:
    if read is None:
        return None
    if name in NOISE_FIELDS:
        return _noise("threshold_noise" if name == "noise" else name, read)
    if name in PLAN_FIELDS:
        return _plan(name, read)
    return _value(name, VALUES[name], read) if name in VALUES else read


def _noise(parameter: str, read: object) -> Noise:
    if not isinstance(read, Mapping) or set(read) != {"name", "scale"}:
        raise ParameterError(f'{parameter} must be an object with "name" and "scale"')
    make = noise_class(parameter, read["name"])
    return make(_check.positive(f"{parameter} scale", read["scale"]))
