"""Who may ask for what: one gate before every route, and the headers of every answer.

A page on loopback is within reach of every web site that its owner visits, by DNS rebinding or from a frame. So the Host header
must name this page exactly, nothing but reading is allowed, and the policy lets an answer load nothing but our own files.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import cookie_parser
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from fusionscope.page.address import Address
from fusionscope.page.settings import PageSettings

__all__ = ["HEADERS", "Guard"]

_METHODS = ("GET", "HEAD")
_TOKEN = "token"  # noqa: S105 - a parameter's name

#: on every answer. An answer that says how it may be cached is left so.
HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self';"
        " frame-ancestors 'none'; base-uri 'none'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}


class Guard:
    """The gate around an application.

    ``failed`` is told what a request ended in that should not have; without it, the error goes on to whoever called.
    """

    def __init__(self, app: ASGIApp, settings: PageSettings, failed: Callable[[str], None] | None = None) -> None:
        self._app = app
        self._names = settings.address.names
        self._token = settings.token
        self._cookie = f"fusionscope-{settings.address.port}"  # cookies do not tell ports apart
        self._failed = failed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or say why not."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun = False

        async def guarded(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                headers = MutableHeaders(scope=message)
                headers.update(HEADERS)
                headers.setdefault("cache-control", "no-store")
            await send(message)

        try:
            await (self._refusal(scope) or self._app)(scope, receive, guarded)
        except Exception as error:
            if not self._failed:
                raise
            self._failed(f"The page failed at {scope['path']!r}: {type(error).__name__}: {error}.")
            if not begun:
                await PlainTextResponse("The page failed; its log says why.\n", 500)(scope, receive, guarded)

    def _refusal(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        if not self._is_named(headers.getlist("host"), scope):
            return PlainTextResponse("This page does not answer to that name.\n", 403)
        if scope["method"] not in _METHODS:
            return PlainTextResponse("This page can only be read.\n", 405, {"allow": ", ".join(_METHODS)})
        if self._token is None or scope["path"] == "/healthz":
            return None
        return self._challenge(scope, cookie_parser(headers.get("cookie", "")).get(self._cookie), self._token)

    def _is_named(self, hosts: list[str], scope: Scope) -> bool:
        if len(hosts) != 1:
            return False
        if hosts[0].lower() in self._names:
            return True
        # a page open to others is reached at any address of this machine: an address, unlike a name, cannot be rebound
        return self._token is not None and scope["server"] is not None and hosts[0] == str(Address(*scope["server"]))

    def _challenge(self, scope: Scope, cookie: str | None, token: str) -> Response | None:
        """Let in who has the cookie; give it to who brings the token, and take the token out of the address."""
        asked = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        for given in (value for name, value in asked if name == _TOKEN):
            if _same(given, token):
                rest = urlencode([item for item in asked if item[0] != _TOKEN])
                # a path of two slashes would be another host's
                answer = RedirectResponse("/" + scope["path"].lstrip("/") + (f"?{rest}" if rest else ""), 303)
                answer.set_cookie(self._cookie, token, httponly=True, samesite="strict")
                return answer
        if cookie is not None and _same(cookie, token):
            return None
        return PlainTextResponse("Open the address that was printed when the page started: it has a token.\n", 401)


def _same(given: str, token: str) -> bool:
    return hmac.compare_digest(given.encode(errors="surrogateescape"), token.encode())
