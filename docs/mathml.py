"""Formulas as MathML, which browsers show by themselves: no script, no font, no network.

Docutils turns LaTeX into MathML. Pages write Greek letters, primes and signs as they are, so that
a formula can be read in the file too; here they become the commands that Docutils knows.
"""

from __future__ import annotations

import html

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from docutils.utils.math.unichar2tex import uni2tex_table
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.writers.html5 import HTML5Translator

SIGNS = uni2tex_table | {ord("·"): r"\cdot ", ord("′"): r"^{\prime}", ord("²"): "^2"}
SIGNS |= {ord("₀") + digit: f"_{digit}" for digit in range(10)} | {ord("₊"): "_+"}

logger = logging.getLogger(__name__)


def mathml(formula: str, *, block: bool) -> str:
    """Return a formula as MathML."""
    return str(tex2mathml(formula.translate(SIGNS), as_block=block))


def converted(node: nodes.math | nodes.math_block, *, block: bool) -> str:
    """Return the formula of a node; one that cannot be read is a warning, and shown as it is."""
    try:
        return mathml(node.astext(), block=block)
    except MathError as problem:
        logger.warning("%s", problem, location=node)
        return f"<code>{html.escape(node.astext())}</code>"


def inline(writer: HTML5Translator, node: nodes.math) -> None:
    """Write a formula within a line."""
    writer.body.append(converted(node, block=False))
    raise nodes.SkipNode


def block(writer: HTML5Translator, node: nodes.math_block) -> None:
    """Write a formula on lines of its own."""
    writer.body.append(f'<div class="math">{converted(node, block=True)}</div>')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    """Let Sphinx use it."""
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
