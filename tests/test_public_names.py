"""The public list: what `import overbar` promises, and nothing else."""

import inspect
import sys

import pytest

import overbar
from overbar import frames
from tools.public_modules import public_objects

NAMES = {
    "ApproximateDP", "Booking", "BudgetError", "Count", "HaltedError", "Ledger", "LedgerError",
    "MissingExtraError", "Monitor", "NoGuaranteeError", "OverbarError", "ParameterError", "Plan",
    "PureDP", "Requeue", "ScoreError", "SecrecyError", "Selection", "SparseVector", "SparseVectors",
    "frames",
    "guarantee", "plan", "select", "top",
}  # fmt: skip


def test_the_public_names():
    assert set(overbar.__all__) == NAMES
    assert set(dir(overbar)) == NAMES | {"__version__"}
    assert overbar.__all__ == sorted(overbar.__all__)
    named = {name for module, name, _ in public_objects() if not module.startswith("overbar_lab")}
    assert len(named) <= 89
    classes = {"DatabaseTable", "OwnerCheck", "Question"}
    assert set(frames.__all__) == classes | {
        *("check", "keys", "select", "top", "watch"),
    }


#: Every choice of a plan beside the question and the privacy: it is made in `plan` alone.
EXPERT = {
    "mechanism", "noise", "threshold_noise", "correction", "tolerance", "rounds", "allocation",
    "resample", "max_queries", "upper_bound", "grid", "reach",
}  # fmt: skip


def test_no_release_takes_a_bundle_of_parameters():
    """What is not spelled out cannot be seen by help(), and a typo in it goes unnoticed."""
    for call in (
        overbar.select, overbar.top, overbar.plan, frames.select, frames.top,
        frames.Question.select, frames.Question.top, overbar.SparseVector,
    ):  # fmt: skip
        told = inspect.signature(call).parameters
        kinds = {one.kind for one in told.values()}
        assert inspect.Parameter.VAR_KEYWORD not in kinds, call
        assert {"epsilon", "cutoff", "delta", "sensitivity"} <= set(told)
        # A table says by two numbers whether scores move in one direction.
        assert ("monotonic" in told) != (call.__module__.startswith("overbar.frames"))
        assert call is overbar.plan or not EXPERT & set(told)
    for call in (overbar.SparseVectors, overbar.Monitor):  # of a plan alone
        told = inspect.signature(call).parameters
        assert "plan" in told
        assert not {"epsilon", *EXPERT} & set(told)
    assert set(inspect.signature(overbar.plan).parameters) >= EXPERT
    assert len(inspect.signature(overbar.select).parameters) <= 13
    assert len(inspect.signature(frames.select).parameters) <= 21
    asked = set(inspect.signature(frames.keys).parameters) - {"frame", "booking"}
    assert set(inspect.signature(frames.Question.keys).parameters) == asked


#: Rooms for studies: there it is left to Python itself, which does so from 3.13 on.
STUDIES = ("overbar.privacy", "overbar.audit", "overbar_lab")
#: What users make by hand or call on something; everything else in the reference is given back.
MADE = {
    "Booking": overbar.Booking,
    "Ledger": overbar.Ledger,
    "Plan": overbar.Plan,
    "Requeue": overbar.Requeue,
    "SparseVector": overbar.SparseVector,
    "SparseVectors": overbar.SparseVectors,
    "DatabaseTable": frames.DatabaseTable,
    "Question.select": frames.Question.select,
    "Question.top": frames.Question.top,
    "Question.keys": frames.Question.keys,
    "Ledger.open": overbar.Ledger.open,
    "Ledger.booking": overbar.Ledger.booking,
    "Ledger.reserve": overbar.Ledger.reserve,
    "Booking.spend": overbar.Booking.spend,
}


def callables():
    """Every public function of two parameters or more, and what users make."""
    found = {}
    for module, name, value in public_objects():
        left = module.startswith(STUDIES) and sys.version_info < (3, 13)
        if inspect.isfunction(value) and len(inspect.signature(value).parameters) > 1 and not left:
            found.setdefault(value, f"{module}.{name}")
    return {
        **{name: value for value, name in found.items()},
        **MADE,
    }


@pytest.mark.parametrize("name", callables())
def test_a_misspelt_keyword_is_named_with_the_one_that_was_meant(name):
    call = callables()[name]
    for one in inspect.signature(call).parameters.values():
        if one.kind is not one.POSITIONAL_ONLY and len(one.name) > 3 and one.name != "self":
            typo = one.name[:-1] + "z" + one.name[-1]
            with pytest.raises(TypeError, match=f"(?i){typo!r}[;.] did you mean '{one.name}'"):
                call(**{typo: 1})
