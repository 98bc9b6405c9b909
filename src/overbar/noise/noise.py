"""What a noise is: a frozen value of public numbers with a law on the real line.

One convention holds everywhere: ``sf(x)`` is P(V >= x), the chance of a positive answer at gap x,
and ``cdf(x) = 1 - sf(x)`` is P(V < x). For continuous noise this is the usual pair. For noise on a
lattice it is the one the mechanism needs, because an answer is positive iff V >= x.

A new noise is a frozen dataclass with a ``scale`` and three functions of z = x / scale:

>>> from dataclasses import dataclass
>>> import numpy as np
>>> @dataclass(frozen=True, repr=False)
... class Logistic(Noise):
...     scale: Fraction
...     name = "logistic"
...     unit_mean = 0.0
...     unit_variance = np.pi**2 / 3
...     def unit_logpdf(self, z):
...         return -np.abs(z) - 2 * np.log1p(np.exp(-np.abs(z)))
...     def unit_logcdf(self, z):
...         return -np.logaddexp(0, -z)
...     def unit_logsf(self, z):
...         return -np.logaddexp(0, z)
>>> noise = Logistic(2)
>>> float(noise.sf(0.0)), round(float(noise.isf(1e-9)), 3)
(0.5, 41.447)

:func:`overbar.noise.contract.check_noise` says what is wrong with it, if anything.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from overbar import _check
from overbar._numbers import exact_text
from overbar.errors import ParameterError

Array = NDArray[np.float64]


class Noise(ABC):
    """A noise with a scale; subclasses give its law at scale one."""

    #: What it is called in plans and files.
    name: ClassVar[str]
    #: Mean and variance at scale one.
    unit_mean: ClassVar[float]
    unit_variance: ClassVar[float]
    #: Where the density lives, at scale one.
    unit_support: ClassVar[tuple[float, float]] = (-math.inf, math.inf)
    #: At scale one, where proved: how steeply ln f falls to the right at most (Theorem 2, threshold
    #: noise, which is only ever shifted up), and the Lipschitz constants of ln S (Theorem 2, query
    #: noise) and of ln H = ln(-ln F) (query noise of a race with δ).
    #: Infinity where the condition fails; None if not proved.
    #: Whole numbers and fractions are taken as they are, and a float is rounded up.
    unit_log_density_fall: ClassVar[int | float | Fraction | None] = None
    unit_log_survival_constant: ClassVar[int | float | Fraction | None] = None
    unit_log_hazard_constant: ClassVar[int | float | None] = None

    scale: Fraction

    def __init_subclass__(cls, **keywords: object) -> None:
        """Forget what was proved about another law, unless it is stated again for this one."""
        super().__init_subclass__(**keywords)
        if any(name in cls.__dict__ for name in ("unit_logpdf", "unit_logcdf", "unit_logsf")):
            for what in ("density_fall", "survival_constant", "hazard_constant"):
                if f"unit_log_{what}" not in cls.__dict__:
                    setattr(cls, f"unit_log_{what}", None)

    def __post_init__(self) -> None:
        object.__setattr__(self, "scale", _check.positive("scale", self.scale))

    def __repr__(self) -> str:
        return f"{type(self).__name__}(scale='{exact_text(self.scale)}')"

    @staticmethod
    @_check.known_keywords
    def of_law(
        name: str, law: Any, *, survival_constant: int | float | Fraction | None = None
    ) -> type[Noise]:
        """Make a kind of noise from a continuous law, such as a frozen distribution of SciPy.

        Parameters
        ----------
        name : str
            What to call it.
        law : distribution
            The law at scale one: its ``logpdf``, ``logcdf``, ``logsf``, ``mean``, ``var`` and
            ``support`` are asked.
        survival_constant : int, float or Fraction, optional
            The steepest slope of ln S at scale one, which the cost of a positive follows from. You
            vouch for it: :func:`check_noise` looks at it, and nothing proves it.

        Returns
        -------
        type of Noise
            From a scale to a noise; without a constant it has no guarantee.

        Raises
        ------
        ParameterError
            If the law lacks one of these functions, or the name is that of another noise.

        Examples
        --------
        >>> from scipy import stats
        >>> Student = Noise.of_law("student", stats.t(3), survival_constant=1.0618)
        >>> Student(2), float(Student(2).sf(0.0))
        (Student(scale='2'), 0.5)
        """
        from overbar.noise import NOISES

        if name in NOISES:  # a plan in a file knows its noise by its name
            raise ParameterError(f"name must be one of your own, got {name!r}")
        for needed in ("logpdf", "logcdf", "logsf", "mean", "var", "support"):
            if not callable(getattr(law, needed, None)):
                raise ParameterError(
                    f"law must have {needed}, as a frozen distribution of SciPy has; got "
                    f"{type(law).__name__}"
                )
        low, high = law.support()
        members = {
            "__annotations__": {"scale": Fraction},
            "name": name,
            "unit_mean": float(law.mean()),
            "unit_variance": float(law.var()),
            "unit_support": (float(low), float(high)),
            "unit_log_survival_constant": survival_constant,
            **{
                f"unit_{one}": staticmethod(getattr(law, one))
                for one in ("logpdf", "logcdf", "logsf")
            },
        }
        kind = type(name.title().replace(" ", ""), (Noise,), members)
        return dataclass(frozen=True, repr=False)(kind)

    # The law at scale one -----------------------------------------------------------------------

    @abstractmethod
    def unit_logpdf(self, z: Array) -> Array:
        """Log-density at scale one.

        Parameters
        ----------
        z : array
            Where, in scales.

        Returns
        -------
        array
            One number for each.
        """

    @abstractmethod
    def unit_logcdf(self, z: Array) -> Array:
        """Log of P(V < z) at scale one.

        Parameters and result are those of :meth:`unit_logpdf`.
        """

    @abstractmethod
    def unit_logsf(self, z: Array) -> Array:
        """Log of P(V >= z) at scale one.

        Parameters and result are those of :meth:`unit_logpdf`.
        """

    def unit_quantile(self, p: Array) -> Array:
        """Where the distribution function reaches p; by bisection, or better in a subclass.

        Parameters
        ----------
        p : array
            Probabilities.

        Returns
        -------
        array
            One number for each.
        """
        return _bisect(lambda z: self.unit_logcdf(z) >= np.log(p), p, *self.unit_support)

    def unit_isf(self, q: Array) -> Array:
        """Where the survival function falls to q; by bisection, or better in a subclass.

        Parameters
        ----------
        q : array
            Probabilities.

        Returns
        -------
        array
            One number for each.
        """
        return _bisect(lambda z: self.unit_logsf(z) <= np.log(q), q, *self.unit_support)

    # The law at the noise's own scale -----------------------------------------------------------

    # Kept, because laws are asked at a million places, and a fraction is slow to turn to a float.
    @cached_property
    def _width(self) -> float:
        return float(self.scale)

    @cached_property
    def _log_width(self) -> float:
        return math.log(self.scale)

    def _unit(self, x: ArrayLike) -> Array:
        return np.asarray(np.asarray(x, dtype=np.float64) / self._width)

    def logpdf(self, x: ArrayLike) -> Array:
        """Log-density at x.

        Parameters
        ----------
        x : array_like
            Where.

        Returns
        -------
        array
            One number for each.
        """
        return self.unit_logpdf(self._unit(x)) - self._log_width

    def pdf(self, x: ArrayLike) -> Array:
        """Density at x.

        Parameters and result are those of :meth:`logpdf`.
        """
        return np.exp(self.logpdf(x))

    def logcdf(self, x: ArrayLike) -> Array:
        """Log of P(V < x).

        Parameters and result are those of :meth:`logpdf`.
        """
        return self.unit_logcdf(self._unit(x))

    def logsf(self, x: ArrayLike) -> Array:
        """Log of P(V >= x).

        Parameters and result are those of :meth:`logpdf`.
        """
        return self.unit_logsf(self._unit(x))

    def cdf(self, x: ArrayLike) -> Array:
        """P(V < x): the chance of a negative answer at gap x.

        Parameters and result are those of :meth:`logpdf`.
        """
        return np.exp(self.logcdf(x))

    def sf(self, x: ArrayLike) -> Array:
        """P(V >= x): the chance of a positive answer at gap x.

        Parameters and result are those of :meth:`logpdf`.
        """
        return np.exp(self.logsf(x))

    def log_hazard(self, x: ArrayLike) -> Array:
        """Log of H(x) = -ln F(x), the cumulative hazard of a positive answer.

        Parameters and result are those of :meth:`logpdf`.
        """
        z = self._unit(x)
        log_survival, log_cdf = self.unit_logsf(z), self.unit_logcdf(z)
        with np.errstate(divide="ignore"):
            near = np.log(-log_cdf)
        # H = -log1p(-S) = S + S²/2 + …; below S = 1e-8 two terms are exact in double precision.
        far = log_survival + np.exp(log_survival) / 2
        return np.where(log_survival < -18.5, far, near)

    def quantile(self, p: ArrayLike) -> Array:
        """Where the distribution function reaches p.

        Parameters and result are those of :meth:`unit_quantile`.
        """
        return self.unit_quantile(np.asarray(p, dtype=np.float64)) * float(self.scale)

    def isf(self, q: ArrayLike) -> Array:
        """Where the survival function falls to q.

        Parameters and result are those of :meth:`unit_isf`.
        """
        return self.unit_isf(np.asarray(q, dtype=np.float64)) * float(self.scale)

    @property
    def mean(self) -> float:
        """The mean of the noise."""
        return self.unit_mean * float(self.scale)

    @property
    def variance(self) -> float:
        """The variance of the noise."""
        return self.unit_variance * float(self.scale) ** 2

    @property
    def support(self) -> tuple[float, float]:
        """The interval that holds all of the mass."""
        low, high = self.unit_support
        return low * float(self.scale), high * float(self.scale)


def _bisect(
    reached: Callable[[Array], NDArray[np.bool_]], level: Array, low: float, high: float
) -> Array:
    """Find the first z at which `reached` holds, elementwise, inside [low, high]."""
    left = np.full(level.shape, max(low, -1e9))
    right = np.full(level.shape, min(high, 1e9))
    for _ in range(120):
        middle = (left + right) / 2
        hit = reached(middle)
        left, right = np.where(hit, left, middle), np.where(hit, middle, right)
    return right
