# What constraints between bodies did, from step to step: readable once a step is done, and as it was if one fails.

from libc.string cimport memset

from rbdyn.stepping.links cimport N_LINK_KINDS, Acted, Link
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
    """It is done."""
    cdef int kind, k
    for kind in range(N_LINK_KINDS):
        for k in range(s.link[kind].n):
            s.link[kind].item[k].last = s.link[kind].item[k].done
            s.link[kind].item[k].done = s.link[kind].item[k].next

cdef inline void keep_records(const Scene* s) noexcept nogil:
    """Before a step in several parts."""
    cdef int kind, k
    for kind in range(N_LINK_KINDS):
        for k in range(s.link[kind].n):
            s.link[kind].item[k].before[0] = s.link[kind].item[k].done
            s.link[kind].item[k].before[1] = s.link[kind].item[k].last

cdef inline void return_records(const Scene* s) noexcept nogil:
    """It was not done."""
    cdef int kind, k
    for kind in range(N_LINK_KINDS):
        for k in range(s.link[kind].n):
            s.link[kind].item[k].done = s.link[kind].item[k].before[0]
            s.link[kind].item[k].last = s.link[kind].item[k].before[1]
