"""Which columns to learn from, chosen privately, in a scikit-learn pipeline.

    python examples/feature_selection.py               made-up survey, the truth is shown
    python examples/feature_selection.py a9a a9a.t     Adult, as LIBSVM files (plain or .gz)

Needs `pip install '.[sklearn]'`.
"""

import sys

import numpy as np
from sklearn.datasets import load_svmlight_file
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from overbar.integrations.sklearn import SparseVectorSelector

EPSILON, FEATURES = 1, 10


def survey(people, seed):
    """Answers from 1 to 5 to a hundred questions, of which every tenth has to do with illness."""
    generator = np.random.default_rng(seed)
    answers = generator.integers(1, 6, size=(people, 100))
    burden = answers[:, ::10].sum(axis=1) + generator.normal(0, 4, size=people)
    return answers, np.where(burden > 33, "ill", "well")


if len(sys.argv) == 3:
    (x, y), (x_new, y_new) = (load_svmlight_file(file, n_features=123) for file in sys.argv[1:])
    feature_range, classes = (0, 1), (-1, 1)
else:
    (x, y), (x_new, y_new) = survey(20_000, seed=1), survey(5_000, seed=2)
    feature_range, classes = (1, 5), ("ill", "well")

# Ranges and classes are declared from what the columns mean, never read off the data.
selector = SparseVectorSelector(
    epsilon=EPSILON, cutoff=FEATURES, feature_range=feature_range, classes=classes
)
private = make_pipeline(selector, LogisticRegression(max_iter=1_000)).fit(x, y)  # spends ε once
print(f"{selector.selection_}\n")

plain = make_pipeline(SelectKBest(k=FEATURES), LogisticRegression(max_iter=1_000)).fit(x, y)
print(f"Accuracy on new records with {FEATURES} of {x.shape[1]} features")
print(f"  chosen privately       {private.score(x_new, y_new):.3f}")
print(f"  chosen without privacy {plain.score(x_new, y_new):.3f}")
print("\nOnly the choice of columns is private: the regression learns from the records.")
