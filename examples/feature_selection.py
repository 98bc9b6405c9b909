"""Which questions of a survey to learn from, chosen privately: scores of one's own.

    python examples/feature_selection.py

Each person answers a hundred questions with yes or no, and is ill or well. The score of a question
is by how many persons more its answers agree with being ill than disagree, or the other way round.
One person agrees or disagrees once with each question, so whoever comes or goes moves every score
by 1, some up and some down: `sensitivity=1`, and not `monotonic`.
"""

import numpy as np

import overbar

EPSILON, FEATURES = 1, 10


def survey(people, seed):
    """Yes or no to a hundred questions, of which every tenth has to do with illness."""
    generator = np.random.default_rng(seed)
    answers = generator.integers(0, 2, size=(people, 100))
    burden = answers[:, ::10].sum(axis=1) + generator.normal(0, 1, size=people)
    return answers, burden > 5


def scores(answers, ill):
    """How clearly each question tells the ill from the well, in persons."""
    agree = (answers == ill[:, None]).sum(axis=0)
    return np.abs(2 * agree - len(ill))


def accuracy(columns, learn, test):
    """How many persons of `test` a line through these columns of `learn` gets right."""
    (answers, ill), (others, truth) = learn, test
    table = np.column_stack([np.ones(len(ill)), answers[:, columns]])
    line = np.linalg.lstsq(table, ill, rcond=None)[0]
    return np.mean((line[0] + others[:, columns] @ line[1:] > 1 / 2) == truth)


learn, test = survey(20_000, seed=1), survey(5_000, seed=2)
measured = scores(*learn)
chosen = overbar.top(measured, cutoff=FEATURES, epsilon=EPSILON, sensitivity=1)
print(f"{chosen}\n")

best = np.argsort(-measured)[:FEATURES]
print(f"Accuracy on new persons with {FEATURES} of {learn[0].shape[1]} questions")
print(f"  chosen privately       {accuracy(list(chosen), learn, test):.3f}")
print(f"  chosen without privacy {accuracy(best, learn, test):.3f}")
print("\nOnly the choice of questions is private: the line is learnt from the answers.")
