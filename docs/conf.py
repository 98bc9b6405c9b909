"""How the documentation site is built: `make docs`.

Two things are not Sphinx's own. The reference has one page for each public module, made from the
list in `tools/public_modules.py`. And a name in code font that begins with `overbar.` or
`overbar_lab.` becomes a link if it is public. A name that leads nowhere is a warning, and warnings
are errors.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import inspect
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.pycode import ModuleAnalyzer
from sphinx.transforms import SphinxTransform
from sphinx.util import logging

project = "overbar"
author = "The overbar developers"
version = release = importlib.metadata.version(project)

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "sphinx_copybutton",
    "mathml",
]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build"]
nitpicky = True
# A short name in a signature may mean several things; only what a page names must be one.
suppress_warnings = ["ref.python"]
# Types in signatures name numpy's and Python's own; only names written in the pages are checked.
nitpick_ignore_regex = [
    (r"py:class|py:exc|py:data", r".*"),
    (r"py:obj", r"(?!overbar(?:_lab)?\.).*"),
]

# Quotes and ellipses alone: dashes would make –encoding of --encoding.
smartquotes_action = "qe"
highlight_language = "none"
copybutton_prompt_text = r">>> |\.\.\. "
copybutton_prompt_is_regexp = True
copybutton_copy_empty_lines = False
# Only what runs has a button: commands, sessions and scripts.
copybutton_selector = ", ".join(
    f"div.{kind} pre"
    for kind in (
        "highlight-pycon",
        "highlight-python",
        "highlight-sh",
        "doctest",
    )
)
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence", "deflist"]
myst_fence_as_directive = ["math"]
html_math_renderer = "mathml"

autodoc_member_order = "bysource"
autodoc_default_options = {"members": True, "imported-members": True}
autodoc_typehints_format = "short"
autodoc_type_aliases = {
    name: name for name in ("Array", "ArrayLike", "Integers", "Floats", "Number", "Steps", "Values")
}
napoleon_google_docstring = False

html_theme = "furo"
html_title = "overbar"
html_static_path = ["_static"]
html_css_files = ["overbar.css"]
html_show_sourcelink = False
html_copy_source = False
html_show_copyright = False

logger = logging.getLogger(__name__)
#: How names begin that are looked up.
OURS = ("overbar.", "overbar_lab.")
HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent)]  # mathml, figures; tools

from tools import notebooks  # noqa: E402  # the path to it is set above
from tools.public_modules import MODULES, public_name, public_objects  # noqa: E402


def write_reference(_: Sphinx) -> None:
    """Write one page for each public module, and one list of them all."""
    folder = HERE / "api" / "modules"
    folder.mkdir(parents=True, exist_ok=True)
    pages = {f"{module}.md": _page(module) for module in MODULES}
    pages["list.txt"] = "\n".join(
        f"- [{module}](modules/{module}.md): {MODULES[module]}" for module in sorted(MODULES)
    )
    for name, text in pages.items():
        page = folder / name
        if not page.exists() or page.read_text() != text:
            page.write_text(text)
    for page in folder.iterdir():
        if page.name not in {*pages, "commands.md"}:
            page.unlink()


def write_commands(_: Sphinx) -> None:
    """Write what each verb of the command line says about itself."""
    import typer.main

    from overbar.cli import app
    from overbar_lab.program import app as laboratory

    pages = [
        "# Command line",
        "",
        "What `overbar VERB --help` prints, and `overbar-lab VERB --help`.",
        "",
    ]

    def describe(command: Any, name: str, parent: Any) -> None:
        context = command.context_class(command, info_name=name, parent=parent, terminal_width=90)
        pages.extend([f"## {context.command_path}", "", "```text", command.get_help(context)])
        pages.extend(["```", ""])
        for verb, found in getattr(command, "commands", {}).items():
            describe(found, verb, context)

    assert app is not None  # typer is an extra of the documentation
    describe(typer.main.get_command(app), "overbar", None)
    describe(typer.main.get_command(laboratory), "overbar-lab", None)
    (HERE / "api" / "modules" / "commands.md").write_text("\n".join(pages))


def _page(module: str) -> str:
    """Return a page that documents what the module is the first to list as public."""
    elsewhere = [
        name
        for home, name, _ in public_objects()
        if home == module and public_name(f"{module}.{name}") not in {None, f"{module}.{name}"}
    ]
    lines = [f"# {module}", "", "```{eval-rst}", f".. automodule:: {module}"]
    if elsewhere:
        lines.append(f"   :exclude-members: {', '.join(elsewhere)}")
    return "\n".join([*lines, "", *_constants(module), "```", ""])


def _constants(module: str) -> Iterator[str]:
    """Yield what is said of constants that the module takes from a file of its package."""
    inside = [name for name in sorted(sys.modules) if name.startswith(f"{module}.")]
    for home, name, subject in public_objects():
        if home == module and not inspect.ismodule(subject):
            for file in inside:
                if getattr(sys.modules[file], name, None) is not subject:
                    continue
                text = ModuleAnalyzer.for_module(file).find_attr_docs().get(("", name))
                if text:
                    yield from (f".. py:data:: {name}", "", f"   {' '.join(text)}", "")
                    break


def plain_aliases(*signature: object) -> tuple[str | None, ...]:
    """Write Number where Sphinx shows the wrapper that it keeps a name in."""
    *_, parameters, returned = signature
    return tuple(
        text and re.sub(r"TypeAliasForwardRef\('(\w+)'\)", r"\1", str(text))
        for text in (parameters, returned)
    )


class LinkNames(SphinxTransform):
    """Turn `overbar.some.name` into a link to it."""

    default_priority = 5

    def apply(self, **_: object) -> None:
        """Wrap every public name on a page, but not in headings or in links."""
        for literal in list(self.document.findall(nodes.literal)):
            name = literal.astext()
            if not name.startswith(OURS) or " " in name or name.endswith((".py", "*")):
                continue
            if isinstance(literal.parent, nodes.title | nodes.reference | addnodes.pending_xref):
                continue
            try:
                target = public_name(name)
            except AttributeError as problem:
                logger.warning("%s", problem, location=literal)
                continue
            if target is not None:
                link = addnodes.pending_xref(
                    "", refdomain="py", reftype="obj", reftarget=target, refexplicit=True
                )
                literal.replace_self(link)
                link += literal


def where_it_is_public(
    app: Sphinx, env: BuildEnvironment, node: addnodes.pending_xref, content: nodes.TextElement
) -> nodes.reference | None:
    """Follow a name such as overbar.runs.select to the page that documents it."""
    name = node["reftarget"]
    if node.get("refdomain") != "py" or not name.startswith(OURS):
        return None
    try:
        target = public_name(name)
    except AttributeError:
        return None
    if target in {None, name}:
        return None
    return env.domains["py"].resolve_xref(
        env, node["refdoc"], app.builder, "obj", target, node, content
    )


def check_reference(_: Sphinx, env: BuildEnvironment) -> None:
    """Warn of public names that no page documents, and of names on pages that are not public."""
    public = {
        public_name(f"{module}.{name}") or f"{module}.{name}"
        for module, name, _ in public_objects()
    } | set(MODULES)
    objects = env.domains["py"].objects
    shown = {name for name, entry in objects.items() if not entry.aliased}
    for name in sorted(public - shown):
        logger.warning("%s is public and not in the reference", name)
    for name in sorted(shown - public):
        if not any(name.startswith(f"{one}.") for one in public - set(MODULES)):
            logger.warning("%s is in the reference and not public", name)


def draw_figures(_: Sphinx) -> None:
    """Draw the plots that are computed from plans."""
    importlib.import_module("figures").write(HERE / "_figures")


def show_notebook(_: Sphinx) -> None:
    """Execute the notebook of the examples, and write it with what it gave."""
    missing = "" if notebooks.can_execute() else "\n*Built without nbclient: no outputs.*\n"
    cells = notebooks.code() if missing else notebooks.executed()
    (HERE / "_figures" / "notebook.txt").write_text(notebooks.page(cells) + missing)


def setup(app: Sphinx) -> None:
    """Hook the above in."""
    app.connect("builder-inited", draw_figures)
    app.connect("builder-inited", show_notebook)
    app.connect("builder-inited", write_reference)
    app.connect("builder-inited", write_commands)
    app.connect("autodoc-process-signature", plain_aliases)
    app.connect("env-check-consistency", check_reference)
    app.connect("missing-reference", where_it_is_public)
    app.add_transform(LinkNames)
