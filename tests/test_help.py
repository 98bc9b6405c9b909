"""What `help()` shows: every parameter with its type, its default and a sentence of its own."""

import inspect
import subprocess
import sys

import pytest

import overbar
from overbar import frames
from overbar._docstrings import described_as

numpydoc = pytest.importorskip("numpydoc.docscrape", reason="numpydoc is in the extra test")

CALLS = {
    "calibrate": overbar.calibrate,
    "calibrate_top": overbar.calibrate_top,
    "select": overbar.select,
    "top": overbar.top,
    "frames.select": frames.select,
    "frames.top": frames.top,
    "frames.keys": frames.keys,
    "Question.select": frames.Question.select,
    "Question.top": frames.Question.top,
    "KeyQuestion.of": frames.KeyQuestion.of,
    "SparseVector": overbar.SparseVector,
    "Ledger": overbar.Ledger,
    "Ledger.open": overbar.Ledger.open,
    "Ledger.spend": overbar.Ledger.spend,
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


@pytest.mark.parametrize("name", ["select", "top", "frames.select", "frames.top"])
def test_what_a_plan_replaces_is_said_to_be_required_without_one(name):
    told, read = entries(CALLS[name])
    for one in ("epsilon", "cutoff"):
        assert "Required unless `plan` is given." in " ".join(told[one].desc)
    shown = "\n".join(read["Examples"])
    assert 'delta="1e-6"' in shown
    assert "plan=plan" in shown


@pytest.mark.parametrize("name", ["calibrate", "SparseVector", "frames.keys", "select", "top"])
def test_related_calls_are_named(name):
    read = entries(CALLS[name])[1]
    assert read["See Also"]
    assert any("delta" in line for line in read["Examples"])


def test_a_parameter_of_its_own_is_kept_and_what_is_not_taken_left_out():
    def wide(scale, steps=8):
        """Widen.

        Parameters
        ----------
        scale : {"a", "b"}
            How wide.

            More of it.
        steps : int, default 8
            How many.

        Returns
        -------
        int
            A number.

        Examples
        --------
        None.
        """

    @described_as(wide)
    def narrow(first, steps="x"):
        """Narrow it.

        Parameters
        ----------
        first : str
            Its own.

        See Also
        --------
        wide : The other.
        """

    assert narrow.__doc__ == inspect.cleandoc("""Narrow it.

        Parameters
        ----------
        first : str
            Its own.
        steps : int, default "x"
            How many.

        Returns
        -------
        int
            A number.

        See Also
        --------
        wide : The other.
        """)


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
