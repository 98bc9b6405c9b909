"""A bare threshold and queries that move either way: the best any adversary can do, exactly.

Without threshold noise ln H moves by y in [-step, step], and in general the adversary chooses y
anew for every query, knowing all answers. Let x = ε - (loss so far), n the positives left, and
W_n(x) the largest E[(1 - e^(x - later loss))₊] that can be reached; δ(ε) = W_c(ε).

**Theorem** (step at most ``LARGEST_STEP``). The best strategy takes y = -step while x > 0,
y = +step while x < 0, and at x = 0 both in turn, so that the positive there is randomised response.
With b = e^step - 1 and t = tanh(step/2), for x >= 0

    W_0(x) = 0,    W_n(0) = t + (1 - t)·W_{n-1}(step),
    W_n(x) = ∫₀^(x/b) e^-s·W_{n-1}(x - b·s + step) ds + e^(-x/b)·W_n(0),

and W_n(-x) = 1 - e^-x·(1 - W_n(x)). For one positive, δ(ε) = tanh(step/2)·e^(-ε/(e^step - 1)).

**Numbers.** Each W_n falls in x and is convex in e^x, and the recursion has positive weights. So
if W_{n-1} is replaced by its chords in e^x between losses i·interval, and by a constant beyond the
last, everything computed is an upper bound.

Theory: :doc:`/theory/bare`.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from overbar.accounting.profile_operator import ProfileBound

#: Up to here the theorem is proved; a larger step is far beyond any useful plan.
LARGEST_STEP = 1.3
#: Beyond this many positives the recursion takes too long, and Rényi bounds serve.
MOST_POSITIVES = 2000

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(20)


@lru_cache(maxsize=16)
def bare_profile(cutoff: int, step: float, last: float) -> ProfileBound:
    """Bound δ for every ε up to `last`.

    What must hold: step at most LARGEST_STEP. Bounds close to `last` are loose, because what lies
    beyond counts as if it were there.
    """
    from scipy import signal  # here: half of the time it takes to load the package, rarely needed

    # Chords on a grid of step/k add about 1/6k² to the variance of the loss.
    per_step = 16 if cutoff <= 1000 else 8
    interval = step / per_step
    cells = math.ceil(last / interval) + per_step
    growth = math.expm1(step)
    stay = math.exp(-interval / growth)
    # Weights of the two ends of a cell in the integral of e^-s times a chord over it.
    t = (1 + _NODES) * interval / 2
    rising = np.expm1(t) / math.expm1(interval)
    inner = np.exp(-(interval - t) / growth) * _WEIGHTS * interval / 2 / growth
    right, left = float(np.sum(inner * rising)), float(np.sum(inner * (1 - rising)))
    tangent = math.tanh(step / 2)
    values = np.zeros(cells + per_step + 1)  # with a margin that repeats the last value
    for _ in range(cutoff):
        start = tangent + (1 - tangent) * float(values[per_step])
        force = left * values[per_step:-1] + right * values[per_step + 1 :]
        rest, _ = signal.lfilter([1.0], [1.0, -stay], force, zi=[stay * start])
        values[0] = start
        values[1 : cells + 1] = rest
        values[cells + 1 :] = rest[-1]
    return ProfileBound(interval, values[: cells + 1] * (1 + 1e-9))
