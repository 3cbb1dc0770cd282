"""compose.yaml: what every service must have, and that what it mounts is there."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.stack.programs import ROOT, program

TEXT = (ROOT / "compose.yaml").read_text(encoding="utf-8")
COMPOSE = yaml.safe_load(TEXT)
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
#: those that go on running
LASTING = {name: service for name, service in SERVICES.items() if service["restart"] != "no"}


def test_these_are_the_services() -> None:
    assert set(SERVICES) == {"preflight", "follower", "collector", "tempo", "prometheus", "grafana"}
    assert set(SERVICES) - set(LASTING) == {"preflight"}


@pytest.mark.parametrize("name", SERVICES)
def test_every_port_is_on_loopback_only(name: str) -> None:
    for port in SERVICES[name].get("ports", []):
        assert re.fullmatch(r"127\.0\.0\.1:(\$\{[A-Z_]+:-\d+\}|\d+):\d+", port), port


def test_the_cli_finds_the_collector_where_it_looks() -> None:
    assert SERVICES["collector"]["ports"] == [
        "127.0.0.1:${OTLP_GRPC_PORT:-4317}:4317",
        "127.0.0.1:${OTLP_HTTP_PORT:-4318}:4318",
    ]


def test_every_foreign_image_has_an_exact_version() -> None:
    images = {name: service["image"] for name, service in SERVICES.items() if "build" not in service and name != "follower"}
    assert images == {
        "tempo": "grafana/tempo:3.0.3",
        "prometheus": "prom/prometheus:v3.14.0",
        "grafana": "grafana/grafana:13.2.3",
    }
    for file in ("Dockerfile", "stack/collector.Dockerfile"):
        bases = re.findall(r"^FROM (\S+)", (ROOT / file).read_text(encoding="utf-8"), re.MULTILINE)
        assert bases
        assert all(re.search(r":v?\d+\.\d+\.\d+", base) for base in bases), bases


def test_the_collector_that_is_tested_is_the_one_of_the_image() -> None:
    image = (ROOT / "stack/collector.Dockerfile").read_text(encoding="utf-8")
    builder = yaml.safe_load((ROOT / "stack/collector-builder.yaml").read_text(encoding="utf-8"))
    version = builder["dist"]["version"]
    assert f"opentelemetry-collector-contrib:{version}\n" in image
    assert SERVICES["collector"]["image"].endswith(f":{version}")
    assert f"builder@v{version} " in (ROOT / ".ci/stack-tools").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", LASTING)
def test_what_goes_on_running_is_started_again_and_has_a_health_check(name: str) -> None:
    assert LASTING[name]["restart"] == "unless-stopped"
    assert LASTING[name]["healthcheck"]["test"][0] == "CMD", "no image but Grafana's is sure to have a shell"


@pytest.mark.parametrize("name", SERVICES)
def test_nobody_is_root_or_can_become_it(name: str) -> None:
    service = SERVICES[name]
    user = re.sub(r"\$\{\w+:-(.*)\}", r"\1", service["user"])
    assert int(user.partition(":")[0]) > 0
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert "privileged" not in service
    assert "cap_add" not in service


@pytest.mark.parametrize("name", ["preflight", "follower"])
def test_the_follower_writes_nothing_but_its_own_volume(name: str) -> None:
    service = SERVICES[name]
    assert service["read_only"] is True
    bind, state = service["volumes"]
    assert bind["read_only"] is True
    assert bind["bind"] == {"create_host_path": False}
    assert (state["type"], state["source"]) == ("volume", "state")


def test_the_follower_has_one_name_for_ever() -> None:
    # it is part of `service.instance.id`: with a random one, every new container would begin new series
    assert SERVICES["follower"]["hostname"] == "fusionscope"


def test_the_stack_starts_without_the_follower() -> None:
    with_it = {"preflight", "follower"}
    for name in set(SERVICES) - with_it:
        assert not with_it & set(SERVICES[name].get("depends_on", {}))


@pytest.mark.parametrize("name", SERVICES)
def test_what_is_mounted_from_the_repository_is_there_and_read_only(name: str) -> None:
    for volume in SERVICES[name].get("volumes", []):
        if isinstance(volume, str) and volume.startswith("./"):
            source, _, mode = volume.split(":")
            assert (ROOT / source).exists(), source
            assert mode == "ro"


def test_every_named_volume_is_declared_and_used() -> None:
    used = set()
    for service in SERVICES.values():
        for volume in service.get("volumes", []):
            if isinstance(volume, str) and not volume.startswith("./"):
                used.add(volume.partition(":")[0])
            elif isinstance(volume, dict) and volume["type"] == "volume":
                used.add(volume["source"])
    assert used == set(COMPOSE["volumes"])


def test_what_the_images_are_built_from_is_let_through() -> None:
    let_through = {line[1:] for line in (ROOT / ".dockerignore").read_text(encoding="utf-8").split() if line.startswith("!")}
    copied = re.findall(r"^COPY (?!--from)(.+) \S+$", (ROOT / "Dockerfile").read_text(encoding="utf-8"), re.MULTILINE)
    sources = {source for words in copied for source in words.split()}
    assert sources
    for source in sources:
        assert (ROOT / source).exists(), source
        assert any(source == path or source.startswith(f"{path}/") for path in let_through), source


def test_grafana_lets_everybody_look_and_nobody_change_anything() -> None:
    settings = SERVICES["grafana"]["environment"]
    assert settings["GF_AUTH_ANONYMOUS_ENABLED"] == "true"
    assert settings["GF_AUTH_ANONYMOUS_ORG_ROLE"] == "Viewer"
    assert settings["GF_SECURITY_DISABLE_INITIAL_ADMIN_CREATION"] == "true"


@pytest.mark.parametrize("env_file", [None, "demo.env"])
def test_an_older_docker_compose_accepts_it(env_file: str | None, tmp_path: Path) -> None:
    """Debian's docker-compose (1.29) checks it against its schema. It is older than two words, which are taken out."""
    text = TEXT.replace("\nname: fusionscope\n", "\n").replace("bind: {create_host_path: false}\n", "bind: {}\n")
    assert len(text) < len(TEXT)
    file = tmp_path / "compose.yaml"
    file.write_text(text, encoding="utf-8")
    words = ["--env-file", str(ROOT / env_file)] if env_file else []
    done = subprocess.run(
        [program("docker-compose"), "--file", str(file), "--project-directory", str(ROOT), *words, "config", "--services"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert set(done.stdout.split()) == set(SERVICES)
