"""What Docker Compose makes of compose.yaml, loaded with its own library (tests/stack/loader). Run by `make stack-test`."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

from tests.stack.processes import found
from tests.stack.programs import ROOT

SERVICES = {"preflight", "follower", "collector", "tempo", "prometheus", "grafana"}


def loaded(*env_files: str, **environment: str) -> Any:
    loader = found("compose-loader")
    assert loader, "compose-loader is not here: .ci/stack-tools makes it where there is Go"
    given = {name: value for name, value in os.environ.items() if not name.startswith(("COMPOSE_", "FUSIONSCOPE_"))}
    done = subprocess.run(
        [loader, *env_files], cwd=ROOT, env={**given, **environment}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def sessions(project: Any, service: str = "follower") -> Any:
    (mount,) = [mount for mount in project["services"][service]["volumes"] if mount["target"] == "/copilot/session-state"]
    return mount


def test_without_settings_it_follows_the_sessions_of_whoever_starts_it(tmp_path: Path) -> None:
    home = tmp_path / "Ada B. Home"
    project = loaded(HOME=str(home))
    assert project["name"] == "fusionscope"
    assert set(project["services"]) == SERVICES
    assert project["services"]["follower"]["command"] == ["up", "--page", "off"]
    for service in ("preflight", "follower"):
        assert sessions(project, service) == {
            "type": "bind",
            "source": f"{home}/.copilot/session-state",
            "target": "/copilot/session-state",
            "read_only": True,
            "bind": {"create_host_path": False},
        }


def test_a_directory_with_spaces_is_one_directory() -> None:
    assert sessions(loaded(FUSIONSCOPE_SESSIONS="/Users/Ada B/copilot home/session-state"))["source"] == (
        "/Users/Ada B/copilot home/session-state"
    )


def test_the_settings_reach_the_services() -> None:
    project = loaded(FUSIONSCOPE_USER="1001:1002", BACKFILL="false", GRAFANA_PORT="3300", OTLP_HTTP_PORT="14318")
    services = project["services"]
    assert {services[name]["user"] for name in ("preflight", "follower")} == {"1001:1002"}
    assert services["follower"]["environment"]["FUSIONSCOPE_BACKFILL"] == "false"
    assert services["grafana"]["ports"][0]["published"] == "3300"
    assert services["collector"]["ports"][1]["published"] == "14318"


def test_the_demo_is_a_project_of_its_own_that_mounts_no_sessions() -> None:
    project = loaded("demo.env", HOME="/home/nobody")
    assert project["name"] == "fusionscope-demo"
    assert project["services"]["follower"]["command"] == ["up", "--page", "off", "--demo", "/state/demo"]
    assert sessions(project)["source"] == str(ROOT / "stack")
    assert {volume["name"] for volume in project["volumes"].values()} == {
        "fusionscope-demo_state", "fusionscope-demo_tempo", "fusionscope-demo_prometheus", "fusionscope-demo_grafana"
    }  # fmt: skip
