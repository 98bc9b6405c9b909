"""The check of the proofs notices what is open or assumed; the page has every theorem.

The proofs themselves are checked by `make proofs`, which is part of `make test`.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.test_theory import module_of
from tools import proofs

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "machine.md"
COQ_NAME = re.compile(r"`([A-Z]\w+\.[a-z][\w']+)`")

needs_coq = pytest.mark.skipif(
    shutil.which("coqc") is None, reason="there is no coqc: the proofs are not compiled here"
)

PRINTED = """Axioms:
ClassicalDedekindReals.sig_not_dec : forall P : Prop, {~ ~ P} + {~ P}
ClassicalDedekindReals.sig_forall_dec
  : forall P : nat -> Prop,
    (forall n : nat, {P n} + {~ P n}) -> {n : nat | ~ P n} + {forall n : nat, P n}
Closed under the global context
Axioms:
privacy_is_free : forall epsilon : nat, epsilon = 0
"""


def test_an_axiom_that_is_not_allowed_is_named():
    assert proofs.surplus(["One.a", "One.b", "One.c"], PRINTED) == ["One.c assumes privacy_is_free"]


def test_a_theorem_that_did_not_answer_is_noticed():
    with pytest.raises(proofs.ProofError, match="2 theorems were asked for, 3 answered"):
        proofs.surplus(["One.a", "One.b"], PRINTED)


@pytest.mark.parametrize(
    "text", ["Lemma x : 1 = 2. Admitted.", "admit.", "Axiom free : False.", "Unset Guard Checking."]
)
def test_what_is_left_open_is_noticed(text):
    assert proofs.left_open(text)


def test_a_comment_may_speak_of_it():
    assert not proofs.left_open("(* nothing is Admitted here *) Qed.")


def test_nothing_is_left_open():
    for file in proofs.sources():
        assert not proofs.left_open(file.read_text()), file.name


def test_a_file_that_is_not_listed_is_noticed(tmp_path):
    (tmp_path / "_CoqProject").write_text("-Q . Overbar\n")
    (tmp_path / "Forgotten.v").write_text("")
    with pytest.raises(proofs.ProofError, match="must list every file"):
        proofs.sources(tmp_path)


def test_a_file_that_is_listed_too_late_is_noticed(tmp_path):
    (tmp_path / "_CoqProject").write_text("-Q . Overbar\nSecond.v\nFirst.v\n")
    (tmp_path / "First.v").write_text("")
    (tmp_path / "Second.v").write_text("From Overbar Require Import First.\n")
    with pytest.raises(proofs.ProofError, match=r"Second\.v needs First"):
        proofs.compiled(tmp_path)


def test_the_page_has_every_theorem_and_no_other():
    assert set(COQ_NAME.findall(PAGE.read_text())) == set(proofs.theorems())


def test_each_headline_theorem_has_a_false_variant_and_an_example():
    listed = proofs.headlines()
    assert not proofs.unpaired(proofs.theorems(), listed, proofs.examples())
    assert set(listed) == {name for name in proofs.theorems() if not name.startswith("Refuted")}


GOOD = (
    ["Pure.cheap", "RefutedPure.cheaper"],
    {"Pure.cheap": {"false": ["RefutedPure.cheaper"], "holds": "cheap_holds"}},
    {"cheap_holds": ": 1 = 1."},
)


def test_a_list_that_pairs_up_is_accepted():
    assert proofs.unpaired(*GOOD) == []


@pytest.mark.parametrize(
    ("names", "row", "given", "message"),
    [
        (["Pure.new"], {}, {}, "headlines.toml does not list Pure.new"),
        ([], {"false": []}, {}, "Pure.cheap has no false variant"),
        ([], {"holds": "gone"}, {}, "Pure.cheap has no example"),
        ([], {"false": ["Pure.cheap"]}, {}, "Pure.cheap is listed as false, and refuted nowhere"),
        (["RefutedPure.spare"], {}, {}, "RefutedPure.spare is a false variant of no theorem"),
        ([], {}, {"spare": ": 1 = 1."}, "spare is an example of no theorem"),
        ([], {}, {"cheap_holds": ": 1 = 2 -> 1 = 1."}, "cheap_holds leaves something to assume"),
        ([], {}, {"cheap_holds": "n : forall m, n = m."}, "cheap_holds leaves something to assume"),
    ],
)
def test_a_list_with_a_gap_is_noticed(names, row, given, message):
    theorems, listed, examples = GOOD
    listed = {"Pure.cheap": listed["Pure.cheap"] | row}
    assert message in proofs.unpaired(theorems + names, listed, examples | given)


def test_a_listed_name_that_is_no_theorem_is_noticed():
    _, listed, examples = GOOD
    message = "headlines.toml lists Pure.cheap, which is no headline theorem"
    assert message in proofs.unpaired(["RefutedPure.cheaper"], listed, examples)


def words_by_name():
    """Return the words of each theorem, lemma and example, and of its proof."""
    begins = re.compile(r"^(?:Theorem|Corollary|Lemma|Example|Let)\s+([\w']+)", re.MULTILINE)
    words: dict[str, set[str]] = {}
    for file in proofs.sources():
        text = proofs.COMMENT.sub("", file.read_text())
        places = [*begins.finditer(text)]
        ends = [found.start() for found in places[1:]] + [len(text)]
        for found, end in zip(places, ends, strict=True):
            own = set(re.findall(r"[\w']+", text[found.start() : end]))
            words[found[1]] = words.get(found[1], set()) | own
    return {name: own & set(words) for name, own in words.items()}


def reached(name, words):
    seen, ahead = set(), [name]
    while ahead:
        seen.add(name := ahead.pop())
        ahead += words[name] - seen
    return seen


def test_each_example_goes_through_its_theorem():
    """From the words of the example, over lemmas, to the name of the theorem."""
    words = words_by_name()
    for theorem, row in proofs.headlines().items():
        assert theorem.partition(".")[2] in reached(row["holds"], words), theorem
    assert "svt_pure" not in reached("geometric_tail_holds", words)  # control


def test_the_code_on_the_page_exists():
    for name in set(re.findall(r"`(overbar\.[\w.]+)`", PAGE.read_text())):
        assert module_of(name)


def theory_pages(text):
    return set(re.findall(r"\]\(theory/(\w+)\.md\)", text))


def test_each_theory_page_on_the_page_links_back():
    headlines = set(proofs.headlines())
    linked = theory_pages(PAGE.read_text().partition("## What is not covered")[0])
    assert {"pure", "ranked", "read_off_candidates", "exact", "steps"} <= linked
    for page in linked:
        text = (ROOT / "docs" / "theory" / f"{page}.md").read_text()
        assert "](../machine.md" in text, page
        assert set(COQ_NAME.findall(text)) & headlines, page


def test_each_theory_page_names_theorems_that_are_there_or_is_said_not_to_be_covered():
    theorems, on_the_page = set(proofs.theorems()), theory_pages(PAGE.read_text()) | {"index"}
    for file in (ROOT / "docs" / "theory").glob("*.md"):
        assert set(COQ_NAME.findall(file.read_text())) <= theorems, file.name
        assert file.stem in on_the_page, file.name


def test_without_coq_one_line_says_what_is_left_out():
    code = "import tools.proofs as p; p.shutil.which = lambda _: None; raise SystemExit(p.main())"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0
    assert done.stdout.splitlines() == [proofs.LEFT_OUT.format(what="coqc")]


def checked(folder, theorem, also="", **settings):
    (folder / "_CoqProject").write_text(f"-Q . Overbar\nSmall.v\n{also}")
    (folder / "Small.v").write_text(theorem)
    return proofs.checked(folder, **settings)


@needs_coq
@pytest.mark.parametrize("libraries", [False, True])
def test_a_small_proof_is_accepted(tmp_path, libraries):
    theorem = "Theorem true : 1 + 1 = 2.\nProof. reflexivity. Qed.\n"
    said = checked(tmp_path, theorem, libraries=libraries)
    assert said.startswith("proofs: 1 theorems in 1 files")
    assert ("libraries" in said) is libraries


@needs_coq
@pytest.mark.parametrize(
    ("theorem", "message"),
    [
        ("Theorem false : 1 + 1 = 3.\nProof. reflexivity. Qed.\n", "Unable to unify"),
        ("Theorem false : 1 + 1 = 3.\nProof. Admitted.\n", "Admitted"),
        (
            "Require Import ClassicalChoice.\n"
            "Theorem choice : forall R, (forall x : nat, exists y : nat, R x y) ->\n"
            "  exists f, forall x, R x (f x).\nProof. apply choice. Qed.\n",
            "Small.choice assumes .*choice",
        ),
        (
            "Require Import ClassicalUniqueChoice Classical.\n"
            "Theorem true : 1 + 1 = 2.\nProof. reflexivity. Qed.\n"
            "Theorem unique : forall R, (forall x : nat, exists! y : nat, R x y) ->\n"
            "  exists f, forall x, R x (f x).\nProof. apply unique_choice. Qed.\n"
            "Theorem middle : forall P : Prop, P \\/ ~ P.\nProof. exact classic. Qed.\n",
            r"^Small\.unique assumes [\w.]*unique_choice$",
        ),
    ],
)
@pytest.mark.parametrize("libraries", [False, True], ids=["at once", "each file"])
def test_what_is_false_open_or_assumed_is_refused(tmp_path, theorem, message, libraries):
    with pytest.raises(proofs.ProofError, match=message):
        checked(tmp_path, theorem, libraries=libraries)


@needs_coq
def test_a_file_that_needs_a_later_one_is_refused_at_once_too(tmp_path):
    (tmp_path / "Second.v").write_text("")
    with pytest.raises(proofs.ProofError, match="Second"):
        checked(tmp_path, "From Overbar Require Import Second.\n", also="Second.v\n")
    assert not list(tmp_path.glob("*.vo"))  # what is made at once lies elsewhere
