# How shapes move in a step: bounds of their ways, and where they are within it.
#
# A body turns about its origin at a constant rate while its origin moves in a straight line.  A shape's way is that of
# the centre of its bounding sphere along the tangent, `shift`, give or take `spin`.

from libc.math cimport cos, sin, sqrt

from rbdyn.collision._types cimport BOX_CORE, CYLINDER_CORE, HALF_SPACE, BodyMotions, Pose, PosedShape, ShapeRecord
from rbdyn.collision.shape_table cimport compose_pose
from rbdyn.spatial._algebra cimport (
    Mat3, Motion, Vec3, add3, cross3, dot3, matmul3, mul3, scale3, sub3, vec3, zero3,
)


cdef struct Path:                  # of a shape from the step's start to its end
    Vec3 shift                     # displacement of its centre along the tangent [m], world
    double spin                    # [m] no point of it gets farther from where `shift` takes it, nor turns to

cdef struct MovingShape:
    PosedShape now                 # where it is at the step's start
    PosedShape later               # where it is at the time looked at
    Pose later_pose
    const Pose* body               # at the step's start
    bint still                     # it moves by less than anybody needs to know, and is taken to rest
    Motion motion                  # of its body
    Path path


cdef inline double rest_way(double margin) noexcept nogil:
    """What moves by less than this in a step is taken to rest [m]."""
    return 0.05 * margin

cdef inline bint is_still(const Motion* m, double far, double least) noexcept nogil:
    """Whether no point within `far` of the body's origin moves by more than `least` [m]."""
    return dot3(m.v, m.v) + far * far * dot3(m.w, m.w) <= least * least

cdef inline bint is_axial(const ShapeRecord* s) noexcept nogil:
    """Whether turning about its z axis changes nothing."""
    return s.core == CYLINDER_CORE or (s.core == BOX_CORE and s.bounds.box.x == 0.0 and s.bounds.box.y == 0.0
                                       and not s.bounds.curved)

cdef inline Path path_of(const ShapeRecord* s, const Pose* body, const Motion* m) noexcept nogil:
    """A ball around the core turns with nothing to be seen; the centre leaves its tangent by |w|^2 |arm| at most."""
    cdef Vec3 arm, w = m.w, axis
    cdef double w2 = dot3(w, w)
    cdef Path p
    p.shift, p.spin = m.v, 0.0
    if w2 == 0.0 or s.kind == HALF_SPACE:
        return p
    arm = mul3(body.R, s.center_body)
    p.shift = add3(p.shift, cross3(w, arm))
    p.spin = w2 * sqrt(dot3(arm, arm))
    if is_axial(s):
        axis = mul3(body.R, vec3(s.local.R.xz, s.local.R.yz, s.local.R.zz))
        w = cross3(w, axis)
        w2 = dot3(w, w)
    p.spin += sqrt(w2) * (s.bounds.radius - s.bounds.ball)
    return p

cdef inline Mat3 rotation(Vec3 w) noexcept nogil:
    """exp of a rotation vector: Rodrigues."""
    cdef double angle2 = dot3(w, w), angle = sqrt(angle2), s, c
    cdef Mat3 R
    if angle < 1e-9:
        s, c = 1.0, 0.5
    else:
        s, c = sin(angle) / angle, (1.0 - cos(angle)) / angle2
    R.xx, R.xy, R.xz = 1.0 - c * (w.y * w.y + w.z * w.z), c * w.x * w.y - s * w.z, c * w.x * w.z + s * w.y
    R.yx, R.yy, R.yz = c * w.x * w.y + s * w.z, 1.0 - c * (w.x * w.x + w.z * w.z), c * w.y * w.z - s * w.x
    R.zx, R.zy, R.zz = c * w.x * w.z - s * w.y, c * w.y * w.z + s * w.x, 1.0 - c * (w.x * w.x + w.y * w.y)
    return R

cdef inline void move_to(MovingShape* a, double t) noexcept nogil:
    """Put `later` where the shape is at the fraction t of the step."""
    cdef Pose body
    if dot3(a.motion.w, a.motion.w) == 0.0:
        a.later_pose.R = a.now.X.R
        a.later_pose.p = add3(a.now.X.p, scale3(t, a.motion.v))
    else:
        body.R = matmul3(rotation(scale3(t, a.motion.w)), a.body.R)
        body.p = add3(a.body.p, scale3(t, a.motion.v))
        compose_pose(&body, a.now.s, &a.later_pose)
    a.later.s, a.later.X = a.now.s, &a.later_pose

cdef inline Vec3 shift_at(const MovingShape* a, Vec3 x, double t) noexcept nogil:
    """Displacement in the whole step, along the tangent, of the point that is at x at the fraction t of it."""
    cdef Vec3 origin = add3(a.body.p, scale3(t, a.motion.v))
    return add3(a.motion.v, cross3(a.motion.w, sub3(x, origin)))

cdef inline MovingShape moving_shape(const ShapeRecord* s, const Pose* X, const Pose* body, BodyMotions motions,
                                     double least) noexcept nogil:
    cdef MovingShape a
    a.now.s, a.now.X, a.body = s, X, body
    a.motion.w = a.motion.v = zero3()
    a.still = motions.of == NULL or is_still(&motions.of[s.body], s.far, least)
    if not a.still:
        a.motion = motions.of[s.body]
    a.path = path_of(s, body, &a.motion)
    return a
