"""An answer as CSV, JSON and Parquet."""

from __future__ import annotations

import csv
import io
import json

from overbar.cli.outputs.answer import Answer, plain

__all__ = ["FOUND", "csv_text", "json_text", "parquet_bytes"]

#: The column that tells the order in which items were found.
FOUND = "found"
LARGEST_SIGNED = 2**63 - 1


def csv_text(answer: Answer) -> str:
    """Return one line an item, in the order found."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([FOUND, answer.item])
    writer.writerows([rank, plain(label)] for rank, label in enumerate(answer.found.labels, 1))
    return text.getvalue()


def json_text(answer: Answer) -> str:
    """Return labels, plan, guarantee and cost, exactly."""
    return json.dumps(answer.fields(), indent=2, ensure_ascii=False) + "\n"


def parquet_bytes(answer: Answer) -> bytes:
    """Return the items with their own type, in the order found."""
    import pyarrow
    from pyarrow import parquet

    name = answer.item if answer.item != FOUND else "item"
    labels = list(answer.found.labels)
    kind = None if labels else pyarrow.string()
    if any(type(label) is int and label > LARGEST_SIGNED for label in labels):
        kind = pyarrow.uint64()  # Arrow would take them for signed ones and fail
    table = pyarrow.table(
        {
            FOUND: pyarrow.array(range(1, len(labels) + 1), pyarrow.int64()),
            name: pyarrow.array(labels, kind),
        }
    )
    notes = {"overbar": json.dumps(answer.fields(), ensure_ascii=False)}
    content = io.BytesIO()
    parquet.write_table(table.replace_schema_metadata(notes), content)
    return content.getvalue()
