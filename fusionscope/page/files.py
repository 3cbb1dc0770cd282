"""The style and the script: a list of package resources, read once, and nothing else that lies beside them."""

from __future__ import annotations

import hashlib
from importlib.resources import files
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

__all__ = ["FILES", "Files"]

#: every file there is, with its type
FILES = {
    "style.css": "text/css",
    "app.js": "text/javascript",
    "icon.svg": "image/svg+xml",
}


class _File(NamedTuple):
    content: bytes
    headers: dict[str, str]


class Files:
    """The files, in memory."""

    def __init__(self) -> None:
        self._files = {name: _read(name, media_type) for name, media_type in FILES.items()}

    async def endpoint(self, request: Request) -> Response:
        """The answer to ``/static/{name}``: the file, or that the browser has it already."""
        file = self._files.get(request.path_params["name"])
        if file is None:
            return PlainTextResponse("There is no such file.\n", 404)
        if request.headers.get("if-none-match") == file.headers["etag"]:
            return Response(status_code=304, headers=file.headers)
        return Response(file.content, headers=file.headers)


def _read(name: str, media_type: str) -> _File:
    content = files("fusionscope.page").joinpath("static", name).read_bytes()
    return _File(
        content,
        {
            "content-type": f"{media_type}; charset=utf-8",
            "cache-control": "no-cache",  # ask each time; the answer is nearly always that nothing changed
            "etag": f'"{hashlib.sha256(content).hexdigest()[:16]}"',
        },
    )
