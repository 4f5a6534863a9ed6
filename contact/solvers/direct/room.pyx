"""Memory of a direct solve, and what it costs."""

from libc.stdlib cimport free
from libc.string cimport memset

from rbdyn.contact.operator cimport Operator
from rbdyn.contact.problem cimport ContactProblem
from rbdyn.contact.solvers.direct.profile cimport profile
from rbdyn.contact.solvers.direct.unknowns cimport number_unknowns
from rbdyn.contact.solvers.direct.workspace cimport Direct
from rbdyn.memory cimport grow


cdef int begin(Direct* S, const Operator* G, const ContactProblem* p, size_t* reallocations) except -1 nogil:
    """Room for this problem, the order of its unknowns and the profile of A."""
    cdef size_t n = 6 * <size_t> p.n_single + p.n_coordinates, bodies = p.n_single, contacts = G.n
    cdef size_t width = 12, size
    cdef char* m
    cdef int i
    for i in range(G.n):
        width = max(width, <size_t> (12 + G.contact[i].row_end - G.contact[i].row))
    size = ((n + 1) * sizeof(size_t) + (3 * width + n + 6 * contacts) * sizeof(double)
            + (n + width + 3 * bodies + 1 + 3 * contacts + p.n_coordinates) * sizeof(int))
    reallocations[0] += grow(<void**> &S.memory, &S.capacity, size, 1)
    m = S.memory
    S.start = <size_t*> m
    S.J = <double*> (S.start + n + 1)
    S.x = S.J + 3 * width
    S.r = S.x + n
    S.begun = S.r + 3 * contacts
    S.first = <int*> (S.begun + 3 * contacts)
    S.index = S.first + n
    S.place = S.index + width
    S.column = S.place + bodies
    S.order = S.column + p.n_coordinates
    S.neighbours = S.order + bodies
    S.incident = S.neighbours + bodies + 1
    S.rows = S.incident + 2 * contacts
    S.width = <int> width
    number_unknowns(S, G, p)
    profile(S, G, p)
    reallocations[0] += grow(<void**> &S.A, &S.A_capacity, S.start[S.n], sizeof(double))
    return 0


cdef void release(Direct* S) noexcept nogil:
    """Give all memory back."""
    free(S.memory)
    free(S.A)
    memset(S, 0, sizeof(Direct))


cdef bint affordable(const Direct* S, int contacts) noexcept nogil:
    """Whether a factorisation costs less than some sixty sweeps, at 150 flops a visit."""
    cdef double flops = 0.0, row
    cdef int i
    for i in range(S.n):
        row = i + 1 - S.first[i]
        flops += row * row
    return flops < 1500.0 * contacts
