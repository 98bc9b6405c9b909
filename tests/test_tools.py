"""The tools: `make lowest` and `make dist` as far as they go without an index, and measurements."""

import ast
import io
import tarfile
import zipfile

import pytest

import overbar
from tools import distribution, lowest, measure, packing, walk


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


def sdist(path, names, date=0, mode=0o600, size=0):
    with tarfile.open(path, "w:gz") as archive:
        for name in names:
            entry = tarfile.TarInfo(f"overbar-0.1.0/{name}")
            entry.mtime, entry.mode, entry.size, entry.uid = date, mode, size, date
            archive.addfile(entry, io.BytesIO(bytes(size)))
    return path


def test_the_source_holds_all_that_is_tracked(tmp_path):
    whole = set(packing.tracked(packing.ROOT))
    assert {"LICENSE", "CHANGELOG.md", "constraints.txt", "tests/test_tools.py"} <= whole
    assert {"docs/faq.md", "proofs/Law.v", ".github/workflows/release.yml"} <= whole
    path = sdist(tmp_path / "overbar.tar.gz", whole - {"LICENSE"})
    assert distribution.sdist_faults(path) == ["overbar.tar.gz lacks LICENSE"]


def test_an_unpacked_source_is_known_without_git_and_without_what_work_makes(tmp_path):
    ignored = ".venv/\ndocs/_build/\nproofs/*.vo*\nresults/*\n!results/kept.json\n"
    (tmp_path / ".gitignore").write_text(ignored)
    names = [
        "a.py",
        "docs/a.md",
        "PKG-INFO",
        "src/a.egg-info/x",
        ".venv/b/c.py",
        "docs/_build/d.html",
        "proofs/e.vos",
        "results/kept.json",
        "results/made.json",
    ]
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    assert packing.tracked(tmp_path) == [".gitignore", "a.py", "docs/a.md", "results/kept.json"]


@pytest.mark.parametrize(
    "name", ["tests/T40I10D100K.dat", "src/overbar/datasets/kosarak.dat.gz", "docs/sales.csv"]
)
def test_no_dataset_is_published(name, tmp_path):
    whole = set(packing.tracked(packing.ROOT))
    assert distribution.data_faults("here", dict.fromkeys(whole, 1)) == []
    sizes = {one: (packing.ROOT / one).stat().st_size for one in whole}
    assert distribution.data_faults("here", sizes) == []
    said = f"overbar.tar.gz has data in it: {name}"
    assert distribution.sdist_faults(sdist(tmp_path / "overbar.tar.gz", {*whole, name})) == [said]
    said = f"overbar.whl has data in it: {name}"
    names = distribution.package() | {name}
    assert said in distribution.wheel_faults(wheel(tmp_path / "overbar.whl", names))


def test_a_large_file_is_taken_for_a_dataset():
    assert distribution.data_faults("here", {"docs/page.md": distribution.LARGEST + 1})


def test_bytes_of_a_source_depend_on_its_files_alone(tmp_path):
    names = ["b.py", "a.py", "tests/c.py"]
    written = []
    for number, date, mode in ((0, 7, 0o600), (1, 2**30, 0o644)):
        old = sdist(tmp_path / f"{number}.tar.gz", names[:: 1 - 2 * number], date, mode, 3)
        packing.settled(old, tmp_path / "new.tar.gz")
        written.append((old.read_bytes(), (tmp_path / "new.tar.gz").read_bytes()))
    assert written[0][0] != written[1][0]
    assert written[0][1] == written[1][1]
    assert packing.digests(tmp_path).keys() == {"0.tar.gz", "1.tar.gz", "new.tar.gz"}


def test_the_sessions_of_the_readme_are_found():
    readme = (distribution.ROOT / "README.md").read_text()
    assert "| overbar top - " in distribution.first_session(readme)
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
