"""One serialiser for all frozen values: exact, or refused."""

from __future__ import annotations

from abc import ABC
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Literal

import pytest

from overbar._fields import FieldError, Form
from overbar.mechanisms import Plan, plan_file


class Shape(ABC):
    name: ClassVar[str]


@dataclass(frozen=True)
class Circle(Shape):
    name = "circle"
    radius: Fraction


@dataclass(frozen=True)
class Square(Shape):
    name = "square"
    side: Fraction
    holes: tuple[Circle, ...] = ()


@dataclass(frozen=True)
class Drawing:
    title: Literal["old", "new"]
    shapes: tuple[Shape, ...]
    frame: Square | Circle | None
    pair: tuple[Fraction, Shape] | None
    scale: Fraction | None = None

    @property
    def is_possible(self):
        return self.scale != 0


def number(name, value):
    if not isinstance(value, str) or not value.isdecimal():
        raise FieldError(name, "must be a number")
    return Fraction(value)


FORM = Form({Fraction: str}, {Fraction: number}, {Shape: (Circle, Square)})
VALUE = Drawing(
    "new",
    (Circle(Fraction(1)), Square(Fraction(2), (Circle(Fraction(3)),))),
    Circle(Fraction(4)),
    (Fraction(5), Square(Fraction(6))),
)
CIRCLE = {"name": "circle", "radius": "1"}


def test_there_and_back_by_the_hints_alone():
    written = FORM.write(VALUE)
    assert written["shapes"][1] == {
        "name": "square", "side": "2", "holes": [{"name": "circle", "radius": "3"}],
    }  # fmt: skip
    assert written["scale"] is None
    assert FORM.read(Drawing, written, "drawing") == VALUE


@pytest.mark.parametrize(
    ("changes", "wrong"),
    [
        ({"title": "other"}, "'title' must be one of old, new"),
        ({"title": ["old"]}, "'title' must be one of old, new"),
        ({"colour": "red"}, "'colour' has no meaning"),
        ({"shapes": ...}, "'shapes' is missing"),
        ({"shapes": CIRCLE}, "'shapes' must be a list"),
        ({"shapes": [CIRCLE | {"name": "ring"}]}, "'shapes name' must be one of circle, square"),
        ({"shapes": [CIRCLE | {"name": ["circle"]}]}, "'shapes name' must be one of"),
        ({"shapes": [{"radius": "1"}]}, "'shapes name' must be one of"),
        ({"shapes": [CIRCLE | {"side": "1"}]}, "'side' has no meaning"),
        ({"shapes": [None]}, "'shapes' must be fields"),
        ({"shapes": [CIRCLE | {"radius": 1}]}, "'radius' must be a number"),
        ({"frame": [CIRCLE]}, "'frame' must be fields"),
        ({"frame": "circle"}, "'frame' must be fields"),
        ({"pair": ["5"]}, "'pair' must be a list"),
        ({"pair": {}}, "'pair' must be of another kind"),
        ({"pair": [CIRCLE, CIRCLE]}, "'pair' must be a number"),
        ({"scale": {}}, "'scale' must be a number"),
        ({"scale": []}, "'scale' must be of another kind"),
        ({"scale": "0"}, "'drawing' cannot be what it says"),
    ],
)
def test_what_no_value_has_is_refused(changes, wrong):
    written = FORM.write(VALUE) | changes
    written = {name: value for name, value in written.items() if value is not ...}
    with pytest.raises(FieldError, match=wrong):
        FORM.read(Drawing, written, "drawing")


def test_a_single_class_is_told_from_its_sisters_too():
    with pytest.raises(FieldError, match="'shape name' must be one of circle"):
        FORM.read(Circle, {"name": "square", "radius": "1"}, "shape")


def kinds(plan):
    """Every kind of plan in the package, whatever lies between it and `Plan`."""
    for below in plan.__subclasses__():
        if below.__module__.startswith("overbar."):
            yield from {getattr(below, "kind", None)} - {None}
            yield from kinds(below)


def test_every_plan_can_be_read_from_a_file():
    """A new plan needs no reader of its own, and cannot be forgotten."""
    known = [kind.kind for kind in (*plan_file.PARTS, plan_file.Composed)]
    assert set(kinds(Plan)) == set(known)
    assert len(set(known)) == len(known)
