# What of robots and of constraints between bodies rests: no phase of a step looks at it (sleeping.pxd).

from rbdyn.collision._types cimport ASLEEP
from rbdyn.stepping.links cimport Link
from rbdyn.stepping.scene cimport Scene, System

cdef inline bint system_sleeps(const Scene* s, const System* r) noexcept nogil:
    """Whether it does: its first body that moves sleeps with all others."""
    return s.n_asleep > 0 and r.m.nb > 1 and s.calm[r.handle + 1] == ASLEEP

cdef inline bint link_sleeps(const Scene* s, const Link* link) noexcept nogil:
    """Whether it does: all that it moves falls asleep together."""
    cdef int i
    if s.n_asleep > 0:
        for i in range(link.n_bodies):
            if s.calm[link.body[i]] == ASLEEP:
                return True
    return False
