"""Thousands of runs at once: an array of scores, one for each run, an array of bits.

Each run is a :class:`~overbar.SparseVector` with noise of its own; draws of different runs are
independent. A person who is in one run alone costs as much as that run; whoever may be in several
has all of them added up. Runs may be asked in any order, also by what others have answered.

Theory: :doc:`/theory/steps`.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from overbar import _check
from overbar._check import Number
from overbar._numbers import at_most_text
from overbar.errors import HaltedError, ParameterError, ScoreError
from overbar.ledger import Booking
from overbar.ledger.booking import checked_booking
from overbar.mechanisms import Composed, ScorePlan
from overbar.mechanisms.together import MOST_RUNS, Groups
from overbar.privacy import PureDP, guarantee, spent
from overbar.privacy.guarantees import proved_about
from overbar.privacy.instalments import RenyiSpent, spent_text
from overbar.runs.hidden_bar import raise_bars
from overbar.runs.live_run import LiveRun, checked_plan
from overbar.runs.scores import Ruler, read_array
from overbar.runs.secrecy import FORKS, sealed
from overbar.sampling.entropy import Source, system
from overbar.sampling.integers import Integers, as_array

#: More runs than this would not fit into memory.
MOST_AT_ONCE = 10**9


class SparseVectors(LiveRun):
    """Many runs of one plan. Each question is an array with a score for each run.

    Parameters
    ----------
    plan : Plan
        The public numbers of each run, made by :func:`overbar.plan` with
        ``mechanism="sparse-vector"``. One with `groups` is for all runs together, one run for each
        group, and says in how many of them a person is.
    threshold : number or array of numbers, optional
        The public level scores are compared with, of all runs or of each; may be given with each
        question instead.
    runs : int, optional
        How many runs there are. Required unless the plan has groups.
    disjoint : bool, default False
        True if each person is in one run only, which is settled before the first question: then
        all runs cost as much as the dearest. Else a person may be in all of them, and what they
        cost adds up, also where the answers of one decide what another is asked: concurrent
        composition (Vadhan and Zhang 2023, arXiv:2207.08335v3; Haney et al. 2023,
        arXiv:2309.05901).
    score_range, booking : optional
        As of :class:`overbar.SparseVector`. All runs are one booking, which is settled when the
        last has halted or all are closed.

    See Also
    --------
    overbar.SparseVector : One run.

    Examples
    --------
    >>> import overbar
    >>> plan = overbar.plan(epsilon=1, cutoff=1, candidates=1000, mechanism="sparse-vector")
    >>> gate = SparseVectors(plan, threshold=500, runs=3, disjoint=True)
    >>> gate.ask([0, 1_000_000, 0])
    array([False,  True, False])
    >>> gate.halted
    array([False,  True, False])
    >>> gate
    SparseVectors: 3 runs, 1 of them halted, 1 of 3 positives given, spent 1 of 1

    It is safe with threads. It cannot be pickled, copied, or used in a forked process.
    """

    __slots__ = (
        *("_asked", "_asked_all", "_bars", "_levels", "_limit", "_most", "_positives", "_ruler"),
    )

    @sealed
    def __init__(
        self,
        plan: ScorePlan,
        *,
        threshold: Any = None,
        runs: int | None = None,
        disjoint: bool = False,
        score_range: object = None,
        booking: Booking | None = None,
    ) -> None:
        groups = groups_of(plan, runs, disjoint)
        self._start(plan, groups, threshold, score_range, system, checked_booking(booking))

    def _start(
        self,
        plan: ScorePlan,
        groups: Groups,
        threshold: object,
        score_range: object,
        source: Source,
        booking: Booking | None = None,
    ) -> None:
        in_groups = isinstance(plan, Composed) and not (plan.counts or plan.first)
        one = checked_plan(plan.labels if in_groups else plan)
        together = Composed(one, groups=groups)
        guarantee(together)
        runs = _check.whole("groups", groups.count, largest=MOST_AT_ONCE)
        self._ruler = Ruler.of(one.grid, score_range)
        #: How often all runs were asked at once, and each beside that.
        self._asked_all, self._asked = 0, np.zeros(runs, dtype=np.int64)
        #: How many positives the run has given that has given most, and each.
        self._most, self._positives = 0, np.zeros(runs, dtype=np.int64)
        self._limit = one.repeats.max_queries or math.inf
        self._levels = None if threshold is None else self._levels_of(one, threshold)
        self._begin(together, self._levels, booking)
        self._bars = raise_bars(one, self._ruler, runs, source)

    def _used(self) -> tuple[int, bool]:
        return int(self._positives.sum()), bool(self.asked.any())

    def __len__(self) -> int:
        return len(self._asked)

    @sealed
    def ask(self, scores: Any, threshold: Any = None, *, where: Any = None) -> NDArray[np.bool_]:
        """Answer for each run whether its score is above its threshold, with noise.

        A run that has halted is not asked, and its answer is False, as where `where` is False. A
        bad score or threshold raises, and nothing is spent.

        Parameters
        ----------
        scores : array
            A private number for each run: an array of NumPy, or another with ``__dlpack__`` or
            ``__array__``; a list or a Series.
        threshold : number or array of numbers, optional
            The public level of all runs or of each, instead of the runs' own.
        where : array of bool, optional
            Which runs are asked; all if nothing is said. It is public.

        Returns
        -------
        array of bool
            The answers; they are public.

        Raises
        ------
        HaltedError
            If all runs had stopped before.
        ScoreError
            If a score is not a number, or not finite without a `score_range`.
        """
        values = self._checked("scores", read_array(scores))
        levels = self._levels if threshold is None else self._levels_of(self._plan, threshold)
        if levels is None:
            raise ParameterError("threshold must be given, here or when the runs are made")
        wanted = None if where is None else self._checked("where", read_array(where))
        if wanted is not None and wanted.dtype != np.bool_:
            raise ParameterError("where must be an array of True and False, one for each run")
        FORKS.check(self._forks)  # before waiting for a lock that the parent may hold
        with self._lock:
            open_ = self._open()
            if open_ is not None and not open_.any():
                raise HaltedError(
                    "all runs have halted or were closed; start new ones, which are paid for anew"
                )
            asked = open_ if wanted is None else wanted if open_ is None else open_ & wanted
            if self._plan.repeats.resample:
                self._bars.renew(self._positives)
            runs = None if asked is None else np.flatnonzero(asked)
            passed = self._bars.passing(values, levels, runs)
            # An interrupt may lose answers, but none gets out that is not counted.
            if asked is None:
                self._asked_all += 1
            else:
                self._asked += asked
            if len(passed):
                given = self._positives[passed] + 1
                self._most = max(self._most, int(given.max()))
                self._positives[passed] = given
            if self._reservation is not None and self.halted.all():
                self._settle()
        FORKS.check(self._forks)  # a signal may have forked on the way
        answers = np.zeros(len(self), dtype=np.bool_)
        answers[passed] = True
        return answers

    def _checked(self, name: str, values: NDArray[Any]) -> NDArray[Any]:
        if values.shape != (len(self),):
            error = ScoreError if name == "scores" else ParameterError
            raise error(f"{name} must have one entry for each of the {len(self):,} runs")
        return values

    def _levels_of(self, plan: ScorePlan, threshold: Any) -> int | Integers:
        """Return the public level of all runs, or of each; one is computed once."""
        if isinstance(threshold, Number | np.generic):
            return plan.level(threshold)  # type: ignore[arg-type]  # checked there
        values = self._checked("threshold", read_array(threshold))
        if values.dtype == np.object_:
            return as_array([plan.level(value) for value in values])
        distinct, which = np.unique(values, return_inverse=True)
        return as_array([plan.level(value) for value in distinct])[which]

    def _open(self) -> NDArray[np.bool_] | None:
        """Return which runs have not halted; None if no run has."""
        fresh = self._most < self._cutoff and self._limit == math.inf
        return None if fresh else ~self.halted

    close, receipt = LiveRun.close, LiveRun.receipt  # in the reference of this class too

    @property
    def plan(self) -> ScorePlan:
        """The public numbers of all runs; its guarantee is about all of them together."""
        return self._plan

    @property
    def asked(self) -> NDArray[np.int64]:
        """How many comparisons each run has made."""
        return self._asked + self._asked_all

    @property
    def positives(self) -> NDArray[np.int64]:
        """How many answers of each run were positive."""
        return self._positives.copy()

    @property
    def halted(self) -> NDArray[np.bool_]:
        """Which runs have stopped answering."""
        full = self._positives >= self._cutoff
        return full if self._limit == math.inf else full | (self.asked >= self._limit)

    @property
    def remaining(self) -> NDArray[np.int64]:
        """How many more positives each run may give; zero once it has halted."""
        left: NDArray[np.int64] = np.where(self.halted, 0, self._plan.cutoff - self._positives)
        return left

    @property
    def spent(self) -> Fraction | RenyiSpent:
        """What the answers given so far have cost at δ = 0: of the dearest runs a person can be in.

        At a positive δ they cost all that their guarantee says there, from the first answer on.
        """
        assert self._plan.groups is not None
        whole = spent(self._plan)
        if isinstance(whole, RenyiSpent):
            return whole if self.asked.any() else Fraction(0)
        given = self._positives[self.asked > 0]
        most = np.sort(given)[max(0, len(given) - self._plan.groups.per_person) :]
        numbers, times = np.unique(most, return_counts=True)
        costs = (
            time * spent(self._plan.labels, number)
            for number, time in zip(numbers.tolist(), times.tolist(), strict=True)
        )
        return sum(costs, Fraction(0))

    def __repr__(self) -> str:
        proved, halted = proved_about(self._plan), int(self.halted.sum())
        of = f" of {at_most_text(proved.epsilon)}" if isinstance(proved, PureDP) else ""
        return (
            f"SparseVectors: {len(self):,} runs, {halted:,} of them halted, "
            f"{int(self._positives.sum()):,} of {self._plan.most_found:,} positives given, "
            f"spent {spent_text(proved, self.spent)}{of}"
        )


def groups_of(plan: object, runs: int | None, disjoint: bool) -> Groups:
    """Return runs as groups: those of a plan, or a person is in one of them, or in all."""
    if isinstance(plan, ScorePlan) and plan.groups is not None:
        if runs is not None or disjoint:
            raise ParameterError("a plan with groups has a run for each: leave out runs, disjoint")
        return plan.groups
    if runs is None:
        raise ParameterError("runs must be given, or a plan with groups")
    number = _check.whole("runs", runs, largest=MOST_AT_ONCE)
    alone = _check.flag("disjoint", disjoint)
    if not alone and number > MOST_RUNS:
        raise ParameterError(
            f"runs must be at most {MOST_RUNS:,} where a person may be in all of them, got "
            f"{number}: write disjoint=True if each person is in one run only, or give a plan with "
            "groups and groups_per_person, which says in how many of them a person is at most"
        )
    return Groups(number, 1 if alone else number)
