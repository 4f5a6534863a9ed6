# Proximal Newton method for one island, all laws at once.
#
# Laws hold where each impulse is the admissible one nearest to itself less its velocity (Moreau 1988):
#
#     lam = P(lam - rho (v + s)),   v = c + J u,   M u = J^T lam,   any rho > 0                                 (1)
#
# P projects on the cone, half-line, line, interval or disc of the law.  s is the shift of De Saxce and Feng (1998),
# mu |v_t| along the normals of cones, with which the nearest point of a cone opposes slip and lifts nothing.
# A step of the proximal method of multipliers (Rockafellar 1976) keeps lam and s, and solves
#
#     M u = J^T P(lam - rho (c + J u + s))                                                                      (2)
#
# for as many unknowns as the island can move in.  M u less the right side is the gradient of a convex function, whose
# generalised derivative M + J^T rho P' J is symmetric and positive definite: Newton's method with a line search on the
# slope finds its zero from anywhere.  The impulses are lam = P(...) then, and s follows from their velocities.
#
# A coupled step needs no shift.  It solves
#
#     M u = J^T Q(lam - rho (c + J u))                                                                          (3)
#
# where Q is P but for cones: the push is no pull, and friction stays within the rim of that push (Alart and Curnier
# 1991).  Its derivative is not symmetric and Newton's method may get stuck, but mostly a few coupled steps end a solve.
# They come first, and again after 1, 2, 4 ... convex ones.  Steps are repeated with the matrix of the last one while
# each halves the residual: a chord method, at an eighth of the cost.  rho grows while steps gain little, and is the
# first one again where Newton's method does not come to an end.  Of a row with bounds and a compliance it is large from
# the start: the impulse is a function of the velocity.  Joints that others lead are no unknowns (couplings.pxd).  Where
# convex steps change no velocity however large rho is, the laws contradict one another.
#
# Of loads that no velocity tells apart (a table on four legs) the proximal term keeps those nearest to the first ones.

from rbdyn.contact.islands cimport Island
from rbdyn.contact.problem cimport ContactProblem
from rbdyn.contact.solve.couplings cimport Couplings
from rbdyn.contact.solve.factor cimport Envelope
from rbdyn.contact.solve.velocity_space cimport VelocitySpace

cdef struct Newton:          # workspace; arrays grow and are reused
    VelocitySpace space
    Couplings couplings
    Envelope matrix
    double* memory           # one allocation for all below
    double* lam              # (rows,) impulses that the proximal term holds [N s]
    double* shift            # (rows,) s [m/s]: zero but at normals of cones
    double* v                # (rows,) c + J u [m/s]
    double* y                # (rows,) what is projected [N s]
    double* new              # (rows,) the impulses that a step finds [N s]
    double* along            # (rows,) J d
    double* before           # (rows,) velocities before a step [m/s]
    double* grown            # (rows,) by how much it changed impulses [N s]
    double* best             # (rows,) impulses of the least residual [N s]
    double* u                # (unknowns,)
    double* p                # (unknowns,) M u
    double* g                # (unknowns,)
    double* h                # (unknowns,) M^-1 g
    double* d                # (unknowns,) Newton's direction
    double* q                # (unknowns,) M d
    double* start            # (unknowns,) u before a step
    double* begun            # (unknowns,) p before a step
    double kappa             # rho of a piece is kappa / mobility
    double least_of_rows     # kappa of what is no contact, at least: stops win against depths where poses are moved
    double fastest           # residual of no impulses [m/s]
    size_t capacity
    size_t reallocations

cdef inline bint is_of_poses(const ContactProblem* p) noexcept nogil:
    """Tell whether impulses move poses alone (after/positions.pxd)."""
    return p.depth != NULL and p.target == NULL

cdef bint solve_newton(Newton* N, Island* island, const ContactProblem* p, double threshold, double tolerance,
                       int steps, double allowance, bint bounded) except -1 nogil
cdef void release_newton(Newton* N) noexcept nogil
