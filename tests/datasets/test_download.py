"""Downloads from a real server on this machine: whole, cut, resumed, wrong, absent."""

from __future__ import annotations

import builtins
import gzip
import hashlib
import importlib
import io
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest

from overbar.datasets import AbsentDatasetError, ChecksumError, load
from overbar.datasets.download import CHUNK, fetch
from overbar.datasets.progress import Bar
from overbar.errors import MissingExtraError

CONTENT = b"".join(b"%d %d\n" % (i, i * i) for i in range(40_000))
CHECKSUM = "sha256:" + hashlib.sha256(CONTENT).hexdigest()


class Server(ThreadingHTTPServer):
    """Serves files from memory; ``cuts`` says how much of a transfer comes before it breaks off."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.files: dict[str, bytes] = {}
        self.cuts: list[float] = []
        self.ranges = True
        self.asked: list[str | None] = []

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        asked = self.headers.get("Range")
        self.server.asked.append(asked)
        content = self.server.files.get(self.path.removeprefix("/"))
        if content is None:
            self.send_error(404)
            return
        start = 0
        if asked and self.server.ranges:
            start = int(asked.removeprefix("bytes=").removesuffix("-"))
            if start >= len(content):
                self.send_error(416)
                return
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
        else:
            self.send_response(200)
        body = content[start:]
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.server.cuts:
            body = body[: int(len(body) * self.server.cuts.pop(0))]
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Keep quiet."""


@pytest.fixture
def server() -> Iterator[Server]:
    pytest.importorskip("pooch", reason="pooch is not installed: pip install 'overbar[paper]'")
    with Server() as running:
        running.files["baskets.dat"] = CONTENT
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield running
        running.shutdown()
        thread.join()


def get(server: Server, folder: Path) -> Path:
    return fetch(f"{server.address}/baskets.dat", "baskets.dat", CHECKSUM, folder, progress=False)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_whole_download(server: Server, tmp_path: Path) -> None:
    path = get(server, tmp_path / "new")
    assert path.read_bytes() == CONTENT
    assert names(tmp_path / "new") == ["baskets.dat"]
    get(server, tmp_path / "new")
    assert server.asked == [None]  # the second time it is there


def test_a_cut_transfer_is_resumed_at_once(server: Server, tmp_path: Path) -> None:
    server.cuts = [0.5, 0.5]
    assert get(server, tmp_path).read_bytes() == CONTENT
    first, second, third = server.asked
    assert first is None
    for asked, came in ((second, 0.5), (third, 0.75)):
        assert asked is not None
        start = int(asked.removeprefix("bytes=").removesuffix("-"))
        assert came * len(CONTENT) - 3 * CHUNK < start <= came * len(CONTENT)
    assert names(tmp_path) == ["baskets.dat"]


def test_a_part_of_an_earlier_call_is_continued(server: Server, tmp_path: Path) -> None:
    (tmp_path / "baskets.dat.part").write_bytes(CONTENT[:1_000])
    assert get(server, tmp_path).read_bytes() == CONTENT
    assert server.asked == ["bytes=1000-"]
    assert names(tmp_path) == ["baskets.dat"]


def test_a_server_without_ranges_sends_everything_again(server: Server, tmp_path: Path) -> None:
    server.ranges = False
    server.cuts = [0.5]
    assert get(server, tmp_path).read_bytes() == CONTENT
    assert len(server.asked) == 2


@pytest.mark.parametrize("part", [CONTENT + b"more", CONTENT, b"of another version"])
def test_a_part_of_something_else_is_thrown_away(
    part: bytes, server: Server, tmp_path: Path
) -> None:
    (tmp_path / "baskets.dat.part").write_bytes(part)
    assert get(server, tmp_path).read_bytes() == CONTENT
    assert names(tmp_path) == ["baskets.dat"]


@pytest.mark.parametrize("content", [CONTENT[:-1], b"<html>log in</html>", b"", b"\x00\x01"])
def test_a_wrong_checksum_leaves_nothing(content: bytes, server: Server, tmp_path: Path) -> None:
    server.files["baskets.dat"] = content
    with pytest.raises(ChecksumError, match=r"baskets\.dat: wrong checksum: .*nothing was kept"):
        get(server, tmp_path)
    assert names(tmp_path) == []


def test_a_transfer_that_will_not_go_on_keeps_its_part(server: Server, tmp_path: Path) -> None:
    server.cuts = [0.5, 0]
    with pytest.raises(AbsentDatasetError, match="could not be downloaded"):
        get(server, tmp_path)
    assert names(tmp_path) == ["baskets.dat.part"]
    assert get(server, tmp_path).read_bytes() == CONTENT


def test_not_found_and_offline_are_one_line(server: Server, no_data: Path) -> None:
    for mirror, why in ((server.address, "404 Not Found"), ("http://127.0.0.1:9", "Connection")):
        with pytest.raises(AbsentDatasetError, match=why) as caught:
            load("kosarak", download=True, mirror=mirror, progress=False)
        line = str(caught.value)
        assert "\n" not in line
        assert f"put kosarak.dat (or .gz) in {no_data}" in line
        assert names(no_data) == []


def test_a_wrong_mirror_leaves_nothing(server: Server, no_data: Path) -> None:
    server.files["a9a"] = b"+1 1:1\n"
    with pytest.raises(ChecksumError, match="wrong checksum"):
        load("adult", download=True, mirror=server.address, progress=False)
    assert names(no_data) == []


def test_adult_from_a_mirror_that_breaks_off(
    server: Server, no_data: Path, data_folder: Path
) -> None:
    for name in ("a9a", "a9a.t"):
        packed = data_folder / f"{name}.gz"
        if not packed.exists():
            pytest.skip(f"{name}.gz is not among the real files")
        server.files[name] = gzip.decompress(packed.read_bytes())
    server.cuts = [0.5]
    data = load("adult", download=True, mirror=server.address + "/", progress=False)
    assert (data.records, data.passing) == (48_842, 81)
    assert names(no_data) == ["a9a", "a9a.t"]
    again = load("adult")
    assert np.array_equal(again.scores, data.scores)
    assert [asked is None for asked in server.asked] == [True, False, True]


def test_the_bar_reaches_the_end(
    server: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "baskets.dat.part").write_bytes(CONTENT[: len(CONTENT) // 2])
    fetch(f"{server.address}/baskets.dat", "baskets.dat", CHECKSUM, tmp_path, progress=True)
    last = capsys.readouterr().err.rstrip("\n").split("\r")[-1]
    assert last == f"baskets.dat [{'#' * 30}] 100 % of {len(CONTENT) / 1e6:.1f} MB"


def test_a_bar_without_a_total() -> None:
    stream = io.StringIO()
    bar = Bar("x", stream)
    bar.update(2_000_000)
    bar.close()
    assert stream.getvalue() == "\rx 2.0 MB\n"


def test_without_pooch_the_message_says_what_to_install(
    no_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = importlib.import_module

    def import_module(name: str, package: str | None = None) -> object:
        if name == "pooch":
            raise builtins.ImportError(name)
        return original(name, package)

    monkeypatch.setattr(importlib, "import_module", import_module)
    with pytest.raises(MissingExtraError, match=r"pip install 'overbar\[paper\]'"):
        load("kosarak", download=True)
    with pytest.raises(AbsentDatasetError):  # nothing to download: no need of pooch
        load("kosarak")
