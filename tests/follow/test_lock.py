"""One follower a database."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from fusionscope.follow.lock import FollowerLock

HOLD = """
import sys
from pathlib import Path
from fusionscope.follow.lock import FollowerLock
lock = FollowerLock(Path(sys.argv[1]))
print(lock.take(), flush=True)
sys.stdin.read()
"""


def _holder(database: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", HOLD, str(database)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def test_a_lock_that_another_process_has_cannot_be_taken(tmp_path: Path) -> None:
    database = tmp_path / "f.db"
    lock = FollowerLock(database)
    assert not lock.is_taken()
    with _holder(database) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"True\n"
        assert lock.is_taken()
        assert not lock.take()
        holder.kill()
        holder.wait()
        assert not lock.is_taken()
    assert lock.take()
    assert lock.is_taken()
    lock.release()
    assert not FollowerLock(database).is_taken()


def test_looking_whether_it_is_taken_does_not_keep_it(tmp_path: Path) -> None:
    one, two = FollowerLock(tmp_path / "f.db"), FollowerLock(tmp_path / "f.db")
    assert one.take()
    one.release()
    assert not two.is_taken()
    assert one.take()
    one.release()
