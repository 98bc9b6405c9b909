"""What a ledger declares in PostgreSQL: tables that only grow.

Whoever is granted so may read all rows. Which kinds of rows someone may add is granted by policies;
the ledger's page has the SQL for three roles.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from psycopg import Connection

#: The form of the tables. Rows are those of a file of form 4.
FORM = 4
REFUSED = "BEGIN RAISE EXCEPTION 'rows of a ledger are never edited or deleted'; END"
#: What a row says of its own kind, whatever labels are in it: the JSON of PostgreSQL stops at half
#: a letter and at a zero. So letters that are written as numbers are left out, and none of ASCII
#: may be, because it could be part of a name. A backslash for itself is left out before.
_PLAIN = "replace(content, chr(92) || chr(92), '')"
_NUMBERED = "chr(92) || chr(92) || 'u"
IS_OF_KIND = (
    f"{_PLAIN} !~ ({_NUMBERED}00[2-7]') AND regexp_replace({_PLAIN}, {_NUMBERED}....', '', 'g')"
    "::json ->> 'kind' IS NOT DISTINCT FROM kind"
)


def declarations(schema: str) -> list[str]:
    """Return what lays out a ledger."""
    s = f'"{schema}"'
    return [
        f"CREATE SCHEMA IF NOT EXISTS {s}",
        # Who owns the schema can drop what is in it.
        f"""DO $$ BEGIN IF NOT (SELECT pg_has_role(nspowner, 'USAGE') FROM pg_namespace
WHERE nspname = '{schema}') THEN RAISE EXCEPTION
'its schema belongs to someone else, who could drop the ledger; name another with ?schema='; END IF;
END $$""",
        f"CREATE TABLE {s}.form (version integer NOT NULL)",
        f"INSERT INTO {s}.form VALUES ({FORM})",
        f"""CREATE TABLE {s}.events (
    number bigint PRIMARY KEY,
    content text NOT NULL,
    hash text NOT NULL,
    kind text NOT NULL CHECK ({IS_OF_KIND}),
    run bigint
)""",
        f"CREATE UNIQUE INDEX settled_once ON {s}.events (run) WHERE run IS NOT NULL",
        f"CREATE FUNCTION {s}.refused() RETURNS trigger LANGUAGE plpgsql AS $${REFUSED}$$",
        f"""CREATE TRIGGER never_edited BEFORE UPDATE OR DELETE OR TRUNCATE ON {s}.events
FOR EACH STATEMENT EXECUTE FUNCTION {s}.refused()""",
        f"ALTER TABLE {s}.events ENABLE ROW LEVEL SECURITY",
        f"CREATE POLICY read ON {s}.events FOR SELECT USING (true)",
    ]


def changed(connection: Connection[Any], schema: str) -> bool:
    """Return whether the table of rows is not as it was laid out."""
    declared: set[str] = set()
    for query in LOOKS:
        declared.update(text for (text,) in connection.execute(query, (schema, "events")))
    return declared != {text.replace("SCHEMA", schema) for text in AS_LAID_OUT}


_TABLE = """(SELECT c.oid FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = %s AND c.relname = %s)"""
#: The table with its durability, its columns, indexes, triggers and checks.
LOOKS = (
    f"""SELECT concat(relkind, relpersistence, relrowsecurity, relhasrules)
FROM pg_class WHERE oid = {_TABLE}""",
    f"""SELECT concat_ws(' ', attname, format_type(atttypid, atttypmod), attnotnull)
FROM pg_attribute WHERE attnum > 0 AND NOT attisdropped AND attrelid = {_TABLE}""",
    f"""SELECT concat(replace(pg_get_indexdef(indexrelid), '"', ''), indisvalid)
FROM pg_index WHERE indrelid = {_TABLE}""",
    f"""SELECT concat(replace(pg_get_triggerdef(t.oid), '"', ''), tgenabled, prosrc)
FROM pg_trigger t JOIN pg_proc p ON p.oid = tgfoid WHERE tgrelid = {_TABLE}""",
    f"""SELECT pg_get_constraintdef(oid)
FROM pg_constraint WHERE contype IN ('c', 'x', 'f') AND conrelid = {_TABLE}""",
)
#: What PostgreSQL says about a table that nobody has changed.
AS_LAID_OUT = (
    "rptf",
    "number bigint t",
    "content text t",
    "hash text t",
    "kind text t",
    "run bigint f",
    "CREATE UNIQUE INDEX events_pkey ON SCHEMA.events USING btree (number)t",
    "CREATE UNIQUE INDEX settled_once ON SCHEMA.events USING btree (run) WHERE (run IS NOT NULL)t",
    "CREATE TRIGGER never_edited BEFORE DELETE OR UPDATE OR TRUNCATE ON SCHEMA.events"
    f" FOR EACH STATEMENT EXECUTE FUNCTION SCHEMA.refused()O{REFUSED}",
    "CHECK (((replace(content, (chr(92) || chr(92)), ''::text) !~ ((chr(92) || chr(92)) || "
    "'u00[2-7]'::text)) AND (NOT (((regexp_replace(replace(content, (chr(92) || chr(92)), "
    "''::text), ((chr(92) || chr(92)) || 'u....'::text), ''::text, 'g'::text))::json ->> "
    "'kind'::text) IS DISTINCT FROM kind))))",
)
