"""Transaction files read the slow way: one line, one token, one set at a time."""

from __future__ import annotations

from decimal import Decimal

DIGITS = set("0123456789")


class MalformedError(Exception):
    """A line is malformed; ``line`` counts from 1."""

    def __init__(self, line: int) -> None:
        super().__init__(f"line {line}")
        self.line = line


def supports(content: bytes, form: str) -> tuple[dict[int, int], int]:
    """Return the support of every item, and the number of transactions."""
    transactions = read(content, form)
    counts: dict[int, int] = {}
    for transaction in transactions:
        for item in transaction:
            counts[item] = counts.get(item, 0) + 1
    return counts, len(transactions)


def read(content: bytes, form: str) -> list[set[int]]:
    text = content.decode("latin-1")
    if text.startswith("\xef\xbb\xbf"):
        text = text[3:]
    lines = text.replace("\r\n", "\n").split("\n")
    transactions: list[set[int]] = []
    named: dict[int, set[int]] = {}
    for number, line in enumerate(lines, start=1):
        tokens = line.replace("\t", " ").split(" ")
        tokens = [token for token in tokens if token]
        if not tokens:
            continue
        try:
            if form == "pairs":
                transaction, item = tokens
                named.setdefault(identifier(transaction), set()).add(identifier(item))
            else:
                transactions.append(READERS[form](line, tokens))
        except ValueError:
            raise MalformedError(number) from None
    return transactions + list(named.values())


def identifier(token: str) -> int:
    if not token or len(token) > 18 or not set(token) <= DIGITS:
        raise ValueError(token)
    return int(token)


def fimi(line: str, tokens: list[str]) -> set[int]:
    return {identifier(token) for token in tokens}


def comma(line: str, tokens: list[str]) -> set[int]:
    fields = [field.strip(" \t") for field in line.split(",")]
    if fields[-1] == "" and len(fields) > 1:
        fields.pop()
    return {identifier(field) for field in fields}


def number(token: str) -> Decimal:
    body = token[1:] if token[:1] in {"+", "-"} else token
    mantissa, mark, exponent = body.replace("E", "e").partition("e")
    whole, _, fraction = mantissa.partition(".")
    if not (whole + fraction) or not set(whole + fraction) <= DIGITS:
        raise ValueError(token)
    power = exponent[1:] if exponent[:1] in {"+", "-"} else exponent
    if mark and (not power or not set(power) <= DIGITS):
        raise ValueError(token)
    return Decimal((whole or "0") + "." + (fraction or "0"))  # the exponent makes nothing zero


def libsvm(line: str, tokens: list[str]) -> set[int]:
    number(tokens[0])
    items = set()
    for token in tokens[1:]:
        index, colon, value = token.partition(":")
        item = identifier(index)
        if not colon:
            raise ValueError(token)
        if number(value) != 0:
            items.add(item)
    return items


READERS = {"fimi": fimi, "comma": comma, "libsvm": libsvm}
