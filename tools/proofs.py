"""Check the proofs: `make proofs` compiles them, checks them again, looks at what they assume.

Nothing may be left open (``Admitted``), the independent checker ``coqchk`` must accept every file,
and no theorem may rest on an axiom that is not in `ALLOWED`. Each headline theorem must have a
false variant that is refuted, and an example with numbers (``proofs/headlines.toml``). Needs Coq
and Coquelicot; without them it says so in one line and passes. Needs no package of Python. With
``--libraries``, ``coqchk`` also goes through what is used of Coq and Coquelicot. Without it, and
where nothing is compiled yet, Coq is started once for all files, as modules of one: to start it for
each takes as long as the proofs.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

PROOFS = Path(__file__).parents[1] / "proofs"
#: Classical real numbers, functions that agree everywhere are equal, and the excluded middle.
ALLOWED = frozenset(
    {
        "ClassicalDedekindReals.sig_forall_dec",
        "ClassicalDedekindReals.sig_not_dec",
        "FunctionalExtensionality.functional_extensionality_dep",
        "Classical_Prop.classic",
    }
)
#: Words that leave something unproved, or switch a check of Coq off.
OPEN = re.compile(
    r"\b(Admitted|admit|give_up|Axioms?|Parameters?|Conjecture|Abort|Unset|bypass_check)\b"
)
COMMENT = re.compile(r"\(\*.*?\*\)", re.DOTALL)
THEOREM = re.compile(r"^(?:Theorem|Corollary)\s+([\w']+)", re.MULTILINE)
EXAMPLE = re.compile(r"^Example\s+([\w']+)(.*?)^Proof\.", re.MULTILINE | re.DOTALL)
#: What an example may not have: something left to assume.
ASSUMES = re.compile(r"\bforall\b|->")
#: Files with what is not a headline theorem: false variants, and examples.
REFUTED, EXAMPLES = "Refuted", "Instances"
NEEDS = re.compile(r"^From Overbar Require Import ([^.]*)\.", re.MULTILINE)
#: Coq's memory: less of it in one go, and looked through less often, takes a seventh less time.
MEMORY = {"OCAMLRUNPARAM": "s=1M,o=400"}
#: The file that holds all others as its modules.
WHOLE = "Whole"
LEFT_OUT = (
    "proofs: left out, because {what} is not installed; on Debian or Ubuntu: "
    "apt-get install coq libcoq-coquelicot"
)


class ProofError(Exception):
    """What is wrong with the proofs, in words."""


def sources(folder: Path = PROOFS) -> list[Path]:
    """Return the files in the order in which they build on each other."""
    lines = (folder / "_CoqProject").read_text().splitlines()
    listed = [folder / line for line in lines if line.endswith(".v")]
    if set(listed) != set(folder.glob("*.v")):
        raise ProofError("_CoqProject must list every file of proofs/, and no other")
    return listed


def theorems(folder: Path = PROOFS) -> list[str]:
    """Return every theorem and corollary, as in ``Pure.svt_pure``."""
    return [
        f"{file.stem}.{name}"
        for file in sources(folder)
        for name in THEOREM.findall(COMMENT.sub("", file.read_text()))
    ]


def examples(folder: Path = PROOFS) -> dict[str, str]:
    """Return the statement of each example, by its name without the file's."""
    return {name.partition(".")[2]: text for name, text in _examples(folder).items()}


def _examples(folder: Path) -> dict[str, str]:
    return {
        f"{file.stem}.{name}": text
        for file in sources(folder)
        if file.stem.startswith(EXAMPLES)
        for name, text in EXAMPLE.findall(COMMENT.sub("", file.read_text()))
    }


def headlines(folder: Path = PROOFS) -> dict[str, dict[str, Any]]:
    """Return what the list says of each headline theorem: ``false`` and ``holds``."""
    listed = tomllib.loads((folder / "headlines.toml").read_text())
    return {f"{file}.{name}": row for file, rows in listed.items() for name, row in rows.items()}


def unpaired(
    names: list[str], listed: Mapping[str, Mapping[str, Any]], given: Mapping[str, str]
) -> list[str]:
    """Return a sentence for each theorem without a false variant or an example, and the like.

    `names` are all theorems, `listed` is what `headlines` and `given` what `examples` returned.
    """
    refuted = {name for name in names if name.startswith(REFUTED)}
    headline = [name for name in names if name not in refuted]
    used = {name for row in listed.values() for name in row.get("false", [])}
    shown = {row.get("holds") for row in listed.values()}
    wrong = [f"headlines.toml does not list {name}" for name in headline if name not in listed]
    for name, row in listed.items():
        if name not in headline:
            wrong.append(f"headlines.toml lists {name}, which is no headline theorem")
        if not row.get("false"):
            wrong.append(f"{name} has no false variant")
        if row.get("holds") not in given:
            wrong.append(f"{name} has no example")
    wrong += [f"{name} is listed as false, and refuted nowhere" for name in sorted(used - refuted)]
    wrong += [f"{name} is a false variant of no theorem" for name in sorted(refuted - used)]
    wrong += [f"{name} is an example of no theorem" for name in given if name not in shown]
    wrong += [
        f"{name} leaves something to assume" for name, text in given.items() if ASSUMES.search(text)
    ]
    return wrong


def left_open(text: str) -> list[str]:
    """Return the words of a file that leave something unproved; comments do not count."""
    return OPEN.findall(COMMENT.sub("", text))


def assumed(printed: str) -> list[set[str]]:
    """Return the axioms of each theorem, from what ``Print Assumptions`` printed."""
    blocks = re.split(r"^(?=Axioms:|Closed under)", printed, flags=re.MULTILINE)[1:]
    return [
        set(re.findall(r"^(?!Axioms:|Closed under)([A-Za-z_][\w.']*)", block, re.MULTILINE))
        for block in blocks
    ]


def surplus(names: list[str], printed: str) -> list[str]:
    """Return a sentence for each theorem that assumes what is not allowed."""
    found = assumed(printed)
    if len(found) != len(names):
        raise ProofError(f"{len(names)} theorems were asked for, {len(found)} answered")
    return [
        f"{name} assumes {', '.join(sorted(axioms - ALLOWED))}"
        for name, axioms in zip(names, found, strict=True)
        if axioms - ALLOWED
    ]


def run(*command: str, folder: Path) -> str:
    """Run a command and return what it printed; raise with all of it if it fails."""
    done = subprocess.run(
        command, cwd=folder, env=MEMORY | os.environ, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise ProofError(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def printed(question: str, folder: Path, known: list[str]) -> str:
    """Return what Coq answers to someone who has the files that are `known`."""
    with tempfile.TemporaryDirectory() as elsewhere:  # in proofs/ every file is listed
        file = Path(elsewhere) / "question.v"
        file.write_text(f"From Overbar Require {' '.join(known)}.\n{question}")
        return run("coqtop", "-Q", ".", "Overbar", "-batch", "-l", str(file), folder=folder)


def missing() -> str | None:
    """Return what has to be installed first, or None."""
    for command in ("coqc", "coqchk"):
        if shutil.which(command) is None:
            return command
    where = Path(run("coqc", "-where", folder=PROOFS).strip())
    return None if (where / "user-contrib" / "Coquelicot").is_dir() else "Coquelicot"


def compiled(folder: Path) -> None:
    """Compile what is older than what it is made from, on every core."""
    begun: dict[str, Future[None]] = {}

    def make(file: Path, needed: list[str]) -> None:
        for name in needed:
            begun[name].result()
        made = file.with_suffix(".vo")
        made_from = [file, *(folder / f"{name}.vo" for name in needed)]
        if not made.exists() or made.stat().st_mtime < max(
            one.stat().st_mtime for one in made_from
        ):
            run("coqc", "-Q", ".", "Overbar", "-w", "-ambiguous-paths", file.name, folder=folder)

    # Files are begun in their order, so whatever one waits for was begun before it.
    with ThreadPoolExecutor(os.cpu_count()) as workers:
        for file in sources(folder):
            needed = " ".join(NEEDS.findall(file.read_text())).split()
            if unknown := set(needed) - set(begun):
                raise ProofError(
                    f"{file.name} needs {min(unknown)}, which must be listed before it"
                )
            begun[file.stem] = workers.submit(make, file, needed)
    for done in begun.values():
        done.result()


def compiled_at_once(folder: Path, elsewhere: Path) -> None:
    """Compile all files, in their order, as modules of one file elsewhere."""
    texts = ((file.stem, NEEDS.sub(r"Import \1.", file.read_text())) for file in sources(folder))
    text = "".join(f"Module {name}.\n{inside}\nEnd {name}.\n" for name, inside in texts)
    (elsewhere / f"{WHOLE}.v").write_text(text)
    warnings = "-ambiguous-paths,-require-in-module"
    run("coqc", "-Q", ".", "Overbar", "-w", warnings, f"{WHOLE}.v", folder=elsewhere)


def checked(folder: Path = PROOFS, *, libraries: bool = False) -> str:
    """Check everything; return one line on what was checked, or raise `ProofError`.

    With `libraries`, ``coqchk`` also checks all that the proofs use of Coq and Coquelicot.
    """
    for file in sources(folder):
        if words := left_open(file.read_text()):
            raise ProofError(f"{file.name} has {words[0]}: nothing may be left unproved")
    if libraries or any(folder.glob("*.vo")):
        compiled(folder)
        _check_compiled(folder, folder, [file.stem for file in sources(folder)], libraries)
    else:
        with tempfile.TemporaryDirectory() as elsewhere:
            compiled_at_once(folder, Path(elsewhere))
            _check_compiled(folder, Path(elsewhere), [WHOLE], libraries)
    accepted = "them and the libraries they use" if libraries else "them"
    return (
        f"proofs: {len(theorems(folder))} theorems in {len(sources(folder))} files; "
        f"nothing is left open, coqchk accepts {accepted}, and only the allowed axioms are used"
    )


def _check_compiled(folder: Path, place: Path, made: list[str], libraries: bool) -> None:
    """Check what was compiled at a place: what theorems assume, and every file by ``coqchk``."""
    inside = f"Overbar.{WHOLE}" if made == [WHOLE] else "Overbar"
    names = [*theorems(folder), *_examples(folder)]
    # Coq walks through all that a theorem rests on, so all of them are asked at once.
    used = "".join(f"let _ := @{inside}.{name} in\n" for name in names)
    at_once = f"Definition everything : True :=\n{used}I.\nPrint Assumptions everything.\n"
    if surplus(["everything"], printed(at_once, place, made)):
        each = "".join(f"Print Assumptions {inside}.{name}.\n" for name in names)
        raise ProofError("\n".join(surplus(names, printed(each, place, made))))
    modules = [f"Overbar.{one}" for one in made]
    asked = modules if libraries else [word for one in modules for word in ("-norec", one)]
    run("coqchk", "-silent", "-o", "-Q", ".", "Overbar", *asked, folder=place)


def main() -> int:
    """Check the proofs and say what was done."""
    if (what := missing()) is not None:
        print(LEFT_OUT.format(what=what))
        return 0
    try:
        if wrong := unpaired(theorems(), headlines(), examples()):
            raise ProofError("\n".join(wrong))
        print(checked(libraries="--libraries" in sys.argv))
    except ProofError as error:
        print(f"proofs: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
