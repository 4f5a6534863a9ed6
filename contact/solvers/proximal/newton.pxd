# Proximal steps of an island of single bodies: what sweeps leave unsolved where a tall tower rocks.
#
# Coulomb's law says that an impulse is the point of its cone nearest to lam - rho (v + mu |v_t| n), for any rho > 0 (De
# Saxce and Feng, Math. Comput. Model. 1998).  A step of the proximal point method (Rockafellar, SIAM J. Control Optim.
# 1976) keeps the old lam in it, and mu |v_t| =: s as it was: with the velocity changes x and P, the nearest point,
#
#     lam+ = P(y),   y = lam - rho (v_free + J x + s n),   M x = J^T lam+
#
# which is where f(x) = x.M x / 2 + sum |P(y)|^2 / (2 rho) is least.  f is convex, and so are Newton's steps on it
#
#     (M + sum rho J^T P' J) dx = J^T P(y) - M x
#
# with the derivative P' of the projection (Qi and Sun, Math. Program. 1993): as many unknowns as bodies have, in the
# same sparse matrix as other direct solves (workspace.pxd), and nothing is let go or held one by one.
#
# A step is that of contacts which are a little soft against changes of their loads, by 1 / rho: loads at rest are kept
# exactly, and errors are smooth and take energy away.  Those of sweeps that end early do not: where poses are corrected
# after them, a tower is lifted again and again, and rocks for ever.

from rbdyn.contact.islands cimport Island
from rbdyn.contact.problem cimport ContactProblem
from rbdyn.contact.solvers.direct.workspace cimport Direct

cdef bint take_proximal_step(Direct* S, Island* island, const ContactProblem* p, double stiffness, double tolerance,
                             int* turns) noexcept nogil
