"""Memory of a direct solve, and whether it is worth while."""

from libc.math cimport sqrt
from libc.stdlib cimport free
from libc.string cimport memset

from rbdyn.contact.operator cimport Operator
from rbdyn.contact.problem cimport ContactProblem
from rbdyn.contact.solvers.direct.cholesky cimport lay_out
from rbdyn.contact.solvers.direct.ordering cimport clique_sizes, order_nodes, scratch_size
from rbdyn.contact.solvers.direct.unknowns cimport number_nodes
from rbdyn.contact.solvers.direct.workspace cimport Below, Direct, Node
from rbdyn.memory cimport grow

cdef double MOST = 1500.0      # multiplications of a factorisation for each contact: as much as ten sweeps or so


cdef size_t below_size(const Direct* S, const Operator* G) noexcept nogil:
    """What `below` holds at most while the work is no more than MOST allows: cliques, then columns of the factor.

    A column of c blocks takes c^2 / 2 multiplications or more, so that all but the last of them, which may be the one
    that is too dear, have no more than sqrt(2 nodes work) blocks together.  Memory at hand decides nothing: it may be
    what another island needed.
    """
    cdef double nodes = S.nodes
    return clique_sizes(G) + S.nodes + <size_t> min(0.5 * nodes * nodes, sqrt(2.0 * nodes * MOST * G.n))


cdef int begin(Direct* S, const Operator* G, const ContactProblem* p, size_t* reallocations) except -1 nogil:
    """Room for this problem, its nodes in order and the places of all blocks; 0 if a factorisation is too dear."""
    cdef size_t bodies = p.n_single, coordinates = p.n_coordinates, contacts = G.n, width = 12, nodes, n, size
    cdef int i
    cdef char* m
    for i in range(G.n):
        width = max(width, <size_t> (12 + G.contact[i].row_end - G.contact[i].row))
    nodes = min(2 * contacts, bodies) + min(<size_t> clique_sizes(G), coordinates)
    n = 6 * min(2 * contacts, bodies) + min(<size_t> clique_sizes(G), coordinates)
    size = (2 * nodes * sizeof(Node) + (3 * width + n + 6 * contacts) * sizeof(double)
            + (bodies + coordinates + width + contacts + scratch_size(G, <int> nodes)) * sizeof(int))
    reallocations[0] += grow(<void**> &S.memory, &S.capacity, size, 1)
    m = S.memory
    S.node = <Node*> m
    S.J = <double*> (S.node + 2 * nodes)
    S.x = S.J + 3 * width
    S.r = S.x + n
    S.begun = S.r + 3 * contacts
    S.node_of_body = <int*> (S.begun + 3 * contacts)
    S.node_of_coordinate = S.node_of_body + bodies
    S.part = S.node_of_coordinate + coordinates
    S.rows = S.part + width
    S.scratch = S.rows + contacts
    S.width = <int> width
    number_nodes(S, G)
    reallocations[0] += grow(<void**> &S.below, &S.below_capacity, below_size(S, G), sizeof(Below))
    if not order_nodes(S, G, MOST * G.n):
        return 0
    reallocations[0] += grow(<void**> &S.A, &S.A_capacity, lay_out(S), sizeof(double))
    return 1


cdef void release(Direct* S) noexcept nogil:
    """Give all memory back."""
    free(S.memory)
    free(S.below)
    free(S.A)
    memset(S, 0, sizeof(Direct))
