"""What the store has of sessions that the real CLI wrote, against what its model was seen to say.

No Fusion turn can be had offline: routing is done by the service, and the CLI refuses the synthetic model without it.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
from pathlib import Path
from typing import Any

import pytest

from fusionscope.follow.process import follower_process
from fusionscope.model import OrdinaryTurn, Session
from fusionscope.store import read
from fusionscope.store.ordinary import ordinary_turns
from tests.daemon import Daemon, run
from tests.follow.live import until
from tests.real_cli.conftest import Cli, Root, kill
from tests.real_cli.standin import Reply, StandIn

_LOOK = Reply(command="echo one", input_tokens=12_003, output_tokens=57, cached_tokens=8_000)
_DONE = Reply("It says one.", input_tokens=12_101, output_tokens=7, cached_tokens=12_000)
_AGAIN = Reply("As before.", input_tokens=12_203, output_tokens=11, cached_tokens=12_100)
_ENDLESS = Reply(endless=True, input_tokens=12_307, output_tokens=999)
_ALLOWED = "--allow-all-tools"


def _session(root: Root) -> Session:
    (session,) = read.sessions(root.connection)
    return session


def _shutdowns(root: Root) -> list[dict[str, Any]]:
    query = "SELECT totals FROM session_mark WHERE mark = 'shutdown' ORDER BY at"
    return [json.loads(totals) for (totals,) in root.connection.execute(query)]


def _counts_records(cli: Cli) -> bool:
    """Whether this version writes what each model call used."""
    return cli.version != "1.0.84-4"


def _assert_turn(cli: Cli, turn: OrdinaryTurn, *replies: Reply, tool_calls: int = 0) -> None:
    assert (turn.models, turn.calls, turn.tool_calls, turn.failed_tool_calls) == (("stand-in",), len(replies), tool_calls, 0)
    assert (turn.client, turn.cli_version) == ("github/cli", cli.version)
    tokens = (turn.input_tokens, turn.output_tokens, turn.cached_tokens)
    if _counts_records(cli):
        assert tokens == tuple(sum(getattr(reply, name) for reply in replies) for name in _TOKENS)
    else:
        assert tokens == (None, None, None)
    assert (turn.nano_aiu, turn.metered) == (None, 0)  # a model of one's own costs no credits, which is not zero credits


def _assert_totals(totals: dict[str, Any], *replies: Reply) -> None:
    (model,) = totals["models"].items()
    assert model[0] == "stand-in"
    assert model[1]["requests"] == len(replies)
    for name in _TOKENS:
        assert model[1][name] == sum(getattr(reply, name) for reply in replies)


_TOKENS = ("input_tokens", "output_tokens", "cached_tokens")


def _assert_all_was_read(root: Root) -> None:
    assert root.reasons() == []
    assert read.unknown_types(root.connection) == {}
    assert root.turns() == []


def test_a_prompt_and_its_resume_are_two_ordinary_turns_with_the_tokens_that_were_served(cli: Cli, root: Root) -> None:
    with StandIn(_LOOK, _DONE, _AGAIN) as model, Daemon(root, "--page", "off"):
        first = cli.run(root.copilot_home, model, "-p", "What does it say?", _ALLOWED)
        assert first.returncode == 0, first.stderr
        until(lambda: len(_shutdowns(root)) == 1)
        (turn,) = ordinary_turns(root.connection)
        _assert_turn(cli, turn, _LOOK, _DONE, tool_calls=1)

        session_id = root.log().parent.name
        second = cli.run(root.copilot_home, model, "-p", "And now?", f"--resume={session_id}", _ALLOWED)
        assert second.returncode == 0, second.stderr
        until(lambda: len(_shutdowns(root)) == 2)
        before = root.listing()
    assert root.listing() == before
    assert [call.reply for call in model.calls] == [_LOOK, _DONE, _AGAIN]
    _assert_all_was_read(root)

    again, later = ordinary_turns(root.connection)
    assert again == turn
    assert (later.models, later.calls, later.tool_calls) == (("stand-in",), 1, 0)
    assert later.input_tokens == (_AGAIN.input_tokens if _counts_records(cli) else None)
    assert turn.ended_at < later.started_at
    session = _session(root)
    assert (session.session_id, session.selected_model, session.client) == (session_id, "stand-in", "github/cli")
    assert (session.cli_version, session.resumes, session.shutdowns, session.turns) == (cli.version, 1, 2, 0)
    # the totals of a session go on after a resume
    _assert_totals(_shutdowns(root)[0], _LOOK, _DONE)
    _assert_totals(_shutdowns(root)[1], _LOOK, _DONE, _AGAIN)


def test_a_session_killed_in_mid_answer_has_no_turn_until_it_is_resumed_and_answers(cli: Cli, root: Root) -> None:
    with StandIn(_ENDLESS, _AGAIN) as model, Daemon(root, "--page", "off"):
        process = cli.start(root.copilot_home, model, "-p", "Go on for ever.", _ALLOWED)
        assert model.speaking.wait(60)
        until(lambda: [session.shutdowns for session in read.sessions(root.connection)] == [0])
        until(lambda: root.connection.execute("SELECT count(*) FROM prompt").fetchone() == (1,))
        kill(process)
        assert ordinary_turns(root.connection) == []
        assert (_session(root).resumes, _session(root).shutdowns) == (0, 0)

        done = cli.run(root.copilot_home, model, "-p", "And?", f"--resume={root.log().parent.name}", _ALLOWED)
        assert done.returncode == 0, done.stderr
        until(lambda: len(_shutdowns(root)) == 1)
    assert [call.reply for call in model.calls] == [_AGAIN]
    _assert_all_was_read(root)
    (turn,) = ordinary_turns(root.connection)
    assert (turn.calls, turn.tool_calls) == (1, 0)
    assert turn.output_tokens == (_AGAIN.output_tokens if _counts_records(cli) else None)
    assert (_session(root).resumes, _session(root).shutdowns) == (1, 1)
    _assert_totals(_shutdowns(root)[0], _AGAIN)


def test_a_compaction_is_counted_once_and_outside_every_turn(cli: Cli, root: Root) -> None:
    with StandIn(_LOOK, _DONE, _AGAIN) as model:
        cli.run(root.copilot_home, model, "-p", "What does it say?", _ALLOWED)
        done = cli.run(root.copilot_home, model, "-p", "/compact", f"--resume={root.log().parent.name}", _ALLOWED)
    assert done.returncode == 0, done.stderr
    assert [call.reply for call in model.calls] == [_LOOK, _DONE, _AGAIN]
    root.index()
    _assert_all_was_read(root)
    (turn,) = ordinary_turns(root.connection)
    _assert_turn(cli, turn, _LOOK, _DONE, tool_calls=1)
    columns = f"trigger, success, model, {', '.join(_TOKENS)}, nano_aiu"
    assert root.connection.execute(f"SELECT {columns} FROM compaction").fetchall() == [
        ("manual", 1, "stand-in", _AGAIN.input_tokens, _AGAIN.output_tokens, _AGAIN.cached_tokens, None)
    ]
    # what it used stands nowhere else: in no usage record, and not in the totals of the session
    _assert_totals(_shutdowns(root)[-1], _LOOK, _DONE)


def test_the_synthetic_model_offline_is_a_session_that_asked_for_fusion_and_has_no_turn(cli: Cli, root: Root) -> None:
    with StandIn() as model:
        refused = cli.run(root.copilot_home, model, "-p", "Go.", _ALLOWED, name="hydrafusion")
    assert refused.returncode != 0
    root.index()
    _assert_all_was_read(root)
    assert (_session(root).selected_model, _session(root).turns, ordinary_turns(root.connection)) == ("hydrafusion", 0, [])
    assert json.loads(run(root, "turns", "--json").stdout) == []
    assert "No Fusion turn" in run(root, "turns").stdout


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace (a Debian package) is not installed")
def test_following_the_real_cli_opens_for_reading_and_changes_nothing(cli: Cli, root: Root, tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    calls = "trace=%file,ftruncate,write,pwrite64,flock"
    strace = ("strace", "-f", "-y", "-qq", "-s", "512", "-e", calls, "-o", str(trace))
    with StandIn(_LOOK, _DONE) as model, Daemon(root, "--page", "off", under=strace) as daemon:
        assert cli.run(root.copilot_home, model, "-p", "What does it say?", _ALLOWED).returncode == 0
        until(lambda: len(_shutdowns(root)) == 1)
        follower = follower_process(root.database)
        assert follower
        os.kill(follower, signal.SIGTERM)  # strace keeps the signal for itself
        daemon.process.wait(30)
    made = [line for line in trace.read_text().splitlines() if str(root.copilot_home) in line and "execve(" not in line]
    assert any("events.jsonl" in line for line in made)
    names = {found[1] for line in made if (found := re.match(r"(?:\d+ +)?(\w+)\(", line))}
    assert names <= {"openat", "newfstatat", "lstat", "stat", "statx", "statfs", "readlink", "inotify_add_watch", "access"}, (
        names
    )
    assert not [line for line in made if re.search("O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|O_APPEND", line)]
