"""What lies around the roots. Faults of kind G and H."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from fusionscope.follow.roots import cli_root
from fusionscope.follow.surroundings import (
    NETWORK_FILE_SYSTEMS,
    condition_of,
    directories_below,
    file_system,
    has_old_sessions,
    other_roots,
    watch_limit,
)
from tests.follow.test_places import as_nobody

MOUNTS = r"""/dev/sda1 / ext4 rw,relatime 0 0
server:/home /home nfs4 rw,vers=4.2 0 0
C:\134 /mnt/c 9p rw,dirsync 0 0
/dev/sdb1 /home/me/local\040disk xfs rw 0 0
tmpfs /run tmpfs rw 0 0
//nas/share /run cifs rw 0 0
nonsense
"""


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/var/lib/f.db", "ext4"),
        ("/home/me/.local/state/f.db", "nfs4"),
        ("/home/me/local disk/f.db", "xfs"),
        ("/homes/f.db", "ext4"),
        ("/mnt/c/Users/me/f.db", "9p"),
        ("/run/f.db", "cifs"),
    ],
)
def test_the_file_system_is_that_of_the_nearest_mount_the_last_one_on_top(path: str, kind: str) -> None:
    assert file_system(Path(path), MOUNTS) == kind


def test_network_file_systems_are_told_from_local_ones() -> None:
    assert {"nfs4", "cifs", "9p", "fuse.sshfs"} <= NETWORK_FILE_SYSTEMS
    assert not {"ext4", "btrfs", "xfs", "tmpfs", "overlay", "zfs"} & NETWORK_FILE_SYSTEMS
    assert file_system(Path("/x"), "") is None


def test_the_cli_takes_copilot_home_as_it_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    home = Path("/home/me")
    assert cli_root({}, home).path == home / ".copilot" / "session-state"
    assert cli_root({"COPILOT_HOME": ""}, home).path == home / ".copilot" / "session-state"
    assert cli_root({"COPILOT_HOME": "./rel"}, home).path == tmp_path / "rel" / "session-state"
    assert cli_root({"COPILOT_HOME": "~/x"}, home).path == tmp_path / "~" / "x" / "session-state"


def test_other_roots_are_those_that_exist_and_are_not_read(tmp_path: Path) -> None:
    home, users, state = tmp_path / "home", tmp_path / "Users", tmp_path / "state"
    roots = [place / ".copilot" / "session-state" for place in (home, users / "Ann", state)]
    for root in roots:
        root.mkdir(parents=True)
    (users / "Public").mkdir()
    environment = {"XDG_STATE_HOME": str(state)}
    assert other_roots([], environment, home, users) == [roots[0], roots[2], roots[1]]
    assert other_roots([], {}, home, users) == [roots[0], roots[1]]
    link = tmp_path / "link"
    link.symlink_to(roots[0])
    assert other_roots([link], {}, home, tmp_path / "no such directory") == []


def test_the_condition_of_a_root_is_told() -> None:
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        directory.chmod(0o755)
        locked = directory / "locked"
        locked.mkdir(mode=0)
        (directory / "file").write_text("")
        assert condition_of(directory) == "there"
        assert condition_of(directory / "nothing") == "missing"
        assert condition_of(directory / "file") == "no directory"
        with as_nobody():
            assert condition_of(locked) == "unreadable"


def test_sessions_of_an_old_cli_are_noticed_beside_the_root(tmp_path: Path) -> None:
    root = tmp_path / "session-state"
    assert not has_old_sessions(root)
    (tmp_path / "history-session-state").mkdir()
    assert has_old_sessions(root)


def test_every_directory_below_the_roots_is_watched(tmp_path: Path) -> None:
    (tmp_path / "root" / "one" / "checkpoints").mkdir(parents=True)
    (tmp_path / "root" / "two").mkdir()
    assert directories_below([tmp_path / "root", tmp_path / "missing"]) == 4


def test_the_limit_of_watches_is_what_the_system_tells_if_it_does(tmp_path: Path) -> None:
    told = tmp_path / "max_user_watches"
    assert watch_limit(told) is None
    told.write_text("8192\n")
    assert watch_limit(told) == 8_192
