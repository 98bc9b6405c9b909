"""Writing answers: on the screen, and to whole files."""

from overbar.cli.outputs.answer import Answer
from overbar.cli.outputs.screen import checked_format, show_answer, show_question
from overbar.cli.outputs.targets import Target, checked_targets

__all__ = [
    "Answer",
    "Target",
    "checked_format",
    "checked_targets",
    "show_answer",
    "show_question",
]
