"""``fusionscope share ID``: one turn as one file that may be given to others."""

from __future__ import annotations

import argparse

from fusionscope.commands.output import write_out
from fusionscope.commands.places import FailedError, roots_of, store_of, turn_called

__all__ = ["share"]


def share(parsed: argparse.Namespace) -> int:
    from fusionscope.report.share import shared, turn_json

    with store_of(parsed) as connection:
        turn = shared(turn_called(connection, parsed.id), parsed.with_repository)
    if parsed.json:
        content = turn_json(turn)
    elif parsed.otlp:
        from fusionscope.export.identity import resource
        from fusionscope.export.otlp_json import traces_json
        from fusionscope.export.spans import turn_spans

        if turn.is_open:
            raise FailedError("This turn is still open, and has no spans before its end; share it as HTML or JSON.")
        content = traces_json(turn_spans(turn, resource("shared", "shared")))
    else:
        from fusionscope.report.share_html import turn_page

        content = turn_page(turn)
    write_out(content, parsed.output, roots_of(parsed))
    return 0
