"""The commands: parse options, call one function, print.

What goes wrong is reported here and only here, in one sentence on stderr. Exit codes: 0 done, 1 failed, 2 wrong usage.
Modules are imported where they are used: a command starts as fast as what it needs.
"""

from __future__ import annotations

import argparse
import os
import sqlite3
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from fusionscope import __version__, options
from fusionscope.ingest.find import Root
from fusionscope.store import read
from fusionscope.store.database import DamagedError, StoreError, connect

if TYPE_CHECKING:
    from rich.console import Console

    from fusionscope.follow.index import Pass
    from fusionscope.model import Turn

__all__ = ["main"]

#: less than this is read before a person wonders (bytes)
_LONG_WORK = 200_000_000


class _FailedError(Exception):
    """A command cannot go on; the message is one sentence for a person."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    parsed = _parser().parse_args(words if _names_command(words) else ["last", *words])
    try:
        code = _run(parsed)
        sys.stdout.flush()
    except (_FailedError, StoreError) as error:
        return _fail(str(error))
    except sqlite3.Error as error:
        return _fail(f"The database could not be used ({error}); see that its disk has room and try again.")
    except BrokenPipeError:
        # whoever read our output has seen enough; keep the interpreter from flushing into nothing at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
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
        lock = FollowerLock(_database(parsed))
        if not lock.take():
            raise _FailedError(
                "The database is damaged; restart the process that follows for it, which sets it aside."
            ) from error
        try:
            _warn([set_aside(_database(parsed)).sentence])
        except OSError as failure:
            raise _FailedError(
                f"The damaged database {_database(parsed)} cannot be set aside: {failure.strerror}."
            ) from failure
        finally:
            lock.release()
        return command(parsed)


def _names_command(words: Sequence[str]) -> bool:
    return bool(words) and (words[0] in ("-h", "--help", "--version") or not words[0].startswith("-"))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="fusionscope",
        description="See every GitHub Copilot Fusion turn leg by leg. Without a command: the newest turn.",
    )
    parser.add_argument("--version", action="version", version=f"fusionscope {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    places, selection = options.places(), options.selection()
    reading = argparse.ArgumentParser(add_help=False, parents=[places])
    reading.add_argument("--no-index", action="store_true", help="show what is in the database without reading the logs first")

    def command(
        run: Callable[[argparse.Namespace], int], about: str, *parents: argparse.ArgumentParser
    ) -> argparse.ArgumentParser:
        name = run.__name__.removeprefix("_")
        made = commands.add_parser(name, help=about, description=about[0].upper() + about[1:] + ".", parents=list(parents))
        made.set_defaults(run=run)
        return made

    command(_last, "the newest turn, leg by leg", reading)
    command(_index, "read what is new in all session logs, and stop", places)
    turns = command(_turns, "a table of turns, newest last", reading, selection)
    form = turns.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="a JSON array, oldest first, with every leg")
    form.add_argument("--csv", action="store_true", help="one row a turn")
    show = command(_show, "one turn, leg by leg", reading)
    show.add_argument("id", metavar="ID", help="a turn's id or the beginning of it, as `turns` prints it")
    show.add_argument("--json", action="store_true", help="the turn as JSON")
    summary = command(_summary, "the figures: rates, credits by model, kind and pattern", reading, selection)
    summary.add_argument("--json", action="store_true", help="a JSON object")
    command(_skipped, "the records that could not be used: log, byte, reason", reading)
    export = command(_export, "send every turn that was not sent yet as OTLP traces or metrics, and stop", reading)
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
    up = command(_up, "read what is new, then follow every session log until stopped", places)
    up.add_argument(
        "--otlp", metavar="URL", help="export what ends (default: $OTEL_EXPORTER_OTLP_ENDPOINT; neither: no export)"
    )
    up.add_argument(
        "--metrics",
        choices=("samples", "counters", "off"),
        default="samples",
        help="metrics as one sample a leg and turn at its own time (for Prometheus), as cumulative counters, or not at all",
    )
    up.add_argument("--page", metavar="HOST:PORT", default="off", help="off; there is no page yet")
    up.add_argument("--quiet-time", metavar="SPAN", type=options.span, default="24h", help="give an open turn up after (24h)")
    up.add_argument(
        "--log-format", choices=("text", "json"), default="text", help="lines on stderr: words, or a JSON object each"
    )
    status = command(_status, "where things are: roots, sessions, what is unread, what waits to be sent", places)
    status.add_argument("--json", action="store_true", help="a JSON object")
    forget = command(_forget, "remove a session from the database, and do not read it again", places)
    forget.add_argument("session", metavar="SESSION", help="a session's id or the beginning of it")
    demo = command(_demo, "24 sample turns, without Copilot: the newest one and the summary")
    demo.add_argument("--once", action="store_true", help="print and exit (also what happens in a pipe)")
    demo.add_argument("--directory", metavar="DIR", type=Path, help="write the sample logs and the database here and keep them")
    return parser


def _last(parsed: argparse.Namespace) -> int:
    with _store(parsed) as connection:
        turn = read.newest_turn(connection)
        if turn is None:
            print(_why_empty(connection, _roots(parsed)))
            return 0
        _print_turn(connection, turn)
    return 0


def _index(parsed: argparse.Namespace) -> int:
    with closing(connect(_database(parsed))) as connection:
        done = _bring_up_to_date(connection, parsed)
        if not done.logs and done.problems:
            raise _FailedError(done.problems[0])
        _warn(done.problems)
        print(f"Read {done.new_bytes:,} new bytes in {done.logs:,} session logs; {len(done.turns):,} turns are new or changed.")
        if not done.turns and read.newest_turn(connection) is None:
            print(_why_empty(connection, _roots(parsed)))
    return 0


def _turns(parsed: argparse.Namespace) -> int:
    with _store(parsed) as connection:
        turns = read.turns(connection, options.selected(parsed))
        if parsed.json or parsed.csv:
            from fusionscope.report import files

            _write(files.turns_json(turns) if parsed.json else files.turns_csv(turns))
        elif turns:
            from fusionscope.report.terminal import print_turns

            print_turns(_console(), turns)
        elif read.newest_turn(connection) is None:
            print(_why_empty(connection, _roots(parsed)))
        else:
            print("No turn fits.")
    return 0


def _show(parsed: argparse.Namespace) -> int:
    with _store(parsed) as connection:
        try:
            turn = read.find_turn(connection, parsed.id)
        except read.AmbiguousIdError as error:
            raise _FailedError(f"More than one turn begins with {parsed.id}: {', '.join(error.fits)}.") from error
        if turn is None:
            raise _FailedError(f"No turn's id begins with {parsed.id!r}; `fusionscope turns` lists them.")
        if parsed.json:
            import json

            from fusionscope.report import files

            print(json.dumps(files.turn_object(turn), indent=2))
        else:
            _print_turn(connection, turn)
    return 0


def _summary(parsed: argparse.Namespace) -> int:
    with _store(parsed) as connection:
        turns, skipped = read.turns(connection, options.selected(parsed)), read.skipped_count(connection)
        if parsed.json:
            from fusionscope.report import files

            _write(files.summary_json(turns, skipped))
            return 0
        if not turns and read.newest_turn(connection) is None:
            print(_why_empty(connection, _roots(parsed)))
            return 0
        from fusionscope.report.terminal import print_summary

        print_summary(_console(), turns, skipped)
    return 0


def _skipped(parsed: argparse.Namespace) -> int:
    from fusionscope.report.text import shown

    with _store(parsed) as connection:
        records = read.skipped_records(connection)
    for record in records:
        path = shown(record.path.decode(errors="backslashreplace"), limit=4_096)
        print(f"{path}: byte {record.position}, {record.length} bytes: {shown(record.reason)}")
    if not records:
        print("Every record could be used.")
    return 0


def _export(parsed: argparse.Namespace) -> int:
    from fusionscope.export.endpoint import Endpoint, EndpointError
    from fusionscope.export.send import send_waiting
    from fusionscope.store.outbox import waiting_count

    try:
        endpoint = Endpoint.of(parsed.otlp, os.environ)
    except EndpointError as error:
        raise _FailedError(str(error)) from error
    failures = []
    with _store(parsed) as connection:
        for signal in dict.fromkeys(parsed.signal or ["traces"]):
            sent = send_waiting(connection, endpoint, str(_roots(parsed)[0].path), signal, parked_too=parsed.parked)
            parts = "spans" if signal == "traces" else "points"
            if sent.failure:
                left = waiting_count(connection, signal)
                failures.append(f"{sent.failure}; {left:,} turns wait to be sent, run this again later.")
                continue
            print(f"Sent {sent.turns:,} turns ({sent.parts:,} {parts}) to {endpoint.shown}.")
            if sent.dropped:
                _warn([f"The receiver threw {sent.dropped:,} {parts} away."])
            if sent.parked:
                failures.append(f"{sent.why_parked}; {sent.parked:,} turns are set aside: send them with --parked.")
    if failures:
        raise _FailedError(failures[0])
    return 0


def _up(parsed: argparse.Namespace) -> int:
    from fusionscope.export.endpoint import Endpoint, EndpointError
    from fusionscope.report import logline
    from fusionscope.up import Settings, up

    if parsed.page != "off":
        raise _FailedError("There is no page yet; leave --page out.")
    named = parsed.otlp or os.environ.get("OTEL_EXPORTER_OTLP_ENDPOINT")
    try:
        endpoint = Endpoint.of(named, os.environ) if named else None
    except EndpointError as error:
        raise _FailedError(str(error)) from error
    database, roots = _database(parsed), _roots(parsed)
    written = logline.as_json if parsed.log_format == "json" else logline.as_text
    up(
        Settings(roots, database, endpoint, parsed.metrics, parsed.quiet_time),
        told=lambda turn: print(written(turn), file=sys.stderr, flush=True),
        say=lambda sentence: print(written(sentence), file=sys.stderr, flush=True),
    )
    return 0


def _status(parsed: argparse.Namespace) -> int:
    from fusionscope.report import status
    from fusionscope.store.outbox import deliveries
    from fusionscope.store.status import store_status
    from fusionscope.up import follower_process

    database = _database(parsed)
    with closing(connect(database)) as connection:
        found = status.Status(
            database,
            follower_process(database),
            [(str(root.path), root.why) for root in _roots(parsed)],
            store_status(connection),
            deliveries(connection),
        )
    print(status.as_json(found) if parsed.json else status.as_text(found))
    return 0


def _forget(parsed: argparse.Namespace) -> int:
    from fusionscope.store.forget import forget, sessions_like

    with closing(connect(_database(parsed))) as connection:
        fits = sessions_like(connection, parsed.session)
        if parsed.session not in fits and len(fits) != 1:
            raise _FailedError(
                f"More than one session begins with {parsed.session}: {', '.join(fits)}."
                if fits
                else f"No session's id begins with {parsed.session!r}."
            )
        session_id = parsed.session if parsed.session in fits else fits[0]
        removed = forget(connection, session_id)
    print(f"Forgot session {session_id} and {removed:,} turns that only it had. Its log is not read again; it was not touched.")
    return 0


def _demo(parsed: argparse.Namespace) -> int:
    import tempfile

    from fusionscope.demo import write_demo

    with tempfile.TemporaryDirectory(prefix="fusionscope-demo-", ignore_cleanup_errors=True) as temporary:
        directory = parsed.directory or Path(temporary)
        try:
            root = write_demo(directory)
        except OSError as error:
            raise _FailedError(f"Cannot write the sample logs to {directory}: {error.strerror}.") from error
        places = argparse.Namespace(root=[root], db=directory / "fusionscope.db", no_index=False, verbose=False)
        with _store(places) as connection:
            turns = read.turns(connection)
            _print_turn(connection, turns[-1])
            from fusionscope.report.terminal import print_summary

            console = _console()
            console.print()
            print_summary(console, turns, read.skipped_count(connection))
    return 0


@contextmanager
def _store(parsed: argparse.Namespace) -> Iterator[sqlite3.Connection]:
    """The database, brought up to date unless asked not to."""
    with closing(connect(_database(parsed))) as connection:
        if not parsed.no_index and not _is_followed(parsed):
            _warn(_bring_up_to_date(connection, parsed).problems)
        yield connection


def _is_followed(parsed: argparse.Namespace) -> bool:
    from fusionscope.follow.lock import FollowerLock

    return FollowerLock(_database(parsed)).is_taken()


def _bring_up_to_date(connection: sqlite3.Connection, parsed: argparse.Namespace) -> Pass:
    from fusionscope.follow.index import index

    def tell(fusion_ids: list[str]) -> None:
        from fusionscope.report.logline import as_text

        for turn in read.turns_by_id(connection, fusion_ids):
            print(as_text(turn), file=sys.stderr)

    with _progress() as progress:
        return index(connection, _roots(parsed), progress, tell if parsed.verbose else lambda fusion_ids: None)


@contextmanager
def _progress() -> Iterator[Callable[[int, int], None]]:
    """Something that shows how far long work is, on a terminal; short work and pipes see nothing."""
    from contextlib import ExitStack

    with ExitStack() as stack:
        bar: list[Callable[[int, int], None]] = []

        def progress(done: int, total: int) -> None:
            if total < _LONG_WORK or not sys.stderr.isatty():
                return
            if not bar:
                from rich.console import Console
                from rich.progress import Progress

                shown = stack.enter_context(Progress(console=Console(stderr=True), transient=True))
                task = shown.add_task("Reading session logs", total=total)
                bar.append(lambda done, total: shown.update(task, completed=done, total=total))
            bar[0](done, total)

        yield progress


def _roots(parsed: argparse.Namespace, environment: Mapping[str, str] = os.environ) -> list[Root]:
    from fusionscope.follow.roots import roots

    return roots(parsed.root, environment, Path.home())


def _database(parsed: argparse.Namespace) -> Path:
    """Where the database is. It must not lie among the files that it is made from: those are the CLI's."""
    given = parsed.db or os.environ.get("FUSIONSCOPE_DB")
    if given:
        path = Path(given).expanduser().absolute()
    else:
        import platformdirs

        path = platformdirs.user_state_path("fusionscope", appauthor=False) / "fusionscope.db"
    forbidden = [root.path for root in _roots(parsed)] + [Path.home() / ".copilot"]
    for directory in forbidden:
        if path.resolve().is_relative_to(directory.resolve()):
            raise _FailedError(
                f"The database {path} would lie below {directory}, where only the CLI writes; name another with --db."
            )
    return path


def _print_turn(connection: sqlite3.Connection, turn: Turn) -> None:
    from fusionscope.report.terminal import print_turn

    print_turn(_console(), turn)


def _console() -> Console:
    from rich.console import Console

    return Console(highlight=False, markup=False, emoji=False)


def _write(text: str) -> None:
    """Write text whose line ends must stay as they are."""
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode())


def _why_empty(connection: sqlite3.Connection, roots: Sequence[Root]) -> str:
    looked = "; ".join(f"{root.path} ({root.why})" for root in roots)
    sessions = len(read.sessions(connection))
    if not sessions:
        return f"No session log yet. Looked in {looked}."
    return f"No Fusion turn yet: {sessions:,} session logs, none with a Fusion event. Looked in {looked}."


def _warn(problems: Sequence[str]) -> None:
    for problem in problems:
        print(f"fusionscope: {problem}", file=sys.stderr)


def _fail(sentence: str) -> int:
    print(f"fusionscope: {sentence}", file=sys.stderr)
    return 1
