# Which single bodies a step looks at: all but static ones, which stay where they are.
#
# What is new, or was changed by hand, is looked at by one step, which leaves the poses, velocities and inertias that
# the others read.  So ten thousand fixed stones cost the phases of a step no more than ten.

from rbdyn.stepping.scene cimport STATIC, Scene

cdef inline void list_movers(Scene* s) noexcept nogil:
    """Before a step: whom it looks at."""
    cdef bint everybody = s.renewals != s.shown
    cdef int k
    if everybody == s.lists_all and s.listed == s.renewals:
        return
    s.n_movers = 0
    for k in range(s.n_single):
        if everybody or s.single[k].type != STATIC:
            s.mover[s.n_movers] = k
            s.n_movers += 1
    s.lists_all, s.listed = everybody, s.renewals

cdef inline void note_shown(Scene* s) noexcept nogil:
    """After a step: what is static has been seen."""
    if s.lists_all:
        s.shown = s.listed
