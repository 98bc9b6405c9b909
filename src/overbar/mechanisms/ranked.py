"""Ranked selection: one noisy value for each candidate, and the highest of those that pass.

Theory: :doc:`/theory/ranked`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from overbar._check import Number
from overbar._numbers import short_fraction
from overbar.accuracy.interval import value_interval
from overbar.errors import NoGuaranteeError, ParameterError, named
from overbar.mechanisms.plan import Plan, part
from overbar.mechanisms.reach_and_bar import Bar, Reach, Repeats
from overbar.mechanisms.run import Answer, Run
from overbar.mechanisms.score_plan import Around, ScorePlan
from overbar.mechanisms.sentences import highest_text, noise_text, noise_words, values_text
from overbar.mechanisms.sparse_vector import SparseVectorPlan
from overbar.mechanisms.way import Request, Split, Way, apart_at, refuse_bars, splits, that_can_be
from overbar.noise import Exponential, Gaussian, Gumbel, Noise
from overbar.privacy.arrivals import Arrivals
from overbar.privacy.hazard import hazard_step
from overbar.privacy.pairs import Pick
from overbar.privacy.proofs import Proof, Proofs, one
from overbar.privacy.pure import positive_epsilon, threshold_epsilon
from overbar.privacy.read_off_candidates import unlisted_scores

#: The bar of a ranked selection gets as much as one selected item, which is free, or this part of
#: the root of how many there may be: then the margin is within one per cent of the least.
BAR_SHARE = 1 / 3
BAR_DIGITS = 3
#: Where values of the top come out, their noise counts so often as the one that they share, which
#: does not decide on labels.
LABELS = 5


@part("ranked")
@dataclass(frozen=True, repr=False)
class RankedPlan(ScorePlan):
    """The highest noisy values of scores that are all at hand.

    Parameters
    ----------
    query_noise : Noise
        What is added to each score.
    bar : Bar or None
        What values must reach; None for the top.
    cutoff : int
        How many come out at most.
    reach : Reach
        How far one person moves a score.
    grid : Fraction, default 1
        Every score, threshold and noisy threshold of a release is a multiple of this.
    items_per_person : int, optional
        How many scores one person can move at most; None if it may be all of them.
    shared : Gaussian, optional
        Where the values come out as counts: the noise that is taken off all of them, and is the
        noise of the bar. The noise on scores is Gumbel noise then.
    """

    query_noise: Noise
    bar: Bar | None
    cutoff: int
    reach: Reach
    grid: Fraction = Fraction(1)
    items_per_person: int | None = None
    shared: Gaussian | None = None

    def __post_init__(self) -> None:
        self._check_numbers()
        if self.shared is None:
            return
        barred = self.bar is not None and self.bar.noise is not None
        if type(self.query_noise) is not Gumbel or type(self.shared) is not Gaussian or barred:
            raise ParameterError(
                "values come out of gumbel noise on scores, less gaussian noise that they share, "
                "which is the noise of the bar: leave out a noise there"
            )

    def run(self, run: Run, scores: Any, level: int | None = None) -> Answer:
        """Give each a noisy value: the highest come out, of those that reach a noisy bar.

        Values are told less the noise that they share, also that of one more.
        """
        own = run.draw(self.threshold_noise, self.grid)
        best = run.highest(
            scores,
            self.query_noise,
            self.grid,
            None if level is None else level + own,
            most=self.cutoff + self.gives_values,
            values=self.gives_values,
        )
        values = tuple(run.tell(one.value - own) for one in best) if self.gives_values else None
        return Answer(best[: self.cutoff], values)

    @property
    def threshold_noise(self) -> Noise | None:
        """The noise that all comparisons share."""
        return self.shared or super().threshold_noise

    @property
    def gives_values(self) -> bool:
        """Whether the noisy values come out."""
        return self.shared is not None

    def paid(self) -> tuple[Plan, ...]:
        """Return what is paid: values tell when each has come, of a race that finds one more.

        Returns
        -------
        tuple of Plan
            Plans of one part.
        """
        if self.shared is None:
            return (self,)
        race = SparseVectorPlan(
            self.query_noise,
            Bar(self.shared),
            self.cutoff + 1,
            self.reach,
            self.grid,
            Repeats(rounds=None),
            self.items_per_person,
        )
        return (race,)

    @property
    def one_goes_on(self) -> bool:
        """Whether runs in a row are one: without noise on a bar."""
        return self.threshold_noise is None

    def bare(self, items: int | None) -> RankedPlan:
        """Return it without noise on the threshold, where a person moves so many scores.

        Parameters
        ----------
        items : int or None
            How many; None for all.

        Returns
        -------
        RankedPlan
            Another plan.
        """
        bar = None if self.bar is None else Bar(None, self.correction)
        return replace(self, bar=bar, items_per_person=items, shared=None)

    def pure(self, positives: int | None = None) -> Fraction:
        """Return what an outcome with so many items costs; the worst outcome for None."""
        if self.shared is not None:
            return self.paid()[0].pure(positives)
        noise = type(self.query_noise)
        if noise not in (Exponential, Gumbel):  # and not what derives from them
            raise NoGuaranteeError(
                "ranked selection has a proof for exponential and gumbel noise alone, got "
                f"{self.query_noise.name} noise"
            )
        bar = None if self.bar is None else threshold_epsilon(self.bar.noise, self.reach.most)
        each = positive_epsilon(self.query_noise, self.reach.width)
        if noise is Exponential:
            return ranked_epsilon(positives, cutoff=self.cutoff, each=each, bar=bar)
        return (bar or 0) + (self.cutoff if positives is None else positives) * each

    def proofs(self) -> list[Proofs]:
        """With Gumbel noise: pick by pick without a bar, and as the arrivals of a race."""
        if self.shared is not None:
            return self.paid()[0].proofs()
        if type(self.query_noise) is not Gumbel:
            return []
        most, back, items = self.reach.most, self.reach.back, self.items_per_person
        race = Arrivals(self.query_noise, self.threshold_noise, self.cutoff, most, back, self.grid)
        if self.bar is not None:
            return race.proofs(items)
        # All scores may be moved alike, so the range of a pick is width by scale.
        each = Pick(hazard_step(self.query_noise, self.reach.width))
        picks = Proof((replace(each, times=self.cutoff),), (), (each,), self.cutoff)
        few = items is not None and items < self.cutoff  # else a race says less than picks
        return [one(picks), *(race.proofs(items) if few else [])]

    def unlisted_delta(self, threshold: Number, items: int) -> float:
        """Return the δ of candidates read off the data."""
        self._refuse_without_end()
        gap = self.level(threshold) * self.grid - self.reach.most
        noises = self.query_noise, self.threshold_noise
        return unlisted_scores(*noises, gap, self.grid, rounds=1, items=items)

    @classmethod
    def ways(cls, request: Request) -> list[Way]:
        """Return ways with each kind of noise; with `counts`, one whose values are the counts."""
        pure, delta, top = Fraction(0), request.delta, request.top
        usual = [(pure, "exponential", "none" if top else "exponential")]
        usual += [(delta, "gumbel", "laplace")] * (not top) + [(delta, "gumbel", "none")]
        usual += [(delta, "gumbel", "gaussian")] * (request.counts is True)
        found = that_can_be(cls._ways, request.filled(*usual))
        return [way for ways in found for way in ways]

    @classmethod
    def _ways(cls, request: Request) -> list[Way]:
        """Return the ways with these kinds of noise."""
        _refuse(request)
        values = request.counts is True and request.threshold_noise == "gaussian"
        weight = LABELS if values and request.top else 1

        def make(query: Noise, bar: Noise | None, grid: Fraction) -> ScorePlan:
            own = None if request.top else Bar(None if values else bar)
            return cls(
                query,
                own,
                request.cutoff,
                request.reach,
                grid,
                request.items_per_person,
                bar if values else None,  # type: ignore[arg-type]  # looked at above
            )

        def loss(plan: ScorePlan) -> float:
            return apart_at(plan, request)

        if request.noise == "exponential" and not request.top:
            every = [Split(request.reach.most / request.reach.width / _bar_share(request))]
        else:
            every = splits(replace(request, allocation="variance") if values else request, weight)
        return [Way(request, make, loss, Fraction(2), split, weight) for split in every]

    def around(self, value: int, level: int | None = None, beaten: int | None = None) -> Around:
        """Return a count and its interval, of a value less the noise that all share."""
        assert self.shared is not None  # else no value comes out
        ends = value_interval(self.query_noise, self.shared, self.grid, value, level, beaten)
        return value - round(Fraction(self.query_noise.mean) / self.grid), *ends

    def about_counts(self) -> tuple[str, str]:
        """Say how exact counts are and what they cost, and what to know beside their intervals."""
        if self.shared is None:
            return "", ""
        less = f", less {noise_words(self.shared)} that all share"
        note = "They share some noise: if one is too high, others are likely to be too."
        return values_text(self, "nearly free", less), note

    def method_text(self, _: str = "") -> str:
        """Say how the answer is found, and why that way."""
        bar = "nothing is spent on a threshold" if self.for_top else "the bar costs nothing extra"
        if self.threshold_noise is not None and type(self.query_noise) is Gumbel:
            bar = "δ buys less noise"
        return f"ranked: one noisy value for each candidate, the highest win, and {bar}"

    def __str__(self) -> str:
        if self.shared is None:
            return highest_text(self)
        less = f" Counts are these values, less {noise_text(self.shared)} for all."
        return highest_text(self, less)


def ranked_epsilon(
    positives: int | None, *, cutoff: int, each: Fraction, bar: Fraction | None
) -> Fraction:
    """Return what an outcome of exponential noise with so many items costs; the worst for None.

    `each` is what one item costs, w/s, and `bar` what the bar costs, Δ/b; None without a bar. Who
    finds all that may come out does not pay for the bar.

    >>> each, bar = Fraction(1, 5), Fraction(1, 5)
    >>> [str(ranked_epsilon(k, cutoff=5, each=each, bar=bar)) for k in (0, 4, 5, None)]
    ['1/5', '1', '1', '1']
    """
    own = Fraction(0) if bar is None else bar
    if positives is None:
        full = cutoff * each
        return full if bar is None else max(full, own + (cutoff - 1) * each)
    return positives * each + (own if positives < cutoff else 0)


def _bar_share(request: Request) -> Fraction:
    """Return what the bar gets, by what one selected item gets."""
    items = request.cutoff * request.reach.most / request.reach.width
    return max(Fraction(1), short_fraction(BAR_SHARE * math.sqrt(items), BAR_DIGITS))


def _refuse(request: Request) -> None:
    refuse_bars(request)
    if request.noise not in ("exponential", "gumbel"):
        raise NoGuaranteeError(
            f"{named('mechanism', 'ranked')} has a proof for exponential and gumbel noise. "
            f"Write {named('noise', 'auto')}, or {named('mechanism', 'sparse-vector')}"
        )
    if request.noise == "exponential" and request.delta > 0:
        raise NoGuaranteeError(
            f"{named('noise', 'exponential')} has a pure guarantee alone. Write "
            f"{named('noise', 'gumbel')}, {named('noise', 'auto')} or {named('delta', 0)}"
        )
    bare = request.threshold_noise in ("gaussian", "none") and not request.top
    if request.delta == 0 and bare:
        raise NoGuaranteeError(
            f"{named('threshold_noise', request.threshold_noise)} has no pure guarantee. "
            f"Write {named('threshold_noise', 'exponential')}, or allow delta > 0"
        )
