# A single rigid body in one step: free velocity, contact velocity change, motion.
#
# The angular momentum L = I w is what forces and impulses change; the angular velocity follows from it and the
# orientation.  So a free body keeps L to rounding, and it turns so that its energy is kept to rounding, too.

from libc.math cimport cos, fmin, isfinite, sin, sqrt
from libc.string cimport memcpy

from rbdyn.spatial._algebra cimport (
    Mat3, Sym3, Vec3, add3, cross3, dot3, mul3, outer3, rotate_s, scale3, smul3, sub3, sym3, tmul3, transpose3, vec3,
    zero3,
)
from rbdyn.spatial.quaternion cimport quat_E, quat_step
from rbdyn.stepping.scene cimport DYNAMIC, STATIC, Scene, SingleControl, SingleParameters, SingleScratch, SingleState
from rbdyn.stepping.scheme cimport EULER, SEMI_IMPLICIT, Scheme, in_contact
from rbdyn.stepping.wrenches cimport moment_of

cdef enum:
    MOST_TURNS = 10000        # parts of a step in which something spins

cdef struct Single:           # one of the scene's single bodies
    const SingleParameters* body
    SingleState* state
    SingleControl* control
    SingleScratch* work

cdef inline Single single_of(const Scene* s, int k) noexcept nogil:
    cdef Single b
    b.body = s.single + k
    b.state = s.single_state + k
    b.control = s.single_control + k
    b.work = s.single_scratch + k
    return b

cdef inline Vec3 spin(const Mat3* R, const Sym3* inverse_I_b, Vec3 L) noexcept nogil:
    """w = R I_b^-1 R^T L."""
    return mul3(R[0], smul3(inverse_I_b[0], tmul3(R[0], L)))

cdef inline Vec3 angular_momentum(const Single* b, const Mat3* R, Vec3 w) noexcept nogil:
    """L = R I_b R^T w."""
    return mul3(R[0], smul3(b.body.I_b, tmul3(R[0], w)))

cdef inline const Mat3* axes_of(const Single* b) noexcept nogil:
    """Its axes where impulses act on it: at the start of the step, or where it meets something fast."""
    return &b.work.R_met if b.work.blow.falls else &b.state.R

cdef inline Vec3 torque_on(const Single* b, double dt) noexcept nogil:
    """External torque about the centre of mass, forces where they act in the middle of the step [N m]."""
    cdef Mat3 lever = b.control.lever
    cdef double q[4]
    if (lever.xx == 0.0 and lever.xy == 0.0 and lever.xz == 0.0 and lever.yx == 0.0 and lever.yy == 0.0
            and lever.yz == 0.0 and lever.zx == 0.0 and lever.zy == 0.0 and lever.zz == 0.0):
        return b.control.torque
    memcpy(q, b.state.q, 4 * sizeof(double))
    quat_step(q, 0.5 * dt * b.state.w.x, 0.5 * dt * b.state.w.y, 0.5 * dt * b.state.w.z)
    return add3(b.control.torque, moment_of(lever, transpose3(quat_E(q))))

cdef inline void single_add_impulse(const Single* b, Vec3 impulse, Vec3 r) noexcept nogil:
    """Add the velocity change of an impulse [N s] at `r` from the centre of mass."""
    b.work.dv = add3(b.work.dv, scale3(b.work.inverse_mass, impulse))
    b.work.dw = add3(b.work.dw, smul3(b.work.inverse_I, cross3(r, impulse)))

cdef inline Vec3 turned_back(Vec3 L, Vec3 w) noexcept nogil:
    """exp(-w) L: Rodrigues, by half the angle."""
    cdef double angle = sqrt(dot3(w, w)), a = 1.0, b = 0.5, s
    cdef Vec3 x = cross3(w, L)
    if angle > 1e-9:
        s = sin(0.5 * angle)
        a, b = 2.0 * s * cos(0.5 * angle) / angle, 2.0 * s * s / (angle * angle)
    return add3(sub3(L, scale3(a, x)), scale3(b, cross3(w, x)))

cdef inline bint find_mean_spin(const Mat3* R, const Sym3* inverse_I_b, Vec3 L, double dt, Vec3* out) noexcept nogil:
    """mean_spin; whether it was found: of sticks that spin fast it is not, where dt is long."""
    cdef Vec3 l = tmul3(R[0], L), h = scale3(0.5 * dt, l), w, mean, change, x, y, z
    cdef Sym3 A = inverse_I_b[0]
    # the slope's rows, of w + dt / 2 I_b^-1 (w x L), and the columns of its inverse
    cdef Vec3 r = vec3(1.0 + A.xz * h.y - A.xy * h.z, A.xx * h.z - A.xz * h.x, A.xy * h.x - A.xx * h.y)
    cdef Vec3 s = vec3(A.yz * h.y - A.yy * h.z, 1.0 + A.xy * h.z - A.yz * h.x, A.yy * h.x - A.xy * h.y)
    cdef Vec3 t = vec3(A.zz * h.y - A.yz * h.z, A.xz * h.z - A.zz * h.x, 1.0 + A.yz * h.x - A.xz * h.y)
    cdef double d, left = 0.0
    x, y, z = cross3(s, t), cross3(t, r), cross3(r, s)
    d = 1.0 / dot3(r, x)
    w = zero3()
    for _ in range(60):
        mean = scale3(0.5, add3(l, turned_back(l, scale3(dt, w))))
        change = sub3(smul3(A, mean), w)
        change = scale3(d, add3(add3(scale3(change.x, x), scale3(change.y, y)), scale3(change.z, z)))
        w = add3(w, change)
        left = dot3(change, change)
        if left <= 1e-30 * dot3(w, w):
            break
    out[0] = mul3(R[0], w)
    return left <= 1e-20 * dot3(w, w)

cdef inline Vec3 mean_spin(const Mat3* R, const Sym3* inverse_I_b, Vec3 L, double dt) noexcept nogil:
    """w with which the body turns in dt: R I_b^-1 of the mean of R^T L before and after, by Newton's method.

    To turn about w leaves the component of R^T L along it alone, so that the energy L . R I_b^-1 R^T L / 2 is the same
    after as before.  In body axes w = I_b^-1 (L + exp(-dt w) L) / 2; with the slope at w = 0 a step gains a factor of
    about (dt |w|)^2.
    """
    cdef Vec3 w
    find_mean_spin(R, inverse_I_b, L, dt, &w)
    return w

cdef inline bint turn_in_parts(const Single* b, const double* q0, Mat3 R, Vec3 L, double dt, int n,
                               double* q) noexcept nogil:
    """turn_freely in n parts, to the end if that is the most; whether the mean spin of each was found."""
    cdef bint found = True
    cdef Vec3 w
    cdef int k
    dt = dt / n
    memcpy(q, q0, 4 * sizeof(double))
    for k in range(n):
        if k > 0:
            R = transpose3(quat_E(q))
        found = find_mean_spin(&R, &b.body.inverse_I_b, L, dt, &w) and found
        if not found and n < MOST_TURNS:
            return False
        quat_step(q, dt * w.x, dt * w.y, dt * w.z)
    return found

cdef inline void turn_freely(const Single* b, const double* q0, Mat3 R, Vec3 L, double dt, double* q) noexcept nogil:
    """Orientation q after dt under a constant angular momentum [N m s], from q0, whose matrix is R.

    A fast spin is cut into parts of less than a quarter of a radian, or more, until it is found.
    """
    cdef const Sym3* inverse = &b.body.inverse_I_b
    cdef Vec3 w = spin(&R, inverse, L)
    cdef double bound
    cdef int n = 1
    if dt * dt * dot3(w, w) > 0.5:                # |w| stays below |L| over the smallest moment of inertia
        bound = dt * sqrt(dot3(L, L)) * (inverse.xx + inverse.yy + inverse.zz)
        n = <int> fmin(4.0 * bound + 1.0, MOST_TURNS) if isfinite(bound) else 1
    while not turn_in_parts(b, q0, R, L, dt, n, q) and n < MOST_TURNS:
        n *= 2

cdef inline void go_to_meeting(const Single* b, double dt) noexcept nogil:
    """R_met, q_met, w_now: how it turns until it meets something, with the momentum that it has."""
    cdef double t = b.work.blow.at * dt
    cdef Vec3 L
    memcpy(b.work.q_met, b.state.q, 4 * sizeof(double))
    if b.body.isotropic:
        quat_step(b.work.q_met, t * b.state.w.x, t * b.state.w.y, t * b.state.w.z)
        b.work.R_met = transpose3(quat_E(b.work.q_met))
    else:
        L = angular_momentum(b, &b.state.R, b.state.w)
        turn_freely(b, b.state.q, b.state.R, L, t, b.work.q_met)
        b.work.R_met = transpose3(quat_E(b.work.q_met))
        b.work.w_now = spin(&b.work.R_met, &b.body.inverse_I_b, L)

cdef inline void single_free(const Single* b, Vec3 gravity, double dt) noexcept nogil:
    """Velocity without contact impulses, and the inverse inertia in world axes."""
    cdef const Mat3* R = axes_of(b)
    b.work.dv = zero3()
    b.work.dw = zero3()
    b.work.w_now = b.state.w
    if b.work.blow.falls:
        go_to_meeting(b, dt)
    b.work.in_contact = False
    b.work.before = 0.5
    b.work.v_free = b.state.v
    b.work.w_free = b.work.w_now
    b.work.inverse_mass = 0.0
    b.work.inverse_I = sym3(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    if b.body.type != DYNAMIC:
        return
    b.work.inverse_mass = 1.0 / b.body.mass
    b.work.inverse_I = b.body.inverse_I_b if b.body.isotropic else rotate_s(transpose3(R[0]), b.body.inverse_I_b)
    b.work.v_free = add3(b.state.v, scale3(dt, add3(gravity, scale3(b.work.inverse_mass, b.control.force))))
    b.work.w_free = add3(b.work.w_now, scale3(dt, smul3(b.work.inverse_I, torque_on(b, dt))))

cdef inline void single_push(const Single* b, double dt) noexcept nogil:
    """Correct the pose at the step's end.  The angular velocity turns with the body: its energy stays what it was."""
    cdef Vec3 w = b.work.push_w, w_b
    cdef Mat3 R = transpose3(quat_E(b.work.q_next))
    w_b = tmul3(R, b.work.w_next)
    b.work.p_next = add3(b.work.p_next, scale3(dt, b.work.push_v))
    quat_step(b.work.q_next, dt * w.x, dt * w.y, dt * w.z)
    b.work.w_next = mul3(transpose3(quat_E(b.work.q_next)), w_b)

cdef inline Vec3 way_past_meeting(const Single* b, double dt) noexcept nogil:
    """How far it goes in a step in which it meets something [m].

    What bounces, or is not hit, falls freely before and after, as what waits does with its common centre of mass.  What
    rests then does not, nor what waits for something that no impulse moves, which gravity would lead into it.
    """
    cdef double t = b.work.blow.at * dt, rest = dt - t, moving = b.work.moving * rest
    cdef Vec3 way = add3(scale3(t, b.state.v), scale3(moving, b.work.v_next))
    if moving < rest:
        way = add3(way, scale3(rest - moving, b.work.drift))
    if b.work.in_contact or (moving < rest and b.work.anchored):
        return way
    return add3(way, scale3(0.5 * (t * t - rest * rest) / dt, sub3(b.work.v_free, b.state.v)))

cdef inline void move_past_meeting(const Single* b, double dt) noexcept nogil:
    """The end of a step in which it meets something fast: by the old velocity until then, by the new one afterwards.

    So the impulses act where the bodies are at that time, and their angular momentum is exact.
    """
    cdef double moving = b.work.moving * (1.0 - b.work.blow.at) * dt
    cdef Vec3 way = way_past_meeting(b, dt), w, L
    b.work.p_next = add3(b.state.p, way)
    if b.body.isotropic:
        w = scale3(moving, b.work.w_next)
        memcpy(b.work.q_next, b.work.q_met, 4 * sizeof(double))
        quat_step(b.work.q_next, w.x, w.y, w.z)
    else:
        L = angular_momentum(b, &b.work.R_met, b.work.w_next)
        turn_freely(b, b.work.q_met, b.work.R_met, L, moving, b.work.q_next)
        b.work.R_met = transpose3(quat_E(b.work.q_next))
        b.work.w_next = spin(&b.work.R_met, &b.body.inverse_I_b, L)
    if b.work.pushed:
        single_push(b, dt)

cdef inline void single_move(const Single* b, Scheme scheme, double dt) noexcept nogil:
    """v_next, w_next, p_next, q_next.

    What meets nothing, and nothing holds, moves by the mean velocity.  What a blow turns round turns with its new
    angular momentum, which then keeps its energy.
    """
    cdef int rule = in_contact(scheme).rule if b.work.in_contact else scheme.rule
    cdef Vec3 v, w, L
    cdef Mat3 R
    b.work.v_next = add3(b.work.v_free, b.work.dv)
    b.work.w_next = add3(b.work.w_free, b.work.dw)
    if b.body.type == STATIC:                              # not a bit of it moves
        b.work.p_next = b.state.p
        memcpy(b.work.q_next, b.state.q, 4 * sizeof(double))
        return
    if b.work.blow.falls:
        move_past_meeting(b, dt)
        return
    if rule == SEMI_IMPLICIT:
        v = b.work.v_next
        w = b.work.w_next
    elif rule == EULER:
        v = b.state.v
        w = b.state.w
    else:
        v = scale3(0.5, add3(b.state.v, b.work.v_next))
        if b.work.before < 0.5:
            v = add3(scale3(b.work.before, b.state.v), scale3(1.0 - b.work.before, b.work.v_next))
        w = b.work.w_next
        if dot3(b.work.dw, b.work.dw) == 0.0:
            w = scale3(0.5, add3(b.state.w, w))
    b.work.p_next = add3(b.state.p, scale3(dt, v))
    if b.body.type == DYNAMIC and not b.body.isotropic:
        turn_freely(b, b.state.q, b.state.R, angular_momentum(b, &b.state.R, w), dt, b.work.q_next)
        L = angular_momentum(b, &b.state.R, b.work.w_next)
        R = transpose3(quat_E(b.work.q_next))
        b.work.w_next = spin(&R, &b.body.inverse_I_b, L)
    else:
        memcpy(b.work.q_next, b.state.q, 4 * sizeof(double))
        quat_step(b.work.q_next, dt * w.x, dt * w.y, dt * w.z)
    if b.work.pushed:
        single_push(b, dt)

cdef inline bint single_finite(const Single* b) noexcept nogil:
    cdef const SingleScratch* w = b.work
    return isfinite(w.p_next.x + w.p_next.y + w.p_next.z + w.v_next.x + w.v_next.y + w.v_next.z
                    + w.w_next.x + w.w_next.y + w.w_next.z
                    + w.q_next[0] + w.q_next[1] + w.q_next[2] + w.q_next[3])

cdef inline void single_clear_forces(const Single* b) noexcept nogil:
    """Forget the external forces: they live one step."""
    b.control.force = zero3()
    b.control.torque = zero3()
    b.control.lever = outer3(zero3(), zero3())

cdef inline void single_accelerations(const Single* b, double dt) noexcept nogil:
    """The step's mean acceleration, impulses included, while both velocities are known."""
    b.work.acceleration = scale3(1.0 / dt, sub3(b.work.v_next, b.state.v))
    b.work.angular_acceleration = scale3(1.0 / dt, sub3(b.work.w_next, b.state.w))

cdef inline void single_commit(const Single* b) noexcept nogil:
    """Take over the end of the step."""
    b.state.p = b.work.p_next
    memcpy(b.state.q, b.work.q_next, 4 * sizeof(double))
    b.state.R = transpose3(quat_E(b.state.q))
    b.state.v = b.work.v_next
    b.state.w = b.work.w_next
