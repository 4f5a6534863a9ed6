# Depth is corrected by moving poses: a second, frictionless problem that leaves no velocity behind (split impulses).
#
# With the velocities v that the first problem has led to, it asks for impulses mu that are not applied,
#
#     0 <= mu  perpendicular to  v + G mu - T >= 0         (bilateral rows: = 0)
#
# in the normal rows of the contacts and all other rows that hold a pose and have a position target T, and
# dt M^-1 J^T mu is how far the poses move beyond dt v.  A velocity that parted bodies this fast would be kept, and the
# next steps would have to take it away again: that is where a rebound without restitution comes from.
#
# Unilateral and bilateral rows hold a pose; friction, forces with bounds, and what is compliant (springs) do not.
# The problem has the blocks of those islands alone in which something is asked.
#
# Source: Catto, "Modeling and solving constraints", GDC 2009 (split impulses, pseudo velocities).

from rbdyn.contact.problem cimport Block, ContactProblem, Entry, Entry3, RowSide
from rbdyn.contact.after.velocities cimport Velocities

cdef struct PositionProblem:  # all zero: empty
    ContactProblem problem    # of bodies and coordinates as the first one has them; its blocks are the arrays below
    Block* block              # cones without friction, then unilateral and bilateral blocks
    double* v_free            # what the first problem has led to, less the position target [m/s]
    double* impulse           # mu [N s]
    double* depth             # copies of what the first problem has
    double* frame
    double* arm_a
    double* arm_b
    int* single_a
    int* single_b
    int* entry3_start
    Entry3* entry3
    RowSide* side
    int* entry_start
    Entry* entry
    int* term_start
    Entry* term
    int* node                 # (n_single + n_coordinates,) union-find over what moves, and what of it asks
    int* island               # (n,) node that stands for the island of each block; -1 where nothing is asked
    size_t room[18]

cdef void release_positions(PositionProblem* q) noexcept nogil
cdef bint asks_for_positions(const ContactProblem* p) noexcept nogil
cdef int write_positions(PositionProblem* q, const ContactProblem* p, Velocities* velocities) except -1 nogil
