"""The style sheet of the page: light and dark, on a desk, a phone and paper."""

from __future__ import annotations

__all__ = ["LINE_STYLES", "STYLE"]

#: How many lines of a plot can be told apart by colour and dashes.
LINE_STYLES = 6

STYLE = """
:root { color-scheme: light dark; --ink: #1b1f24; --soft: #57606a; --line: #d0d7de;
  --paper: #ffffff; --card: #f6f8fa; --mark: #0550ae;
  --c0: #0550ae; --c1: #a33f00; --c2: #00634a; --c3: #7c3aad; --c4: #6e5a00; --c5: #57606a; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --soft: #9da7b3; --line: #3d444d;
  --paper: #0d1117; --card: #161b22; --mark: #79b8ff;
  --c0: #79b8ff; --c1: #ffa657; --c2: #56d3a5; --c3: #d2a8ff; --c4: #e3c14f; --c5: #9da7b3; } }
* { box-sizing: border-box; }
body { margin: 0; color: var(--ink); background: var(--paper);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
main { max-width: 54rem; margin: 0 auto; padding: 1rem 1.2rem 4rem; }
h1 { font-size: 1.7rem; line-height: 1.25; margin: 1rem 0 .3rem; overflow-wrap: anywhere; }
h2 { font-size: 1.25rem; margin: 2.2rem 0 .6rem; padding-bottom: .2rem;
  border-bottom: 1px solid var(--line); }
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
@media (max-width: 40rem) {
  main { padding: .6rem .9rem 3rem; } h1 { font-size: 1.35rem; }
  dl { grid-template-columns: 1fr; gap: 0; } dd { margin: 0 0 .5rem; }
  .plots { grid-template-columns: 1fr; } th, td { padding-right: .6rem; }
}
@media print {
  :root { --ink: #000; --soft: #444; --line: #bbb; --paper: #fff; --card: #fff; --mark: #000;
    --c0: #0550ae; --c1: #a33f00; --c2: #00634a; --c3: #7c3aad; --c4: #6e5a00; --c5: #57606a; }
  body { font-size: 11pt; } main { max-width: none; padding: 0; }
  section, figure, tr { break-inside: avoid; }
}
"""
