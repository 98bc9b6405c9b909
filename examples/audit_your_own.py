"""Audit a mechanism of your own: the largest privacy loss that its outputs prove.

A survey adds Laplace noise to a count and rounds the sum. The second version rounds the noise
instead. For whole counts that is as good, but here one person can count half, and the fraction
shines through. Last a plan of overbar, exactly: what each outcome of a small run gives away.
"""

import numpy as np

import overbar
from overbar import audit
from overbar.audit import exact_profile

generator = np.random.default_rng(2024)


class RoundedAnswer:
    """Noise first, then rounding: ε-private for counts that one person moves by at most 1."""

    def sample(self, count: float, runs: int) -> np.ndarray:
        """Return what so many runs release."""
        return np.rint(count + generator.laplace(scale=1.0, size=runs))


class RoundedNoise:
    """Rounding the noise leaves the fraction of the count in plain sight."""

    def sample(self, count: float, runs: int) -> np.ndarray:
        """Return what so many runs release."""
        return count + np.rint(generator.laplace(scale=1.0, size=runs))


# Neighbouring inputs: with one person more or less, who counts one or half.
neighbours = [(10, 11), (10.0, 10.5), (0, 1)]

for mechanism in (RoundedAnswer(), RoundedNoise()):
    verdict = audit.audit(mechanism, neighbours, epsilon=1, runs=20_000)
    print(f"{type(mechanism).__name__}: {mechanism.__doc__}\n{verdict}\n")


# A plain function from data to one outcome will do as well. This one claims (1, 0.01).
def noisy_flag(flag: bool) -> bool:
    """Tell the truth nine times in ten."""
    return flag if generator.random() < 0.9 else not flag


print(audit.audit(noisy_flag, [(False, True)], epsilon=1, delta="0.01", runs=5_000))

# Of a plan nothing is sampled: all outcomes of a small run are enumerated, with proved bounds.
plan = overbar.plan(epsilon=1, cutoff=1, correction=0, grid=1, mechanism="sparse-vector")
profile = exact_profile(plan, ([0, 0], [1, -1]))  # scores without and with one person
print(f"\nA plan with ε = 1: the largest loss is within {profile.loss()}, by {profile.worst()}")
print(f"At ε = 0.5 it has δ within {profile.delta(0.5)}")
