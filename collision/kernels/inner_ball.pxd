# A ball within A - B that touches its surface from within, where a push leads out of it.
#
# Let A and B touch two planes of normal n from either side, at x_A and x_B: pushed by h along n, they part.  A - B then
# touches a plane at the foot w = x_A - x_B, h away from the origin, along m = -n.  If it holds a ball of radius h that
# touches the plane there, nothing gets out of that ball by less than h: no push is shorter.  It holds the ball if for
# each unit vector u, at the angle phi to m, A - B reaches beyond w by
#
#     reach(u) - u . w >= h (1 - cos phi).
#
# What A and B hold adds up on the left.  A ball of radius r that touches the plane: r (1 - cos phi).  An edge along e
# that goes on by l on both sides of x: l |u . e| >= l (u . e)^2.  A circle of radius r with the tangent t there:
# r (sqrt(q^2 + (u . t)^2) - q) >= r / 2 (u . t)^2, with q the part of u along the radius.  So the sum is at least
# s / 2 sin^2 phi, with s the least eigenvalue over the plane of the sum of 2 l e e^T and r t t^T, and all balls' radii:
# enough if 1 + cos phi >= 2 h / s.  Beyond that, a point of A - B at the depth H below the plane, and L beside w, says
# -H cos phi - L sin phi: enough from some angle on, which must not be larger.
#
# Of an ellipsoid a ball of the least radius of curvature touches from within everywhere: W. Blaschke, Kreis und Kugel
# (1916), section 24.

from rbdyn.collision._types cimport PosedShape
from rbdyn.spatial._algebra cimport Vec3

cdef bint is_least(const PosedShape* a, const PosedShape* b, double gap, Vec3 n, Vec3 x_a) noexcept nogil
