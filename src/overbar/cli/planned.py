"""From what was typed for ``overbar plan`` to everything it shows. It reads no data."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_FLOOR
from fractions import Fraction
from pathlib import Path
from typing import Any

from overbar import _check
from overbar._files import write_whole
from overbar._numbers import number_text, people_text
from overbar.accuracy import chances, epsilon_for, margin_for
from overbar.cli.exit import tell
from overbar.cli.file_identity import check_outputs, identity
from overbar.cli.options import if_given
from overbar.cli.plan_options import PlanOptions, key_parameters, made_plan, parameters_of
from overbar.cli.question_file import given, save_question
from overbar.cli.screen import show, wants_json
from overbar.errors import ParameterError
from overbar.frames import Question
from overbar.frames.measure import declared_reach
from overbar.frames.question_plan import least_threshold, plan_share
from overbar.mechanisms import Plan
from overbar.mechanisms.score_plan import ScorePlan, of_scores
from overbar.planning.plan_parameters import Method, Parameters, methods, plan_of
from overbar.privacy import unlisted_delta
from overbar.report.as_html import report_page
from overbar.words.forecast import Forecast, forecast, others_like
from overbar.words.plan_report import Planned, how_good, plan_report, promised_by, question_report
from overbar.words.promise import Statement, percent, rounded_up, statement

#: What of ``overbar plan`` is about keys; a plan supposes counts of persons anyway.
ABOUT_KEYS = (
    *("keys", "epsilon", "delta", "delta_is_large", "items_per_person", "rounds", "counts"),
    "format_",
)


@dataclass(frozen=True)
class Asked:
    """What was asked, every number checked."""

    parameters: Parameters
    plan_file: Path | None = None
    top: bool = False
    delta: Fraction | None = None
    candidates: int | None = None
    threshold: Fraction | None = None
    margin: Fraction | None = None
    recall: Fraction | None = None
    items: int | None = None
    unlisted: bool = False

    def planned(self, *, curves: bool = False, alone: bool = False) -> Planned:
        """Return the plan and what there is to say about it; alone, without other methods."""
        answers: list[tuple[str, Fraction | float, str]] = []
        parameters = self.parameters_of_plan()
        if self.recall and self.margin is not None and self.plan_file is None:
            needed = epsilon_for(
                lambda epsilon: self._made(parameters, epsilon=epsilon),
                self.recall,
                self.margin,
                candidates=self.candidates,
            )
            text = (
                f"ε = {number_text(needed)} finds {_share(self.recall)} of those that are "
                f"{number_text(self.margin)} above{' the rest' * self.top}."
            )
            answers.append(("epsilon", needed, text))
            parameters = {"epsilon": needed, **parameters}
        if "epsilon" not in parameters and self.recall is not None and self.plan_file is None:
            raise ParameterError("--epsilon must be given, or --margin beside --recall")
        plan = made_plan(parameters, self.plan_file, top=self.top)
        promise = self._said(plan, parameters)
        answers += self._answers(plan)
        forecast, unseen = self._seen(plan, promise, parameters, curves=curves, alone=alone)
        return Planned(
            plan, promise, self.threshold, tuple(answers), forecast, unseen, self.candidates
        )

    def _made(self, parameters: Parameters, **other: Any) -> ScorePlan:
        return plan_of(None, {**parameters, **other}, top=self.top)

    def parameters_of_plan(self) -> Parameters:
        """Return the parameters; where candidates are read off the data, δ is left for them.

        A pure plan leaves all of it, another one half, as for a release from a table.
        """
        if self.items is None or self.plan_file is not None:
            return self.parameters
        parameters: Parameters = {**self.parameters, "items_per_person": self.items}
        if self.unlisted:
            parameters["delta"] = plan_share(self.delta or Fraction(0), self.parameters)
        return parameters

    def _said(self, plan: Plan, parameters: Parameters) -> Statement:
        at = self.delta if self.plan_file is not None else parameters.get("delta")
        if not self.unlisted:
            return statement(plan, at)
        if self.threshold is None or self.items is None:
            raise ParameterError(
                "--threshold and --items-per-person must be given with --unlisted: what unlisted "
                "candidates cost depends on them"
            )
        cost = unlisted_delta(plan, self.threshold, self.items)
        promise = statement(plan, at, cost)
        if self.delta and self.plan_file is None and promise.delta + Fraction(cost) > self.delta:
            left = self.delta - promise.delta
            enough = least_threshold(of_scores(plan), self.threshold, self.items, left)
            raise ParameterError(
                f"candidates that are read off the data cost δ′ = {rounded_up(cost)}, above the "
                f"{people_text(left, ROUND_FLOOR)} that --delta leaves for them; raise --threshold "
                f"to {number_text(enough)}, lower --items-per-person or --rounds, or allow a "
                "larger --delta"
            )
        return promise

    def _answers(self, plan: Plan) -> list[tuple[str, Fraction | float, str]]:
        """Return what a recall takes, and what a margin gives."""
        answers: list[tuple[str, Fraction | float, str]] = []
        if self.recall is not None:
            enough = margin_for(of_scores(plan), self.recall, candidates=self.candidates)
            text = f"{_share(self.recall)} are found from a margin of {number_text(enough)} on."
            answers.append(("margin", enough, text))
        if self.margin is not None:
            likely = chances(of_scores(plan), self.margin, candidates=self.candidates)
            text = (
                f"At a margin of {number_text(self.margin)}, {percent(likely.above)} of those "
                f"above are found, and {percent(likely.below)} of those below."
            )
            answers.append(("recall", likely.above, text))
        return answers

    def _seen(
        self, plan: Plan, promise: Statement, parameters: Parameters, *, curves: bool, alone: bool
    ) -> tuple[Forecast | None, str]:
        if self.candidates is None and plan.for_top:
            return None, "give --candidates to see the accuracy to expect"
        others: list[Method] = []
        margins = [] if self.margin is None else [self.margin]
        try:
            scored = of_scores(plan)
            if self.plan_file is not None and not alone:
                others = others_like(scored, promise, self.candidates)
            elif not alone:
                delta = parameters.get("delta", 0)
                others = methods(lambda way: self._made(parameters, **way), delta)
            return forecast(
                scored, candidates=self.candidates, others=others, margins=margins, curves=curves
            ), ""
        except ParameterError as error:
            return None, error.as_typed()


def _share(value: Fraction) -> str:
    return f"{float(100 * value):g} %"


def asked_of(options: PlanOptions) -> Asked:
    """Check what was typed."""
    file = options.plan_file
    _check.usual_delta(options.delta, is_large=options.delta_is_large)
    parameters = parameters_of(options)
    if file is None and "sensitivity" in parameters:
        parameters["reach"] = declared_reach(parameters.pop("sensitivity"))
    elif file is None:  # as for a table of persons and items
        parameters["monotonic"] = True
    for name in ("groups", "groups_per_person"):
        if getattr(options, name) is not None:
            parameters[name] = _check.whole(name, getattr(options, name))
    if options.unlisted and options.groups is not None:
        raise ParameterError("--unlisted must be left out with --groups, which need a catalogue")
    candidates = parameters.get("candidates")
    if file is not None:  # beside a plan they say where to state its guarantee and accuracy
        parameters.pop("delta", None)
    if file is not None or options.top:
        parameters.pop("candidates", None)
    return Asked(
        parameters=parameters,
        plan_file=file,
        top=options.top,
        delta=if_given(_check.probability, "delta", options.delta),
        candidates=candidates,
        threshold=if_given(_check.rational, "threshold", options.threshold),
        margin=if_given(_check.non_negative, "margin", options.margin),
        recall=if_given(_check.positive, "recall", options.recall),
        items=if_given(_check.whole, "items_per_person", options.items_per_person),
        unlisted=options.unlisted,
    )


def planned_keys(options: PlanOptions) -> Question:
    """Return what ``overbar keys`` would do, whatever its columns are called."""
    for key, _ in given(options):
        if key.field not in ABOUT_KEYS:
            raise ParameterError(f"--{key.name} does not go with --keys: leave it out")
    return Question.keys(item="item", person="person", **key_parameters(options))


def run(options: PlanOptions) -> None:
    """Check what was typed, make the plan, and show what there is to say about it."""
    file = options.plan_file
    taken = {} if file is None else {identity(file): "the plan"}
    out, as_json = options.out or [], wants_json(options.format_)
    check_outputs([*out, options.save], taken, force=options.force)
    if options.keys:
        question = planned_keys(options)
        save_question(options, options.save)
        said = promised_by(question), how_good(question)
        show(question_report(question, *said, compared=True), as_json=as_json)
        return
    pages = [path for path in out if path.suffix.lower() == ".html"]
    plan = asked_of(options).planned(curves=bool(pages))
    save_question(options, options.save)
    _deliver(plan, [path for path in out if path not in pages], pages, as_json)


def _deliver(plan: Planned, files: list[Path], pages: list[Path], as_json: bool) -> None:
    """Write the files first: a screen full of numbers should not hide that one failed."""
    written = []
    for path in files:
        write_whole(path, plan.plan.to_json() + "\n")
        written.append(f"plan: {path}")
    plan_file = files[0].name if files else "plan.json"
    for path in pages:
        write_whole(path, report_page(plan_report(plan, plan_file=plan_file)))
        written.append(f"report: {path}")
    show(plan_report(plan), as_json=as_json)
    for line in written:
        tell(line, err=as_json)
