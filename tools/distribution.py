"""Check what would be published: `make dist` builds it, this looks inside and tries it.

``python -m tools.distribution dist`` wants one wheel and one sdist there. The wheel must hold the
package and nothing else, and work in an environment that has only what it asks for.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import venv
import zipfile
from pathlib import Path

from tests.docs.test_code_blocks import FENCE
from tests.docs.test_transcripts import replay

ROOT = Path(__file__).parents[1]
#: What must come with the source beside the package.
SOURCE = ("LICENSE", "README.md", "pyproject.toml")


def package() -> set[str]:
    """Return the files of the package, as a wheel names them."""
    source = ROOT / "src"
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]
    data = settings["package-data"]["overbar"]
    files = {
        *source.glob("overbar/**/*.py"),
        *(file for pattern in data for file in source.joinpath("overbar").glob(pattern)),
    }
    return {file.relative_to(source).as_posix() for file in files}


def wheel_faults(wheel: Path) -> list[str]:
    """Return what a wheel lacks and what it has too much."""
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
    faults = [f"{wheel.name} lacks {name}" for name in sorted(package() - names)]
    return faults + [f"{wheel.name} should not have {name}" for name in sorted(names - package())]


def sdist_faults(sdist: Path) -> list[str]:
    """Return what the source lacks."""
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    wanted = {*SOURCE, *(f"src/{name}" for name in package())}
    return [f"{sdist.name} lacks {name}" for name in sorted(wanted - names)]


def first_session(readme: str) -> str:
    """Return the first transcript of the README, as a page of its own."""
    return next(found.group() for found in FENCE.finditer(readme) if found.group(1) == "console")


def sessions(readme: str) -> str:
    """Return the Python of the README as one script; its output is compared by the tests."""
    blocks = [found.group(2) for found in FENCE.finditer(readme) if found.group(1) == "pycon"]
    lines = [line for block in blocks for line in block.splitlines()]
    return "\n".join(line[4:] for line in lines if line.startswith((">>> ", "... ")))


def trial_faults(wheel: Path) -> list[str]:
    """Install the wheel with its command line into an empty environment; return what fails."""
    readme = (ROOT / "README.md").read_text()
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    with tempfile.TemporaryDirectory() as place:
        programs, folder = Path(place) / "venv" / "bin", Path(place) / "work"
        folder.mkdir()
        venv.create(programs.parent, with_pip=True)
        install = [programs / "python", "-m", "pip", "--disable-pip-version-check", "--quiet"]
        constraints = ["--constraint", ROOT / "constraints.txt"]
        subprocess.run([*install, "install", *constraints, f"{wheel}[cli]"], check=True)
        said = f"```console\n$ overbar --version\noverbar {version}\n```\n"
        faults = replay(said + first_session(readme), folder, programs)
        tried = subprocess.run(
            [programs / "python", "-c", sessions(readme)], cwd=folder, check=False
        )
    return faults + ["the README's Python does not run"] * bool(tried.returncode)


def main(folder: Path) -> None:
    """Say what is wrong with the distributions, or that nothing is."""
    wheels, sdists = sorted(folder.glob("*.whl")), sorted(folder.glob("*.tar.gz"))
    os.environ.pop("PYTHONPATH", None)  # nothing but the wheel is tried
    if (len(wheels), len(sdists)) != (1, 1):
        sys.exit(f"{folder} must hold one wheel and one sdist; write: make dist")
    faults = wheel_faults(wheels[0]) + sdist_faults(sdists[0])
    faults = faults or trial_faults(wheels[0].resolve())
    if faults:
        sys.exit("\n".join(faults))
    print(f"{wheels[0].name} and {sdists[0].name} are complete, and the wheel works by itself")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "dist"))
