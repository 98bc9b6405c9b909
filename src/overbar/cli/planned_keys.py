"""What a search for keys would guarantee and find. It reads no data."""

from __future__ import annotations

from typing import Any

from overbar import _check
from overbar.cli.keys_command import KeysOptions
from overbar.cli.options import all_given, if_given
from overbar.cli.plan_command import PlanOptions
from overbar.cli.plan_options import share_typed
from overbar.cli.question_file import given
from overbar.errors import ParameterError
from overbar.frames import Question

#: What of ``overbar plan`` is about keys; a plan supposes counts of persons anyway.
ABOUT_KEYS = (
    *("keys", "epsilon", "delta", "items_per_person", "rounds", "counts", "counts_share"),
    "as_json",
)


def planned_keys(options: PlanOptions) -> Question:
    """Return what ``overbar keys`` would do, whatever its columns are called."""
    for key, _ in given(options):
        if key.field not in ABOUT_KEYS:
            raise ParameterError(f"--{key.name} does not go with --keys: leave it out")
    all_numbers(options)
    return key_question(options, "item", "person")


def all_numbers(options: KeysOptions | PlanOptions) -> None:
    """Refuse a search that lacks a number."""
    all_given(epsilon=options.epsilon, delta=options.delta)


def key_question(options: KeysOptions | PlanOptions, item: str, person: str) -> Question:
    """Return what is asked; no data is needed for it."""
    return Question.keys(item=item, person=person, **key_parameters(options))


def key_parameters(options: KeysOptions | PlanOptions) -> dict[str, Any]:
    """Return what was typed, for :meth:`Question.keys`; no more than that."""
    limits = ("items_per_person", "rounds", "at_least")
    whole = {name: if_given(_check.whole, name, getattr(options, name, None)) for name in limits}
    counts = share_typed(options.counts, options.counts_share)
    return {
        "epsilon": options.epsilon,
        "delta": options.delta,
        **{name: number for name, number in whole.items() if number is not None},
        **({"counts": counts} if counts else {}),
    }
