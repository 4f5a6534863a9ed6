"""Memory of a direct solve, and whether it is worth while."""

from libc.math cimport sqrt
from libc.stdlib cimport free
from libc.string cimport memset

from rbdyn.contact.operator cimport Operator
from rbdyn.contact.problem cimport ContactProblem
from rbdyn.contact.solvers.direct.cholesky cimport lay_out
from rbdyn.contact.solvers.direct.ordering cimport clique_sizes, order_nodes, scratch_size
from rbdyn.contact.solvers.direct.unknowns cimport constraints, number_nodes, unknowns_of
from rbdyn.contact.solvers.direct.workspace cimport Below, Direct, Node
from rbdyn.memory cimport grow

# multiplications of a factorisation: as many as in ten sweeps or so
cdef double MOST = 1500.0      # for each contact
cdef double MOST_OF_ROW = 100.0  # for each unknown of any other row


cdef double most_work(const Operator* G) noexcept nogil:
    """What a factorisation may take."""
    cdef double most = MOST * G.n
    cdef int i
    for i in range(G.n, constraints(G)):
        most += MOST_OF_ROW * unknowns_of(G, i)
    return most


cdef size_t below_size(const Direct* S, const Operator* G, double most) noexcept nogil:
    """What `below` holds while the work is no more than `most`: cliques, then columns of the factor.

    A column of c blocks takes c^2 / 2 multiplications or more, so that all but the last of them, which may be the one
    that is too dear, have no more than sqrt(2 nodes work) blocks together.  Memory at hand decides nothing: it may be
    what another island needed.
    """
    cdef double nodes = S.nodes
    return clique_sizes(G) + S.nodes + <size_t> min(0.5 * nodes * nodes, sqrt(2.0 * nodes * most))


cdef int begin(Direct* S, const Operator* G, const ContactProblem* p, size_t* reallocations) except -1 nogil:
    """Room for this problem, its nodes in order and the places of all blocks.

    0 if there are no unknowns, because nothing that the constraints name moves, or if a factorisation is too dear.
    """
    cdef size_t bodies = p.n_single, coordinates = p.n_coordinates, count = constraints(G), width = 12, nodes, n, size
    cdef size_t named = min(2 * (count + p.n_further), bodies)     # bodies that constraints may name
    cdef double most = most_work(G)
    cdef int i
    cdef char* m
    for i in range(constraints(G)):
        width = max(width, <size_t> unknowns_of(G, i))
    nodes = named + min(<size_t> clique_sizes(G), coordinates)
    n = 6 * named + min(<size_t> clique_sizes(G), coordinates)
    size = (2 * nodes * sizeof(Node) + (3 * width + n + 7 * count) * sizeof(double)
            + (bodies + coordinates + width + count + scratch_size(G, <int> nodes)) * sizeof(int))
    reallocations[0] += grow(<void**> &S.memory, &S.capacity, size, 1)
    m = S.memory
    S.node = <Node*> m
    S.J = <double*> (S.node + 2 * nodes)
    S.x = S.J + 3 * width
    S.r = S.x + n
    S.begun = S.r + 3 * count
    S.rho = S.begun + 3 * count
    S.node_of_body = <int*> (S.rho + count)
    S.node_of_coordinate = S.node_of_body + bodies
    S.part = S.node_of_coordinate + coordinates
    S.rows = S.part + width
    S.scratch = S.rows + count
    S.width = <int> width
    number_nodes(S, G)
    reallocations[0] += grow(<void**> &S.below, &S.below_capacity, below_size(S, G, most), sizeof(Below))
    if S.nodes == 0 or not order_nodes(S, G, most):
        return 0
    reallocations[0] += grow(<void**> &S.A, &S.A_capacity, lay_out(S), sizeof(double))
    return 1


cdef void release(Direct* S) noexcept nogil:
    """Give all memory back."""
    free(S.memory)
    free(S.below)
    free(S.A)
    memset(S, 0, sizeof(Direct))
