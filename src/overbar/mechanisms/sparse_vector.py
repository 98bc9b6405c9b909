"""The sparse vector technique: one question after the other, until the positives are used up.

It alone can run online. Redrawing, rounds and a limit on comparisons live here and nowhere else.

Theory: :doc:`/theory/mechanism`; what it costs: :doc:`/theory/pure`, :doc:`/theory/renyi` and
:doc:`/theory/steps`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from overbar._check import Number
from overbar._numbers import people_text, rounded_up, short_fraction
from overbar.accuracy.difference import comparison_variance
from overbar.errors import NoGuaranteeError, ParameterError, named, quoted
from overbar.mechanisms.capped import capped_covers, capped_renyi
from overbar.mechanisms.plan import part
from overbar.mechanisms.reach_and_bar import ONCE, Bar, Reach, Repeats
from overbar.mechanisms.run import Answer, Run
from overbar.mechanisms.score_plan import ScorePlan
from overbar.mechanisms.sentences import noise_text
from overbar.mechanisms.way import Request, Split, Way, apart_at, refuse_bars, splits, that_can_be
from overbar.noise import Gaussian, Gumbel, Noise
from overbar.privacy.arrivals import Arrivals
from overbar.privacy.pairs import Bit, Pure
from overbar.privacy.proofs import Proof, Proofs, one
from overbar.privacy.pure import positive_epsilon, pure_covers, threshold_epsilon
from overbar.privacy.read_off_candidates import unlisted_scores
from overbar.privacy.steps import Curve

#: The bar of a plan for the top lies so far above the scores that a gap below 64·ln 2 noise
#: scales, where a candidate's chance in one round is 2^-64, has a probability of at most 2^-64.
NEGLIGIBLE_BITS = 64


@part("sparse-vector")
@dataclass(frozen=True, repr=False)
class SparseVectorPlan(ScorePlan):
    """The paper's Algorithm 1, online or in a batch, and its appending.

    Parameters
    ----------
    query_noise : Noise
        What is added to each query.
    bar : Bar
        What is added to the threshold.
    cutoff : int
        How many positives the run may give before it halts.
    reach : Reach
        How far one person moves a query's answer.
    grid : Fraction, default 1
        Every score, threshold and noisy threshold of a release is a multiple of this.
    repeats : Repeats
        How often a query is asked, and whether the threshold noise is drawn anew.
    items_per_person : int, optional
        How many scores one person can move at most; None if it may be all of them.
    """

    order_text = "They stand in the order found, which is not a ranking."

    query_noise: Noise
    bar: Bar
    cutoff: int
    reach: Reach
    grid: Fraction = Fraction(1)
    repeats: Repeats = ONCE
    items_per_person: int | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.bar, Bar):
            raise ParameterError("bar must be a Bar, such as Bar(Laplace(1))")
        if not isinstance(self.repeats, Repeats):
            raise ParameterError("repeats must be Repeats, such as Repeats(rounds=1)")
        self._check_numbers()

    def run(self, run: Run, scores: Any, level: int = 0) -> Answer:
        """Ask all of a batch in turn, until the positives are used up."""
        bar = level + run.draw(self.bar.noise, self.grid)
        rounds = self.repeats.rounds
        noise, most = self.query_noise, self.cutoff
        return Answer(run.passing(scores, noise, self.grid, bar, most=most, rounds=rounds))

    def ask(self, run: Run, scores: Iterable[Any], level: int) -> Iterator[bool]:
        """Answer one question after the other, until the positives are used up: online.

        In the paper: Algorithm 1, and with `resample` Algorithm 2. A question may depend on all
        answers before it.

        Parameters
        ----------
        run : Run
            Whoever runs it.
        scores : iterable
            In grid steps.
        level : int
            Threshold plus correction in grid steps.

        Returns
        -------
        iterator of bool
            Whether the score plus noise reached the bar.
        """
        bar = level + run.draw(self.bar.noise, self.grid)
        positives = 0
        for asked, score in enumerate(scores, start=1):
            answer = run.passes(score, self.query_noise, self.grid, bar)
            positives += answer
            yield answer
            if positives == self.cutoff or asked == self.repeats.max_queries:
                return
            if answer and self.repeats.resample:
                bar = level + run.draw(self.bar.noise, self.grid)

    def check_batch(self) -> None:
        """Refuse what a run online alone can do."""
        if self.repeats.resample:
            what = named("resample", True)
        elif self.repeats.max_queries is None:
            return
        elif isinstance(self.query_noise, Gaussian):  # a bare set has it without a limit
            what = f"{named('noise', 'gaussian')} with {named('max_queries')}"
        else:
            what = named("max_queries")
        raise ParameterError(
            f"a batch that is asked in turn has no {what}: leave it out, or ask online, in an "
            "order of your own: overbar.SparseVector(plan, threshold=…).ask(score)"
        )

    @property
    def one_goes_on(self) -> bool:
        """Whether runs in a row are one: no noise that they share, no limit of each."""
        return self.bar.noise is None and not (self.repeats.resample or self.repeats.max_queries)

    def bare(self, items: int | None) -> SparseVectorPlan:
        """Return it without noise on the threshold, where a person moves so many scores.

        Parameters
        ----------
        items : int or None
            How many; None for all.

        Returns
        -------
        SparseVectorPlan
            Another plan.
        """
        repeats = replace(self.repeats, resample=False)
        bar = Bar(None, self.correction)
        return replace(self, bar=bar, repeats=repeats, items_per_person=items)

    def pure(self, positives: int | None = None) -> Fraction:
        """Return what thresholds drawn so far and positives cost: c·ε₁ + ε₂ if drawn anew.

        The paper prints "(cε₁, ε₂)-DP"; its proof shows the sum. A run under way after k < c
        positives is in its (k+1)-th stretch and has paid for that stretch's threshold too.
        """
        given = self.cutoff if positives is None else positives
        draws = min(given + 1, self.cutoff) if self.repeats.resample else 1
        threshold = threshold_epsilon(self.bar.noise, self.reach.most)
        return draws * threshold + given * positive_epsilon(self.query_noise, self.reach.width)

    def proofs(self) -> list[Proofs]:
        """Return pure runs in a row, races, a bare set, and Gaussian queries with a limit."""
        noise, bar, reach = self.query_noise, self.bar.noise, self.reach
        items, found = self.items_per_person, []
        if self.repeats.resample and pure_covers(self):
            found.append(one(self._runs()))
        race = Arrivals(noise, bar, self.cutoff, reach.most, reach.back, self.grid)
        found += race.proofs(items, redraws=self.repeats.resample)
        if type(noise) is Gaussian and bar is None and self.repeats.rounds == 1 and items:
            # Nothing but bits comes out, of which one person moves few; the cutoff follows from it.
            found.append(one(Proof((Bit(rounded_up(reach.most / noise.scale), times=items),))))
        if capped_covers(self):
            found.append(one(Proof((Curve(lambda order: capped_renyi(self, order)),))))
        return found

    def _runs(self) -> Proof:
        """Runs that draw their threshold anew are independent, of one positive each."""
        each = Pure(self.pure() / self.cutoff)
        return Proof((replace(each, times=self.cutoff),), (each,), (), self.cutoff, redraws=True)

    def unlisted_delta(self, threshold: Number, items: int) -> float:
        """Return the δ of candidates read off the data."""
        self._refuse_without_end()
        if self.repeats.resample or self.repeats.max_queries is not None:
            raise NoGuaranteeError(
                "candidates read off the data are found in a batch, which has neither "
                f"{named('resample')} nor {named('max_queries')}: leave them out"
            )
        gap, rounds = self.level(threshold) * self.grid - self.reach.most, self.repeats.rounds
        assert rounds is not None  # that is refused of every mechanism
        noises = self.query_noise, self.bar.noise
        return unlisted_scores(*noises, gap, self.grid, rounds=rounds, items=items)

    @classmethod
    def ways(cls, request: Request) -> list[Way]:
        """Return ways with every pair of noises that has a proof."""
        pure, delta = Fraction(0), request.delta
        usual = [(pure, "exponential", "exponential")]
        if request.resample:
            usual.append((delta, "exponential", "exponential"))
        else:
            usual += [(delta, "gumbel", "laplace"), (delta, "gumbel", "none")]
        found = that_can_be(cls._ways, request.filled(*usual))
        return [way for ways in found for way in ways]

    @classmethod
    def _ways(cls, request: Request) -> list[Way]:
        """Return the ways with these kinds of noise."""
        _refuse(request)

        def make(query: Noise, bar: Noise | None, grid: Fraction) -> ScorePlan:
            above = Fraction(0)
            if request.top:
                scales = query.scale + (bar.scale if bar else 0)
                above = math.ceil(scales * Fraction(NEGLIGIBLE_BITS * math.log(2)) / grid) * grid
            return cls(
                query,
                Bar(bar, above, above_all=request.top, upper_bound=request.upper_bound),
                request.cutoff,
                request.reach,
                grid,
                Repeats(request.rounds, request.resample, request.max_queries),
                request.items_per_person,
            )

        def loss(plan: ScorePlan) -> float:
            if request.allocation == "variance":
                return comparison_variance(plan.query_noise, plan.threshold_noise)
            return float(plan.query_noise.scale / request.reach.most)

        every = [_beside_gaussian(request)] if request.noise == "gaussian" else splits(request)
        return [Way(request, make, loss, Fraction(1, 4), split) for split in every]

    @classmethod
    def bare_sets(cls, request: Request) -> list[Way]:
        """Return the way in which all who pass come out, in no order and without values.

        Where more pass than the cutoff allows, who comes out is left to the lot and not to their
        values.
        """
        return that_can_be(cls._bare_set, request.filled((request.delta, "gaussian", "none")))

    @classmethod
    def _bare_set(cls, request: Request) -> Way:
        refuse_bars(request)
        others = request.noise != "gaussian" or request.threshold_noise != "none"
        if request.top or request.delta == 0 or others:
            raise NoGuaranteeError(
                f"{named('mechanism', 'bare-set')} is for a threshold, with gaussian noise on the "
                f"scores and none on it, and delta > 0. Write {named('noise', 'auto')} and "
                f"{named('threshold_noise', 'auto')}, or {named('mechanism', 'histogram')}"
            )

        def make(query: Noise, _: Noise | None, grid: Fraction) -> ScorePlan:
            return cls(
                query,
                Bar(None),
                request.cutoff,
                request.reach,
                grid,
                items_per_person=request.items_per_person,
            )

        return Way(request, make, lambda plan: apart_at(plan, request), Fraction(2), Split())

    @property
    def ranking_noise(self) -> Noise:
        """The noise by which the top is ranked: asked without end it is Gumbel noise."""
        return Gumbel(self.query_noise.scale)

    @property
    def not_predicted(self) -> str:
        """Why nothing simple can be said of accuracy; empty where it can."""
        what, repeats = "", self.repeats
        if self.for_top:
            what = "" if repeats == Repeats(rounds=None) else "a top that is asked for in rounds"
        elif repeats.resample:
            what = named("resample", True)
        elif repeats.max_queries is not None:
            what = named("max_queries")
        elif repeats.rounds is None:
            what = "runs that ask without end"
        return f"accuracy is not predicted for {what}; simulate it instead" if what else ""

    @property
    def answer_text(self) -> str:
        """What it answers."""
        if self.for_top:
            return super().answer_text
        each = f"each asked {self._how_often}"
        if self.repeats.rounds is None:
            return f"{self.cutoff:,} candidates, higher scores more likely, {each}."
        return f"Up to {self.cutoff:,} candidates above the threshold, {each}."

    def method_text(self, there: str = "") -> str:
        """Say how the answer is found, and why that way."""
        most, items = self.repeats.max_queries, self.items_per_person
        limit = f", at most {most:,} comparisons in all" if most else ""
        if items is not None and self.bar.noise is None:
            limit += f"; a person moves at most {items:,} scores{there}"
        return f"sparse-vector: one by one, each asked {self._how_often}{limit}"

    @property
    def _how_often(self) -> str:
        rounds = self.repeats.rounds
        if rounds is None:
            return "as often as it takes"
        return "once" if rounds == 1 else f"up to {rounds:,} times"

    def __str__(self) -> str:
        noise, repeats = self.bar.noise, self.repeats
        threshold = "no noise" if noise is None else noise_text(noise)
        again = ", drawn anew after each positive" if repeats.resample else ""
        limit = "" if repeats.max_queries is None else f" or {repeats.max_queries:,} comparisons"
        return (
            f"{noise_text(self.query_noise)} on {self.reach.on('queries')} "
            f"and {threshold} on the threshold{again}, "
            f"which is moved by {people_text(self.correction)}; each query is asked "
            f"{self._how_often}, and the run halts after {self.cutoff:,} "
            f"positive{'s' * (self.cutoff > 1)}{limit}. "
            f"Releases happen on a grid of {people_text(self.grid)}."
        )


def _beside_gaussian(request: Request) -> Split:
    """Return the split of Gaussian queries.

    Least Var(ρ) + Var(v) at a given Δ²/σ₁² + c·w²/σ₂² means σ₂²/σ₁² = √c·w/Δ.
    """
    square = math.sqrt(request.cutoff) * float(request.reach.width / request.reach.most)
    return Split(short_fraction(1 / math.sqrt(square), 12))


def _refuse(request: Request) -> None:
    refuse_bars(request)
    if request.noise == "gaussian" and (request.max_queries is None or request.delta == 0):
        raise NoGuaranteeError(
            f"{named('noise', 'gaussian')} has a guarantee only with delta > 0 and "
            f"{named('max_queries')}: its "
            "log-survival is not Lipschitz, so what answers reveal adds up without end. "
            f"Write {named('noise', 'exponential')}, or give {named('delta')} and "
            f"{named('max_queries')}"
        )
    if request.noise == "gaussian" and request.rounds != 1:
        once = f"{named('noise', 'gaussian')} is drawn exactly where each query is asked once"
        raise ParameterError(
            f"{once}, and the top is asked as often as it takes. Write {named('noise', 'gumbel')}"
            if request.top
            else f"{once}. Write {named('rounds', 1)}"
        )
    if request.noise == "gaussian" and request.threshold_noise in ("exponential", "none"):
        raise NoGuaranteeError(
            f"{named('noise', 'gaussian')} has no proof with "
            f"{named('threshold_noise', request.threshold_noise)}. "
            f"Write {named('threshold_noise', 'laplace')} or {quoted('gaussian')}"
        )
    if request.threshold_noise in ("gaussian", "none") and request.delta == 0:
        raise NoGuaranteeError(
            f"{named('threshold_noise', request.threshold_noise)} has no pure guarantee. "
            f"Write {named('threshold_noise', 'laplace')}, or allow delta > 0"
        )
    if request.delta > 0 and request.noise == "exponential" and not request.resample:
        raise NoGuaranteeError(
            f"{named('noise', 'exponential')} with delta > 0 has no proof: one negative "
            "answer can show "
            "where the threshold lies, and then every positive costs its full pure share, so "
            "Rényi costs do not add up (docs/theory/counterexample.md "
            f"shows how). Write {named('noise', 'gumbel')}, {named('resample', True)}, or "
            f"{named('delta', 0)}"
        )
    composed = request.resample and request.noise != "gaussian"
    pure_threshold = request.threshold_noise in ("exponential", "laplace")
    if composed and request.delta > 0 and not pure_threshold:
        raise NoGuaranteeError(
            f"{named('threshold_noise', request.threshold_noise)} has no proof with "
            f"{named('resample', True)}. "
            f"Write {named('threshold_noise', 'laplace')} or {named('resample', False)}"
        )
