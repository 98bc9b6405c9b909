"""How the documentation site is built: `make docs`.

Two things are not Sphinx's own. The reference has one page for each room of the package, written
here from the files that exist, so that no module can be forgotten. And a name in code font that
begins with `overbar.` becomes a link to that name: one that does not exist is a warning, and
warnings are errors.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import re
import sys
from pathlib import Path

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.transforms import SphinxTransform

project = "overbar"
author = "The overbar developers"
version = release = importlib.metadata.version(project)

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build"]
nitpicky = True
# A short name in a signature may mean several things; only what a page names must be one.
suppress_warnings = ["ref.python"]
# Types in signatures name numpy's and Python's own; only names written in the pages are checked.
nitpick_ignore_regex = [(r"py:class|py:exc|py:data", r".*"), (r"py:obj", r"(?!overbar\.).*")]

myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence", "deflist"]

autodoc_member_order = "bysource"
autodoc_default_options = {"members": True, "ignore-module-all": True}
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

HERE = Path(__file__).parent
PACKAGE = HERE.parent / "src" / "overbar"


def write_rooms(_: Sphinx) -> None:
    """Write one reference page for each room: its modules, in the order of their names."""
    rooms: dict[str, list[str]] = {}
    for file in sorted(PACKAGE.rglob("*.py")):
        parts = file.relative_to(PACKAGE).with_suffix("").parts
        if parts in {("__init__",), ("__main__",)}:
            continue
        module = ".".join(("overbar", *parts)).removesuffix(".__init__")
        rooms.setdefault(parts[0], []).append(module)
    folder = HERE / "api" / "rooms"
    folder.mkdir(parents=True, exist_ok=True)
    for room, modules in rooms.items():
        text = "\n".join([f"# {room}", "", *(_entry(module) for module in modules)])
        page = folder / f"{room}.md"
        if not page.exists() or page.read_text() != text:
            page.write_text(text)
    for page in folder.glob("*.md"):
        if page.stem not in rooms:
            page.unlink()


def _entry(module: str) -> str:
    return f"## `{module}`\n\n```{{eval-rst}}\n.. automodule:: {module}\n```\n"


def no_type(
    app: Sphinx, what: str, name: str, subject: object, options: object, lines: list[str]
) -> None:
    """Keep a colon in the words about a constant from making a type of what stands before it."""
    del app, name, subject, options
    if what in {"data", "attribute", "property"}:
        lines[:] = [line.replace(": ", "\N{RATIO} ") for line in lines]  # it looks the same


#: A line of a table in plain text: words, a gap, more words.
COLUMNS = re.compile(r"[\w/*]+(, [\w/*]+)* {2,}\S")


def plain_text(
    app: Sphinx, what: str, name: str, subject: object, options: object, lines: list[str]
) -> None:
    """Keep formulas and plain tables as they stand, and |x| from being a substitution."""
    del app, what, name, subject, options
    shown: list[str] = []
    before = ""  # the last line at the margin
    table = formula = False
    for line in lines:
        margin = not line.startswith(" ")
        begins = not shown or not shown[-1]
        if not line:
            table = False
        elif margin and begins and COLUMNS.match(line):
            table, before = True, line
            shown += [".. code-block:: text", ""]
        elif margin and not table:
            before, formula = line, False
        elif (
            line.startswith("    ")
            and begins
            and not (formula or table)
            and not before.startswith((":", "..", "- "))
        ):
            formula = True
            shown += [".. code-block:: text", ""]
        if table:
            shown.append(f"   {line}")
        else:
            shown.append(line.replace("|", "\\|") if margin else line)
    lines[:] = shown


class LinkNames(SphinxTransform):
    """Turn `overbar.some.name` into a link to it."""

    default_priority = 5

    def apply(self, **_: object) -> None:
        """Wrap every such name on a page, but not in headings or in links."""
        for literal in list(self.document.findall(nodes.literal)):
            name = literal.astext()
            if not name.startswith("overbar.") or " " in name or name.endswith((".py", "*")):
                continue
            if isinstance(literal.parent, nodes.title | nodes.reference | addnodes.pending_xref):
                continue
            link = addnodes.pending_xref(
                "", refdomain="py", reftype="obj", reftarget=name, refexplicit=True, refwarn=True
            )
            literal.replace_self(link)
            link += literal


def where_it_is_defined(
    app: Sphinx, env: BuildEnvironment, node: addnodes.pending_xref, content: nodes.TextElement
) -> nodes.reference | None:
    """Follow a public name such as overbar.select to the file that defines it."""
    head, _, name = node["reftarget"].rpartition(".")
    if node.get("refdomain") != "py" or not head.startswith("overbar"):
        return None
    room = importlib.import_module(head) if importlib.util.find_spec(head) else None
    home = getattr(getattr(room, name, None), "__module__", head)
    if home == head:
        return None
    return env.domains["py"].resolve_xref(
        env, node["refdoc"], app.builder, "obj", f"{home}.{name}", node, content
    )


def draw_figures(_: Sphinx) -> None:
    """Draw the plots that are computed from plans."""
    sys.path.insert(0, str(HERE))
    importlib.import_module("figures").write(HERE / "_figures")


def setup(app: Sphinx) -> None:
    """Hook the above in."""
    app.connect("builder-inited", draw_figures)
    app.connect("builder-inited", write_rooms)
    app.connect("autodoc-process-docstring", no_type, priority=400)  # before napoleon
    app.connect("autodoc-process-docstring", plain_text)
    app.connect("missing-reference", where_it_is_defined)
    app.add_transform(LinkNames)
