# Closed mechanisms that a stop holds.
#
# Loops tie all that moves to the joint that is held, so that all of it moves by its new velocity, as in contact.  Free
# motion of second order, whose springs are implicit for the mean of both velocities, does not fit that: a spring with
# w dt > 2 would grow without bound.  So the step is done again as one in contact.

from rbdyn.stepping.scene cimport Scene, System

cdef inline bint is_held(const System* s) noexcept nogil:
    """Whether a limit holds some joint in this step."""
    cdef int k
    for k in range(s.m.nv):
        if s.work.held[k]:
            return True
    return s.work.loops.held

cdef inline void clear_stopped(const Scene* s) noexcept nogil:
    """No stop was found to hold a closed mechanism: a step begins."""
    cdef int k
    for k in range(s.n_system):
        s.system[k].work.stopped = False

cdef inline bint find_stopped(const Scene* s) noexcept nogil:
    """Whether stops hold closed mechanisms that moved as if in flight: then the step has to be done again."""
    cdef System* r
    cdef bint found = False
    cdef int k
    for k in range(s.n_system):
        r = s.system + k
        if r.m.nc and not r.work.touched and (r.work.active or r.work.loops.held) and is_held(r):
            r.work.stopped = found = True
    return found
