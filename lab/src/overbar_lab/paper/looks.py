"""How a method looks in every figure, and what a legend calls it; safe for colour-blind readers.

Colours are those of Okabe and Ito (2008). Each method keeps its colour, marker and line everywhere,
and its noise has the same.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from overbar_lab.paper.study import CONVENTION

BLACK, ORANGE, SKY, GREEN = "#000000", "#E69F00", "#56B4E9", "#009E73"
BLUE, VERMILLION, PURPLE, GREY = "#0072B2", "#D55E00", "#CC79A7", "#777777"


@dataclass(frozen=True)
class Look:
    """Colour, marker and line of one method; a hollow marker lets another show inside it."""

    color: str
    marker: str
    line: Any
    width: float = 1.0
    hollow: bool = False


LOOKS: dict[str, Look] = {
    "SVT-Exp (optimal)": Look(VERMILLION, "o", "-", 1.6),
    "SVT-Exp (mean)": Look(ORANGE, "s", "--"),
    "SVT-Exp (no)": Look(PURPLE, "v", ":"),
    "SVT-Gum": Look(GREEN, "^", "-."),
    "SVT-Gum (optimal)": Look(GREEN, "^", "-", hollow=True),
    "SVT-Lap": Look(BLUE, "D", "--"),
    "SVT-Lap (optimal)": Look(BLUE, "D", "-", hollow=True),
    "SVT-Gau": Look(SKY, "X", "-."),
    "SVT-Gau (each at ε₂′)": Look(BLACK, "P", ":", hollow=True),
    "upper bound (as printed)": Look(GREY, "", ":"),
    "upper bound (comparable)": Look(BLACK, "", "--"),
    "SVT-Exp (best bar)": Look(VERMILLION, "v", "-", 1.6),
    "SVT-Gum (best bar)": Look(GREEN, "^", ":", hollow=True),
    "SVT-Lap (best bar)": Look(BLUE, "D", (0, (5, 1)), hollow=True),
    "top": Look(ORANGE, "p", "-", 1.8),
    "top, δ = 10⁻⁶": Look(GREEN, "D", "-", 2.2),
    "top with δ": Look(GREEN, "P", "-", 2.2),
    "select": Look(SKY, "s", "-", 1.8),
    "SVT-Exp (halfway)": Look(PURPLE, "^", "--"),
    "appending": Look(BLUE, "s", "-", hollow=True),
    "race-accounted": Look(SKY, "o", "--", hollow=True),
    "race-accounted, bare threshold": Look(SKY, "^", "-."),
    "peeling": Look(BLACK, "x", "--"),
    "permute-and-flip": Look(GREEN, "v", ":", hollow=True),
    "one-shot Laplace": Look(BLUE, "s", "-.", hollow=True),
    "peeling with δ": Look(PURPLE, "D", ":", hollow=True),
    "Requeue": Look(ORANGE, "s", ":", 1.6),
    "Monitor": Look(BLACK, "P", "-", 1.6),
    "T found first": Look(GREEN, "", (0, (5, 1)), 1.6),
    "without noise": Look(BLACK, "", ":"),
}
#: What legends say in place of a name that a stranger does not know.
WORDS = {
    **{
        f"SVT-{noise} ({name})": f"SVT-{noise}, {name} correction"
        for noise in ("Exp", "Gum", "Lap")
        for name in ("optimal", "mean", "no")
    },
    **{
        f"SVT-{noise} (best bar)": f"SVT-{noise}, best correction by trial"
        for noise in ("Exp", "Gum", "Lap")
    },
    "SVT-Exp (halfway)": "SVT-Exp, our default correction",
    "SVT-Gau": "SVT-Gau, δ = 1/(number of records)",
    f"SVT-Gau{CONVENTION}": "SVT-Gau, noise set by its own Rényi bound",
    "SVT-Gau (each at ε₂′)": "SVT-Gau, noise set for one query's share of ε",
    "upper bound (as printed)": "upper bound as the paper prints it (spends more than ε)",
    "upper bound (comparable)": "upper bound at this ε: noise added once, the highest taken",
    "top": "top (ours: highest noisy scores, no threshold), pure ε",
    "top, δ = 10⁻⁶": "top (ours), δ = 10⁻⁶",
    "top with δ": "top (ours: highest noisy scores, no threshold), with δ",
    "select": "select (ours: highest noisy scores over a threshold)",
    "appending": "SVT-Exp, threshold above all scores, 99 % of ε for query noise",
    "race-accounted": "SVT-Gum, asked until found, with δ",
    "peeling": "peeling (exponential mechanism, no threshold), pure ε",
    "permute-and-flip": "permute-and-flip, one by one",
    "one-shot Laplace": "Laplace noise added once",
    "peeling with δ": "peeling (exponential mechanism), with δ",
    "Requeue": "Requeue (ours: SVT-Exp, past negatives asked again)",
    "Monitor": "Monitor (ours: never halts, δ = 10⁻⁶)",
    "T found first": "SVT-Exp, ε/10 spent to find the threshold",
}
#: Noises look like the methods of the paper that are named after them.
NOISE_LOOKS = {
    "exponential": LOOKS["SVT-Exp (optimal)"],
    "laplace": LOOKS["SVT-Lap"],
    "gumbel": LOOKS["SVT-Gum"],
    "gaussian": LOOKS["SVT-Gau"],
}
#: For methods that nobody has given a look yet, in the order in which they come.
NEW = tuple(
    Look(color, marker, (0, dashes), 1.6)
    for color, marker, dashes in (
        (PURPLE, "P", (5, 1)),
        (BLACK, "*", (3, 1, 1, 1)),
        (ORANGE, "p", (1, 1)),
        (SKY, "h", (7, 2)),
        (GREEN, "<", (5, 1, 1, 1)),
        (BLUE, ">", (2, 2)),
    )
)
#: For lines that stand for numbers.
SERIES: tuple[Look, ...] = (
    Look(VERMILLION, "o", "-"),
    Look(BLUE, "s", "--"),
    Look(GREEN, "^", "-."),
    Look(PURPLE, "D", ":"),
    Look(BLACK, "v", (0, (5, 1))),
    Look(ORANGE, "X", (0, (3, 1, 1, 1))),
)


def looks_of(methods: Iterable[str]) -> dict[str, Look]:
    """Return a look for each method; those under the paper's RDP convention keep their own."""
    looks: dict[str, Look] = {}
    new = 0
    for name in methods:
        known = LOOKS.get(name.removesuffix(CONVENTION))
        looks[name] = known or NEW[new % len(NEW)]
        new += known is None
    return looks


def in_words(name: str) -> str:
    """Return what a legend says for a name; the paper's RDP convention is said elsewhere."""
    plain = name.removesuffix(CONVENTION)
    return WORDS.get(name, WORDS.get(plain, plain))
