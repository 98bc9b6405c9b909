"""Text of Arrow without its limit of 2 GiB: as numbers of words, and batch by batch.

An array of text with offsets of 32 bits ends at 2 GiB, and so do the groups that Arrow makes of
text, whatever their offsets: then it crashes, and one person's labels could tip it. So rows are
grouped by the numbers of their words in a dictionary, which has offsets of 64 bits. What DuckDB
hands over comes in batches that are far below by the public length of labels.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from overbar.frames.catalogue import OUTSIDE, Catalogue
from overbar.frames.texts import Table

#: Rows of one batch that DuckDB hands over: labels of at most `LONGEST` bytes make 1 GiB of them.
BATCH_ROWS = 2048
#: Bytes of a table that no array of text can overflow with.
SHORT = 2**29


def in_words(table: Any) -> Table:
    """Return a table of Arrow whose text is a dictionary, the same in all chunks."""
    import pyarrow

    for place, field in enumerate(table.schema):
        column = table.column(place)
        if pyarrow.types.is_dictionary(field.type):
            table = table.set_column(place, field.name, column.unify_dictionaries())
        elif str(field.type) in ("string", "large_string", "string_view"):
            words = column.cast(pyarrow.large_string()).dictionary_encode()
            table = table.set_column(place, field.name, words)
    found: Table = nw.from_native(table)
    return found


def to_group(table: Any, catalogue: Catalogue | None) -> Table:
    """Return a table of Arrow that it can group by text: as it is where that is short in all.

    Then it is faster; what comes out is the same.
    """
    import pyarrow

    if table.nbytes >= SHORT:
        return in_words(_listed(table.to_batches(BATCH_ROWS), table.schema, catalogue))
    narrow = {pyarrow.large_string(): pyarrow.string()}
    fields = [(field.name, narrow.get(field.type, field.type)) for field in table.schema]
    found: Table = nw.from_native(table.cast(pyarrow.schema(fields)))
    return found


def brought(scores: nw.LazyFrame[Any], catalogue: Catalogue | None) -> nw.DataFrame[Any]:
    """Return scores; of a relation of DuckDB those of the items of a catalogue, or of all."""
    if not scores.implementation.is_duckdb():
        return scores.collect()
    with scores.to_native().to_arrow_reader(BATCH_ROWS) as reader:
        table = _listed(reader, reader.schema, catalogue)
    words = in_words(table).to_native().combine_chunks()
    return nw.from_native(words, eager_only=True)


def _listed(batches: Iterable[Any], schema: Any, catalogue: Catalogue | None) -> Any:
    """Return batches of Arrow as a table, of which only what is on a catalogue is kept."""
    import pyarrow

    parts = [pyarrow.Table.from_batches([], schema)]
    for batch in batches:
        part = pyarrow.Table.from_batches([batch])
        if catalogue is not None:
            places = catalogue.places(nw.from_native(part["item"], series_only=True))
            part = part.filter(mask_of(places != OUTSIDE))
        parts.append(part)
    return pyarrow.concat_tables(parts)


def mask_of(kept: NDArray[np.bool_]) -> Any:
    """Return truth values as Arrow filters by them."""
    import pyarrow

    bits = pyarrow.py_buffer(np.packbits(kept, bitorder="little"))
    return pyarrow.BooleanArray.from_buffers(pyarrow.bool_(), len(kept), [None, bits])
