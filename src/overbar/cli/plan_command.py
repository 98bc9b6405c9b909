"""``overbar plan``: what is guaranteed and what to expect, before any data is touched."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from overbar.cli import completion
from overbar.cli.options import EXPERTS, OUTPUT, QUESTION, Verb, option, report_format, switch
from overbar.cli.plan_options import SelectNumbers

EXAMPLES = """Examples:

\b
overbar plan --epsilon 1 --cutoff 50 --candidates 10000
overbar plan --epsilon 1 --delta 1e-6 --cutoff 50 --candidates 10000
overbar plan --recall 0.95 --margin 500 --cutoff 50 --candidates 10000
overbar plan --top --epsilon 1 --cutoff 50 --candidates 10000
overbar plan --keys --epsilon 1 --delta 1e-6
overbar plan --epsilon 1 --cutoff 50 --candidates 10000 --out plan.json
overbar plan --plan plan.json --candidates 10000 --out plan.html
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
    counts_share: str | None = option(
        EXPERTS, "SHARE", "Counts as with --counts, from this share of ε, such as 0.3."
    )
    mechanism: str | None = option(
        EXPERTS,
        "NAME",
        "How the answer is found: auto (the default: the most accurate), ranked, histogram, or "
        "sparse-vector (the paper's).",
        autocompletion=completion.mechanisms,
    )
    noise: str | None = option(
        EXPERTS,
        "NAME",
        "Noise on scores: auto (the default: the most accurate), exponential, gumbel, laplace or "
        "gaussian.",
        autocompletion=completion.noises,
    )
    threshold_noise: str | None = option(
        EXPERTS,
        "NAME",
        "Noise on the threshold: auto (the default), exponential, laplace, or with δ > 0 "
        "gaussian or none.",
        autocompletion=completion.threshold_noises,
    )
    allocation: str | None = option(
        EXPERTS,
        "NAME",
        "How ε is split: variance, appending, or a number (query budget divided by threshold "
        "budget).",
        autocompletion=completion.allocations,
    )
    resample: bool = switch(
        EXPERTS, "--resample", "Draw new threshold noise after each item found."
    )
    max_queries: str | None = option(EXPERTS, "COUNT", "A limit on all comparisons together.")
    grid: str | None = option(
        EXPERTS,
        "NUMBER",
        "Scores are rounded to multiples of this number; it must divide the sensitivity.",
    )
    rounds: str | None = option(
        EXPERTS,
        "COUNT",
        "How often each candidate is compared: 1 by default, or 'unlimited'.",
        autocompletion=completion.rounds,
    )
    correction: str | None = option(
        EXPERTS,
        "NAME",
        "What is added to the threshold: halfway (the default), optimal (the paper's), "
        "optimal-shared, mean, none, or a number.",
        autocompletion=completion.corrections,
    )
    tolerance: str | None = option(
        EXPERTS,
        "NUMBER",
        "For the optimal correction: errors this close to the threshold do not count.",
    )
    order: str | None = option(
        EXPERTS,
        "NAME",
        "In which order a sparse-vector run compares items: random or given.",
        autocompletion=completion.orders,
    )
    upper_bound: str | None = option(
        EXPERTS,
        "NUMBER",
        "For --top with --mechanism sparse-vector: a public number that no score exceeds, such as "
        "the number of people; far too high costs nothing.",
    )
    out: list[Path] | None = option(
        OUTPUT,
        "FILE",
        "Write the plan to a JSON file, or a report to an .html file; may be given several times.",
        "--out",
        "-o",
    )
    format_: str | None = report_format(OUTPUT)
    save: Path | None = option(
        OUTPUT, "FILE", "Write the question to a .toml file, for overbar run: what was typed."
    )
    force: bool = switch(OUTPUT, "--force", "Replace files that exist.")


VERB = Verb("plan", PlanOptions, "What a run would guarantee, before it.", EXAMPLES, "planned")
