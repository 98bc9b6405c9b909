"""Every transcript of a small run and its probability, in balls of sixty digits. Slow and obvious.

A transcript is what a run says: for each comparison, which query was asked and what the answer
was, until the run halts. Queries that were negative go to the end of the queue until they have been
asked `rounds` times. Everything is in grid steps. Balls carry their own error bounds.
"""

from dataclasses import dataclass
from functools import lru_cache

from flint import arb, ctx, fmpq

from tests.reference.plans import repeats_of

BITS = 220
#: Threshold noise beyond this many scales has probability e^-95 and is left out.
REACH = 95


def _ratio(steps, grid, noise):
    value = steps * grid / noise.scale
    return arb(fmpq(value.numerator, value.denominator))


@lru_cache(maxsize=10_000)
def survival(noise, grid, gap):
    """P(V >= gap · grid) for a continuous noise V."""
    with ctx.workprec(BITS):
        z = _ratio(gap, grid, noise)
        if noise.name == "exponential":
            return (-z).exp() if gap > 0 else arb(1)
        if noise.name == "laplace":
            return (-z).exp() / 2 if gap > 0 else 1 - z.exp() / 2
        return -(-(-z).exp()).expm1()


@lru_cache(maxsize=64)
def threshold_masses(noise, grid):
    """Return (steps, probability) pairs of Laplace or exponential noise on the grid.

    A tail of e^-95 is left out.
    """
    if noise is None:
        return [(0, arb(1))]
    with ctx.workprec(BITS):
        y = (-_ratio(1, grid, noise)).exp()
        last = int(REACH * noise.scale / grid) + 1
        if noise.name == "exponential":
            return [(j, (1 - y) * y**j) for j in range(last + 1)]
        assert noise.name == "laplace"
        return [(j, (1 - y) / (1 + y) * y ** abs(j)) for j in range(-last, last + 1)]


@dataclass(frozen=True)
class Law:
    """What decides the probabilities of a run; a broken twin replaces one of its parts."""

    plan: object
    level: int  # threshold plus correction, in steps

    def masses(self):
        return threshold_masses(self.plan.threshold_noise, self.plan.grid)

    def positive(self, gap):
        return survival(self.plan.query_noise, self.plan.grid, gap)

    def level_for(self, scores):
        return self.level


def distribution(scores, law):
    """Return {transcript: probability}, where a transcript is a tuple of (query, answer).

    `terms` holds, for each value of the threshold noise, the probability of that value and of
    everything said so far. Drawing the noise anew sums them up and starts over.
    """
    plan, level, masses = law.plan, law.level_for(scores), law.masses()
    found = {}

    def chances(query):
        return [law.positive(level + noise - scores[query]) for noise, _ in masses]

    def go(queue, asked, said, terms):
        positives = sum(answer for _, answer in said)
        if not queue or positives == plan.cutoff or len(said) == repeats_of(plan).max_queries:
            found[said] = sum(terms, arb(0))
            return
        query, *others = queue
        yes = [term * chance for term, chance in zip(terms, rise[query], strict=True)]
        if plan.repeats.resample:
            total = sum(yes, arb(0))
            yes = [total * mass for _, mass in masses]
        go(others, asked, (*said, (query, True)), yes)
        no = [term * chance for term, chance in zip(terms, fall[query], strict=True)]
        times = asked[query] + 1
        back = [query] if times < repeats_of(plan).rounds else []
        go([*others, *back], {**asked, query: times}, (*said, (query, False)), no)

    with ctx.workprec(BITS):
        everyone = list(range(len(scores)))
        rise = [chances(query) for query in everyone]
        fall = [[1 - chance for chance in row] for row in rise]
        go(everyone, dict.fromkeys(everyone, 0), (), [mass for _, mass in masses])
    return found


def worst_loss(pairs, law, positives=None):
    """Return the largest log-ratio over pairs of neighbours, both directions, all transcripts.

    With `positives`, only over transcripts that have given so many.
    """
    worst = arb(0)
    laws = {}
    with ctx.workprec(BITS):
        for pair in pairs:
            for scores in pair:
                if scores not in laws:
                    laws[scores] = distribution(scores, law)
            first, second = (laws[scores] for scores in pair)
            for said, p in first.items():
                if positives not in (None, sum(answer for _, answer in said)):
                    continue
                q = second[said]
                if p > 0 and q > 0:
                    worst = worst.max((p.log() - q.log()).abs_upper())
                elif max(p.abs_upper(), q.abs_upper()) > arb(-70).exp():
                    return arb.pos_inf()  # more than the truncated tail could hold
    return worst


def excess(worst, epsilon):
    """Return by how much a loss exceeds ε."""
    with ctx.workprec(BITS):
        return float(worst - arb(fmpq(epsilon.numerator, epsilon.denominator)))
