"""Which keys a table has, where nobody has a list of them: set union, in rounds."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from overbar import _check
from overbar._check import Number
from overbar._numbers import short_text
from overbar.accounting import Guarantee, guarantee, spent
from overbar.accounting.one_key import BITS, chances
from overbar.calibration.key_calibration import key_plan
from overbar.calibration.key_forecast import key_forecast
from overbar.errors import ScoreError
from overbar.frames.batches import Labels
from overbar.frames.contributions import Lazy
from overbar.frames.discretion import discreetly
from overbar.frames.key_weights import counted, weighed
from overbar.frames.measure import Measure, measure_of
from overbar.frames.scoring import Scored, pairs_of
from overbar.ledger import Booking
from overbar.ledger.booking import checked_booking
from overbar.ledger.description import Description
from overbar.mechanism.counting import counted_keys
from overbar.mechanism.payment import paid
from overbar.mechanism.secrecy import sealed
from overbar.mechanism.selection import Selection
from overbar.noise import Gaussian
from overbar.plans import KeyPlan, OneKeyPlan, SetUnionPlan
from overbar.plans.key_plans import STEPS
from overbar.sampling.entropy import system
from overbar.sampling.listed_draw import by_count
from overbar.sampling.reaching_draw import reaching


@sealed
def keys(
    frame: Any,
    *,
    item: str,
    person: str,
    epsilon: Number,
    delta: Number,
    items_per_person: int | None = None,
    rounds: int | None = None,
    at_least: int | None = None,
    counts: bool | Number = False,
    booking: Booking | None = None,
) -> Selection:
    """Find the keys of a column that many persons hold, privately, without a list of them.

    Two tables are neighbours if one has all rows of one more person. Rows without a key or
    without a person are dropped. A repeated row changes nothing.

    Parameters
    ----------
    frame : table
        A table of pandas, Polars (eager or lazy), PyArrow, DuckDB (a relation) or PySpark, or a
        :class:`overbar.frames.DatabaseTable`.
    item : str
        The column that has the keys.
    person : str
        The column that says whose row it is.
    epsilon : int, float, str, Fraction or Decimal
        The privacy budget of the whole call. ``"0.1"`` means one tenth exactly.
    delta : int, float, str, Fraction or Decimal
        The δ of (ε, δ)-differential privacy. It must be positive: about half of it is the chance
        that a key comes out that one person alone holds.
    items_per_person : int, optional
        So many keys of each person count in each round, chosen by lot; 100 if nothing is said. Who
        has fewer counts for more in each. With 1 and no `rounds`, the best of all ways to choose is
        taken.
    rounds : int, optional
        Keys that are out make room for others: each round leaves them aside, and has five times
        the budget of the one before. 3 if nothing is said.
    at_least : int, optional
        Keys that fewer persons hold never come out, whatever the noise is.
    counts : bool or number, default False
        True counts the persons of each key that came out, and everything else, each with an
        interval of 95 %, from a quarter of the budget; a number is that part. Of each person at
        most `items_per_person` keys count, by lot.
    booking : Booking, optional
        Which dataset of a ledger pays: ``ledger.booking("sales")``.

    Returns
    -------
    Selection
        The keys that came out, sorted, with their counts if asked for, and then a `rest`. How many
        others there are stays hidden.

    Raises
    ------
    ParameterError
        If a public parameter is wrong; the message says what to write instead.
    LedgerError
        If the ledger cannot pay; nothing was drawn then.

    See Also
    --------
    overbar.frames.select, overbar.frames.top : The highest of a public list, or of such keys.
    overbar.frames.KeyQuestion.of : What would be asked, without a table.

    Examples
    --------
    >>> import polars
    >>> from overbar import frames
    >>> rows = polars.DataFrame({"product": ["tea", "rum"] * 5000, "customer": range(10_000)})
    >>> frames.keys(rows, item="product", person="customer", epsilon=1, delta="1e-6")
    Selection: 2 keys found; UnlistedDP(epsilon=0.965366 at delta=1.5e-06), spent all of it
      rum
      tea
    >>> selection = frames.keys(
    ...     rows, item="product", person="customer", epsilon=1, delta="1e-6", counts=True
    ... )
    >>> len(selection.counts), 4000 < selection.counts[0].value < 6000
    (2, True)
    >>> selection.guarantee.implies(1, "1e-6")
    True
    """
    question = KeyQuestion.of(
        item=item,
        person=person,
        epsilon=epsilon,
        delta=delta,
        items_per_person=items_per_person,
        rounds=rounds,
        at_least=at_least,
        counts=counts,
    )
    return question.run(frame, booking=booking)


@dataclass(frozen=True, repr=False)
class KeyQuestion:
    """A search for keys and what it costs, before any data is touched. Made by :meth:`of`.

    Parameters
    ----------
    measure : Measure
        Which columns, and how many keys of each person count.
    epsilon, delta : Fraction
        What was asked for.
    plan : SetUnionPlan or OneKeyPlan
        The search, in public numbers.

    Examples
    --------
    >>> question = KeyQuestion.of(item="term", person="user", epsilon=1, delta="1e-6", rounds=1)
    >>> question.guarantee.implies(1, "1e-6"), question.forecast[:29]
    (True, 'Keys held by about 26 persons')
    """

    measure: Measure
    epsilon: Fraction
    delta: Fraction
    plan: KeyPlan

    @classmethod
    @_check.known_keywords
    def of(
        cls,
        *,
        item: str,
        person: str,
        epsilon: Number,
        delta: Number,
        items_per_person: int | None = None,
        rounds: int | None = None,
        at_least: int | None = None,
        counts: bool | Number = False,
    ) -> KeyQuestion:
        """Return the question that :func:`overbar.frames.keys` would ask.

        The parameters are those of :func:`overbar.frames.keys`.

        Returns
        -------
        KeyQuestion
            All that is public; no table was touched.

        Raises
        ------
        ParameterError
            If a public parameter is wrong; the message says what to write instead.
        """
        plan = key_plan(
            epsilon,
            delta,
            items_per_person=items_per_person,
            rounds=rounds,
            at_least=at_least,
            counts=counts,
        )
        measure = measure_of(item=item, person=person, items_per_person=plan.items_per_person)
        level, allowed = _check.rational("epsilon", epsilon), _check.rational("delta", delta)
        return cls(measure, level, allowed, plan)

    @property
    def guarantee(self) -> Guarantee:
        """What is proved."""
        return guarantee(self.plan)

    @property
    def promise(self) -> str:
        """What is proved."""
        level, allowed = short_text(self.epsilon), float(self.delta)
        return f"ApproximateDP(epsilon={level} at delta={allowed:g})"

    @property
    def in_words(self) -> str:
        """What is asked, without what it costs."""
        number = len(self.plan.rounds) if isinstance(self.plan, SetUnionPlan) else 1
        in_rounds = f", in {number} rounds" if number > 1 else ""
        in_rounds += ", with counts" if self.plan.gives_counts else ""
        least = self.plan.at_least
        held = f", held by at least {least:,}" if least > 1 else ""
        return f"keys of {self.measure.item} by the {self.measure}{held}{in_rounds}"

    @property
    def forecast(self) -> str:
        """Say which keys come out, and how far their counts are off, from public numbers alone."""
        return key_forecast(self.plan)

    def __repr__(self) -> str:
        return f"KeyQuestion: {self.in_words}; {self.promise}"

    @sealed
    def run(self, frame: Any, *, booking: Booking | None = None, source: str = "") -> Selection:
        """Put the question to a table. What is wrong with a table comes to light before it costs.

        Parameters
        ----------
        frame : table
            A table of pandas, Polars, PyArrow, DuckDB or PySpark.
        booking : Booking, optional
            Which dataset of a ledger pays: ``ledger.booking("sales")``.
        source : str, default ""
            Which table it is, in public words.

        Returns
        -------
        Selection
            The keys that came out, sorted.

        Raises
        ------
        ParameterError
            If the table has no such columns.
        LedgerError
            If the ledger cannot pay; nothing was drawn then.
        """
        payer = checked_booking(booking)
        public = [repr(self.measure), repr(self.plan), *([source] if source else [])]
        payer = payer and payer.about(public, purpose=self.in_words, neighbours="person")
        assert isinstance(self.measure.item, str)  # keys have no other
        assert self.measure.person is not None
        pairs, first = begun(self.plan, frame, self.measure.item, self.measure.person)
        description = Description(kind="keys", plan=self.plan, threshold=None)
        return paid(payer, description, lambda: self._drawn(pairs, first))

    def _drawn(self, pairs: Lazy, first: Scored) -> Selection:
        """Return the keys that come out of all rounds, sorted, and count them if asked to."""
        plan, labels = self.plan, drawn_labels(self.plan, pairs, first)
        cost = spent(plan, len(labels))  # all of it, however many came out
        if plan.count_noise is None:
            return Selection(None, labels, plan, cost)
        with underway():
            each, others = counted(pairs, plan.items_per_person, labels)
        counts, rest = counted_keys(each, others, plan.count_noise, system)
        return Selection(None, labels, plan, cost, counts=counts, rest=rest)


def begun(plan: KeyPlan, frame: Any, item: str, person: str) -> tuple[Lazy, Scored]:
    """Read a table for the first round. What is wrong with it comes to light here."""
    persons = measure_of(item=item, person=person, items_per_person=plan.items_per_person)
    with discreetly():
        pairs = pairs_of(frame, persons)
        return pairs, weighed(pairs, plan, ())


def drawn_labels(plan: KeyPlan, pairs: Lazy, first: Scored) -> tuple[Hashable, ...]:
    """Draw all rounds. It costs what the plan says, so whoever calls this has paid."""
    if isinstance(plan, OneKeyPlan):
        persons = first.steps // STEPS
        above = by_count(persons, chances(plan), BITS, source=system)
        return tuple(sorted(_labels(first, above)))
    assert isinstance(plan, SetUnionPlan)  # there is no other search
    out: list[Any] = []
    weights: Scored | None = first
    for each in plan.rounds:
        if weights is None:
            with underway():
                weights = weighed(pairs, plan, out)
        noise = Gaussian(each.sigma)
        above = reaching(weights.steps, each.bar, noise=noise, grid=plan.grid, source=system)
        out += _labels(weights, above)
        weights = None
    return tuple(sorted(out))


def _labels(found: Scored, chosen: NDArray[np.bool_]) -> list[Any]:
    labels = Labels(found.items)
    return [labels[place] for place in np.flatnonzero(chosen).tolist()]


@contextmanager
def underway() -> Iterator[None]:
    """Let an engine read the table again, when a round was drawn already."""
    try:
        with discreetly():
            yield
    except ScoreError:
        raise ScoreError(
            "the table could not be read again for the next round. What was drawn so far is not "
            "given out, and a ledger counts the run as spent"
        ) from None
