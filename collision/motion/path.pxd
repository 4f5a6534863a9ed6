# How shapes move in a step: bounds of their ways, and where they are within it.
#
# A body turns about its origin at a constant rate while its origin moves in a straight line.  A shape's way is that of
# the centre of its bounding sphere along the tangent, `shift`, give or take `spin`.

from libc.math cimport INFINITY, cos, fabs, fmax, fmin, sin, sqrt

from rbdyn.collision._types cimport (
    BOX_CORE, CYLINDER_CORE, HALF_SPACE, MESH, SPHERE, BodyMotions, Bounds, Pose, PosedShape, ShapeRecord,
)
from rbdyn.collision.bounds cimport centre_of
from rbdyn.collision.kernels.core cimport core_radius, support
from rbdyn.collision.kernels.vectors cimport axis_z, unit_or
from rbdyn.collision.shape_table cimport compose_pose
from rbdyn.collision.shapes.convex_hull cimport HullData
from rbdyn.spatial._algebra cimport (
    Mat3, Motion, Vec3, add3, cross3, dot3, matmul3, mul3, neg3, scale3, sub3, tmul3, vec3, zero3, zero_m,
)


cdef enum:
    MANY_CORNERS = 64              # of the hull of a mesh; support points are looked for among all


cdef struct Path:                  # of a shape from the step's start to its end
    Vec3 shift                     # displacement of its centre along the tangent [m], world
    double spin                    # [m] no point of it gets farther from where `shift` takes it, nor turns to
    double way                     # [m] nor anywhere in the step from where it is: |shift| + spin
    double sag                     # [m] nor, at t of the step, from the line between its places, than t (1 - t) sag

cdef struct RelativeMotion:        # of the smaller of two shapes a and b, seen from the other one, in a step
    Vec3 towards                   # how far its centre comes nearer along the tangent: b's way there less a's [m]
    Vec3 turn                      # [rad] of a less that of b
    double arm                     # [m] radius of its core
    double way                     # [m] no point of it gets farther from where it is
    double sag                     # [m] nor, along an axis fixed in the other one, from the tangent

cdef struct MovingShape:
    PosedShape now                 # where it is at the step's start
    PosedShape later               # where it is at the time looked at
    Pose later_pose
    PosedShape end                 # where it is at the step's end
    Pose end_pose
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

cdef inline double radius_of(const MovingShape* a) noexcept nogil:
    """Of the bounding sphere [m]."""
    return INFINITY if a.now.s.kind == HALF_SPACE else a.now.s.bounds.radius

cdef inline double thickness(const PosedShape* a) noexcept nogil:
    """Half of it along the shape's axes [m]."""
    cdef const Bounds* k = &a.s.bounds
    if a.s.kind == HALF_SPACE:
        return INFINITY
    return k.ball + fmin(k.box.x + k.ellipsoid.x, fmin(k.box.y + k.ellipsoid.y, k.box.z + k.ellipsoid.z))

cdef inline Path path_of(const ShapeRecord* s, const Pose* body, const Motion* m) noexcept nogil:
    """A ball around the core turns with nothing to be seen; the centre leaves its tangent by |w|^2 |arm| at most."""
    cdef Vec3 arm, w = m.w, axis
    cdef double w2 = dot3(w, w)
    cdef Path p
    p.shift, p.spin = m.v, 0.0
    if w2 == 0.0 or s.kind == HALF_SPACE:
        p.way, p.sag = sqrt(dot3(p.shift, p.shift)), 0.0
        return p
    arm = mul3(body.R, s.center_body)
    p.shift = add3(p.shift, cross3(w, arm))
    p.spin = w2 * sqrt(dot3(arm, arm))
    if is_axial(s):
        axis = mul3(body.R, vec3(s.local.R.xz, s.local.R.yz, s.local.R.zz))
        w = cross3(w, axis)
        w2 = dot3(w, w)
    p.spin += sqrt(w2) * (s.bounds.radius - s.bounds.ball)
    p.way = sqrt(dot3(p.shift, p.shift)) + p.spin
    p.sag = 0.5 * w2 * s.far
    return p

cdef inline Path no_path() noexcept nogil:
    """Of what is taken to rest."""
    cdef Path p
    p.shift = zero3()
    p.spin = p.way = p.sag = 0.0
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

cdef inline Pose moved(const Pose* body, const Motion* m, double t) noexcept nogil:
    """A body's pose at the fraction t of its motion."""
    cdef Pose there
    there.R = matmul3(rotation(scale3(t, m.w)), body.R)
    there.p = add3(body.p, scale3(t, m.v))
    return there

cdef inline PosedShape place_at(const MovingShape* a, double t, Pose* X) noexcept nogil:
    """The shape where it is at the fraction t of the step; X holds its pose, where that is not the one at the start."""
    cdef PosedShape place = a.now
    cdef Pose body
    if t == 0.0 or a.still:
        return place
    if a.path.spin == 0.0:                       # a ball about its body's origin, or no rotation
        X.R = a.now.X.R
        X.p = add3(a.now.X.p, scale3(t, a.path.shift))
    else:
        body = moved(a.body, &a.motion, t)
        compose_pose(&body, a.now.s, X)
    place.X = X
    return place

cdef inline void move_to(MovingShape* a, double t) noexcept nogil:
    """Put `later` where the shape is at the fraction t of the step."""
    a.later = place_at(a, t, &a.later_pose)

cdef inline void find_end(MovingShape* a) noexcept nogil:
    """Put `end` where it belongs."""
    a.end = place_at(a, 1.0, &a.end_pose)

cdef inline Vec3 shift_at(const MovingShape* a, Vec3 x, double t) noexcept nogil:
    """Displacement in the whole step, along the tangent, of the point that is at x at the fraction t of it."""
    cdef Vec3 origin = add3(a.body.p, scale3(t, a.motion.v))
    return add3(a.motion.v, cross3(a.motion.w, sub3(x, origin)))

cdef inline void set_out(MovingShape* a, const PosedShape* now, const Pose* body, BodyMotions motions, bint still,
                         const Path* path) noexcept nogil:
    """Fill in what is known at the step's start; the path is not looked at if it is still."""
    a.now, a.body, a.still = now[0], body, still
    a.path = no_path() if still else path[0]
    a.motion = zero_m() if still else motions.of[now.s.body]


# ---- two of them -----------------------------------------------------------------------------

cdef inline Vec3 axis_between(const PosedShape* a, const PosedShape* b) noexcept nogil:
    """A unit direction from b to a that may well separate them: a plane's normal, or that of their centres."""
    if b.s.kind == HALF_SPACE:
        return axis_z(&b.X.R)
    if a.s.kind == HALF_SPACE:
        return neg3(axis_z(&a.X.R))
    return unit_or(sub3(centre_of(a), centre_of(b)), vec3(0.0, 0.0, 1.0))

cdef inline bint is_coarse(const PosedShape* a) noexcept nogil:
    """Whether, of a mesh with a hull of many corners, the box around it is looked at instead: its triangles tell."""
    return a.s.kind == <int> MESH and (<const HullData*> a.s.data).n_vertices > MANY_CORNERS

cdef inline double reach_of_box(const PosedShape* a, Vec3 n) noexcept nogil:
    cdef Vec3 l = tmul3(a.X.R, n), h = a.s.bounds.box
    return dot3(n, a.X.p) + dot3(l, a.s.bounds.center) + fabs(l.x) * h.x + fabs(l.y) * h.y + fabs(l.z) * h.z

cdef inline double reach_along(const PosedShape* a, Vec3 n) noexcept nogil:
    """Of its point farthest along the unit vector n, the coordinate along n [m]; of a plane, n or -n is the normal."""
    if a.s.kind == HALF_SPACE:
        return dot3(n, a.X.p)
    if is_coarse(a):
        return reach_of_box(a, n)
    return dot3(n, a.X.p if a.s.kind == SPHERE else support(a, n)) + core_radius(a)

cdef inline double gap_along(const PosedShape* a, const PosedShape* b, Vec3 n) noexcept nogil:
    """How far a lies beyond b along the unit vector n [m]: no more than their distance."""
    return -reach_along(a, neg3(n)) - reach_along(b, n)

cdef inline bint a_is_smaller(const PosedShape* a, const PosedShape* b) noexcept nogil:
    return b.s.kind == HALF_SPACE or (a.s.kind != HALF_SPACE and a.s.bounds.radius < b.s.bounds.radius)

cdef inline RelativeMotion relative_motion(const PosedShape* a, const PosedShape* b, const Pose* body_a,
                                           const Pose* body_b, const Motion* m_a, const Motion* m_b) noexcept nogil:
    """What is left of the motion of two that move together.

    A point of the smaller one, at r from its body's origin, moves by u = v + w x r - v_o - w_o x (r + p - p_o) in the
    axes of the other, which turn with it.  With constant rates u changes by (w - w_o) x (w x r) - w_o x (v - v_o).
    """
    cdef bint smaller = a_is_smaller(a, b)
    cdef const ShapeRecord* s = a.s if smaller else b.s
    cdef const Motion* other = m_b if smaller else m_a
    cdef Vec3 c = centre_of(a) if smaller else centre_of(b), w = m_a.w if smaller else m_b.w, d = sub3(m_b.v, m_a.v)
    cdef double changes
    cdef RelativeMotion r
    r.towards = sub3(add3(d, cross3(m_b.w, sub3(c, body_b.p))), cross3(m_a.w, sub3(c, body_a.p)))
    r.turn = sub3(m_a.w, m_b.w)
    r.arm = s.bounds.radius - s.bounds.ball
    changes = (sqrt(dot3(r.turn, r.turn) * dot3(w, w)) * s.far + sqrt(dot3(other.w, other.w) * dot3(d, d)))
    r.way = sqrt(dot3(r.towards, r.towards)) + sqrt(dot3(r.turn, r.turn)) * r.arm + 0.5 * changes
    r.sag = 0.5 * changes + sqrt(dot3(other.w, other.w)) * r.way
    return r

cdef inline double nearer_along(const RelativeMotion* r, Vec3 n) noexcept nogil:
    """By how much the gap along n, an axis fixed in the larger shape, shrinks at any time of the step at most [m]."""
    cdef Vec3 across = cross3(n, r.turn)
    return fmin(r.way, fmax(0.0, dot3(n, r.towards) + sqrt(dot3(across, across)) * r.arm) + r.sag)

cdef inline double approach_along(const Path* a, const Path* b, Vec3 n) noexcept nogil:
    """By how much the gap along n shrinks in the whole step at most [m]; a part of the step has its part of it."""
    return dot3(n, sub3(b.shift, a.shift)) + a.spin + b.spin
