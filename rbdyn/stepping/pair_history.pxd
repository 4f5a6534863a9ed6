# What a step leaves to the next of pairs of shapes: tables with rows of one size, in the order of the shapes.
#
# A step that is not done leaves what was known.  Impulses are no part of it: they belong to the solver
# (contact/warm_start.pxd).

from rbdyn.collision._types cimport ContactPoint
from rbdyn.collision.overlap cimport Overlap
from rbdyn.spatial._algebra cimport Vec3

cdef struct PairRow:          # how each row begins
    int a, b                  # its shapes

cdef struct Trail:            # of one contact: constraints/contact/trails.pxd
    int a, b                  # its shapes
    Vec3 arm_a, arm_b         # from the centres of mass of single bodies, world axes [m]; zero of others

cdef struct PairTable:        # all zero: empty
    char* now                 # (n,) of the latest step
    char* next                # (n_next,) of this step, while it is written
    int n, n_next
    int at                    # the first of `now` that the present pair, or a later one, may be
    size_t room[2]

cdef struct PairHistory:      # all zero: nothing
    PairTable overlaps        # Overlap, of robots with themselves: constraints/contact/overlaps.pxd
    PairTable trails          # Trail, of contacts over their bodies

cdef int begin_history(PairHistory* h, int contacts) except -1 nogil
cdef void end_history(PairHistory* h) noexcept nogil
cdef int copy_history(PairHistory* to, const PairHistory* from_) except -1 nogil
cdef void forget_shape(PairHistory* h, int shape) noexcept nogil
cdef void release_history(PairHistory* h) noexcept

cdef inline bint comes_before(const void* row, const ContactPoint* c) noexcept nogil:
    """Tell whether a row is of an earlier pair than a contact."""
    cdef const PairRow* o = <const PairRow*> row
    return o.a < c.shape_a or (o.a == c.shape_a and o.b < c.shape_b)

cdef inline bint is_of_pair(const void* row, const ContactPoint* c) noexcept nogil:
    """Tell whether a row is of the shapes of a contact."""
    cdef const PairRow* o = <const PairRow*> row
    return o.a == c.shape_a and o.b == c.shape_b
