"""Items that several columns name together: one text for each combination, and back.

The texts of the columns are joined by a slash. Within them a tilde is written ~0 and a slash ~1, so
two combinations have the same text only if they are the same in every column. Where pandas may have
chosen the type of a column, a value has the same text whichever it chose.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from datetime import date
from typing import Any

import narwhals as nw

from overbar.frames.columns import label_kind
from overbar.frames.texts import Table, plain_labels

#: How the text of each kind is read.
READERS: dict[str, Callable[[str], Hashable]] = {
    "text": str, "whole": int, "boolean": "True".__eq__, "date": date.fromisoformat,
}  # fmt: skip

Lazy = nw.LazyFrame[Any]


def joined(rows: Lazy, names: Sequence[str]) -> Lazy:
    """Return rows with one column `item` in place of several. Precondition: no nulls in these."""
    schema = rows.collect_schema()
    parts = [_text(name, label_kind("item", name, schema[name])) for name in names]
    others = [name for name in schema.names() if name not in names]
    found: Table = rows.select(nw.concat_str(*parts, separator="/").alias("item"), *others)
    if found.implementation.is_pandas_like() or found.implementation.is_pyarrow():
        found = found.lazy().collect()
    # Again by its bytes, whatever the collation; and again missing if it is too long.
    return plain_labels(found, ["item"]).lazy().filter(~nw.col("item").is_null())


def _text(name: str, kind: str) -> nw.Expr:
    if kind == "boolean":
        return boolean_text(name)
    column = nw.col(name)
    if kind != "text":
        return column.cast(nw.String)
    return column.str.replace_all("~", "~0", literal=True).str.replace_all("/", "~1", literal=True)


def boolean_text(name: str) -> nw.Expr:
    """Return booleans as Python writes them. Precondition: no nulls."""
    return nw.when(nw.col(name)).then(nw.lit("True")).otherwise(nw.lit("False")).alias(name)


def written(label: Sequence[Hashable]) -> str:
    """Return the text of a combination.

    >>> written(("a/b", 7)), read("a~1b/7", ("text", "whole"))
    ('a~1b/7', ('a/b', 7))
    """
    return "/".join(str(part).replace("~", "~0").replace("/", "~1") for part in label)


def group_of(text: str) -> str:
    """Return what the first column says, as it stands in the text of a combination.

    >>> group_of("a~1b/7")
    'a~1b'
    """
    return text.partition("/")[0]


def read(text: str, kinds: Sequence[str]) -> tuple[Hashable, ...]:
    """Return the combination that a text stands for, each part of the kind of its column."""
    parts = (part.replace("~1", "/").replace("~0", "~") for part in text.split("/"))
    return tuple(READERS[kind](part) for part, kind in zip(parts, kinds, strict=True))
