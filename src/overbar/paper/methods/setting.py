"""What methods are compared under, and what a method is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from overbar import _check
from overbar._check import Number
from overbar.errors import ParameterError
from overbar.plans import Plan
from overbar.simulation.candidates import Mechanism


@dataclass(frozen=True)
class Setting:
    """The public numbers of one comparison; every method is built from them.

    Attributes
    ----------
    epsilon, delta, people
        The privacy asked for. Methods that need δ > 0 take `delta`, else one in `people`.
    cutoff, candidates, threshold
        How many to select, out of how many, and the public level.
    monotonic, sensitivity
        About the queries.
    rounds
        How often a query is asked at most; None for as often as it takes.
    upper_bound
        A public number that no score exceeds, for methods that put the bar above all scores.
    tolerance
        How far from the threshold an error does not count, for the optimal corrections.
    resample
        Whether sparse vector runs draw the threshold noise anew after each positive.
    """

    epsilon: Number
    cutoff: int
    candidates: int
    threshold: Number
    monotonic: bool = True
    sensitivity: Number = 1
    delta: Number | None = None
    people: int | None = None
    rounds: int | None = None
    upper_bound: Number | None = None
    tolerance: Number = 0
    resample: bool = False

    @property
    def budget(self) -> Fraction:
        """ε as an exact number."""
        return _check.positive("epsilon", self.epsilon)

    @property
    def threshold_shift(self) -> Fraction:
        """How far a score, and so the threshold, can move: Δ."""
        return _check.positive("sensitivity", self.sensitivity)

    @property
    def query_shift(self) -> Fraction:
        """How far a gap can move, which in the paper is 2Δ in general, Δ for monotonic queries."""
        return self.threshold_shift if self.monotonic else 2 * self.threshold_shift

    @property
    def request(self) -> dict[str, Any]:
        """What every calibration is asked for."""
        names = ("epsilon", "cutoff", "sensitivity", "monotonic")
        return {name: getattr(self, name) for name in names}

    @property
    def pure_scale(self) -> Fraction:
        """Scale of the noise when all of ε goes to c selections, f·c·Δ/ε."""
        return self.query_shift * self.cutoff / self.budget

    @property
    def failure(self) -> Fraction:
        """δ for the methods that need it; one in the number of people unless given."""
        if self.delta is None and self.people is None:
            raise ParameterError("delta must be given for this method, or people for delta = 1/n")
        delta = Fraction(1, self.people) if self.delta is None and self.people else self.delta
        result = _check.probability("delta", delta)
        if result == 0:
            raise ParameterError("delta must be positive for this method, got 0")
        return result

    @property
    def bound_above_threshold(self) -> Fraction:
        """How far the public bound on scores lies above the threshold; zero if below."""
        if self.upper_bound is None:
            raise ParameterError("upper_bound must be given: a public number no score exceeds")
        bound = _check.rational("upper_bound", self.upper_bound)
        return max(Fraction(0), bound - _check.rational("threshold", self.threshold))


@dataclass(frozen=True)
class ComparedMethod:
    """A named way to make something that :func:`overbar.simulate` can run.

    Attributes
    ----------
    name
        What figures call it.
    build
        From a setting to a plan or another mechanism.
    privacy
        By what reasoning it keeps the privacy asked for; see `guaranteed`.
    guaranteed
        False where that reasoning is a convention of the paper without a proof.
    """

    name: str
    build: Callable[[Setting], Plan | Mechanism]
    privacy: str
    guaranteed: bool = True

    def __call__(self, setting: Setting) -> Plan | Mechanism:
        """Build it for a setting."""
        return self.build(setting)

    def __str__(self) -> str:
        return self.name if self.guaranteed else f"{self.name} [no guarantee]"
