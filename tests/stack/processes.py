"""The stack's own programs on loopback, with the stack's own configuration files: only addresses and directories are others."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any

import requests
import yaml

from tests.export.receiver import Receiver
from tests.stack.programs import ROOT, program

__all__ = ["Process", "Stack", "found", "session"]

_STARTS_WITHIN_S = 90.0
_STAND_IN = """
receivers: {{otlp: {{protocols: {{grpc: {{endpoint: "{grpc}"}}}}}}}}
exporters: {{otlp_http: {{endpoint: "{receiver}", sending_queue: {{enabled: false}}}}}}
service:
  telemetry: {{metrics: {{level: none}}}}
  pipelines: {{traces: {{receivers: [otlp], exporters: [otlp_http]}}}}
"""


def session() -> requests.Session:
    """A client that asks no proxy."""
    made = requests.Session()
    made.trust_env = False
    return made


def found(name: str) -> str | None:
    """A program from $FUSIONSCOPE_STACK_BIN, else from what `.ci/stack-tools` made, else from PATH."""
    places = [os.environ.get("FUSIONSCOPE_STACK_BIN", ""), str(ROOT / ".tools" / "bin"), os.environ.get("PATH", "")]
    return shutil.which(name, path=os.pathsep.join(filter(None, places)))


def free_address() -> str:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{free.getsockname()[1]}"


class Process:
    """One program, started by ``start`` and ended by ``stop``; its output is in ``log``."""

    def __init__(self, words: list[str], log: Path, ready: Callable[[], bool]) -> None:
        self._words = words
        self.log = log
        self._ready = ready
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(self._words, stdout=log, stderr=subprocess.STDOUT)
        deadline = time.monotonic() + _STARTS_WITHIN_S
        while time.monotonic() < deadline and self._process.poll() is None:
            if self._ready():
                return
            time.sleep(0.1)
        self.stop()
        raise AssertionError(f"{self._words} did not start: {self.log.read_text(encoding='utf-8')[-4_000:]}")

    def stop(self) -> None:
        if self._process:
            self._process.terminate()
            self._process.wait(60)
            self._process = None


class Stack:
    """Prometheus, the collector, and Tempo or, where that is not to be had, something that keeps what Tempo would get.

    ``otlp``: the collector's OTLP/HTTP address. ``tempo``: Tempo's address, or ``None``. ``received``: what came instead.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._client = session()
        self._compose = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))["services"]
        self.received = Receiver()
        grpc, http, health, tempo = (free_address() for _ in range(4))
        self.otlp = f"http://{http}"
        self._prometheus_at = free_address()
        self.tempo = f"http://{free_address()}" if found("tempo") else None
        collector = found("otelcol-contrib")
        assert collector, "otelcol-contrib is not here: .ci/stack-tools makes it where there is Go"
        self.prometheus = self._prometheus()
        self.collector = Process(
            [collector, "--config", str(self._collector_settings(grpc, http, health, tempo))],
            directory / "collector.log",
            lambda: self._answers(f"http://{health}"),
        )
        self._traces = self._tempo(tempo) if self.tempo else self._stand_in(collector, tempo)

    def __enter__(self) -> Stack:
        self.received.__enter__()
        for process in (self.prometheus, self._traces, self.collector):
            process.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        for process in (self.collector, self._traces, self.prometheus):
            process.stop()
        self.received.__exit__(kind, error, trace)
        self._client.close()

    def _prometheus(self) -> Process:
        replaced = {
            "--config.file=/etc/prometheus/prometheus.yml": f"--config.file={ROOT / 'stack/prometheus/prometheus.yml'}",
            "--storage.tsdb.path=/prometheus": f"--storage.tsdb.path={self._directory / 'prometheus'}",
        }
        words = [replaced.get(word, word) for word in self._compose["prometheus"]["command"]]
        return Process(
            [found("prometheus") or program("prometheus"), *words, f"--web.listen-address={self._prometheus_at}"],
            self._directory / "prometheus.log",
            lambda: self._answers(f"http://{self._prometheus_at}/-/ready"),
        )

    def _collector_settings(self, grpc: str, http: str, health: str, tempo: str) -> Path:
        addresses = {
            "0.0.0.0:4317": grpc,
            "0.0.0.0:4318": http,
            "0.0.0.0:13133": health,
            "tempo:4317": tempo,
            "prometheus:9090": self._prometheus_at,
        }
        return self._settings("collector.yaml", addresses)

    def _tempo(self, grpc: str) -> Process:
        assert self.tempo
        port = self.tempo.rpartition(":")[2]
        settings = self._settings(
            "tempo.yaml",
            {
                "0.0.0.0:4317": grpc,
                "http_listen_port: 3200": f"http_listen_address: 127.0.0.1\n  http_listen_port: {port}\n  grpc_listen_port: 0",
                "/var/tempo": str(self._directory / "tempo"),
            },
        )
        words = [word for word in self._compose["tempo"]["command"] if not word.startswith("-config.file")]
        return Process(
            [found("tempo") or "tempo", *words, f"-config.file={settings}"],
            self._directory / "tempo.log",
            lambda: self._answers(f"{self.tempo}/ready"),
        )

    def _stand_in(self, collector: str, grpc: str) -> Process:
        settings = self._directory / "stand-in.yaml"
        settings.write_text(_STAND_IN.format(grpc=grpc, receiver=self.received.url), encoding="utf-8")
        host, _, port = grpc.rpartition(":")
        return Process(
            [collector, "--config", str(settings)], self._directory / "stand-in.log", lambda: _listens(host, int(port))
        )

    def _settings(self, name: str, others: dict[str, str]) -> Path:
        text = (ROOT / "stack" / name).read_text(encoding="utf-8")
        for ours, other in others.items():
            assert ours in text, f"{name} no longer has {ours}"
            text = text.replace(ours, other)
        path = self._directory / name
        path.write_text(text, encoding="utf-8")
        return path

    def _answers(self, url: str) -> bool:
        try:
            return self._client.get(url, timeout=5).ok
        except requests.RequestException:
            return False

    def value(self, query: str, at: float) -> float:
        """The one value of an instant query at a moment (s since 1970)."""
        (result,) = self.ask("query", query=query, time=at)["result"]
        return float(result["value"][1])

    def by(self, label: str, query: str, at: float) -> dict[str, float]:
        """The values of an instant query by the one label it has."""
        return {
            result["metric"][label]: float(result["value"][1]) for result in self.ask("query", query=query, time=at)["result"]
        }

    def ask(self, path: str, **parameters: str | float) -> Any:
        """Prometheus' answer."""
        answer = self._client.get(f"http://{self._prometheus_at}/api/v1/{path}", params=parameters, timeout=30)
        assert answer.ok, answer.text
        return answer.json()["data"]

    def post(self, path: str, body: bytes) -> None:
        """Send OTLP to the collector as the CLI does."""
        answer = self._client.post(
            f"{self.otlp}{path}", data=body, headers={"Content-Type": "application/x-protobuf"}, timeout=30
        )
        assert answer.ok, answer.text


def _listens(host: str, port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex((host, port)) == 0
