"""What is typed."""

from __future__ import annotations


def replaced(arguments):
    """What is typed, where tests add to a command that works: an option anew replaces the first."""
    words, kept = [str(one) for one in arguments], []
    while words:
        size = 2 if words[0].startswith("--") and len(words) > 1 and words[1][:2] != "--" else 1
        again = size == 2 and words[0] in words[2:] and words[0] not in ("--item", "--out")
        kept += [] if again else words[:size]
        words = words[size:]
    return kept
