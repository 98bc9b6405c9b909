"""The law of a sparse vector mechanism, sound or broken: everything its transcripts depend on.

A :class:`Law` says more than a plan can: threshold noise of any shape, no query noise, no cutoff,
released values, a correction computed from the data, another rounding. :func:`law_of` reads it off
a plan. The exact auditor works on laws only, so what it does to a broken mechanism is what it does
to ours.

All levels and scores inside a law are whole numbers of grid steps.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from fractions import Fraction

from overbar import _check
from overbar._check import Number
from overbar.errors import ParameterError
from overbar.mechanism.scores import Ruler
from overbar.noise import Exponential, Gaussian, Laplace, Noise
from overbar.plans import Composed, HistogramPlan, Plan, Repeats, SparseVectorPlan

#: How threshold noise comes to lie on the grid. Mass that is proportional to the density at each
#: point is ``discrete`` (Laplace and Gaussian, what releases draw). Any continuous noise can be
#: ``floored`` to the grid, or stay ``continuous``, for study, and be integrated numerically.
FORMS = ("discrete", "floored", "continuous")
#: What a law reads off a plan. A plan in which anything else is set does more than one run.
READ = frozenset(
    {
        *("query_noise", "bar", "cutoff", "reach", "grid", "items_per_person"),
        *("repeats", "values", "labels", "counts"),
    }
)


@dataclass(frozen=True)
class ThresholdNoise:
    """What is added to the threshold.

    ``mirrored`` reflects the noise at zero: exponential noise then has its tail to the left.
    """

    noise: Noise
    form: str = "discrete"
    mirrored: bool = False

    def __post_init__(self) -> None:
        _check.choice("form", self.form, FORMS)
        if self.form == "discrete" and type(self.noise) not in {Laplace, Gaussian}:
            raise ParameterError(
                f"form must be 'floored' or 'continuous' for {self.noise.name} noise, "
                "got 'discrete'"
            )


@dataclass(frozen=True)
class Law:
    """A mechanism that compares queries with a noisy threshold, and says what came out.

    Attributes
    ----------
    query
        Noise added to each query, fresh for every comparison; None for no noise at all. Any
        :class:`~overbar.noise.Noise` will do, also one of your own.
    threshold
        Noise added to the threshold, drawn once; None for a bare threshold.
    cutoff
        The run halts after so many positives; None for a run that does not count them.
    level
        Threshold plus correction in grid steps: all of the bar that is public.
    sensitivity, monotonic, grid
        What neighbours are, as in a plan.
    resample
        Whether the threshold noise is drawn anew after each positive.
    rounds, max_queries
        How often a query may be asked, and how many comparisons there may be in all.
    releases_value
        Whether a positive answer comes with the very noisy value that was compared.
    rounding
        Turns a score into grid steps; by default as releases do.
    level_moves
        Steps added to the level, computed from all scores of a run: a correction from the data.
    items
        How many scores one person can move; None for all of them.
    counts
        Fresh noise on the scores of those found, which come out beside them; None for no counts.
    """

    query: Noise | None
    threshold: ThresholdNoise | None
    cutoff: int | None
    level: int = 0
    sensitivity: Fraction = Fraction(1)
    monotonic: bool = False
    grid: Fraction = Fraction(1)
    resample: bool = False
    rounds: int | None = 1
    max_queries: int | None = None
    releases_value: bool = False
    rounding: Callable[[Fraction], int] | None = None
    level_moves: Callable[[tuple[int, ...]], int] | None = None
    items: int | None = None
    counts: Noise | None = None

    @property
    def plain(self) -> bool:
        """Whether the level does not depend on scores, and answers come without values."""
        return self.level_moves is None and not self.releases_value

    @property
    def takes_a_list(self) -> bool:
        """Whether it runs on a list of scores that is there from the start, and never online."""
        return self.items is not None or self.counts is not None

    @property
    def certified(self) -> bool:
        """Whether sums over the threshold noise have bounds: continuous noise is integrated."""
        return self.threshold is None or self.threshold.form != "continuous"

    @property
    def reach(self) -> int:
        """The sensitivity in grid steps."""
        return int(self.sensitivity / self.grid)

    def steps(self, score: Number) -> int:
        """Turn a score into grid steps by the mechanism's own rounding.

        Parameters
        ----------
        score : int, float, str, Fraction or Decimal
            The score.

        Returns
        -------
        int
            The steps.
        """
        if self.rounding is not None:
            return self.rounding(_check.rational("score", score))
        return Ruler.of(self.grid).one(score)

    def level_for(self, scores: tuple[int, ...]) -> int:
        """Return the public level of a run with these scores, in steps.

        Parameters
        ----------
        scores : tuple of int
            All scores, in steps.

        Returns
        -------
        int
            The level.
        """
        return self.level + (0 if self.level_moves is None else self.level_moves(scores))


@dataclass(frozen=True)
class RankedLaw(Law):
    """A mechanism that draws one value for each score and gives the highest, in order.

    Attributes
    ----------
    has_bar
        Whether values must reach the noisy threshold.
    ties_by_score
        Whether of equal values the one with the higher true score comes first, and not by lot.
    """

    has_bar: bool = True
    ties_by_score: bool = False

    @property
    def takes_a_list(self) -> bool:
        """All values must be there before the highest is known."""
        return True


def on_grid(noise: Noise) -> ThresholdNoise:
    """Return noise as a release draws it: exponential noise floored to the grid is geometric."""
    return ThresholdNoise(noise, "floored" if type(noise) is Exponential else "discrete")


def law_of(plan: Plan | Law, threshold: Number = 0) -> Law:
    """Read off a plan the law of what a release does, at a public threshold; keep a law.

    Of a histogram all values may be told, so the law tells them.

    Parameters
    ----------
    plan : Plan or Law
        What is run.
    threshold : int, float, str, Fraction or Decimal, default 0
        The public level.

    Returns
    -------
    Law
        What a release does.

    Raises
    ------
    ParameterError
        If something in the plan would not be looked at.
    """
    if isinstance(plan, Law):
        return plan
    _refuse_unread(plan)
    noise, labels = plan.threshold_noise, plan.labels
    histogram = isinstance(labels, HistogramPlan)
    repeats = labels.repeats if isinstance(labels, SparseVectorPlan) else Repeats()
    law = Law(
        query=plan.query_noise,
        threshold=None if noise is None else on_grid(noise),
        cutoff=plan.cutoff,
        level=plan.level(threshold),
        sensitivity=plan.reach.most,
        monotonic=plan.reach.one_way,
        grid=plan.grid,
        resample=repeats.resample,
        rounds=repeats.rounds,
        max_queries=repeats.max_queries,
        releases_value=histogram,
        items=plan.items_per_person,
        counts=plan.counts if isinstance(plan, Composed) else None,
    )
    if isinstance(labels, SparseVectorPlan):
        return law
    return RankedLaw(**vars(law), has_bar=plan.bar is not None)


def _refuse_unread(plan: Plan) -> None:
    """Raise if a verdict on the law of a plan would be silent about some of what is claimed."""
    for part in (plan, plan.labels):
        for field in fields(part):  # type: ignore[arg-type]  # every kind is a dataclass
            if field.name not in READ and getattr(part, field.name) != field.default:
                raise ParameterError(
                    f"plan must be one without {field.name}, which is not looked at: what is "
                    "enumerated is one run, and the guarantee is about more; audit each part"
                )
    reach = plan.reach
    if not (reach.one_way or reach.low == -reach.high):
        raise ParameterError("plan must be one whose scores move as far down as up, or one way")
