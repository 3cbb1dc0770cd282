"""A real Prometheus on loopback, for as long as a block lasts."""

from __future__ import annotations

import socket
import subprocess
import time
from pathlib import Path
from types import TracebackType
from typing import Any

import requests

__all__ = ["Prometheus", "Series"]

#: the values of a result's labels, in the order of the labels' names -> its value
Series = dict[tuple[str, ...], float]

_STARTS_WITHIN_S = 30.0


class Prometheus:
    """Takes remote writes of any age up to 30 days before the newest, as the stack's does; scrapes nothing."""

    def __init__(self, program: str, directory: Path) -> None:
        settings = directory / "prometheus.yml"
        settings.write_text("storage: {tsdb: {out_of_order_time_window: 30d}}\n", encoding="utf-8")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._address = f"127.0.0.1:{free.getsockname()[1]}"
        self._log = (directory / "log").open("wb")
        self._session = requests.Session()
        self._session.trust_env = False
        self._process = subprocess.Popen(
            [
                program,
                f"--config.file={settings}",
                f"--storage.tsdb.path={directory / 'data'}",
                "--storage.tsdb.retention.time=100y",
                f"--web.listen-address={self._address}",
                "--web.enable-remote-write-receiver",
            ],
            stdout=self._log,
            stderr=subprocess.STDOUT,
        )

    def __enter__(self) -> Prometheus:
        deadline = time.monotonic() + _STARTS_WITHIN_S
        while time.monotonic() < deadline and self._process.poll() is None:
            try:
                if self._session.get(f"http://{self._address}/-/ready").ok:
                    return self
            except requests.ConnectionError:
                pass
            time.sleep(0.05)
        self._end()
        raise AssertionError(f"Prometheus did not start: {Path(self._log.name).read_text(encoding='utf-8')}")

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._end()

    def _end(self) -> None:
        self._process.terminate()
        self._process.wait(30)
        self._session.close()
        self._log.close()

    def write(self, body: bytes) -> None:
        """Send a write request."""
        headers = {"Content-Encoding": "snappy", "Content-Type": "application/x-protobuf"}
        answer = self._session.post(f"http://{self._address}/api/v1/write", data=body, headers=headers)
        assert answer.status_code in (200, 204), answer.text

    def instant(self, query: str, at: float) -> Series:
        """Return the result of a query at a moment (s since 1970)."""
        data = self._get("query", query=query, time=at)
        if data["resultType"] == "scalar":
            return {(): float(data["result"][1])}
        return {_labels(result): float(result["value"][1]) for result in data["result"]}

    def over(self, query: str, start: float, end: float, step: float) -> dict[float, Series]:
        """Return the results of a query at every step from ``start`` to ``end`` (s since 1970)."""
        found: dict[float, Series] = {}
        for result in self._get("query_range", query=query, start=start, end=end, step=step)["result"]:
            for at, value in result["values"]:
                found.setdefault(float(at), {})[_labels(result)] = float(value)
        return found

    def label_values(self, label: str, match: str, start: float, end: float) -> list[str]:
        """Return the values of a label on the series that match."""
        found: list[str] = self._get(f"label/{label}/values", **{"match[]": match}, start=start, end=end)
        return found

    def _get(self, path: str, **parameters: str | float) -> Any:
        answer = self._session.get(f"http://{self._address}/api/v1/{path}", params=parameters)
        assert answer.ok, f"{parameters}: {answer.text}"
        return answer.json()["data"]


def _labels(result: dict[str, Any]) -> tuple[str, ...]:
    return tuple(result["metric"][name] for name in sorted(result["metric"]) if name != "__name__")
