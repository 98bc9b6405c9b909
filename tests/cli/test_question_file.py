"""A question in a file asks what was typed, from wherever it is run, and holds nothing private."""

import dataclasses
import os
import tomllib
from pathlib import Path

import pytest
import typer

from overbar import Ledger
from overbar.cli import app
from overbar.cli.question_file import (
    OF_THE_RUN,
    VERBS,
    keys_of,
    read_question,
    save_question,
    words_of,
)
from overbar.errors import ParameterError
from tests.cli.shop import HIGH, LISTED, PAID, labels, run

KEYS = ["--item", "product", "--person", "customer", "--epsilon", "8", "--delta", "1e-4"]
EXAMPLES = {str: "a 'b' \"c\" \\ é", bool: True, int: 3, Path: Path("some/file.txt")}


def filled(verb):
    """Every option of a verb, with a value of its kind that differs from the default."""
    options = VERBS[verb].options
    values = {
        key.field: [EXAMPLES[key.kind], EXAMPLES[key.kind]] if key.several else EXAMPLES[key.kind]
        for key in keys_of(options)
    }
    if "groups" in values and verb != "plan":
        values["groups"] = "region=north,south"
    return options(**values)


@pytest.mark.parametrize("verb", VERBS)
def test_every_option_of_every_verb_comes_back(verb, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    asked = filled(verb)
    save_question(asked, Path("question.toml"))
    assert read_question(Path("question.toml")) == (asked, VERBS[verb])
    named = {key.field for key in keys_of(type(asked))}
    assert named == {field.name for field in dataclasses.fields(asked)} - set(OF_THE_RUN)


@pytest.mark.parametrize("verb", VERBS)
def test_keys_are_called_as_the_options_are(verb):
    command = typer.main.get_command(app).commands[verb]
    typed = {name for one in command.params for name in one.opts}
    assert {f"--{key.name}" for key in keys_of(VERBS[verb].options)} - {"--sources"} <= typed


@pytest.mark.parametrize("verb", ["select", "top", "keys"])
def test_a_saved_question_gives_the_answer_of_the_command(here, verb):
    (here / "sub").mkdir()
    asked = KEYS if verb == "keys" else [*LISTED, "--epsilon", "8"]
    if verb == "top":
        asked = [one for one in asked if one not in ("--threshold", "1500")]
    saved = run(verb, "sales.csv", *asked, "--save", "sub/question.toml", "--dry-run")
    assert saved.exit_code == 0, saved.output
    for question in ("sub/question.toml", str(here / "sub" / "question.toml")):
        result = run("run", question)
        assert result.exit_code == 0, result.output
        assert set(labels(result.stdout)) >= HIGH
    assert "This was a dry run" in run("run", "sub/question.toml", "--dry-run").stdout


def test_a_plan_is_a_question_too_and_needs_no_table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    typed = ["plan", "--epsilon", "1", "--cutoff", "5", "--candidates", "200", "--format", "json"]
    told = run(*typed, "--save", "question.toml")
    assert told.exit_code == 0, told.output
    for more in ([], ["--dry-run"]):
        assert run("run", "question.toml", *more).stdout == told.stdout
    assert "exists already" in run(*typed, "--save", "question.toml").stderr


def test_words_give_the_question_again(here):
    options = VERBS["top"].options(
        sources=["sales.csv"],
        item=["--help"],
        person="a b",
        cutoff="3",
        epsilon="1",
        catalogue="0..9",
        counts=True,
    )
    typed = ["--item=--help", "--person=a b", "--cutoff=3", "--epsilon=1", "--catalogue=0..9"]
    assert words_of(options)[:2] == ["top", "sales.csv"]
    assert sorted(words_of(options)[2:]) == sorted([*typed, "--counts"])
    assert run(*words_of(options), "--save", "question.toml", "--dry-run").exit_code == 0
    assert read_question(Path("question.toml"))[0] == options


def test_places_are_beside_the_file_wherever_it_is_run_from(here, monkeypatch):
    (here / "sub").mkdir()
    assert run("select", "sales.csv", *LISTED, "--save", "sub/question.toml").exit_code == 0
    found = tomllib.loads((here / "sub" / "question.toml").read_text())
    assert found["sources"] == os.path.join("..", "sales.csv")
    assert found["catalogue"] == os.path.join("..", "products.txt")
    monkeypatch.chdir("sub")
    assert set(labels(run("run", "question.toml").stdout)) == HIGH


def test_lists_of_numbers_standard_input_and_addresses_stay(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sub").mkdir()
    options = VERBS["top"].options(sources=["-"], catalogue="0..99", plan_file=Path("/a/plan.json"))
    save_question(options, Path("sub/question.toml"))
    assert read_question(Path("sub/question.toml"))[0] == options


def test_with_a_request_a_second_run_costs_nothing(here):
    assert run("ledger", "open", "budget.db", "sales", "--epsilon", "1").exit_code == 0
    first = run("select", "sales.csv", *PAID, "--request", "monday", "--save", "question.toml")
    again = run("run", "question.toml")
    assert again.exit_code == 0, again.output
    assert again.stdout == first.stdout
    assert "the stored answer again, nothing spent now" in again.stderr


def test_a_head_may_be_typed_beside_a_question_and_two_must_be_one(here):
    opened = run("ledger", "open", "budget.db", "sales", "--epsilon", "2")
    head, other = opened.stdout.split()[-1], "0" * 64
    saved = run("select", "sales.csv", *PAID, "--save", "plain.toml", "--dry-run")
    assert saved.exit_code == 0, saved.output
    assert "head" not in tomllib.loads(Path("plain.toml").read_text())
    with_head = f'{Path("plain.toml").read_text()}head = "{head}"\n'
    Path("headed.toml").write_text(with_head)
    for question, words in (
        ("plain.toml", f"{other} is not in it"),
        ("headed.toml", f"--head must be that of the question 'headed.toml', {head}, got {other}"),
    ):
        refused = run("run", question, "--head", other)
        assert refused.exit_code == 2
        assert words in refused.stderr
    assert "--head must be the 64 signs" in run("run", "plain.toml", "--head", "").stderr
    assert not Ledger("budget.db").show("sales").entries
    for question in ("plain.toml", "headed.toml"):
        assert run("run", question, "--head", head).exit_code == 0
    assert len(Ledger("budget.db").show("sales").entries) == 2
    Path("headed.toml").write_text(with_head.replace(head, other))
    assert run("run", "headed.toml").exit_code == 2


def test_a_head_without_a_ledger_is_refused(here):
    assert run("select", "sales.csv", *LISTED, "--save", "free.toml", "--dry-run").exit_code == 0
    assert "--head goes with --ledger" in run("run", "free.toml", "--head", "0" * 64).stderr
    typed = ["plan", "--epsilon", "1", "--cutoff", "5", "--candidates", "200"]
    assert run(*typed, "--save", "plan.toml").exit_code == 0
    refused = run("run", "plan.toml", "--head", "0" * 64)
    assert refused.exit_code == 2
    assert "no ledger pays for a plan" in refused.stderr
    assert "--head goes with --ledger" in run("explore", "--head", "0" * 64).stderr


def test_the_ledger_may_come_from_outside_and_a_password_is_never_written(here, monkeypatch):
    monkeypatch.setenv("OVERBAR_LEDGER", "budget.db")
    refused = run("select", "sales.csv", *LISTED)
    assert refused.exit_code == 2
    assert "--ledger needs --dataset NAME" in refused.stderr
    assert run("ledger", "open", "budget.db", "sales", "--epsilon", "1").exit_code == 0
    assert run("select", "sales.csv", *LISTED, "--dataset", "sales").exit_code == 0
    spent = run("select", "sales.csv", *LISTED, "--dataset", "sales")
    assert "what is left of the budget" in spent.stderr
    secret = VERBS["select"].options(sources=["a.csv"], ledger="postgresql://me:hunter2@host/db")
    save_question(secret, Path("question.toml"))
    text = Path("question.toml").read_text()
    assert "hunter2" not in text
    assert "set OVERBAR_LEDGER" in text
    address = VERBS["select"].options(sources=["postgresql://me:hunter2@host/db"])
    with pytest.raises(ParameterError, match="--save writes no address"):
        save_question(address, Path("other.toml"))
    assert not Path("other.toml").exists()
    assert read_question(Path("question.toml"))[0].ledger == "budget.db"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('verb = "selct"', 'a line verb = "select" or "top" or "keys" or "watch" or "plan"'),
        ('verb = "plan"\nsources = "a"', "plan has no 'sources'"),
        ('verb = "top"', 'needs a line sources = "TABLE"'),
        ('verb = "top"\nsources = "a"\ncutof = 3', "top has no 'cutof', which 'q.toml' asks for; "
         "did you mean 'cutoff'?"),
        ('verb = "keys"\nsources = "a"\ncutoff = 3', "keys has no 'cutoff'"),
        ('verb = "top"\nsources = "a"\nitems_per_person = 3', "did you mean 'items-per-person'?"),
        ('verb = "top"\nsources = "a"\ncounts = 1', "counts must be true or false"),
        ('verb = "top"\nsources = "a"\nepsilon = true', "epsilon must be a number, or text"),
        ('verb = "top"\nsources = "a"\nepsilon = [1]', "epsilon must be a number, or text"),
        ("customer,product\nAlice,tea", "is not TOML (at line 1, column 9)"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named_and_nothing_is_quoted(text, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("q.toml").write_text(text)
    result = run("run", "q.toml")
    assert result.exit_code == 2
    assert said in result.stderr
    assert "Alice" not in result.stderr


def test_numbers_may_stand_without_quotes_and_are_exact(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = 'verb = "select"\nsources = "a.csv"\nepsilon = 0.1\ncutoff = 3\nout = ["x.csv"]\n'
    Path("q.toml").write_text(text)
    options, _ = read_question(Path("q.toml"))
    assert (options.epsilon, options.cutoff, options.sources) == ("0.1", "3", ["a.csv"])
    assert options.out == [Path("x.csv")]


def test_what_cannot_be_written_is_refused_before_anything_is_spent(here):
    assert "exists already" in run("select", "sales.csv", *LISTED, "--save", "n.csv").stderr
    assert "must end in .toml" in run("select", "sales.csv", *LISTED, "--save", "q.txt").stderr
    with pytest.raises(ParameterError, match="not text"):
        save_question(VERBS["top"].options(sources=["\udc80"]), Path("q.toml"))
    with pytest.raises(ParameterError, match="cannot read the question"):
        read_question(Path("nothing.toml"))


def test_a_question_holds_what_was_typed_and_no_more(here):
    """The table is read afterwards: its counts cannot be in the file."""
    made = run("select", "sales.csv", *LISTED, "--save", "question.toml")
    assert made.exit_code == 0, made.output
    found = tomllib.loads(Path("question.toml").read_text())
    assert found == {
        "verb": "select", "sources": "sales.csv", "item": "product", "person": "customer",
        "cutoff": "3", "epsilon": "1", "threshold": "1500", "catalogue": "products.txt",
    }  # fmt: skip
