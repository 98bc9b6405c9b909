"""Private feature selection for scikit-learn: which columns go with the target.

>>> import numpy as np
>>> from overbar.integrations.sklearn import SparseVectorSelector
>>> x = np.random.default_rng(1).integers(0, 2, size=(20_000, 30))
>>> y = np.where(x[:, 7] + x[:, 21] == 2, "yes", "no")
>>> selector = SparseVectorSelector(
...     epsilon=1, cutoff=2, feature_range=(0, 1), classes=("no", "yes"))
>>> selector.fit(x, y).get_support(indices=True), selector.guarantee_
(array([ 7, 21]), PureDP(epsilon=1))

Needs ``pip install 'overbar[sklearn]'``. The scores, and the proof of how far one record moves
them, are in :mod:`overbar.integrations.feature_scores`.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from overbar import _check
from overbar._check import Number
from overbar.errors import MissingExtraError, ParameterError, ScoreError
from overbar.integrations.feature_scores import (
    STEPS,
    class_columns,
    feature_scores,
    scaled,
    whole_entries,
)
from overbar.ledger import Ledger
from overbar.mechanism import Selection, select, top
from overbar.mechanism.secrecy import sealed

try:
    from sklearn.base import BaseEstimator
    from sklearn.feature_selection import SelectorMixin
    from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data
except ImportError as error:
    raise MissingExtraError(
        "scikit-learn 1.6 or newer is not installed; write: pip install 'overbar[sklearn]'"
    ) from error

__all__ = ["SparseVectorSelector"]

#: A public number above every score: a score is at most a quarter of the number of records, and
#: this is far beyond any table. Far too high costs nothing.
UPPER_BOUND = 10**12
#: What scikit-learn says about shapes, which are public. Its other messages may quote the data.
PUBLIC_MESSAGES = ("Found array with", "X has ", "Complex data not supported", "Expected 2D array")


class SparseVectorSelector(SelectorMixin, BaseEstimator):  # type: ignore[misc]  # sklearn: no types
    """Select features by how they go with the target, with differential privacy.

    Two data sets are neighbours if one has one record (row) more. What is private is which records
    there are, with everything in them. What is public: the parameters, the number, names and
    types of the columns, and that there is at least one record.

    Parameters
    ----------
    epsilon, delta
        The privacy of one `fit`. ``delta=0`` asks for pure differential privacy.
    cutoff
        How many features to select; with a threshold, how many at most. If there are fewer
        columns, all of them.
    threshold
        None to select the features with the highest scores. A number to select features whose
        score is above it. For a feature of zeros and ones and two classes the score is the number
        of records that have both the feature and the class beyond (or below) what independence
        would give; in general it is the number of records times the covariance, with feature and
        target scaled to [0, 1].
    feature_range
        The declared range (low, high) of the features: two numbers, or a sequence of them on either
        side with one for each feature. Values outside count as the nearer end, infinities too, and
        NaN as the middle. Declare it from what the columns mean, never from the data: no
        error can tell you that it does not fit. The narrower, the clearer the scores.
    classes
        The declared labels of the target, for classification. Records with another label count
        for no class.
    target_range
        Without `classes`, the declared range (low, high) of a numeric target.
    noise
        As for :func:`overbar.calibrate`.
    ledger, dataset, request
        As for :func:`overbar.select`: the :class:`overbar.Ledger` that pays, the name of the
        dataset in it, and an id of your own. The same request again gives the stored answer again
        and costs nothing, whatever records are given; with other columns or other declarations
        it is refused.

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
    candidates, costs five times as much on the same people. Noise comes from the operating system,
    so there is no `random_state`, and two fits may differ. With a ledger nothing is overspent; with
    a request id too, every later fit and every clone repeats the first answer, so that folds
    then share features which were selected on the first one.

    Only which columns are selected is private. What `transform` returns is the data itself, and an
    estimator further down a pipeline that learns from it needs privacy of its own.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> x = np.random.default_rng(2).uniform(-1, 1, size=(10_000, 8))
    >>> y = x[:, 3] > 0
    >>> selector = SparseVectorSelector(epsilon=1, cutoff=1, classes=(False, True))
    >>> make_pipeline(selector, LogisticRegression()).fit(x, y).score(x, y) > 0.9
    True
    """

    def __init__(
        self,
        *,
        epsilon: Number = 1,
        delta: Number = 0,
        cutoff: int = 10,
        threshold: Number | None = None,
        feature_range: Any = (-1, 1),
        classes: Any = None,
        target_range: Any = (-1, 1),
        noise: str = "auto",
        ledger: Ledger | None = None,
        dataset: str | None = None,
        request: str | None = None,
    ) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.cutoff = cutoff
        self.threshold = threshold
        self.feature_range = feature_range
        self.classes = classes
        self.target_range = target_range
        self.noise = noise
        self.ledger = ledger
        self.dataset = dataset
        self.request = request

    @sealed
    def fit(self, X: Any, y: Any = None) -> SparseVectorSelector:
        """Score the features, select some of them privately, and forget the scores.

        Parameters
        ----------
        X
            A row per record and a column per feature; sparse matrices stay sparse.
        y
            The target of each record.
        """
        features = _features(self, X)
        width = features.shape[1]
        low, high = _ends("feature_range", self.feature_range, width)
        target, target_steps = _target(y, self.classes, self.target_range)
        if features.shape[0] != target.shape[0]:  # scikit-learn would say how many there are
            raise ScoreError("X and y must have the same number of records")
        scores = feature_scores(features, low, high, target, target_steps)
        self.selection_ = self._selected(scores, self._purpose(low, high))
        self.support_ = np.zeros(width, dtype=np.bool_)
        self.support_[list(self.selection_.indices or ())] = True
        self.plan_ = self.selection_.plan
        self.guarantee_ = self.selection_.guarantee
        return self

    def _selected(self, scores: list[Fraction], purpose: str) -> Selection:
        """Run the mechanism; one record moves each score by at most 1, up or down."""
        release = (
            partial(top, upper_bound=UPPER_BOUND)
            if self.threshold is None
            else partial(select, threshold=self.threshold)
        )
        return release(
            scores,
            labels=getattr(self, "feature_names_in_", None),
            ledger=self.ledger,
            dataset=self.dataset,
            request=self.request,
            purpose="" if self.ledger is None else purpose,
            epsilon=self.epsilon,
            delta=self.delta,
            cutoff=min(_check.whole("cutoff", self.cutoff), len(scores)),
            sensitivity=1,
            monotonic=False,
            noise=self.noise,
        )

    def _purpose(self, low: NDArray[np.float64], high: NDArray[np.float64]) -> str:
        """Say in a line what is asked: a request must not get the answer to another question."""
        names = getattr(self, "feature_names_in_", np.empty(0)).tolist()
        target = self.target_range if self.classes is None else _labels(self.classes)
        asked = repr((low.tolist(), high.tolist(), names, self.classes is None, target))
        return f"features among {len(low)} columns, {sha256(asked.encode()).hexdigest()[:32]}"

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self, "support_")
        return self.support_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        tags.non_deterministic = True
        return tags


def _features(selector: SparseVectorSelector, X: Any) -> Any:
    """Return the features as numbers, and note their number and names on the selector."""
    try:
        return validate_data(
            selector,
            whole_entries(X) if sparse.issparse(X) else X,
            accept_sparse="csr",
            dtype=(np.float64, np.float32),
            ensure_all_finite=False,
        )
    except ValueError as error:
        first = str(error).partition("\n")[0]
        if first.startswith(PUBLIC_MESSAGES):
            raise ScoreError(first) from None
        raise ScoreError("X must be a two-dimensional table of numbers") from None


def _target(y: Any, classes: Any, target_range: Any) -> tuple[NDArray[np.float64], int]:
    """Return the target as columns of whole numbers, and the largest number they may hold."""
    if y is None:
        raise ParameterError("fit requires y to be passed, but the target y is None")
    values = _values(y)
    if classes is not None:
        return class_columns(values, _labels(classes)), 1
    low, high = _ends("target_range", target_range, 1)
    try:
        numbers = values.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ScoreError("y must hold numbers; for labels, declare classes=(...)") from None
    return scaled(numbers[:, None], low, high), STEPS


def _values(y: Any) -> NDArray[Any]:
    """Return the target as a column, each value as it is.

    A list has no type of its own, and NumPy would give it one by what is in it: a single record
    with text for a label would make everyone's label a text.
    """
    column: Any = np.array(y, dtype=np.object_) if isinstance(y, list | tuple) else y
    try:
        values: NDArray[Any] = column_or_1d(column, warn=True)
    except ValueError:  # its message may quote the data, or tell how many records there are
        raise ScoreError("y must be one-dimensional: one value for each record") from None
    return values


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
