"""Verdicts on where things are: the roots, the logs below them, the database, and how changes are noticed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from fusionscope.report.doctor_findings import Check, Findings, Verdict
from fusionscope.report.drift import listed
from fusionscope.report.empty import LookedIn
from fusionscope.report.text import count, plural, shown, size
from fusionscope.store.examine import Condition
from fusionscope.store.schema import SCHEMA_VERSION

__all__ = ["checks"]

_LONGEST_PATH = 4_096
#: of what may be watched; other programs watch too
_NEARLY_ALL = 0.8


def checks(found: Findings) -> Iterator[Check]:
    """Return the verdicts."""
    yield from _roots(found)
    yield from _environment(found)
    yield _other_roots(found)
    if found.old_sessions:
        sentence = f"{', '.join(map(_path, found.old_sessions))}: sessions of CLIs before 0.0.342, before Fusion; not read"
        yield Check("old sessions", Verdict.OK, sentence)
    yield _logs(found)
    yield _database(found)
    yield _follower(found)
    yield from _watches(found)


def _roots(found: Findings) -> Iterator[Check]:
    if not found.named:
        yield Check("CLI root", _root_verdict(found.cli_root, Verdict.LOOK), _root_sentence(found.cli_root))
        return
    read = "" if found.cli_root.path in {root.path for root in found.roots} else "; not read: --root names another"
    yield Check("CLI root", Verdict.OK, found.cli_root.words + read)
    for root in found.roots:
        yield Check("root", _root_verdict(root, Verdict.BROKEN), _root_sentence(root))


def _root_verdict(root: LookedIn, when_missing: Verdict) -> Verdict:
    return {"there": Verdict.OK, "missing": when_missing}.get(root.condition, Verdict.BROKEN)


def _root_sentence(root: LookedIn) -> str:
    advice = {
        "missing": "the CLI makes it with its first session; if it has run, name its directory with --root",
        "unreadable": "give this user leave to read it",
        "no directory": "name the directory with --root",
    }.get(root.condition)
    return f"{root.words}: {advice}" if advice else root.words


def _environment(found: Findings) -> Iterator[Check]:
    home = found.copilot_home
    if home and home.startswith("~"):
        sentence = (
            f"{_path(home)} has a ~ that no shell expanded: the CLI takes a directory of that name in the directory it is"
            " started in; set it without quotes, or in full"
        )
        yield Check("COPILOT_HOME", Verdict.LOOK, sentence)
    elif home and not Path(home).is_absolute():
        sentence = (
            f"{_path(home)} is relative: the CLI takes it from the directory it is started in, so every directory has a root"
            " of its own; set it in full"
        )
        yield Check("COPILOT_HOME", Verdict.LOOK, sentence)
    if found.ignored_variables:
        verb = "is" if len(found.ignored_variables) == 1 else "are"
        sentence = f"{' and '.join(found.ignored_variables)} {verb} set, and ignored by CLIs since about 1.0.4"
        yield Check("variables", Verdict.OK, sentence)


def _other_roots(found: Findings) -> Check:
    if found.other_roots:
        sentence = f"not read: {listed(map(_path, found.other_roots))}; name what shall be read with --root, each with its own"
        return Check("other roots", Verdict.LOOK, sentence)
    unseen = "" if found.named else "; that of a CLI run with --config-dir is read only where --root names it"
    return Check("other roots", Verdict.OK, f"none seen{unseen}")


def _logs(found: Findings) -> Check:
    seen = found.seen
    gone = f"; {plural(seen.gone, 'other')} no longer there" if seen.gone else ""
    if found.unreadable_logs:
        which = listed(f"{_path(path)} ({why})" for path, why in found.unreadable_logs)
        sentence = f"{count(len(found.unreadable_logs))} of {count(seen.logs)} cannot be read: {which}{gone}"
        return Check("logs", Verdict.BROKEN, sentence)
    return Check("logs", Verdict.OK, f"{plural(seen.logs, 'log')} on disk{gone}")


def _database(found: Findings) -> Check:
    database = found.database
    path = _path(str(database.path))
    if found.database_trouble:
        return Check("database", Verdict.BROKEN, found.database_trouble)
    match database.condition:
        case Condition.MISSING if found.database_named:
            return Check("database", Verdict.LOOK, f"{path}: not there yet; is the name right? The next command makes it")
        case Condition.MISSING:
            return Check("database", Verdict.OK, f"{path}: not there yet; the next command makes it")
        case Condition.DAMAGED:
            sentence = f"{path} is damaged: the next command sets it aside and makes a new one from the logs"
            return Check("database", Verdict.BROKEN, sentence)
        case Condition.FOREIGN:
            return Check("database", Verdict.BROKEN, f"{path} is no database of Fusionscope: name another file with --db")
        case Condition.NEWER:
            sentence = (
                f"{path} was written by a newer Fusionscope (schema {database.schema}, this one knows {SCHEMA_VERSION}):"
                " update, or name another file with --db"
            )
            return Check("database", Verdict.BROKEN, sentence)
        case Condition.UNUSABLE:
            return Check("database", Verdict.BROKEN, f"{path} cannot be used: {database.why}; name another file with --db")
        case Condition.SOUND:
            facts = f"{path}: {size(database.size)}, schema {database.schema}, sound"
    if found.database_on_network:
        kind = shown(found.database_file_system or "", 20)
        sentence = f"{facts}; on a network file system ({kind}), whose locks cannot be relied on: move it to a local disk"
        return Check("database", Verdict.LOOK, sentence)
    return Check("database", Verdict.OK, facts)


def _follower(found: Findings) -> Check:
    if found.process is None:
        return Check("follower", Verdict.OK, "none runs; every command reads what is new first")
    name = f"process {found.process}" if found.process else "another process"
    return Check("follower", Verdict.OK, f"{name} follows the logs")


def _watches(found: Findings) -> Iterator[Check]:
    if found.unnoticed_roots:
        which = ", ".join(f"{_path(path)} ({shown(kind, 20)})" for path, kind in found.unnoticed_roots)
        sentence = f"changes are not noticed at once on a network file system, only looked for every few seconds: {which}"
        yield Check("watches", Verdict.OK, sentence)
    elif found.watch_limit is not None:
        sentence = f"{plural(found.directories, 'directory', 'directories')} to watch, {count(found.watch_limit)} allowed"
        if found.directories >= _NEARLY_ALL * found.watch_limit:
            sentence += ": raise fs.inotify.max_user_watches, else changes are only looked for every few seconds"
            yield Check("watches", Verdict.LOOK, sentence)
        else:
            yield Check("watches", Verdict.OK, sentence)


def _path(path: str) -> str:
    return shown(path, _LONGEST_PATH)
