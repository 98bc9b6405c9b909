"""A file or a database that went backwards is refused by whoever has seen more of it."""

import pytest

import overbar


def spent(ledger):
    return ledger.booking("sales").spend(epsilon="0.7", neighbours="person")


def test_whoever_has_seen_more_is_not_taken_back(place):
    ledger = place.ledger()
    ledger.open("sales", epsilon=1)
    early = place.rows()
    head = spent(ledger).head
    place.write(early)
    with pytest.raises(overbar.LedgerError, match=r"row 3, .* an older copy was put back"):
        spent(ledger)
    with pytest.raises(overbar.LedgerError, match=f"the head {head} is not in it"):
        spent(overbar.Ledger(place.where, head=head))
    assert place.rows() == early
    assert spent(overbar.Ledger(place.where)).number == 2  # who has seen nothing cannot tell


def test_a_head_is_found_behind_many_rows(place):
    ledger = place.ledger()
    ledger.open("sales", epsilon=1)
    head = ledger.head
    for number in range(80):
        ledger.open(f"other {number}", epsilon=1)
    assert overbar.Ledger(place.where, head=head).head == ledger.head
    ledger.close("sales")
    assert overbar.Ledger(place.where, head=ledger.head).datasets()[0] == "sales"
