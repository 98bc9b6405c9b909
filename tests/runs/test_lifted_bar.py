"""The plan of `top` puts the bar above all scores, by as much as its noise needs."""

import math
import sys
from fractions import Fraction

import pytest

import overbar
from overbar.errors import MissingExtraError
from overbar.mechanisms.sparse_vector import NEGLIGIBLE_BITS
from overbar.runs.selection import Selection


@pytest.mark.parametrize("threshold_noise", ["laplace", "none"])
def test_the_lift_is_sixty_four_bits_of_both_noises(threshold_noise):
    plan = overbar.plan(
        epsilon=1,
        delta="1e-6",
        cutoff=3,
        monotonic=True,
        noise="gumbel",
        threshold_noise=threshold_noise,
        mechanism="sparse-vector",
        top=True,
    )
    scales = plan.query_noise.scale
    if plan.threshold_noise is not None:
        scales += plan.threshold_noise.scale
    assert (plan.threshold_noise is None) == (threshold_noise == "none")
    wished = float(scales) * NEGLIGIBLE_BITS * math.log(2)
    assert wished <= plan.correction < wished + float(plan.grid) * 1.001
    assert plan.correction % plan.grid == 0
    assert plan.labels.repeats.rounds is None


def test_rows_of_a_selection_are_numbered_from_one():
    plan = overbar.plan(epsilon=1, cutoff=3, top=True)
    found = Selection((4, 7), ("tea", "rum"), plan, Fraction(1, 2))
    assert '<ol class="answer"><li>tea</li><li>rum</li></ol>' in found._repr_html_()
    assert found.to_frame()["found"].to_list() == [1, 2]
    assert found.to_frame()["index"].to_list() == [4, 7]
    assert "index" not in Selection(None, ("tea",), plan, Fraction(1)).to_frame().columns


def test_selections_are_equal_whoever_paid_for_them():
    plan = overbar.plan(epsilon=1, cutoff=3, top=True)
    one = Selection((4,), ("tea",), plan, Fraction(1, 2))
    assert one == Selection((4,), ("tea",), plan, Fraction(1, 2), receipt=object())
    assert one != Selection((5,), ("tea",), plan, Fraction(1, 2))
    with pytest.raises(AttributeError):
        one.labels = ("rum",)


def test_without_pandas_a_frame_is_polars_and_without_both_it_is_refused(monkeypatch):
    plan = overbar.plan(epsilon=1, cutoff=3, top=True)
    found = Selection((4,), ("tea",), plan, Fraction(1, 2))
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert type(found.to_frame()).__module__.startswith("polars")
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(MissingExtraError, match="pip install pandas"):
        found.to_frame()
