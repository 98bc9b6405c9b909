"""Downloads by pooch that take up where they stopped.

pooch writes to a temporary name, checks the hash and renames, but begins anew each time. Here its
HTTP downloader appends to ``<name>.part`` in the cache and asks the server for the rest only. The
part is handed to pooch once it is whole, so nothing unchecked ever has the name of a dataset.
"""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path
from typing import Any, BinaryIO

from overbar.datasets.dataset import AbsentDatasetError, ChecksumError
from overbar.datasets.progress import Bar
from overbar.errors import MissingExtraError

#: A cut loses at most this much of what came.
CHUNK = 1 << 13
TIMEOUT = 30.0
RANGE_NOT_SATISFIABLE = 416
WHOLE_FILE = 200


def fetch(
    url: str, name: str, checksum: str, folder: Path, *, progress: bool | None = None
) -> Path:
    """Download a file into a folder, checked and whole, or not at all.

    A transfer that breaks off is resumed for as long as each attempt brings something; what came
    stays in ``<name>.part`` for the next call. Content with a wrong checksum is thrown away.
    """
    pooch, requests = _optional("pooch"), _optional("requests")

    part = folder / f"{name}.part"
    show = sys.stderr.isatty() if progress is None else progress
    resumed = part.exists()
    while True:
        try:
            bar = Bar(name, sys.stderr) if show else None
            return Path(
                pooch.retrieve(
                    url, checksum, fname=name, path=folder, downloader=_Resuming(part, bar)
                )
            )
        except (requests.RequestException, OSError) as error:
            if part.exists() and not part.stat().st_size:
                part.unlink()
            raise AbsentDatasetError(
                f"{name} could not be downloaded from {url} ({_brief(error)})"
            ) from None
        except ValueError:  # how pooch says that the hash differs; the file is gone by now
            if not resumed:
                raise ChecksumError(
                    f"{url}: wrong checksum: the registered file has {checksum}; nothing was kept"
                ) from None
            resumed = False  # the part may have been of another version: once more from the start


class _Resuming:
    """A pooch downloader that continues a part and moves it to pooch's temporary name."""

    def __init__(self, part: Path, bar: Bar | None) -> None:
        self.part = part
        self.bar = bar

    def __call__(self, url: str, output_file: str, _: object) -> None:
        requests = _optional("requests")
        while True:
            with self.part.open("ab") as file:
                before = file.tell()
                try:
                    self._continue(url, file)
                    break
                except requests.HTTPError as error:
                    code = None if error.response is None else error.response.status_code
                    if code != RANGE_NOT_SATISFIABLE or not before:
                        raise
                    file.truncate(0)  # longer than the file: not a part of it
                except requests.RequestException:
                    if file.tell() <= before:
                        raise
        os.replace(self.part, output_file)

    def _continue(self, url: str, file: BinaryIO) -> None:
        done = file.tell()
        responses: list[Any] = []

        def begin(response: Any, *_: object, **__: object) -> None:
            responses.append(response)
            # A server that knows no ranges sends everything again.
            if done and response.status_code == WHOLE_FILE:
                file.truncate(0)
                if self.bar:
                    self.bar.offset = 0

        headers = {"Accept-Encoding": "identity"} | ({"Range": f"bytes={done}-"} if done else {})
        if self.bar:
            self.bar.offset = done
        download = _optional("pooch").HTTPDownloader(
            progressbar=self.bar or False,
            chunk_size=CHUNK,
            headers=headers,
            hooks={"response": begin},
            timeout=TIMEOUT,
        )
        try:
            download(url, file, None)
        finally:
            for response in responses:  # pooch leaves a broken connection to the collector
                response.close()


def _optional(name: str) -> Any:
    """Import pooch, or the requests it needs; by name, so that type checks need no copy of them."""
    try:
        return importlib.import_module(name)
    except ImportError:
        raise MissingExtraError(
            f"{name} is not installed; write: pip install 'overbar[paper]'"
        ) from None


def _brief(error: Exception) -> str:
    """Say in a few words why a transfer failed; the full text of requests has several lines."""
    response = getattr(error, "response", None)
    if response is not None:
        return f"{response.status_code} {response.reason}"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return type(error).__name__
