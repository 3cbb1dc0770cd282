"""The data sources by the uids that the provisioning gives them: a uid of Grafana's own choice would differ at every place."""

from __future__ import annotations

from grafana_foundation_sdk.models.common import DataSourceRef

__all__ = ["PROMETHEUS", "TEMPO"]

PROMETHEUS = DataSourceRef(type_val="prometheus", uid="fusionscope-prometheus")
TEMPO = DataSourceRef(type_val="tempo", uid="fusionscope-tempo")
