"""Scores in any one-dimensional form become whole numbers of grid steps, exactly.

A score q goes to floor(q/g + 1/2). That commutes with a shift by the sensitivity, which is a whole
number of steps, so two scores at most Δ apart stay at most Δ apart. Rounding half to even does
not: it can turn a sensitivity of 1 into 2. A float counts at its exact binary value, and no
float decides a rounding: whatever lies close to a boundary is rounded again with fractions.

Theory: :doc:`/theory/exact`.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from overbar import _check
from overbar._numbers import exact_text
from overbar.errors import ParameterError, ScoreError

#: Steps up to this size are held in 64-bit words; sums of a few of them cannot wrap around.
WORD_LIMIT = 2**61
#: A float division is off by at most 2^-52 of its size; nearer than this to a rounding boundary
#: it is not trusted.
FLOAT_MARGIN = 1e-14
#: One float of fewer steps than this is rounded as a float, where the margin allows it.
QUICK = 1e9
#: Whole numbers below this are floats, and every float from here on is whole.
EXACT_FLOATS = 2**52
#: Floats that are rounded together: they stay in the processor's cache.
BLOCK = 1 << 14
#: A Decimal may stand for a number whose digits would not fit in memory: from here on it counts
#: as infinite, or as zero.
LARGEST_EXPONENT = 10_000

#: Grid steps of many scores: an array of int64, or of Python ints where a word would not do.
Steps = NDArray[Any]

NOT_FINITE = (
    "scores must be finite numbers; declare score_range=(low, high) to have others clamped "
    "(missing values then count as low)"
)
NOT_NUMBERS = "scores must be int, float, Fraction or Decimal numbers"


@dataclass(frozen=True)
class Ruler:
    """Turns scores into grid steps; with a declared range, clamps them into it.

    Clamping moves two scores no further apart, so it keeps the sensitivity, and with a declared
    range no number can raise an error.
    """

    grid: Fraction
    low: int | None = None
    high: int | None = None
    #: Steps of one unit where the grid divides it, else zero: whole scores then need no rounding.
    unit: int = field(init=False)
    #: The grid as a float, and how far from a half a part of a step must be to be trusted.
    width: float = field(init=False)
    margin: float = field(init=False)
    _below: float = field(init=False)
    _above: float = field(init=False)

    def __post_init__(self) -> None:
        per_unit = 1 / self.grid
        whole = per_unit.denominator == 1
        object.__setattr__(self, "unit", per_unit.numerator if whole else 0)
        object.__setattr__(self, "width", float(self.grid))
        margin = 0.0 if _is_power_of_two(self.grid) else FLOAT_MARGIN
        object.__setattr__(self, "margin", margin)
        object.__setattr__(self, "_below", 0.5 - margin * QUICK)
        object.__setattr__(self, "_above", 0.5 + margin * QUICK)

    @classmethod
    def of(cls, grid: Fraction, score_range: object = None) -> Ruler:
        """Make a ruler for a grid and an optional public range (low, high)."""
        if score_range is None:
            return cls(grid)
        if not isinstance(score_range, tuple | list) or len(score_range) != 2:
            raise ParameterError("score_range must be a pair (low, high) of public numbers")
        low = _check.rational("score_range low", score_range[0])
        high = _check.rational("score_range high", score_range[1])
        if low > high:
            raise ParameterError(
                f"score_range must have low <= high, got {exact_text(low)} and {exact_text(high)}"
            )
        return cls(grid, _nearest(low, grid), _nearest(high, grid))

    def one(self, score: object) -> int:
        """Return the steps of one score."""
        if type(score) is float:
            exact = score / self.width
            if -QUICK < exact < QUICK:  # so it is a number; all others are rounded with fractions
                steps = math.floor(exact)
                part = exact - steps
                if part >= self._above:
                    return steps + 1 if self.low is None else self._clamp(steps + 1)
                if part < self._below:
                    return steps if self.low is None else self._clamp(steps)
        elif type(score) is int and self.unit:
            return score * self.unit if self.low is None else self._clamp(score * self.unit)
        elif type(score) is np.float64:
            return self.one(float(score))
        value = exact_value(score)
        if value is None:
            if self.low is None or self.high is None:
                raise ScoreError(NOT_FINITE)
            return self.high if _is_large(score) else self.low
        return self._clamp(_nearest(value, self.grid))

    def many(self, scores: NDArray[np.generic] | Sequence[object]) -> Steps:
        """Return the steps of many scores, in 64-bit words if they all fit."""
        values = scores if isinstance(scores, np.ndarray) else _as_array(scores)
        if isinstance(values, np.ndarray):
            if values.dtype.kind in "iu":
                return self._integers(values)
            if values.dtype.kind == "f" and values.dtype.itemsize <= 8:
                return self._floats(values)
            if values.dtype.kind not in "fO":
                raise ScoreError(NOT_NUMBERS)
        return _packed([self.one(value) for value in values])

    def rough(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return numbers in the order of their steps, to compare with floats; infinite if unknown.

        Values are in this order as they are, and stay so if NumPy turns them into floats.
        """
        kind, low, high = values.dtype.kind, self.low or 0, self.high or 0
        if kind not in "iufO":
            raise ScoreError(NOT_NUMBERS)
        if kind != "O" and values.dtype.itemsize <= 8 and max(-low, high) < WORD_LIMIT:
            if self.low is None and (kind != "f" or np.isfinite(values).all()):
                return values
            if self.low is not None:
                ends = np.array([low, high]) * self.width
                with np.errstate(all="ignore"):  # what is no number becomes the lower end
                    return np.asarray(np.fmin(np.fmax(values, ends[0]), ends[1]))
        return np.full(len(values), np.inf)

    def _clamp(self, steps: int) -> int:
        if self.low is None or self.high is None:
            return steps
        return min(max(steps, self.low), self.high)

    def _integers(self, values: NDArray[np.generic]) -> Steps:
        size = max((abs(int(values.min())), abs(int(values.max())))) if values.size else 0
        if not self.unit or max(size, 1) * self.unit > WORD_LIMIT:
            return _packed([self.one(value) for value in values.tolist()])
        words = values.astype(np.int64, copy=False)
        return self._clipped(words if self.unit == 1 else words * self.unit)

    @np.errstate(all="ignore")  # what NumPy was told to raise must not depend on scores
    def _floats(self, floats: NDArray[np.generic]) -> Steps:
        values = floats.astype(np.float64, copy=False)
        low, high = self.low or 0, self.high or 0
        narrow = self.low is not None and max(-low, high) < EXACT_FLOATS
        steps = np.empty(values.shape, dtype=np.int64)
        for start in range(0, len(values), BLOCK):
            block = values[start : start + BLOCK]
            exact = block / self.width
            if narrow:  # what is no number becomes the lower end
                exact = np.fmin(np.fmax(exact, low), high)
            size = max(-exact.min(), exact.max())
            if not size < WORD_LIMIT:
                return self._odd_floats(values)
            near = np.rint(exact)
            steps[start : start + BLOCK] = near
            part = exact - near  # exact, and at most a half
            if max(-part.min(), part.max()) >= 0.5 - self.margin * max(1.0, size):
                # A half goes up, and NumPy has put it on an even number. Next to one the division
                # may have been rounded across it. Near a whole number that does not matter.
                steps[start : start + BLOCK] += part == 0.5
                trusted = 0.5 - self.margin * np.maximum(1.0, np.abs(exact))
                for index in np.flatnonzero(np.abs(part) > trusted).tolist():
                    steps[start + index] = self.one(block[index].item())
        return steps if narrow else self._clipped(steps)

    def _odd_floats(self, values: NDArray[np.float64]) -> Steps:
        """Return the steps where some are not finite, or large."""
        if not np.isfinite(values).all() and self.low is None:
            raise ScoreError(NOT_FINITE)
        return _packed([self.one(value) for value in values.tolist()])

    def _clipped(self, steps: NDArray[np.int64]) -> Steps:
        if self.low is None or self.high is None:
            return steps
        if max(abs(self.low), abs(self.high)) > WORD_LIMIT:
            return _packed([self._clamp(step) for step in steps.tolist()])
        return np.clip(steps, self.low, self.high)


def _nearest(value: Fraction | int, grid: Fraction) -> int:
    """floor(value/grid + 1/2)."""
    return math.floor(value / grid + Fraction(1, 2))


def _is_power_of_two(grid: Fraction) -> bool:
    """Division by a power of two is exact in floats, above the smallest ones."""
    return (grid.numerator & (grid.numerator - 1)) == 0 == (grid.denominator & grid.denominator - 1)


def exact_value(score: object) -> Fraction | int | None:
    """Return the exact value of a number; None for NaN, infinities and missing values."""
    if isinstance(score, bool | np.bool_):
        raise ScoreError(NOT_NUMBERS)
    if isinstance(score, int | Fraction):
        return score
    if isinstance(score, np.integer):
        return int(score)
    if isinstance(score, float | np.floating):
        return Fraction(*score.as_integer_ratio()) if math.isfinite(score) else None
    if isinstance(score, Decimal):
        if not score.is_finite():
            return None
        if not score or score.adjusted() < -LARGEST_EXPONENT:
            return 0
        return Fraction(score) if score.adjusted() <= LARGEST_EXPONENT else None
    if score is None or type(score).__name__ in ("NAType", "NaTType"):
        return None
    raise ScoreError(NOT_NUMBERS)


def _is_large(score: object) -> bool:
    """Tell plus infinity from the other scores without a finite value."""
    if isinstance(score, Decimal):
        return not score.is_nan() and score > 0
    return isinstance(score, float | np.floating) and bool(score > 0)


def _as_array(scores: Sequence[object]) -> NDArray[np.generic] | Sequence[object]:
    """Turn a sequence of one plain type into an array; leave every other as it is."""
    kinds = set(map(type, scores))
    if kinds == {float}:
        return np.array(scores, dtype=np.float64)
    if kinds == {int}:
        try:
            return np.array(scores, dtype=np.int64)
        except OverflowError:
            return scores
    return scores


def _packed(steps: list[int]) -> Steps:
    """Hold steps in words if they all fit, else as Python ints."""
    fits = all(-WORD_LIMIT <= step <= WORD_LIMIT for step in steps)
    return np.array(steps, dtype=np.int64 if fits else np.object_)


def lowered(steps: Steps, by: Sequence[int]) -> Steps:
    """Take public numbers of steps off, one for each score; no word wraps around."""
    return _packed([step - own for step, own in zip(steps.tolist(), by, strict=True)])


SHAPE = (
    "scores must be one-dimensional: a list, an array, a Series or a mapping. A table with one row "
    "for each purchase goes into overbar.frames.select or top"
)

Values = NDArray[np.generic] | Sequence[object]
#: Scores, and their labels if they have any.
Piece = tuple[Values, Sequence[Hashable] | None]


def read_scores(scores: Any, labels: Any = None) -> Piece:
    """Return the scores as an array or a sequence, and their labels if they have any.

    A mapping and a pandas Series bring their own labels; `labels` overrides them.
    """
    values, own = _split(scores)
    if labels is None:
        return values, own
    given = _label_list(labels)
    if len(given) != len(values):
        raise ParameterError(
            f"labels must be as many as the scores, got {len(given)} for {len(values)}"
        )
    return values, given


def read_array(numbers: Any) -> NDArray[Any]:
    """Return an array of one dimension; that of another library is read where it lies.

    Nothing is imported for it: it says by ``__dlpack__`` or ``__array__`` what is in it.
    """
    if type(numbers) is np.ndarray and numbers.ndim == 1:
        return numbers
    if not isinstance(numbers, np.ndarray) and hasattr(numbers, "__dlpack__"):
        try:
            numbers = np.from_dlpack(numbers)
        except Exception:  # on another device, or of a type that NumPy has not
            numbers = _as_numpy(numbers)
    elif not isinstance(numbers, np.ndarray) and hasattr(numbers, "__array__"):
        series = nw.from_native(numbers, series_only=True, pass_through=True)
        numbers = numbers if isinstance(series, nw.Series) else _as_numpy(numbers)
    values = read_scores(numbers)[0]
    if isinstance(values, np.ndarray):
        return values
    if set(map(type, values)) <= {bool, np.bool_}:
        return np.array(values, dtype=np.bool_)
    array = _as_array(values)
    return array if isinstance(array, np.ndarray) else np.fromiter(array, object, len(array))


def _as_numpy(numbers: Any) -> NDArray[Any]:
    try:
        return np.asarray(numbers)
    except Exception:
        raise ScoreError(
            "an array of another library must lie in main memory and have a type that NumPy knows: "
            "bring it there first, as with tensor.detach().float().cpu()"
        ) from None


def _split(scores: Any) -> Piece:
    if isinstance(scores, Mapping):
        return list(scores.values()), list(scores)
    if isinstance(scores, np.ma.MaskedArray):
        raise ScoreError("scores must not be a masked array; fill it first")
    if isinstance(scores, np.ndarray):
        if scores.ndim != 1:
            raise ScoreError(SHAPE)
        return scores, None
    if isinstance(scores, str | bytes):
        raise ScoreError(SHAPE)
    if isinstance(scores, Sequence):
        return scores, None
    return _from_series(scores)


def _from_series(scores: Any) -> Piece:
    if type(scores).__module__.startswith("pyarrow") and hasattr(scores, "null_count"):
        plain = scores.null_count == 0 and str(scores.type).startswith(
            ("int", "uint", "float", "double")
        )
        return (scores.to_numpy(zero_copy_only=False) if plain else scores.to_pylist()), None
    series = nw.from_native(scores, series_only=True, pass_through=True)
    if not isinstance(series, nw.Series):
        raise ScoreError(SHAPE)
    kind = series.dtype
    words = kind.is_integer() and kind not in (nw.Int128, nw.UInt128)  # NumPy has no such integers
    plain = series.null_count() == 0 and (words or kind.is_float())
    values: Values = series.to_numpy() if plain else series.to_list()
    index = nw.maybe_get_index(series)
    return values, None if index is None else list(index)


def _label_list(labels: Any) -> Sequence[Hashable]:
    if isinstance(labels, str | bytes) or not hasattr(labels, "__iter__"):
        raise ParameterError("labels must be a sequence with one label per score")
    return labels.tolist() if hasattr(labels, "tolist") else list(labels)
