"""Check what would be published: `make dist` builds it, this looks inside and tries it.

``python -m tools.distribution dist`` wants one wheel and one sdist there. The wheel must hold the
package and nothing else, the sdist all that is in the repository; neither has a dataset in it. The
wheel must work in an environment that has only what it asks for, and what that is goes into a bill
of materials (CycloneDX) beside the folder, for `twine` takes all that is in it.
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
from collections.abc import Mapping
from pathlib import Path

from tests.docs.test_code_blocks import FENCE
from tests.docs.test_transcripts import pasted, replay
from tools.packing import DATE, tracked

ROOT = Path(__file__).parents[1]
#: Endings of files that hold rows.
DATA = (
    *(".arrow", ".avro", ".csv", ".dat", ".db", ".duckdb", ".feather", ".jsonl", ".npy", ".npz"),
    *(".parquet", ".pickle", ".sqlite", ".tsv", ".xls", ".xlsx", ".gz", ".bz2", ".xz", ".zip"),
)
#: These are lists of ours.
OUR_LISTS = ("lab/src/overbar_lab/paper/inventory.csv", "tests/golden/plans.json")
#: No other file of ours is as large as a dataset.
LARGEST = 300_000


def package() -> set[str]:
    """Return the files of the package, as a wheel names them."""
    source = ROOT / "src"
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]
    data = settings["package-data"]["overbar"]
    files = {
        source / "overbar_program.py",
        *source.glob("overbar/**/*.py"),
        *(file for pattern in data for file in source.joinpath("overbar").glob(pattern)),
    }
    return {file.relative_to(source).as_posix() for file in files}


def wheel_faults(wheel: Path) -> list[str]:
    """Return what a wheel lacks and what it has too much."""
    with zipfile.ZipFile(wheel) as archive:
        sizes = {one.filename: one.file_size for one in archive.infolist()}
    names = {name for name in sizes if ".dist-info/" not in name}
    faults = [f"{wheel.name} lacks {name}" for name in sorted(package() - names)]
    faults += [f"{wheel.name} should not have {name}" for name in sorted(names - package())]
    return faults + data_faults(wheel.name, sizes)


def sdist_faults(sdist: Path) -> list[str]:
    """Return what the source lacks, and data that it has."""
    with tarfile.open(sdist) as archive:
        files = [one for one in archive.getmembers() if one.isfile()]
    sizes = {one.name.partition("/")[2]: one.size for one in files}
    lacking = sorted(set(tracked(ROOT)) - set(sizes))
    return [f"{sdist.name} lacks {name}" for name in lacking] + data_faults(sdist.name, sizes)


def data_faults(archive: str, sizes: Mapping[str, int]) -> list[str]:
    """Return what looks like a dataset: by its name, by its ending or by its size."""
    registry = tomllib.loads((ROOT / "lab/src/overbar_lab/datasets/registry.toml").read_text())
    files = (file for one in registry["dataset"] for file in one.get("sources", ()))
    known = {name.lower() for file in files for name in file["names"]}
    return [
        f"{archive} has data in it: {name}"
        for name, size in sorted(sizes.items())
        if Path(name).name.lower() in known
        or ((name.lower().endswith(DATA) or size > LARGEST) and name not in OUR_LISTS)
    ]


def first_session(readme: str) -> str:
    """Return the first commands of the README and what they write, as a page of its own."""
    return pasted(readme)[0].group()


def sessions(readme: str) -> str:
    """Return the Python of the README as one script; its output is compared by the tests."""
    blocks = [found.group(2) for found in FENCE.finditer(readme) if found.group(1) == "pycon"]
    lines = [line for block in blocks for line in block.splitlines()]
    return "\n".join(line[4:] for line in lines if line.startswith((">>> ", "... ")))


def trial_faults(wheel: Path, materials: Path) -> list[str]:
    """Install the wheel with its command line into an empty environment; return what fails.

    What is installed there besides pip is written down.
    """
    readme = (ROOT / "README.md").read_text()
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    with tempfile.TemporaryDirectory() as place:
        programs, folder = Path(place) / "venv" / "bin", Path(place) / "work"
        folder.mkdir()
        venv.create(programs.parent, with_pip=True)
        install = [programs / "python", "-m", "pip", "--disable-pip-version-check", "--quiet"]
        constraints = ["--constraint", ROOT / "constraints.txt"]
        subprocess.run([*install, "install", *constraints, f"{wheel}[cli]"], check=True)
        write_materials(programs / "python", materials)
        said = f"```sh\noverbar --version\n```\n\n```text\noverbar {version}\n```\n\n"
        faults = replay(said + first_session(readme), folder, programs)
        tried = subprocess.run(
            [programs / "python", "-c", sessions(readme)], cwd=folder, check=False
        )
    return faults + ["the README's Python does not run"] * bool(tried.returncode)


def write_materials(python: Path, target: Path) -> None:
    """Write which packages an environment has, as CycloneDX; it is checked against its schema."""
    command = [
        *(sys.executable, "-m", "cyclonedx_py", "environment", "--output-reproducible"),
        *("--mc-type", "library", "--pyproject", ROOT / "pyproject.toml", "-o", target, python),
    ]
    environment = {"SOURCE_DATE_EPOCH": DATE, **os.environ}
    subprocess.run([*map(str, command)], check=True, env=environment)


def main(folder: Path) -> None:
    """Say what is wrong with the distributions, or that nothing is."""
    wheels, sdists = sorted(folder.glob("*.whl")), sorted(folder.glob("*.tar.gz"))
    os.environ.pop("PYTHONPATH", None)  # nothing but the wheel is tried
    if (len(wheels), len(sdists)) != (1, 1):
        sys.exit(f"{folder} must hold one wheel and one sdist; write: make dist")
    faults = wheel_faults(wheels[0]) + sdist_faults(sdists[0])
    materials = folder.with_name("sbom.cdx.json")
    faults = faults or trial_faults(wheels[0].resolve(), materials)
    if faults:
        sys.exit("\n".join(faults))
    print(f"{wheels[0].name} and {sdists[0].name} are complete, and the wheel works by itself")
    print(f"{materials} says what it brings with it")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "dist"))
