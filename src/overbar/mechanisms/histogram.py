"""A histogram: noise that hides the few items of a person, and the highest values.

Theory: :doc:`/theory/histogram`.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from overbar import _check
from overbar._check import Number
from overbar.accuracy.plan import Chance
from overbar.errors import NoGuaranteeError, ParameterError, named
from overbar.mechanisms.plan import part
from overbar.mechanisms.reach_and_bar import Bar, Reach, set_checked
from overbar.mechanisms.run import Answer, Run
from overbar.mechanisms.score_plan import ScorePlan
from overbar.mechanisms.sentences import highest_text, noise_text, values_text
from overbar.mechanisms.way import Request, Split, Way, apart_at, refuse_bars, that_can_be
from overbar.noise import Gaussian, Laplace, Noise
from overbar.noise.grid_tails import grid_tail
from overbar.privacy.histogram import PRECISION, Moved, any_of
from overbar.privacy.pairs import Values
from overbar.privacy.proofs import Proof, Proofs, one

#: `make campaign NAME=intervals` counts them place by place.
AT_ONE_PLACE = (
    "That is so over all answers. At one place, where many items have nearly the same number, such "
    "as none, it can be less: 69 to 81 % where it was measured."
)


@part("histogram")
@dataclass(frozen=True, repr=False)
class HistogramPlan(ScorePlan):
    """The highest noisy values where one person moves few scores.

    Parameters
    ----------
    query_noise : Noise
        What is added to each score.
    bar : Bar or None
        What values must reach, without noise; None for the top.
    cutoff : int
        How many come out at most.
    reach : Reach
        How far one person moves a score.
    grid : Fraction
        Every score and threshold of a release is a multiple of this.
    items_per_person : int
        How many scores one person can move at most.
    values : bool, default False
        Whether the noisy values come out as counts. It costs nothing.
    """

    query_noise: Noise
    bar: Bar | None
    cutoff: int
    reach: Reach
    grid: Fraction
    items_per_person: int
    values: bool = False

    def __post_init__(self) -> None:
        if self.bar is not None and self.bar.noise is not None:
            raise ParameterError("the bar of a histogram has no noise")
        self._check_numbers()
        set_checked(
            self,
            items_per_person=_check.whole("items_per_person", self.items_per_person),
            values=_check.flag("values", self.values),
        )

    def run(self, run: Run, scores: Any, level: int | None = None) -> Answer:
        """Give each a noisy value: the highest come out, of those that reach the bar."""
        best = run.highest(
            scores,
            self.query_noise,
            self.grid,
            level,
            most=self.cutoff + self.values,
            values=self.values,
        )
        values = tuple(run.tell(one.value) for one in best) if self.values else None
        return Answer(best[: self.cutoff], values)

    @property
    def gives_values(self) -> bool:
        """Whether the noisy values come out."""
        return self.values

    @property
    def one_goes_on(self) -> bool:
        """Whether runs in a row are one: always, with more items of a person."""
        return True

    def pure(self, positives: int | None = None) -> Fraction:  # noqa: ARG002  # it costs the same
        """Return what Laplace noise costs, whatever is found."""
        if type(self.query_noise) is not Laplace:
            raise NoGuaranteeError(
                "a histogram has a guarantee with laplace or gaussian noise on each score, a pure "
                f"one with laplace noise; got {self!r}"
            )
        return self.items_per_person * self.reach.most / self.query_noise.scale

    def proofs(self) -> list[Proofs]:
        """With a log-concave law the worst neighbour moves all its scores by all of the reach."""
        if type(self.query_noise) is not Gaussian:
            return []
        variance = (self.query_noise.scale / self.grid) ** 2
        return [one(Proof((Values(Moved(self.items_per_person, self._steps, variance)),)))]

    def unlisted_delta(self, threshold: Number, items: int) -> float:  # noqa: ARG002  # its own
        """Return the δ of candidates read off the data, which reach the threshold or not.

        1 - (1 - P(N >= τ - Δ))^m, the chance that one of m items of score Δ reaches the threshold
        τ, to which a value equal to it belongs. Rounded up, and never zero. m is its own.
        """
        self._refuse_without_end()
        gap = self.level(threshold) - self._steps
        return any_of(self.items_per_person, grid_tail(self.query_noise, self.grid, gap, PRECISION))

    @property
    def _steps(self) -> int:
        """How many grid steps one person moves a score."""
        return int(self.reach.most / self.grid)

    @classmethod
    def ways(cls, request: Request) -> list[Way]:
        """Return ways with each kind of noise: Laplace noise is pure."""
        usual = (Fraction(0), "laplace", "none"), (request.delta, "gaussian", "none")
        return that_can_be(cls._way, request.filled(*usual))

    @classmethod
    def _way(cls, request: Request) -> Way:
        """Return the way with this kind of noise: its scale follows from the items of a person."""
        refuse_bars(request)
        kinds = {"laplace": request.delta == 0, "gaussian": request.delta > 0}
        if not kinds.get(request.noise, False) or request.threshold_noise != "none":
            raise NoGuaranteeError(
                f"{named('mechanism', 'histogram')} has laplace noise at delta = 0 or gaussian "
                f"noise with delta > 0, and none on the threshold. Write {named('noise', 'auto')} "
                f"and {named('threshold_noise', 'auto')}"
            )

        def make(query: Noise, _: Noise | None, grid: Fraction) -> ScorePlan:
            return cls(
                query,
                None if request.top else Bar(None),
                request.cutoff,
                request.reach,
                grid,
                request.items_per_person,  # type: ignore[arg-type]  # it is needed
                values=request.counts is not False,
            )

        return Way(request, make, lambda plan: apart_at(plan, request), Fraction(2), Split())

    def passing(self) -> Chance:
        """Return the chance to pass: exactly, as noise is drawn on the grid."""
        noise, grid = self.query_noise, self.grid
        return lambda steps: float(grid_tail(noise, grid, -steps, PRECISION).mid())

    def about_counts(self) -> tuple[str, str]:
        """Say how exact counts are and what they cost, and what to know beside their intervals."""
        return (values_text(self), AT_ONE_PLACE) if self.values else ("", "")

    def method_text(self, there: str = "") -> str:
        """Say how the answer is found, and why that way."""
        moved = f"a person moves at most {self.items_per_person:,} scores{there}"
        return f"histogram: {moved}, so noise for that many hides everyone"

    def __str__(self) -> str:
        noise = f" Counts have {noise_text(self.query_noise)}." if self.values else ""
        return highest_text(self, noise)
