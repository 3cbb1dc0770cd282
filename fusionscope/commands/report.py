"""The command that writes the field report."""

from __future__ import annotations

import argparse
from pathlib import Path

from fusionscope import options
from fusionscope.commands.places import FailedError, keep_out, roots_of, store_of, why_empty
from fusionscope.store import read
from fusionscope.store.drift import drift

__all__ = ["report"]

_DOCUMENT = "FINDINGS.md"


def report(parsed: argparse.Namespace) -> int:
    from fusionscope.report import figures, summed
    from fusionscope.report.findings import PICTURES, findings
    from fusionscope.report.summed_worth import worth_of_review

    selection = options.selected(parsed)
    out: Path = parsed.out.expanduser().absolute()
    keep_out(out, "The report", "--out", roots_of(parsed))
    with store_of(parsed) as connection:
        turns = read.turns(connection, selection)
        if not turns:
            print("No turn fits." if read.newest_turn(connection) else why_empty(connection, roots_of(parsed)))
            return 0
        single = figures.by_pattern(turns).get("single")
        # sums know no limit: the newest turns are those since the first of them
        since = turns[0].started_at if selection.limit is not None else selection.since
        checks = summed.add_up(connection, selection._replace(since=since, limit=None)).checks.values()
        worth = worth_of_review(checks, single.median_nano_aiu if single else None)
        made = findings(turns, worth, read.skipped_count(connection), drift(connection), parsed.note)
    try:
        (out / PICTURES).mkdir(parents=True, exist_ok=True)
        for name, picture in made.pictures.items():
            (out / PICTURES / name).write_text(picture, encoding="utf-8", newline="\n")
        (out / _DOCUMENT).write_text(made.markdown, encoding="utf-8", newline="\n")
    except OSError as error:
        raise FailedError(f"Cannot write the report to {out}: {error.strerror}; name another directory with --out.") from error
    print(out / _DOCUMENT)
    return 0
