# Impulses that push mostly against one another.
#
# Rows that nearly depend on one another, and ask for velocities that differ by a little, can be held by impulses of any
# size: contacts on two sides of a link that lies wedged, or between links that overlap.  Their works by themselves,
# lam . v_free, cancel out.  What carries a load from body to body does its work where the load is.

from libc.math cimport fabs

from rbdyn.contact.operator cimport Operator, impulse_at
from rbdyn.spatial._algebra cimport dot3

cdef enum:
    STRAIN = 30              # times the work of all together: impulses against one another
    GROWTH = 10              # times what there was


cdef inline bint is_of_robots(const Operator* G) noexcept nogil:
    """Whether contacts of the island act on articulated systems, whose joints may leave a motion next to no freedom."""
    cdef int i
    for i in range(G.n):
        if G.contact[i].row_end > G.contact[i].row:
            return True
    return False


cdef inline double works(const Operator* G, const double* impulse, double* total) noexcept nogil:
    """The sum of the sizes of lam . v_free [J]; `total` receives that of the works themselves."""
    cdef double sizes = 0.0, work
    cdef int i
    total[0] = 0.0
    for i in range(G.n):
        work = dot3(impulse_at(impulse, i), G.contact[i].v_free)
        total[0] += work
        sizes += fabs(work)
    for i in range(G.n_lines):
        work = impulse[3 * G.n + i] * G.line[i].v_free
        total[0] += work
        sizes += fabs(work)
    return sizes


cdef inline bint strains(const Operator* G, const double* impulse, const double* before) noexcept nogil:
    """Whether impulses push mostly against one another, and GROWTH times as much as those before did: grips may."""
    cdef double total, unused, sizes = works(G, impulse, &total)
    return sizes > STRAIN * fabs(total) and sizes > GROWTH * works(G, before, &unused)
