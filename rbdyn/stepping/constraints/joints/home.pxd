# What rows on degrees of freedom leave behind: impulses for the motion of their systems, and for those who ask; and how
# positions that do not fit come back.

from libc.math cimport fabs
from libc.string cimport memset

from rbdyn.contact.problem cimport ContactProblem, Key
from rbdyn.stepping.builder cimport Share, gather_row
from rbdyn.stepping.rest cimport system_sleeps
from rbdyn.stepping.scene cimport Scene, System

cdef inline void forget_impulses(const Scene* s, int force) noexcept nogil:
    """Nothing of this kind (JointForce) acts."""
    cdef System* r
    cdef int k
    for k in range(s.n_system):
        r = s.system + k
        if system_sleeps(s, r):
            continue
        memset(r.work.by_rows + force * r.m.nv, 0, r.m.nv * sizeof(double))

cdef inline void take_home(const Scene* s, const ContactProblem* p, Share share, int force,
                           unsigned int backwards) noexcept nogil:
    """Give the impulses of a source's rows, each on one degree of freedom, to the systems, and note them.

    Keys hold the handle of the system, the degree of freedom and the feature: rows of the feature `backwards` count its
    velocity so.
    """
    cdef System* r = s.system
    cdef const Key* key
    cdef double impulse
    cdef int i, row
    forget_impulses(s, force)
    for i in range(share.block, share.block_end):
        key, row = &p.block[i].key, p.block[i].first_row
        while r.handle != <int> key.id_a:
            r += 1
        gather_row(p, row, r)
        impulse = p.impulse[row]
        r.work.by_rows[force * r.m.nv + <int> key.id_b] += -impulse if key.feature == backwards else impulse

cdef inline double speed_back(const Scene* s, double off) noexcept nogil:
    """The velocity at which what is off by this much comes back [rad/s or m/s]; rounding stays."""
    if fabs(off) <= 1e-12:
        return 0.0
    return max(-s.erp_speed, min(s.erp_speed, -s.erp * off / s.dt))
