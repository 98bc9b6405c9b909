"""The tools: `make lowest` and `make dist` as far as they go without an index, and measurements."""

import ast
import io
import tarfile
import zipfile

import pytest

import overbar
from tools import distribution, lowest, measure, walk


def test_every_bound_becomes_a_version_once():
    pins = lowest.pins()
    names = [pin.partition("==")[0] for pin in pins]
    assert len(names) == len(set(names))
    assert {"numpy", "narwhals", "pandas", "duckdb", "typer", "pyspark"} <= set(names)
    assert not set(lowest.CHECKERS) & set(names)
    for test in lowest.TESTS:
        place, _, name = test.partition("::")
        assert (lowest.ROOT / place).exists()
        assert not name or f"def {name}(" in (lowest.ROOT / place).read_text()


@pytest.mark.parametrize(
    ("group", "said"), [("numpy", "no lower bound"), ('a>=1", "a>=2', "two lower bounds")]
)
def test_a_bound_that_cannot_be_tried_is_named(group, said, tmp_path, monkeypatch):
    monkeypatch.setattr(lowest, "ROOT", tmp_path)
    text = f'[project]\ndependencies = ["{group}"]\noptional-dependencies = {{}}\n'
    (tmp_path / "pyproject.toml").write_text(text)
    with pytest.raises(SystemExit, match=said):
        lowest.pins()


def wheel(path, names):
    with zipfile.ZipFile(path, "w") as archive:
        for name in (*names, "overbar-0.1.0.dist-info/METADATA"):
            archive.writestr(name, "")
    return path


def test_a_wheel_holds_the_package_and_nothing_else(tmp_path):
    whole = distribution.package()
    assert "overbar/py.typed" in whole
    assert "overbar/ledger/store.py" in whole
    assert distribution.wheel_faults(wheel(tmp_path / "good.whl", whole)) == []
    names = whole - {"overbar/py.typed"} | {"tests/secret.py"}
    assert distribution.wheel_faults(wheel(tmp_path / "bad.whl", names)) == [
        "bad.whl lacks overbar/py.typed",
        "bad.whl should not have tests/secret.py",
    ]


def test_the_source_holds_the_package_and_the_licence(tmp_path):
    path = tmp_path / "overbar.tar.gz"
    names = {"README.md", "pyproject.toml", *(f"src/{name}" for name in distribution.package())}
    with tarfile.open(path, "w:gz") as archive:
        for name in names:
            archive.addfile(tarfile.TarInfo(f"overbar-0.1.0/{name}"), io.BytesIO())
    assert distribution.sdist_faults(path) == ["overbar.tar.gz lacks LICENSE"]


def test_the_sessions_of_the_readme_are_found():
    readme = (distribution.ROOT / "README.md").read_text()
    assert "$ overbar top sales.csv" in distribution.first_session(readme)
    compile(distribution.sessions(readme), "README.md", "exec")
    assert "frames.top(" in distribution.sessions(readme)


def test_an_empty_folder_is_no_distribution(tmp_path):
    with pytest.raises(SystemExit, match="one wheel and one sdist"):
        distribution.main(tmp_path)


def test_docstrings_are_compared_with_signatures(monkeypatch):
    """The documented API passes, and faults of each kind are told."""
    docstrings = pytest.importorskip("tools.docstrings", reason="numpydoc is in the extra test")
    names = list(docstrings.names())
    assert {"overbar.select", "overbar.Ledger.booking", "overbar.frames.Question.run"} <= set(names)
    assert {
        "overbar.metrics.measures",
        "overbar.PureDP.at",
        "overbar.SparseVector.spent",
        "overbar.datasets.load",
        "overbar.audit.exact.search",
    } <= set(names)
    assert docstrings.main() == 0

    def faulty(scores: list[int], cutoff: int) -> int:
        """Say little.

        Parameters
        ----------
        scores
            Numbers.
        """
        if cutoff < 1:
            raise ValueError
        return cutoff

    monkeypatch.setattr(overbar, "faulty", faulty, raising=False)
    told = " ".join(docstrings.wrong("overbar.faulty"))
    for fault in ("{'cutoff'} not documented", '"scores" has no type', "No Returns", "No examples"):
        assert fault in told
    assert "No Raises" in told
    assert docstrings.needed(faulty) == {"Parameters", "Returns", "Raises"}


def test_the_walk_ends_at_the_random_word():
    found = walk.walk()
    assert all(way[0] == "cli.__init__.main" for way in found.ways)
    assert all(way[-1].startswith("sampling.entropy.") for way in found.ways)
    assert any("sampling.ranked_draw.highest_by" in way for way in found.ways)
    assert set(found.deepest) <= found.functions


def test_the_house_is_measured(capsys):
    measure.main([])
    said = capsys.readouterr().out
    assert said.startswith("| what | before | now | wanted |\n")
    for what in ("walk of", "module names", "options of", "lines in `src/`"):
        assert f"\n| {what}" in said
    page = measure.PAGE.read_text()
    assert measure.written(page, said.partition("\n\n")[0]).count("| what | before |") == 1


def test_a_second_copy_of_the_level_is_noticed():
    copy = ast.parse("level = steps + int(plan.correction / plan.grid)")
    assert sum(map(measure.adds_correction, ast.walk(copy))) == 1
    other = ast.parse("level = plan.level(threshold)")
    assert sum(map(measure.adds_correction, ast.walk(other))) == 0
