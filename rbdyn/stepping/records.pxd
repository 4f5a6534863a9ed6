# What constraints between bodies did, from step to step: readable once a step is done, and as it was if one fails.

from libc.string cimport memset

from rbdyn.stepping.constraints.bodies.wire cimport wind, wire_of
from rbdyn.stepping.links cimport N_LINK_KINDS, WIRE_LINK, Acted, Link
from rbdyn.stepping.rest cimport link_sleeps
from rbdyn.stepping.scene cimport Scene

cdef inline void clear_records(const Scene* s) noexcept nogil:
    """A step begins: nothing has acted in it."""
    cdef Link* link
    cdef int kind, k
    for kind in range(N_LINK_KINDS):
        for k in range(s.link[kind].n):
            link = s.link[kind].item[k]
            memset(&link.next, 0, sizeof(Acted))
            link.next.dt = s.dt

cdef inline void commit_records(const Scene* s) noexcept nogil:
    """It is done; winches have gone on.  Of what sleeps it stays as it was."""
    cdef int kind, k
    for k in range(s.link[WIRE_LINK].n):
        if wire_of(s, k).speed != 0.0:
            wind(wire_of(s, k), s.dt)
    for kind in range(N_LINK_KINDS):
        for k in range(s.link[kind].n):
            if not link_sleeps(s, s.link[kind].item[k]):
                s.link[kind].item[k].last = s.link[kind].item[k].done
                s.link[kind].item[k].done = s.link[kind].item[k].next

cdef inline void keep_records(const Scene* s) noexcept nogil:
    """Before a step in several parts."""
    cdef int kind, k
    for k in range(s.link[WIRE_LINK].n):
        wire_of(s, k).length_before = wire_of(s, k).length
    for kind in range(N_LINK_KINDS):
        for k in range(s.link[kind].n):
            s.link[kind].item[k].before[0] = s.link[kind].item[k].done
            s.link[kind].item[k].before[1] = s.link[kind].item[k].last

cdef inline void return_records(const Scene* s) noexcept nogil:
    """It was not done."""
    cdef int kind, k
    for k in range(s.link[WIRE_LINK].n):
        wire_of(s, k).length = wire_of(s, k).length_before
    for kind in range(N_LINK_KINDS):
        for k in range(s.link[kind].n):
            s.link[kind].item[k].done = s.link[kind].item[k].before[0]
            s.link[kind].item[k].last = s.link[kind].item[k].before[1]
