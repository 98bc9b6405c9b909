"""What `help()` shows: every parameter with its type, its default and a sentence of its own."""

import inspect
import subprocess
import sys

import pytest

import overbar
from overbar import frames

numpydoc = pytest.importorskip("numpydoc.docscrape", reason="numpydoc is in the extra test")

CALLS = {
    "plan": overbar.plan,
    "select": overbar.select,
    "frames.select": frames.select,
    "frames.keys": frames.keys,
    "SparseVector": overbar.SparseVector,
    "Ledger": overbar.Ledger,
    "Ledger.open": overbar.Ledger.open,
    "Booking.spend": overbar.Booking.spend,
}
#: Calls that take the same as another, and say so in place of telling it twice.
SAME = {
    "top": (overbar.top, overbar.select),
    "frames.top": (frames.top, frames.select),
    "Question.select": (frames.Question.select, frames.select),
    "Question.top": (frames.Question.top, frames.top),
    "Question.keys": (frames.Question.keys, frames.keys),
}


def entries(call):
    """Parameters by name, as numpydoc reads them off the docstring."""
    read = numpydoc.FunctionDoc(call, doc=inspect.getdoc(call))
    return {entry.name: entry for entry in read["Parameters"]}, read


@pytest.mark.parametrize("name", CALLS)
def test_every_parameter_has_a_line_of_its_own(name):
    told, _ = entries(CALLS[name])
    wanted = inspect.signature(CALLS[name]).parameters
    assert list(told) == [one for one in wanted if one != "self"]
    for one, entry in told.items():
        default = wanted[one].default
        if default is inspect.Parameter.empty:
            assert "default" not in entry.type
            assert "optional" not in entry.type
        elif default is None:
            assert entry.type.endswith(", optional")
        else:
            shown = f'"{default}"' if isinstance(default, str) else repr(default)
            assert entry.type.endswith(f", default {shown}")
        assert entry.desc
        assert not any("As for" in line for line in entry.desc)


@pytest.mark.parametrize("name", SAME)
def test_who_takes_the_same_says_whose_it_is(name):
    call, other = SAME[name]
    parameters, others = (inspect.signature(one).parameters for one in (call, other))
    assert set(parameters) <= set(others)
    told = entries(other)[0] or entries(frames.select)[0]  # top says it of select
    assert set(parameters) <= set(told)
    assert all(parameters[one].default is others[one].default for one in parameters)
    words = " ".join(inspect.getdoc(call).split())
    assert f"The parameters are those of :func:`{other.__module__.split('.')[0]}." in words
    assert f".{other.__name__}`" in words


@pytest.mark.parametrize("call", [overbar.select, overbar.top, frames.select, frames.top])
def test_what_a_plan_replaces_is_said_to_be_required_without_one(call):
    told, read = entries(call)
    for one in ("epsilon", "cutoff") if told else ():
        assert "Required unless `plan` is given." in " ".join(told[one].desc)
    shown = "\n".join(read["Examples"])
    assert 'delta="1e-6"' in shown
    assert "plan=plan" in shown


@pytest.mark.parametrize("name", ["plan", "SparseVector", "frames.keys", "select"])
def test_related_calls_are_named(name):
    read = entries(CALLS[name])[1]
    assert read["See Also"]
    assert any("delta" in line for line in read["Examples"])


def test_without_docstrings_everything_works():
    code = (
        "import overbar\n"
        "if overbar.select.__doc__ or overbar.frames.Question.select.__doc__: raise SystemExit(3)\n"
        "print(overbar.select([0, 10**9], threshold=500, cutoff=1, epsilon=1).indices)"
    )
    ran = subprocess.run(
        [sys.executable, "-OO", "-c", code], capture_output=True, text=True, check=False
    )
    assert (ran.returncode, ran.stdout) == (0, "(1,)\n"), ran.stderr
