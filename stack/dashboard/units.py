"""Units of single values and columns, where they differ from those of their panel."""

from __future__ import annotations

from grafana_foundation_sdk.models.dashboard import DynamicConfigValue

__all__ = ["CREDITS", "INTEGER", "USD"]


def _unit(unit: str, decimals: int) -> list[DynamicConfigValue]:
    return [DynamicConfigValue("unit", unit), DynamicConfigValue("decimals", decimals)]


INTEGER = _unit("none", 0)
CREDITS = _unit("none", 2)
USD = _unit("currencyUSD", 2)
