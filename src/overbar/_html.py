"""One kit for all HTML pages: their head, sections, tables and style sheet.

A page is one file without scripts, readable in light and dark, on a desk, a phone and paper. Text
that is passed in is escaped here; what is called `body` is HTML already.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from html import escape

#: How many lines of a plot can be told apart by colour and dashes.
LINE_STYLES = 6
#: How wide a bar beside a number can be.
BAR_WIDTH = 160


def page(title: str, *body: str, wide: bool = False) -> str:
    """Return a whole page; a wide one has room for tables of many columns."""
    head = (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f"<title>{escape(title)}</title><style>{STYLE}</style></head>"
        f"<body><main{' class=wide' if wide else ''}>"
    )
    return "\n".join([head, *filter(None, body), "</main></body></html>\n"])


def section(name: str, title: str, *body: str) -> str:
    """Return a section that its heading names."""
    inside = "\n".join(filter(None, body))
    heading = f'<h2 id="{name}">{escape(title)}</h2>'
    return f'<section aria-labelledby="{name}">{heading}\n{inside}</section>'


def folded(title: str, *body: str, opened: bool = False) -> str:
    """Return something that a reader opens if they want it; it is not printed while closed."""
    inside = "\n".join(filter(None, body))
    shown = " open" if opened else ""
    return f'<details class="more"{shown}><summary>{escape(title)}</summary>\n{inside}</details>'


def paragraphs(lines: Iterable[str], look: str = "") -> str:
    """Return one paragraph for each text."""
    opening = f'<p class="{look}">' if look else "<p>"
    return "".join(f"{opening}{escape(line)}</p>" for line in lines)


def pairs(items: Iterable[tuple[str, str]]) -> str:
    """Return names with their values; a name without a value is left out."""
    inside = "".join(
        f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in items if value
    )
    return f"<dl>{inside}</dl>"


def cell(text: str, *, number: bool = False) -> str:
    """Return a cell of a table."""
    return f"<td{' class=number' if number else ''}>{escape(text)}</td>"


def table(
    head: Sequence[str], rows: Iterable[str], *, caption: str = "", first: int = 1, look: str = ""
) -> str:
    """Return a table that can be scrolled; `rows` is HTML, columns from `first` on hold numbers."""
    top = "".join(
        f'<th scope="col"{" class=number" if place >= first else ""}>{escape(name)}</th>'
        for place, name in enumerate(head)
    )
    label = f' role="group" aria-label="{escape(caption)}"' if caption else ""
    shape = f' class="{look}"' if look else ""
    title = f"<caption>{escape(caption)}</caption>" if caption else ""
    return (
        f'<div class="scroll" tabindex="0"{label}><table{shape}>{title}'
        f"<thead><tr>{top}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def error_bar(value: Fraction, low: Fraction | None, high: Fraction, most: Fraction) -> str:
    """Return a bar from zero to a value with its interval on top, on a scale that ends at `most`.

    Colours are those of the text around it, so that it needs no style sheet.
    """
    scale = BAR_WIDTH / most if most > 0 else Fraction(0)
    none, all_of_it = Fraction(0), Fraction(BAR_WIDTH)
    end, first, last = (
        float(min(all_of_it, max(none, scale * number))) for number in (value, low or 0, high)
    )
    return (
        f'<svg viewBox="0 0 {BAR_WIDTH} 12" width="{BAR_WIDTH}" height="12" role="img" '
        'aria-label="bar with its interval">'
        f'<rect x="0" y="2" width="{end:.1f}" height="8" fill="currentColor" opacity=".3"/>'
        f'<path d="M{first:.1f} 6H{last:.1f}M{first:.1f} 3V9M{last:.1f} 3V9" '
        'stroke="currentColor" stroke-width="1.5" fill="none"/></svg>'
    )


STYLE = """
:root { color-scheme: light dark; --ink: #1b1f24; --soft: #57606a; --line: #d0d7de;
  --paper: #ffffff; --card: #f6f8fa; --mark: #0550ae;
  --c0: #0550ae; --c1: #a33f00; --c2: #00634a; --c3: #7c3aad; --c4: #6e5a00; --c5: #57606a;
  --part: #7a5200; --tint: #fff4ec; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --soft: #9da7b3; --line: #3d444d;
  --paper: #0d1117; --card: #161b22; --mark: #79b8ff;
  --c0: #79b8ff; --c1: #ffa657; --c2: #56d3a5; --c3: #d2a8ff; --c4: #e3c14f; --c5: #9da7b3;
  --part: #e3c14f; --tint: #2b1d12; } }
* { box-sizing: border-box; }
body { margin: 0; color: var(--ink); background: var(--paper);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
main { max-width: 54rem; margin: 0 auto; padding: 1rem 1.2rem 4rem; }
h1 { font-size: 1.7rem; line-height: 1.25; margin: 1rem 0 .3rem; overflow-wrap: anywhere; }
h2 { font-size: 1.25rem; margin: 2.2rem 0 .6rem; padding-bottom: .2rem;
  border-bottom: 1px solid var(--line); }
main.wide { max-width: 68rem; }
h3 { font-size: 1.08rem; margin: 2rem 0 .3rem; }
a { color: var(--mark); }
section { scroll-margin-top: 1rem; }
p { margin: .5rem 0; max-width: 46rem; }
code { font: .88em ui-monospace, SFMono-Regular, Menlo, monospace; overflow-wrap: anywhere; }
pre { background: var(--card); border: 1px solid var(--line); border-radius: .4rem;
  padding: .6rem .8rem; overflow-x: auto; }
.soft { color: var(--soft); }
.promise { background: var(--card); border-left: 4px solid var(--mark); padding: .7rem 1rem;
  border-radius: 0 .4rem .4rem 0; font-size: 1.08rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1.2rem; margin: .6rem 0; }
dt { color: var(--soft); } dd { margin: 0; overflow-wrap: anywhere; }
.scroll { overflow-x: auto; margin: 1rem 0; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .92rem; }
caption { text-align: left; color: var(--soft); padding-bottom: .3rem; }
th, td { text-align: left; vertical-align: top; padding: .32rem .8rem .32rem 0;
  border-bottom: 1px solid var(--line); overflow-wrap: break-word; }
th.number, td.number { text-align: right; } td.number { white-space: nowrap; }
tr.chosen td { font-weight: 650; }
ol.answer { columns: 16rem; column-gap: 2rem; padding-left: 2.6rem; margin: .6rem 0; }
ol.answer li { break-inside: avoid; overflow-wrap: anywhere; padding: .08rem 0; }
ol.answer li::marker { color: var(--soft); font-variant-numeric: tabular-nums; }
table.answer { min-width: min(100%, 24rem); } table.answer td { vertical-align: middle; }
td.bar { width: 50%; min-width: 5rem; } td.bar svg { max-width: 22rem; }
.plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(19rem, 1fr)); gap: 1rem; }
figure { margin: .4rem 0; } figcaption { font-weight: 600; }
svg { display: block; width: 100%; height: auto; }
svg text { font: 13px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; fill: var(--ink); }
svg .axis { stroke: var(--soft); stroke-width: 1; } svg .rule { stroke: var(--line); }
svg .curve { fill: none; stroke-width: 2.2; stroke-linejoin: round; }
svg .s0 { stroke: var(--c0); stroke-width: 3; }
.s1 { stroke: var(--c1); stroke-dasharray: 7 4; }
.s2 { stroke: var(--c2); stroke-dasharray: 2 3; }
.s3 { stroke: var(--c3); stroke-dasharray: 9 3 2 3; }
.s4 { stroke: var(--c4); stroke-dasharray: 12 4; } .s5 { stroke: var(--c5); stroke-dasharray: 4 6; }
ul.key { list-style: none; display: flex; flex-wrap: wrap; gap: .2rem 1.4rem; padding: 0; }
ul.key svg { display: inline-block; width: 2.4rem; vertical-align: middle; margin-right: .4rem; }
.good, .holds { color: var(--c2); } .bad, .fails { color: var(--c1); } .part { color: var(--part); }
.unknown { color: var(--soft); } .good, .bad { font-weight: 650; }
.verdict { display: inline-block; white-space: nowrap; font-weight: 600; border: 1px solid;
  border-radius: 1rem; padding: 0 .6rem; font-size: .8rem; background: var(--card); }
.warning { border-left: 4px solid var(--c1); background: var(--tint); padding: .5rem .8rem; }
.note { border-left: 4px solid var(--line); background: var(--card); padding: .4rem .8rem; }
ul.note { list-style: none; }
nav ul { columns: 20rem; padding-left: 1.1rem; margin: .4rem 0; } nav li { break-inside: avoid; }
details.more { margin: 2rem 0; font-size: 1rem; }
details.more > summary { font-weight: 600; border-top: 1px solid var(--line); padding: .6rem 0; }
details { margin: .3rem 0; font-size: .9rem; } summary { cursor: pointer; color: var(--soft); }
figure img { display: block; width: 100%; height: auto; margin: 0 auto; background: #fff; }
.evidence { color: var(--soft); font-size: .82rem; overflow-wrap: anywhere; }
.figures { font-size: .82rem; }
table.claims { table-layout: fixed; width: 100%; } table.claims td { overflow-wrap: anywhere; }
table.claims col.said { width: 30%; } table.claims col.decision { width: 10.6rem; }
table.audit { width: 100%; }
table.audit td.number, table.audit th.number { text-align: left; }
svg.bars { max-width: 12rem; min-width: 7rem; height: 1rem; }
svg.bars .room { fill: var(--line); } svg.bars .full { fill: var(--c2); }
svg.bars .over { fill: var(--c1); } svg.bars .edge { stroke: var(--ink); stroke-width: 2; }
dl.faults { grid-template-columns: minmax(9rem, 18rem) 1fr; }
@media (max-width: 46rem) {
  dl.faults { grid-template-columns: 1fr; }
  .cards, .cards tbody, .cards tr, .cards td { display: block; width: 100%; }
  .cards thead, .cards colgroup { display: none; }
  .cards tr { border: 1px solid var(--line); border-radius: .5rem; margin: .7rem 0;
    padding: .4rem .6rem; }
  .cards td { border: 0; padding: .12rem 0; white-space: normal; }
  .cards td[data-name]::before { content: attr(data-name) ": "; color: var(--soft); }
  figure.wide { overflow-x: auto; } figure.wide img { width: 46rem; max-width: none; }
}
@media (max-width: 40rem) {
  main { padding: .6rem .9rem 3rem; } h1 { font-size: 1.35rem; }
  dl { grid-template-columns: 1fr; gap: 0; } dd { margin: 0 0 .5rem; }
  .plots { grid-template-columns: 1fr; } th, td { padding-right: .6rem; }
  table.answer { width: 100%; } table.answer td.number { white-space: normal; }
  td.bar { min-width: 5.5rem; padding-right: 0; }
}
@media print {
  :root { --ink: #000; --soft: #444; --line: #bbb; --paper: #fff; --card: #fff; --mark: #000;
    --c0: #0550ae; --c1: #a33f00; --c2: #00634a; --c3: #7c3aad; --c4: #6e5a00; --c5: #57606a;
    --part: #7a5200; --tint: #fff; }
  nav, summary { display: none; } a { color: inherit; text-decoration: none; }
  body { font-size: 11pt; } main { max-width: none; padding: 0; }
  section, figure, tr { break-inside: avoid; }
}
"""
