"""Tables in, private answers out: pandas, Polars, PyArrow, DuckDB and PySpark through Narwhals.

The engine aggregates where the rows are, and the noise is drawn here, from the system's entropy.
Only the score of each item comes back from the engine, and none leaves this process.

Internal files::

    calls           `select`, `top` and `keys`, with all that they take
    question        a question, before any data is touched
    question_plan   the plan of a question, for its measure; what items read off the table cost
    measure         what the score of an item is, and its sensitivity
    columns         labels that mean the same on every engine, also of several columns together
    inferred        types that pandas chooses by the rows
    texts           text that can be read, value by value
    amounts         sums in whole numbers
    catalogue       the public list of items, and what can be seen to be none
    scoring         one query to the engine, and batches of all items that take part
    postgres_table  a table in PostgreSQL, counted there
    postgres_query  what it is asked, in SQL
    contributions   at most so many items and groups for each person
    key_search      which keys there are, where nobody has a list
    keys_first      keys, and then a question over them
    watching        `watch`: alarms over days, for ever
    owner_check     a look at a table that is not private
"""

from __future__ import annotations

from overbar.frames.calls import keys, select, top
from overbar.frames.owner_check import OwnerCheck, check
from overbar.frames.postgres_table import DatabaseTable
from overbar.frames.question import Question
from overbar.frames.watching import watch

__all__ = [
    "DatabaseTable",
    "OwnerCheck",
    "Question",
    "check",
    "keys",
    "select",
    "top",
    "watch",
]
