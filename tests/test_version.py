"""There is one version, in pyproject.toml; whatever else says one says the same."""

import json
import re
import shutil
import tomllib
from pathlib import Path

import overbar
from tools.release_check import faults

ROOT = Path(__file__).parents[1]


def test_the_version_is_that_of_the_project():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert overbar.__version__ == project["version"]
    lab = tomllib.loads((ROOT / "lab" / "pyproject.toml").read_text())["project"]
    assert lab["version"] == project["version"]
    assert f"overbar=={project['version']}" in lab["dependencies"]
    cited = re.search(r"^version: (.*)$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE)
    assert cited[1].strip('"') == project["version"]
    assert f"## {project['version']} (" in (ROOT / "CHANGELOG.md").read_text()


def test_files_for_other_indexes_say_the_same():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert json.loads((ROOT / ".zenodo.json").read_text())["version"] == project["version"]
    recipe = (ROOT / "conda" / "meta.yaml").read_text()
    assert f'version = "{project["version"]}"' in recipe
    names = {"duckdb": "python-duckdb"}  # as conda-forge calls them
    extras = project["optional-dependencies"]
    for one in (*project["dependencies"], *extras["cli"]):
        name, bound = one.split(">=")
        assert f"    - {names.get(name, name)} >={bound}\n" in recipe
    assert f"    - python {project['requires-python']}\n" in recipe


def released(folder, **urls):
    """A project that can be released from an address, unless something is altered in it."""
    shutil.copytree(ROOT / "conda", folder / "conda")
    (folder / "lab").mkdir()
    names = ("pyproject.toml", "lab/pyproject.toml", "CITATION.cff", ".zenodo.json", "CHANGELOG.md")
    for name in names:
        shutil.copy(ROOT / name, folder / name)
    text = (folder / "pyproject.toml").read_text()
    lines = "".join(f'{name} = "{url}"\n' for name, url in urls.items())
    (folder / "pyproject.toml").write_text(
        re.sub(r"(?<=\[project.urls\])[^\n]*\n", "\n" + lines, text)
    )
    changes = (folder / "CHANGELOG.md").read_text()
    (folder / "CHANGELOG.md").write_text(changes.replace("(unreleased)", "(2026-01-31)"))
    return folder


def test_what_does_not_fit_is_not_released(tmp_path):
    place = "https://example.org/people/overbar"
    tag = f"v{overbar.__version__}"
    folder = released(tmp_path, Repository=place, Issues=f"{place}/issues")
    assert list(faults(tag, place, folder)) == []
    assert "the tag is v9" in next(faults("v9", place, folder))
    assert "Repository = " in next(faults(tag, "https://example.org/others/overbar", folder))
    (folder / "conda" / "meta.yaml").write_text("")
    assert list(faults(tag, place, folder)) == [
        f"conda/meta.yaml does not say {overbar.__version__}"
    ]


def test_actions_are_pinned_by_commit():
    for path in (ROOT / ".github" / "workflows").iterdir():
        used = re.findall(r"uses: (\S+)(.*)", path.read_text())
        assert used
        for action, comment in used:
            assert re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}", action), action
            assert re.fullmatch(r" # v\d+\.\d+\.\d+", comment), action
