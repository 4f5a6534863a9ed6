"""Records: what a recording's file consists of, written and found."""

import sys

import numpy as np

from rbdyn.errors import RecordingError

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.string cimport memcpy, memset

MAGIC = b"rbdyn recording\n"
ORDER = 0x01020304

cdef enum:
    SEARCHES = 16


def file_head():
    """The bytes that a file begins with."""
    return MAGIC + LAYOUT.to_bytes(4, sys.byteorder) + ORDER.to_bytes(4, sys.byteorder) + bytes(8)


def check_head(data, name):
    """RecordingError unless `data`, the content of file `name`, begins as a recording of this version does."""
    head = bytes(data[:FILE_HEAD])
    if head[:16] != MAGIC[:len(head[:16])] or not head:
        raise RecordingError(f"{name} is no recording: it does not begin with {MAGIC!r}")
    if len(head) < FILE_HEAD:
        raise RecordingError(f"{name} is cut: a recording has {FILE_HEAD} bytes at least, this file {len(head)}")
    if int.from_bytes(head[20:24], sys.byteorder) != ORDER:
        raise RecordingError(f"{name} was recorded on a machine of another byte order, or its head is damaged")
    layout = int.from_bytes(head[16:20], sys.byteorder)
    if layout != LAYOUT:
        raise RecordingError(f"{name} is of layout {layout}, and this version of rbdyn reads layout {LAYOUT}: read it "
                             "with the version that wrote it, and save it as .npz")
    if any(head[24:]):
        raise RecordingError(f"{name}: byte 24 and those behind it are damaged: they are not zero")


def record(bytes kind not None, bytes payload not None):
    """A record as bytes: `kind` is of four letters."""
    cdef uint64_t size = (<uint64_t> len(payload) + 7) & ~<uint64_t> 7
    cdef uint32_t padding = <uint32_t> (size - len(payload))
    cdef bytes made = PyBytes_FromStringAndSize(NULL, sizeof(RecordHead) + size)
    cdef char* out = PyBytes_AS_STRING(made)
    if len(kind) != 4:
        raise RecordingError(f"kind must have four letters, got {kind!r}")
    memset(out, 0, sizeof(RecordHead) + size)
    memcpy(out + sizeof(RecordHead), PyBytes_AS_STRING(payload), len(payload))
    seal(<RecordHead*> out, PyBytes_AS_STRING(kind), padding, size)
    return made


cdef bint is_whole(const char* data, uint64_t at, uint64_t end) noexcept nogil:
    """Whether a whole record stands there, unchanged."""
    cdef RecordHead head
    if end - at < sizeof(RecordHead):
        return False
    memcpy(&head, data + at, sizeof(RecordHead))
    if head.size & 7 or head.padding > 7 or head.padding > head.size or head.size > end - at - sizeof(RecordHead):
        return False
    return record_checksum(&head, data + at + sizeof(RecordHead)) == head.checksum


cdef uint64_t next_whole(const char* data, uint64_t at, uint64_t end) noexcept nogil:
    """Where the next whole record stands, `end` if none does; records begin at multiples of 8.

    Bytes that were made to look like many long records end the search: it reads SEARCHES times the file at most.
    """
    cdef uint64_t left = SEARCHES * end
    cdef RecordHead head
    while at < end and not is_whole(data, at, end):
        if end - at < sizeof(RecordHead):
            return end
        memcpy(&head, data + at, sizeof(RecordHead))
        if head.size <= end - at:
            if head.size > left:
                return end
            left -= head.size
        at += 8
    return at if at < end else end


def find_records(const unsigned char[::1] data not None, uint64_t start=FILE_HEAD):
    """The records of a file.

    Parameters
    ----------
    data : buffer of bytes
        Of the whole file.
    start : int
        Where the first one begins.

    Returns
    -------
    found : ndarray of (kind, at, size)
        Of each whole record: four letters, where its payload begins and how long it is without its padding [bytes].
    damaged : list of (int, int)
        From where to where there is no whole record, though there are some behind it, or the last one is as long as
        it should be [bytes].
    cut : int
        [bytes] of a record at the end that is not whole because the file ends.
    """
    cdef const char* bytes_ = <const char*> &data[0] if data.shape[0] else NULL
    cdef uint64_t at = start, end = data.shape[0], then
    cdef RecordHead head
    kinds, places, sizes, damaged = [], [], [], []
    while at < end:
        if not is_whole(bytes_, at, end):
            then = next_whole(bytes_, at + 8, end)
            if then >= end and is_cut(bytes_, at, end):
                return listed(kinds, places, sizes), damaged, end - at
            damaged.append((at, min(then, end)))
            at = then
            continue
        memcpy(&head, bytes_ + at, sizeof(RecordHead))
        kinds.append(PyBytes_FromStringAndSize(head.kind, 4))
        places.append(at + sizeof(RecordHead))
        sizes.append(head.size - head.padding)
        at += sizeof(RecordHead) + head.size
    return listed(kinds, places, sizes), damaged, 0


cdef bint is_cut(const char* data, uint64_t at, uint64_t end) noexcept nogil:
    """Whether what is not whole is so because the file ends before the record does."""
    cdef RecordHead head
    if end - at < sizeof(RecordHead):
        return True
    memcpy(&head, data + at, sizeof(RecordHead))
    return head.size > end - at - sizeof(RecordHead)


cdef object listed(list kinds, list places, list sizes):
    found = np.empty(len(kinds), dtype=[("kind", "S4"), ("at", np.int64), ("size", np.int64)])
    found["kind"], found["at"], found["size"] = kinds, places, sizes
    return found
