"""Rows as a clever forger writes them: whatever is changed, hashes and links fit again."""

from overbar.ledger.fields import to_fields
from overbar.ledger.rows import BEGINNING, Links, canonical, link, route, walk


def chained(contents, *, own_links=()):
    """Return numbered rows of these fields (or texts), with right hashes and links.

    The rows at these places keep the links that they have.
    """
    rows, nodes, newest = [], ({}, {}), [None, None]
    for number, told in enumerate(contents, 1):
        fields = told
        keys, made = _keys(fields), None
        if number - 1 not in own_links and keys[0] is not None and "links" in fields:
            found = [
                (None, ()) if key is None else walk(newest[index], key, nodes[index].__getitem__)
                for index, key in enumerate(keys)
            ]
            made = Links(found[0][1], found[1][1], newest[1], found[1][0])
            fields = fields | {"links": to_fields(made)}
        text = fields if isinstance(fields, str) else canonical(fields)
        rows.append((number, text, link(rows[-1][2] if rows else BEGINNING, text)))
        for index, key in enumerate(keys):
            if key is not None:
                newest[index] = (number, rows[-1][2])
                levels = () if made is None else (made.datasets, made.requests)[index]
                nodes[index][newest[index]] = key, levels
    return rows


def _keys(fields):
    """Return the routes of a row's dataset and of its request."""
    if not isinstance(fields, dict) or not isinstance(fields.get("dataset"), str):
        return None, None
    name, request = fields["dataset"], fields.get("request")
    return route(name), route(name, request) if isinstance(request, str) else None
