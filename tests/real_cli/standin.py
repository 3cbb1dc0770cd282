"""A stand-in for a model: an OpenAI-compatible server on loopback that says what it was told to say, at a price of our choice.

It streams `POST /v1/chat/completions` as server-sent events, which is all that the CLI asks of a provider of one's own.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, NamedTuple

__all__ = ["Call", "Reply", "StandIn"]

_PAUSE_S = 0.05
_MOST_PIECES = 2_000  # of an answer that has no end


class Reply(NamedTuple):
    """What the model says: text, or a tool call; ``endless`` text goes on until nobody listens. Tokens as providers count."""

    text: str = ""
    command: str | None = None
    endless: bool = False
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0


class Call(NamedTuple):
    """A reply that was served to its end, under the id that the server gave the completion."""

    completion_id: str
    model: str
    reply: Reply


class StandIn:
    """The server, as long as the block lasts. Each request of the agent gets the next of ``replies``."""

    def __init__(self, *replies: Reply) -> None:
        self.replies = list(replies)
        self.calls: list[Call] = []
        self.speaking = threading.Event()  # set when some of an endless reply was sent
        self.faults: list[str] = []
        self._lock = threading.Lock()
        self._asked = 0
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever)

    @property
    def url(self) -> str:
        """What `COPILOT_PROVIDER_BASE_URL` must be."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> StandIn:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
        assert kind is not None or self.faults == []

    def next_reply(self) -> tuple[str, Reply]:
        """The id and the reply for the request that came now."""
        with self._lock:
            self._asked += 1
            if not self.replies:
                self.faults.append(f"request {self._asked} came when everything was said")
                return "none", Reply("nothing more")
            return f"completion-{self._asked}", self.replies.pop(0)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        stand_in = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                if self.path != "/v1/chat/completions" or not body.get("stream"):
                    stand_in.faults.append(f"{self.path}, streaming: {body.get('stream')}")
                    self.send_error(404)
                    return
                completion_id, reply = stand_in.next_reply()
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream")
                self.send_header("Connection", "close")
                self.end_headers()
                try:
                    for piece in _pieces(completion_id, body["model"], reply):
                        self.wfile.write(b"data: " + piece + b"\n\n")
                        if reply.endless:
                            stand_in.speaking.set()
                            threading.Event().wait(_PAUSE_S)
                except OSError:
                    return  # nobody listens any more
                stand_in.calls.append(Call(completion_id, body["model"], reply))

            def log_message(self, *values: object) -> None:
                pass

        return Handler


def _pieces(completion_id: str, model: str, reply: Reply) -> Iterator[bytes]:
    """The chunks of a streamed chat completion, the usage last."""

    def chunk(delta: dict[str, Any] | None, finish: str | None = None, **more: Any) -> bytes:
        choices = [] if delta is None else [{"index": 0, "delta": delta, "finish_reason": finish}]
        kind = "chat.completion.chunk"
        return json.dumps(
            {"id": completion_id, "object": kind, "created": 1, "model": model, "choices": choices} | more
        ).encode()

    yield chunk({"role": "assistant", "content": ""})
    for _ in range(_MOST_PIECES if reply.endless else 0):
        yield chunk({"content": "and "})
    if reply.text:
        yield chunk({"content": reply.text})
    if reply.command is not None:
        arguments = json.dumps({"command": reply.command, "description": "look", "mode": "sync"})
        function = {"name": "bash", "arguments": arguments}
        yield chunk({"tool_calls": [{"index": 0, "id": f"call-{completion_id}", "type": "function", "function": function}]})
    yield chunk({}, "stop" if reply.command is None else "tool_calls")
    usage = {
        "prompt_tokens": reply.input_tokens,
        "completion_tokens": reply.output_tokens,
        "total_tokens": reply.input_tokens + reply.output_tokens,
        "prompt_tokens_details": {"cached_tokens": reply.cached_tokens},
    }
    yield chunk(None, usage=usage)
    yield b"[DONE]"
