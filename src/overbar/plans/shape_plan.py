"""The shape of a table: many columns, each by a plan of its own, and persons counted first.

Theory: :doc:`/theory/quantiles`.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from overbar import _check
from overbar.errors import ParameterError
from overbar.noise import Gaussian, Laplace, Noise
from overbar.plans.histogram_plan import HistogramPlan
from overbar.plans.key_plans import UNLIMITED
from overbar.plans.plan import Plan, noise_text, part
from overbar.plans.quantile_plan import QuantilePlan, persons_plan
from overbar.plans.reach_and_bar import Bar, Reach, set_checked

MOST_COLUMNS = 10_000


@dataclass(frozen=True)
class Columns:
    """So many columns that are asked by the same plan; by none where persons are only counted."""

    plan: Plan | None
    count: int

    def __post_init__(self) -> None:
        if self.plan is not None and not (isinstance(self.plan, Plan) and self._known):
            raise ParameterError("columns are asked for quantiles or for keys")
        if isinstance(self.plan, QuantilePlan) and self.plan.persons is not None:
            raise ParameterError("the persons of columns are counted first: persons must be None")
        set_checked(self, count=_check.whole("columns", self.count))

    @property
    def _known(self) -> bool:
        return self.plan is not None and self.plan.finds in ("quantiles", "keys")


@part("shape")
@dataclass(frozen=True, repr=False)
class ShapePlan(Plan):
    """Quantiles of columns of numbers, keys of columns of text, and persons with a value in each.

    Parameters
    ----------
    persons : Laplace or Gaussian
        The noise on each number of persons: of the table, and of those with a value in a column.
    columns : tuple of Columns
        How many columns are asked by which plan.
    """

    finds = "shape"

    persons: Laplace | Gaussian
    columns: tuple[Columns, ...]

    def __post_init__(self) -> None:
        if type(self.persons) not in (Laplace, Gaussian):
            raise ParameterError("numbers of persons have laplace or gaussian noise")
        kinds = isinstance(self.columns, tuple) and {type(each) for each in self.columns}
        if kinds != {Columns} or self.cells > MOST_COLUMNS:
            raise ParameterError(f"columns must be Columns, {MOST_COLUMNS:,} at most together")

    @property
    def cells(self) -> int:
        """How many numbers of persons are counted."""
        return 1 + sum(each.count for each in self.columns)

    @property
    def first(self) -> HistogramPlan:
        """How they are counted, before all else."""
        return persons_plan(self.persons, self.cells)

    @property
    def query_noise(self) -> Noise:
        """The noise on numbers of persons."""
        return self.persons

    @property
    def bar(self) -> Bar | None:
        """None: nothing is compared with a threshold."""
        return None

    @property
    def reach(self) -> Reach:
        """One more person is at most one more among the persons of a column."""
        return Reach(Fraction(0), Fraction(1))

    @property
    def grid(self) -> Fraction:
        """Persons are whole."""
        return Fraction(1)

    @property
    def items_per_person(self) -> int | None:
        """None: one person may have a value in each column."""
        return None

    @property
    def cutoff(self) -> int:
        """How many lines come out at most: of keys, more than any table has."""
        if any(each.plan is not None and each.plan.finds_keys for each in self.columns):
            return UNLIMITED
        return self.cells + sum(
            each.count * len(each.plan.shares)
            for each in self.columns
            if isinstance(each.plan, QuantilePlan)
        )

    @property
    def gives_counts(self) -> bool:
        """Whether a number comes out beside each label: always."""
        return True

    def paid(self) -> tuple[Plan, ...]:
        """Return what is paid: the plans of all columns, and the persons that are counted first.

        Returns
        -------
        tuple of Plan
            Plans of one part.
        """
        asked = ((each.plan, each.count) for each in self.columns)
        parts = (one for plan, count in asked if plan is not None for one in plan.merged(count))
        return (*parts, *self.first.paid())

    @property
    def answer_text(self) -> str:
        """What it answers."""
        return f"The shape of {self.cells - 1:,} columns."

    def __str__(self) -> str:
        each = (f"{one.count:,} columns: {one.plan}" for one in self.columns if one.plan)
        return " ".join([f"Numbers of persons have {noise_text(self.persons)}.", *each])
