"""Positives as arrivals of a race, behind a threshold's noise that is moved by a shift.

Several mechanisms are races: online runs, ranked selection, monitors. Each shift of the threshold's
noise gives a proof of its own; a bare threshold has none to move.

Theory: :doc:`/theory/steps`.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from overbar.noise import Gumbel, Noise
from overbar.privacy.hazard import BOUNDED_HAZARD, hazard_step
from overbar.privacy.loss_profile import Array
from overbar.privacy.pairs import Shifted
from overbar.privacy.proofs import OnDemand, Proof, Proofs, one
from overbar.privacy.shifts import (
    FEW_SHIFTS,
    MOST_SHIFTS,
    Glance,
    risen,
    share_arrays,
    shares_of,
    shifted_by,
)
from overbar.privacy.steps import Race, Steps, Worst
from overbar.privacy.threshold_loss import SHIFTED, Shift, threshold_shift

#: A bare threshold loses about e^step with every positive: beyond this, orders and floats run out.
LARGEST_BARE_STEP = 15.0


def race(
    count: int, rise: float, fall: float, shift: Shift | None, *, redraws: bool = False
) -> Proof:
    """Return a race of so many positives, behind a threshold's noise that is moved by a shift.

    With the rise below the fall the other direction of neighbours is the same race turned around.
    """
    start = () if shift is None else (Shifted(shift),)
    both = [(rise, fall)] if rise >= fall else [(rise, fall), (fall, rise)]
    again = redraws and shift is not None
    ways = [(*start, Race(*ends, times=1 if again else count)) for ends in both]
    steps: Steps = ways[0]
    if len(ways) > 1 or again:
        steps = (Worst(tuple(ways), times=count if again else 1),)
    return Proof(steps, start, (Race(rise, fall),), count, again)


@dataclass(frozen=True)
class Arrivals:
    """What races are made of: the noises, and how far one person moves scores.

    `most` is how far at most, and `back` how far the other way, as a part of it.
    """

    noise: Noise
    shared: Noise | None
    cutoff: int
    most: Fraction
    back: Fraction
    grid: Fraction

    @property
    def are_bounded(self) -> bool:
        """Whether bounds of log-hazards and shifts are known."""
        moved = self.shared is None or type(self.shared) in SHIFTED
        return moved and type(self.noise) in BOUNDED_HAZARD

    def proofs(self, items: int | None = None, *, redraws: bool = False) -> list[Proofs]:
        """Return races for each shift of the threshold's noise, and without it for few items."""
        if not self.are_bounded:
            return []
        threshold = threshold_shift(self.shared, self.most, self.grid)
        few = items is not None and items < self.cutoff and not redraws
        found = [] if threshold is None else [self._of_shifts(threshold, redraws)]
        return found + (self.bare(items) if threshold is None or few else [])

    def bare(self, items: int | None = None) -> list[Proofs]:
        """Return the race without noise on the threshold."""
        step = self._step(Fraction(1))
        if step > LARGEST_BARE_STEP:
            return []
        count = min(self.cutoff, items or self.cutoff)
        return [one(race(count, step if self.back else 0.0, step, None))]

    def _step(self, share: Fraction) -> float:
        return hazard_step(self.noise, share * self.most) if share else 0.0

    def _of_shifts(self, threshold: Shift, redraws: bool) -> Proofs:
        most = MOST_SHIFTS if type(self.noise) is Gumbel else FEW_SHIFTS
        shares = shares_of(threshold.steps, most)

        def proof(place: int) -> Proof:
            share = shares[place]
            ends = self._step(risen(share, self.back)), self._step(1 - share)
            return race(self.cutoff, *ends, shifted_by(threshold, share), redraws=redraws)

        every, draws = OnDemand(proof, len(shares)), self.cutoff if redraws else 1
        parts, up = share_arrays(threshold.steps, most, self.back)
        ends = self._about(up), self._about(1 - parts)
        sizes = threshold.size * parts
        return Proofs(every, Glance(self.cutoff, draws, *ends, type(threshold), sizes))

    def _about(self, shares: Array) -> Array:
        """Return about how far log-hazards move."""
        if type(self.noise) is Gumbel:  # in proportion
            return float(self.most / self.noise.scale) * shares
        return np.array([self._step(Fraction(share)) for share in shares.tolist()])
