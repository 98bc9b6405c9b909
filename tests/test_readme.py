"""What the README shows is what happens."""

import doctest
from pathlib import Path

README = Path(__file__).parent.parent / "README.md"


def test_the_sessions_in_the_readme_run():
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    text = README.read_text().replace("```", "\n")
    parser = doctest.DocTestParser()
    session = parser.get_doctest(text, {}, "README.md", str(README), 0)
    assert len(session.examples) > 8
    failures = doctest.DocTestRunner(optionflags=flags).run(session).failed
    assert failures == 0


def test_the_two_commands_are_in_the_makefile():
    makefile = (README.parent / "Makefile").read_text()
    for target in ("demo", "test"):
        assert f"make {target}" in README.read_text()
        assert f"\n{target}:" in makefile
    assert "make test" in (README.parent / ".ci" / "run").read_text()
