"""A plan: every public number a run needs, and nothing else.

Release, simulation, accounting and audit all read the same plan. It carries no claim: a guarantee
is computed from it (:func:`overbar.guarantee`), so a plan made by hand promises nothing by itself.

There is one class for each mechanism, in one file: what it is, how it runs, what it costs, what is
said of it. Files::

    plan                what all have in common
    score_plan          what those have in common that add noise to scores
    reach_and_bar       how far one person moves a score, the bar, and what is done again
    ranked              the highest noisy values
    histogram           the same where a person has few items
    sparse_vector       one question after the other; capped of Gaussian ones with a limit
    monitor             questions without end, and a limit for each person; wear how worn it is
    keys                keys that nobody listed; one_key where one key of each person counts;
                        key_values what searches are made of, key_forecast what they find
    together            parts that are paid for together: keys first, counts beside labels, groups
    plan_file           plans of all kinds as JSON
    sentences           noises and the like as people read them

Theory: :doc:`/theory/mechanism`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar, TypeVar

from overbar import _check
from overbar._check import Number
from overbar.errors import NoGuaranteeError, ParameterError, named
from overbar.privacy.proofs import Proofs
from overbar.report import html_of

if TYPE_CHECKING:
    from overbar.accuracy import Detection
    from overbar.mechanisms.keys import KeyPlan
    from overbar.mechanisms.together import Groups

AnyPlan = TypeVar("AnyPlan", bound="Plan")
#: The kinds of plans of one part, which are all that a plan may hold.
PARTS: list[type[Plan]] = []
#: What is proved of a mechanism. What derives from it inherits none of this.
PROVED = ("paid", "pure", "proofs", "lone_delta", "unlisted_delta")
#: No answer has as many labels.
UNLIMITED = 10**18
#: Why a search for keys is refused where scores are asked for.
NO_SCORES = "a search for keys has no noise on scores: ask for keys of a table"
#: Pairs of a name and words.
Pairs = tuple[tuple[str, str], ...]


def part(kind: str) -> Callable[[type[AnyPlan]], type[AnyPlan]]:
    """Return a decorator: plans of this class are of one part, and files know them by `kind`.

    Parameters
    ----------
    kind : str
        What plans of the class are called, in files and on the command line.

    Returns
    -------
    callable
        It gives the class back.
    """

    def register(plan: type[AnyPlan]) -> type[AnyPlan]:
        plan.kind = kind
        PARTS.append(_check.known_keywords(plan))
        return plan

    return register


class Plan(ABC):
    """The public numbers of one run: :class:`RankedPlan`, :class:`HistogramPlan` and so on.

    Examples
    --------
    >>> import overbar
    >>> plan = overbar.plan(epsilon=1, cutoff=5, candidates=100)
    >>> overbar.Plan.from_json(plan.to_json()) == plan
    True
    """

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        for name in (name for name in PROVED if name not in vars(cls)):
            setattr(cls, name, vars(Plan)[name])

    #: What the kind is called in files and on the command line.
    kind: ClassVar[str]
    if TYPE_CHECKING:  # what every kind has: some as a field, others as what follows from one

        @property
        def grid(self) -> Fraction:
            """What is compared in a release is a multiple of this."""

        @property
        def items_per_person(self) -> int | None:
            """How many scores or keys one person can move at most, of each group."""

    # What is put together -----------------------------------------------------------------------

    #: What is run first on the same data.
    first: Plan | None = None

    @property
    def groups(self) -> Groups | None:
        """In which groups it is run; None if it is run once."""
        return None

    @property
    def labels(self) -> Plan:
        """The part that gives labels: the plan itself, unless it is composed."""
        return self

    @property
    def keys(self) -> KeyPlan | None:
        """The search for keys in it; None where candidates are not looked for."""
        return None

    # What comes out -----------------------------------------------------------------------------

    @property
    def for_top(self) -> bool:
        """Whether it finds the top, wherever a threshold would lie (:func:`overbar.top`)."""
        return False

    @property
    def most_found(self) -> int:
        """How many labels can come out at most, of all groups together."""
        return UNLIMITED

    @property
    def gives_values(self) -> bool:
        """Whether the noisy values that decided come out, so that counts are paid for."""
        return False

    @property
    def gives_counts(self) -> bool:
        """Whether a count comes out beside each label."""
        return self.gives_values

    # What it costs ------------------------------------------------------------------------------

    def paid(self) -> tuple[Plan, ...]:
        """Return the plans whose costs add up to that of this one.

        Returns
        -------
        tuple of Plan
            Plans of one part.
        """
        return (self,)

    def pure(self, positives: int | None = None) -> Fraction:  # noqa: ARG002  # others use it
        """Return the pure ε of a run, or of one that has given so many positives so far.

        What a run has not used may go back to a budget that composes by pure DP: the cost so far
        is a privacy filter (Rogers, Roth, Ullman and Vadhan 2016, arXiv:1605.08294).

        Parameters
        ----------
        positives : int, optional
            How many it has given; all that it may give if nothing is said.

        Returns
        -------
        Fraction
            The exact ε.

        Raises
        ------
        NoGuaranteeError
            If none is proved.
        """
        raise NoGuaranteeError(f"{self.kind} plans have no pure guarantee")

    def proofs(self) -> list[Proofs]:
        """Return which steps it costs.

        Returns
        -------
        list of Proofs
            All proofs beside the pure one, each of which holds by itself.
        """
        return []

    def lone_delta(self) -> Fraction:
        """Return the chance that a key comes out that one person alone holds.

        Returns
        -------
        Fraction
            A δ on top; zero where keys are not looked for.

        Raises
        ------
        NoGuaranteeError
            If keys are looked for, and nothing is proved about them.
        """
        if self.keys is not None:
            raise NoGuaranteeError(f"nothing is proved about keys that {self.kind} plans find")
        return Fraction(0)

    def unlisted_delta(self, threshold: Number, items: int) -> float:  # noqa: ARG002  # as above
        """Return the δ of candidates read off the data (:func:`overbar.privacy.unlisted_delta`).

        Parameters
        ----------
        threshold : int, float, str, Fraction or Decimal
            The public level.
        items : int
            How many of them one person holds at most.

        Returns
        -------
        float
            The δ on top.

        Raises
        ------
        NoGuaranteeError
            If nothing is proved.
        """
        raise NoGuaranteeError(
            f"reading candidates off the data has no proof for {self.kind} plans; give a public "
            f"catalogue of candidates, or another {named('mechanism')}"
        )

    # What is said of it -------------------------------------------------------------------------

    #: What is said of its cost, as forms with a price: a ledger says the first better.
    cost_texts: tuple[str, ...] = ("This run has cost {}.",)
    #: How many came out, as a form with a number, and what their order tells.
    found_form, order_text = "{:,} label{} found", ""
    #: What a label is called in a table, and whether its place there tells anything.
    label_name, ordered = "label", True

    @property
    @abstractmethod
    def asked_text(self) -> str:
        """What was asked of values, as a form with `what`, `most` and `enough`."""

    @property
    @abstractmethod
    def answer_text(self) -> str:
        """What it answers."""

    @abstractmethod
    def numbers(self, threshold: Fraction | None = None) -> Pairs:
        """Return its numbers as people read them, by name."""

    @abstractmethod
    def conditions(self, unlisted: float | None) -> list[str]:
        """Say what has to be true, and what the δ of candidates read off the data pays for."""

    def found_text(self, ranks: Sequence[int], candidates: int | None = None) -> str:  # noqa: ARG002
        """Say how many came out, by their places in their groups."""
        return self.found_form.format(len(ranks), "s" * (len(ranks) != 1))

    def found_sentence(self, ranks: Sequence[int], candidates: int | None = None) -> str:  # noqa: ARG002
        """Say in a sentence how many came out."""
        return f"{self.found_text(ranks)}, {self.order_text}"

    def found_and_spent(self, number: int, spent: str) -> tuple[str, str]:  # noqa: ARG002
        """Return how many came out, and what of its guarantee is spent: all, if nothing is said."""
        return self.found_text(range(number)), "all of it"

    def found_notes(self, score: str) -> list[str]:  # noqa: ARG002  # others use it
        """Say of an answer what its order tells, and what its scores do."""
        return []

    def expected(self, candidates: int | None = None) -> Detection | None:  # noqa: ARG002
        """Return how high a score must be to be found; None where nothing simple can be said."""
        return None

    @property
    def expected_text(self) -> str:
        """Which labels come out, where that is no matter of scores."""
        return ""

    def check_scores(self) -> None:
        """Refuse if more than scores is needed to run it."""
        if self.keys is not None:
            raise ParameterError(
                f"{named('plan')} must be one without a search for keys, which needs a table: use "
                "keys"
            )

    @abstractmethod
    def __str__(self) -> str: ...

    def __repr__(self) -> str:
        return f"{type(self).__name__}: {self}"

    _repr_html_ = html_of

    def to_json(self) -> str:
        """Write the plan as JSON. Fractions are text, so that reading it back is exact.

        Returns
        -------
        str
            JSON, for :meth:`from_json`.
        """
        from overbar.mechanisms.plan_file import plan_text

        return plan_text(self)

    @staticmethod
    def from_json(text: str) -> Plan:
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
        from overbar.mechanisms.plan_file import read_plan

        return read_plan(text)
