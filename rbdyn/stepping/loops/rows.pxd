# What a loop joint does to its system: impulses on both of its bodies, carried to the root, as rows of normalised
# coordinates.  The rows are those of kernels/loops.pxd, by impulse propagation through the factors of the step.

from libc.string cimport memset

from rbdyn.kernels.cod cimport dot
from rbdyn.kernels.loops cimport after_origin, before_axes, relative_axes, loop_rows_at
from rbdyn.model._model cimport CData, CLoop
from rbdyn.model.joints.dispatch cimport LoopRows, loop_joint_coordinate, row_force
from rbdyn.spatial._algebra cimport (
    Force, Mat3, Vec3, add3, add_f, cross3, force, mul3, power, scale_f, sub3, sub_f, tmul3, vec3, zero3,
)
from rbdyn.spatial.constants cimport load_vec3
from rbdyn.stepping.columns cimport greatest_power, is_rounding
from rbdyn.stepping.scene cimport System

cdef inline double loop_coordinate(const CData* d, const CLoop* c) noexcept nogil:
    """Where a loop joint with one degree of freedom stands, if it is closed.  The poses are current."""
    cdef Mat3 R = before_axes(d, c)
    cdef Vec3 before = add3(d.p[c.predecessor], mul3(d.R[c.predecessor], load_vec3(c.p_before)))
    return loop_joint_coordinate(c.kind, c.parameter, relative_axes(d, c), tmul3(R, sub3(after_origin(d, c), before)).z)

cdef inline Vec3 unit3(int k) noexcept nogil:
    return vec3(1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0)

cdef inline Force unit_wrench(const System* s, const CData* d, const CLoop* c, int k) noexcept nogil:
    """What a unit impulse along direction k of six does to the successor, world axes about the system's origin.

    Directions are those of the before-frame at the origin of the after-frame, rotations first; a universal joint's
    rotations are about the axes of its cross.
    """
    cdef Mat3 R = before_axes(d, c)
    cdef Force g = force(unit3(k), zero3()) if k < 3 else force(zero3(), unit3(k - 3))
    cdef LoopRows rows = loop_rows_at(d, c)
    cdef Vec3 f
    g = row_force(&rows, g)
    f = mul3(R, g.f)
    return force(add3(mul3(R, g.n), cross3(sub3(after_origin(d, c), s.work.origin), f)), f)

cdef inline Force carry(const System* s, int i, Force P, double* y, double* most) noexcept nogil:
    """Entries of joint i for an impulse on its body, added to y (nv,); what of it reaches the parent.

    `most` grows by the squares of what the entries could be.
    """
    cdef Force Q = P
    cdef double x
    cdef int j, k
    for j in range(s.m.nvi[i]):
        k = s.m.vi[i] + j
        x = power(s.work.S[k], Q)
        y[k] += x
        most[0] += greatest_power(s.work.S[k], Q)
        P = sub_f(P, scale_f(x, s.work.U[k]))
    return P

cdef inline void loop_row(const System* s, const CData* d, const CLoop* c, int k, double* y) noexcept nogil:
    """y (nv,), zeroed before: the row of direction k at the place d, whose columns are normalised.

    What both sides bring to a joint above them is added first.  Rounding is nothing: what it leaves of a direction that
    joints keep already, as of a second hinge of a door, would lock them.
    """
    cdef Force P = unit_wrench(s, d, c, k), Q = scale_f(-1.0, P)
    cdef double most = 0.0
    cdef int a = c.successor, b = c.predecessor
    while a != b:
        if a > b:
            P = carry(s, a, P, y, &most)
            a = s.m.parent[a]
        else:
            Q = carry(s, b, Q, y, &most)
            b = s.m.parent[b]
    P = add_f(P, Q)
    while a > 0:
        P = carry(s, a, P, y, &most)
        a = s.m.parent[a]
    if is_rounding(dot(s.m.nv, y, y), most):
        memset(y, 0, s.m.nv * sizeof(double))
