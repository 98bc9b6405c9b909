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
    named = set(re.findall(r"`([A-Z]\w+\.[\w']+)`", PAGE.read_text()))
    assert named == set(proofs.theorems())


def test_the_code_on_the_page_exists():
    for name in set(re.findall(r"`(overbar\.[\w.]+)`", PAGE.read_text())):
        assert module_of(name)


def test_each_theory_page_on_the_page_links_back():
    covered = PAGE.read_text().partition("## What is not covered")[0]
    linked = set(re.findall(r"\]\(theory/(\w+)\.md\)", covered))
    assert {"pure", "ranked", "unlisted", "exact", "bare", "partial_shift"} <= linked
    for page in linked:
        text = (ROOT / "docs" / "theory" / f"{page}.md").read_text()
        assert "](../machine.md" in text, page
        assert set(re.findall(r"`([A-Z]\w+\.[\w']+)`", text)) & set(proofs.theorems()), page


def test_without_coq_one_line_says_what_is_left_out():
    code = "import tools.proofs as p; p.shutil.which = lambda _: None; raise SystemExit(p.main())"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0
    assert done.stdout.splitlines() == [proofs.LEFT_OUT.format(what="coqc")]


def checked(folder, theorem):
    (folder / "_CoqProject").write_text("-Q . Overbar\nSmall.v\n")
    (folder / "Small.v").write_text(theorem)
    return proofs.checked(folder)


@needs_coq
def test_a_small_proof_is_accepted(tmp_path):
    theorem = "Theorem true : 1 + 1 = 2.\nProof. reflexivity. Qed.\n"
    assert checked(tmp_path, theorem).startswith("proofs: 1 theorems in 1 files")


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
    ],
)
def test_what_is_false_open_or_assumed_is_refused(tmp_path, theorem, message):
    with pytest.raises(proofs.ProofError, match=message):
        checked(tmp_path, theorem)
