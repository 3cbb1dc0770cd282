"""Every TraceQL of the dashboard parses, by the grammar that Grafana's own editor uses.

The grammar has gaps (it refuses ``nestedSetParent < 0``, hints and arithmetic, which Tempo takes); no query here needs one.
What Tempo answers is ``make stack-test``'s business.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from tests.stack.board import filled, traceql
from tests.stack.programs import missing, program
from tests.stack.test_query_names import VARIABLES

GRAMMAR = Path(__file__).parent / "traceql"


def where_broken(*queries: str) -> list[str | None]:
    """Where each query breaks, or ``None``."""
    node = program("node")
    if not (GRAMMAR / "node_modules").is_dir():
        missing("the TraceQL grammar")
    done = subprocess.run(
        [node, str(GRAMMAR / "check.mjs")], input=json.dumps(queries), capture_output=True, text=True, check=True, timeout=60
    )
    found: list[str | None] = json.loads(done.stdout)
    return found


def test_every_traceql_parses() -> None:
    searches = [target for target in traceql() if target.query != "${traceId}"]
    broken = where_broken(*(filled(target.query, **VARIABLES) for target in searches))
    assert {target.panel: at for target, at in zip(searches, broken, strict=True) if at is not None} == {}


def test_the_grammar_tells_what_is_no_traceql() -> None:
    assert where_broken("{ span.a = 1 }", "{ span.a = }", "{ span.a = 1 } | sum(") == [None, "}", ""]
