"""What methods are compared under, what a method is, and how the paper sets noise without proof.

None of these conventions may calibrate a release. Adding up Rényi costs over the positives of one
threshold draw is false (docs/theory/counterexample.md), and the Gaussian mechanism's bound does not
carry over to comparisons without a limit on their number.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from overbar.accuracy import correction_term
from overbar.errors import ParameterError
from overbar.mechanisms import Bar, Reach, Repeats, ScorePlan, SparseVectorPlan
from overbar.noise import Exponential, Gaussian, Gumbel, Laplace, Noise
from overbar.planning import budget_ratio
from overbar.privacy import pure_renyi
from overbar_lab import checks
from overbar_lab.checks import Number
from overbar_lab.simulation.candidates import Mechanism


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
        return checks.positive("epsilon", self.epsilon)

    @property
    def threshold_shift(self) -> Fraction:
        """How far a score, and so the threshold, can move: Δ."""
        return checks.positive("sensitivity", self.sensitivity)

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
        result = checks.probability("delta", delta)
        if result == 0:
            raise ParameterError("delta must be positive for this method, got 0")
        return result

    @property
    def bound_above_threshold(self) -> Fraction:
        """How far the public bound on scores lies above the threshold; zero if below."""
        if self.upper_bound is None:
            raise ParameterError("upper_bound must be given: a public number no score exceeds")
        bound = checks.rational("upper_bound", self.upper_bound)
        return max(Fraction(0), bound - checks.rational("threshold", self.threshold))


@dataclass(frozen=True)
class ComparedMethod:
    """A named way to make something that :func:`overbar_lab.simulate` can run.

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
    build: Callable[[Setting], ScorePlan | Mechanism]
    privacy: str
    guaranteed: bool = True

    def __call__(self, setting: Setting) -> ScorePlan | Mechanism:
        """Build it for a setting."""
        return self.build(setting)

    def __str__(self) -> str:
        return self.name if self.guaranteed else f"{self.name} [no guarantee]"


#: The noises by name.
NOISES: dict[str, Callable[[Fraction], Noise]] = {
    noise.name: noise for noise in (Laplace, Exponential, Gumbel, Gaussian)
}
#: Studies run on no grid. A plan needs one; so fine a grid changes no digit of a figure.
STEPS_PER_SENSITIVITY = 1 << 12


def budgets(setting: Setting, noise: str) -> tuple[float, float]:
    """Split ε into ε₁ for the threshold and ε₂ = w·ε₁ for the queries, for least variance."""
    ratio = budget_ratio(
        NOISES[noise](Fraction(1)),
        NOISES[threshold_noise_beside(noise)](Fraction(1)),
        cutoff=setting.cutoff,
        back=Fraction(not setting.monotonic),
        resample=setting.resample,
    )
    epsilon = float(setting.budget)
    return epsilon / (1 + ratio), epsilon * ratio / (1 + ratio)


def threshold_noise_beside(noise: str) -> str:
    """Return the noise that the paper puts on the threshold: Gaussian beside Gaussian."""
    return noise if noise == "gaussian" else "laplace"


def gaussian_width(delta: Fraction | float) -> float:
    """Return √(2 ln(1.25/δ)), by which the paper's Gaussian noise is wider than Δ/ε."""
    return math.sqrt(2 * math.log(1.25 / delta))


def gaussian_plan(setting: Setting) -> ScorePlan:
    """SVT-Gau as the paper runs it: σ = √(2 ln(1.25/δ))·Δ/ε₁ and f·c times that at ε₂.

    In the paper: Section on parameters, δ = 1/n. No guarantee.
    """
    width = gaussian_width(setting.failure)
    return _plan(setting, "gaussian", "none", lambda epsilon, count: epsilon / (width * count))


def renyi_plan(setting: Setting, noise: str, correction: str, literal: bool = False) -> ScorePlan:
    """Return a run whose c positives cost ε₂ at δ "after applying the RDP composition theorem".

    In the paper: appendix on RDP. The budget is split as always, the threshold noise is that of
    ε₁, and a binary search finds what each positive may cost. Two things it leaves open are read
    like this: the cost of a positive of pure budget e is the Rényi curve of pure e-DP, and the
    conversion to (ε, δ) is that of the article it cites. No guarantee: the costs of positives do
    not add up.

    A third is open for Gaussian noise alone. By the words "each query is assigned a privacy budget
    ε₂′" (`literal`) it is calibrated for the ε₂′ that all noises have, as elsewhere in the paper.
    Otherwise it has the Rényi curve a·shift²/(2σ²) at order a, on the threshold too.
    """
    delta = setting.failure
    width = gaussian_width(delta)

    def gaussian(epsilon: float, count: int) -> float:
        rate = _solve(lambda mu: _converted(lambda a: a * mu * mu / 2, delta), epsilon, epsilon)
        return rate / math.sqrt(count)

    def each(epsilon: float, count: int) -> float:
        return renyi_budget_of_each(epsilon, delta, count)

    if noise == "gaussian" and literal:
        return _plan(
            setting,
            noise,
            correction,
            lambda epsilon, count: each(epsilon, count) / width,
            lambda epsilon, count: epsilon / (width * count),
        )
    if noise == "gaussian":
        return _plan(setting, noise, correction, gaussian)
    return _plan(setting, noise, correction, each, lambda epsilon, count: epsilon / count)


def renyi_budget_of_each(epsilon: float, delta: Fraction, cutoff: int) -> float:
    """Return the pure budget of each of c positives that Rényi composition adds up to (ε, δ).

    >>> round(renyi_budget_of_each(3.4602934, Fraction(1, 10**5), 50), 6)
    0.1
    """

    def composed(each: float) -> float:
        return _converted(lambda order: cutoff * pure_renyi(each, order), delta)

    return _solve(composed, epsilon, epsilon / cutoff)


def _converted(curve: Callable[[float], float], delta: Fraction) -> float:
    """Return ε at δ from a Rényi curve (Mironov 2017, arXiv:1702.07476, Proposition 3)."""
    from scipy.optimize import minimize_scalar  # here: it takes long to load

    def at(log_excess: float) -> float:
        excess = math.exp(log_excess)
        return curve(1 + excess) - math.log(delta) / excess

    return float(minimize_scalar(at, bounds=(-20.0, 27.0), options={"xatol": 1e-7}).fun)


def _solve(cost: Callable[[float], float], epsilon: float, guess: float) -> float:
    """Return where a rising cost reaches ε."""
    low = high = guess
    while cost(low) > epsilon:
        low /= 2
    while cost(high) <= epsilon:
        high *= 2
    from scipy.optimize import brentq  # here: it takes long to load

    return float(brentq(lambda x: cost(x) - epsilon, low, high, rtol=1e-10))


#: From a budget and how often it is shared to what a shift is divided by to get a scale.
Rate = Callable[[float, int], float]


def _plan(
    setting: Setting, noise: str, correction: str, query: Rate, threshold: Rate | None = None
) -> ScorePlan:
    """Return the plan whose noises have these rates; the threshold that of queries by default."""
    first, second = budgets(setting, noise)
    draws = setting.cutoff if setting.resample else 1

    def scaled(name: str, shift: Fraction, rate: float) -> Noise:
        return NOISES[name](Fraction(f"{float(shift) / rate:.12g}"))

    on_queries = scaled(noise, setting.query_shift, query(second, setting.cutoff))
    on_threshold = scaled(
        threshold_noise_beside(noise), setting.threshold_shift, (threshold or query)(first, draws)
    )
    term = correction_term(
        correction,
        on_queries,
        on_threshold,
        negatives=max(1, setting.candidates // setting.cutoff),
        tolerance=setting.tolerance,
    )
    grid = setting.threshold_shift / STEPS_PER_SENSITIVITY
    return SparseVectorPlan(
        on_queries,
        Bar.on_grid(on_threshold, term, grid),
        setting.cutoff,
        Reach.of(setting.threshold_shift, monotonic=setting.monotonic),
        grid,
        Repeats(setting.rounds, setting.resample),
    )
