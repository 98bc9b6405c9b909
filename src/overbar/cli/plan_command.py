"""``overbar plan``: what is guaranteed and what to expect, before any data is touched."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from overbar.cli.options import OUTPUT, QUESTION, Verb, option, switch
from overbar.cli.plan_options import SelectNumbers

EXAMPLES = """Examples:

\b
overbar plan --epsilon 1 --cutoff 50 --candidates 10000 --monotonic
overbar plan --epsilon 1 --delta 1e-6 --cutoff 50 --candidates 10000 --monotonic
overbar plan --recall 0.95 --margin 500 --cutoff 50 --candidates 10000
overbar plan --top --epsilon 1 --cutoff 50 --candidates 10000
overbar plan --keys --epsilon 1 --delta 1e-6
overbar plan --epsilon 1 --cutoff 50 --candidates 10000 --out plan.json
overbar plan --plan plan.json --candidates 10000 --report plan.html
"""


@dataclass(frozen=True, kw_only=True)
class PlanOptions(SelectNumbers):
    """Show what a run would guarantee and how accurate it would be. Reads no data.

    Numbers are exact: 0.1 is one tenth, and 1/3 and 1e-6 are fine.
    """

    items_per_person: str | None = option(
        QUESTION,
        "COUNT",
        "At most this many items of each person count; with few, much less noise is needed.",
    )
    groups: str | None = option(
        QUESTION, "COUNT", "In how many public groups the plan is run, each by itself."
    )
    groups_per_person: str | None = option(
        QUESTION, "COUNT", "In how many groups a person counts at most: ε is for all of them."
    )
    unlisted: bool = switch(
        QUESTION, "--unlisted", "Plan for items that are read off the data, without a catalogue."
    )
    top: bool = switch(QUESTION, "--top", "Plan for 'overbar top' instead of 'overbar select'.")
    keys: bool = switch(
        QUESTION,
        "--keys",
        "Plan for 'overbar keys': it takes --epsilon, --delta, --items-per-person, --rounds and "
        "--counts.",
    )
    margin: str | None = option(
        QUESTION, "NUMBER", "A distance from the threshold: how likely is who lies there found?"
    )
    recall: str | None = option(
        QUESTION,
        "SHARE",
        "A share to find, such as 0.95: which margin does it take, or, with --margin, which ε?",
    )
    out: Path | None = option(OUTPUT, "FILE", "Write the plan to a JSON file.")
    report: Path | None = option(OUTPUT, "FILE", "Write an HTML report.")
    as_json: bool = switch(OUTPUT, "--json", "Write JSON to standard output.")
    save: Path | None = option(
        OUTPUT, "FILE", "Write the question to a .toml file, for overbar run: what was typed."
    )
    force: bool = switch(OUTPUT, "--force", "Replace files that exist.")


VERB = Verb("plan", PlanOptions, "What a run would guarantee, before it.", EXAMPLES, "planned")
