"""Whether the follower in this container does its work: it follows, and what ends is taken. Its health check in compose.yaml.

Exit codes: 0 healthy, 1 not, with a sentence that `docker inspect` shows.
"""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from typing import Any

__all__ = ["main", "trouble"]

#: a restart of Tempo or Prometheus takes a minute; the follower waits it out
_PATIENCE = timedelta(minutes=10)


def main() -> int:
    """Ask `fusionscope status` and judge its answer."""
    asked = subprocess.run(["fusionscope", "status", "--json"], capture_output=True, text=True, check=False)
    found = asked.stderr.strip() if asked.returncode else trouble(json.loads(asked.stdout), datetime.now(UTC))
    print(found or "The follower follows, and what ends is taken.")
    return 1 if found else 0


def trouble(status: dict[str, Any], now: datetime) -> str | None:
    """What is wrong according to the JSON of `fusionscope status`, or ``None``."""
    if status["followed_by"] is None:
        return "Nobody follows the logs."
    for delivery in status["outbox"]:
        if delivery["stopped"]:
            return f"{delivery['signal']} are no longer sent: {delivery['stopped']}."
        since = delivery["failing_since"]
        if since and now - datetime.fromisoformat(since) > _PATIENCE:
            return f"{delivery['signal']} could not be sent since {since}: {delivery['last_trouble']}."
    return None


if __name__ == "__main__":
    sys.exit(main())
