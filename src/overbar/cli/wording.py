"""Turn parameters into options."""

import re

from overbar.cli.tables.failures import OUT_OF_MEMORY

#: Parameters whose Python name is not what one types.
_NAMES = re.compile(
    r"(?<![\w'-])(items_per_person|value_range|upper_bound|threshold_noise|max_queries)(?![\w'])"
)
_VALUES = re.compile(r"\b(noise|threshold_noise|correction|allocation|order)='([\w-]+)'")
_FLAG = re.compile(r"\bmonotonic=(True|False)\b")
#: Where a message begins with a parameter that must be given, or asks for one.
_ASKED = re.compile(r"(^|\bGive )(candidates|delta|sensitivity|value)\b(?= must|,| and)")


def in_options(message: str) -> str:
    """Turn names of parameters into options.

    >>> in_options("items_per_person must be given; or write correction='mean'")
    '--items-per-person must be given; or write --correction mean'
    """
    if "OutOfMemoryException" in message:
        return OUT_OF_MEMORY
    message = _VALUES.sub(lambda m: f"--{m[1].replace('_', '-')} {m[2]}", message)
    message = _FLAG.sub(lambda m: "--monotonic" if m[1] == "True" else "--general", message)
    message = message.replace("value_range=(low, high)", "--value-range LOW,HIGH")
    message = _ASKED.sub(r"\1--\2", message)
    return _NAMES.sub(lambda m: "--" + m[1].replace("_", "-"), message)
