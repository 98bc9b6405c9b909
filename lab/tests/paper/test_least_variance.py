"""Both routes to the best split of a budget agree."""

from fractions import Fraction

import pytest
from rich.progress import TaskProgressColumn

from overbar.noise import Exponential, Gaussian, Gumbel, Laplace
from overbar.planning import budget_ratio
from overbar_lab.paper.least_variance import minimise_variance
from overbar_lab.reproduction import steps_done

PAIRS = [(Exponential, Laplace), (Gumbel, Laplace), (Laplace, Laplace), (Gaussian, Gaussian)]


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("resample", [False, True])
@pytest.mark.parametrize("cutoff", [1, 50, 10**6])
def test_the_formula_is_the_minimum_of_the_variance(pair, resample, cutoff):
    setting = {"cutoff": cutoff, "back": Fraction(1), "resample": resample}
    assert budget_ratio(*pair, **setting) == pytest.approx(minimise_variance(*pair, **setting))
    other = setting | {"back": Fraction(0)}
    assert budget_ratio(*pair, **other) != pytest.approx(minimise_variance(*pair, **setting))


def test_progress_has_per_cents_where_they_are_known():
    bar = steps_done()
    task = bar.add_task("one", total=4, completed=1)
    column = next(one for one in bar.columns if isinstance(one, TaskProgressColumn))
    assert column.render(bar.tasks[task]).plain.strip() == "25%"
