"""Who is answered: this computer's browser, on this page, with the token. Nobody else.

A page of another site can send requests to this computer, under a name of its own if it likes.
The Host must be ours, so that a name that was bound anew does not work; the Origin must be ours;
and everything but the empty page needs the token, in a header that only our own script can set.
There are no cookies: a browser would send them to every port of this computer.
"""

from __future__ import annotations

import hmac

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

#: What anyone may read: the page without a number in it.
OPEN = ("/", "/page.js", "/page.css")
LONGEST_BODY = 1 << 16
HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
}


class Guard:
    """Refuses what does not come from our page, before anything is looked at."""

    def __init__(self, app: ASGIApp, *, port: int, token: str) -> None:
        self.app = app
        self.hosts = (f"127.0.0.1:{port}", f"localhost:{port}")
        self.token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or refuse with a word."""
        if scope["type"] != "http":
            return
        refused = self._refusal(scope["path"], Headers(scope=scope))
        app = self.app if refused is None else PlainTextResponse(refused[1], refused[0])

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        await app(scope, receive, send_with_headers)

    def _refusal(self, path: str, headers: Headers) -> tuple[int, str] | None:
        host = headers.get("host")
        if host not in self.hosts:
            return 403, "this page has another address; open the one that was printed"
        if headers.get("origin", f"http://{host}") != f"http://{host}":
            return 403, "another site may not ask this page"
        if headers.get("sec-fetch-site", "none") not in ("same-origin", "none") and path != "/":
            return 403, "another site may not ask this page"
        if not headers.get("content-length", "0").isdigit() or "transfer-encoding" in headers:
            return 411, "say how long the request is"
        if int(headers.get("content-length", "0")) > LONGEST_BODY:
            return 413, "the request is too long"
        if path in OPEN:
            return None
        header = headers.get("authorization", "").encode()
        if not hmac.compare_digest(header, f"Bearer {self.token}".encode()):
            return 401, "the token is missing or wrong; open the address that was printed"
        return None
