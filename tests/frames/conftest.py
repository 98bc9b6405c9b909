from __future__ import annotations

import pytest

from overbar.frames import contributions
from overbar.runs import batch
from tests.reference.sampling import seeded


@pytest.fixture
def replace_entropy(monkeypatch):
    """Replace the system's entropy by the same bits, from their beginning, at each call."""

    def replace(seed):
        source = seeded(seed)
        monkeypatch.setattr(batch, "system", source)
        monkeypatch.setattr(contributions, "system", source)

    return replace
