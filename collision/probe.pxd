# A shape that is in no World, beside all shapes of a table: what is near it, and what it meets on its way.

from libc.stdint cimport uint64_t

from rbdyn.collision._types cimport ContactBuffer, Pose
from rbdyn.collision.shape_table cimport Table

cdef tuple nearest_of(const Table* table, const Pose* pose, shape, const double[:, :, ::1] poses, uint64_t mask,
                      set hidden, double reach)
cdef tuple first_met(const Table* table, const Pose* pose, shape, const double[:, :, ::1] poses,
                     const double[:, ::1] ways, uint64_t mask, set hidden)
cdef list all_near(const Table* table, const Pose* pose, shape, const double[:, :, ::1] poses, uint64_t mask,
                   set hidden, double reach)
cdef tuple nearest_between(const Table* table, const Pose* pose, set ids_a, set ids_b)

# The contacts of some shapes, those with these flags by slot, with all that their filters let them meet; or of the
# first pair that has one.
cdef int contacts_of(const Table* table, const Pose* pose, const char* moved, double margin, bint first,
                     ContactBuffer* out) except -1 nogil

# The contacts of these shapes, n by slot, with one another, as far as their filters let them meet.
cdef int contacts_among(const Table* table, const Pose* pose, const int* slot, int n, double margin,
                        ContactBuffer* out) except -1 nogil
