"""Lines of numbers in reports: what they show is what the sentence beside them says."""

from __future__ import annotations

import re
from fractions import Fraction
from math import exp

import pytest

import overbar
from overbar.privacy import PureDP
from overbar.report import Mark, Report, Scale, Section
from overbar.report.as_html import sections
from overbar.report.report import json_text, report_of
from overbar.words.plan_words import quality_of
from overbar.words.promise import Statement, after_even_odds, promise_sections


def drawn(scale):
    return sections(Report("", (Section(name="one", scale=scale),)))


def test_dots_are_full_where_items_come_out():
    plan = overbar.plan(epsilon=1, cutoff=5, candidates=200, monotonic=True)
    quality = quality_of(plan, 500, 200, "persons")
    scale = quality.scale
    assert (scale.low.at, scale.high.at) == (quality.hardly, quality.sure)
    assert scale.start < scale.low.at < scale.middle.at == 500 < scale.high.at < scale.end
    assert f"{int(quality.sure):,} or more" in scale.high.words[0]
    fills = re.findall(r'fill-opacity="(.*?)"', drawn(scale))
    assert fills == sorted(fills, key=float)
    assert {"0", ".4", "1"} == set(fills)


def test_a_top_is_drawn_by_the_distance_of_its_sentence():
    plan = overbar.plan(epsilon=1, cutoff=3, monotonic=True, top=True)
    quality = quality_of(plan, None, 100, "persons")
    assert quality.together > quality.sure  # all of them, and one of them
    assert f"are {int(quality.together):,} or more persons apart" in quality.sentence
    assert quality.fields()["together"] == str(quality.together)
    assert quality.scale.high.at - quality.scale.low.at == quality.together


def guesses_right(epsilon, delta):
    """The worst pair there is: with a chance of δ all is told, else randomised response."""
    with_, without = (
        (1 - delta) * exp(epsilon) / (1 + exp(epsilon)),
        (1 - delta) / (1 + exp(epsilon)),
    )
    outcomes = [(delta, 0.0), (with_, without), (without, with_), (0.0, delta)]
    return sum(max(pair) for pair in outcomes) / 2


@pytest.mark.parametrize("epsilon", [0.01, 0.5, 1, 4])
@pytest.mark.parametrize("delta", [0, 1e-6, 0.1])
def test_no_guess_is_right_more_often_than_is_said(epsilon, delta):
    promised = Statement(PureDP(epsilon), Fraction(epsilon), Fraction(delta))
    low, high = after_even_odds(promised)
    truth = 100 * guesses_right(epsilon, delta)
    assert truth <= high < truth + 0.1 + 1e-9  # a tenth of a per cent less would be wrong
    assert low == pytest.approx(100 - high)
    said = promise_sections(promised)[0]
    assert f"{high:g} %{'' if promised.pure else ' of all cases'}" in " ".join(said.sentences)
    assert said.scale.high.at == high


def test_words_of_a_line_stay_inside_and_it_survives_json():
    for at in (0.0, 0.5, 1.0):
        scale = Scale("<b>", 0, 1, Mark(0, ("a & b",)), Mark(at, ("much",)), Mark(at, ("x" * 20,)))
        html = drawn(scale)
        assert "<b>" not in html
        for x in map(float, re.findall(r'text x="(.*?)"', html)):
            assert 0 <= x <= 460
        report = Report("", (Section(name="one", scale=scale),))
        assert report_of(json_text(report)) == report
