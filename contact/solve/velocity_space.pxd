# Velocity space of an island: unknowns u with the mass matrix M in which G = J M^-1 J^T.
#
# A single body has six of them, of unit mass: sqrt(m) v, and x with w = C x, where C C^T is its inverse inertia (world
# axes).  A robot has the velocities of its degrees of freedom where the problem tells how its normalised coordinates
# follow from them, z = B u (problem.pxd), so that M = B^T B; else u = z, and M = 1.  Impulses lam change u by
# M^-1 J^T lam, and rows move at c + J u.  A row of J is sparse: a contact moves two bodies, or the joints from a link
# to its base; a stop, a motor or friction moves one joint, where a row of z has all joints from there to the base.

from rbdyn.contact.operator cimport Operator
from rbdyn.contact.problem cimport ContactProblem

cdef struct Piece:           # rows that share one projection: a cone, a disc, or a single row of another block
    int law                  # Law
    int row                  # first row, in the order of the island's impulses
    int rows                 # 3 of a cone, 1 or 2 of a disc, 1 of any other
    int partner              # disc: the row of its cone's normal; -1: none
    int columns              # unknowns that move it
    int column               # they are VelocitySpace.column[column : column + columns], ascending
    int entry                # row r of it is VelocitySpace.J[entry + r * columns : ... + columns]
    double a, b              # cone: friction, unused; box: bounds [N s]; disc: a [m], unused
    double compliance        # [1/kg]
    double mobility          # mean diagonal of G, plus compliance [1/kg]; 0: nothing moves it

cdef struct VelocitySpace:   # workspace; arrays grow and are reused
    int pieces, rows, unknowns, entries
    int swept                # entries that a sweep goes through: those of Y
    Piece* piece             # (pieces,) cones first, discs last
    int* column
    int* run                 # of each column: end of its run of consecutive unknowns, counted in its piece
    double* J
    bint unit                # M = 1
    int* above               # (unknowns,) the next one towards the root of its robot, or -1
    const double** root      # (unknowns,) row of B: of each one, above[it], ...; NULL: of unit mass
    double told              # mobility of the row at hand by its robots, if its terms are known [1/kg]
    int low, high            # coordinates of the island are from low to high
    double* c                # (rows,) velocity at zero impulse, less its target [m/s]
    int* first               # (unknowns,) lowest unknown that shares a piece with each
    int* body_unknown        # (n_single,) first unknown of a body, -1 outside the island
    int* coordinate_unknown  # (n_coordinates,)
    int* node                # bodies of the island, in the order of their unknowns
    int* link                # pairs of bodies that share a row
    int* touched             # unknowns of the piece at hand
    int* place               # (unknowns,) -1, or that an unknown is among them
    double* value            # (unknowns, 3) their entries
    int bodies, links, n_touched
    size_t capacity[15]
    size_t reallocations

cdef int open_space(VelocitySpace* V, const Operator* G, const ContactProblem* p) except -1 nogil
cdef void close_space(VelocitySpace* V, const Operator* G) noexcept nogil
cdef void release_space(VelocitySpace* V) noexcept nogil
cdef void add_value(VelocitySpace* V, int unknown, int row, double y) noexcept nogil
cdef void write_entries(VelocitySpace* V, Piece* k) noexcept nogil
cdef void move_rows(const VelocitySpace* V, const double* u, double* v) noexcept nogil
cdef void pull_unknowns(const VelocitySpace* V, const double* lam, double* p) noexcept nogil
