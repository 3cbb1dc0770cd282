"""The project that the demo's sessions work on: a small rate limiter that exists nowhere."""

from __future__ import annotations

__all__ = ["BRANCH", "CLIENT", "CLI_VERSION", "CWD", "REPOSITORY", "SYNTHETIC_MODEL"]

CLIENT = "github/cli"
CLI_VERSION = "1.0.84-2"
SYNTHETIC_MODEL = "hydrafusion"

CWD = "/home/dev/ratelimit"
REPOSITORY = "acme/ratelimit"
BRANCH = "main"
