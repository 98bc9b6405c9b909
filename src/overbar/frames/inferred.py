"""Types that pandas chooses by the rows, and how labels are read so that no choice shows.

Pandas makes floats of whole numbers where one is missing, objects of booleans then, and objects of
anything where a row is of another kind. So columns of its own types are read by one rule for all of
them. Types of Arrow, and those of pandas that know missing values, stay what they were said to be.
"""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np

Lazy = nw.LazyFrame[Any]


def is_inferred(table: nw.DataFrame[Any] | Lazy, name: str) -> bool:
    """Tell whether a column has a type that pandas may have chosen by its rows."""
    if not table.implementation.is_pandas_like():
        return False
    kind = table.to_native()[name].dtype
    return isinstance(kind, np.dtype) or str(kind) == "str"


def number_kind(table: Lazy, name: str) -> nw.dtypes.DType:
    """Return as what the numbers of a column are read: by its type, which is public.

    Pandas turns whole numbers into floats where one of them is missing, so that one person's row
    would change how everyone's are read. There they count as floats from the start.
    """
    kind = table.collect_schema()[name]
    return nw.Float64() if kind.is_integer() and is_inferred(table, name) else kind
