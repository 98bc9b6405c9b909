"""A message names a parameter as its reader writes it: in Python, or on the command line."""

from __future__ import annotations

import copy
import pickle

import pytest

from overbar import _check
from overbar.errors import BudgetError, NoGuaranteeError, OverbarError, ParameterError, named
from overbar.frames import Question
from tests.queue_plans import queue_plan


def refused(work) -> OverbarError:
    with pytest.raises(OverbarError) as caught:
        work()
    return caught.value


def test_a_parameter_is_written_for_its_reader():
    error = refused(
        lambda: queue_plan(epsilon=1, delta="1e-6", cutoff=5, candidates=9, noise="exponential")
    )
    assert isinstance(error, NoGuaranteeError)
    assert str(error).startswith("noise='exponential' with delta > 0 has no proof")
    assert str(error).endswith("Write noise='gumbel', resample=True, or delta=0")
    assert error.as_typed().startswith("--noise exponential with delta > 0 has no proof")
    assert error.as_typed().endswith("Write --noise gumbel, --resample, or --delta 0")


@pytest.mark.parametrize(
    ("work", "python", "typed"),
    [
        (
            lambda: _check.positive("epsilon", "x"),
            "epsilon must be a number such as 1, '0.1' or '1/3', got 'x'",
            "--epsilon must be a number such as 1, 0.1 or 1/3, got 'x'",
        ),
        (
            lambda: _check.choice("order", "up", ("random", "given")),
            "order must be one of 'random', 'given', got 'up'",
            "--order must be one of random, given, got 'up'",
        ),
        (
            lambda: _check.whole("--cutoff", "0"),
            "--cutoff must be a positive whole number, got '0'",
            "--cutoff must be a positive whole number, got '0'",
        ),
        (
            lambda: Question.select(item="a", person="b", threshold=1),
            "delta must be positive without a catalogue: an item that only one person holds",
            "--delta must be positive without a catalogue: an item that only one person holds",
        ),
        (
            lambda: Question.select(item="a", person="b", value="c", threshold=1),
            "value must be a column with a range, such as {'amount': (0, 100)}",
            "--value and --value-range LOW,HIGH must be given together",
        ),
        (
            lambda: Question.select(item="a", person="b", threshold=1, sensitivity=(1, 2)),
            "sensitivity must be one number, or how far down and how far up one more person moves "
            "a score, such as (0, 1) for counts",
            "--sensitivity must be one number, or how far down and how far up one more person "
            "moves a score, such as 0,1 for counts",
        ),
    ],
)
def test_python_syntax_stays_in_python(work, python, typed):
    error = refused(work)
    assert str(error).startswith(python)
    assert error.as_typed().startswith(typed)


def test_no_mark_is_left_in_an_error():
    error = ParameterError(f"write {named('noise', 'gumbel')}")
    for one in (error, pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert str(one) == one.args[0] == "write noise='gumbel'"
        assert repr(one) == "ParameterError(\"write noise='gumbel'\")"
        assert one.as_typed() == "write --noise gumbel"
    assert BudgetError("epsilon", 2, 1).as_typed() == str(BudgetError("epsilon", 2, 1))
