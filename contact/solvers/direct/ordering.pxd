# In which order nodes are eliminated, so that the factor has few blocks: always one with about the fewest neighbours.
#
# Approximate minimum degree on the quotient graph (Amestoy, Davis and Duff, SIAM J. Matrix Anal. 1996).  Constraints
# are cliques of nodes, the first elements; to eliminate a node joins its elements to one, which is what lies below the
# node in the factor.  Among equals the order follows from the constraints alone, so that bits do.

from rbdyn.contact.operator cimport Operator
from rbdyn.contact.solvers.direct.workspace cimport Direct

cdef size_t scratch_size(const Operator* G, int nodes) noexcept nogil
cdef int clique_sizes(const Operator* G) noexcept nogil
cdef bint order_nodes(Direct* S, const Operator* G, double most) noexcept nogil
