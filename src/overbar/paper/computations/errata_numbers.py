"""Errors in the paper: what it prints, and the number that was measured."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from overbar.accounting import pure_epsilon
from overbar.accounting.conversion import epsilon_from_renyi
from overbar.accounting.renyi import pure_renyi
from overbar.accuracy import failure_probability, success_probability
from overbar.accuracy.correction import correction_term
from overbar.noise import Exponential, Gaussian, Laplace
from overbar.paper.computations.counterexample import chance_of_the_run
from overbar.paper.computations.noise_pairs import pair
from overbar.paper.study import Conditions, Row, Table
from overbar.plan import Plan


@dataclass(frozen=True)
class ErrataNumbers:
    """Numbers behind the errata that need no simulation."""

    cutoff: int = 50
    negatives: int = 200
    rounds: int = 20
    chance: float = 0.1
    claimed_epsilon: float = 3.56
    claimed_delta: float = 1e-5

    def __call__(self, conditions: Conditions) -> Table:
        """Compute the table."""
        del conditions
        return [
            *self._resampling(),
            *self._shared(),
            *self._rounds(),
            *self._accuracy(),
            *self._renyi(),
            *self._gaussian(),
        ]

    def _resampling(self) -> Table:
        # ε₁ = 1/10 for each draw, ε₂ = 1 in all.
        plan = Plan(
            Exponential(Fraction(self.cutoff)),
            Laplace(Fraction(10)),
            Fraction(0),
            self.cutoff,
            monotonic=True,
        )
        again = Plan(
            Exponential(Fraction(self.cutoff)),
            Laplace(Fraction(10)),
            Fraction(0),
            self.cutoff,
            monotonic=True,
            resample=True,
        )
        return [
            _row("once", "pure budget, threshold drawn once", "ε₁ + ε₂", float(pure_epsilon(plan))),
            _row(
                "anew", "pure budget, threshold drawn anew", "(cε₁, ε₂)", float(pure_epsilon(again))
            ),
        ]

    def _shared(self) -> Table:
        noises = pair("exponential", epsilon=1.0, cutoff=self.cutoff, monotonic=True, delta=1.0)
        best = correction_term("optimal", *noises, negatives=self.negatives)
        shared = correction_term("optimal-shared", *noises, negatives=self.negatives)
        formula, true = (
            float(success_probability(best, *noises, negatives=self.negatives, shared=one))
            for one in (False, True)
        )
        reached = float(success_probability(shared, *noises, negatives=self.negatives, shared=True))
        return [
            _row("multiplied", "success at the optimal correction, multiplied", "p(r)", formula),
            _row("shared", "success there with the one ρ of a run", "p(r)", true),
            _row("shared-correction", "best correction with one ρ", f"{best:.4f}", shared),
            _row("shared-success", "success at that correction", "", reached),
        ]

    def _rounds(self) -> Table:
        exact = -math.expm1(self.rounds * math.log1p(-self.chance))
        printed = self.rounds * self.chance
        what = f"chance after {self.rounds} rounds at {self.chance:g} a round"
        return [_row("rounds", what, f"{printed:g}", exact)]

    def _accuracy(self) -> Table:
        """Compute β where the bound of Theorem 3 says 0.05."""
        alpha = 4 * (math.log(50) + math.log(2 / 0.05))
        noises = pair("exponential", epsilon=1.0, cutoff=1, monotonic=False, delta=1.0, ratio=1.0)
        true = failure_probability(Fraction(alpha), *noises, negatives=50, shared=True)
        return [
            _row("theorem-3", "failure where Theorem 3 says 0.05 (k = 50, r = 0)", "0.05", true)
        ]

    def _renyi(self) -> Table:
        first, second = chance_of_the_run(on_neighbour=False), chance_of_the_run(on_neighbour=True)
        claimed, _ = epsilon_from_renyi(
            lambda order: 51 * pure_renyi(0.1, order), math.log(self.claimed_delta)
        )
        delta = first - math.exp(self.claimed_epsilon) * second
        return [
            _row("renyi-epsilon", "ε that adding up Rényi costs claims at δ = 1e-5", "", claimed),
            _row("chance", "chance of the counterexample on D", "", first),
            _row("chance-neighbour", "chance of the counterexample on its neighbour", "", second),
            _row("renyi-delta", "δ at ε = 3.56 is at least", f"{self.claimed_delta:g}", delta),
        ]

    def _gaussian(self) -> Table:
        """ln S of Gaussian noise between one and two steps further out: no Lipschitz constant."""
        noise = Gaussian(Fraction(1))
        return [
            _row(
                f"gaussian-{far}",
                f"loss of one Gaussian comparison {far} deviations out",
                "bounded",
                loss,
            )
            for far in (5, 50, 500)
            for loss in [float(noise.logsf(float(far)) - noise.logsf(float(far + 1)))]
        ]


def _row(key: str, what: str, printed: str, measured: float) -> Row:
    return {"key": key, "what": what, "printed": printed, "measured": measured}
