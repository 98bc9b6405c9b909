"""Private feature selection for scikit-learn: which columns go with the target.

>>> import numpy as np
>>> from overbar.integrations.sklearn import SparseVectorSelector
>>> x = np.random.default_rng(1).integers(0, 2, size=(20_000, 30))
>>> y = np.where(x[:, 7] + x[:, 21] == 2, "yes", "no")
>>> selector = SparseVectorSelector(
...     epsilon=1, cutoff=2, feature_range=(0, 1), classes=("no", "yes"))
>>> selector.fit(x, y).get_support(indices=True), selector.guarantee_
(array([ 7, 21]), PureDP(epsilon=1))

Needs the extra ``sklearn`` (:doc:`/dependencies`). How records are read and scored, and the proof
of how far one record moves a score: :doc:`/theory/feature_scores`.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from overbar import _check
from overbar._check import Number
from overbar._numbers import at_most_text
from overbar.errors import BudgetWarning, MissingExtraError, ParameterError, ScoreError
from overbar.integrations.feature_scores import (
    STEPS,
    class_columns,
    feature_scores,
    feature_table,
    numbers,
    scaled,
    target_values,
)
from overbar.ledger import Booking
from overbar.ledger.booking import checked_booking
from overbar.mechanism import Selection, select, top
from overbar.mechanism.secrecy import sealed

try:
    from sklearn.base import BaseEstimator
    from sklearn.feature_selection import SelectorMixin
    from sklearn.utils.validation import check_is_fitted, validate_data
except ImportError as error:
    raise MissingExtraError(
        "scikit-learn 1.6 or newer is not installed; write: pip install 'overbar[sklearn]'"
    ) from error

__all__ = ["SparseVectorSelector"]


class SparseVectorSelector(SelectorMixin, BaseEstimator):  # type: ignore[misc]  # sklearn: no types
    """Select features by how they go with the target, with differential privacy.

    Two data sets are neighbours if one has one record (row) more. What is private is which records
    there are, with everything in them. What is public: the parameters, the number, names and
    types of the columns. In a list of rows the first row says how many columns there are, so that
    there is one and how long it is count as public; an array has its shape.

    Parameters
    ----------
    epsilon : int, float, str, Fraction or Decimal, default 1
        The privacy budget of one `fit`.
    delta : int, float, str, Fraction or Decimal, default 0
        The δ of (ε, δ)-differential privacy; 0 asks for pure differential privacy.
    cutoff : int, default 10
        How many features to select; with a threshold, how many at most. If there are fewer
        columns, all of them.
    threshold : int, float, str, Fraction or Decimal, optional
        None to select the features with the highest scores. A number to select features whose
        score is above it. For a feature of zeros and ones and two classes the score is the number
        of records that have both the feature and the class beyond (or below) what independence
        would give; in general it is the number of records times the covariance, with feature and
        target scaled to [0, 1].
    feature_range : tuple of two
        The declared range (low, high) of the features: two numbers, or a sequence of them on either
        side with one for each feature. It must be given: from what the columns mean, never from
        the data, and no error can tell you that it does not fit. The narrower, the clearer the
        scores. Values outside count as the nearer end, infinities too; NaN and whatever is
        not a number count as the middle.
    classes : sequence, optional
        The declared labels of the target, for classification. Records with another label count
        for no class.
    target_range : tuple of two numbers, optional
        The declared range (low, high) of a numeric target. One of `classes` and `target_range`
        must be given.
    booking : Booking, optional
        Which dataset of a :class:`overbar.Ledger` pays: ``ledger.booking("sales")``. The same
        request id again gives the stored answer again and costs nothing, whatever records are
        given; with other columns or other declarations it is refused. The dataset must have been
        opened for neighbours by "row"; if each person has one record, write
        ``ledger.booking("sales", neighbours="person")``.

    Attributes
    ----------
    support_
        The mask of selected features.
    selection_
        The :class:`overbar.Selection`: the features in the order found, and what was spent.
    plan_, guarantee_
        The plan that was run, and what is proved about it.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Notes
    -----
    *Every fit spends the budget anew*: cross-validation with five folds, or a grid of five
    candidates, costs five times as much on the same people. Without a ledger every fit after the
    first of a process brings an :class:`overbar.errors.BudgetWarning` with the sum so far (with
    ``n_jobs`` each worker counts its own); make it an error and nothing is spent twice. With a
    ledger a fit is refused when the budget is used up; with a request id too, every later fit
    and every clone repeats the first answer, so that folds then share features which were
    selected on the first one. Noise comes from the operating system, so there is no
    `random_state`, and two fits may differ.

    Only which columns are selected is private. What `transform` returns is the data itself, and an
    estimator further down a pipeline that learns from it needs privacy of its own.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> x = np.random.default_rng(2).uniform(-1, 1, size=(10_000, 8))
    >>> y = x[:, 3] > 0
    >>> selector = SparseVectorSelector(
    ...     epsilon=1, cutoff=1, feature_range=(-1, 1), classes=(False, True))
    >>> make_pipeline(selector, LogisticRegression()).fit(x, y).score(x, y) > 0.9
    True
    """

    @_check.known_keywords
    def __init__(
        self,
        *,
        epsilon: Number = 1,
        delta: Number = 0,
        cutoff: int = 10,
        threshold: Number | None = None,
        feature_range: Any = None,
        classes: Any = None,
        target_range: Any = None,
        booking: Booking | None = None,
    ) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.cutoff = cutoff
        self.threshold = threshold
        self.feature_range = feature_range
        self.classes = classes
        self.target_range = target_range
        self.booking = booking

    @sealed
    def fit(self, X: Any, y: Any = None) -> SparseVectorSelector:
        """Score the features, select some of them privately, and forget the scores.

        Parameters
        ----------
        X : array, sparse matrix, table or list of rows
            A row per record and a column per feature; sparse matrices stay sparse. There may be
            no record: all scores are 0 then.
        y : sequence
            The target of each record.

        Returns
        -------
        SparseVectorSelector
            Itself, fitted.

        Raises
        ------
        ParameterError
            If a public parameter is wrong or missing.
        ScoreError
            If there is no column, or X and y are of different lengths.
        LedgerError
            If the ledger cannot pay; nothing was drawn then.
        """
        self._check_declared(y)
        features = feature_table(X)
        records, width = features.shape
        if not width:
            raise ScoreError("X must have at least one column, got none")
        validate_data(self, X if hasattr(X, "shape") else features, skip_check_array=True)
        low, high = _ends("feature_range", self.feature_range, width)
        target, target_steps = _target(y, self.classes, self.target_range)
        if records != target.shape[0]:  # scikit-learn would say how many there are
            raise ScoreError("X and y must have the same number of records")
        scores = [Fraction(0)] * width
        if records:
            scores = feature_scores(features, low, high, target, target_steps)
        self.selection_ = self._selected(scores, self._payer(low, high))
        self.support_ = np.zeros(width, dtype=np.bool_)
        self.support_[list(self.selection_.indices or ())] = True
        self.plan_ = self.selection_.plan
        self.guarantee_ = self.selection_.guarantee
        return self

    def _check_declared(self, y: Any) -> None:
        """Refuse what was left out or said twice, before anything private is looked at."""
        checked_booking(self.booking)
        if y is None:
            raise ParameterError("fit requires y to be passed, but the target y is None")
        if self.feature_range is None:
            raise ParameterError(
                "feature_range must be given: a public pair (low, high) from what the columns "
                "mean, such as (0, 1); values outside are clamped into it"
            )
        if self.classes is None and self.target_range is None:
            raise ParameterError(
                "classes or target_range must be given: the labels of the target, such as "
                "('no', 'yes'), or the range (low, high) of a numeric one"
            )
        if self.classes is not None and self.target_range is not None:
            raise ParameterError("classes and target_range must not both be given")

    def _selected(self, scores: list[Fraction], booking: Booking | None) -> Selection:
        """Run the mechanism; one record moves each score by at most 1, up or down."""
        if booking is None:
            UNBOOKED.add(
                _check.positive("epsilon", self.epsilon), _check.probability("delta", self.delta)
            )
        release: Callable[..., Selection] = top
        if self.threshold is not None:
            release = partial(select, threshold=self.threshold)
        return release(
            scores,
            labels=getattr(self, "feature_names_in_", None),
            booking=booking,
            epsilon=self.epsilon,
            delta=self.delta,
            cutoff=min(_check.whole("cutoff", self.cutoff), len(scores)),
            sensitivity=1,
            monotonic=False,
        )

    def _payer(self, low: NDArray[np.float64], high: NDArray[np.float64]) -> Booking | None:
        """Say what is asked: a request must not get the answer to another question."""
        booking = checked_booking(self.booking)
        if booking is None:
            return None
        names = getattr(self, "feature_names_in_", np.empty(0)).tolist()
        target = self.target_range if self.classes is None else _labels(self.classes)
        asked = repr((low.tolist(), high.tolist(), names, self.classes is None, target))
        words = f"features among {len(low)} columns"
        return booking.about([asked], purpose=words, neighbours="row")

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self, "support_")
        return self.support_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = tags.input_tags.string = True
        tags.non_deterministic = True
        # The checks behind this ask for errors about records: that there are none, or a bad one.
        tags.no_validation = True
        return tags


class Unbooked:
    """What the fits of this process have cost that no ledger counts."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._fits, self._epsilon, self._delta = 0, Fraction(0), Fraction(0)

    def add(self, epsilon: Fraction, delta: Fraction) -> None:
        """Count a fit, and say what it adds up to; before it runs, so that it can be stopped."""
        with self._lock:
            fits, total, delta = self._fits + 1, self._epsilon + epsilon, self._delta + delta
            if fits > 1:
                also = f" and δ = {at_most_text(delta)}" if delta else ""
                warnings.warn(
                    f"fit number {fits} of this process without a ledger. Every fit spends anew, "
                    "also each fold and each candidate of a search: if they are about the same "
                    f"people, they cost ε = {at_most_text(total)}{also} together. With "
                    "booking=ledger.booking(dataset) it is kept count of, and refused when the "
                    "budget is used up",
                    BudgetWarning,
                    stacklevel=5,  # add, _selected, fit, its seal
                )
            self._fits, self._epsilon, self._delta = fits, total, delta


UNBOOKED = Unbooked()


def _target(y: Any, classes: Any, target_range: Any) -> tuple[NDArray[np.float64], int]:
    """Return the target as columns of whole numbers, and the largest number they may hold."""
    values = target_values(y)
    if classes is not None:
        return class_columns(values, _labels(classes)), 1
    low, high = _ends("target_range", target_range, 1)
    return scaled(numbers("y", values)[:, None], low, high), STEPS


def _ends(name: str, given: Any, width: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the ends of a declared range, one of each per column."""
    wish = f"{name} must be a pair (low, high), each a number or one number per column"
    try:
        low, high = (np.asarray(end, dtype=np.float64) for end in given)
        low, high = np.broadcast_to(low, width), np.broadcast_to(high, width)
    except (TypeError, ValueError):
        raise ParameterError(wish) from None
    with np.errstate(all="ignore"):
        width_of_range = high - low
    if not (np.isfinite(width_of_range).all() and (width_of_range > 0).all()):
        raise ParameterError(f"{name} must have finite ends with low < high")
    return low, high


def _labels(classes: Any) -> list[Any]:
    """Return the declared classes as plain Python values."""
    wish = "classes must list at least two different labels"
    if isinstance(classes, str | bytes):
        raise ParameterError(f"{wish}, got one text")
    try:
        labels = [one.item() if isinstance(one, np.generic) else one for one in classes]
        distinct = len(set(labels))
    except TypeError:
        raise ParameterError(wish) from None
    if distinct < 2 or distinct < len(labels):
        raise ParameterError(f"{wish}, got {distinct} among {len(labels)}")
    return labels
