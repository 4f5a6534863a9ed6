# What joints outside the tree demand: K v = 0, its rate K vd + k = 0, and e = 0.
#
# A loop joint compares two bodies that the tree has placed.  Seen from its before-frame, the after-frame moves with six
# velocities: (w, d'), w its angular velocity and d the way from origin to origin.  The joint allows some of them; the
# others are its rows, rotations first.  Angular velocities and the axes of d are exact at every configuration, so that
# d' is the exact rate of the translational error d.  The rotational error u is the shortest rotation vector that closes
# the loop, reversed: u.w = d(|u|^2 / 2)/dt exactly, and w = u' at u = 0, but not elsewhere.  A joint may couple a
# blocked translation with what it allows, or see rotations in axes of its own, which turn with it (LoopRows); its row
# is then the rate of its error at u = 0.
#
# Source: RBDA, the chapter on closed-loop systems.

from libc.math cimport sqrt

from rbdyn.kernels.acceleration cimport point_acceleration_of
from rbdyn.kernels.jacobian cimport joint_columns
from rbdyn.model._model cimport CData, CLoop, CModel
from rbdyn.model.joints.dispatch cimport (
    LoopRows, allowed_directions, loop_rotation_error, loop_rows, loop_rows_turn, row_force, row_motion, row_rate,
)
from rbdyn.spatial._algebra cimport (
    Force, Mat3, Motion, Vec3, add3, add_m, apply_m, cross3, force, matmul3, motion, mul3, sub3, tmul3, transpose3,
    vec3, zero_m,
)
from rbdyn.spatial.constants cimport Mat3d, Vec3d, load_mat3, load_vec3

cdef inline double component(Motion a, int k) noexcept nogil:
    """Entry k of six."""
    cdef Vec3 h = a.w if k < 3 else a.v
    k = k % 3
    return h.x if k == 0 else h.y if k == 1 else h.z

cdef struct Rows:         # where the rows of a loop joint stand in a matrix
    double* matrix
    size_t stride         # from row to row
    int row               # first of what the joint blocks
    int rotor_row         # first of its rotor's, or -1: they are not wanted

cdef inline void scatter(const CLoop* c, Motion a, Rows to, size_t at) noexcept nogil:
    """Put six numbers, as rows have them, in column `at`.

    The blocked ones go to the joint's rows, the others, weighted, to its rotor's: a rotor of inertia I adds I s s^T to
    M, s being the row of its degree of freedom, and is kept as sqrt(I) s.
    """
    cdef int k, row = to.row, rotor_row = to.rotor_row, allowed = allowed_directions(c.kind)
    for k in range(6):
        if not allowed >> k & 1:
            to.matrix[row * to.stride + at] = component(a, k)
            row += 1
        elif c.rotor > 0.0 and to.rotor_row >= 0:
            to.matrix[rotor_row * to.stride + at] = sqrt(c.rotor) * component(a, k)
            rotor_row += 1

cdef inline Mat3 before_axes(const CData* d, const CLoop* c) noexcept nogil:
    """Before-frame to world axes; the poses are current."""
    return matmul3(d.R[c.predecessor], load_mat3(c.R_before))

cdef inline Mat3d plain3(Mat3 A) noexcept nogil:
    """A matrix as joints without coordinates take it."""
    cdef Mat3d B
    B.xx, B.xy, B.xz = A.xx, A.xy, A.xz
    B.yx, B.yy, B.yz = A.yx, A.yy, A.yz
    B.zx, B.zy, B.zz = A.zx, A.zy, A.zz
    return B

cdef inline Mat3d relative_axes(const CData* d, const CLoop* c) noexcept nogil:
    """The after-frame's axes as seen from the before-frame; the poses are current."""
    return plain3(matmul3(transpose3(before_axes(d, c)), matmul3(d.R[c.successor], load_mat3(c.R_after))))

cdef inline LoopRows loop_rows_at(const CData* d, const CLoop* c) noexcept nogil:
    """What its rows see at the present q; the poses are current."""
    return loop_rows(c.kind, c.parameter, relative_axes(d, c) if loop_rows_turn(c.kind) else c.R_before)

cdef inline Vec3 after_origin(const CData* d, const CLoop* c) noexcept nogil:
    """Where the after-frame is in the world; the poses are current."""
    return add3(d.p[c.successor], mul3(d.R[c.successor], load_vec3(c.p_after)))

cdef inline void add_columns(const CModel* m, const CData* d, const CLoop* c, int i, double sign, Rows K,
                             size_t column) noexcept nogil:
    """Columns of joint i: how it moves the after-frame, or, with the sign turned, the before-frame's body."""
    cdef int k
    cdef Motion[6] S
    cdef Motion s
    cdef Mat3 R = before_axes(d, c)
    cdef Vec3 arm = sub3(after_origin(d, c), d.p[i])
    cdef LoopRows rows = loop_rows_at(d, c)
    joint_columns(m, d, i, S)
    for k in range(m.nvi[i]):
        s = motion(S[k].w, add3(S[k].v, cross3(S[k].w, arm)))
        s = motion(tmul3(R, s.w), tmul3(R, s.v))
        s = motion(vec3(sign * s.w.x, sign * s.w.y, sign * s.w.z), vec3(sign * s.v.x, sign * s.v.y, sign * s.v.z))
        scatter(c, row_motion(&rows, s), K, column + k)

cdef inline void loop_matrix(const CModel* m, const CData* d, double* K) noexcept nogil:
    """K (nc, nv), zeroed on entry; the poses are current.

    Joints that carry both ends move neither relative to the other: their columns stay zero.
    """
    cdef int n, a, b
    cdef Rows to
    to.matrix, to.stride, to.rotor_row = K, m.nv, -1
    for n in range(m.n_loops):
        to.row = m.loops[n].row
        a, b = m.loops[n].successor, m.loops[n].predecessor
        while a != b:
            if a > b:
                add_columns(m, d, m.loops + n, a, 1.0, to, m.vi[a])
                a = m.parent[a]
            else:
                add_columns(m, d, m.loops + n, b, -1.0, to, m.vi[b])
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
    return sub3(mul3(d.R[A], add3(d.vel[A].v, cross3(d.vel[A].w, load_vec3(c.p_after)))),
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

cdef inline Motion row_velocity(const CData* d, const CLoop* c) noexcept nogil:
    """(w, d') as the rows have it; poses and velocities are current."""
    cdef LoopRows rows = loop_rows_at(d, c)
    return row_motion(&rows, relative_velocity(d, c))

cdef inline double rotor_energy(const CModel* m, const CData* d) noexcept nogil:
    """Twice the kinetic energy of the rotors of loop joints; poses and velocities are current."""
    cdef int n, k, allowed
    cdef Motion v
    cdef double twice = 0.0
    for n in range(m.n_loops):
        if m.loops[n].rotor > 0.0:
            allowed = allowed_directions(m.loops[n].kind)
            v = row_velocity(d, m.loops + n)
            for k in range(6):
                if allowed >> k & 1:
                    twice += m.loops[n].rotor * component(v, k) * component(v, k)
    return twice

cdef inline Motion relative_bias(const CData* d, const CLoop* c) noexcept nogil:
    """Rate of (w, d'), at vd = 0 if d.a is so: accelerations seen from axes that turn with the predecessor."""
    cdef int B = c.predecessor, A = c.successor
    cdef Mat3 R = before_axes(d, c)
    cdef Vec3 x = after_in_predecessor(d, c)
    cdef Motion a = point_acceleration_of(d, A, load_vec3(c.p_after)), b = point_acceleration_of(d, B, x)
    cdef Vec3 w = mul3(d.R[B], d.vel[B].w)
    cdef Vec3 turn = sub3(sub3(a.w, b.w), cross3(w, mul3(d.R[A], d.vel[A].w)))
    cdef Vec3 coriolis = cross3(w, slip(d, c, x))
    cdef Vec3 shift = sub3(sub3(a.v, b.v), add3(coriolis, coriolis))
    return motion(tmul3(R, turn), tmul3(R, shift))

cdef inline Motion row_bias(const CData* d, const CLoop* c) noexcept nogil:
    """Rate of row_velocity, at vd = 0 if d.a is so."""
    cdef LoopRows rows = loop_rows_at(d, c)
    return row_rate(&rows, relative_velocity(d, c), relative_bias(d, c))

cdef inline void loop_biases(const CModel* m, CData* d, double* k) noexcept nogil:
    """k = dK/dt v (nc,), and the same of the rotor rows (nr,) after it; poses and velocities are current."""
    cdef int n
    cdef Rows to
    to.matrix, to.stride = k, 1
    velocity_accelerations(m, d)
    for n in range(m.n_loops):
        to.row, to.rotor_row = m.loops[n].row, m.nc + m.loops[n].rotor_row
        scatter(m.loops + n, row_bias(d, m.loops + n), to, 0)

cdef inline Force loop_wrench(const CModel* m, const CData* d, const CLoop* c, const double* lam) noexcept nogil:
    """What a loop joint exerts on its successor, at the after-frame's origin, world axes; d.a is that of the motion.

    Along its rows lambda, along what it allows the inertia of its rotor.  The poses and velocities are current.
    """
    cdef int k, row = c.row, allowed = allowed_directions(c.kind)
    cdef double f[6]
    cdef Motion a = row_bias(d, c)
    cdef Force g
    cdef LoopRows rows = loop_rows_at(d, c)
    cdef Mat3 R = before_axes(d, c)
    for k in range(6):
        if allowed >> k & 1:
            f[k] = -c.rotor * component(a, k)
        else:
            f[k] = lam[row]
            row += 1
    g = row_force(&rows, force(vec3(f[0], f[1], f[2]), vec3(f[3], f[4], f[5])))
    return force(mul3(R, g.n), mul3(R, g.f))

cdef inline Motion relative_error(const CData* d, const CLoop* c) noexcept nogil:
    """(u, d): how far the after-frame is from where the joint's motion could have taken it [rad, m]."""
    cdef Mat3 R = before_axes(d, c)
    cdef Vec3 way = sub3(after_origin(d, c), add3(d.p[c.predecessor], mul3(d.R[c.predecessor], load_vec3(c.p_before))))
    cdef Vec3d u
    way = tmul3(R, way)
    u = loop_rotation_error(c.kind, c.parameter, relative_axes(d, c), way.z)
    return motion(load_vec3(u), way)

cdef inline Motion row_error(const CData* d, const CLoop* c) noexcept nogil:
    """(u, d) as the rows have it."""
    cdef LoopRows rows = loop_rows_at(d, c)
    return row_motion(&rows, relative_error(d, c))

cdef inline void loop_errors(const CModel* m, const CData* d, double* e) noexcept nogil:
    """e (nc,); the poses are current."""
    cdef int n
    cdef Rows to
    to.matrix, to.stride, to.rotor_row = e, 1, -1
    for n in range(m.n_loops):
        to.row = m.loops[n].row
        scatter(m.loops + n, row_error(d, m.loops + n), to, 0)
