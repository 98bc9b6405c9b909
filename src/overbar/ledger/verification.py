"""Check a ledger from its first row, trusting nothing."""

from __future__ import annotations

from overbar.errors import LedgerError, OverbarError
from overbar.ledger.answers import fitting
from overbar.ledger.budget import Budget, within_delta
from overbar.ledger.charges import falls_short
from overbar.ledger.description import StatedCost
from overbar.ledger.endings import can_have_cost, pays_too_little
from overbar.ledger.row_events import Opened, Reserved, RowEvent, Settled, event_of, text_of
from overbar.ledger.rows import BEGINNING, Levels, Links, Pointer, Row, Rows, route, walk


class _Dataset:
    """What the rows so far say about a dataset."""

    def __init__(self, budget: Budget) -> None:
        self.settle_for(budget)
        self.held: dict[int, Reserved] = {}
        self.tries: dict[str, int] = {}
        self.questions: dict[str, Reserved] = {}
        self.answered: set[str] = set()
        self.closed = False

    def settle_for(self, budget: Budget) -> None:
        """Take a budget of which nothing was reserved yet."""
        if not within_delta(budget):
            raise LedgerError("its limits are more than its delta allows")
        self.budget = budget
        self.balance = budget.unspent


class _Finder:
    """The links that rows must have, from the keys of all rows before."""

    def __init__(self) -> None:
        self._datasets: dict[Pointer, tuple[int, Levels]] = {}
        self._requests: dict[Pointer, tuple[int, Levels]] = {}
        self._newest: Pointer | None = None
        self._newest_request: Pointer | None = None

    def check(self, event: RowEvent, row: Row) -> None:
        """Compare what a row says about older ones, and remember it."""
        request = row.request
        _, datasets = walk(self._newest, route(event.dataset), self._datasets.__getitem__)
        before, requests = None, Levels()
        if request is not None:
            goal = route(event.dataset, request)
            before, requests = walk(self._newest_request, goal, self._requests.__getitem__)
        if event.links != Links(datasets, requests, self._newest_request, before):
            raise LedgerError("it names other rows before it than there are")
        self._newest = row.pointer
        self._datasets[row.pointer] = route(event.dataset), datasets
        if request is not None:
            self._newest_request = row.pointer
            self._requests[row.pointer] = route(event.dataset, request), requests


def verify_rows(rows: Rows, head: str | None) -> str:
    """Check the file, the chain, and that every row follows from those before; return the head."""
    rows.table.sound()
    previous = BEGINNING
    known_head = head is None or head == BEGINNING
    datasets: dict[str, _Dataset] = {}
    finder = _Finder()
    for row in rows.all():
        previous = row.hash
        known_head = known_head or row.hash == head
        try:
            event = event_of(row)
            if text_of(event) != row.content or event.number != row.number:
                raise LedgerError("its text is not in the canonical form")
            _follow(datasets, event)
            finder.check(event, row)
        except (OverbarError, ArithmeticError, ValueError, RecursionError) as error:
            raise rows.trouble(
                f"row {row.number} does not follow from those before: {error}"
            ) from None
    if head is not None and not known_head:
        raise rows.without(head)
    return previous


def _follow(datasets: dict[str, _Dataset], event: RowEvent) -> None:
    """Replay one row."""
    name = event.dataset
    if isinstance(event, Opened):
        if name in datasets:
            raise LedgerError("the dataset was opened before")
        datasets[name] = _Dataset(event.budget)
    elif name not in datasets:
        raise LedgerError("its dataset was not opened")
    known = datasets[name]
    if isinstance(event, Reserved):
        _reserve(known, event)
    elif isinstance(event, Settled):
        _settle(known, event)
    elif not isinstance(event, Opened):
        if known.closed:
            raise LedgerError("the dataset was closed before")
        known.closed = True
    if event.balance != known.balance:
        raise LedgerError("its balance is wrong")
    if event.closed != known.closed:
        raise LedgerError("it does not say whether the dataset is closed")
    if event.budget != known.budget:
        raise LedgerError("its budget is another")


def _reserve(known: _Dataset, event: Reserved) -> None:
    run, budget = event.description, event.budget
    if known.closed:
        raise LedgerError("the dataset was closed")
    if not known.budget.settled:  # the first reservation says how runs add up
        promised = (known.budget.epsilon, known.budget.delta, known.budget.neighbours)
        if not budget.settled or (budget.epsilon, budget.delta, budget.neighbours) != promised:
            raise LedgerError("it does not settle how runs add up")
        known.settle_for(budget)
    charge, schedule = event.charge, event.schedule
    potential = known.budget.potential or not charge.gaussian
    if len(charge.renyi) != len(known.budget.orders) or not potential:
        raise LedgerError("its charge does not fit its budget")
    known.balance = known.balance.reserve(event.charge)
    known.held[event.number] = event
    if not known.budget.allows(known.balance.total):
        raise LedgerError("it is over the budget")
    if falls_short(run.plan, event.form, event.charge, known.budget, run.additive_delta):
        raise LedgerError("its charge is less than its plan costs")
    if schedule and pays_too_little(run.plan, event.form, charge, known.budget, schedule):
        raise LedgerError("it pays less on its way than its plan costs")
    if run.neighbours != known.budget.neighbours:
        raise LedgerError("its cost is about other neighbours than its budget")
    if event.unfinished != known.tries.get(event.request or "", 0):
        raise LedgerError("it counts other tries of its request than there are")
    if event.request is None:
        return
    if run.kind == "online" or event.request in known.answered:
        raise LedgerError("its request is not one that is run")
    if known.questions.setdefault(event.request, event).description != run:
        raise LedgerError("its request was made before with another question")
    known.tries[event.request] = event.unfinished + 1


def _settle(known: _Dataset, event: Settled) -> None:
    run = known.held.pop(event.run, None)
    if run is None:
        raise LedgerError("nothing is held for its run")
    cost, request = event.cost, event.request
    if len(cost.renyi) != len(run.charge.renyi):
        raise LedgerError("its cost does not fit its budget")
    known.balance = known.balance.settle(run.charge, cost)
    if run.request != request:
        raise LedgerError("it belongs to another request")
    if event.superseded != (request in known.answered):
        raise LedgerError("its request is answered twice, or not at all")
    if request is not None:
        known.answered.add(request)
        known.tries[request] -= 1
    if event.superseded and cost != run.charge:
        raise LedgerError("an answer that was thrown away costs all that was reserved")
    plan = run.description.plan
    if not can_have_cost(plan, run.form, run.charge, cost, _given(run, event), run.schedule):
        raise LedgerError("its cost is not what its run can have cost")


def _given(run: Reserved, event: Settled) -> range:
    """Return how many positives a run can have had, by the answer that is stored of it.

    An answer to nothing is -1 positives: it has cost nothing. Whether there is anything in a table
    from which candidates are read is not public, so such a run costs as much as any.
    """
    plan, unlisted = run.description.plan, run.description.additive_delta
    least = 0 if unlisted else -1
    if run.request is None or event.superseded or isinstance(plan, StatedCost):
        if event.answer is not None:
            raise LedgerError("it has an answer that nobody can ask for")
        return range(least, 0 if isinstance(plan, StatedCost) else plan.most_found + 1)
    answer = fitting(event.answer, plan)
    if not answer.asked:
        return range(least, 0)
    if answer.labels is not None:
        return range(len(answer.labels), len(answer.labels) + 1)
    if unlisted == 0:  # labels that are known beforehand are refused if they cannot be stored
        raise LedgerError("its answer has no labels")
    return range(1, plan.most_found + 1)
