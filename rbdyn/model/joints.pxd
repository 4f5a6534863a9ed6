# What each joint type does: the one place that asks for it.
#
# Conventions (rbdyn.mechanism.joints): one-dof joints act along or about z of the body's internal frame; spherical and
# floating joints have v in the parent-side frame; planar joints move in the x-y plane of the parent-side frame.
# E_J takes before-frame coordinates to body coordinates.  Source: RBDA table 4.1 and section 4.4.

from rbdyn.model._model cimport FLOATING, OWN, PLANAR, PRISMATIC, REVOLUTE, SPHERICAL, CData, CModel
from rbdyn.spatial._algebra cimport (
    ArticulatedInertia, Force, Mat3, Motion, Sym3, Vec3, Xform, add3, add_m, cross3, force, matmul3,
    motion, mul3, mul_a, neg3, power, real, rotate33, rotate_s, row_x, row_y, row_z, rows3, scale3, sincos_r, splat,
    tmul3, transpose3, vec3, xform, zero3,
)

cdef inline Mat3 quat_E(const real* q) noexcept nogil:
    """R^T of a unit quaternion [w, x, y, z]: parent to child coordinates."""
    cdef real w = q[0], x = q[1], y = q[2], z = q[3]
    return rows3(vec3(1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 2.0 * (x * z - w * y)),
                 vec3(2.0 * (x * y - w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + w * x)),
                 vec3(2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y)))

cdef inline Mat3 spquat_E(const real* p) noexcept nogil:
    """R^T of a stereographic projection p = (x, y, z) / (1 + w): w = (1 - p.p) / (1 + p.p), (x, y, z) = (1 + w) p."""
    cdef real q[4]
    cdef real n = p[0] * p[0] + p[1] * p[1] + p[2] * p[2]
    cdef real k = 1.0 / (1.0 + n)
    q[0] = (1.0 - n) * k
    q[1] = 2.0 * k * p[0]
    q[2] = 2.0 * k * p[1]
    q[3] = 2.0 * k * p[2]
    return quat_E(&q[0])

cdef inline Mat3 turned_z(real s, real c, Mat3 E) noexcept nogil:
    """Rz(angle)^T E."""
    return rows3(add3(scale3(c, row_x(E)), scale3(s, row_y(E))),
                 add3(scale3(c, row_y(E)), scale3(-s, row_x(E))),
                 row_z(E))

cdef inline void joint_transform(const CModel* m, CData* d, int i) noexcept nogil:
    """X[i] = X_J(q_i) X_tree[i], and E_J of a multi-dof joint."""
    cdef const real* q = d.q + m.qi[i]
    cdef const Xform* T = m.X_tree + i
    cdef real s, c
    cdef int kind = m.kind[i]
    if kind == REVOLUTE:
        if m.representation[i] == OWN:
            sincos_r(q[0], &s, &c)
        else:
            s, c = q[0], q[1]
        d.X[i] = xform(turned_z(s, c, T.E), T.r)
    elif kind == PRISMATIC:
        d.X[i] = xform(T.E, add3(T.r, scale3(q[0], row_z(T.E))))
    elif kind == SPHERICAL:
        d.EJ[i] = quat_E(q)
        d.X[i] = xform(matmul3(d.EJ[i], T.E), T.r)
    elif kind == PLANAR:
        sincos_r(q[2], &s, &c)
        d.EJ[i] = rows3(vec3(c, s, splat(0.0)), vec3(-s, c, splat(0.0)), vec3(splat(0.0), splat(0.0), splat(1.0)))
        d.X[i] = xform(turned_z(s, c, T.E), add3(T.r, add3(scale3(q[0], row_x(T.E)), scale3(q[1], row_y(T.E)))))
    else:
        d.EJ[i] = quat_E(q + 3) if m.representation[i] == OWN else spquat_E(q + 3)
        d.X[i] = xform(matmul3(d.EJ[i], T.E), add3(T.r, tmul3(T.E, vec3(q[0], q[1], q[2]))))

cdef inline Motion joint_motion(const CModel* m, const CData* d, int i, const real* x) noexcept nogil:
    """S_i x, for the joint's own entries x of v or vd."""
    cdef int kind = m.kind[i]
    if kind == REVOLUTE:
        return motion(vec3(splat(0.0), splat(0.0), x[0]), zero3())
    if kind == PRISMATIC:
        return motion(zero3(), vec3(splat(0.0), splat(0.0), x[0]))
    if kind == SPHERICAL:
        return motion(mul3(d.EJ[i], vec3(x[0], x[1], x[2])), zero3())
    if kind == PLANAR:
        return motion(vec3(splat(0.0), splat(0.0), x[2]), mul3(d.EJ[i], vec3(x[0], x[1], splat(0.0))))
    return motion(mul3(d.EJ[i], vec3(x[3], x[4], x[5])), mul3(d.EJ[i], vec3(x[0], x[1], x[2])))

cdef inline Motion add_joint_motion(const CModel* m, const CData* d, int i, const real* x, Motion a) noexcept nogil:
    """a + S_i x, for the joint's own entries x of v or vd."""
    cdef int kind = m.kind[i]
    if kind == REVOLUTE:
        a.w.z = a.w.z + x[0]
        return a
    if kind == PRISMATIC:
        a.v.z = a.v.z + x[0]
        return a
    return add_m(a, joint_motion(m, d, i, x))

cdef inline Motion joint_bias(const CModel* m, const CData* d, int i, Motion vel) noexcept nogil:
    """c_J + v x v_J: the acceleration that the velocities alone give body i, whose velocity is `vel`.

    c_J is the rate of S in body coordinates times v.  It is zero but where a linear velocity is measured in the
    parent's axes: there c_J = (0, -w_J x v_J).
    """
    cdef real x
    cdef Motion vJ
    cdef int kind = m.kind[i]
    if kind == REVOLUTE:
        x = d.v[m.vi[i]]
        return motion(vec3(x * vel.w.y, -(x * vel.w.x), splat(0.0)), vec3(x * vel.v.y, -(x * vel.v.x), splat(0.0)))
    if kind == PRISMATIC:
        x = d.v[m.vi[i]]
        return motion(zero3(), vec3(x * vel.w.y, -(x * vel.w.x), splat(0.0)))
    vJ = joint_motion(m, d, i, d.v + m.vi[i])
    if kind == SPHERICAL:
        return motion(cross3(vel.w, vJ.w), cross3(vel.v, vJ.w))
    # w x v_J of the general rule, less w_J x v_J
    return motion(cross3(vel.w, vJ.w),
                  add3(cross3(vel.v, vJ.w), cross3(add3(vel.w, neg3(vJ.w)), vJ.v)))

cdef inline void joint_force(const CModel* m, const CData* d, int i, Force f, real* t) noexcept nogil:
    """t = S_i^T f, the joint's own entries of tau."""
    cdef Vec3 a
    cdef int kind = m.kind[i]
    if kind == REVOLUTE:
        t[0] = f.n.z
    elif kind == PRISMATIC:
        t[0] = f.f.z
    elif kind == SPHERICAL:
        a = tmul3(d.EJ[i], f.n)
        t[0] = a.x
        t[1] = a.y
        t[2] = a.z
    elif kind == PLANAR:
        a = tmul3(d.EJ[i], f.f)
        t[0] = a.x
        t[1] = a.y
        t[2] = f.n.z
    else:
        a = tmul3(d.EJ[i], f.f)
        t[0] = a.x
        t[1] = a.y
        t[2] = a.z
        a = tmul3(d.EJ[i], f.n)
        t[3] = a.x
        t[4] = a.y
        t[5] = a.z

cdef inline Motion joint_column(const CModel* m, const CData* d, int i, int j) noexcept nogil:
    """Column j of S_i."""
    cdef real e[6]
    cdef int k
    for k in range(6):
        e[k] = splat(0.0)
    e[j] = splat(1.0)
    return joint_motion(m, d, i, &e[0])

cdef inline int joint_axes_from(const CModel* m, const CData* d, int i, Mat3 E, Vec3* a) noexcept nogil:
    """Axes of the degrees of freedom of joint i in the frame from which E leads to body i.

    Returns how many of them, the first ones, slide; the others turn.
    """
    cdef int kind = m.kind[i]
    cdef Mat3 B
    if kind == REVOLUTE or kind == PRISMATIC:
        a[0] = row_z(E)
        return kind == PRISMATIC
    B = matmul3(transpose3(d.EJ[i]), E)         # its rows: v is measured along them
    a[0], a[1], a[2] = row_x(B), row_y(B), row_z(B)
    if kind == FLOATING:
        a[3], a[4], a[5] = a[0], a[1], a[2]
        return 3
    return 2 if kind == PLANAR else 0

cdef inline bint has_3dof_rotation(const CModel* m, int i) noexcept nogil:
    """Whether the last three degrees of freedom of joint i are an angular velocity in the parent-side axes."""
    return m.kind[i] == SPHERICAL or m.kind[i] == FLOATING

cdef inline bint floats_on_root(const CModel* m, int i) noexcept nogil:
    return m.kind[i] == FLOATING and m.parent[i] == 0

cdef inline void base_inertia(const ArticulatedInertia* A, Mat3 E, real* D) noexcept nogil:
    """S^T A S of a floating joint, v = [linear, angular]: A turned into the parent-side axes, its halves exchanged."""
    cdef Sym3 I = rotate_s(E, A.I_a), M = rotate_s(E, A.M)
    cdef Mat3 H = rotate33(E, A.H)
    D[0], D[6], D[7], D[12], D[13], D[14] = M.xx, M.xy, M.yy, M.xz, M.yz, M.zz
    D[18], D[19], D[20], D[21] = H.xx, H.xy, H.xz, I.xx
    D[24], D[25], D[26], D[27], D[28] = H.yx, H.yy, H.yz, I.xy, I.yy
    D[30], D[31], D[32], D[33], D[34], D[35] = H.zx, H.zy, H.zz, I.xz, I.yz, I.zz

cdef inline void joint_inertia(const CModel* m, const CData* d, int i, Force* U, real* D) noexcept nogil:
    """U = I^A S, one column each, and the lower triangle of D = S^T I^A S, rows 6 apart.  RBDA eqs. 7.43, 7.44.

    With S a unit vector, a one-dof joint's column is read off I^A.  A multi-dof joint on the root needs no U.
    """
    cdef const ArticulatedInertia* A = d.IA + i
    cdef int j, k, kind = m.kind[i]
    cdef Motion S
    if kind == REVOLUTE:
        U[0] = force(vec3(A.I_a.xz, A.I_a.yz, A.I_a.zz), row_z(A.H))
        D[0] = A.I_a.zz
        return
    if kind == PRISMATIC:
        U[0] = force(vec3(A.H.xz, A.H.yz, A.H.zz), vec3(A.M.xz, A.M.yz, A.M.zz))
        D[0] = A.M.zz
        return
    if kind == FLOATING and m.parent[i] == 0:
        base_inertia(A, d.EJ[i], D)
        return
    for j in range(m.nvi[i]):
        U[j] = mul_a(A[0], joint_column(m, d, i, j))
    for j in range(m.nvi[i]):
        S = joint_column(m, d, i, j)
        for k in range(j + 1):
            D[6 * j + k] = power(S, U[k])

cdef inline bint frees_z(const CModel* m, int i, const real* extra) noexcept nogil:
    """Whether nothing but inertia resists a revolute joint, neither a rotor nor an implicit gain.

    Then I^A - U D^-1 U^T has a zero row and column wz, and a third of what follows falls away.
    """
    return m.kind[i] == REVOLUTE and m.rotor[m.vi[i]] == 0.0 and extra is NULL

cdef inline void project_inertia(ArticulatedInertia* A, real s, Force U) noexcept nogil:
    """A <- A - s U U^T where that clears row and column wz; those are not written, since nobody reads them."""
    cdef Vec3 n = scale3(s, U.n), f = scale3(s, U.f)
    A.I_a.xx = A.I_a.xx - n.x * U.n.x
    A.I_a.xy = A.I_a.xy - n.x * U.n.y
    A.I_a.yy = A.I_a.yy - n.y * U.n.y
    A.H.xx = A.H.xx - n.x * U.f.x
    A.H.xy = A.H.xy - n.x * U.f.y
    A.H.xz = A.H.xz - n.x * U.f.z
    A.H.yx = A.H.yx - n.y * U.f.x
    A.H.yy = A.H.yy - n.y * U.f.y
    A.H.yz = A.H.yz - n.y * U.f.z
    A.M.xx = A.M.xx - f.x * U.f.x
    A.M.xy = A.M.xy - f.x * U.f.y
    A.M.xz = A.M.xz - f.x * U.f.z
    A.M.yy = A.M.yy - f.y * U.f.y
    A.M.yz = A.M.yz - f.y * U.f.z
    A.M.zz = A.M.zz - f.z * U.f.z

cdef inline Force projected_force(const ArticulatedInertia* A, Motion c) noexcept nogil:
    """A c after project_inertia, for the c of a revolute joint, which has no z components."""
    return force(vec3(A.I_a.xx * c.w.x + A.I_a.xy * c.w.y + A.H.xx * c.v.x + A.H.xy * c.v.y,
                      A.I_a.xy * c.w.x + A.I_a.yy * c.w.y + A.H.yx * c.v.x + A.H.yy * c.v.y,
                      splat(0.0)),
                 vec3(A.H.xx * c.w.x + A.H.yx * c.w.y + A.M.xx * c.v.x + A.M.xy * c.v.y,
                      A.H.xy * c.w.x + A.H.yy * c.w.y + A.M.xy * c.v.x + A.M.yy * c.v.y,
                      A.H.xz * c.w.x + A.H.yz * c.w.y + A.M.xz * c.v.x + A.M.yz * c.v.y))
