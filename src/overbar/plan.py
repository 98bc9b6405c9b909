"""A plan: every public number a run needs, and nothing else.

Release, simulation, accounting and audit all read the same plan. It carries no claim: a guarantee
is computed from it (:func:`overbar.guarantee`), so a plan made by hand promises nothing by itself.

Theory: :doc:`/theory/mechanism`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Any, Literal, get_args

from overbar import _check
from overbar._check import Number
from overbar._numbers import exact_text, short_text
from overbar.errors import ParameterError
from overbar.noise import Gaussian, Gumbel, Noise, noise_class

#: Version of the file form; a file of another version is refused, not guessed at.
FILE_VERSION = 1
#: A release has few parts; a chain without end would only be in a file made to do harm.
MOST_PARTS = 20
TOO_MANY_PARTS = f"before must leave room: a plan has at most {MOST_PARTS} parts"
#: The costs of so many runs are added up at most.
MOST_RUNS = 1000
#: How the answer is found. See :class:`Plan`.
MechanismName = Literal["sparse-vector", "ranked", "histogram"]
MECHANISMS: tuple[MechanismName, ...] = get_args(MechanismName)
#: Fields that are left out of a file where they are None, as in files from before they existed.
ABSENT = ("counts", "before", "groups", "groups_per_person")
#: What a file means that lacks them, or others that came later.
ADDED_FIELDS: dict[str, Any] = {"mechanism": "sparse-vector", "items_per_person": None}
ADDED_FIELDS |= dict.fromkeys(ABSENT)


@_check.known_keywords
@dataclass(frozen=True, repr=False)
class Plan:
    """The public numbers of one run.

    Parameters
    ----------
    query_noise, threshold_noise : Noise
        What is added to each query and to the threshold, each with its ``scale``.
        ``threshold_noise`` is None for a bare threshold.
    correction : Fraction
        What is added to the threshold in public, against the bias and the spread of the noise.
    cutoff : int
        How many positives the run may give before it halts.
    sensitivity : Fraction, default 1
        How far one person can move one query's answer.
    monotonic : bool, default False
        Whether one person moves all answers in the same direction (counts do).
    resample : bool, default False
        Whether the threshold noise is drawn anew after each positive.
    rounds : int or None, default 1
        How often a query may be asked; None for as often as it takes.
    max_queries : int, optional
        How many comparisons the run may make in all; None for no limit.
    grid : Fraction, default 1
        Every score, threshold and noisy threshold of a release is a multiple of this.
    is_top : bool, default False
        Whether this is a plan for the top, wherever the threshold lies (:func:`overbar.top`).
    mechanism : {"sparse-vector", "ranked", "histogram"}
        ``"sparse-vector"`` asks one query after the other and stops at the cutoff; it alone can run
        online. ``"ranked"`` draws one noisy value for each candidate and gives the highest of those
        that pass. ``"histogram"`` does the same with noise that hides a person's few items.
    items_per_person : int, optional
        How many scores, of each group, one person can move at most; None if it may be all of them.
    counts : Laplace, Gaussian or Gumbel, optional
        The noise of the counts that come out beside the labels; None if labels come out alone. In a
        histogram, and where it is Gumbel noise, it is the noise of the scores: counts are then the
        noisy values that decided, less the noise on the threshold, which they share.
    before : Plan, optional
        What is run first on the same data, as a part of the same release: its cost adds up.
    groups : int, optional
        In how many public groups the plan is run, each by itself; None if it is run once.
    groups_per_person : int, optional
        How many of the groups one person can be in at most: so often the cost of one run is paid.

    Examples
    --------
    >>> import overbar
    >>> plan = overbar.calibrate(epsilon=1, cutoff=5, candidates=100)
    >>> overbar.Plan.from_json(plan.to_json()) == plan
    True
    """

    query_noise: Noise
    threshold_noise: Noise | None
    correction: Fraction
    cutoff: int
    sensitivity: Fraction = Fraction(1)
    monotonic: bool = False
    resample: bool = False
    rounds: int | None = 1
    max_queries: int | None = None
    grid: Fraction = Fraction(1)
    is_top: bool = False
    mechanism: MechanismName = "sparse-vector"
    items_per_person: int | None = None
    counts: Noise | None = None
    before: Plan | None = None
    groups: int | None = None
    groups_per_person: int | None = None

    def __post_init__(self) -> None:
        for name in ("query_noise", "threshold_noise", "counts"):
            noise = getattr(self, name)
            if not isinstance(noise, Noise) and not (noise is None and name != "query_noise"):
                raise ParameterError(f"{name} must be a noise such as Laplace(1), got {noise!r}")
        checked: dict[str, object] = {
            "correction": _check.rational("correction", self.correction),
            "cutoff": _check.whole("cutoff", self.cutoff),
            "sensitivity": _check.positive("sensitivity", self.sensitivity),
            "monotonic": _check.flag("monotonic", self.monotonic),
            "resample": _check.flag("resample", self.resample),
            "grid": _check.positive("grid", self.grid),
            "is_top": _check.flag("is_top", self.is_top),
            "mechanism": _check.choice("mechanism", self.mechanism, MECHANISMS),
        }
        for name in ("rounds", "max_queries", "items_per_person", "groups", "groups_per_person"):
            value = getattr(self, name)
            checked[name] = None if value is None else _check.whole(name, value)
        for name, value in checked.items():
            object.__setattr__(self, name, value)
        self._refuse_odd_groups()
        if self.mechanism == "histogram" and self.counts not in (None, self.query_noise):
            raise ParameterError("counts of a histogram have the noise of its scores")
        if type(self.counts) is Gumbel and not (
            self.mechanism == "ranked"
            and self.query_noise == self.counts
            and type(self.threshold_noise) is Gaussian
        ):
            raise ParameterError(
                "counts with gumbel noise are the values of a ranked run, less gaussian noise that "
                "they share: query_noise must be the same, and threshold_noise gaussian"
            )
        if not isinstance(self.before, Plan | None):
            raise ParameterError("before must be a plan, or None")
        if self.before is not None and len(self.before.parts) >= MOST_PARTS:
            raise ParameterError(TOO_MANY_PARTS)
        if self.mechanism != "sparse-vector" and (
            self.resample or self.rounds != 1 or self.max_queries is not None
        ):
            raise ParameterError(
                "resample, rounds and max_queries are for a sparse vector run; write "
                "mechanism='sparse-vector'"
            )
        for name in ("sensitivity", "correction"):
            if (getattr(self, name) / self.grid).denominator != 1:
                raise ParameterError(
                    f"{name} must be a multiple of the grid {exact_text(self.grid)}, "
                    f"got {exact_text(getattr(self, name))}"
                )

    def _refuse_odd_groups(self) -> None:
        if (self.groups is None) != (self.groups_per_person is None):
            raise ParameterError("groups and groups_per_person must be given together")
        if self.groups is not None and self.before is not None:
            raise ParameterError("before must be left out with groups")
        if not self.runs <= min(MOST_RUNS, self.groups or 1):
            raise ParameterError(
                f"groups_per_person must be at most the number of groups, and {MOST_RUNS:,}"
            )
        _check.product(groups_per_person=self.runs, cutoff=self.cutoff)
        _check.product(groups_per_person=self.runs, items_per_person=self.items_per_person)

    @property
    def runs(self) -> int:
        """How many runs one person can have a hand in: the groups that they can be in."""
        return self.groups_per_person or 1

    @property
    def most_found(self) -> int:
        """How many labels can come out at most, of all groups together."""
        return self.cutoff * (self.groups or 1)

    @property
    def gives_values(self) -> bool:
        """Whether the counts are the noisy values that decided, so that they are paid for."""
        return self.counts is not None and (
            self.mechanism == "histogram" or type(self.counts) is Gumbel
        )

    @property
    def query_shift(self) -> Fraction:
        """How far a gap can move between neighbours after the threshold's shift is taken out.

        In the paper: 2Δ in general, Δ when queries are monotonic.
        """
        return self.sensitivity if self.monotonic else 2 * self.sensitivity

    @property
    def parts(self) -> tuple[Plan, ...]:
        """The plans whose costs add up to that of this one: first itself, without the others.

        Counts beside labels are a histogram of the places that can be filled. Gumbel values tell
        what a race tells in which one more is found: when each has come. A run in groups has
        one for each group that a person can be in. Runs without noise on a threshold are one that
        goes on from group to group, and histograms one with more items of a person.
        """
        counted = self.counts is not None and self.mechanism != "histogram"
        if self.before is None and self.groups is None and not counted:
            return (self,)
        return _parts(self)

    def level(self, threshold: Number) -> int:
        """Return threshold plus correction in grid steps: all of the bar that is public.

        The threshold is rounded up to the grid: public, free, and towards fewer positives.

        Parameters
        ----------
        threshold : int, float, str, Fraction or Decimal
            The public level.

        Returns
        -------
        int
            Grid steps.
        """
        steps = math.ceil(_check.rational("threshold", threshold) / self.grid)
        return steps + int(self.correction / self.grid)

    def __repr__(self) -> str:
        return f"Plan: {self}"

    def __str__(self) -> str:
        kind = "monotonic queries" if self.monotonic else "queries"
        noise = self.threshold_noise
        threshold = "no noise" if noise is None else f"{_named(noise)}"
        if self.mechanism != "sparse-vector":
            return self._ranked_text(kind)
        again = ", drawn anew after each positive" if self.resample else ""
        asked = {None: "as often as it takes", 1: "once"}.get(
            self.rounds, f"up to {self.rounds:,} times" if self.rounds else ""
        )
        limit = "" if self.max_queries is None else f" or {self.max_queries:,} comparisons"
        return (
            f"{_named(self.query_noise)} on {kind} of sensitivity {short_text(self.sensitivity)} "
            f"and {threshold} on the threshold{again}, "
            f"which is moved by {short_text(self.correction)}; each query is asked {asked}, "
            f"and the run halts after {self.cutoff:,} positive{'s' * (self.cutoff > 1)}{limit}. "
            f"Releases happen on a grid of {short_text(self.grid)}.{self._first()}"
        )

    def _first(self) -> str:
        counts = "" if self.counts is None else f" Counts have {_named(self.counts)}."
        if type(self.counts) is Gumbel and self.threshold_noise is not None:
            counts = f" Counts are these values, less {_named(self.threshold_noise)} for all."
        if self.groups is not None:
            counts += (
                f" It is run in each of {self.groups:,} groups, of which a person is in at most "
                f"{self.runs:,}."
            )
        return counts + ("" if self.before is None else f" Run first: {self.before}")

    def _ranked_text(self, kind: str) -> str:
        noise = self.threshold_noise
        bar = "" if noise is None or self.is_top else f", {_named(noise)} on the threshold"
        moved = "" if self.is_top else f", which is moved by {short_text(self.correction)}"
        most, there = self.items_per_person, " in each group" if self.groups else ""
        few = "" if most is None else f" A person moves at most {most:,} of them{there}."
        passing = "values" if self.is_top else "values that reach the threshold"
        return (
            f"{_named(self.query_noise)} on each of the {kind} of sensitivity "
            f"{short_text(self.sensitivity)}{bar}{moved}; the highest {passing} are given, "
            f"{self.cutoff:,} at most.{few} Releases happen on a grid of {short_text(self.grid)}."
            f"{self._first()}"
        )

    # Files --------------------------------------------------------------------------------------

    def to_json(self) -> str:
        """Write the plan as JSON. Fractions are text, so that reading it back is exact.

        Returns
        -------
        str
            JSON, for :meth:`from_json`.
        """
        fields: dict[str, object] = {"overbar_plan": FILE_VERSION}
        for name in self.__dataclass_fields__:
            value = getattr(self, name)
            if value is None and name in ABSENT:
                continue
            if isinstance(value, Noise):
                value = {"name": value.name, "scale": exact_text(value.scale)}
            elif isinstance(value, Fraction):
                value = exact_text(value)
            fields[name] = json.loads(value.to_json()) if isinstance(value, Plan) else value
        return json.dumps(fields, indent=2)

    @classmethod
    def from_json(cls, text: str) -> Plan:
        """Read a plan written by :meth:`to_json`.

        Parameters
        ----------
        text : str
            The JSON.

        Returns
        -------
        Plan
            The same plan. It carries no claim: :func:`overbar.guarantee` says what it keeps.

        Raises
        ------
        ParameterError
            If the text is not a plan.
        """
        try:
            fields = json.loads(text)
        except (TypeError, ValueError) as error:
            raise ParameterError(f"a plan must be JSON text: {error}") from None
        except RecursionError:
            raise ParameterError("a plan must be JSON text: it is nested too deeply") from None
        return cls._from_fields(fields, MOST_PARTS)

    @classmethod
    def _from_fields(cls, fields: object, parts: int) -> Plan:
        """Read a plan of at most so many parts."""
        if not isinstance(fields, dict) or fields.pop("overbar_plan", None) != FILE_VERSION:
            raise ParameterError(
                f'a plan must be a JSON object with "overbar_plan": {FILE_VERSION}; '
                "write one with Plan.to_json"
            )
        fields = {**ADDED_FIELDS, **fields}
        missing = sorted(set(cls.__dataclass_fields__) - set(fields))
        unknown = sorted(set(fields) - set(cls.__dataclass_fields__))
        if missing or unknown:
            raise ParameterError(
                f"a plan needs exactly its own fields: missing {missing}, unknown {unknown}"
            )
        for name in ("query_noise", "threshold_noise", "counts"):
            if fields[name] is not None or name == "query_noise":
                fields[name] = _noise_from_json(name, fields[name])
        if fields["before"] is not None:
            if parts == 1:
                raise ParameterError(TOO_MANY_PARTS)
            fields["before"] = cls._from_fields(fields["before"], parts - 1)
        return cls(**fields)


def in_one_run(threshold: object, *limits: object) -> bool:
    """Tell whether runs in several groups are one: no noise that they share, no limit of each."""
    return threshold is None and not any(limits)


@lru_cache(maxsize=64)  # asked for many times in one release
def _parts(plan: Plan) -> tuple[Plan, ...]:
    others = () if plan.before is None else plan.before.parts
    runs, items = plan.runs, plan.items_per_person
    own = replace(plan, before=None, groups=None, groups_per_person=None)
    if type(plan.counts) is Gumbel:
        own = replace(own, mechanism="sparse-vector", rounds=None, counts=None)
        own = replace(own, cutoff=plan.cutoff + 1, is_top=False)
    parts = (own,) * runs
    if in_one_run(plan.threshold_noise, plan.resample, plan.max_queries):
        more = None if items is None else runs * items
        own = replace(own, cutoff=runs * plan.cutoff, items_per_person=more)
        parts = (own,)
    if plan.counts is None or plan.gives_values:
        return (*parts, *others)
    counted = Plan(
        query_noise=plan.counts,
        threshold_noise=None,
        correction=Fraction(0),
        cutoff=runs * plan.cutoff,
        sensitivity=plan.sensitivity,
        monotonic=plan.monotonic,
        grid=plan.grid,
        mechanism="histogram",
        items_per_person=runs * min(plan.cutoff, items or plan.cutoff),
    )
    return (*(replace(part, counts=None) for part in parts), counted, *others)


def _named(noise: Noise) -> str:
    return f"{noise.name.capitalize()} noise of scale {short_text(noise.scale)}"


def _noise_from_json(parameter: str, fields: object) -> Noise:
    if not isinstance(fields, Mapping) or set(fields) != {"name", "scale"}:
        raise ParameterError(f'{parameter} must be an object with "name" and "scale"')
    make = noise_class(parameter, fields["name"])
    return make(_check.positive(f"{parameter} scale", fields["scale"]))
