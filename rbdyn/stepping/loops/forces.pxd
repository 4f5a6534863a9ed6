# What acts along the directions that eliminated loop joints allow: springs, dampers, rotors and motors, as in the tree.
#
# Along such a direction, with the row y in normalised coordinates, a loop joint gives the impulse p - w y.x while its
# system comes to move with x: p is what springs, motors and the motion so far ask for, w what is implicit of it by the
# theta-scheme (joint_forces.pxd), and the inertia of a rotor.  With the tree's free velocity t and the loops' rows Y
#
#     x + sum y w (y.x) = t + sum y p + Y lambda,    Y^T x = b
#
# In the coordinates of Q (elimination.pxd) the first `rank` entries of x follow from b, and the others from
# (1 + sum w y y^T) x = t + sum y (p - w y1.x1) of the free ones: a Cholesky factor G, which is also what rows of other
# constraints see of it.
#
# In the middle of the step y are the rows there, and J u, from which springs and dampers look ahead, is that of the
# start's velocity with them: then the mean position of a spring, and what it takes and gives, are of second order.
#
# A motor within its effort limits acts so; beyond one it gives the limit; of one that is neither for sure, which
# impulses tell, the solver decides (constraints/bodies/freedoms.pyx).

from libc.math cimport fabs, sqrt
from libc.string cimport memset

from rbdyn.kernels.cod cimport dot, times_q_transposed
from rbdyn.kernels.loops cimport component, row_bias
from rbdyn.model._model cimport CData, CLoop
from rbdyn.model.joints.dispatch cimport allowed_directions, coordinate_difference
from rbdyn.stepping.columns cimport to_normalised
from rbdyn.stepping.freedom cimport Freedom, damper_theta, is_driven, is_passive, spring_theta
from rbdyn.stepping.loops.rows cimport loop_coordinate, loop_row
from rbdyn.stepping.scene cimport MOTOR_AT_LOWER, MOTOR_AT_UPPER, MOTOR_IN_ROW, MOTOR_WITHIN, LoopForce, System
from rbdyn.stepping.scheme cimport Scheme

cdef inline const double* row_of(const System* s, int r) noexcept nogil:
    return s.work.loops.F + <size_t> s.m.nv * r

cdef inline const Freedom* freedom_of(const System* s, const LoopForce* f) noexcept nogil:
    return s.control.loop + f.loop

cdef inline void begin_forces(System* s, double dt, Scheme scheme) noexcept nogil:
    """A step begins: where something acts.  Motors are within their limits, but those that the solver has."""
    cdef const Freedom* f
    cdef int n, k, allowed
    s.work.loops.n_forces = 0
    s.work.loops.dt, s.work.loops.scheme = dt, scheme
    for n in range(s.m.n_loops):
        f, allowed = s.control.loop + n, allowed_directions(s.m.loops[n].kind)
        if s.work.loops.motor[n] != MOTOR_IN_ROW:
            s.work.loops.motor[n] = MOTOR_WITHIN
        if is_passive(f) or is_driven(f):
            for k in range(6):
                if allowed >> k & 1:
                    memset(s.work.loops.act + s.work.loops.n_forces, 0, sizeof(LoopForce))
                    s.work.loops.act[s.work.loops.n_forces].loop = n
                    s.work.loops.act[s.work.loops.n_forces].direction = k
                    s.work.loops.n_forces += 1

cdef inline void force_rows(System* s, const CData* d) noexcept nogil:
    """Their rows at the place d, in the coordinates of Q: the loops are decomposed there."""
    cdef const LoopForce* f
    cdef double* y
    cdef int r
    for r in range(s.work.loops.n_forces):
        f, y = s.work.loops.act + r, s.work.loops.F + <size_t> s.m.nv * r
        memset(y, 0, s.m.nv * sizeof(double))
        loop_row(s, d, s.m.loops + f.loop, f.direction, y)
        times_q_transposed(&s.work.loops.Y, y)

cdef inline double weight_of(const System* s, const LoopForce* f) noexcept nogil:
    """w: a motor at a limit, or in a row, has no part in it."""
    return f.weight + (f.drive_weight if s.work.loops.motor[f.loop] == MOTOR_WITHIN else 0.0)

cdef inline double drive_at(const System* s, const LoopForce* f) noexcept nogil:
    """What the motor gives at the rate f.rate, if that is not for the solver to decide."""
    cdef int state = s.work.loops.motor[f.loop]
    if state == MOTOR_IN_ROW:
        return 0.0
    if state == MOTOR_WITHIN:
        return f.drive_push - f.drive_weight * f.rate
    return f.share * (freedom_of(s, f).effort_upper if state == MOTOR_AT_UPPER else freedom_of(s, f).effort_lower)

cdef inline double push_of(const System* s, const LoopForce* f) noexcept nogil:
    """p."""
    if s.work.loops.motor[f.loop] == MOTOR_WITHIN:
        return f.push + f.drive_push
    return f.push + drive_at(s, f)

cdef inline void find_law(System* s, CData* d, int r, double u, double share) noexcept nogil:
    """Weights and pushes at the place d, whose d.a are accelerations at vd = 0; u = J u with the rows there."""
    cdef LoopForce* f = s.work.loops.act + r
    cdef const Freedom* a = freedom_of(s, f)
    cdef const CLoop* c = s.m.loops + f.loop
    cdef const double* y = row_of(s, r)
    cdef int rank = s.work.loops.Y.rank
    cdef double dt = s.work.loops.dt, theta = s.work.loops.scheme.theta, gamma = s.work.loops.scheme.gamma
    cdef double mobility = dot(s.m.nv - rank, y + rank, y + rank), q = 0.0, late
    f.share, f.start = share, u
    f.weight = a.rotor + dt * damper_theta(a.damping, dt, theta, mobility) * a.damping
    f.push = -a.damping * u
    if a.rotor > 0.0:
        f.push -= a.rotor * component(row_bias(d, c), f.direction)
    if a.stiffness > 0.0 or is_driven(a):
        q = loop_coordinate(s.d, c)
    if a.stiffness > 0.0:
        late = spring_theta(a.stiffness, dt, theta, mobility)
        f.weight += late * gamma * dt * dt * a.stiffness
        f.push += a.stiffness * (coordinate_difference(c.kind, a.rest - q) - late * dt * u)
    if is_driven(a):
        late = spring_theta(a.kp, dt, theta, mobility)
        f.drive_weight = dt * (damper_theta(a.kd, dt, theta, mobility) * a.kd + late * gamma * dt * a.kp)
        f.drive_push = (a.kp * (coordinate_difference(c.kind, a.target - q) - late * dt * u)
                        + a.kd * (a.target_speed - u) + a.force)

cdef inline void find_laws(System* s, CData* d, double share, bint gained) noexcept nogil:
    """Of all of them; impulses of a time `share`, or forces with 1.  `gained`: by what velocities are, not their rate.

    An impulse p - w (r+ - r) is that of p + w r.
    """
    cdef LoopForce* f
    cdef double* t = s.work.loops.y
    cdef double u
    cdef int r
    if s.work.loops.n_forces == 0:
        return
    to_normalised(s, s.d.v, t)
    times_q_transposed(&s.work.loops.Y, t)
    for r in range(s.work.loops.n_forces):
        f, u = s.work.loops.act + r, dot(s.m.nv, row_of(s, r), t)
        find_law(s, d, r, u, share)
        f.push *= share
        f.drive_push *= share
        if gained:
            f.push += f.weight * u
            f.drive_push += f.drive_weight * u

cdef inline void factor_forces(System* s) noexcept nogil:
    """G, lower, of 1 + sum w y y^T in the free coordinates."""
    cdef int i, j, r, rank = s.work.loops.Y.rank, n = s.m.nv - s.work.loops.Y.rank
    cdef double* G = s.work.loops.G
    cdef const double* y
    cdef double w, x
    if s.work.loops.n_forces == 0:
        return
    for i in range(n):
        for j in range(i):
            G[n * i + j] = 0.0
        G[n * i + i] = 1.0
    for r in range(s.work.loops.n_forces):
        y, w = row_of(s, r) + rank, weight_of(s, s.work.loops.act + r)
        for i in range(n):
            for j in range(i + 1):
                G[n * i + j] += w * y[i] * y[j]
    for j in range(n):
        G[n * j + j] = sqrt(G[n * j + j] - dot(j, G + n * j, G + n * j))
        for i in range(j + 1, n):
            x = G[n * i + j] - dot(j, G + n * i, G + n * j)
            G[n * i + j] = x / G[n * j + j]

cdef inline void to_free(const System* s, double* y) noexcept nogil:
    """y <- G^-1 y, for the free coordinates: a row as other constraints see it."""
    cdef int i, n = s.m.nv - s.work.loops.Y.rank
    if s.work.loops.n_forces:
        for i in range(n):
            y[i] = (y[i] - dot(i, s.work.loops.G + n * i, y)) / s.work.loops.G[n * i + i]

cdef inline void from_free(const System* s, double* x) noexcept nogil:
    """x <- G^-T x, for the free coordinates."""
    cdef int i, k, n = s.m.nv - s.work.loops.Y.rank
    if s.work.loops.n_forces:
        for i in range(n - 1, -1, -1):
            x[i] /= s.work.loops.G[n * i + i]
            for k in range(i):
                x[k] -= s.work.loops.G[n * i + k] * x[i]

cdef inline void to_rows(const System* s, double* x) noexcept nogil:
    """x <- G^T x, for the free coordinates: a velocity as rows see it."""
    cdef int i, k, n = s.m.nv - s.work.loops.Y.rank
    if s.work.loops.n_forces:
        for i in range(n):
            x[i] *= s.work.loops.G[n * i + i]
            for k in range(i + 1, n):
                x[i] += s.work.loops.G[n * k + i] * x[k]

cdef inline void move_with_forces(System* s, double* x) noexcept nogil:
    """x (nv,) in the coordinates of Q: in, what loops say of the first, and of the others what they are without."""
    cdef LoopForce* f
    cdef const double* y
    cdef double p
    cdef int i, r, rank = s.work.loops.Y.rank
    if s.work.loops.n_forces == 0:
        return
    factor_forces(s)
    for r in range(s.work.loops.n_forces):
        f, y = s.work.loops.act + r, row_of(s, r)
        p = push_of(s, f) - weight_of(s, f) * dot(rank, y, x)
        for i in range(rank, s.m.nv):
            x[i] += p * y[i]
    to_free(s, x + rank)
    from_free(s, x + rank)
    for r in range(s.work.loops.n_forces):
        s.work.loops.act[r].rate = dot(s.m.nv, row_of(s, r), x)

cdef inline int state_of(const System* s, const LoopForce* f, double slack) noexcept nogil:
    """Whether what a motor wants to give is within its limits, or beyond which one."""
    cdef double asked = f.drive_push - f.drive_weight * f.rate
    slack *= fabs(asked)
    if asked > f.share * freedom_of(s, f).effort_upper + slack:
        return MOTOR_AT_UPPER
    if asked < f.share * freedom_of(s, f).effort_lower - slack:
        return MOTOR_AT_LOWER
    return MOTOR_WITHIN

cdef inline bint motors_reach(System* s) noexcept nogil:
    """Motors that are beyond a limit go there, those that came back to the solver; whether forces change."""
    cdef const LoopForce* f
    cdef int* motor
    cdef bint changed = False
    cdef int r, state
    for r in range(s.work.loops.n_forces):
        f = s.work.loops.act + r
        motor = s.work.loops.motor + f.loop
        if motor[0] == MOTOR_IN_ROW or not is_driven(freedom_of(s, f)):
            continue
        state = state_of(s, f, 0.0)
        if state != motor[0]:
            motor[0] = state if motor[0] == MOTOR_WITHIN else MOTOR_IN_ROW
            changed = True
    return changed

cdef inline bint find_misjudged(System* s) noexcept nogil:
    """Motors that impulses took elsewhere are the solver's; whether there are any."""
    cdef const LoopForce* f
    cdef bint found = False
    cdef int r, state
    for r in range(s.work.loops.n_forces):
        f = s.work.loops.act + r
        state = s.work.loops.motor[f.loop]
        if state != MOTOR_IN_ROW and is_driven(freedom_of(s, f)) and state_of(s, f, 1e-9) != state:
            s.work.loops.motor[f.loop] = MOTOR_IN_ROW
            found = True
    return found

cdef inline void load_forces(System* s, double* load) noexcept nogil:
    """What they did in free motion is no load (rank,) of the loops."""
    cdef const LoopForce* f
    cdef const double* y
    cdef double impulse
    cdef int i, r
    for r in range(s.work.loops.n_forces):
        f, y = s.work.loops.act + r, row_of(s, r)
        impulse = push_of(s, f) - weight_of(s, f) * f.rate
        for i in range(s.work.loops.Y.rank):
            load[i] -= impulse * y[i]

cdef inline void keep_forces(System* s) noexcept nogil:
    """What they did in free motion is noted."""
    cdef const LoopForce* f
    cdef int r
    for r in range(s.work.loops.n_forces):
        f = s.work.loops.act + r
        s.work.loops.along[6 * f.loop + f.direction] += push_of(s, f) - weight_of(s, f) * f.rate
        if is_driven(freedom_of(s, f)):
            s.work.loops.drive[2 * f.loop] = drive_at(s, f)

cdef inline double forces_work(const System* s) noexcept nogil:
    """What they did in the step, by the mean of the velocities at its ends [J]."""
    cdef const LoopForce* f
    cdef double work = 0.0
    cdef int r
    for r in range(s.work.loops.n_forces if s.work.loops.eliminated else 0):
        f = s.work.loops.act + r
        work += 0.5 * (f.start + f.rate) * (push_of(s, f) - weight_of(s, f) * f.rate)
    return work

cdef inline void answer_impulses(System* s, const double* x) noexcept nogil:
    """What they do, beyond free motion, where impulses change the free coordinates by x; and what loops do of it."""
    cdef LoopForce* f
    cdef const double* y
    cdef double change
    cdef int i, r, rank = s.work.loops.Y.rank
    for r in range(s.work.loops.n_forces):
        f, y = s.work.loops.act + r, row_of(s, r)
        change = dot(s.m.nv - rank, y + rank, x)
        f.rate += change
        s.work.loops.along[6 * f.loop + f.direction] -= weight_of(s, f) * change
        if s.work.loops.motor[f.loop] == MOTOR_WITHIN and is_driven(freedom_of(s, f)):
            s.work.loops.drive[2 * f.loop] -= f.drive_weight * change
        for i in range(rank):
            s.work.loops.load[i] += weight_of(s, f) * change * y[i]
