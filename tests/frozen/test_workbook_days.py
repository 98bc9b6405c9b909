"""Cells of a workbook with moments up to the last that there is: none of them decides an error."""

import math

import pytest

from tests.cli.workbook import DAY, styled, write_workbook
from tests.frozen import seam

#: The first day that a workbook does not have, and how much later its other calendar begins.
END, LATER = 2_958_466, 1_462


def days_of(tmp_path, cells, later=False):
    path = tmp_path / "days.xlsx"
    rows = [["what", "who"], *([styled(day, DAY), f"p{n}"] for n, day in enumerate(cells))]
    write_workbook(path, later=later, sales=rows)
    return path


@pytest.mark.parametrize("later", [False, True])
def test_moments_up_to_the_end_of_the_last_day(tmp_path, later):
    end = END - later * LATER
    before, moments = float(end), []
    for _ in range(4):
        before = math.nextafter(before, 0)
        moments.append(repr(before))
    path = days_of(tmp_path, [end - 1, *moments, end, "1e308"], later)
    found = [what for what, _ in seam.file_rows([str(path)], "what", "who")]
    assert found == ["9999-12-31", *["9999-12-31 23:59:59.999"] * 4, None, None]


def test_the_last_moment_of_one_person_ends_no_command(tmp_path):
    asked = "--item what --person who --catalogue 2023-03-15,2023-03-16 --cutoff 1 --epsilon 1"
    for more in ([], ["2958465.9999999995"]):
        path = days_of(tmp_path, [*["45000"] * 60, *more])
        told = seam.command("top", path, *asked.split())
        assert (told.exit_code, "2023-03-15" in told.stdout) == (0, True), told.output
