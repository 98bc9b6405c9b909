"""``overbar top``: the highest items of a table, privately."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from overbar.cli import plan_options as plans
from overbar.cli import table_options as tables
from overbar.cli.apart import keep_apart
from overbar.cli.options import all_given, count, pair
from overbar.cli.release import ask, outputs_of, payment_of, reading_of, refusing

if TYPE_CHECKING:
    from overbar.cli.tables.public_list import Label
    from overbar.frames import Question

__all__ = ["EXAMPLES", "top"]

EXAMPLES = """Examples:

\b
The 50 products with the most customers, of those on a public list, in at most 100,000 customers:
  overbar top baskets.parquet --item product --person customer \\
      --cutoff 50 --upper-bound 100000 --epsilon 1 --catalogue products.txt

\b
What it would cost, without touching the data:
  overbar top baskets.parquet --item product --person customer \\
      --cutoff 50 --upper-bound 100000 --epsilon 1 --catalogue 0..9999 --dry-run
"""


def top(
    sources: tables.Sources,
    item: tables.Item = None,
    person: tables.Person = None,
    value: tables.Value = None,
    value_range: tables.ValueRange = None,
    score: tables.Score = None,
    upper_bound: tables.UpperBound = None,
    cutoff: plans.Cutoff = None,
    epsilon: plans.Epsilon = None,
    delta: plans.Delta = None,
    catalogue: tables.CatalogueName = None,
    items_per_person: tables.ItemsPerPerson = None,
    ledger: tables.LedgerFile = None,
    dataset: tables.DatasetName = None,
    request: tables.RequestName = None,
    purpose: tables.Purpose = None,
    out: tables.Out = None,
    report: tables.Report = None,
    format_: tables.Format = None,
    force: tables.Force = False,
    dry_run: tables.DryRun = False,
    sensitivity: plans.Sensitivity = None,
    monotonic: plans.Monotonic = None,
    noise: plans.NoiseName = None,
    threshold_noise: plans.ThresholdNoise = None,
    allocation: plans.Allocation = None,
    resample: plans.Resample = None,
    max_queries: plans.MaxQueries = None,
    grid: plans.Grid = None,
    order: tables.Order = "random",
    table: tables.Table = None,
    input_format: tables.InputFormat = None,
    delimiter: tables.Delimiter = None,
    no_header: tables.NoHeader = False,
    decimal_comma: tables.DecimalComma = False,
    memory: tables.Memory = "2GB",
    threads: tables.Threads = None,
    temp_folder: tables.TempFolder = None,
) -> None:
    """Find the top items of a table, privately: as many as the cutoff, whether high or not.

    The score of an item is the number of persons that have it, or what they sum up to with --value.
    Only the names of what was found come out, in the order found: no counts. Items must come from
    a public list, because the top is filled up with items that nobody has; one taken from the data
    is not public, and then nothing is guaranteed.
    """

    def work() -> None:
        reading = reading_of(
            sources,
            item=item,
            person=person,
            value=value,
            score=score,
            table=table,
            input_format=input_format,
            delimiter=delimiter,
            header=not no_header,
            decimal_comma=decimal_comma,
            memory=memory,
            threads=threads,
            temp_folder=temp_folder,
        )
        keep_apart(
            sources,
            catalogue=catalogue,
            ledger=ledger,
            outputs=[*(out or []), report],
            force=force,
        )
        given = plans.parameters_of(
            epsilon=epsilon,
            delta=delta,
            cutoff=cutoff,
            sensitivity=sensitivity,
            monotonic=monotonic,
            noise=noise,
            threshold_noise=threshold_noise,
            resample=resample,
            allocation=allocation,
            max_queries=max_queries,
            grid=grid,
        )
        if score is None:
            all_given(cutoff=cutoff, epsilon=epsilon, upper_bound=upper_bound, catalogue=catalogue)
        else:  # who brings scores may bring all the items there are
            all_given(cutoff=cutoff, epsilon=epsilon, upper_bound=upper_bound)

        def make(labels: Sequence[Label] | None) -> Question:
            from overbar.frames import Question

            return Question.top(
                upper_bound=upper_bound,
                catalogue=labels,
                order=order,
                parameters=given,
                value_range=pair("value-range", value_range),
                items_per_person=count("items-per-person", items_per_person),
                **reading.roles,
            )

        ask(
            reading,
            make,
            kind="top",
            candidates=None,
            delta=delta,
            catalogue=catalogue,
            payment=payment_of(ledger, dataset, request, purpose),
            outputs=outputs_of(out, report, format_),
            dry_run=dry_run,
        )

    refusing(work)
