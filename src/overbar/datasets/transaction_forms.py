"""The text forms of transaction files: one grammar each, and a rewriting to plain lines.

A grammar matches as many well-formed lines as there are, so that where it stops is where the first
malformed line begins. Possessive quantifiers keep it from looking back: it is linear in the file.
Blank lines are let through and are no records. Whatever passed is rewritten to item ids separated
by blanks, which is all that the counting has to read.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

#: Digits in an item id: every number of so many digits fits in 64 bits.
LONGEST_ID = 18

_ID = rb"[0-9]{1,%d}(?![0-9])" % LONGEST_ID
_BLANKS = rb"[ \t]*+"
_NUMBER = rb"[+-]?(?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)(?:[eE][+-]?[0-9]++)?"
_ZERO = rb"[+-]?(?:0++(?:\.0*+)?|\.0++)(?:[eE][+-]?[0-9]++)?(?![^ \t\n])"

#: In a LIBSVM line: the label, a pair whose value is zero, the value of any other pair.
_NOT_INDEX = re.compile(rb"(?m:^)[ \t]*+[^ \t\n]++|(?<=[ \t])[0-9]++:%b|:[^ \t\n]++" % _ZERO)
_LABEL = re.compile(rb"(?m)^[ \t]*+[^ \t\n]++")
_ODD = re.compile(rb"[^\t\x20-\x7e]")
_STRANGE = re.compile(rb"[^0-9 \t,:.+-]")


@dataclass(frozen=True)
class TransactionForm:
    """One way to write transactions down.

    `shape` says for messages what a line should look like, `grammar` matches all leading
    well-formed lines of a text, and `plain` rewrites these to item ids separated by blanks. With
    `pairs` a line is a transaction id and one item id, instead of a whole transaction.
    """

    name: str
    shape: str
    grammar: re.Pattern[bytes]
    plain: Callable[[bytes], bytes]
    pairs: bool = False


def _lines(content: bytes) -> re.Pattern[bytes]:
    """Make a grammar of lines that are blank or have this content."""
    return re.compile(rb"(?:%b(?:%b%b)?+\n)*+" % (_BLANKS, content, _BLANKS))


def _indices(text: bytes) -> bytes:
    # Nearly every value is 1, and plain replacement is many times faster than substitution.
    text = text.replace(b":1 ", b" ").replace(b":1\n", b"\n")
    return (_NOT_INDEX if b":" in text else _LABEL).sub(b" ", text)


#: The forms by name.
FORMS: dict[str, TransactionForm] = {
    form.name: form
    for form in (
        TransactionForm(
            "fimi",
            "item ids (whole numbers from 0) separated by spaces",
            _lines(rb"(?:%b%b)++" % (_ID, _BLANKS)),
            bytes,  # as it is
        ),
        TransactionForm(
            "comma",
            "item ids (whole numbers from 0) separated by single commas",
            _lines(rb"(?:%b%b(?:,%b|(?=\n)))++" % (_ID, _BLANKS, _BLANKS)),
            lambda text: text.replace(b",", b" "),
        ),
        TransactionForm(
            "pairs",
            "a transaction id and one item id, separated by a tab",
            _lines(rb"%b[ \t]++%b" % (_ID, _ID)),
            bytes,  # as it is
            pairs=True,
        ),
        TransactionForm(
            "libsvm",
            "a numeric label, then pairs index:value",
            _lines(rb"%b(?:[ \t]++%b:%b)*+" % (_NUMBER, _ID, _NUMBER)),
            _indices,
        ),
    )
}


def reason(form: TransactionForm, line: bytes) -> str:
    """Say what is wrong with a line that the grammar does not match."""
    odd = _ODD.search(line)
    if odd:
        byte = f"byte 0x{odd[0][0]:02x} at column {odd.start() + 1}"
        return f"{byte} belongs in no {form.name} file; is this a binary or compressed file?"
    if re.search(rb"[0-9]{%d}" % (LONGEST_ID + 1), line):
        return f"a number of more than {LONGEST_ID} digits"
    strange = _STRANGE.search(line)
    start = max(0, strange.start() - 15) if strange else 0
    excerpt = line[start : start + 40].decode("ascii")
    dots = ("..." if start else "", "..." if start + 40 < len(line) else "")
    return f"expected {form.shape}, got {dots[0]}{excerpt!r}{dots[1]}"
