from __future__ import annotations

import os
from pathlib import Path

import pytest

BESIDE = Path(__file__).resolve().parents[3].parent / "shared" / "data"


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder of real files; tests of them are skipped where it is not."""
    folder = Path(os.environ.get("OVERBAR_DATA") or BESIDE)
    if not folder.is_dir():
        pytest.skip("no real files: set OVERBAR_DATA to a folder that has them")
    return folder


@pytest.fixture
def no_data(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A machine without any dataset; returns where its cache would be."""
    monkeypatch.delenv("OVERBAR_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "overbar"
