"""Tables in, private answers out: pandas, Polars, PyArrow, DuckDB and PySpark through Narwhals.

The engine aggregates where the rows are, and the noise is drawn here, from the system's entropy.
Only the score of each item comes back from the engine, and none leaves this process.

Internal files::

    measure     what the score of an item is, and its sensitivity
    columns     labels that mean the same on every engine
    joined_items  items that several columns name together
    inferred    types that pandas chooses by the rows
    texts       text that can be read, value by value
    catalogue   the public list of items
    own         what can be seen to be no public list: the table's own column
    scoring     one query to the engine
    database    a table in PostgreSQL, counted there
    database_query  what it is asked, in SQL
    contributions  at most so many items for each person, of those on the catalogue
    sorted_persons  the same where DuckDB has the rows
    unlisted_cost  what items read off the table cost
    batches     all items that take part, a batch at a time
    question    all of that together, before any data is touched
    key_search  which keys there are, where nobody has a list
    key_weights  what the keys weigh in one round
    found_keys  what comes back
    owner_check  a look at a table that is not private
"""

from __future__ import annotations

from overbar.frames.calls import select, top
from overbar.frames.database import DatabaseTable
from overbar.frames.found_keys import Keys
from overbar.frames.key_search import KeyQuestion, keys
from overbar.frames.owner_check import OwnerCheck, check
from overbar.frames.question import Question

__all__ = [
    "DatabaseTable",
    "KeyQuestion",
    "Keys",
    "OwnerCheck",
    "Question",
    "check",
    "keys",
    "select",
    "top",
]
