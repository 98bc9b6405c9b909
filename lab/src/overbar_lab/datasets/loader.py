"""From a name to scores: made on the spot, read from a file, or fetched first.

pooch downloads under a temporary name, checks the hash and renames. So nothing that is cut short or
unchecked ever has the name of a dataset, and no good file is replaced by a bad one.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from overbar_lab.datasets.registry import (
    AbsentDatasetError,
    ChecksumError,
    Dataset,
    DatasetEntry,
    DatasetError,
    Places,
    Scores,
    SourceFile,
    entry,
    how_to_get,
)
from overbar_lab.datasets.supports import Supports, count_supports, merged

TIMEOUT = 30.0


def load(
    name: str,
    data_dir: Path | str | None = None,
    *,
    download: bool = False,
    verify: bool = True,
    cache_dir: Path | str | None = None,
    mirror: str | None = None,
) -> Dataset:
    """Return a dataset of the registry.

    Parameters
    ----------
    name : str
        One of the names in :func:`overbar_lab.datasets.registry.known`.
    data_dir : Path or str, optional
        A folder with files, plain or gzip; else the one that ``OVERBAR_DATA`` names. Only what is
        missing there is looked for in the cache.
    download : bool, default False
        Whether to fetch what is missing, into the cache.
    verify : bool, default True
        Whether a file must be the registered one. With False a file is read as it is, and the
        number of its records is what it holds.
    cache_dir : Path or str, optional
        Where downloads go; by default ``overbar`` in the user's cache folder.
    mirror : str, optional
        An address to fetch the files from instead of their homes; checksums stay the same.

    Returns
    -------
    Dataset
        Scores, threshold and cutoff.

    Raises
    ------
    AbsentDatasetError
        It is not here; its message is one line with where to get it and where to put it.
    DatasetError
        A file is damaged, malformed or not the registered one.

    Examples
    --------
    >>> load("zipf")
    Dataset('Zipf', 10,000 items, threshold 200, cutoff 50)
    """
    one = entry(name)
    if not one.sources:
        return _made(one)
    places = Places.of(data_dir, cache_dir)
    files: list[tuple[Path, SourceFile]] = []
    for source in one.sources:
        path = places.find(source)
        if path is None and download and source.url is not None:
            path = _fetched(one, source, places, mirror)
        if path is None:
            raise AbsentDatasetError(f"{one.name} is not here: {how_to_get(one, places)}")
        files.append((path, source))
    return _read(one, files, places, verify)


def _made(one: DatasetEntry) -> Dataset:
    """Assign the scores of a dataset that has no file."""
    rank = np.arange(1, one.items + 1)
    scores: Scores = 10_000 / rank if one.name == "zipf" else np.where(rank <= one.cutoff, 1_000, 0)
    return Dataset(
        one.name, one.title, scores, rank, None, one.threshold, one.cutoff, ("made on the spot",)
    )


def _fetched(one: DatasetEntry, source: SourceFile, places: Places, mirror: str | None) -> Path:
    url = source.url if mirror is None else f"{mirror.rstrip('/')}/{source.names[0]}"
    assert url is not None
    try:
        return fetch(url, source.names[0], source.checksum, places.cache)
    except AbsentDatasetError as error:
        raise AbsentDatasetError(f"{error}; {how_to_get(one, places)}") from None


def _read(
    one: DatasetEntry, files: list[tuple[Path, SourceFile]], places: Places, verify: bool
) -> Dataset:
    assert one.form is not None
    parts: list[Supports] = []
    for path, source in files:
        checksum = source.checksum if verify else None
        try:
            parts.append(count_supports(path, one.form, checksum=checksum))
        except DatasetError as error:
            downloaded = path.parent == places.cache != places.own and source.url is not None
            if verify and downloaded:
                path.unlink(missing_ok=True)
                again = f"overbar_lab.datasets.load({one.name!r}, download=True)"
                hint = f"removed from the cache, write {again}"
                raise error.followed_by(hint) from None
            if isinstance(error, ChecksumError):
                raise error.followed_by("write verify=False to read it as it is") from None
            raise
    total = merged(parts)
    return Dataset(
        name=one.name,
        title=one.title,
        scores=total.counts,
        items=total.items,
        records=total.records,
        threshold=one.threshold,
        cutoff=one.cutoff,
        origin=tuple(str(path) for path, _ in files),
    )


def fetch(url: str, name: str, checksum: str, folder: Path) -> Path:
    """Download a file into a folder; a file that is there with this checksum is kept as it is."""
    import pooch  # here: they take long to load
    import requests

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


def _brief(error: Exception) -> str:
    """Say in a few words why a transfer failed; the full text of requests has several lines."""
    response = getattr(error, "response", None)
    if response is not None:
        return f"{response.status_code} {response.reason}"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return type(error).__name__
