"""The SDK's versions that have Fusion types."""

from __future__ import annotations

import pytest

from tests.decode.sdk import VERSIONS, Sdk, load


@pytest.fixture(scope="module", params=[version for version in VERSIONS if version != "1.0.9"])
def fusion_sdk(request: pytest.FixtureRequest) -> Sdk:
    """A version with Fusion types."""
    return load(request.param)
