"""What of a text file was left out before it became rows: for its owner's eyes alone."""

from __future__ import annotations

import re

from overbar.cli.file_identity import STANDARD_INPUT
from overbar.cli.tables.encodings import to_utf8, whole_lines
from overbar.cli.tables.engine import shielded
from overbar.cli.tables.files import STREAMS, existing_files, unpacked
from overbar.cli.tables.lines import LONGEST, LONGEST_RECORD
from overbar.cli.tables.source import Source
from overbar.cli.tables.streams import blocks_of, pipe_among

#: So many bytes of what cannot be decoded are looked at for a guess.
ENOUGH = 1 << 16


def unreadable_lines(source: Source) -> tuple[dict[str, int], str | None]:
    """Return how many lines never became rows, by the reason, and which encoding they look like.

    Files alone are looked at: what is piped in comes once.
    """
    piped = source.places == (STANDARD_INPUT,) or pipe_among(source.places, source.form)
    if source.form not in STREAMS or piped:
        return {}, None
    longest = LONGEST_RECORD if source.form in ("json", "jsonl") else LONGEST
    odd, long, seen = 0, 0, b""
    doubtful, plain = source.encoding is not None, True
    for name in existing_files(source.places):
        with shielded(name):
            for block in whole_lines(source.lines_of(name)):
                if len(block) <= longest and _is_utf8(block):
                    continue  # most blocks are passed over as a whole
                for line in re.split(rb"[\r\n]", block):
                    if not _is_utf8(line):
                        odd += 1
                        seen += line[: max(0, ENOUGH - len(seen))]
                    elif len(line) > longest:
                        long += 1
            if source.encoding is not None:
                with unpacked(name) as stream:
                    for block in whole_lines(blocks_of(stream)):
                        doubtful = doubtful and _is_utf8(block)
                        plain = plain and block.isascii()
    found = {f"not {source.encoding or 'UTF-8'}": odd, "lines too long": long}
    guess = "utf-8" if doubtful and not plain else None
    if odd and source.encoding is None:
        guess = _guessed(seen)
    return {why: count for why, count in found.items() if count}, guess


def _is_utf8(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


def _guessed(seen: bytes) -> str:
    r"""Return which encoding bytes look like.

    >>> _guessed(b"K\xe4se"), _guessed("Käse".encode("utf-16-le")), _guessed(b"\x81\xe4")
    ('cp1252', 'utf-16', 'latin-1')
    """
    if 4 * seen.count(0) > len(seen):
        return "utf-16"
    return "latin-1" if b"\xff" in b"".join(to_utf8([seen], "cp1252")) else "cp1252"
