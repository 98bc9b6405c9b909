"""select and top: forms of input, labels, orders, limits, costs."""

import re
from fractions import Fraction

import numpy as np
import pandas
import polars
import pyarrow
import pytest

import overbar
from overbar import ParameterError, ScoreError
from tests.planned_calls import planned_select, planned_top
from tests.queue_plans import queue_plan

pytestmark = pytest.mark.one_in(5)

HIGH = 10**7
SCORES = [0, HIGH, 5, HIGH, 3]
NAMES = ["a", "b", "c", "d", "e"]
ASK = {"threshold": 10**5, "cutoff": 2, "epsilon": 1, "monotonic": True}
PLANNED = {"epsilon": 1, "cutoff": 2, "monotonic": True, "candidates": 5}
TOP = {"cutoff": 2, "epsilon": 1, "monotonic": True}


@pytest.mark.parametrize(
    ("scores", "labels"),
    [
        (SCORES, [1, 3]),
        (tuple(SCORES), [1, 3]),
        (np.array(SCORES), [1, 3]),
        (np.array(SCORES, dtype=float), [1, 3]),
        (np.array(SCORES, dtype=object), [1, 3]),
        (dict(zip(NAMES, SCORES, strict=True)), ["b", "d"]),
        (pandas.Series(SCORES, index=NAMES), ["b", "d"]),
        (pandas.Series(SCORES), [1, 3]),
        (polars.Series(SCORES), [1, 3]),
        (polars.Series(SCORES).cast(polars.Float32), [1, 3]),
        (polars.Series(SCORES).cast(polars.Int128), [1, 3]),
        (polars.Series(SCORES).cast(polars.Decimal(38, 2)), [1, 3]),
        (pyarrow.array(SCORES), [1, 3]),
        (pyarrow.chunked_array([SCORES[:2], SCORES[2:]]), [1, 3]),
        ([Fraction(score) for score in SCORES], [1, 3]),
    ],
    ids=lambda value: type(value).__module__ + "." + type(value).__name__,
)
@pytest.mark.parametrize("rounds", [1, 4])
def test_select_takes_scores_in_any_form(scores, labels, rounds):
    found = planned_select(scores, rounds=rounds, **ASK)
    assert sorted(found.labels) == labels
    assert sorted(found.indices) == [1, 3]
    top = planned_top(scores, upper_bound=HIGH, **TOP)
    assert sorted(top.labels) == labels


@pytest.mark.parametrize("rounds", [1, 3, "unlimited"])
@pytest.mark.parametrize("noise", ["exponential", "gumbel", "laplace"])
def test_every_way_of_running_finds_what_is_far_above(rounds, noise):
    found = planned_select(SCORES, rounds=rounds, noise=noise, mechanism="sparse-vector", **ASK)
    assert sorted(found.indices) == [1, 3]
    assert found.spent == 1


def test_labels_can_be_given():
    assert sorted(overbar.select(SCORES, labels=NAMES, **ASK).labels) == ["b", "d"]
    assert sorted(overbar.select(SCORES, labels=np.array(NAMES), **ASK)) == ["b", "d"]
    assert "b" in overbar.select(SCORES, labels=polars.Series(NAMES), **ASK)
    with pytest.raises(ParameterError, match="labels must be as many as the scores, got 2 for 5"):
        overbar.select(SCORES, labels=["x", "y"], **ASK)
    with pytest.raises(ParameterError, match="labels must be a sequence"):
        overbar.select(SCORES, labels="abcde", **ASK)


def test_fewer_positives_cost_less():
    found = overbar.select([0, HIGH, 0], **{**ASK, "cutoff": 3})
    assert found.indices == (1,)
    assert found.spent == found.plan.pure(1) < 1
    assert overbar.guarantee(found.plan).at() == 1


@pytest.mark.parametrize("rounds", [1, 3, "unlimited"])
@pytest.mark.parametrize("empty", [[], np.array([]), {}, iter([]), iter([[]])])
def test_nothing_asked_nothing_spent(empty, rounds):
    found = planned_select(empty, rounds=rounds, candidates=1, **ASK)
    assert len(found) == 0
    assert found.spent == 0


def test_one_candidate():
    assert overbar.select([HIGH], **ASK).indices == (0,)
    assert overbar.top([3], **TOP).indices == (0,)


def test_top_always_fills_up():
    found = overbar.top([5] * 10, cutoff=4, epsilon="0.01")
    assert len(set(found.indices)) == 4
    assert len(overbar.top([5, 6], cutoff=4, epsilon=1)) == 2


def test_batches_are_merged():
    def batches():
        for start in range(0, 1000, 100):
            piece = np.zeros(100, dtype=np.int64)
            if start in (300, 800):
                piece[7] = HIGH
            yield piece

    for rounds in (1, 5, "unlimited"):
        found = planned_select(batches(), candidates=1000, rounds=rounds, **ASK)
        assert sorted(found.indices) == [307, 807]
    assert sorted(overbar.top(batches(), **TOP).indices) == [307, 807]


def test_batches_bring_their_labels():
    pieces = [{"a": 0, "b": HIGH}, {"c": HIGH, "d": 1}]
    assert sorted(planned_select(iter(pieces), candidates=4, **ASK).labels) == ["b", "c"]
    frames = [pandas.Series([0, HIGH], index=["x", "y"]), pandas.Series([HIGH], index=["z"])]
    assert sorted(planned_select(iter(frames), candidates=3, **ASK).labels) == ["y", "z"]
    with pytest.raises(ParameterError, match="labels must come with each batch"):
        planned_select(iter(pieces), labels=["a"], candidates=4, **ASK)


GAUSSIAN = {"noise": "gaussian", "max_queries": 5, "delta": "1e-6"}


@pytest.mark.parametrize(
    ("only_online", "what"),
    [
        ({"resample": True}, "resample=True"),
        ({"max_queries": 5}, "max_queries"),
        (GAUSSIAN, "noise='gaussian' with max_queries"),
    ],
)
def test_what_a_run_online_alone_can_do_is_refused_with_the_form_to_write(only_online, what):
    plan = queue_plan(**PLANNED | only_online)
    with pytest.raises(ParameterError) as told:
        overbar.select(SCORES, threshold=10**5, plan=plan)
    assert f"a batch that is asked in turn has no {what}" in str(told.value)
    written = re.search(r"overbar\.SparseVector\(plan, threshold=…\)", str(told.value))[0]
    run = eval(written.replace("…", "10**5"))
    assert list(run.answers([0, HIGH])) == [False, True]  # the form is one that works


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: overbar.select(SCORES, threshold=1, cutoff=2), "epsilon must be given, or a plan"),
        (lambda: overbar.select(SCORES, threshold=1, epsilon=2), "cutoff must be given, or a plan"),
        (lambda: overbar.select(SCORES, **{**ASK, "cutoff": 0}), "cutoff must be a positive whole"),
        (lambda: overbar.select(SCORES, **{**ASK, "threshold": "x"}), "threshold must be a number"),
        (lambda: overbar.select(SCORES, threshold=1, plan="plan"), "plan must be a Plan"),
        (
            lambda: planned_top(SCORES, cutoff=2, epsilon=1, mechanism="sparse-vector"),
            "upper_bound must be given",
        ),
        (
            lambda: planned_top(SCORES, upper_bound=9, mechanism="ranked", **TOP),
            "upper_bound, .* for a sparse vector run",
        ),
        (lambda: overbar.select(iter([]), **ASK), r"plan=overbar.plan\(candidates="),
        (lambda: planned_select([1], upper_bound=9, **ASK), "upper_bound is for the top"),
    ],
)
def test_bad_calls(call, message):
    with pytest.raises(ParameterError, match=message):
        call()


def test_a_plan_brings_its_own_numbers():
    plan = queue_plan(**PLANNED)
    assert sorted(overbar.select(SCORES, threshold=10**5, plan=plan).indices) == [1, 3]
    with pytest.raises(ParameterError, match="leave out epsilon, monotonic"):
        overbar.select(SCORES, threshold=1, plan=plan, epsilon=1, monotonic=True)


#: What is taken if nothing is said; said beside a plan, it is refused all the same.
USUAL = {"delta": 0, "sensitivity": 1, "monotonic": False, "counts": False}


@pytest.mark.parametrize("name", USUAL)
def test_a_number_beside_a_plan_is_refused_also_at_its_usual_value(name):
    named = {name: USUAL[name]}
    with pytest.raises(ParameterError, match=f"leave out {name}"):
        overbar.select([1], threshold=1, plan=queue_plan(**PLANNED), **named)
    with pytest.raises(ParameterError, match=f"leave out {name}"):
        overbar.top([1], plan=overbar.plan(epsilon=1, cutoff=2, top=True), **named)
    if name != "counts":
        with pytest.raises(ParameterError, match=f"leave out {name}"):
            overbar.SparseVector(queue_plan(**PLANNED), threshold=1, **named)


@pytest.mark.parametrize(
    "bad", ["abc", 5, None, [[1, 2]], np.zeros((2, 2)), np.array(3), ["x"], [None], [float("nan")],
            polars.Series([1, None]), pandas.Series([1.0, float("nan")]), pyarrow.array([1, None]),
            np.ma.masked_array([1], mask=[True]), polars.Series(["a"]), {1, 2},
            polars.DataFrame({"a": [1]})],
)  # fmt: skip
def test_bad_scores(bad):
    with pytest.raises(ScoreError, match="scores must"):
        planned_select(bad, candidates=5, **ASK)


def test_missing_values_are_clamped_in_a_declared_range():
    for scores in (
        polars.Series([None, HIGH]), pandas.Series([float("nan"), HIGH]),
        pyarrow.array([None, HIGH]), [None, HIGH], pandas.Series([None, HIGH], dtype="Int64"),
    ):  # fmt: skip
        found = overbar.select(scores, score_range=(0, HIGH), **ASK)
        assert found.indices == (1,)


def test_top_takes_its_bound_from_the_range():
    in_turn = {**TOP, "mechanism": "sparse-vector"}
    found = planned_top(SCORES, score_range=(0, HIGH), **in_turn)
    assert sorted(found.indices) == [1, 3]
    bound = planned_top(SCORES, upper_bound=HIGH, score_range=(0, 10**9), **in_turn)
    assert bound.plan.bar.upper_bound == HIGH
    assert sorted(bound.indices) == [1, 3]


def test_scores_beyond_words():
    huge = [0, 10**40, 5, 10**40]
    assert sorted(overbar.select(huge, threshold=10**30, cutoff=2, epsilon=1).indices) == [1, 3]
    assert sorted(overbar.top(huge, cutoff=2, epsilon=1).indices) == [1, 3]


def test_selection_for_people():
    found = overbar.select({**dict.fromkeys(NAMES, 0), "b": 2 * HIGH, "d": HIGH}, **ASK)
    assert repr(found) == (
        "Selection: 2 of at most 2 selected; PureDP(epsilon=1), spent 1\n     1  b\n     2  d"
    )
    frame = found.to_frame()
    assert list(frame.columns) == ["found", "index", "label"]
    assert frame["label"].tolist() == ["b", "d"]
    assert list(found) == ["b", "d"]
    assert "<li>b</li>" in found._repr_html_()
    script = overbar.select({"<script>": HIGH}, **ASK)
    assert "<script>" not in script._repr_html_()
    many = overbar.top(range(100), cutoff=30, epsilon=1)
    assert "… and 20 more" in repr(many)


@pytest.mark.parametrize("name", ["rounds", "correction", "candidates", "tolerance"])
def test_what_top_decides_itself_is_no_parameter_of_it(name):
    with pytest.raises(ParameterError, match=f"{name} must not be given for the top"):
        planned_top(SCORES, **TOP, **{name: 1})


def test_a_misspelt_keyword_is_told_with_the_one_that_was_meant():
    for call in (overbar.select, overbar.top):
        with pytest.raises(TypeError, match="'cutof'; did you mean 'cutoff'"):
            call(SCORES, cutof=3, epsilon=1)
    with pytest.raises(TypeError, match="'epsilom'; did you mean 'epsilon'"):
        overbar.plan(cutoff=3, epsilom=1)


def test_no_label_steers_a_terminal():
    found = overbar.select({"tea\x1b[31m": 10**9}, threshold=5, cutoff=1, epsilon=1)
    assert "\x1b" not in repr(found)
    assert found.labels == ("tea\x1b[31m",)


@pytest.mark.parametrize("said", [{"sensitivity": 1}, {"monotonic": False}])
def test_what_is_said_about_the_scores_is_never_dropped_for_a_plan(said):
    """Even where it says what would be so without it: the plan may have less noise than that."""
    plan = queue_plan(epsilon=1, cutoff=2, sensitivity="1/2", monotonic=True, candidates=5)
    with pytest.raises(overbar.ParameterError, match="a plan brings its own numbers: leave out"):
        overbar.select(SCORES, threshold=5, plan=plan, **said)
