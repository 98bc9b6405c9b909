"""Golden entries as files have them: one a line: a name, tags, what is asked and what it is."""

import json
import math
from pathlib import Path

HERE = Path(__file__).parent
#: Digits of numbers, and of chances.
DIGITS, DIGITS_OF_A_CHANCE = 10, 13
#: So many answers of a law have their chances; the others are summed up.
LIKELIEST = 24
OTHERS = "others"


def read(name):
    """Return the entries of a file."""
    return json.loads((HERE / f"{name}.json").read_text(encoding="utf-8"))


def write(name, entries):
    """Write entries, each on a line by itself."""
    lines = ",\n".join(json.dumps(entry, ensure_ascii=False) for entry in entries)
    (HERE / f"{name}.json").write_text(f"[\n{lines}\n]\n", encoding="utf-8")


def first_of_each(entries):
    """Return entries such that every tag is among theirs, and all others."""
    seen, first, rest = set(), [], []
    for entry in entries:
        (rest if seen.issuperset(entry["tags"]) else first).append(entry)
        seen.update(entry["tags"])
    return first, rest


def rounded(value, digits=DIGITS):
    """Return the same with so many digits."""
    if isinstance(value, dict):
        return {name: rounded(one, digits) for name, one in value.items()}
    if isinstance(value, list):
        return [rounded(one, digits) for one in value]
    return float(f"{value:.{digits}g}") if isinstance(value, float) else value


def shortened(law):
    """Return the likeliest answers of a law, and the chance of all others."""
    likeliest = sorted(law, key=lambda said: (-law[said], said))[:LIKELIEST]
    return _with_others(law, likeliest)


def as_written(law, entry):
    """Return the chances that an entry has, of a law that was computed anew."""
    return _with_others(law, [said for said in entry["is"] if said != OTHERS])


def _with_others(law, answers):
    others = math.fsum(chance for said, chance in law.items() if said not in set(answers))
    return {said: law.get(said, 0.0) for said in answers} | {OTHERS: others}


def means(study):
    """Return mean and standard error of each measure of a study, one value for each run."""
    return {
        name: [float(values.mean()), float(values.std(ddof=1) / math.sqrt(len(values)))]
        for name, values in study.items()
    }


def scores_of(shape):
    """Return the scores of a study: a line, a curve 1/x, or some high ones and all others low."""
    kind, count, *rest = shape
    if kind == "line":
        return [rest[0] - rest[1] * place for place in range(count)]
    if kind == "curve":
        return [rest[0] // (place + 1) for place in range(count)]
    assert kind == "step"
    return [rest[1] if place < rest[0] else rest[2] for place in range(count)]


def named(entry):
    """Return what a test of an entry is called."""
    return entry["name"]
