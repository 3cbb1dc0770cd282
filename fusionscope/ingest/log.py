"""One session log: opening it to read, telling whether it is still the one that was read, reading what is new."""

from __future__ import annotations

import hashlib
import os
import stat
import time
from collections.abc import Iterator
from io import FileIO

from fusionscope.decode.line import Reading, read_line, read_record
from fusionscope.ingest.find import signature
from fusionscope.ingest.scan import LONGEST_HEAD, find_lines, glued_record, is_ordinary, is_text
from fusionscope.ingest.workspace import client_name
from fusionscope.store.write import Batch, LogState, Skip

__all__ = ["LONGEST_LINE", "LONGEST_TEXT", "read_log"]

LONGEST_LINE = 64 << 20  # bytes; a line of interest that is longer is skipped and counted
LONGEST_TEXT = 16 << 20  # the same for what people, models and tools said, which no Fusion turn hangs on
_GUARD_BYTES = 4_096  # before the offset, hashed to tell whether a file is still the one that was read
_BLOCK = 1 << 18  # bytes; fits the processor's cache, which makes it twice as fast as 1 MiB
_YOUNG_NS = 2_000_000_000  # a file system's clock may stand still for so long: a younger signature proves nothing


def read_log(log: LogState, batch: Batch) -> LogState:
    """Read what is new in ``log``, add it to ``batch`` until that is full, and return the state it is in then.

    A file that no longer has the bytes that were read before is read again from its first byte, as a new generation. The file
    is open only meanwhile. Takes memory for one block, or for one line of interest up to ``LONGEST_LINE``. Raises ``OSError``
    when the file cannot be read, or is none.
    """
    with _open(log.path) as file:
        head = b"" if log.line_start is None else _read(file, log.line_start - _GUARD_BYTES, log.line_start + _GUARD_BYTES)
        before, start = _read(file, log.offset - _GUARD_BYTES, log.offset), log
        if _hash(head, before) != log.guard:
            head, before, start = b"", b"", log._replace(offset=0, line_start=None, generation=log.generation + 1)
            batch.restart(start)
        status = os.fstat(file.fileno())
        now, settled = start, False
        try:
            for now in _read_on(file, start, head, before, batch):  # noqa: B007 - how far it came counts, whatever happens next
                if batch.full:
                    break
            settled = not batch.full and max(status.st_mtime_ns, status.st_ctime_ns) < time.time_ns() - _YOUNG_NS
        finally:
            client = log.client or client_name(log.path)
            now = now._replace(signature=signature(status) if settled else None, gone=False, client=client)
            now = batch.advance(log, now)
    return now


def _open(path: bytes) -> FileIO:
    """Open a log for reading. It never blocks: a pipe may have taken the place of the file since it was found."""
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(0, "not a regular file")
    return FileIO(descriptor, "rb")


def _read(file: FileIO, start: int, stop: int) -> bytes:
    return file.read(stop - file.seek(max(0, start)))


def _hash(head: bytes, before: bytes) -> bytes:
    return hashlib.blake2b(head + before, digest_size=16).digest() if before else b""


def _read_on(file: FileIO, log: LogState, head: bytes, before: bytes, batch: Batch) -> Iterator[LogState]:
    """Read from the offset to the end, and say after every block how far. ``before`` is what stands before the offset.

    The new offset is the byte after the last whole line, or a place in an endless line of no interest that begins in ``head``.
    """
    offset, line_start, size = log.offset, log.line_start, _BLOCK
    while True:
        block = _read(file, offset, offset + size)
        at_end = len(block) < size
        if line_start is not None:
            used = block.find(b"\n") + 1
            if used:  # a line too long to be kept may have a whole record glued to its end
                start = glued_record(block, used)
                if start >= 0 and (reading := read_record(block[start : used - 1], log.session_id)).fact:
                    _add(batch, log, reading)
                    batch.skip(log, _skip(block[start : used - 1], offset + start, "not JSON"))
                head, line_start, at_end = b"", None, False
        else:
            used = block.rfind(b"\n") + 1
            _read_lines(block, used, log, offset, batch)
            longest = min(LONGEST_LINE, LONGEST_TEXT) if is_text(block, 0) else LONGEST_LINE
            if not used and not at_end and (is_ordinary(block, 0) or size >= longest):
                head, line_start = before + block[:_GUARD_BYTES], offset  # its rest may be one sign over and over
                if not is_ordinary(block, 0):
                    batch.skip(log, _skip(block, offset, f"longer than {longest >> 20} MiB"))
        if not used and not at_end and size < LONGEST_LINE and (line_start is None or glued_record(block, len(block)) == 0):
            size = min(4 * size, LONGEST_LINE)
            continue
        if line_start is not None:  # go on, but not past what may be the start of such a record
            start = glued_record(block, len(block))
            used = start if start >= 0 and size < LONGEST_LINE else max(0, len(block) - LONGEST_HEAD)
        offset += used
        before = (before + block[max(0, used - _GUARD_BYTES) : used])[-_GUARD_BYTES:]
        if at_end and line_start is None and block.startswith(b"\0", used):  # no record being written: a power loss leaves it
            batch.skip(log, _nuls(len(block) - used, offset))
        yield log._replace(offset=offset, guard=_hash(head, before), line_start=line_start)
        if at_end:
            return
        size = _BLOCK


def _read_lines(block: bytes, end: int, log: LogState, offset: int, batch: Batch) -> None:
    """Read the whole lines of ``block[:end]``, which stands at byte ``offset`` of the log."""
    for start, stop in sorted(set(find_lines(block, end))):
        line = block[start:stop].lstrip(b"\0")
        if len(line) < stop - start:
            batch.skip(log, _nuls(stop - start - len(line), offset + start))
            start = stop - len(line)
        reading = read_line(line, log.session_id)
        _add(batch, log, reading)
        if reading.bad:
            batch.skip(log, _skip(line, offset + start, reading.bad))


def _add(batch: Batch, log: LogState, reading: Reading) -> None:
    if reading.fact:
        batch.add(log, reading.fact)
    for word in reading.words:
        batch.word(word)
    if reading.unknown_type:
        batch.unknown(log, reading.unknown_type)


def _nuls(length: int, position: int) -> Skip:
    """NUL bytes in a row are one bad record, however many they become."""
    return _skip(b"\0", position, "NUL bytes")._replace(length=length)


def _skip(line: bytes, position: int, reason: str) -> Skip:
    return Skip(position, len(line), hashlib.blake2b(line, digest_size=8).digest(), reason)
