"""From what was typed to the keys of a table: the work of `keys`."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import metadata

from overbar import _check
from overbar._numbers import exact_text
from overbar.accounting import ApproximateDP, PureDP
from overbar.cli.apart import keep_apart
from overbar.cli.keys_command import KeysOptions
from overbar.cli.options import all_given, if_given
from overbar.cli.output.answer_files import (
    FILE_VERSION,
    WritingError,
    checked_targets,
    ledger_fields,
    plain,
    save,
)
from overbar.cli.output.screen import Screen, checked_format, show_answer
from overbar.cli.output.words import Statement, promise
from overbar.cli.release import (
    booked,
    budget_words,
    named_table,
    opened,
    payer_of,
    point_to_check,
)
from overbar.errors import ParameterError
from overbar.frames import KeyQuestion, Keys
from overbar.ledger.address import is_address


@dataclass(frozen=True)
class KeyAnswer:
    """The keys that came out, by which question, with which guarantee."""

    found: Keys
    source: str

    @property
    def items(self) -> tuple[str, ...]:
        """What the answer lists."""
        return self.found.question.measure.items

    @property
    def said(self) -> Statement:
        """What is promised."""
        return promised(self.found.question)

    def summary(self) -> str:
        """Say in one line what came out and what it cost."""
        receipt = self.found.receipt
        again = (
            "; the stored answer again, nothing spent now" if receipt and receipt.repeated else ""
        )
        number = len(self.found)
        return f"{number:,} key{'s' * (number != 1)} found; {self.said}; spent all of it{again}"

    def fields(self) -> dict[str, object]:
        """Return the answer for a JSON file: exact, and nothing private."""
        question = self.found.question
        return {
            "overbar_answer": FILE_VERSION,
            "overbar": metadata.version("overbar"),
            "item": self.items[0],
            "labels": [plain(label) for label in self.found.labels],
            "question": {"keys": question.in_words, "source": self.source},
            "rounds": [
                {"sigma": exact_text(each.sigma), "bar_in_steps": each.bar}
                for each in getattr(question.union, "rounds", ())
            ],
            "items_per_person": question.union.items_per_person,
            "at_least": question.union.at_least,
            "guarantee": {
                "statement": str(self.said),
                "epsilon": exact_text(question.epsilon),
                "delta": exact_text(question.delta),
                "unlisted_delta": float(question.union.unlisted_delta),
            },
            "ledger": ledger_fields(self.found.receipt),
        }


def run(options: KeysOptions) -> None:
    """Check what was typed, put the question to the table, and write what comes back."""
    if options.item and options.person is None:
        raise ParameterError("--person must name the column that says whose row it is")
    source, columns = named_table(options)
    if not isinstance(columns.item, str):
        raise ParameterError("--item must be one column for keys; put several into one first")
    outputs = options.out or []
    ledger = None if is_address(options.ledger) else options.ledger
    keep_apart(options.sources, ledger=ledger, outputs=outputs, force=options.force)
    all_given(epsilon=options.epsilon, delta=options.delta)
    payer = payer_of(options)
    targets = checked_targets(outputs, None)
    if any(kind == "html" for _, kind in targets):
        raise ParameterError("--out must end in one of .csv, .json, .parquet for keys")
    form = checked_format(options.format_)
    assert options.epsilon is not None
    assert options.delta is not None
    counts = ("items_per_person", "rounds", "at_least")
    question = KeyQuestion.of(
        item=columns.item,
        person=columns.person or "",
        epsilon=options.epsilon,
        delta=options.delta,
        **{name: if_given(_check.whole, name, getattr(options, name)) for name in counts},
    )
    if options.dry_run:
        show_keys_question(question, budget_words(payer))
        return
    with opened(options, source, columns, payer) as (relation, _):
        found = question.run(relation, **booked(options, question, source, payer))
    answer = KeyAnswer(found, source.name)
    failed = save(answer, targets, None)
    show_answer(answer, "csv" if failed else form)
    if failed:
        raise WritingError(f"{'; '.join(failed)}; the answer is on standard output")
    point_to_check(found)


def promised(question: KeyQuestion) -> Statement:
    """Return what was asked for, which is what is kept."""
    proved = question.union.guarantee
    assert isinstance(proved, PureDP | ApproximateDP)
    return Statement(proved, question.epsilon, question.delta)


def show_keys_question(question: KeyQuestion, budget: str) -> None:
    """Show what would be asked, what would come out and what it would cost."""
    screen, said = Screen(), promised(question)
    screen.heading(f"Asked: {question.in_words}")
    screen.heading("Expected, computed without data")
    screen.say(question.union.forecast)
    screen.heading(f"Guaranteed: {said}")
    for line in promise(said):
        screen.say(line)
    alone = float(question.union.unlisted_delta)
    screen.say(f"Of δ, {alone:.3g} is the chance that a key comes out that one person alone has.")
    screen.heading("The cost")
    screen.say(budget)
    screen.say("This was a dry run: no data was touched and nothing was spent.")
