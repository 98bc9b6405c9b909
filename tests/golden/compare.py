"""What is worse, and what is better, of two lists of numbers about one plan; laws and studies.

- A noise, or the sigmas, bars and numbers of persons of a search for keys: more is worse. Of two
  noises with other names the standard deviations are compared.
- ε at a δ, a Rényi divergence: more is worse, and none is worse than any.
- δ at an ε: more is worse, by its logarithm, as a little of ε changes a small δ by a large factor.
- What a ledger charges, and what it keeps after each ending: more is worse, as less is given back.
  Both are shares of a budget. Of a billionth nobody asks.
- A request or a charge that is refused now is worse, and one that was refused is better.
- The correction, the grid, the name of a noise, how many rounds, the ways of a budget: other, if
  they are not the same. A correction may move by a step of the grid.
- A charge, of which one share is more and another less: other.
- A plan that does not keep the ε that was asked for, at the δ that was: worse.

A plan with less noise uses the budget up in another way, so all its costs are other numbers. Where
noise differs at all **costs are compared at the golden noise**: those of a plan made by hand, the
new one with golden noise, correction and grid. A cheaper proof is better there, and so is a wrong
one. The correction and the grid of the new plan may stay or go with its noise. Where of query and
threshold noise one is more and one less, the split has moved, and the sum of their variances is
compared, as in planning. Of all others more is worse.

Worse fails. So does better, where a privacy bug would show, and other, until a line in
`better.toml` says which numbers, why, who attacked them and how.
"""

import fnmatch
import math
import tomllib
from pathlib import Path

from tests.golden.entries import as_written, rounded

#: What says how noisy a plan is; the two that are split; what goes with them.
PAIR = ("query_noise", "threshold_noise")
NOISE = (*PAIR, "counts", "count scales", "sigmas", "bars", "persons")
PUBLIC = ("correction", "grid")
#: The name of what is there only if a plan does not keep what was asked for.
BROKEN = "broken promise"
#: The name of what is there only if no plan by hand has the golden noise.
BY_HAND = "by hand"
#: What is neither worse nor better.
FACTOR = 1.0005
LEAST_SHARE = 1e-9
#: How far a correction that goes with the noise may be from it.
BESIDE_NOISE = 0.01
#: Chances are the same so far, and means of studies if they have no error at all.
NEAR = 1e-9
#: So many standard errors are chance.
ERRORS = 4
#: The standard deviation of each noise at scale one.
SPREAD = {
    "exponential": 1.0,
    "gumbel": math.pi / math.sqrt(6),
    "laplace": math.sqrt(2),
    "gaussian": 1.0,
}
BETTER = Path(__file__).with_name("better.toml")
#: What each line there must say.
WANTED = {"entries", "numbers", "reason", "attacked_by", "how"}
#: A reason has so many words at least, and a name so many letters.
FEWEST = 3


def as_golden(numbers):
    """Return numbers as an entry has them: rounded, but for the noise a plan by hand is made of."""
    return rounded(numbers) | _only(NOISE, numbers)


def at_same_noise(entry, ask, always=False):
    """Return the numbers to compare with an entry: where its noise differs, costs at the golden.

    `ask` is the seam's: it takes a request and, for a plan by hand, golden numbers.
    """
    was, now = entry["is"], ask(entry["ask"])
    moved = always or _only(NOISE, was) != _only(NOISE, now)
    if "refused" in {**was, **now} or not moved:
        return now
    made = ask(entry["ask"], was)
    if verdicts(_only(NOISE + PUBLIC, was), _only(NOISE + PUBLIC, made)):
        made = {BY_HAND: "not the same plan"}
    costs = {name: one for name, one in made.items() if name not in (*NOISE, *PUBLIC, BROKEN)}
    return costs | _only((*NOISE, *PUBLIC, BROKEN), now)


def _only(names, numbers):
    return {name: numbers[name] for name in names if name in numbers}


def verdicts(was, now):
    """Return {name: "worse", "better" or "other"} of the numbers that are not the same."""
    if "refused" in was and "refused" in now:
        return {} if was == now else {"refused": "other"}
    if "refused" in was or "refused" in now:
        return {"refused": "better" if "refused" in was else "worse"}
    both = [name for name in was if name in now]
    step, less = was.get("grid", 0), _spread(now) / _spread(was)
    found = {name: _verdict(name, was[name], now[name], step, less) for name in both}
    found |= dict.fromkeys({**was, **now}.keys() - set(both), "other")
    if sorted(found.get(name, "") for name in PAIR) == ["better", "worse"]:
        found |= dict.fromkeys(PAIR, _more(_spread(was), _spread(now)).replace("same", "other"))
    if [found.get(name) for name in PAIR] == ["same", "worse"] and less <= FACTOR:
        (kind, before), (other, after) = was["query_noise"], now["query_noise"]
        if kind == other and after < before:  # by less than is looked at: the split has moved
            found["threshold_noise"] = "other"
    found |= {BROKEN: "worse"} if BROKEN in now else {}
    return {name: said for name, said in found.items() if said != "same"}


def _spread(numbers):
    """Return the standard deviation of a comparison; one where there is none."""
    noises = _only(PAIR, numbers).values()
    return math.hypot(*(SPREAD[name] * scale for name, scale in noises)) or 1.0


def _verdict(name, was, now, step, less):
    """Return what is said of one number, or of the worst of a list; noise is so much `less`."""
    same = 1 / FACTOR <= less <= FACTOR
    if name == "correction":
        off = min(abs(was - now), abs(less * was - now))
        part = (FACTOR - 1) * abs(was)
        return _same(off <= (max(step, part) if same else step + BESIDE_NOISE * abs(was)))
    if name == "grid":
        return _same("same" in (_more(was, now), _more(was / (2 if less < 1 / FACTOR else 1), now)))
    if isinstance(was, str) or isinstance(now, str):
        both = isinstance(was, str) and isinstance(now, str)
        return _same(was == now) if both else "better" if isinstance(was, str) else "worse"
    if not isinstance(was, list):
        return _more(_cost(name, was), _cost(name, now))
    if was and isinstance(was[0], str):
        said = {_same(was[0] == now[0]), _more(*(SPREAD[one] * scale for one, scale in (was, now)))}
    elif len(was) != len(now):
        said = {"other"}
    else:
        said = {
            _more(_cost(name, one), _cost(name, two)) for one, two in zip(was, now, strict=True)
        }
        # A charge of less ε and more δ is another point of the same curve.
        if name.startswith(("charged", "kept")) and {"better", "worse"} <= said:
            said = {"other"}
    return next(one for one in ("worse", "other", "better", "same") if one in said)


def _same(it_is):
    return "same" if it_is else "other"


def _cost(name, number):
    """Return a number of which more is worse, by a factor."""
    if number is None:
        return math.inf
    if name.startswith("delta"):
        return 0.0 if number == 0 else math.inf if number == 1 else -1 / math.log(number)
    return max(number, LEAST_SHARE) if name.startswith(("charged", "kept")) else number


def _more(was, now):
    if now > was * FACTOR:
        return "worse"
    return "better" if was > now * FACTOR else "same"


def read_better(path=BETTER):
    """Return the lines about what may be better; refuse one that does not say who attacked it."""
    lines = tomllib.loads(path.read_text(encoding="utf-8")).get("better", [])
    for line in lines:
        if set(line) != WANTED:
            raise ValueError(f"a line of {path.name} has {sorted(WANTED)}, and not {sorted(line)}")
        for name in ("reason", "how"):
            if len(line[name].split()) < FEWEST:
                raise ValueError(f"a line of {path.name} must say {name} in a sentence")
        for name in ("entries", "numbers", "attacked_by"):
            if sum(map(str.isalpha, line[name])) < FEWEST:
                raise ValueError(f"a line of {path.name} must say more than {line[name]!r}: {name}")
    return lines


def failing(entry, now, lines):
    """Return the verdicts about an entry that fail: what is worse has no excuse.

    `now` are numbers at the same noise.
    """

    def excused(number):
        return any(
            fnmatch.fnmatchcase(number, line["numbers"])
            and any(fnmatch.fnmatchcase(one, line["entries"]) for one in named)
            for line in lines
        )

    named, found = (entry["name"], *entry["tags"]), verdicts(entry["is"], now)
    return {one: said for one, said in found.items() if said == "worse" or not excused(one)}


def differing(entry, law):
    """Return the answers of a law whose chance is another one."""
    now = as_written(law, entry)
    return {said: now[said] for said, was in entry["is"].items() if abs(now[said] - was) > NEAR}


def far_off(entry, now):
    """Return the measures of a study whose means are more than four standard errors apart."""
    return {
        name: now[name]
        for name, (mean, error) in entry["is"].items()
        if abs(now[name][0] - mean) > ERRORS * math.hypot(error, now[name][1]) + NEAR
    }
