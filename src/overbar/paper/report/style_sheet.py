"""The style sheet of the report: readable on a desk, a phone and paper."""

from __future__ import annotations

STYLE = """
:root { color-scheme: light; --ink: #1b1f24; --soft: #57606a; --line: #d0d7de; --paper: #ffffff;
  --holds: #00634a; --fails: #a33f00; --part: #7a5200; --unknown: #57606a; }
* { box-sizing: border-box; }
body { margin: 0; color: var(--ink); background: var(--paper);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
main { max-width: 68rem; margin: 0 auto; padding: 1rem 1.2rem 4rem; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 1rem 0 .3rem; }
h2 { font-size: 1.3rem; margin: 2.6rem 0 .6rem; padding-bottom: .2rem;
  border-bottom: 1px solid var(--line); }
h3 { font-size: 1.08rem; margin: 2rem 0 .3rem; }
p { margin: .4rem 0; max-width: 46rem; }
a { color: #0550ae; }
code { font: .88em ui-monospace, SFMono-Regular, Menlo, monospace; overflow-wrap: anywhere; }
.soft { color: var(--soft); }
nav ul { columns: 20rem; padding-left: 1.1rem; margin: .4rem 0; }
nav li { break-inside: avoid; }
figure { margin: .8rem 0; }
figure img { display: block; width: 100%; height: auto; margin: 0 auto; }
.scroll { overflow-x: auto; -webkit-overflow-scrolling: touch; }
table { border-collapse: collapse; font-size: .86rem; font-variant-numeric: tabular-nums; }
th, td { text-align: left; vertical-align: top; padding: .32rem .6rem;
  border-bottom: 1px solid var(--line); }
th { position: sticky; top: 0; background: #f6f8fa; }
td.number { text-align: right; white-space: nowrap; }
details { margin: .3rem 0; font-size: .9rem; }
summary { cursor: pointer; color: var(--soft); }
section { scroll-margin-top: 1rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem .9rem; margin: .4rem 0; }
dt { color: var(--soft); } dd { margin: 0; overflow-wrap: anywhere; }
.warning { border-left: 4px solid var(--fails); background: #fff4ec; padding: .5rem .8rem; }
.note { border-left: 4px solid var(--line); background: #f6f8fa; padding: .4rem .8rem; }
ul.note { list-style: none; }
.verdict { display: inline-block; white-space: nowrap; font-weight: 600; border: 1px solid;
  border-radius: 1rem; padding: 0 .6rem; font-size: .8rem; }
.holds { color: var(--holds); background: #e7f6f0; }
.fails { color: var(--fails); background: #fff0e5; }
.part { color: var(--part); background: #fff8e0; }
.unknown { color: var(--unknown); background: #f3f4f6; }
table.claims { table-layout: fixed; width: 100%; }
table.claims col.said { width: 30%; } table.claims col.decision { width: 10.6rem; }
table.claims td { overflow-wrap: anywhere; }
.figures { font-size: .82rem; }
@media (max-width: 46rem) {
  main { padding: .6rem .8rem 3rem; }
  h1 { font-size: 1.35rem; }
  table.claims, table.claims tbody, table.claims tr, table.claims td { display: block;
    width: 100%; }
  table.claims thead, table.claims colgroup { display: none; }
  table.claims tr { border: 1px solid var(--line); border-radius: .5rem; margin: .7rem 0;
    padding: .3rem; }
  table.claims td { border: 0; padding: .2rem .4rem; }
  figure.wide { overflow-x: auto; } figure.wide img { width: 46rem; max-width: none; }
  dl { grid-template-columns: 1fr; gap: 0; } dd { margin: 0 0 .4rem .8rem; }
}
@media print { nav, summary { display: none; } figure, tr { break-inside: avoid; }
  main { max-width: none; } a { color: inherit; text-decoration: none; } }
"""
