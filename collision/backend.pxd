# The collision interface: what World calls, and what a backend fills in.
#
# World owns the body poses, their motions and the ContactBuffer; the backend owns the shapes.  A
# backend is asked through detect_c, in C and without the GIL, or through detect(scene), in Python.
# detect_contacts chooses; it is the only call that World makes.  What a backend makes of the
# motions is its own affair: one that leaves them alone finds bodies when they are near.

from rbdyn.backends cimport Backend
from rbdyn.collision._types cimport BodyMotions, ContactBuffer, ContactPoint, Pose, ShapeRecord
from rbdyn.collision.broad_phase.sweep cimport Broad
from rbdyn.collision.contact_buffer cimport (
    CONTACT_VERSION, MAX_CONTACTS, buffer_free, buffer_init, push_contact, raise_full, sort_contacts,
)
from rbdyn.collision.internal_edges cimport Runs
from rbdyn.collision.overlap cimport KnownOverlaps
from rbdyn.collision.shape_table cimport Table


cdef class CollisionBackend(Backend):
    cdef Table table                     # shapes and filters
    cdef Broad broad                     # candidate pairs; persistent sort order
    cdef ContactBuffer own               # contacts of query()
    cdef Runs runs                       # room for the search for ghost contacts
    cdef KnownOverlaps overlaps          # set by the World for each detection: backends need not find those left alone
    cdef int _max_contacts               # limit of a step
    cdef dict _shapes                    # id -> (shape, what its record points into)

    cdef int detect_c(self, const Pose* pose, BodyMotions motions, int n_bodies, ContactBuffer* out) except -1 nogil
    cdef int _slot(self, object id) except -1

cdef int detect_contacts(
    CollisionBackend backend, const Pose* pose, BodyMotions motions, int n_bodies, ContactBuffer* out) except -1 nogil
