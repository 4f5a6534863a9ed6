"""Snapshot: what a World is at one time, as bytes that do not change."""

import hashlib
import json
import struct
import sys

from rbdyn.arguments import shown
from rbdyn.errors import SnapshotError

from rbdyn.world.snapshot.memory_content cimport counted

MAGIC = b"rbdyn snapshot\x00\x00"
LAYOUT = 10                                  # changes with what Insides.keep_all passes, or rest.noted returns
HEAD = struct.Struct("<16sIIQQ16s")          # magic, layout, sizeof(long), bytes of header and of content, checksum


def checksum(header, content):
    """Of all that follows the head of a snapshot's bytes, 16 bytes."""
    digest = hashlib.blake2b(header, digest_size=16)
    digest.update(content)
    return digest.digest()


def as_lists(value):
    """Tuples become lists, as in JSON."""
    return [as_lists(x) for x in value] if isinstance(value, (list, tuple)) else value


cdef class Snapshot:
    """A World at one time: made by `World.snapshot`, gone back to by `World.restore`.

    It does not change, and can be pickled; ``bytes(snapshot)`` and `from_bytes` are another way.  It holds positions,
    velocities, contacts and what solvers begin the next step with, control, external forces, constraints, materials,
    settings and the World's random generator, and who is there: docs/world.md.

    Attributes
    ----------
    time : float
        Of the World when it was taken [s].
    steps : int
        Which it had done.
    """

    def __init__(self):
        raise SnapshotError("snapshots are taken by a World: call world.snapshot(), or Snapshot.from_bytes(data)")

    cdef list description(self):
        """What a World must have for this to fit."""
        if self.said is None:
            self.said = as_lists(self.members.description())
        return self.said

    cdef bytes header(self):
        """All that is not content, as JSON."""
        head = {"time": self.time, "steps": self.steps, "members": self.description(), "rest": self.rest}
        return json.dumps(head, separators=(",", ":")).encode()

    @property
    def hash(self):
        """Of all that decides how it goes on, 32 hexadecimal digits: Worlds of equal hash go on with equal bits.

        What solvers count from call to call of `step` is left out: it decides nothing.
        """
        if self.known_hash is None:
            self.check_made()
            self.known_hash = checksum(self.header(), self.content[:len(self.content) - counted()]).hex()
        return self.known_hash

    @property
    def nbytes(self):
        """Size of its content [bytes]."""
        self.check_made()
        return len(self.content)

    def check_made(self):
        """SnapshotError for one that no World made."""
        if self.content is None:
            raise SnapshotError("this Snapshot is empty; call world.snapshot()")

    def __bytes__(self):
        self.check_made()
        header = self.header()
        return HEAD.pack(MAGIC, LAYOUT, sizeof(long), len(header), len(self.content),
                         checksum(header, self.content)) + header + self.content

    @staticmethod
    def from_bytes(data):
        """The snapshot that ``bytes(snapshot)`` wrote, for a World that is built alike.

        Parameters
        ----------
        data : bytes
            Of one snapshot.

        Raises
        ------
        SnapshotError
            If they are no snapshot, damaged, or of another layout.
        """
        cdef Snapshot s = Snapshot.__new__(Snapshot)
        if not isinstance(data, (bytes, bytearray, memoryview)):
            raise SnapshotError(f"data must be bytes of a snapshot, got {shown(data)}")
        data = bytes(data)
        header, s.content = split(data)
        head = json.loads(header)
        s.time, s.steps, s.said, s.rest = head["time"], head["steps"], head["members"], head["rest"]
        return s

    def __reduce__(self):
        return Snapshot.from_bytes, (bytes(self),)

    def __deepcopy__(self, memo):
        return self

    def __copy__(self):
        return self

    def __repr__(self):
        if self.content is None:
            return "Snapshot(empty)"
        return f"Snapshot(time={self.time:.6g} s, {self.steps} steps, {len(self.content)} bytes)"


def split(data):
    """Header and content of a snapshot's bytes; SnapshotError if they are not whole."""
    if len(data) < HEAD.size or data[:16] != MAGIC:
        raise SnapshotError(f"data is no snapshot of a World: it does not begin with {MAGIC!r}")
    _, layout, size, n_header, n_content, told = HEAD.unpack_from(data)
    if layout != LAYOUT or size != sizeof(long):
        raise SnapshotError(f"the snapshot is of layout {layout} ({size}-byte integers), and this version of rbdyn "
                            f"reads layout {LAYOUT} ({sizeof(long)}) on a {sys.byteorder}-endian machine; take it anew")
    if len(data) != HEAD.size + n_header + n_content:
        raise SnapshotError(f"the snapshot is damaged: {len(data)} bytes, and it was written with "
                            f"{HEAD.size + n_header + n_content}")
    header, content = data[HEAD.size:HEAD.size + n_header], data[HEAD.size + n_header:]
    if checksum(header, content) != told:
        raise SnapshotError("the snapshot is damaged: its checksum does not fit")
    return header, content
