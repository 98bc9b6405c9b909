"""Columns as a data frame, for those who have one of the two libraries."""

from __future__ import annotations

from typing import Any

from overbar.errors import MissingExtraError


def data_frame(columns: dict[str, Any]) -> Any:
    """Return a data frame of pandas, or of Polars without it."""
    try:
        import pandas
    except ImportError:
        pass
    else:
        return pandas.DataFrame(columns)
    try:
        import polars
    except ImportError:
        raise MissingExtraError(
            "to_frame needs pandas or polars; install one: pip install pandas"
        ) from None
    return polars.DataFrame(columns)
