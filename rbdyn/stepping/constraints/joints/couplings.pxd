# Couplings of joint coordinates, of any systems, as a source of constraints: a bilateral row for each.

from rbdyn.contact.problem cimport ContactProblem
from rbdyn.memory cimport Arena, place
from rbdyn.stepping.builder cimport Builder, Count, Share
from rbdyn.stepping.freedom cimport Softness
from rbdyn.stepping.links cimport COUPLING_LINK, Link
from rbdyn.stepping.scene cimport CouplingTerm, Scene, Tie

cdef enum:
    COUPLING_SOURCE = 8       # Key.source; id_a is the number of the coupling

cdef struct Coupling:         # sum of coefficient times coordinate = offset
    Link link
    int n
    CouplingTerm* term        # (n,)
    double offset
    Softness soft             # how it gives way, if at all
    Tie tie                   # of one that couples joints of one system, and does not give way

cdef inline void lay_out_coupling(Coupling* c, Arena* a, int n) noexcept nogil:
    """Place the arrays of a coupling of n coordinates; twice, as memory.pxd says."""
    c.n = c.link.n_bodies = n
    c.link.body = <int*> place(a, n, sizeof(int))
    c.term = <CouplingTerm*> place(a, n, sizeof(CouplingTerm))

cdef void look_at_couplings(const Scene* s) noexcept nogil
cdef double coupling_error(const Scene* s, const Coupling* c) noexcept nogil
cdef Count count_couplings(const Scene* s) noexcept nogil
cdef int write_couplings(const Scene* s, Builder* b) except -1 nogil
cdef void read_couplings(const Scene* s, const ContactProblem* p, Share share) noexcept nogil
