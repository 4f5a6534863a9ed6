# What joints outside the tree demand: K v = 0, its rate K vd + k = 0, and e = 0.
#
# A loop joint compares two bodies that the tree has placed.  Seen from its before-frame, the after-frame moves with six
# velocities: (w, d'), w its angular velocity and d the way from origin to origin.  The joint allows some of them; the
# others are its rows, rotations first.  Angular velocities and the axes of d are exact at every configuration, so that
# d' is the exact rate of the translational error d.  The rotational error u is the shortest rotation vector that closes
# the loop, reversed: u.w = d(|u|^2 / 2)/dt exactly, and w = u' at u = 0, but not elsewhere.
#
# Source: RBDA, the chapter on closed-loop systems.

from libc.math cimport atan2, hypot, sqrt

from rbdyn.kernels.acceleration cimport point_acceleration_of
from rbdyn.kernels.configuration cimport quat_log
from rbdyn.kernels.jacobian_dot cimport joint_axes
from rbdyn.model._model cimport FIXED, FLOATING, PLANAR, PRISMATIC, REVOLUTE, SPHERICAL, CData, CLoop, CModel
from rbdyn.spatial._algebra cimport (
    Force, Mat3, Motion, Vec3, add3, add_m, apply_m, cross3, force, matmul3, motion, mul3, sub3, tmul3, transpose3,
    vec3, zero3, zero_m,
)

cdef inline bint allows(int kind, int k) noexcept nogil:
    """Whether a joint allows velocity k of w_x, w_y, w_z, d'_x, d'_y, d'_z."""
    if kind == REVOLUTE:
        return k == 2
    if kind == PRISMATIC:
        return k == 5
    if kind == SPHERICAL:
        return k < 3
    if kind == PLANAR:
        return k == 2 or k == 3 or k == 4
    return kind == FLOATING

cdef inline double component(Motion a, int k) noexcept nogil:
    """Entry k of six."""
    cdef Vec3 h = a.w if k < 3 else a.v
    k = k % 3
    return h.x if k == 0 else h.y if k == 1 else h.z

cdef inline void scatter(const CModel* m, const CLoop* c, Motion a, double* rows, size_t stride,
                         size_t at) noexcept nogil:
    """Put six numbers in their places: the blocked ones in the joint's rows, the others, weighted, in its rotor's.

    A rotor of inertia I adds I s s^T to M, s being the row of its degree of freedom; it is kept as sqrt(I) s.
    """
    cdef int k, row = c.row, rotor_row = m.nc + c.rotor_row
    for k in range(6):
        if not allows(c.kind, k):
            rows[row * stride + at] = component(a, k)
            row += 1
        elif c.rotor > 0.0:
            rows[rotor_row * stride + at] = sqrt(c.rotor) * component(a, k)
            rotor_row += 1

cdef inline Mat3 before_axes(const CData* d, const CLoop* c) noexcept nogil:
    """Before-frame to world axes; the poses are current."""
    return matmul3(d.R[c.predecessor], c.R_before)

cdef inline Vec3 after_origin(const CData* d, const CLoop* c) noexcept nogil:
    """Where the after-frame is in the world; the poses are current."""
    return add3(d.p[c.successor], mul3(d.R[c.successor], c.p_after))

cdef inline void add_columns(const CModel* m, const CData* d, const CLoop* c, int i, double sign,
                             double* K) noexcept nogil:
    """Columns of joint i: how it moves the after-frame, or, with the sign turned, the before-frame's body."""
    cdef int k, translations
    cdef Vec3[6] a
    cdef Motion s
    cdef Mat3 R = before_axes(d, c)
    cdef Vec3 arm = sub3(after_origin(d, c), d.p[i])
    translations = joint_axes(m, d, i, a)
    for k in range(m.nvi[i]):
        s = motion(zero3(), a[k]) if k < translations else motion(a[k], cross3(a[k], arm))
        s = motion(tmul3(R, s.w), tmul3(R, s.v))
        s = motion(vec3(sign * s.w.x, sign * s.w.y, sign * s.w.z), vec3(sign * s.v.x, sign * s.v.y, sign * s.v.z))
        scatter(m, c, s, K, m.nv, m.vi[i] + k)

cdef inline void loop_matrix(const CModel* m, const CData* d, double* K) noexcept nogil:
    """K (nc, nv), and the weighted rotor rows (nr, nv) below it; zeroed on entry, poses current.

    Joints that carry both ends move neither relative to the other: their columns stay zero.
    """
    cdef int n, a, b
    for n in range(m.n_loops):
        a, b = m.loops[n].successor, m.loops[n].predecessor
        while a != b:
            if a > b:
                add_columns(m, d, m.loops + n, a, 1.0, K)
                a = m.parent[a]
            else:
                add_columns(m, d, m.loops + n, b, -1.0, K)
                b = m.parent[b]

cdef inline void velocity_accelerations(const CModel* m, CData* d) noexcept nogil:
    """Accelerations of all bodies at vd = 0, gravity left out; written to d.a.  The velocities are current."""
    cdef int i
    d.a[0] = zero_m()
    for i in range(1, m.nb):
        d.a[i] = add_m(apply_m(d.X[i], d.a[m.parent[i]]), d.c[i])

cdef inline Vec3 slip(const CData* d, const CLoop* c, Vec3 x) noexcept nogil:
    """Velocity of the after-frame's origin as seen from the predecessor, in which it is at x; world axes."""
    cdef int B = c.predecessor, A = c.successor
    return sub3(mul3(d.R[A], add3(d.vel[A].v, cross3(d.vel[A].w, c.p_after))),
                mul3(d.R[B], add3(d.vel[B].v, cross3(d.vel[B].w, x))))

cdef inline Vec3 after_in_predecessor(const CData* d, const CLoop* c) noexcept nogil:
    """The after-frame's origin as a point of the predecessor; the poses are current."""
    return tmul3(d.R[c.predecessor], sub3(after_origin(d, c), d.p[c.predecessor]))

cdef inline Motion relative_velocity(const CData* d, const CLoop* c) noexcept nogil:
    """(w, d'); poses and velocities are current."""
    cdef Mat3 R = before_axes(d, c)
    cdef int B = c.predecessor, A = c.successor
    cdef Vec3 turn = sub3(mul3(d.R[A], d.vel[A].w), mul3(d.R[B], d.vel[B].w))
    return motion(tmul3(R, turn), tmul3(R, slip(d, c, after_in_predecessor(d, c))))

cdef inline double rotor_energy(const CModel* m, const CData* d) noexcept nogil:
    """Twice the kinetic energy of the rotors of loop joints; poses and velocities are current."""
    cdef int n, k
    cdef Motion v
    cdef double twice = 0.0
    for n in range(m.n_loops):
        if m.loops[n].rotor > 0.0:
            v = relative_velocity(d, m.loops + n)
            for k in range(6):
                if allows(m.loops[n].kind, k):
                    twice += m.loops[n].rotor * component(v, k) * component(v, k)
    return twice

cdef inline Motion relative_bias(const CData* d, const CLoop* c) noexcept nogil:
    """Rate of (w, d'), at vd = 0 if d.a is so: accelerations seen from axes that turn with the predecessor."""
    cdef int B = c.predecessor, A = c.successor
    cdef Mat3 R = before_axes(d, c)
    cdef Vec3 x = after_in_predecessor(d, c)
    cdef Motion a = point_acceleration_of(d, A, c.p_after), b = point_acceleration_of(d, B, x)
    cdef Vec3 w = mul3(d.R[B], d.vel[B].w)
    cdef Vec3 turn = sub3(sub3(a.w, b.w), cross3(w, mul3(d.R[A], d.vel[A].w)))
    cdef Vec3 coriolis = cross3(w, slip(d, c, x))
    cdef Vec3 shift = sub3(sub3(a.v, b.v), add3(coriolis, coriolis))
    return motion(tmul3(R, turn), tmul3(R, shift))

cdef inline void loop_biases(const CModel* m, CData* d, double* k) noexcept nogil:
    """k = dK/dt v (nc,), and the same of the rotor rows (nr,) after it; poses and velocities are current."""
    cdef int n
    velocity_accelerations(m, d)
    for n in range(m.n_loops):
        scatter(m, m.loops + n, relative_bias(d, m.loops + n), k, 1, 0)

cdef inline Force loop_wrench(const CModel* m, const CData* d, const CLoop* c, const double* lam) noexcept nogil:
    """What a loop joint exerts on its successor, at the after-frame's origin, world axes; d.a is that of the motion.

    Along its rows lambda, along what it allows the inertia of its rotor.  The poses and velocities are current.
    """
    cdef int k, row = c.row
    cdef double f[6]
    cdef Motion a = relative_bias(d, c)
    cdef Mat3 R = before_axes(d, c)
    for k in range(6):
        if allows(c.kind, k):
            f[k] = -c.rotor * component(a, k)
        else:
            f[k] = lam[row]
            row += 1
    return force(mul3(R, vec3(f[0], f[1], f[2])), mul3(R, vec3(f[3], f[4], f[5])))

cdef inline Vec3 rotation_vector(Mat3 R) noexcept nogil:
    """The rotation vector, of length at most pi, of a rotation matrix, by the quaternion's largest component."""
    cdef double q[4]
    cdef double t = R.xx + R.yy + R.zz
    if t >= R.xx and t >= R.yy and t >= R.zz:
        q[0], q[1], q[2], q[3] = 1.0 + t, R.zy - R.yz, R.xz - R.zx, R.yx - R.xy
    elif R.xx >= R.yy and R.xx >= R.zz:
        q[0], q[1], q[2], q[3] = R.zy - R.yz, 1.0 + R.xx - R.yy - R.zz, R.yx + R.xy, R.xz + R.zx
    elif R.yy >= R.zz:
        q[0], q[1], q[2], q[3] = R.xz - R.zx, R.yx + R.xy, 1.0 - R.xx + R.yy - R.zz, R.zy + R.yz
    else:
        q[0], q[1], q[2], q[3] = R.yx - R.xy, R.xz + R.zx, R.zy + R.yz, 1.0 - R.xx - R.yy + R.zz
    t = 1.0 / sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    q[0], q[1], q[2], q[3] = t * q[0], t * q[1], t * q[2], t * q[3]
    return quat_log(q)

cdef inline Vec3 tilt(Vec3 a) noexcept nogil:
    """The rotation vector across z that takes z to the unit vector a; half a turn about x for a = -z."""
    cdef double s = hypot(a.x, a.y), angle = atan2(s, a.z)
    if s == 0.0:
        return vec3(angle, 0.0, 0.0)
    return vec3(-a.y * (angle / s), a.x * (angle / s), 0.0)

cdef inline Motion relative_error(const CData* d, const CLoop* c) noexcept nogil:
    """(u, d): how far the after-frame is from where the joint's motion could have taken it [rad, m]."""
    cdef Mat3 R = before_axes(d, c)
    cdef Mat3 C = matmul3(transpose3(R), matmul3(d.R[c.successor], c.R_after))
    cdef Vec3 way = sub3(after_origin(d, c), add3(d.p[c.predecessor], mul3(d.R[c.predecessor], c.p_before)))
    cdef Vec3 u = zero3()
    if c.kind == PRISMATIC or c.kind == FIXED:
        u = rotation_vector(C)
    elif c.kind == REVOLUTE or c.kind == PLANAR:
        u = tilt(vec3(C.xz, C.yz, C.zz))
    return motion(u, tmul3(R, way))

cdef inline void loop_errors(const CModel* m, const CData* d, double* e) noexcept nogil:
    """e (nc,), room for (nc + nr,); the poses are current."""
    cdef int n
    for n in range(m.n_loops):
        scatter(m, m.loops + n, relative_error(d, m.loops + n), e, 1, 0)
