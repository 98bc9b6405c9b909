"""``overbar select``: what is above a threshold in a table, privately."""

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

__all__ = ["EXAMPLES", "select"]

EXAMPLES = """Examples:

\b
Which products have more than 500 customers, of those on a public list?
  overbar select baskets.parquet --item product --person customer \\
      --cutoff 50 --threshold 500 --epsilon 1 --catalogue products.txt

\b
Without a list, which costs some δ; the answer to a file, and a page for your manager:
  overbar select 'sales/*.csv' --item product --person customer \\
      --cutoff 50 --threshold 2000 --epsilon 1 --delta 1e-6 \\
      --items-per-person 20 --candidates 10000 --out answer.csv --report answer.html

\b
By turnover, where no customer counts for more than 100 a product; a ledger pays:
  overbar select shop.duckdb --table sales --item product --person customer \\
      --value amount --value-range 0,100 --catalogue products.csv:name \\
      --cutoff 10 --threshold 50000 --epsilon 1/2 --ledger budget.db --dataset sales
"""


def select(
    sources: tables.Sources,
    item: tables.Item = None,
    person: tables.Person = None,
    value: tables.Value = None,
    value_range: tables.ValueRange = None,
    score: tables.Score = None,
    threshold: plans.Threshold = None,
    cutoff: plans.Cutoff = None,
    epsilon: plans.Epsilon = None,
    delta: plans.Delta = None,
    catalogue: tables.CatalogueName = None,
    items_per_person: tables.ItemsPerPerson = None,
    plan: plans.PlanFile = None,
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
    candidates: plans.Candidates = None,
    rounds: plans.Rounds = None,
    noise: plans.NoiseName = None,
    threshold_noise: plans.ThresholdNoise = None,
    allocation: plans.Allocation = None,
    correction: plans.Correction = None,
    tolerance: plans.Tolerance = None,
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
    """Find the items of a table above a threshold, up to the cutoff, privately.

    The score of an item is the number of persons that have it, or what they sum up to with --value.
    Only the names of what was found come out, in the order found: no counts.

    Items come from --catalogue, a public list: one taken from the data is not public, and then
    nothing is guaranteed. Without a list items are read off the table, which needs
    --items-per-person, --delta and --candidates.

    Text formats (CSV, TSV, JSON lines, .dat, SQLite) are read as text, and lines that do not fit
    are left out, because an error would tell about them. Exit code 0: done; 2: bad use or refused;
    130: stopped.
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
            plan=plan,
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
            correction=correction,
            candidates=candidates,
            rounds=rounds,
            tolerance=tolerance,
            max_queries=max_queries,
            grid=grid,
        )
        if plan is None:
            all_given(threshold=threshold, cutoff=cutoff, epsilon=epsilon)
        else:
            all_given(threshold=threshold)
        ready = None if plan is None else plans.read_plan(plan)
        assert threshold is not None
        level = threshold

        def make(labels: Sequence[Label] | None) -> Question:
            from overbar.frames import Question

            return Question.select(
                threshold=level,
                catalogue=labels,
                plan=ready,
                order=order,
                parameters=given,
                value_range=pair("value-range", value_range),
                items_per_person=count("items-per-person", items_per_person),
                **reading.roles,
            )

        ask(
            reading,
            make,
            kind="select",
            candidates=given.get("candidates"),
            delta=delta,
            catalogue=catalogue,
            payment=payment_of(ledger, dataset, request, purpose),
            outputs=outputs_of(out, report, format_),
            dry_run=dry_run,
        )

    refusing(work)
