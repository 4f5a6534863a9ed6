# Warm start: the impulses of the step before, found again by the key of their contact.
#
# They are kept in world axes, because contact frames turn and their tangents may jump from step to step.

from rbdyn.contact.problem cimport ContactProblem
from rbdyn.spatial._algebra cimport Vec3

cdef struct WarmStart:       # grows by doubling and is reused
    int n                    # contacts remembered
    unsigned long long* key  # (n,) ascending
    Vec3* impulse            # (n,) [N s], world axes, acts on A
    size_t key_capacity, impulse_capacity


cdef void load(const WarmStart* W, ContactProblem* p) noexcept nogil
cdef int store(WarmStart* W, const ContactProblem* p, size_t* growths) except -1 nogil
cdef int reserve(WarmStart* W, int n, size_t* growths) except -1 nogil
cdef void release(WarmStart* W) noexcept nogil
