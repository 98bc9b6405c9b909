"""Refuse a release whose tag, version, date or address do not fit.

``python -m tools.release_check v0.1.0 https://HOST/OWNER/NAME`` needs no package. The address is
that of the repository which publishes: a package that names another one, or none, is not published.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]


def faults(tag: str, address: str, root: Path = ROOT) -> Iterator[str]:
    """Yield what does not fit."""
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    version = project["version"]
    if tag != f"v{version}":
        yield f"the tag is {tag}, and pyproject.toml says {version}: tag v{version}"
    for name in ("lab/pyproject.toml", "CITATION.cff", ".zenodo.json", "conda/meta.yaml"):
        if version not in (root / name).read_text():
            yield f"{name} does not say {version}"
    changes = (root / "CHANGELOG.md").read_text()
    if (
        re.search(rf"^## {re.escape(version)} \(\d{{4}}-\d\d-\d\d\)$", changes, re.MULTILINE)
        is None
    ):
        yield f"CHANGELOG.md has no day for {version}: ## {version} (2026-01-31)"
    urls = project.get("urls", {})
    if urls.get("Repository") != address:
        yield f'pyproject.toml must say under [project.urls]: Repository = "{address}"'
    if not urls.get("Issues", "").startswith(address):
        yield f'and: Issues = "{address}/issues"'


def main(tag: str, address: str) -> None:
    """Say all that does not fit."""
    found = list(faults(tag, address))
    if found:
        sys.exit("\n".join(found))
    print(f"{tag} can be released from {address}")


if __name__ == "__main__":
    main(*sys.argv[1:3])
