"""The two commands of the README exist, and CI calls the one that tests.

That its sessions and code run is checked with those of the documentation, in `tests/docs`.
"""

from pathlib import Path

README = Path(__file__).parent.parent / "README.md"


def test_the_two_commands_are_in_the_makefile():
    makefile = (README.parent / "Makefile").read_text()
    for target in ("demo", "test"):
        assert f"make {target}" in README.read_text()
        assert f"\n{target}:" in makefile
    assert "make test" in (README.parent / ".ci" / "run").read_text()
