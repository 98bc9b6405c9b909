"""Private feature selection as a scikit-learn estimator."""

from __future__ import annotations

import importlib
import os
import pickle
import runpy
import sys
import traceback
import warnings
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas
import pytest
from scipy import sparse

import overbar
from overbar.errors import (
    BudgetError,
    BudgetWarning,
    LedgerError,
    MissingExtraError,
    ParameterError,
    ScoreError,
)

pytest.importorskip("sklearn")

from sklearn.base import clone
from sklearn.datasets import load_svmlight_file
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator

from overbar.integrations import sklearn as sklearn_module
from overbar.integrations.sklearn import SparseVectorSelector

BESIDE = Path(__file__).resolve().parents[2].parent / "shared" / "data"
#: What a fitted selector may hold beside its parameters: public, all of it.
PUBLIC = {"support_", "selection_", "plan_", "guarantee_", "n_features_in_", "feature_names_in_"}


def checked(estimator, **more):
    """Run every check of scikit-learn, which raises where one fails; return which were skipped."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the checks feed odd shapes
        found = check_estimator(estimator, on_skip=None, **more)
    assert len(found) > 30
    return {one["check_name"] for one in found if one["status"] == "skipped"}


@pytest.mark.parametrize(
    "changes",
    [
        {"target_range": (0, 2)},
        {"target_range": (0, 2), "threshold": 3, "epsilon": 100},
        {"classes": (0, 1, 2), "delta": "1e-6"},
    ],
)
def test_what_scikit_learn_asks_of_an_estimator(changes):
    # Whatever compares two fits is skipped for an estimator that says it draws anew.
    assert checked(SparseVectorSelector(feature_range=(-3, 3), **changes)) <= {
        "check_array_api_input", "check_pipeline_consistency", "check_transformer_general",
    }  # fmt: skip


class Certain(SparseVectorSelector):
    """With no more columns than the cutoff the answer is certain, and may be compared.

    It asks to be checked for validation as well; only that no records raise nothing is on purpose.
    """

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.non_deterministic = tags.no_validation = False
        return tags


def test_what_it_asks_of_deterministic_ones_holds_where_the_answer_is_certain():
    chosen = Certain(cutoff=1_000, feature_range=(-3, 3), target_range=(0, 2))
    empty = {"check_estimators_empty_data_messages": "that there are no records is private"}
    assert checked(chosen, expected_failed_checks=empty) <= {"check_array_api_input"}


def planted(records=20_000, width=40, seed=3):
    """Coins, of which 4 and 11 decide the label."""
    features = np.random.default_rng(seed).integers(0, 2, size=(records, width))
    return features, np.where(features[:, 4] & features[:, 11], "yes", "no")


def selector(**changes):
    chosen = {"cutoff": 2, "feature_range": (0, 1), "classes": ("no", "yes")}
    return SparseVectorSelector(**chosen | changes)


def test_it_finds_what_decides_the_label():
    features, labels = planted()
    fitted = selector(epsilon=1).fit(features, labels)
    assert fitted.get_support(indices=True).tolist() == [4, 11]
    assert fitted.transform(features).tolist() == features[:, [4, 11]].tolist()
    assert fitted.guarantee_ == overbar.guarantee(fitted.plan_)
    assert fitted.guarantee_.at() == 1
    assert fitted.selection_.spent == 1
    # The theorem about the scores: one record moves each by less than 1, up or down.
    assert fitted.plan_.reach.most == 1
    assert not fitted.plan_.reach.one_way


def test_without_privacy_to_spare_it_finds_nothing():
    """The control: at a tiny ε the planted columns are hidden."""
    features, labels = planted(records=200)
    found = [tuple(selector(epsilon="1e-6").fit(features, labels).support_) for _ in range(20)]
    assert len(set(found)) > 10


@pytest.mark.parametrize(
    "form", [np.asarray, sparse.csr_matrix, sparse.csc_array, pandas.DataFrame]
)
def test_every_form_of_table(form):
    features, labels = planted()
    fitted = selector().fit(form(features), labels)
    assert fitted.get_support(indices=True).tolist() == [4, 11]


def test_names_are_kept():
    features, labels = planted(width=12)
    frame = pandas.DataFrame(features, columns=[f"coin {number}" for number in range(12)])
    fitted = selector().set_output(transform="pandas").fit(frame, pandas.Series(labels))
    assert set(fitted.selection_.labels) == {"coin 4", "coin 11"}
    assert fitted.get_feature_names_out().tolist() == ["coin 4", "coin 11"]
    assert fitted.transform(frame).columns.tolist() == ["coin 4", "coin 11"]


def test_only_what_is_above_the_threshold():
    features, labels = planted()
    # Both columns have a covariance of 1/8 with the label: 2,500 records beyond independence.
    fitted = selector(cutoff=5, threshold=1_500).fit(features, labels)
    assert fitted.get_support(indices=True).tolist() == [4, 11]
    assert fitted.selection_.spent < 1
    assert selector(cutoff=5, threshold=5_000).fit(features, labels).support_.sum() == 0


def test_a_numeric_target_and_ranges_of_every_feature():
    generator = np.random.default_rng(8)
    features = generator.uniform(size=(20_000, 6)) * [1, 10, 100, 1_000, 10_000, 100_000]
    target = features[:, 1] - features[:, 4] / 1_000 + generator.normal(size=20_000)
    ranges = (np.zeros(6), [1, 10, 100, 1_000, 10_000, 100_000])
    chosen = SparseVectorSelector(cutoff=2, feature_range=ranges, target_range=(-10, 10))
    fitted = make_pipeline(chosen, LinearRegression()).fit(features, target)
    assert fitted[0].get_support(indices=True).tolist() == [1, 4]
    assert fitted.score(features, target) > 0.9


def test_approximate_privacy_with_three_classes():
    features, _ = planted()
    labels = features[:, 4] + features[:, 11]
    fitted = selector(classes=np.arange(3), delta="1e-6").fit(features, labels)
    assert fitted.get_support(indices=True).tolist() == [4, 11]
    assert fitted.guarantee_.at(Fraction(1, 10**6)) <= 1


def test_missing_and_infinite_values_raise_nothing():
    features, labels = planted()
    holed = features.astype(float)
    holed[::7, 4], holed[::5, 11], holed[0, 0] = np.nan, np.inf, -np.inf
    undeclared = labels.astype(object)
    undeclared[::9], undeclared[1::9] = None, "perhaps"
    with np.errstate(all="raise"):
        fitted = selector().fit(holed, undeclared)
        selector(classes=None, target_range=(0, 1)).fit(holed, np.full(len(holed), np.nan))
    assert fitted.get_support(indices=True).tolist() == [4, 11]
    assert fitted.transform(holed).shape == (20_000, 2)


def test_it_keeps_nothing_private():
    features, labels = planted()
    fitted = selector(threshold=1_500).fit(pandas.DataFrame(features).add_prefix("c"), labels)
    assert set(vars(fitted)) - set(fitted.get_params()) == PUBLIC
    again = pickle.loads(pickle.dumps(fitted))
    assert again.selection_ == fitted.selection_
    assert repr(again) == repr(fitted)
    unfitted = clone(fitted)
    assert not set(vars(unfitted)) & PUBLIC


def test_a_ledger_pays(tmp_path):
    features, labels = planted()
    ledger = overbar.Ledger(tmp_path / "budgets.db")
    ledger.open("coins", epsilon=1, neighbours="row")
    paid = selector(epsilon="0.4", booking=ledger.booking("coins", request_id="first"))
    found = paid.fit(features, labels).selection_
    assert ledger.remaining("coins") == Fraction(3, 5)
    # A clone with the same request gives the stored answer, whatever the records are now.
    again = clone(paid).fit(features[:50], labels[:50])
    assert again.selection_.indices == found.indices
    assert again.support_.tolist() == paid.support_.tolist()
    assert ledger.remaining("coins") == Fraction(3, 5)
    clone(paid).set_params(booking=ledger.booking("coins")).fit(features, labels)
    assert ledger.remaining("coins") == Fraction(1, 5)
    with pytest.raises(BudgetError):
        clone(paid).set_params(booking=ledger.booking("coins", request_id="second")).fit(
            features, labels
        )


@pytest.fixture
def count_anew(monkeypatch):
    monkeypatch.setattr(sklearn_module, "UNBOOKED", sklearn_module.Unbooked())


@pytest.mark.filterwarnings("always::overbar.errors.BudgetWarning")
def test_every_fit_without_a_ledger_says_what_they_cost_together(count_anew):
    features, labels = planted(records=60, width=12)
    chosen = selector(epsilon="0.1", delta="1e-9")
    search = GridSearchCV(
        make_pipeline(chosen, LogisticRegression()),
        {"sparsevectorselector__cutoff": [1, 2, 3]},
        cv=6,
    )
    with warnings.catch_warnings(record=True) as caught:
        search.fit(features, labels)
    told = [str(one.message) for one in caught if one.category is BudgetWarning]
    assert len(told) == 18  # of 19 fits
    assert told[0].startswith("fit number 2 of this process without a ledger")
    assert "cost ε = 0.2 and δ = 2e-9 together" in told[0]
    assert "fit number 19 " in told[-1]
    assert "cost ε = 1.9 and δ = 1.9e-8 together" in told[-1]


@pytest.mark.filterwarnings("error::overbar.errors.BudgetWarning")
def test_made_an_error_it_stops_a_second_fit_before_anything_is_spent(count_anew, tmp_path):
    features, labels = planted(records=60, width=12)
    once = selector().fit(features, labels)
    kept = once.selection_
    for _ in range(2):
        with pytest.raises(BudgetWarning, match=r"fit number 2 .* cost ε = 2 together"):
            once.fit(features, labels)
    assert once.selection_ is kept
    # A ledger counts by itself, and refuses.
    ledger = overbar.Ledger(tmp_path / "budgets.db")
    ledger.open("coins", epsilon=2, neighbours="row")
    paid = selector(booking=ledger.booking("coins"))
    paid.fit(features, labels)
    clone(paid).fit(features, labels)
    with pytest.raises(BudgetError):
        clone(paid).fit(features, labels)


@pytest.mark.parametrize(
    ("changes", "width"),
    [
        ({}, 39),
        ({"feature_range": (0, 2)}, 40),
        ({"classes": ("yes", "no", "perhaps")}, 40),
        ({"classes": None, "target_range": (0, 1)}, 40),
        ({"cutoff": 1}, 40),
    ],
)
def test_a_request_does_not_answer_another_question(tmp_path, changes, width):
    features, labels = planted(records=100)
    ledger = overbar.Ledger(tmp_path / "budgets.db")
    ledger.open("coins", epsilon=9, neighbours="row")
    booked = {"booking": ledger.booking("coins", request_id="first")}
    selector(**booked).fit(features, labels)
    target = labels if changes.get("classes", "") is not None else np.arange(100)
    with pytest.raises(LedgerError, match="was made before with another"):
        selector(**booked | changes).fit(features[:, :width], target)


def test_one_odd_label_in_a_list_does_not_change_the_others():
    """NumPy makes text of a whole list if one of its values is text."""
    x = np.random.default_rng(5).integers(0, 2, size=(4000, 4))
    selector = SparseVectorSelector(
        epsilon=1, cutoff=1, threshold=500, feature_range=(0, 1), classes=(0, 1)
    )
    for odd in ("what", None, 1.5, (1, 2), b"1"):
        for form in (list, tuple):
            y = form([odd, *x[1:, 2].tolist()])
            assert selector.fit(x, y).get_support(indices=True).tolist() == [2], odd


def test_no_error_says_how_many_records_there_are():
    x, y = np.zeros((1733, 2)), np.zeros(1733)
    selector = SparseVectorSelector(cutoff=1, feature_range=(0, 1), target_range=(0, 1))
    for target in (y[1:], np.c_[y, y], y.astype(complex), np.zeros((1733, 2, 2))):
        with pytest.raises(ScoreError) as error:
            selector.fit(x, target)
        assert "173" not in str(error.value)


def test_a_failed_fit_is_no_fit():
    failing = selector(epsilon=-1)
    with pytest.raises(ParameterError):
        failing.fit(*planted(records=10))
    with pytest.raises(NotFittedError):
        failing.get_support()


MARK = 73_190_217.25


@pytest.mark.parametrize(
    ("features", "target"),
    [
        ([MARK, MARK], [0, 1]),
        ([[complex(MARK)]] * 2, [0, 1]),
        ([[[MARK]]] * 2, [0, 1]),
        ([[MARK]] * 2, None),
        ([[MARK]] * 2, [MARK]),
        ([[MARK]] * 2, np.array([[MARK, MARK]] * 2)),
    ],
)
def test_no_failure_shows_the_data(features, target):
    with pytest.raises(ValueError) as caught:
        selector(classes=None, target_range=(0, 1)).fit(np.array(features), target)
    trace = caught.value.__traceback__.tb_next  # the frame of this test is the caller's own
    frames = traceback.TracebackException(ValueError, caught.value, trace, capture_locals=True)
    assert "73190217" not in "".join(frames.format())


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"feature_range": None}, "feature_range must be given: a public pair"),
        ({"classes": None}, "classes or target_range must be given"),
        ({"target_range": (0, 1)}, "classes and target_range must not both be given"),
        ({"feature_range": 3}, "feature_range must be a pair"),
        ({"feature_range": (1, 0)}, "feature_range must have finite ends with low < high"),
        ({"feature_range": (0, np.inf)}, "feature_range must have finite ends"),
        ({"feature_range": (-1e308, 1e308)}, "feature_range must have finite ends"),
        ({"feature_range": ([0, 0], 1)}, "feature_range must be a pair"),
        ({"classes": None, "target_range": (0, 0)}, "target_range must have finite ends"),
        ({"classes": "yes"}, "classes must list at least two different labels, got one text"),
        ({"classes": ("yes",)}, "got 1 among 1"),
        ({"classes": ("yes", "yes", "no")}, "got 2 among 3"),
        ({"classes": 2}, "classes must list at least two"),
        ({"cutoff": 0}, "cutoff must be a positive whole number, got 0"),
        ({"epsilon": -1}, "epsilon must be positive, got -1"),
    ],
)
def test_bad_parameters_are_refused(changes, message):
    with pytest.raises(ParameterError, match=message):
        selector(**changes).fit(*planted(records=10))


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.base", None)
    monkeypatch.delitem(sys.modules, "overbar.integrations.sklearn")
    with pytest.raises(MissingExtraError, match=r"pip install 'overbar\[sklearn\]'"):
        importlib.import_module("overbar.integrations.sklearn")


def test_the_example_finds_the_questions_that_matter(monkeypatch, capsys):
    example = Path(__file__).parents[2] / "examples" / "feature_selection.py"
    monkeypatch.setattr(sys, "argv", [str(example)])
    found = runpy.run_path(str(example))["selector"]
    assert found.get_support(indices=True).tolist() == list(range(0, 100, 10))
    assert "chosen privately       0.8" in capsys.readouterr().out


@pytest.fixture(scope="module")
def adult():
    """Adult, to learn from and to test on; skipped where its files are not."""
    folder = Path(os.environ.get("OVERBAR_DATA") or BESIDE)
    files = [folder / "a9a.gz", folder / "a9a.t.gz"]
    if not all(file.is_file() for file in files):
        pytest.skip("no a9a.gz and a9a.t.gz: set OVERBAR_DATA to a folder that has them")
    return [load_svmlight_file(file, n_features=123) for file in files]


def test_useful_features_of_adult_at_epsilon_one(adult):
    (features, labels), (new_features, new_labels) = adult
    private = SparseVectorSelector(epsilon=1, cutoff=10, feature_range=(0, 1), classes=(-1, 1))
    plain = SelectKBest(f_classif, k=10)
    accuracy = {}
    for name, chosen in (("private", private), ("plain", plain)):
        learner = make_pipeline(chosen, LogisticRegression(max_iter=1_000))
        accuracy[name] = learner.fit(features, labels).score(new_features, new_labels)
    most_frequent = np.mean(new_labels == -1)
    assert accuracy["plain"] - 0.02 < accuracy["private"]
    assert accuracy["private"] > most_frequent + 0.04
