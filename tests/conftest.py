"""What holds for all tests: Hypothesis draws the same examples every time, and takes its time.

`pytest --hypothesis-profile=default` draws new ones.
"""

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "certain",
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("certain")


@pytest.fixture(scope="session")
def server():
    """A server that lasts as long as this process of tests."""
    from tests.ledger.server import Server  # a wheel that most tests do not need

    found = Server()
    yield found
    found.close()
