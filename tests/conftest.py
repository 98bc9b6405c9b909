"""What all tests share."""

import pytest


@pytest.fixture(scope="session")
def server():
    """A server that lasts as long as this process of tests."""
    from tests.ledger.server import Server  # a wheel that most tests do not need

    found = Server()
    yield found
    found.close()
