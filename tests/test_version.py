"""There is one version, in pyproject.toml; whatever else says one says the same."""

import re
import tomllib
from pathlib import Path

import overbar

ROOT = Path(__file__).parents[1]


def test_the_version_is_that_of_the_project():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert overbar.__version__ == project["version"]
    cited = re.search(r"^version: (.*)$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE)
    assert cited[1].strip('"') == project["version"]
    assert f"## {project['version']} (" in (ROOT / "CHANGELOG.md").read_text()
