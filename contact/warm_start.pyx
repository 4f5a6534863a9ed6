"""Last step's impulses, by key."""

from libc.stdlib cimport free
from libc.string cimport memset

from rbdyn.contact.local cimport clipped
from rbdyn.contact.operator cimport grow, impulse_at, set_impulse
from rbdyn.contact.problem cimport ContactProblem
from rbdyn.spatial._algebra cimport Mat3, Vec3, mul3, rows3, tmul3, vec3, zero3


cdef Mat3 frame_of(const ContactProblem* p, int i) noexcept nogil:
    cdef const double* R = p.frame + 9 * i
    return rows3(vec3(R[0], R[1], R[2]), vec3(R[3], R[4], R[5]), vec3(R[6], R[7], R[8]))


cdef void load(const WarmStart* W, ContactProblem* p) noexcept nogil:
    """Write every contact's starting impulse: last step's, or zero if the contact was not there.  Both lists ascend."""
    cdef int i, j = 0
    cdef unsigned long long key, last = 0
    cdef Vec3 lam
    for i in range(p.n):
        key = p.key[i] if p.key != NULL else 0
        lam = zero3()
        if key > last:
            last = key
            while j < W.n and W.key[j] < key:
                j += 1
            if j < W.n and W.key[j] == key:
                lam = clipped(mul3(frame_of(p, i), W.impulse[j]), p.friction[i])
        set_impulse(p.impulse, i, lam)


cdef int reserve(WarmStart* W, int n, size_t* growths) except -1 nogil:
    """Room for n contacts; what is remembered stays."""
    grow(<void**>&W.key, &W.key_capacity, n, sizeof(unsigned long long), growths)
    grow(<void**>&W.impulse, &W.impulse_capacity, n, sizeof(Vec3), growths)
    return 0


cdef int store(WarmStart* W, const ContactProblem* p, size_t* growths) except -1 nogil:
    """Remember this step's impulses, and nothing older."""
    cdef int i, m = 0
    cdef unsigned long long last = 0
    reserve(W, p.n, growths)
    for i in range(p.n if p.key != NULL else 0):
        if p.key[i] > last:
            last = W.key[m] = p.key[i]
            W.impulse[m] = tmul3(frame_of(p, i), impulse_at(p.impulse, i))
            m += 1
    W.n = m
    return 0


cdef void release(WarmStart* W) noexcept nogil:
    """Give all memory back."""
    free(W.key)
    free(W.impulse)
    memset(W, 0, sizeof(WarmStart))
