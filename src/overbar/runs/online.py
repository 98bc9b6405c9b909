"""The sparse vector technique online: ask, get a bit, ask again; it halts by itself.

Theory: :doc:`/theory/mechanism`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from overbar._check import Number
from overbar._numbers import at_most_text
from overbar.errors import HaltedError, ParameterError
from overbar.ledger import Booking
from overbar.ledger.booking import checked_booking
from overbar.mechanisms import Plan, SparseVectorPlan
from overbar.privacy import PureDP, spent
from overbar.privacy.guarantees import proved_about
from overbar.privacy.instalments import RenyiSpent, spent_text
from overbar.runs.hidden_bar import first_passing, raise_bar
from overbar.runs.live_run import LiveRun, checked_plan, plan_online
from overbar.runs.scores import Ruler, read_scores
from overbar.runs.secrecy import FORKS, Unshareable, sealed
from overbar.sampling.entropy import Source, system


class SparseVector(LiveRun):
    """One run. It answers whether scores are above the threshold until its positives are used up.

    Parameters
    ----------
    plan : Plan, optional
        The public numbers of the run, made by :func:`overbar.plan` with
        ``mechanism="sparse-vector"``, instead of all parameters of a plan.
    threshold : int, float, str, Fraction or Decimal, optional
        The public level scores are compared with; may be given with each question instead.
    cutoff : int, optional
        How many positives the run gives before it halts. Required unless `plan` is given.
    epsilon : int, float, str, Fraction or Decimal, optional
        The privacy budget of the whole run. Required unless `plan` is given.
    delta : int, float, str, Fraction or Decimal, optional
        The δ of (ε, δ)-differential privacy; if nothing is said, 0: pure differential privacy.
    sensitivity : int, float, str, Fraction or Decimal, optional
        How far one person can move one score; 1 if nothing is said.
    monotonic : bool, optional
        True if one person moves all scores in the same direction, as with counts. Halves the noise.
    candidates : int, optional
        About how many questions there will be: the more, the higher the bar, so that few of those
        at the threshold pass. A thousand for each positive if nothing is said.
    score_range : tuple of two numbers, optional
        A public pair (low, high). Scores outside are clamped into it, missing ones count as low,
        and then no number can raise an error. Without it NaN and infinities are refused.
    booking : Booking, optional
        Which dataset of a ledger pays: ``ledger.booking("sales")``. The whole plan is held
        there before the threshold noise is drawn. When the run halts or is closed, what it did not
        use goes back. Use it as ``with SparseVector(...) as run:``: a run that is never closed
        counts as spent in full.

    See Also
    --------
    overbar.plan : Makes a plan with other choices.
    overbar.Requeue : Asks negatives of a stream again.
    overbar.select : Many scores at once, with less noise.

    Examples
    --------
    >>> run = SparseVector(threshold=500, cutoff=2, epsilon=1, monotonic=True)
    >>> run.ask(0), run.ask(1_000_000)
    (False, True)
    >>> run
    SparseVector: 2 asked, 1 of 2 positives given, spent ... of 1
    >>> import overbar
    >>> plan = overbar.plan(
    ...     epsilon=1, delta="1e-6", cutoff=50, candidates=100, mechanism="sparse-vector"
    ... )
    >>> with SparseVector(threshold=500_000, plan=plan) as run:
    ...     list(run.answers([0, 1_000_000, 0]))
    [False, True, False]

    It is safe with threads. It cannot be pickled, copied, or used in a forked process: each of
    these would let one noisy threshold answer twice. Nor does a ledger know the noise: after a
    restart there is a new run with new noise, which is paid for anew.
    """

    __slots__ = (
        "_asked",
        "_bar",
        "_level",
        "_limit",
        "_passes",
        "_positives",
        "_resample",
        "_ruler",
    )

    _plan: SparseVectorPlan

    @sealed
    def __init__(
        self,
        plan: Plan | None = None,
        *,
        threshold: Number | None = None,
        cutoff: int | None = None,
        epsilon: Number | None = None,
        delta: Number | None = None,
        sensitivity: Number | None = None,
        monotonic: bool | None = None,
        candidates: int | None = None,
        score_range: object = None,
        booking: Booking | None = None,
    ) -> None:
        plan = plan_online(
            plan,
            cutoff=cutoff,
            epsilon=epsilon,
            delta=delta,
            sensitivity=sensitivity,
            monotonic=monotonic,
            candidates=candidates,
        )
        self._start(plan, threshold, score_range, system, checked_booking(booking))

    def _start(
        self,
        plan: object,
        threshold: Number | None,
        score_range: object,
        source: Source,
        booking: Booking | None = None,
    ) -> None:
        plan = checked_plan(plan)
        self._ruler = Ruler.of(plan.grid, score_range)
        self._level = None if threshold is None else plan.level(threshold)
        self._asked = self._positives = 0
        self._limit = plan.repeats.max_queries or math.inf
        self._resample = plan.repeats.resample
        self._begin(plan, self._level, booking)
        self._bar = raise_bar(plan, source)
        self._passes = self._bar.passes

    def _used(self) -> tuple[int, bool]:
        return self._positives, self._asked > 0

    def ask(self, score: object, threshold: Number | None = None) -> bool:
        """Answer whether the score is above the threshold, with noise.

        A negative answer is free. A bad score or threshold raises, and nothing is spent.

        Parameters
        ----------
        score : number
            A private number.
        threshold : int, float, str, Fraction or Decimal, optional
            The public level, instead of the run's own.

        Returns
        -------
        bool
            The answer; it is public.

        Raises
        ------
        HaltedError
            If the run had stopped before.
        ScoreError
            If a score is not a number, or not finite without a `score_range`.
        """
        # Sealed by hand (see `sealed`), because a wrapper takes a tenth of the time of a question.
        # The two counts are all that changes, and the positive is counted before it is returned: an
        # interrupt may lose an answer, but it cannot let one out that is not counted.
        steps: int | None = None
        answer: bool | None = None
        try:
            steps = self._ruler.one(score)
            level = self._level
            if threshold is not None or level is None:
                level = self._question_level(threshold)
            if self._forks != FORKS.count or not FORKS.mark[0]:
                FORKS.check(self._forks)  # before waiting for a lock that the parent may hold
            with self._lock:
                positives = self._positives
                if positives >= self._cutoff or self._asked >= self._limit:
                    self._refuse_to_answer()
                self._asked += 1
                answer = self._passes(steps, level, positives if self._resample else 0)
                if answer:
                    self._positives = positives + 1
                # Counted by now: if the ledger fails, that it was told gives the answer away.
                if self._reservation is not None and self.halted:
                    self._settle()
            if self._forks != FORKS.count or not FORKS.mark[0]:
                FORKS.check(self._forks)  # a signal may have forked on the way
            return answer
        except BaseException as error:
            score = steps = answer = None
            error.__context__ = None
            raise error.with_traceback(None) from None

    @sealed
    def ask_many(self, scores: Any, threshold: Number | None = None) -> NDArray[np.bool_]:
        """Answer for many scores in order; fewer answers come back if the run halts on the way.

        All scores are checked before the first is asked.

        Parameters
        ----------
        scores : sequence, array, Series or mapping
            Private numbers.
        threshold : int, float, str, Fraction or Decimal, optional
            The public level, instead of the run's own.

        Returns
        -------
        array of bool
            The answers, as many as were given.
        """
        steps = self._ruler.many(read_scores(scores)[0])
        level = self._question_level(threshold)
        FORKS.check(self._forks)
        with self._lock:
            if self.halted:
                self._refuse_to_answer()
            places, asked = first_passing(
                self._bar,
                steps[: int(min(len(steps), self._limit - self._asked))],
                level,
                count=self._cutoff - self._positives,
                resample=self._resample,
                before=self._positives,
            )
            self._asked += asked
            self._positives += len(places)
            if self.halted:
                self._settle()
        FORKS.check(self._forks)  # a signal may have forked on the way
        answers = np.zeros(asked, dtype=np.bool_)
        answers[places] = True
        return answers

    @sealed
    def answers(self, scores: Iterable[object], threshold: Number | None = None) -> Iterator[bool]:
        """Answer for a stream, one by one, and stop when the run halts.

        Parameters
        ----------
        scores : iterable
            Private numbers; none is taken that is not asked.
        threshold : int, float, str, Fraction or Decimal, optional
            The public level, instead of the run's own.

        Returns
        -------
        iterator of bool
            The answers.
        """
        return _Answers(self, iter(scores), threshold)

    def _question_level(self, threshold: Number | None) -> int:
        if threshold is not None:
            return self._plan.level(threshold)
        if self._level is None:
            raise ParameterError("threshold must be given, here or when the run is made")
        return self._level

    def _refuse_to_answer(self) -> NoReturn:
        unfinished = self._positives < self._plan.cutoff and self._asked < self._limit
        raise HaltedError(
            f"the run {'was closed' if unfinished else 'has halted'} after {self._positives} "
            f"positives and {self._asked} comparisons; start a new run, which is paid for anew"
        )

    close, receipt = LiveRun.close, LiveRun.receipt  # in the reference of this class too

    @property
    def plan(self) -> SparseVectorPlan:
        """The public numbers of the run."""
        return self._plan

    @property
    def asked(self) -> int:
        """How many comparisons were made."""
        return self._asked

    @property
    def positives(self) -> int:
        """How many answers were positive."""
        return self._positives

    @property
    def remaining(self) -> int:
        """How many more positives the run may give; zero once it has halted."""
        return 0 if self.halted else self._plan.cutoff - self._positives

    @property
    def halted(self) -> bool:
        """Whether the run has stopped answering."""
        return self._positives >= self._cutoff or self._asked >= self._limit

    @property
    def spent(self) -> Fraction | RenyiSpent:
        """What the answers given so far have cost at δ = 0; nothing before the first.

        At a positive δ a run costs all that its guarantee says there, from the first answer on.
        """
        return spent(self._plan, self._positives) if self._asked else Fraction(0)

    def __repr__(self) -> str:
        proved, cost = proved_about(self._plan), self.spent
        of = f" of {at_most_text(proved.epsilon)}" if isinstance(proved, PureDP) else ""
        return (
            f"SparseVector: {self._asked} asked, {self._positives} of {self._plan.cutoff} "
            f"positives given{', halted' * self.halted}, spent {spent_text(proved, cost)}{of}"
        )


class _Answers(Unshareable):
    """The answers to a stream. A class, so that no frame of a generator keeps a score in view."""

    __slots__ = ("_run", "_scores", "_threshold")

    def __init__(self, run: SparseVector, scores: Iterator[object], threshold: Number | None):
        self._run, self._scores, self._threshold = run, scores, threshold

    def __repr__(self) -> str:
        return f"answers of {self._run!r}"

    def __iter__(self) -> Iterator[bool]:
        return self

    @sealed
    def __next__(self) -> bool:
        if self._run.halted:  # looked at first: nothing is taken that is not asked
            raise StopIteration
        return self._run.ask(next(self._scores), self._threshold)
