"""Elements of one name, cut out of a large XML part by their tags, each read by itself.

XML is well-formed as a whole or not at all: one character that it does not have, in one row, and no
reader gives any row. So the bytes are cut before each tag of the name, and what comes of a piece
depends on its own bytes. A piece that is no XML, or too long, is None, whoever's it is.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from contextlib import suppress
from io import BytesIO
from itertools import chain, pairwise
from typing import IO
from xml.etree import ElementTree

from overbar.cli.tables.encodings import MARKS, MULTIBYTE, blocks_of, checked_encoding, to_utf8
from overbar.cli.tables.engine import refuse
from overbar.errors import ParameterError

#: An element; None where it cannot be read.
Piece = ElementTree.Element | None
#: Longer pieces, in bytes, are left out. A row of a sheet has at most 16,384 cells.
LONGEST_PIECE = 1 << 22
#: So much is parsed at once: so few objects that Python does not stop to look for unused ones.
BLOCK = 1 << 12
#: The longest tag that may be cut in two where one block ends and the next begins; a part begins
#: with its longest, which declares prefixes.
LONGEST_TAG = 1 << 16
_PREFIX = rb"(?:[^\s<>/:=]++:)?"
#: What hides a tag that is none; in rows, one that never ends would hide those of others.
_HIDING = rb"<!\[CDATA\[.*?(?:\]\]>|\Z)|<!--.*?(?:-->|\Z)|<\?.*?(?:\?>|\Z)|"
_DECLARED = re.compile(rb"<\?xml[^>]*?encoding\s*=\s*[\"']([^\"']*)")


def elements(stream: IO[bytes], name: str, *, numbered: bool = False) -> Iterator[Piece]:
    """Yield each element of a name; None for one that cannot be read.

    Where elements are `numbered`, others refer to them by their places. Then a tag within a comment
    or a quoted section is none, as XML has it.
    """
    hidden = _HIDING if numbered else b""
    tag = re.compile(hidden + rb"(<%b%b[\s/>])" % (_PREFIX, name.encode()), re.DOTALL)
    text, enough, opening = b"", 0, b""
    for block in chain(_in_utf8(stream), [None]):
        text += block or b""
        if block is not None and len(text) < enough:
            continue  # so that a long piece is not looked through again for each block
        cuts = [match.start() for match in tag.finditer(text) if match[1]]
        if not opening and (cuts or len(text) > LONGEST_TAG):
            opening = _opening(text[: cuts[0]] if cuts else text)
        pieces = [text[begin:after] for begin, after in pairwise(cuts)]
        short = bool(cuts) and cuts[-1] - cuts[0] <= LONGEST_PIECE
        together = _together(b"".join(pieces), name, opening) if short else []
        # If there are as many elements, one beside the other, then each tag was one, and between
        # two of them all was closed: parsed alone they are the same.
        if len(together) == len(pieces):
            yield from together
        else:
            yield from (_alone(piece, name, opening) for piece in pieces)
        text = text[cuts[-1] :] if cuts else text[-LONGEST_TAG:]
        if cuts and (block is None or len(text) > LONGEST_PIECE):
            yield _alone(text, name, opening)
            text = text[-LONGEST_TAG:]
        enough = 2 * len(text)


def _in_utf8(stream: IO[bytes]) -> Iterator[bytes]:
    """Yield a part as UTF-8: how it is written is said before the first row."""
    blocks = blocks_of(stream, BLOCK)
    first = next(blocks, b"")
    declared = _DECLARED.match(first.removeprefix(codecs.BOM_UTF8))
    encoding = "utf-8" if declared is None else declared[1].decode("latin-1")
    if first.startswith((*MARKS, b"<\0", b"\0<")):
        encoding = "utf-16-be" if first.startswith((MARKS[1], b"\0<")) else "utf-16"
    try:
        known = checked_encoding(encoding)
    except ParameterError:
        known = MULTIBYTE[0]
    if known in MULTIBYTE:
        refuse(f"parts of a workbook must be written in UTF-8 or UTF-16, got {encoding!r}")
    return to_utf8(chain([first], blocks), known)


def _opening(head: bytes) -> bytes:
    """Write a tag around elements, which has the prefixes that their part declares."""
    spaces = sorted(set(re.findall(rb"xmlns:(?!xml)([A-Za-z_][\w.-]*)\s*=", head)))
    return b"<all" + b"".join(b' xmlns:%b="%b"' % (one, one) for one in spaces) + b">"


def _together(text: bytes, name: str, opening: bytes) -> list[ElementTree.Element]:
    """Return the elements of a name in a text; none if it is no XML."""
    parser = ElementTree.XMLParser(encoding="utf-8")
    try:
        root = ElementTree.fromstring(opening + text + b"</all>", parser)
    except ElementTree.ParseError:
        return []
    return [each for each in root if local_name(each) == name]


def _alone(piece: bytes, name: str, opening: bytes) -> Piece:
    """Return the element that a piece begins with; what comes behind its end belongs to none."""
    with suppress(ElementTree.ParseError):
        for _, element in ElementTree.iterparse(BytesIO(opening + piece[:LONGEST_PIECE])):
            if local_name(element) == name:
                return element
    return None


def local_name(element: ElementTree.Element) -> str:
    """Return the name of an element without its space."""
    return element.tag.rpartition("}")[2]
