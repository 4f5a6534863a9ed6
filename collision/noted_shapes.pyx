"""The shapes of a backend, noted and put back."""

from rbdyn.errors import CollisionError

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.stdint cimport uint64_t
from libc.string cimport memcpy

from rbdyn.collision._types cimport Pose, ShapeRecord
from rbdyn.collision.broad_phase.filters cimport allow_pair, exclude_pair
from rbdyn.collision.record cimport measure
from rbdyn.collision.shape_table cimport Table
from rbdyn.memory cimport grow


cdef set excluded_pairs(const Table* table):
    """Pairs (a, b), a < b, of bodies that never collide, and of flagged ids of shapes."""
    cdef int k
    cdef uint64_t key
    pairs = set()
    for k in range(table.n_slots):
        key = table.excluded[k]
        if key != 0:
            pairs.add((<long> (key >> 32), <long> (key & 0xffffffff)))
    return pairs


cdef NotedShapes noted_shapes(CollisionBackend backend):
    """Those of now."""
    cdef NotedShapes note = NotedShapes.__new__(NotedShapes)
    note.revision = backend.table.revision
    note.records = PyBytes_FromStringAndSize(<const char*> backend.table.shape, backend.table.n * sizeof(ShapeRecord))
    note.shapes = dict(backend._shapes)
    note.excluded = excluded_pairs(&backend.table)
    return note


cdef NotedShapes shapes_from(tuple data):
    """What `NotedShapes.data` said, with records that point into memory of their own."""
    cdef NotedShapes note = NotedShapes.__new__(NotedShapes)
    cdef ShapeRecord* s
    cdef ShapeRecord own
    cdef int k
    note.revision = -1
    records, shapes, note.excluded = data
    note.records = PyBytes_FromStringAndSize(PyBytes_AS_STRING(records), PyBytes_GET_SIZE(records))
    note.shapes = {}
    s = <ShapeRecord*> PyBytes_AS_STRING(note.records)
    for k, shape in enumerate(shapes):
        note.shapes[s[k].id] = (shape, measure(&own, shape))
        if own.kind != s[k].kind:
            raise CollisionError(f"shape {s[k].id} is no {type(shape).__name__}")
        s[k].data, s[k].convex = own.data, own.convex
    return note


def backend_data(CollisionBackend backend not None):
    """What is needed to make another one of its kind, without shapes: settings, and attributes of a Python class."""
    return (type(backend), backend.table.margin, bool(backend.table.either), backend._max_contacts,
            getattr(backend, "__dict__", None))


def backend_from(data):
    """A backend without shapes, set as the one of `backend_data`."""
    cdef CollisionBackend backend
    cls, margin, either, most, attributes = data
    backend = cls.__new__(cls)
    backend.table.margin, backend.table.either, backend._max_contacts = margin, either, most
    if attributes:
        backend.__dict__.update(attributes)
    return backend


cdef class NotedShapes:
    """What was in the table of a collision backend at one time; it keeps the shapes alive."""

    cdef bint are_present(self, CollisionBackend backend):
        """Whether nothing has changed since."""
        return self.revision == backend.table.revision

    cdef int put_back(self, CollisionBackend backend) except -1:
        """The table as it was; MemoryError leaves it as it is."""
        cdef Table* table = &backend.table
        cdef int k, n = PyBytes_GET_SIZE(self.records) // sizeof(ShapeRecord)
        grow(<void**> &table.shape, &table.room, n, sizeof(ShapeRecord))
        memcpy(table.shape, PyBytes_AS_STRING(self.records), PyBytes_GET_SIZE(self.records))
        table.n = n
        table.n_bodies = 0
        for k in range(n):
            table.n_bodies = max(table.n_bodies, table.shape[k].body + 1)
        present = excluded_pairs(table)
        for a, b in present - self.excluded:
            allow_pair(table, a, b)
        for a, b in self.excluded - present:
            exclude_pair(table, a, b)
        backend._shapes = dict(self.shapes)
        table.revision += 1
        self.revision = table.revision
        return 0

    cdef tuple data(self):
        """All of it, to be pickled; the addresses in the records are of no use then."""
        cdef const ShapeRecord* s = <const ShapeRecord*> PyBytes_AS_STRING(self.records)
        cdef int k
        shapes = [self.shapes[s[k].id][0] for k in range(<int> (PyBytes_GET_SIZE(self.records) // sizeof(ShapeRecord)))]
        return self.records, shapes, self.excluded

    cdef dict said(self):
        """Shape id -> its numbers and where it sits, as one value to compare; not whether it is dynamic."""
        cdef const ShapeRecord* s = <const ShapeRecord*> PyBytes_AS_STRING(self.records)
        cdef int k
        said = {}
        for k in range(<int> (PyBytes_GET_SIZE(self.records) // sizeof(ShapeRecord))):
            numbers = (s[k].id, s[k].body, s[k].kind, s[k].group, s[k].mask, s[k].far, s[k].bounds.radius,
                       s[k].bounds.ball)
            place = PyBytes_FromStringAndSize(<const char*> &s[k].local, sizeof(Pose))
            size = PyBytes_FromStringAndSize(<const char*> &s[k].bounds.box, sizeof(s[k].bounds.box))
            said[s[k].id] = (numbers, place, size)
        return said
