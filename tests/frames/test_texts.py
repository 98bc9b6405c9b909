"""What a public list holds is said by the list; its items meet their rows as labels do."""

from __future__ import annotations

import pandas
import polars
import pytest

from overbar import ParameterError
from overbar.frames.catalogue import catalogue_of
from tests.frozen import seam
from tests.frozen.test_texts import objects


def test_an_item_of_a_catalogue_meets_its_rows():
    """Objects and categories become text there too; a list says itself what it holds."""
    values = objects(1, "tea", 2.0, True)
    for given in (values, pandas.DataFrame({"x": values}), values.to_numpy()):
        assert catalogue_of(given).labels == ["1", "tea", "2", "True"]
    assert catalogue_of(pandas.Series([3, 5]).astype("category")).labels == ["3", "5"]
    assert catalogue_of(polars.Series(["a"], dtype=polars.Categorical)).labels == ["a"]
    assert catalogue_of([3, 5]).kind == "whole"
    for missing in (objects("a", None), objects("a", "\ud800")):
        with pytest.raises(ParameterError, match=r"nothing missing, got (NoneType|float), str"):
            catalogue_of(missing)
    with pytest.raises(ParameterError, match="text that UTF-8 can write; it has a lone surrogate"):
        catalogue_of(["a", "\ud800"])
    frame = pandas.DataFrame({"what": objects(*[None] * 101, 1, "1"), "who": range(103)})
    found = seam.scores(frame, items_per_person=1, catalogue=values)
    assert found == {"1": 2}
