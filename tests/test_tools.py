"""The tools: `make lowest` and `make dist` as far as they go without an index, and measurements."""

import io
import os
import shutil
import subprocess
import tarfile
import zipfile
from functools import cache

import pytest
import typer

import overbar
from tools import before, distribution, lowest, measure, packing, walk


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
    (tmp_path / "lab").mkdir()
    (tmp_path / "lab/pyproject.toml").write_text("[project]\ndependencies = []\n")
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
    "name",
    ["tests/T40I10D100K.dat", "lab/src/overbar_lab/datasets/kosarak.dat.gz", "docs/sales.csv"],
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
        "overbar_lab.metrics.measures",
        "overbar.PureDP.at",
        "overbar.SparseVector.spent",
        "overbar_lab.datasets.load",
        "overbar.audit.exact_profile",
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


@cache
def all_walks():
    """Each takes a process of its own, so they are walked once."""
    return walk.walks()


def test_walks_end_at_the_random_word_and_a_look_draws_nothing():
    seen = all_walks()
    assert seen["`overbar check`"].way == []
    for name, line in walk.WALKS.items():
        one = seen[name]
        assert set(one.way) <= set(one.functions)
        assert len(one.way) <= one.depth <= one.calls
        assert one.rooms.total() == len(one.functions)
        if name != "`overbar check`":
            assert one.way[-1].startswith("sampling.entropy.")
        assert ("cli.__init__.main" in one.functions) == line.startswith("overbar ")


def test_a_walk_of_nothing_calls_nothing():
    assert str(walk.walk("1 + 1")) == "0 / 0 / 0 / 0"
    assert walk.walk("overbar.PureDP(1)").calls > 0


def test_a_walk_that_fails_is_no_walk():
    with pytest.raises(RuntimeError, match=r"nothing\.csv .* ended with 2"):
        walk.walk("overbar check nothing.csv --person customer")


def test_the_house_is_measured_and_its_page_has_the_same_rows(capsys, monkeypatch):
    monkeypatch.setattr(measure, "walks", all_walks)
    measure.main([])
    said, page = capsys.readouterr().out, measure.PAGE.read_text()
    kept = page[page.index("| what | before |") :].partition("\n\n")[0]

    def without_now(table):
        return [line.split(" | ")[:2] + line.split(" | ")[3:] for line in table.splitlines()]

    assert without_now(kept) == without_now(said)
    assert measure.written(page, "| anew |").count("| anew |\n\n") == 1
    assert "| what | before |" not in measure.written(page, "| anew |")


def test_a_file_that_is_added_raises_the_count(tmp_path):
    nothing = measure.in_files(tmp_path)
    assert nothing[:4] == ("0", "", "0", "0 / 0")
    text = '"""What it is."""\n\nfrom numpy.random import default_rng  # seeded\ncutoff = 3\n'
    for name in (
        "src/a.py",
        "src/package/b.toml",
        "src/a.egg-info/c.txt",
        "src/__pycache__/a.pyc",
        "lab/src/d.py",
        "tests/e.py",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    first = ("8", "Python 4, TOML 4", "9", "4 / 9", "25.0 %", "1 / 1 / 4", "0 / 1", "1", "4")
    assert measure.in_files(tmp_path) == first
    (tmp_path / "src/long.py").write_text("histogram = 1\n" * 60)
    (tmp_path / "src/page.svg").write_text("<svg>\n</svg>\n")
    more = measure.in_files(tmp_path)
    assert more[:3] == ("70", "Python 64, TOML 4, other 2", "189")
    assert more[5:8] == ("2 / 1 / 60", "1 / 1", "1")


def test_tokens_are_those_that_say_what_is_done():
    bare = "def add(count):\n    return f'{count + 1} more'\n"
    told = bare.replace("\n    ", '\n    """Say how many."""\n\n    # one more\n    ')
    assert measure.tokens(bare) == measure.tokens(told) == 8
    assert measure.tokens(bare + "'no docstring'\n") == 9


def test_options_are_counted_for_each_verb_that_there_is():
    app, inner = typer.Typer(), typer.Typer()

    @app.command()
    def ask(table: str, epsilon: float = 1.0): ...

    @inner.command("open")
    def open_one(name: str): ...

    @inner.command()
    def show(): ...

    app.add_typer(inner, name="ledger")
    told = list(measure.options(typer.main.get_command(app)))
    assert told == ["ask 2", "ledger open 1", "ledger show 0"]


def git(folder, *words):
    """Ask git, with nothing that somebody has told it about other repositories."""
    who = ("-c", "user.name=somebody", "-c", "user.email=somebody@example.org")
    line = ["git", "-C", str(folder), *who, *words]
    return subprocess.run(line, capture_output=True, text=True, check=True).stdout.strip()


@pytest.fixture
def clone(tmp_path, monkeypatch):
    """Return a repository with two commits, the first of which is the house as it was."""
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    folder = tmp_path / "clone"
    folder.mkdir()
    git(folder, "init", "--quiet")
    for text in ("as it was", "as it is"):
        (folder / "house.py").write_text(text)
        git(folder, "add", ".")
        git(folder, "commit", "--quiet", "--message", text)
    monkeypatch.setattr(before, "ROOT", folder)
    monkeypatch.setattr(before, "BEFORE", git(folder, "rev-parse", "HEAD^"))
    return folder


def test_the_house_as_it_was_is_made_once_and_found_again(clone, tmp_path, capsys):
    place = tmp_path / "place"
    for _ in range(2):
        before.main([str(place)])
        assert capsys.readouterr().out == f"OVERBAR_BEFORE={place}\n"
        assert (place / "house.py").read_text() == "as it was"
    shutil.rmtree(place)
    assert (before.worktree(place) / "house.py").read_text() == "as it was"
    assert (clone / "house.py").read_text() == "as it is"


def test_a_house_that_was_changed_is_not_taken_for_the_one_that_was(clone, tmp_path):
    place = before.worktree(tmp_path / "place")
    (place / "more.py").write_text("")
    with pytest.raises(SystemExit, match="as it was: git worktree remove"):
        before.worktree(place)
    (place / "more.py").unlink()
    assert before.worktree(place) == place
    git(place, "checkout", "--quiet", git(clone, "rev-parse", "HEAD"))
    with pytest.raises(SystemExit, match="is not commit"):
        before.worktree(place)
    full = tmp_path / "full"
    full.mkdir()
    (full / "own.txt").write_text("mine")
    with pytest.raises(SystemExit, match="was not made"):
        before.worktree(full)
    assert (full / "own.txt").read_text() == "mine"


def test_what_lacks_for_the_house_as_it_was_is_said(clone, tmp_path, monkeypatch):
    shallow = tmp_path / "shallow"
    git(tmp_path, "clone", "--quiet", "--depth=1", f"file://{clone}", str(shallow))
    for folder, said in ((shallow, "git fetch --unshallow"), (tmp_path, "is not a clone")):
        monkeypatch.setattr(before, "ROOT", folder)
        with pytest.raises(SystemExit, match=said):
            before.worktree(tmp_path / "place")
    monkeypatch.setattr(before, "ROOT", clone)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SystemExit, match="is not installed"):
        before.worktree(tmp_path / "place")


def test_the_commit_of_the_house_as_it_was_is_in_the_history():
    if shutil.which("git") is None or not (before.ROOT / ".git").exists():
        pytest.skip("an unpacked source has no history")
    if git(before.ROOT, "rev-parse", "--is-shallow-repository") == "true":
        pytest.skip("a shallow clone has not the whole history")
    git(before.ROOT, "merge-base", "--is-ancestor", before.BEFORE, "HEAD")
