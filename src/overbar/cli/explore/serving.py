"""Start the page on this computer, and answer it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import secrets
import socket
import tempfile
import webbrowser
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import Executor, ProcessPoolExecutor
from functools import partial
from importlib import resources
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from overbar.cli.exit import said_about, tell
from overbar.cli.explore import ExploreOptions
from overbar.errors import LedgerError, MissingExtraError, ParameterError
from overbar.ledger import Ledger
from overbar.ledger.address import is_address
from overbar.report import Report, Section
from overbar.report.as_html import redirection, sections, style_sheet
from overbar.report.as_text import clean
from overbar.words.account_report import INTACT, ledger_report

try:
    import uvicorn
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import JSONResponse, PlainTextResponse, Response
    from starlette.routing import Route
except ImportError as error:
    raise MissingExtraError(
        f"the page needs {error.name}; install it: pip install 'overbar[explore]' {error.name}"
    ) from None
else:
    from overbar.cli.explore.ask_station import AskStation, is_writable
    from overbar.cli.explore.guard import Guard
    from overbar.cli.explore.plan_station import PlanStation, ends_with_page

LOOPBACK = "127.0.0.1"
NO_LEDGER = (
    "No ledger was named, so nothing can be spent. Choose a name for the data, and how much may be "
    "spent on it in all. Then write:"
)
MAKE_ONE = ("overbar ledger open budget.db NAME --epsilon 3", "overbar explore --ledger budget.db")
#: What a station answers: JSON for the script of the page.
Answer = dict[str, Any]
Work = Callable[[Mapping[str, str]], Awaitable[Answer]]


def run(options: ExploreOptions) -> None:
    """Open the page and answer it until Ctrl-C."""
    ledger = existing_ledger(options.ledger, options.head)
    named = [os.path.normpath(name) for name in options.files or ()]
    asking = AskStation(Path.cwd(), named, options.ledger, ledger, options.head)
    if lost := sorted({*asking.named} - {*asking.files()}):
        raise ParameterError(f"a table must be a file of this folder, got {lost[0]!r}")
    token = secrets.token_urlsafe(24)
    with (
        tempfile.TemporaryDirectory(prefix="overbar-") as folder,
        _bound(options.port) as listening,
        ProcessPoolExecutor(1, get_context("spawn"), ends_with_page) as worker,
    ):
        worker.submit(os.getpid)  # it starts while the browser does
        port = listening.getsockname()[1]
        address = f"http://{LOOPBACK}:{port}/#{token}"
        tell(f"The page is at {address}\nIt answers this computer alone; Ctrl-C ends it.")
        if not options.no_browser:
            _open_browser(address, Path(folder))
        app = Guard(application(ledger, asking, worker), port=port, token=token)
        # Nothing is logged: an address or an error might quote what was asked.
        config = uvicorn.Config(
            app, log_config=None, log_level="critical", access_log=False, lifespan="off",
            ws="none", server_header=False, timeout_graceful_shutdown=1,
        )  # fmt: skip
        with contextlib.suppress(KeyboardInterrupt):  # that is how it ends
            uvicorn.Server(config).run(sockets=[listening])


def existing_ledger(name: str | None, head: str | None = None) -> Ledger | None:
    """Open the ledger that was named; none is made by the way."""
    if name is None:
        if head is not None:
            raise ParameterError("--head goes with --ledger FILE")
        return None
    if not is_address(name) and not os.path.exists(name):
        raise LedgerError(
            f"there is no ledger {name}; make it with: overbar ledger open {name} DATASET "
            "--epsilon TOTAL"
        )
    return Ledger(name, create=False, head=head)


def application(ledger: Ledger | None, asking: AskStation, worker: Executor) -> Starlette:
    """Return the page and its stations."""
    files = resources.files("overbar.cli.explore")
    style = style_sheet() + files.joinpath("page.css").read_text(encoding="utf-8")
    page = files.joinpath("page.html").read_text(encoding="utf-8")
    script = files.joinpath("page.js").read_text(encoding="utf-8")
    stations: dict[str, Work] = {
        "/start": in_thread(partial(_started, ledger, asking)),
        "/plan": in_thread(PlanStation(ledger, worker).answer),
        "/schema": in_thread(asking.schema),
        "/check": asking.check,
        "/dry-run": asking.dry_run,
        "/look-back": asking.look_back,
        "/spend": asking.spend,
        "/budget": in_thread(partial(_budgets, ledger)),
        "/verify": in_thread(partial(_verified, ledger)),
    }
    return Starlette(
        routes=[
            *(
                Route(path, partial(_sent, text, kind))
                for path, text, kind in (
                    ("/", page, "text/html"),
                    ("/page.js", script, "text/javascript"),
                    ("/page.css", style, "text/css"),
                )
            ),
            *(
                Route(path, partial(_answered, work), methods=["POST"])
                for path, work in stations.items()
            ),
        ]
    )


def in_thread(work: Callable[[Mapping[str, str]], Answer]) -> Work:
    """Let work be done beside the page, which goes on answering."""

    async def done(asked: Mapping[str, str]) -> Answer:
        return await asyncio.to_thread(work, asked)

    return done


def _started(ledger: Ledger | None, asking: AskStation, _: Mapping[str, str]) -> Answer:
    datasets = [] if ledger is None else list(ledger.datasets())
    return {"datasets": datasets, "files": asking.files()}


def _budgets(ledger: Ledger | None, _: Mapping[str, str]) -> Answer:
    """Return every dataset of the ledger, with its runs; nothing is changed."""
    report = Report("", (Section(name="none", sentences=(NO_LEDGER,), code=MAKE_ONE),))
    return {"html": sections(report if ledger is None else ledger_report(ledger), "accounts-")}


def _verified(ledger: Ledger | None, _: Mapping[str, str]) -> Answer:
    """Recompute every hash and balance, and say what was found."""
    if ledger is None:
        return {"error": "no ledger was named"}
    return {"text": f"{INTACT}. Head {ledger.verify()}"}  # what is wrong is said as all errors are


async def _sent(text: str, kind: str, _: Request) -> Response:
    return Response(text, media_type=kind)


async def _answered(work: Work, request: Request) -> Response:
    """Return what a station says, or what is wrong, in words that quote no data."""
    try:
        asked = _texts(await request.body())
    except ParameterError as error:
        return PlainTextResponse(str(error), 400)
    try:
        return JSONResponse(await work(asked))
    except Exception as error:
        return JSONResponse({"error": said_about(error)})


def _texts(body: bytes) -> dict[str, str]:
    """Read a request; what no command and no file can take is refused here, for all stations."""
    try:
        asked = json.loads(body)
    except (ValueError, RecursionError):
        asked = None
    if not isinstance(asked, dict) or not all(isinstance(one, str) for one in asked.values()):
        raise ParameterError("a request must be texts by name, as JSON")
    for name, text in asked.items():
        if not is_writable(name + text):
            raise ParameterError(f"{clean(name)} must have no NUL and no half of a letter in it")
    return asked


def _bound(port: int) -> socket.socket:
    """Return a socket of this computer alone."""
    if not 0 <= port < 1 << 16:
        raise ParameterError(f"--port must be from 0 to 65535, got {port}")
    # The protocol is named so that answers are sent at once, and not 40 ms later.
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((LOOPBACK, port))
        listening.listen()
    except OSError as error:
        listening.close()
        raise ParameterError(
            f"--port {port} cannot be used: {error.strerror}; leave it out for a free one"
        ) from None
    return listening


def _open_browser(address: str, folder: Path) -> None:
    """Open the browser by a file that it alone can read: a process list shows arguments to all."""
    way = folder / "open.html"
    way.write_text(redirection(address))
    way.chmod(0o600)
    webbrowser.open(way.as_uri())
