"""Grafana's transformations: what happens to a query's result before it is drawn."""

from __future__ import annotations

from grafana_foundation_sdk.models.dashboard import DataTransformerConfig

__all__ = ["numbers", "transformation"]


def numbers(*fields: str) -> DataTransformerConfig:
    """Make numbers of columns: before Grafana 13 the attributes of spans come as text."""
    return transformation(
        "convertFieldType", conversions=[{"targetField": name, "destinationType": "number"} for name in fields]
    )


def transformation(name: str, **options: object) -> DataTransformerConfig:
    """Return a transformation by the id that Grafana has for it."""
    return DataTransformerConfig(id_val=name, options=options)
