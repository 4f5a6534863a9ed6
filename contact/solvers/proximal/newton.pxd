# Proximal steps of an island of single bodies: what sweeps leave unsolved where a tall tower rocks.
#
# Coulomb's law says that an impulse is the admissible one nearest to y = lam - rho v, for any rho > 0: its push is no
# less than zero, its friction no more than mu times that push (Alart and Curnier, Comput. Methods Appl. Mech. Eng.
# 1991).  A step of the proximal point method (Rockafellar, SIAM J. Control Optim. 1976) keeps the old lam in it: with
# the velocity changes x and P, the nearest point,
#
#     lam+ = P(y),   y = lam - rho (v_free + J x),   M x = J^T lam+
#
# which are contacts that obey Coulomb's law and are a little soft against changes of their loads, by 1 / rho.  Under
# rims of friction that stand still this is where f(x) = x.M x / 2 + sum |P(y)|^2 / (2 rho) is least.  f is convex,
# and so are the steps of Newton's method on it
#
#     (M + sum rho J^T P' J) dx = J^T P(y) - M x
#
# with the derivative P' of the projection (Qi and Sun, Math. Program. 1993): as many unknowns as bodies have, in the
# same sparse matrix as other direct solves (workspace.pxd), and nothing is let go or held one by one.  After each of
# them rims follow the pushes.  A cone in the place of push and rim (De Saxce and Feng 1998) needs no rims, but what
# slides then takes load from what does not, by any error of its slip: a brick that was pushed out carried its tower
# along.
#
# Loads at rest are kept exactly, and errors are smooth and take energy away.  Those of sweeps that end early do not:
# where poses are corrected after them, a tower is lifted again and again, and rocks for ever.

from rbdyn.contact.islands cimport Island
from rbdyn.contact.problem cimport ContactProblem
from rbdyn.contact.solvers.direct.workspace cimport Direct

cdef bint take_proximal_step(Direct* S, Island* island, const ContactProblem* p, double stiffness, double tolerance,
                             int* turns) noexcept nogil
