"""Downloads from a real server on this machine: whole, cut, wrong, absent."""

from __future__ import annotations

import gzip
import hashlib
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest

from overbar_lab.datasets import DatasetError, load
from overbar_lab.datasets.loader import fetch
from overbar_lab.datasets.registry import AbsentDatasetError, ChecksumError

CONTENT = b"".join(b"%d %d\n" % (i, i * i) for i in range(40_000))
CHECKSUM = "sha256:" + hashlib.sha256(CONTENT).hexdigest()


class Server(ThreadingHTTPServer):
    """Serves files from memory; ``cuts`` says how much of a transfer comes before it breaks off."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.files: dict[str, bytes] = {}
        self.cuts: list[float] = []
        self.asked: list[str] = []

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        content = self.server.files.get(self.path.removeprefix("/"))
        if content is None:
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.server.cuts:
            content = content[: int(len(content) * self.server.cuts.pop(0))]
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Keep quiet."""


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as running:
        running.files["baskets.dat"] = CONTENT
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield running
        running.shutdown()
        thread.join()


def get(server: Server, folder: Path) -> Path:
    return fetch(f"{server.address}/baskets.dat", "baskets.dat", CHECKSUM, folder)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_whole_download(server: Server, tmp_path: Path) -> None:
    path = get(server, tmp_path / "new")
    assert path.read_bytes() == CONTENT
    assert names(tmp_path / "new") == ["baskets.dat"]
    get(server, tmp_path / "new")
    assert server.asked == ["/baskets.dat"]  # the second time it is there


@pytest.mark.parametrize("content", [CONTENT[:-1], b"<html>log in</html>", b"", b"\x00\x01"])
def test_a_wrong_checksum_leaves_nothing(content: bytes, server: Server, tmp_path: Path) -> None:
    server.files["baskets.dat"] = content
    with pytest.raises(ChecksumError, match=r"baskets\.dat: wrong checksum: .*nothing was kept"):
        get(server, tmp_path)
    assert names(tmp_path) == []


@pytest.mark.parametrize("share", [0, 0.5])
def test_a_cut_transfer_leaves_nothing(share: float, server: Server, tmp_path: Path) -> None:
    server.cuts = [share]
    with pytest.raises(
        AbsentDatasetError, match=r"^baskets\.dat could not be downloaded from http"
    ):
        get(server, tmp_path)
    assert names(tmp_path) == []
    assert get(server, tmp_path).read_bytes() == CONTENT


@pytest.mark.parametrize("share", [0.5, 1])
def test_a_file_is_replaced_by_a_whole_and_right_one_only(
    share: float, server: Server, tmp_path: Path
) -> None:
    """What lies there has another checksum; neither half a file nor a wrong one takes its place."""
    (tmp_path / "baskets.dat").write_bytes(b"an earlier version")
    server.cuts = [share]
    server.files["baskets.dat"] = CONTENT if share < 1 else b"<html>log in</html>"
    with pytest.raises(DatasetError):
        get(server, tmp_path)
    assert (tmp_path / "baskets.dat").read_bytes() == b"an earlier version"
    assert names(tmp_path) == ["baskets.dat"]
    server.files["baskets.dat"] = CONTENT
    assert get(server, tmp_path).read_bytes() == CONTENT


def test_not_found_and_offline_are_one_line(server: Server, no_data: Path) -> None:
    for mirror, why in ((server.address, "404 Not Found"), ("http://127.0.0.1:9", "Connection")):
        with pytest.raises(AbsentDatasetError, match=why) as caught:
            load("kosarak", download=True, mirror=mirror)
        line = str(caught.value)
        assert "\n" not in line
        assert f"put kosarak.dat (or .gz) in {no_data}" in line
        assert names(no_data) == []


def test_a_wrong_mirror_leaves_nothing(server: Server, no_data: Path) -> None:
    server.files["a9a"] = b"+1 1:1\n"
    with pytest.raises(ChecksumError, match="wrong checksum"):
        load("adult", download=True, mirror=server.address)
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
    with pytest.raises(AbsentDatasetError, match="a9a could not be downloaded"):
        load("adult", download=True, mirror=server.address + "/")
    assert names(no_data) == []
    data = load("adult", download=True, mirror=server.address + "/")
    assert (data.records, data.passing) == (48_842, 81)
    assert names(no_data) == ["a9a", "a9a.t"]
    again = load("adult")
    assert np.array_equal(again.scores, data.scores)
    assert server.asked == ["/a9a", "/a9a", "/a9a.t"]
