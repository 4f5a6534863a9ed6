# Two shapes of one robot in each other, as a World remembers them from step to step.
#
# A pair that is left alone is no contact until it has parted.  When it was `seen` deep, with body B at `there` in body
# A, no push shorter than `seen` parted it; while no point of shape B has moved by more than what lies between `seen`
# and `slop`, it has not parted, and its shapes are not examined.

from libc.math cimport INFINITY, sqrt

from rbdyn.collision._types cimport HALF_SPACE, Pose, ShapeRecord
from rbdyn.spatial._algebra cimport Mat3, Vec3, add3, dot3, matmul3, mul3, sub3, sub33, tmul3, transpose3


cdef struct Overlap:
    int a, b                  # shapes, a < b
    double depth              # largest since it was last anew [m]
    double asked              # how far it was asked to part since then [m]
    bint left                 # it is not asked any more
    bint born                 # it was deep when it was first seen
    bint passed               # it was not examined in this step: it cannot have parted
    double seen               # [m] how deep it was when it was last examined
    Pose there                # pose of the body of b in that of a then

cdef struct KnownOverlaps:    # of a step; all zero: none
    int n, at                 # `at`: the first that this pair of shapes or a later one may be
    Overlap* of               # (n,) sorted by (a, b); detection writes `passed`
    double slop               # [m] a pair that is no deeper has parted


cdef inline Pose pose_in(const Pose* a, const Pose* b) noexcept nogil:
    """Pose of b in a."""
    cdef Pose X
    X.R = matmul3(transpose3(a.R), b.R)
    X.p = tmul3(a.R, sub3(b.p, a.p))
    return X

cdef inline double moved_by(const Pose* before, const Pose* now, const ShapeRecord* s) noexcept nogil:
    """How far a point of a shape may have moved between two poses of its body, at most [m].

    As its bounding sphere: its centre, and its radius times the spectral norm of the difference of the rotations.
    """
    cdef Vec3 c = sub3(add3(now.p, mul3(now.R, s.center_body)), add3(before.p, mul3(before.R, s.center_body)))
    cdef Mat3 d = sub33(now.R, before.R)
    if s.kind == HALF_SPACE:
        return INFINITY
    return sqrt(dot3(c, c)) + s.bounds.radius * sqrt(0.5 * (
        d.xx * d.xx + d.xy * d.xy + d.xz * d.xz + d.yx * d.yx + d.yy * d.yy + d.yz * d.yz
        + d.zx * d.zx + d.zy * d.zy + d.zz * d.zz))

cdef inline bint stays_in(const Overlap* o, const Pose* a, const Pose* b, const ShapeRecord* s,
                          double slop) noexcept nogil:
    """Test that a pair that is left alone has not parted, by the poses of its bodies; s is the shape of b."""
    cdef Pose now
    if not (o.left and o.born):
        return False
    now = pose_in(a, b)
    return o.seen - moved_by(&o.there, &now, s) > slop

cdef inline bint passes_over(KnownOverlaps* known, const ShapeRecord* a, const ShapeRecord* b,
                             const Pose* body_pose) noexcept nogil:
    """Note whether a pair is left alone and has not parted.  Pairs come in the order of their shapes."""
    cdef Overlap* o
    while known.at < known.n:
        o = known.of + known.at
        if o.a > a.id or (o.a == a.id and o.b >= b.id):
            if o.a == a.id and o.b == b.id:
                o.passed = stays_in(o, &body_pose[a.body], &body_pose[b.body], b, known.slop)
                return o.passed
            return False
        known.at += 1
    return False
