"""The public list: what `import overbar` promises, and nothing else."""

import inspect

import overbar
from overbar import frames

NAMES = {
    "ApproximateDP", "Booking", "BudgetError", "Count", "HaltedError", "Ledger", "LedgerError",
    "MissingExtraError", "NoGuaranteeError", "OverbarError", "ParameterError", "Plan", "PureDP",
    "Requeue", "ScoreError", "SecrecyError", "Selection", "SparseVector", "calibrate",
    "calibrate_top", "frames", "guarantee", "select", "simulate", "top",
}  # fmt: skip


def test_the_public_names():
    assert set(overbar.__all__) == NAMES
    assert set(dir(overbar)) == NAMES | {"__version__"}
    assert overbar.__all__ == sorted(overbar.__all__)
    classes = {"DatabaseTable", "KeyQuestion", "Keys", "OwnerCheck", "Question"}
    assert set(frames.__all__) == classes | {"check", "keys", "select", "top"}


def test_no_release_takes_a_bundle_of_parameters():
    """What is not spelled out cannot be seen by help(), and a typo in it goes unnoticed."""
    for call in (
        overbar.select, overbar.top, overbar.calibrate, overbar.calibrate_top, frames.select,
        frames.top, frames.Question.select, frames.Question.top, overbar.SparseVector,
    ):  # fmt: skip
        told = inspect.signature(call).parameters
        kinds = {one.kind for one in told.values()}
        assert inspect.Parameter.VAR_KEYWORD not in kinds, call
        if call is not overbar.SparseVector:
            assert {"epsilon", "cutoff", "delta", "sensitivity", "monotonic", "noise"} <= set(told)
    asked = set(inspect.signature(frames.keys).parameters) - {"frame", "booking"}
    assert set(inspect.signature(frames.KeyQuestion.of).parameters) == asked
