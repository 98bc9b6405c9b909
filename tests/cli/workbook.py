"""Write small ``.xlsx`` workbooks by hand, with cells that no program would take from us."""

from __future__ import annotations

import zipfile
from html import escape

SPACE = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
LINKS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
#: Styles of cells: plain, a day by its number, a moment and a span by formats of our own.
PLAIN, DAY, MOMENT, SPAN = range(4)
STYLES = (
    f'<styleSheet xmlns="{SPACE}"><numFmts count="2">'
    '<numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd hh:mm:ss"/>'
    '<numFmt numFmtId="165" formatCode="[h]:mm:ss"/></numFmts><cellXfs count="4">'
    '<xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="165"/>'
    "</cellXfs></styleSheet>"
)


def cell(value):
    """A text or a number as a cell; what begins with <c is one already."""
    if isinstance(value, str) and value.startswith("<c"):
        return value
    if isinstance(value, str):
        return f'<c t="inlineStr"><is><t xml:space="preserve">{escape(value)}</t></is></c>'
    return "<c/>" if value is None else f"<c><v>{value}</v></c>"


def styled(value, style):
    return f'<c s="{style}"><v>{value}</v></c>'


def as_bytes(text):
    return text if isinstance(text, bytes) else text.encode()


def row_of(row):
    """A row of cells; bytes are one already."""
    return row if isinstance(row, bytes) else f"<row>{''.join(map(cell, row))}</row>".encode()


def write_workbook(path, later=False, texts=(), head="", tail="", **sheets):
    """Write rows of cells, sheet by sheet; `texts` are shared ones."""
    names = {f"sheet{n}": name for n, name in enumerate(sheets, 1)}
    links = [(key, "worksheet", f"worksheets/{key}.xml") for key in names]
    links += [("s", "styles", "styles.xml"), ("t", "sharedStrings", "/xl/sharedStrings.xml")]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        listed = "".join(f'<sheet name="{name}" r:id="{key}"/>' for key, name in names.items())
        first = f'<workbookPr date1904="{int(later)}"/>'
        archive.writestr(
            "xl/workbook.xml",
            f'<workbook xmlns="{SPACE}" xmlns:r="{LINKS}">{first}<sheets>{listed}</sheets>'
            "</workbook>",
        )
        archive.writestr(
            "xl/_rels/workbook.xml.rels",
            f'<Relationships xmlns="{PACKAGE}">'
            + "".join(
                f'<Relationship Id="{key}" Type="{LINKS}/{kind}" Target="{place}"/>'
                for key, kind, place in links
            )
            + "</Relationships>",
        )
        archive.writestr("xl/styles.xml", STYLES)
        shared = b"".join(b"<si>%b</si>" % as_bytes(text) for text in texts)
        archive.writestr("xl/sharedStrings.xml", b'<sst xmlns="s">%b</sst>' % shared)
        for (key, name), _ in zip(names.items(), sheets, strict=True):
            rows = b"".join(map(row_of, sheets[name]))
            begin = f'{head}<worksheet xmlns="{SPACE}"><sheetData>'.encode()
            archive.writestr(
                f"xl/worksheets/{key}.xml",
                begin + rows + f"</sheetData>{tail}</worksheet>".encode(),
            )
    return str(path)
