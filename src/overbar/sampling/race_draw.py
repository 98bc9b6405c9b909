"""The race: who turns positive first, over any number of rounds, with one draw per candidate.

A query that is asked again after every negative answer turns positive in round G ~ Geometric(S).
The whole run is then: sort by (G, position), take the first few. One draw per query replaces a
draw per query and round, and the law is identical, not approximate.

With V uniform, E = -ln(1 - V) and k = ln(E / H), G = ceil(e^k). To find the first few of a million,
the first 8 bits of each V bound its k from below, and one comparison of whole numbers drops all
that lie behind an upper bound on the last winner. The few left over reveal 64 bits, floats bound
their G from both sides with a wide margin, and those not certain to be beaten become Runners, to be
ordered exactly. How long this takes depends on the gaps; the law of what comes out does not depend
on floats.

Theory: :doc:`/theory/appending`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from overbar.noise import Noise
from overbar.sampling.bounds import Floats, few_near, levels, rank_bounds, rank_of, slack
from overbar.sampling.enclosure import check_exact
from overbar.sampling.entropy import Source, random_words, system
from overbar.sampling.integers import HIGHEST, Integers, as_array, exact_gaps, sieve, whole_numbers
from overbar.sampling.runner import Runner

#: The rank of a round, and a position.
Line = tuple[float, float]

#: Nobody is certain to be beaten yet.
NO_LINE: Line = (math.inf, math.inf)


@dataclass(frozen=True, repr=False, eq=False)
class Shortlist:
    """Candidates by their places, the bits of V drawn for them, and bounds on the rank of G.

    Precondition: the rank of G is in [low, high] for certain; `limits` are the ranks of the last
    rounds that the candidates may use.
    """

    places: NDArray[np.intp]
    words: NDArray[np.unsignedinteger]
    low: Floats
    high: Floats
    positions: NDArray[np.int64]
    limits: Floats

    @property
    def certain(self) -> NDArray[np.bool_]:
        """Who comes within its limit for certain."""
        return self.high <= self.limits

    def finish_line(self, count: int) -> Line:
        """Return (round, position) such that `count` of these come no later, for certain.

        It is the count-th smallest of the pairs (high, position), over those certain to come
        within their own limits.
        """
        within = self.certain & np.isfinite(self.high)
        high, positions = self.high[within], self.positions[within]
        if len(high) < count:
            return NO_LINE
        last = float(np.partition(high, count - 1)[count - 1])
        tied = positions[high == last]
        place = count - 1 - int(np.count_nonzero(high < last))
        return last, int(np.partition(tied, place)[place])

    def ahead_of(self, line: Line) -> Shortlist:
        """Keep those that may come no later than the line and within their limits.

        Whoever is dropped has G beyond its limit, or beyond the line's round, or that round and a
        later position: then every candidate that made the line comes before it.
        """
        last, position = line
        tied = (self.low == last) & (self.positions <= position)
        kept = ((self.low < last) | tied) & (self.low <= self.limits)
        return Shortlist(*(column[kept] for column in vars(self).values()))


def joined(parts: Sequence[Shortlist]) -> Shortlist:
    """Put shortlists of different candidates together. Precondition: there is at least one."""
    columns = zip(*(vars(part).values() for part in parts), strict=True)
    return Shortlist(*map(np.concatenate, columns))


WORD_BITS = 64
GLANCE_BITS = 8
#: So few candidates are all looked at closely: no more than there are levels to make.
FEW = 1 << GLANCE_BITS
#: Candidates looked at closely together.
CHUNK = 1 << 15
#: Bits of a random position: they fit in an int64.
POSITION_BITS = 63

#: Who comes first in a round: None for the order given, "random" for a shuffle.
Positions = NDArray[np.int64] | Literal["random"] | None


def _race_in_groups(
    scores: Integers, base: int, positions: Positions, *, count: int, noise: Noise, grid: Fraction,
    source: Source, word_bits: int, timed: bool,
) -> list[Runner]:  # fmt: skip
    """Run a race for each group of candidates that floats can tell from each other, and merge them.

    The groups depend on the scores alone, not on what is drawn. Each race keeps as many as may win.
    """
    runners: list[Runner] = []
    left = np.arange(len(scores))
    while len(left):
        near = few_near(scores[left], base, count, noise, grid, timed=timed)
        group = left if near is None else left[near]
        left = left[:0] if near is None else left[~near]
        order: Positions = "random"
        if not isinstance(positions, str):
            order = group if positions is None else np.asarray(positions)[group]
        for runner in race_above(
            scores[group], base, count=count, noise=noise, grid=grid, positions=order,
            source=source, word_bits=word_bits, timed=timed,
        ):  # fmt: skip
            runner.place = int(group[runner.place])
            runners.append(runner)
    return sorted(sorted(runners, key=lambda runner: runner.place))[:count]


@np.errstate(all="ignore")  # what NumPy was told to raise must not depend on scores
def race_above(
    scores: Integers,
    base: int,
    *,
    count: int,
    noise: Noise,
    grid: Fraction,
    rounds: int | None = None,
    positions: Positions = None,
    source: Source = system,
    word_bits: int = WORD_BITS,
    timed: bool = False,
) -> list[Runner]:
    """Return the first `count` candidates by (G, position) among those with G <= rounds, in order.

    Precondition: scores and base are in grid steps, and the gap of a score is base - score;
    positions, by default the places in `scores`, are distinct; count >= 1; `rounds` is None for no
    limit. Random positions are uniform words;
    should two be equal, the candidate given first comes first.
    Postcondition: the G are independent and geometric with the chances S(gap), exactly.

    With `timed` the candidates come by when they arrive and not by rounds (:class:`Runner`): for
    Gumbel noise, without limits, by score + noise, the highest first, wherever the base lies.

    Exact because a candidate is dropped only if its G exceeds its limit, or if `count` others come
    before it, for certain; the bits it never drew, a random position among them, could not have
    changed that.
    """
    check_exact(noise)
    scores = whole_numbers(scores)
    if rounds is None and few_near(scores, base, count, noise, grid, timed=timed) is not None:
        return _race_in_groups(
            scores, base, positions,
            count=count, noise=noise, grid=grid, source=source, word_bits=word_bits, timed=timed,
        )  # fmt: skip
    limit = rank_of(rounds)
    nearer = slack(scores, base, noise, grid, timed=timed) if rounds is None else 0
    base_seen = base - nearer
    first = min(GLANCE_BITS, word_bits)
    glance = random_words(len(scores), first, source)

    def positions_of(places: NDArray[np.intp]) -> NDArray[np.int64]:
        if isinstance(positions, str):  # drawn once, and only for those that pass the sieve
            return random_words(len(places), POSITION_BITS, source).astype(np.int64)
        return places if positions is None else np.asarray(positions)[places]

    def known(
        places: NDArray[np.intp],
        words: NDArray[np.unsignedinteger],
        bits: int,
        order: NDArray[np.int64],
    ) -> Shortlist:
        gaps = exact_gaps(scores[places], base_seen)
        low, high = rank_bounds(noise, grid, gaps, words, bits)
        return Shortlist(places, words, low, high, order, np.full(len(places), limit))

    # A line that `count` candidates of a sample make is one that `count` of all make. It lies at
    # the end of a round, because positions are not looked at yet.
    places, line = np.arange(len(scores)), NO_LINE
    if scores.dtype == np.int64 and len(scores) > FEW:
        size = max(8 * math.isqrt(len(scores)), 32 * count)
        sample = np.arange(0, len(scores), max(1, len(scores) // size))
        line = (known(sample, glance[sample], first, sample).finish_line(count)[0], math.inf)
        furthest = min(line[0], limit)
        lowest = as_array(levels(noise, grid, base_seen, furthest, first))
        places, _ = sieve(scores, glance, lowest, np.full(len(lowest), HIGHEST))

    parts = []
    for start in range(0, max(1, len(places)), CHUNK):
        chunk = places[start : start + CHUNK]
        more = random_words(len(chunk), word_bits - first, source).astype(np.uint64)
        words = glance[chunk].astype(np.uint64) << np.uint64(word_bits - first) | more
        part = known(chunk, words, word_bits, positions_of(chunk))
        line = min(line, part.finish_line(count))
        parts.append(part.ahead_of(line))
        if positions is None and line[0] == 1 and np.any(chunk[-1:] >= line[1]):
            break  # the first round is full, and whoever is still to come stands behind it
    shortlist = joined(parts)
    shortlist = shortlist.ahead_of(min(line, shortlist.finish_line(count)))

    runners = [
        Runner(
            base - int(scores[place]),
            position,
            place=place,
            noise=noise,
            grid=grid,
            source=source,
            word=word,
            bits=word_bits,
            low=low,
            high=high,
            nearer=nearer,
            timed=timed,
        )
        for place, word, low, high, position in zip(
            shortlist.places.tolist(),
            shortlist.words.tolist(),
            shortlist.low.tolist(),
            shortlist.high.tolist(),
            shortlist.positions.tolist(),
            strict=True,
        )
    ]
    if rounds is not None:
        known_to = zip(runners, shortlist.certain.tolist(), strict=True)
        runners = [one for one, certain in known_to if certain or one.reaches(rounds)]
    return sorted(runners)[:count]
