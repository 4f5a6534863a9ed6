# An articulated system in one step: joint forces, free velocity, contact rows, velocity change, motion.

from libc.math cimport isfinite, sqrt
from libc.string cimport memcpy, memset

from rbdyn.kernels.aba cimport solve_upper
from rbdyn.kernels.configuration cimport integrate_joints
from rbdyn.model._model cimport TRANSFORMS, CData, CModel
from rbdyn.model.joints.dispatch cimport add_joint_motion, joint_column
from rbdyn.spatial._algebra cimport (
    Force, Mat3, Motion, Vec3, Xform, add3, add_m, apply_m, cross3, force, motion, mul3, power, scale_f, scale_m, sub3,
    sub_m, vec3, zero_f, zero_m,
)
from rbdyn.stepping.flight.energy cimport bound_energy, impulses_act
from rbdyn.stepping.flight.free cimport (
    accelerate_at_start, factor_at_start, fastest_turn, flies, floats, is_fast, largest_turn, matters,
)
from rbdyn.stepping.flight.midpoint cimport midpoint_acceleration
from rbdyn.stepping.flight.momentum cimport keep_momentum
from rbdyn.stepping.flight.parts cimport fly_at_once, fly_in_parts
from rbdyn.stepping.flight.runge_kutta cimport runge_kutta
from rbdyn.stepping.joint_forces cimport actuation
from rbdyn.stepping.scene cimport System
from rbdyn.stepping.scheme cimport EULER, RUNGE_KUTTA, SEMI_IMPLICIT, Scheme

cdef inline void system_free(System* s, double dt, Scheme scheme) noexcept nogil:
    """v_free = u + dt M~^-1 (tau - h), by the articulated-body algorithm with the implicit diagonal.

    The factors are those at the start of the step, for constraints; v_free that of the middle, where nothing touches,
    or of motion in parts, where it is fast.
    """
    cdef double turn
    cdef int k
    accelerate_at_start(s, dt, scheme, floats(s, scheme))
    s.work.turning = fastest_turn(s.m, s.d.v)
    turn = largest_turn(s, s.work.turning, dt) if scheme.keeps_momentum else 0.0
    s.work.parts = 0
    if is_fast(turn):
        fly_in_parts(s, dt, scheme)
        factor_at_start(s, dt, scheme, floats(s, scheme))
    elif s.work.touched and matters(turn):
        fly_at_once(s, dt)
    else:
        if flies(s, scheme):
            midpoint_acceleration(s, dt)
        for k in range(s.m.nv):
            s.work.v_free[k] = s.d.v[k] + dt * s.work.vd[k]

cdef inline Motion world_motion(const System* s, int i, Motion a) noexcept nogil:
    """A motion vector of body i, in world axes about the system's origin."""
    cdef Vec3 w = mul3(s.d.R[i], a.w)
    return motion(w, add3(mul3(s.d.R[i], a.v), cross3(sub3(s.d.p[i], s.work.origin), w)))

cdef inline Force world_force(const System* s, int i, Force a) noexcept nogil:
    """A force vector of body i, in world axes about the system's origin."""
    cdef Vec3 f = mul3(s.d.R[i], a.f)
    return force(add3(mul3(s.d.R[i], a.n), cross3(sub3(s.d.p[i], s.work.origin), f)), f)

cdef inline void normalise_columns(System* s) noexcept nogil:
    """S and U with S^T I^A S = 1 for each degree of freedom, and the free twist of each body.

    With D = L L^T, S <- S L^-T and U <- I^A S L^-T.  Then the Delassus matrix is a sum of products of
    y_k = S_k . P over shared columns, P being a unit impulse carried towards the root: P <- P - U_k y_k.
    """
    cdef const CModel* m = s.m
    cdef CData* d = s.d
    cdef const double* L
    cdef int i, j, k, v0, n
    cdef double r
    cdef Motion S
    s.work.origin = d.p[1] if m.nb > 1 else d.p[0]
    s.work.twist[0] = zero_m()
    for i in range(1, m.nb):
        v0 = m.vi[i]
        n = m.nvi[i]
        L = d.D + 6 * v0
        s.work.twist[i] = add_joint_motion(m, d, i, s.work.v_free + v0, apply_m(d.X[i], s.work.twist[m.parent[i]]))
        if n == 1:
            r = 1.0 / sqrt(L[0])
            s.work.S[v0] = scale_m(r, world_motion(s, i, joint_column(m, d, i, 0)))
            s.work.U[v0] = scale_f(r, world_force(s, i, d.U[v0]))
        else:
            for j in range(n):                  # rows of L^-1 S^T; d.U holds L^-1 U^T already
                S = world_motion(s, i, joint_column(m, d, i, j))
                for k in range(j):
                    S = sub_m(S, scale_m(L[6 * j + k], s.work.S[v0 + k]))
                s.work.S[v0 + j] = scale_m(1.0 / L[6 * j + j], S)
                s.work.U[v0 + j] = world_force(s, i, d.U[v0 + j]) if m.parent[i] else zero_f()  # the root takes none
    memcpy(s.work.L, d.D, 6 * m.nv * sizeof(double))
    memset(s.work.z, 0, m.nv * sizeof(double))
    memset(s.work.held, 0, m.nv * sizeof(bint))

cdef inline Vec3 point_velocity(const System* s, int i, Motion twist, Vec3 at) noexcept nogil:
    """World velocity of the point `at` of body i that moves with `twist` (body axes)."""
    return add3(mul3(s.d.R[i], twist.v), cross3(mul3(s.d.R[i], twist.w), sub3(at, s.d.p[i])))

cdef inline void joint_velocities(System* s, double* z) noexcept nogil:
    """z = Y^T lambda -> M~^-1 J^T lambda, in place, root to leaves.

    x = z_k - U_k . a_parent is the normalised acceleration of a column; L^-T x the joint's.
    """
    cdef const CModel* m = s.m
    cdef int i, j, v0, n
    cdef double x
    cdef Motion a
    s.work.change[0] = zero_m()
    for i in range(1, m.nb):
        v0 = m.vi[i]
        n = m.nvi[i]
        a = s.work.change[m.parent[i]]
        s.work.change[i] = a
        for j in range(n):
            x = z[v0 + j] - power(a, s.work.U[v0 + j])
            z[v0 + j] = x
            s.work.change[i] = add_m(s.work.change[i], scale_m(x, s.work.S[v0 + j]))
        if n == 1:
            z[v0] = z[v0] / sqrt(s.work.L[6 * v0])
        else:
            solve_upper(n, s.work.L + 6 * v0, z + v0)

cdef inline void system_change(System* s) noexcept nogil:
    """v_next = v_free + M~^-1 J^T lambda."""
    cdef int k
    memcpy(s.work.v_next, s.work.v_free, s.m.nv * sizeof(double))
    if s.work.active:
        joint_velocities(s, s.work.z)
        for k in range(s.m.nv):
            s.work.v_next[k] += s.work.z[k]

cdef inline bint moves_freely(const System* s) noexcept nogil:
    """Whether its free motion leads it where it is at the end, since nothing changes its velocity."""
    return s.work.parts > 0 and not impulses_act(s)

cdef inline void system_move(System* s, int rule, double dt) noexcept nogil:
    """q_next by the position rule.

    What a limit holds moves with its new velocity: its target would let the mean velocity overshoot.  What is hit fast
    moves by its old velocity until then.
    """
    cdef int k
    memcpy(s.work.q_next, s.d.q, s.m.nq * sizeof(double))
    if moves_freely(s):
        memcpy(s.work.q_next, s.work.q_free, s.m.nq * sizeof(double))
        if s.work.pushed:
            integrate_joints(s.m, s.work.q_next, s.work.push, dt)
        return
    for k in range(s.m.nv):
        if rule == SEMI_IMPLICIT:
            s.work.z[k] = s.work.v_next[k]
        elif rule == EULER:
            s.work.z[k] = s.d.v[k]
        else:
            s.work.z[k] = 0.5 * (s.d.v[k] + s.work.v_next[k])
    if s.work.blow.falls:
        for k in range(s.m.nv):
            s.work.z[k] = s.work.blow.at * s.d.v[k] + (1.0 - s.work.blow.at) * s.work.v_next[k]
    if s.work.n_near:
        for k in range(s.m.nv):
            if s.work.held[k]:
                s.work.z[k] = s.work.v_next[k]
    if s.work.pushed:
        for k in range(s.m.nv):
            s.work.z[k] += s.work.push[k]
    integrate_joints(s.m, s.work.q_next, s.work.z, dt)

cdef inline void system_settle(System* s, double dt, Scheme scheme) noexcept nogil:
    """The end of a step in flight: what the Runge-Kutta method or the laws of momentum say of it.

    Then, where joints turn fast and constraints act, that there is not too much energy in it.  What actuators did in
    the step belongs to the velocities that are left.
    """
    cdef bint told = False
    if s.work.parts > 1 and moves_freely(s):
        told = True
        memcpy(s.work.applied, s.work.mean_applied, s.m.nv * sizeof(double))
        if s.work.pushed and floats(s, scheme):
            keep_momentum(s, dt)
    elif flies(s, scheme) and scheme.rule == RUNGE_KUTTA and s.work.n_near == 0 and s.work.n_motor_rows == 0:
        runge_kutta(s, dt)
        told = True
    elif floats(s, scheme):
        keep_momentum(s, dt)
    if scheme.keeps_momentum:
        bound_energy(s, dt)
    if not told:
        actuation(s, dt)

cdef inline bint system_finite(const System* s) noexcept nogil:
    cdef double total = 0.0
    cdef int k
    for k in range(s.m.nv):
        total += 0.0 * s.work.v_next[k]
    for k in range(s.m.nq):
        total += 0.0 * s.work.q_next[k]
    return total == 0.0

cdef inline void system_accelerations(System* s, double dt) noexcept nogil:
    """The step's mean acceleration, impulses included, while both velocities are known."""
    cdef int k
    for k in range(s.m.nv):
        s.work.acceleration[k] = (s.work.v_next[k] - s.d.v[k]) / dt

cdef inline void system_commit(System* s) noexcept nogil:
    """Take over the end of the step."""
    memcpy(s.d.q, s.work.q_next, s.m.nq * sizeof(double))
    memcpy(s.d.v, s.work.v_next, s.m.nv * sizeof(double))
    s.d.stage = 0
    if s.work.kept:
        memcpy(s.d.X, s.ahead.X, s.m.nb * sizeof(Xform))
        memcpy(s.d.EJ, s.ahead.EJ, s.m.nb * sizeof(Mat3))
        s.d.stage = TRANSFORMS
