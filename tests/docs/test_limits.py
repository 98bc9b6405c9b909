"""Known limits: what the page says is refused is, and what counts as public is said."""

import re
from pathlib import Path

import pytest

import overbar
from overbar import frames
from overbar.errors import NoGuaranteeError
from overbar.noise import Exponential, Laplace
from overbar.privacy import unlisted_delta
from tests.reference.plans import any_plan

PAGE = (Path(__file__).parents[2] / "docs" / "limits.md").read_text()
REFUSED = re.split(
    r"^- ", PAGE.partition("## What is refused")[2].partition("\n## ")[0], flags=re.M
)[1:]


def calibrated(**given):
    in_turn = {"epsilon": 1, "cutoff": 5, "candidates": 100, "mechanism": "sparse-vector"}
    return overbar.plan(**in_turn | given)


def unlisted(**changes):
    return unlisted_delta(any_plan(Exponential(3), Laplace(3), 0, 2, **changes), 50, 2)


#: How each line begins, and what must raise.
CALLS = {
    "Exponential noise with δ > 0": lambda: calibrated(noise="exponential", delta="1e-6"),
    "Gaussian query noise": lambda: calibrated(noise="gaussian", delta="1e-6"),
    "Exponential noise on the threshold beside": lambda: calibrated(
        noise="gumbel", threshold_noise="exponential", delta="1e-6"
    ),
    "Gumbel noise on the threshold": lambda: calibrated(threshold_noise="gumbel"),
    "Candidates read off the data with unlimited rounds": lambda: unlisted(rounds=None),
}


@pytest.mark.parametrize("words", CALLS)
def test_what_is_said_to_be_refused_is(words):
    assert words in " ".join(" ".join(REFUSED).split())
    with pytest.raises(NoGuaranteeError):
        CALLS[words]()


def test_what_is_the_default_is_not_said_to_be_refused():
    assert isinstance(calibrated().threshold_noise, Exponential)
    assert unlisted(rounds=1) > 0
    assert len(REFUSED) == 4


def test_a_score_column_is_said_to_make_items_public():
    for words in (PAGE, frames.select.__doc__, frames.top.__doc__):
        assert re.search(r"items\s+(of\s+the\s+table|that\s+the\s+table\s+lists)", words)
        assert "public" in words
