"""Ranked selection: one noisy value for each candidate, and the highest of those that pass.

Theory: :doc:`/theory/ranked`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from overbar._check import Number
from overbar.errors import NoGuaranteeError, ParameterError
from overbar.mechanisms.plan import Plan, highest_text, noise_text, part
from overbar.mechanisms.reach_and_bar import Bar, Reach, Repeats
from overbar.mechanisms.sparse_vector import SparseVectorPlan
from overbar.noise import Exponential, Gaussian, Gumbel, Noise
from overbar.privacy.arrivals import Arrivals
from overbar.privacy.hazard import hazard_step
from overbar.privacy.pairs import Pick
from overbar.privacy.proofs import Proof, Proofs, one
from overbar.privacy.pure import positive_epsilon, threshold_epsilon
from overbar.privacy.read_off_candidates import unlisted_scores


@part("ranked")
@dataclass(frozen=True, repr=False)
class RankedPlan(Plan):
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

    finds = "highest"

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
        gap = self.level(threshold) * self.grid - self.reach.most
        noises = self.query_noise, self.threshold_noise
        return unlisted_scores(*noises, gap, self.grid, rounds=1, items=items)

    def _method(self, _: str) -> str:
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
