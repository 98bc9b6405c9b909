"""Certified enclosures of the query noise's law at a gap, by ball arithmetic (Arb, in FLINT).

A ball is a midpoint with a radius that provably contains the true value. `a < b` is true only if
it holds for every pair of points of the two balls; a ball that is not a number compares false with
everything. So a comparison that says yes is a proof, at whatever precision it was computed: the
precision asked for decides how tight a ball is, never whether it is right.

A gap is a whole number of grid steps of any size. V is the query noise and z = gap · grid / scale:

    S = P(V >= gap · grid),   F = 1 - S,   H = -ln F (infinite where F = 0).

Theory: :doc:`/theory/exact`.
"""

from __future__ import annotations

from fractions import Fraction

from flint import arb, ctx

from overbar.errors import ParameterError, named
from overbar.noise import Exponential, Gaussian, Gumbel, Laplace, Noise
from overbar.noise.grid_tails import ball

#: The noises with exact draws; Gaussian noise only where a query is asked once.
EXACT = (Exponential, Laplace, Gumbel)
ASKED_ONCE = (*EXACT, Gaussian)
#: Working precision beyond the bits of a uniform number.
GUARD_BITS = 64


def check_exact(noise: Noise, *, once: bool = False) -> None:
    """Refuse a noise that has no enclosures here, where each query is asked once or in a race."""
    # A class that derives from one of these may change the law.
    if type(noise) not in (ASKED_ONCE if once else EXACT):
        if type(noise) is Gaussian:
            raise ParameterError(
                "gaussian noise on queries is drawn exactly where each is asked once; "
                f"make the plan with {named('rounds', 1)}"
            )
        raise ParameterError(
            f"query_noise must be exponential, laplace or gumbel to be drawn exactly, got {noise!r}"
        )


def survival(noise: Noise, grid: Fraction, gap: int, precision: int) -> arb:
    """Enclose S. Exactly 1 for exponential noise at gaps up to zero."""
    z = gap * grid / noise.scale
    with ctx.workprec(precision):
        if isinstance(noise, Exponential):
            return (-ball(z)).exp() if z > 0 else arb(1)
        if isinstance(noise, Laplace):
            tail = (-ball(abs(z))).exp() / 2
            return tail if z >= 0 else 1 - tail
        if isinstance(noise, Gaussian):
            return (ball(z) / arb(2).sqrt()).erfc() / 2
        if z < -precision:
            # H > e^precision, so F = e^-H lies in [0, 2^-precision]; Arb would overflow on H.
            return 1 - _unknown_up_to(precision)
        return -(-(-ball(z)).exp()).expm1()


def log_hazard(noise: Noise, grid: Fraction, gap: int, precision: int) -> arb:
    """Enclose ln H. Precondition: F > 0.

    Far out H is too small to be held as a ball around it, but its logarithm is not: for S <= 1/2,
    S <= H = S + S²/2 + S³/3 + … <= S + S², so ln H exceeds ln S by at most S.
    """
    z = gap * grid / noise.scale
    with ctx.workprec(precision):
        if isinstance(noise, Gumbel):
            return -ball(z)
        if isinstance(noise, Laplace) and z < 0:
            return (arb(2).log() - ball(z)).log()
        if isinstance(noise, Exponential) and z < 1:
            return (-(-(-ball(z)).expm1()).log()).log()
        if z <= precision:
            return (-(-survival(noise, grid, gap, precision)).log1p()).log()
        log_survival = -ball(z) - (arb(2).log() if isinstance(noise, Laplace) else 0)
        return log_survival + _unknown_up_to(precision)  # S <= e^-precision


def exponential(word: int, bits: int) -> arb:
    """Enclose E = -ln(1 - V), given the first `bits` bits of V; not a number while V may be 1."""
    with ctx.workprec(bits + GUARD_BITS):
        # V lies in [word, word + 1) · 2^-bits: half a unit around the middle.
        uniform = arb(mid=2 * word + 1, rad=1) * arb(2) ** -(bits + 1)
        return -(-uniform).log1p()


def _unknown_up_to(precision: int) -> arb:
    """Enclose anything in [0, 2^-precision]."""
    return arb(mid=0, rad=1) * arb(2) ** -precision
