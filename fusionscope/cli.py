"""The command line: parse options, call one function, and report what goes wrong.

That is done here and only here, in one sentence on stderr. Exit codes: 0 done, 1 failed, 2 wrong usage. Commands import what
they need when they run: each starts as fast as that.
"""

from __future__ import annotations

import argparse
import gc
import os
import sqlite3
import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

from fusionscope import __version__, options
from fusionscope.commands import (
    budget,
    compare,
    demo,
    doctor,
    group,
    keep,
    look,
    page,
    share,
    sides,
    statusline,
    watch,
    what_if,
)
from fusionscope.commands.places import FailedError, database_of, warn
from fusionscope.commands.predictions import predictions
from fusionscope.commands.reconcile import reconcile
from fusionscope.commands.report import report
from fusionscope.store.database import DamagedError, StoreError, connect

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    if sys.stdout is None:  # closed by whoever started us
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    gc.disable()  # most commands are over before there is anything to collect: a tenth of their time
    words = list(sys.argv[1:] if arguments is None else arguments)
    parsed = _parser().parse_args(words if _names_command(words) else ["last", *words])
    try:
        code = _run(parsed)
        sys.stdout.flush()
    except (FailedError, StoreError) as error:
        return _fail(str(error))
    except sqlite3.Error as error:
        return _fail(f"The database could not be used ({error}); see that its disk has room and try again.")
    except UnicodeEncodeError:
        return _fail("A word of the command is no text; ids and names of models and patterns are.")
    except BrokenPipeError:
        # whoever read our output has seen enough; keep the interpreter from flushing into nothing at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        return _fail(f"{(error.strerror or str(error)).capitalize()}: see that there is room and leave to write.")
    except KeyboardInterrupt:
        return 130
    return code


def _run(parsed: argparse.Namespace) -> int:
    """Run the command; when the database turns out to be damaged, once more with a new one made from the logs."""
    command: Callable[[argparse.Namespace], int] = parsed.run
    try:
        return command(parsed)
    except (DamagedError, sqlite3.DatabaseError, UnicodeDecodeError) as error:
        from fusionscope.follow.lock import FollowerLock
        from fusionscope.store.rescue import is_damage, set_aside

        if not isinstance(error, DamagedError) and not is_damage(error):
            raise
        lock = FollowerLock(database_of(parsed))
        if not lock.take():
            raise FailedError(
                "The database is damaged; restart the process that follows for it, which sets it aside."
            ) from error
        try:
            if not _is_damaged_still(database_of(parsed)):
                return command(parsed)  # another command was faster
            warn([set_aside(database_of(parsed)).sentence])
        except OSError as failure:
            raise FailedError(
                f"The damaged database {database_of(parsed)} cannot be set aside: {failure.strerror}."
            ) from failure
        finally:
            lock.release()
        return command(parsed)


def _is_damaged_still(database: Path) -> bool:
    from fusionscope.store.rescue import is_sound

    try:
        with closing(connect(database)) as connection:
            return not is_sound(connection)
    except DamagedError:
        return True


def _names_command(words: Sequence[str]) -> bool:
    return bool(words) and (words[0] in ("-h", "--help", "--version") or not words[0].startswith("-"))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="fusionscope",
        description="See every GitHub Copilot Fusion turn leg by leg. Without a command: the newest turn.",
    )
    parser.add_argument("--version", action="version", version=f"fusionscope {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    places, selection, zone = options.places(), options.selection(), options.zone()
    reading = argparse.ArgumentParser(add_help=False, parents=[places])
    reading.add_argument("--no-index", action="store_true", help="show what is in the database without reading the logs first")

    def command(
        run: Callable[[argparse.Namespace], int], about: str, *parents: argparse.ArgumentParser
    ) -> argparse.ArgumentParser:
        name = run.__name__.replace("_", "-")
        made = commands.add_parser(name, help=about, description=about[0].upper() + about[1:] + ".", parents=list(parents))
        made.set_defaults(run=run)
        return made

    command(look.last, "the newest turn, leg by leg", reading, options.tools())
    command(keep.index, "read what is new in all session logs, and stop", places)
    table = command(look.turns, "a table of turns, newest last", reading, selection, zone)
    form = table.add_mutually_exclusive_group()
    array = "a JSON array, oldest first, with every leg; to FILE where one is named"
    form.add_argument("--json", nargs="?", const="-", metavar="FILE", help=array)
    form.add_argument("--csv", nargs="?", const="-", metavar="FILE", help="one row a turn")
    form.add_argument("--parquet", metavar="FILE", help="the same as --json, with types; needs fusionscope[parquet]")
    table.add_argument("--ordinary", action="store_true", help="the turns without Fusion instead")
    show = command(look.show, "one turn, leg by leg", reading, options.tools())
    show.add_argument("id", metavar="ID", help="a turn's id or the beginning of it, as `turns` prints it")
    show.add_argument("--json", action="store_true", help="the turn as JSON")
    given = command(share.share, "one turn as one file for others: hashes for ids, no repository, no branch", reading)
    given.add_argument("id", metavar="ID", help="a turn's id or the beginning of it, as `turns` prints it")
    kind = given.add_mutually_exclusive_group()
    kind.add_argument("--html", action="store_true", help="a page that opens anywhere, without script (default)")
    kind.add_argument("--json", action="store_true", help="the turn as JSON")
    kind.add_argument("--otlp", action="store_true", help="its spans as OTLP JSON, for a tracing back end")
    given.add_argument("-o", "--output", metavar="FILE", help="where to write it (default: standard output)")
    given.add_argument("--with-repository", action="store_true", help="leave the names of repository and branch in")
    summary = command(look.summary, "the figures: rates, credits by model, kind and pattern", reading, selection, zone)
    summary.add_argument(
        "--by",
        metavar="KEYS",
        type=group.keys,
        help="a line for each model, kind, effort, pattern, day, week, session, repository, branch, policy, route-source, "
        "cli-version, client or pair (drafter and judge); two keys with a comma between them: --by day,pattern",
    )
    form = summary.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="a JSON object")
    form.add_argument("--csv", action="store_true", help="with --by: one row a group")
    money = command(reconcile, "the levels of the same money side by side, and why they differ", reading, options.sessions())
    money.add_argument("session", metavar="SESSION", nargs="?", help="only this one: the beginning of its id")
    money.add_argument("--json", action="store_true", help="a JSON array, oldest first; of one session an object")
    sided = command(compare.compare, "two sets of turns side by side, and whether they differ", reading, selection, zone)
    for name in ("a", "b"):
        sided.add_argument(name, metavar=name.upper(), type=sides.side, help=sides.FORMS if name == "a" else "the same")
    sided.add_argument("--json", action="store_true", help="a JSON object")
    other = command(
        what_if.what_if,
        "what turns would have cost on one model, and whether checking drafts paid",
        reading,
        options.selection(by_model=False),
        zone,
    )
    other.add_argument("--model", metavar="NAME", help="only this model, and every turn by itself")
    other.add_argument("--json", action="store_true", help="a JSON object")
    limit = command(budget.budget, "this month's spend against a limit: exit code 1 when it is over", reading, zone)
    limit.add_argument("--monthly", metavar="CREDITS", type=budget.amount, required=True, help="the limit of a calendar month")
    options.add_client(limit)
    form = limit.add_mutually_exclusive_group()
    form.add_argument("--short", action="store_true", help="one line, for hooks")
    form.add_argument("--json", action="store_true", help="a JSON object")
    limit.add_argument("--now", type=options.when, help=argparse.SUPPRESS)
    field_report = command(report, "the field report: Markdown with pictures, readings and caveats", reading, selection)
    field_report.add_argument(
        "--out",
        metavar="DIR",
        type=Path,
        default=Path("fusionscope-report"),
        help="where to write FINDINGS.md and findings/ (fusionscope-report)",
    )
    field_report.add_argument("--note", metavar="TEXT", help="a sentence at its top: where the sessions are from")
    guesses = command(predictions, "which pattern you expected of each prompt, and which one it got", reading)
    guesses.add_argument("file", metavar="FILE", type=Path, help="a TOML file: [[prompt]] with a pattern, in order")
    guesses.add_argument(
        "--session", metavar="ID", help="the session to compare with (default: what FILE says, else the newest)"
    )
    guesses.add_argument("--json", action="store_true", help="a JSON object")
    command(look.skipped, "the records that could not be used, or not wholly: log, byte, reason", reading)
    export = command(keep.export, "send every turn that was not sent yet as OTLP traces or metrics, and stop", reading)
    export.add_argument(
        "--otlp",
        metavar="URL",
        help="for example http://localhost:4318 (default: $OTEL_EXPORTER_OTLP_ENDPOINT)",
    )
    export.add_argument(
        "--signal",
        action="append",
        choices=("traces", "metrics"),
        help="what to send (may be given twice; default: traces); metrics are one sample a leg and turn",
    )
    export.add_argument("--parked", action="store_true", help="send those too that the receiver refused before")
    up = command(keep.up, "read what is new, then follow every session log and serve the page until stopped", places)
    up.add_argument(
        "--otlp", metavar="URL", help="export what ends (default: $OTEL_EXPORTER_OTLP_ENDPOINT; neither: no export)"
    )
    up.add_argument(
        "--metrics",
        choices=("samples", "counters", "off"),
        default="samples",
        help="metrics as one sample a leg and turn at its own time (for Prometheus), as cumulative counters, or not at all",
    )
    up.add_argument(
        "--no-backfill",
        dest="backfill",
        action="store_false",
        default=None,
        help="do not send turns that ended before the database was made (default: send all; $FUSIONSCOPE_BACKFILL=false)",
    )
    up.add_argument(
        "--demo",
        metavar="DIR",
        type=Path,
        help="follow the 24 sample turns, moved to last night, instead of sessions; they and their database are kept in DIR",
    )
    up.add_argument(
        "--page",
        metavar="HOST:PORT",
        type=page.address,
        default="127.0.0.1:7433",
        help="where the page listens (127.0.0.1:7433), or off; what others can reach too asks for a token, which is printed",
    )
    up.add_argument("--open", action="store_true", dest="open_page", help="show the page in the browser")
    up.add_argument("--grafana", metavar="URL", type=page.web_address, help="link each turn to its trace in this Grafana")
    up.add_argument("--quiet-time", metavar="SPAN", type=options.span, default="24h", help="give an open turn up after (24h)")
    up.add_argument(
        "--log-format", choices=("text", "json"), default="text", help="lines on stderr: words, or a JSON object each"
    )
    state = command(keep.status, "where things are: roots, sessions, what is unread, what waits to be sent", places)
    state.add_argument("--json", action="store_true", help="a JSON object")
    health = command(doctor.doctor, "look at everything that can go wrong, and change nothing: one verdict a line", places)
    health.add_argument("--json", action="store_true", help="a JSON object")
    health.add_argument(
        "--otlp", metavar="URL", help="the endpoint to ask (default: $OTEL_EXPORTER_OTLP_ENDPOINT; neither: none)"
    )
    forget = command(keep.forget, "remove a session from the database, and do not read it again", reading)
    forget.add_argument("session", metavar="SESSION", help="a session's id or the beginning of it")
    line = command(statusline.statusline, "the newest turn in one line, for the status line of the CLI", places)
    line.add_argument("--width", metavar="N", type=int, help="at most so many columns (default: $COLUMNS, else the terminal's)")
    change = line.add_mutually_exclusive_group()
    change.add_argument("--install", action="store_true", help="show what to change in the CLI's settings, and ask for a yes")
    change.add_argument("--uninstall", action="store_true", help="the same, to take it out again")
    line.add_argument("--settings", metavar="FILE", type=Path, help="the CLI's settings (default: settings.json in its home)")
    line.add_argument("--yes", action="store_true", help="do not ask")
    view = command(watch.watch, "the newest turns on this terminal, as they come: q quits", places)
    view.add_argument("--session", metavar="ID", help="only those of a session: the beginning of its id")
    view.add_argument("--once", action="store_true", help="print one picture and exit")
    sample = command(demo.demo, "24 sample turns, without Copilot: the newest one, the summary, and the page on a terminal")
    sample.add_argument("--once", action="store_true", help="print and exit (also what happens in a pipe)")
    sample.add_argument(
        "--directory", metavar="DIR", type=Path, help="write the sample logs and the database here and keep them"
    )
    return parser


def _fail(sentence: str) -> int:
    print(f"fusionscope: {sentence}", file=sys.stderr)
    return 1
