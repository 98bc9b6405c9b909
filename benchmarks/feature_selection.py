"""How good the features are that a private selector finds in Adult, beside selectors that are not.

``python -m benchmarks feature_selection`` needs a9a.gz and a9a.t.gz in the folder that OVERBAR_DATA
names (``overbar datasets`` says where to get them). Each selector chooses among the 123 columns
of a9a; a logistic regression learns from the chosen ones, without privacy, and is tested on a9a.t.
"""

from __future__ import annotations

import os
import statistics
import warnings
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.datasets import load_svmlight_file
from sklearn.feature_selection import SelectKBest, chi2, f_classif
from sklearn.linear_model import LogisticRegression

from benchmarks import AbsentError
from overbar.errors import BudgetWarning
from overbar.integrations.sklearn import SparseVectorSelector

WIDTH, RUNS, SEED = 123, 20, 7
CUTOFFS = (5, 10, 20)
EPSILONS = ("1", "0.1", "0.03")

Mask = NDArray[np.bool_]
Table = tuple[csr_matrix, NDArray[np.float64]]


class Adult:
    """The data, and how accurate a logistic regression on some of its columns is."""

    def __init__(self, learn: Table, test: Table) -> None:
        self.learn, self.test = learn, test
        self.known: dict[bytes, float] = {}

    @classmethod
    def read(cls, folder: Path) -> Adult:
        files = [folder / "a9a.gz", folder / "a9a.t.gz"]
        if not all(file.is_file() for file in files):
            raise AbsentError("no a9a.gz and a9a.t.gz; set OVERBAR_DATA to their folder")
        return cls(*(load_svmlight_file(file, n_features=WIDTH) for file in files))

    @classmethod
    def drawn(cls, records: int) -> Adult:
        """Return made-up data of the same form, to see that all this runs."""
        generator = np.random.default_rng(SEED)

        def table() -> Table:
            labels = np.where(np.arange(records) % 2, 1.0, -1.0)
            return csr_matrix(generator.integers(0, 2, (records, WIDTH)) * 1.0), labels

        return cls(table(), table())

    def accuracy(self, mask: Mask) -> float:
        """Many runs choose the same columns; each set is learnt once."""
        key = mask.tobytes()
        if key not in self.known:
            learner = LogisticRegression(max_iter=2_000).fit(self.learn[0][:, mask], self.learn[1])
            self.known[key] = float(learner.score(self.test[0][:, mask], self.test[1]))
        return self.known[key]


def row(name: str, cutoff: int, plain: Mask, masks: list[Mask], adult: Adult) -> dict[str, object]:
    found = [adult.accuracy(mask) for mask in masks]
    return {
        "name": name,
        "features": cutoff,
        "runs": len(masks),
        "accuracy": statistics.mean(found),
        "lowest": min(found),
        "highest": max(found),
        "shared with f_classif": statistics.mean(float((mask & plain).sum()) for mask in masks),
    }


def rows(check: bool = False) -> list[dict[str, object]]:
    adult = Adult.drawn(40) if check else Adult.read(Path(os.environ.get("OVERBAR_DATA", "")))
    runs = 1 if check else RUNS
    features, labels = adult.learn
    generator = np.random.default_rng(SEED)
    everything = np.ones(WIDTH, dtype=bool)
    measured = [row("all features, not private", WIDTH, everything, [everything], adult)]
    for cutoff in CUTOFFS:
        plain = SelectKBest(f_classif, k=cutoff).fit(features, labels).get_support()
        other = SelectKBest(chi2, k=cutoff).fit(features, labels).get_support()
        measured.append(row("f_classif, not private", cutoff, plain, [plain], adult))
        measured.append(row("chi2, not private", cutoff, plain, [other], adult))
        for epsilon in EPSILONS:
            chosen = SparseVectorSelector(
                epsilon=epsilon, cutoff=cutoff, feature_range=(0, 1), classes=(-1, 1)
            )
            with warnings.catch_warnings():  # many runs are the point, on data that is public
                warnings.simplefilter("ignore", BudgetWarning)
                masks = [chosen.fit(features, labels).support_ for _ in range(runs)]
            measured.append(row(f"private, ε = {epsilon}", cutoff, plain, masks, adult))
        random = [generator.permutation(WIDTH) < cutoff for _ in range(runs)]
        measured.append(row("random features", cutoff, plain, random, adult))
    most_frequent = float(np.mean(adult.test[1] == -1))
    measured.append({"name": "always the larger class", "features": 0, "accuracy": most_frequent})
    return measured
