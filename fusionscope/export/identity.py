"""Who sends: what is the same on every run of this installation. The ids of turns and legs are in ``fusionscope.ids``."""

from __future__ import annotations

from uuid import UUID, uuid5

from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.util.instrumentation import InstrumentationScope

import fusionscope
from fusionscope.export import names

__all__ = [
    "METRIC_SCOPE",
    "SPAN_SCOPE",
    "instance_id",
    "metric_resource",
    "resource",
]

SPAN_SCOPE = InstrumentationScope(names.SCOPE, fusionscope.__version__)
#: without a version: some back ends make labels of it, and a release would begin new series
METRIC_SCOPE = InstrumentationScope(names.SCOPE)

_INSTALLATIONS = UUID("a7c2cf2f-6e0c-5a34-9d8d-0c7f0f8b7a51")


def instance_id(root: str, host: str) -> str:
    """Return the id of this installation: a hash of the host's name and the session root, so it says neither.

    It must survive a rebuild of the database: with another one, Prometheus takes history that is sent again for new
    series and counts everything twice. Give ``root`` in one spelling (absolute, resolved).
    """
    # hex, because a path may hold bytes that are no text
    return str(uuid5(_INSTALLATIONS, f"{host.casefold()}\n{root}".encode("utf-8", "surrogatepass").hex()))


def resource(root: str, host: str) -> Resource:
    """Return the resource of our spans: service name, version, instance.

    Built without ``Resource.create``, which adds ``telemetry.sdk.*`` (there is no tracer of that SDK at work here) and
    whatever the environment's ``OTEL_RESOURCE_ATTRIBUTES`` says.
    """
    return Resource({**metric_resource(root, host).attributes, names.SERVICE_VERSION: fusionscope.__version__})


def metric_resource(root: str, host: str) -> Resource:
    """Return the resource of our metric points: service name and instance, nothing else.

    The resource is part of a series' identity. These two become ``job`` and ``instance``; anything more would make
    Prometheus write ``target_info``, which it then finds out of order (prometheus/prometheus#16063), and a version
    would change with every release.
    """
    return Resource({names.SERVICE_NAME: names.SERVICE, names.SERVICE_INSTANCE_ID: instance_id(root, host)})
