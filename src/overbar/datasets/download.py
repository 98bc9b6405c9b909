"""Downloads by pooch: whole and checked, or not at all.

pooch writes under a temporary name, checks the hash and renames. So nothing that is cut short or
unchecked ever has the name of a dataset, and no good file is replaced by a bad one.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

from overbar.datasets.dataset import AbsentDatasetError, ChecksumError
from overbar.errors import MissingExtraError

TIMEOUT = 30.0


def fetch(url: str, name: str, checksum: str, folder: Path) -> Path:
    """Download a file into a folder; a file that is there with this checksum is kept as it is."""
    pooch, requests = _optional("pooch"), _optional("requests")
    responses: list[Any] = []
    download = pooch.HTTPDownloader(
        timeout=TIMEOUT, hooks={"response": lambda response, *_, **__: responses.append(response)}
    )
    try:
        return Path(pooch.retrieve(url, checksum, fname=name, path=folder, downloader=download))
    except (requests.RequestException, OSError) as error:
        raise AbsentDatasetError(
            f"{name} could not be downloaded from {url} ({_brief(error)})"
        ) from None
    except ValueError:  # how pooch says that the hash differs
        raise ChecksumError(
            f"{url}: wrong checksum: the registered file has {checksum}; nothing was kept"
        ) from None
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
