"""The first line of a text file may be someone's row: no message shows any of it."""

from __future__ import annotations

import pytest

from overbar.cli.tables import NamedColumns, ReadingError, Source, start_engine


@pytest.mark.parametrize("options", [{}, {"delimiter": ";"}])
@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", "ann@example.org,+49 30 1234,tea\nbob,2,rum\n"),
        ("a.tsv", "ann@example.org\t+49 30 1234\ttea\n"),
    ],
)
def test_a_forgotten_no_header_shows_nobodys_row(tmp_path, monkeypatch, name, content, options):
    """Neither as "its columns" nor as what was meant: the first line may be someone's."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_text(content)
    for wanted in ("ann@example.com", "item", "te", "+49 30 12345"):
        with (
            start_engine("500MB", 1) as engine,
            pytest.raises(ReadingError, match="not shown, because") as error,
        ):
            Source.of([name], **options).open(engine, NamedColumns(wanted, "who"))
        said = str(error.value).replace(repr(wanted), "")
        for part in ("ann", "example", "+49", "1234", "tea"):
            assert part not in said
        assert "--no-header" in said
