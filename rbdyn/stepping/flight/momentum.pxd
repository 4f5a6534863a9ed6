# Momentum of what floats freely: the velocity of a floating base is put where the momentum of its tree says.
#
# Nothing inside a tree changes its momentum: not its joints, their motors, springs and limits, nor contacts with
# itself.  To move all of it as one changes no velocity between its bodies, so that such contacts stay as they were
# solved.  So at the end of a step the linear momentum P, and the angular momentum L about the centre of mass c, are
# those of its start plus the impulses of gravity, of external wrenches and of forces on the base; with the joints'
# velocities, they tell the base's.  And c is where the mean of P leads.  Then P and c are exact to rounding, and L does
# not drift.
#
# What touches other things that fly changes its momentum by their impulses, and moves as contacts want it to.  Its base
# then gets the velocity that its momentum says: the velocities between the two change by as much as the mass matrix
# does in a step, which the next one puts right.  What is held by the ground, by way of others too, is left alone.

from libc.math cimport INFINITY
from libc.string cimport memcmp

from rbdyn.kernels.crba cimport composite_inertias
from rbdyn.model._model cimport CData, CModel
from rbdyn.model.joints.dispatch cimport floats_on_root, joint_motion, momentum_column
from rbdyn.model.joints.floating cimport placed_by
from rbdyn.spatial._algebra cimport (
    Force, Inertia, Mat3, Motion, Sym3, Vec3, add3, add_f, apply_t, cross3, dot3, force, motion, mul3, mul_i, outer_s,
    scale3, scale_f, sub3, sub_f, sub_s, sym3, tmul3, vec3, zero_f,
)
from rbdyn.spatial.constants cimport load_mat3
from rbdyn.stepping.flight.midpoint cimport look_ahead
from rbdyn.stepping.scene cimport System
from rbdyn.stepping.wrenches cimport sum_wrenches

cdef inline bint drifts(const System* s) noexcept nogil:
    """Whether there are floating bases on the root, and nothing but inertia and given forces acts on them."""
    cdef int i, k
    cdef bint found = False
    for i in range(1, s.m.nb):
        if floats_on_root(s.m, i):
            found = True
            for k in range(s.m.vi[i], s.m.vi[i] + 6):
                if s.m.rotor[k] != 0.0 or s.work.extra[k] != 0.0 or s.control.top_speed[k] < INFINITY:
                    return False
                if s.control.friction[k] > 0.0 or s.control.static_friction[k] > 0.0:
                    return False
    return found

cdef inline void momenta_beyond(const CModel* m, CData* d) noexcept nogil:
    """d.f[i], in body i: the momentum that the joints beyond it give to its subtree.  Writes d.Ic too.

    A joint that moves alone carries all bodies beyond it as one: the sum of I^c_j S_j v_j over the joints j beyond i.
    """
    cdef int i, j
    cdef Force h
    composite_inertias(m, d)
    for i in range(m.nb):
        d.f[i] = zero_f()
    for i in range(m.nb - 1, 0, -1):
        if m.parent[i]:
            h = d.f[i]
            for j in range(m.nvi[i]):
                h = add_f(h, scale_f(d.v[m.vi[i] + j], momentum_column(m, d, i, j, d.Ic + i)))
            d.f[m.parent[i]] = add_f(d.f[m.parent[i]], apply_t(d.X[i], h))

cdef inline Force move_f(Force h, Vec3 c) noexcept nogil:
    """The force vector about a point c from the origin."""
    return force(sub3(h.n, cross3(c, h.f)), h.f)

cdef inline void tree_momentum(System* s, const CData* d, int i, Motion twist) noexcept nogil:
    """Momentum and centre of mass of the tree of a floating body i that moves with `twist`, in the place d."""
    cdef Force h = add_f(d.f[i], mul_i(d.Ic[i], twist))
    s.work.centre[i] = scale3(1.0 / d.Ic[i].m, tmul3(d.EJ[i], d.Ic[i].h))
    s.work.momentum[i] = move_f(force(tmul3(d.EJ[i], h.n), tmul3(d.EJ[i], h.f)), s.work.centre[i])

cdef inline bint unchanged(const System* s) noexcept nogil:
    """Whether the state is, bit for bit, where the latest step ended."""
    return (memcmp(s.d.q, s.work.q_next, s.m.nq * sizeof(double)) == 0
            and memcmp(s.d.v, s.work.v_next, s.m.nv * sizeof(double)) == 0)

cdef inline void note_momentum(System* s, bint wanted) noexcept nogil:
    """Momentum at the start of the step.  What the latest step left are the same bits, and is used again."""
    cdef int i
    cdef bint known = s.work.kept and unchanged(s)
    s.work.kept = False
    if not wanted or known or not drifts(s):
        return
    momenta_beyond(s.m, s.d)
    for i in range(1, s.m.nb):
        if floats_on_root(s.m, i):
            tree_momentum(s, s.d, i, joint_motion(s.m, s.d, i, s.d.v + s.m.vi[i]))

cdef inline void note_blow(System* s, int body, Vec3 at, Vec3 impulse, Vec3 moment) noexcept nogil:
    """An impulse [N s] at a point, and a moment [N m s], on a body of a floating tree; all in world axes."""
    cdef int i = body
    cdef Mat3 E
    cdef Vec3 f, n, arm
    while s.m.parent[i]:
        i = s.m.parent[i]
    if s.work.grounded or not floats_on_root(s.m, i):
        return
    E = load_mat3(s.m.X_tree[i].E)
    f = mul3(E, tmul3(s.d.R[0], impulse))
    n = mul3(E, tmul3(s.d.R[0], moment))
    arm = sub3(mul3(E, tmul3(s.d.R[0], sub3(at, s.d.p[i]))), s.work.centre[i])
    s.work.momentum[i] = add_f(s.work.momentum[i], force(add3(n, cross3(arm, f)), f))

cdef inline Force impulse_on(const System* s, int i, double dt, Vec3 c, const Force* total) noexcept nogil:
    """What gravity, external wrenches and forces on joint i give to its tree in a step.

    In the axes before the joint, about the centre of mass; c is where that is, from the body's origin, in the mean.
    """
    cdef const double* tau = s.work.tau + s.m.vi[i]
    cdef Force h = force(vec3(tau[3], tau[4], tau[5]), vec3(tau[0], tau[1], tau[2]))
    cdef Vec3 n, f
    if s.control.has_wrenches:
        n = mul3(load_mat3(s.m.X_tree[i].E), tmul3(s.d.R[0], total[i].n))
        f = mul3(load_mat3(s.m.X_tree[i].E), tmul3(s.d.R[0], total[i].f))
        h = add_f(h, force(n, f))
    h = move_f(h, c)
    h.f = add3(h.f, scale3(s.ahead.Ic[i].m, mul3(load_mat3(s.m.X_tree[i].E), s.d.gravity)))
    return scale_f(dt, h)

cdef inline Vec3 solve_s(Sym3 A, Vec3 b) noexcept nogil:
    """A^-1 b, A positive definite: A = L D L^T."""
    cdef double lx = A.xy / A.xx, mx = A.xz / A.xx
    cdef double yy = A.yy - lx * A.xy, yz = A.yz - lx * A.xz
    cdef double ly = yz / yy
    cdef double zz = A.zz - mx * A.xz - ly * yz
    cdef double y = b.y - lx * b.x
    cdef double z = (b.z - mx * b.x - ly * y) / zz
    y = y / yy - ly * z
    return vec3(b.x / A.xx - lx * y - mx * z, y, z)

cdef inline Motion motion_of(const Inertia* A, Force h) noexcept nogil:
    """The motion v with I v = h, by way of the centre of mass."""
    cdef Vec3 c = scale3(1.0 / A.m, A.h)
    cdef double mc = A.m * dot3(c, c)
    cdef Sym3 I = sub_s(A.I_o, sub_s(sym3(mc, 0.0, 0.0, mc, 0.0, mc), outer_s(A.m, c)))
    cdef Vec3 w = solve_s(I, sub3(h.n, cross3(c, h.f)))
    return motion(w, add3(scale3(1.0 / A.m, h.f), cross3(c, w)))

cdef inline void put_base(System* s, int i, double dt, const Force* total) noexcept nogil:
    """The velocity and the place of the floating body i at the end of the step."""
    cdef CData* d = &s.ahead
    cdef double* x = s.work.q_next + s.m.qi[i]
    cdef double* v = s.work.v_next + s.m.vi[i]
    cdef const double* x0 = s.d.q + s.m.qi[i]
    cdef Vec3 c0 = s.work.centre[i], c1 = scale3(1.0 / d.Ic[i].m, tmul3(d.EJ[i], d.Ic[i].h)), u, w, way
    cdef Force h0 = s.work.momentum[i]
    cdef Force h = add_f(h0, impulse_on(s, i, dt, scale3(0.5, add3(c0, c1)), total))
    way = add3(sub3(c0, c1), scale3(0.5 * dt / d.Ic[i].m, add3(h0.f, h.f)))
    if not s.work.outside:
        x[0], x[1], x[2] = x0[0] + way.x, x0[1] + way.y, x0[2] + way.z
    h = move_f(h, vec3(-c1.x, -c1.y, -c1.z))
    twist = motion_of(d.Ic + i, sub_f(force(mul3(d.EJ[i], h.n), mul3(d.EJ[i], h.f)), d.f[i]))
    u = tmul3(d.EJ[i], twist.v)
    w = tmul3(d.EJ[i], twist.w)
    v[0], v[1], v[2], v[3], v[4], v[5] = u.x, u.y, u.z, w.x, w.y, w.z
    d.X[i] = placed_by(x, s.m.X_tree + i, d.EJ[i])
    tree_momentum(s, d, i, joint_motion(s.m, d, i, v))

cdef inline void keep_momentum(System* s, double dt) noexcept nogil:
    """Put the bases that float freely, of a system that nothing holds, at the end of the step."""
    cdef int i
    if not drifts(s):
        return
    look_ahead(s, s.work.q_next, s.work.v_next)
    momenta_beyond(s.m, &s.ahead)
    if s.control.has_wrenches:
        sum_wrenches(s.m, s.d, &s.ahead, &s.control, s.ahead.pA)
    for i in range(1, s.m.nb):
        if floats_on_root(s.m, i):
            put_base(s, i, dt, s.ahead.pA)
    s.work.kept = True
