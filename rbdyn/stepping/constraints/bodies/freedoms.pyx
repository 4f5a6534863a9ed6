"""Springs, dampers, rotors, dry friction, limits and motors of joints that have no coordinate: rows along directions.

At its velocity r the joint opens along the direction; u is r at the start of the step.

- Spring, damper and rotor: the impulse of (I + theta dt D + theta gamma dt^2 K) (r+ - u) =
  dt (K (rest - q - theta dt u) - D u) is lam = -w (r+ - r*), a bilateral row of compliance 1 / w whose velocity counts
  from r*.
- Motor: likewise, within its effort limits.  One that is not told to follow anything would need a row of no weight; it
  has that of a ten-millionth of what it moves.
- Dry friction: a box of f dt.
- Limits: a unilateral row for each end that is near, and for each end of the velocities.  Ends of its way may give way.

theta is that of springs and dampers of joints of the tree (joint_forces.pxd).  What is too stiff for the step to be
seen swinging acts at the end of the step, and comes to rest.
"""

from libc.math cimport INFINITY, fabs, fmax, fmin

from rbdyn.contact.problem cimport BILATERAL, BOX, UNILATERAL, Block, Key, RowSide
from rbdyn.contact.targets cimport arriving_velocity, effective_friction, less_uphill, position_target
from rbdyn.model.joints.dispatch cimport allowed_directions, coordinate_difference
from rbdyn.stepping.builder cimport begin_row, close_row
from rbdyn.stepping.freedom cimport (
    ABOVE, BELOW, DRIVE, DRY, LOWER, PASSIVE, UPPER, damper_theta, is_driven, is_passive, only_direction,
    spring_theta, width,
)

cdef double REACH = 50.0       # change of velocity that other impulses are expected to stay below [rad/s or m/s]
cdef double UNRESOLVED = 4.0   # (w dt)^2 beyond which steps do not tell how a spring of frequency w swings
cdef double LIGHT = 1e-7       # of what it moves: the weight of a motor that follows nothing


cdef int near_ends(const Scene* s, const Freedom* f, double q, double now, double then) noexcept nogil:
    """Which ends of its limits a joint could pass in this step, with its velocities at both ends of free motion."""
    cdef double most = s.dt * REACH, least = fmin(now, then), greatest = fmax(now, then)
    return ((q - f.lower + s.dt * least < most) | (f.upper - q - s.dt * greatest < most) << 1
            | (f.top_speed + least < REACH) << 2 | (f.top_speed - greatest < REACH) << 3)


cdef inline bint is_rough(const Freedom* f) noexcept nogil:
    """Whether dry friction acts."""
    return f.friction > 0.0 or f.static_friction > 0.0 and f.static_threshold > 0.0


cdef int forces_of(const Freedom* f) noexcept nogil:
    """What acts wherever the joint stands."""
    return (BY_SPRING if is_passive(f) else 0) | (BY_MOTOR if is_driven(f) else 0)


cdef Count count_along(const Freedom* f, int kind, int near) noexcept nogil:
    """A block of one row for each thing that acts, along each direction."""
    cdef int n = (((near & BY_SPRING) > 0) + is_rough(f)) * width(allowed_directions(kind))
    n += ((near & BY_MOTOR) > 0) + (near & 1) + (near >> 1 & 1) + (near >> 2 & 1) + (near >> 3 & 1)
    return Count(cones=0, blocks=n, rows=n)


cdef inline double mobility_by_side(const Builder* b, const RowSide* side) noexcept nogil:
    """What a unit impulse of a row changes its velocity by, by a single body."""
    cdef const double* I
    cdef double n
    if side.body < 0:
        return 0.0
    I = b.inverse_inertia + 6 * side.body
    n = side.angular[0] * (I[0] * side.angular[0] + 2.0 * (I[1] * side.angular[1] + I[2] * side.angular[2]))
    n += side.angular[1] * (I[3] * side.angular[1] + 2.0 * I[4] * side.angular[2]) + I[5] * side.angular[2] ** 2
    return n + b.inverse_mass[side.body] * (
        side.linear[0] ** 2 + side.linear[1] ** 2 + side.linear[2] ** 2)


cdef double mobility_of(const Builder* b, int r) noexcept nogil:
    """What a unit impulse of row r, of those that are no cone's, changes its velocity by; the row is complete."""
    cdef double total = mobility_by_side(b, b.side + 2 * r) + mobility_by_side(b, b.side + 2 * r + 1)
    cdef int k, end = b.n_entries if r == b.n_rows - 1 else b.entry_start[r + 1]
    for k in range(b.entry_start[r], end):
        total += b.entry[k].y * b.entry[k].y
    return total


cdef inline double last_mobility(Builder* b) noexcept nogil:
    """That of the row begun last."""
    close_row(b)
    return mobility_of(b, b.n_rows - 1)


cdef inline Key key_of(const Along* a, int feature) noexcept nogil:
    return Key(source=a.key.source, id_a=a.key.id_a, id_b=a.key.id_b, feature=feature)


cdef inline void weigh(const Scene* s, Builder* b, double weight, double rate, double push) noexcept nogil:
    """The row begun last gives the impulse dt push - weight (r+ - rate)."""
    b.block[b.problem.n_cones + b.n_blocks - 1].compliance = 1.0 / weight
    b.v_free[3 * b.problem.n_cones + b.n_rows - 1] -= rate + s.dt * push / weight


cdef int write_passive(const Scene* s, Builder* b, const Along* a, int k) except -1 nogil:
    """Spring, damper and rotor along a direction."""
    cdef const Freedom* f = a.freedom
    cdef double dt = s.dt, u = a.now[k], push = -f.damping * u - f.rotor * a.bias[k], weight, mobility, theta
    begin_row(b, BILATERAL, 0.0, 0.0, u, a.then[k], 0.0, 0.0, -INFINITY, key_of(a, PASSIVE + k))
    a.add(b, s, a.joint, k, 1.0)
    mobility = last_mobility(b)
    weight = f.rotor + dt * damper_theta(f.damping, dt, s.scheme.theta, mobility) * f.damping
    if f.stiffness > 0.0:
        theta = spring_theta(f.stiffness, dt, s.scheme.theta, mobility)
        weight += theta * a.gamma * dt * dt * f.stiffness
        push += f.stiffness * (coordinate_difference(a.kind, f.rest - a.q) - theta * dt * u)
    weigh(s, b, max(weight, LIGHT / mobility if mobility > 0.0 else LIGHT), u, push)
    return 0


cdef int write_dry(const Scene* s, Builder* b, const Along* a, int k) except -1 nogil:
    """Dry friction along a direction."""
    cdef const Freedom* f = a.freedom
    cdef double most = s.dt * effective_friction(f.friction, f.static_friction, f.static_threshold, fabs(a.now[k]))
    begin_row(b, BOX, -most, most, a.now[k], a.then[k], 0.0, 0.0, -INFINITY, key_of(a, DRY + k))
    return a.add(b, s, a.joint, k, 1.0)


cdef int write_end(const Scene* s, Builder* b, const Along* a, int k, double sign) except -1 nogil:
    """An end of its limits, as those of joints of the tree."""
    cdef const Freedom* f = a.freedom
    cdef double gap = a.q - f.lower if sign > 0.0 else f.upper - a.q, v = sign * a.now[k]
    cdef double v_free = sign * a.then[k], bounce
    bounce = arriving_velocity(-v, -v_free, gap, s.dt, f.restitution, a.gamma == 1.0)
    if a.mixed:
        bounce = less_uphill(bounce, v - v_free, gap, s.dt, f.restitution)
    begin_row(b, UNILATERAL, 0.0, 0.0, v, v_free, -gap, fmin(bounce, f.top_speed),
              position_target(-gap, s.dt, s.erp, s.slop, s.erp_speed), key_of(a, LOWER if sign > 0.0 else UPPER))
    a.add(b, s, a.joint, k, sign)
    if f.stop.softness > 0.0:
        soften_stop(s, b, &f.stop, gap)
    return 0


cdef int write_drive(const Scene* s, Builder* b, const Along* a, int k) except -1 nogil:
    """What its motor gives, within its limits."""
    cdef const Freedom* f = a.freedom
    cdef double dt = s.dt, u = a.now[k], push, weight, mobility, theta
    cdef bint bounded = f.effort_lower > -INFINITY or f.effort_upper < INFINITY
    begin_row(b, BOX if bounded else BILATERAL, dt * f.effort_lower if bounded else 0.0,
              dt * f.effort_upper if bounded else 0.0, u, a.then[k], 0.0, 0.0, -INFINITY, key_of(a, DRIVE))
    a.add(b, s, a.joint, k, 1.0)
    mobility = last_mobility(b)
    theta = spring_theta(f.kp, dt, s.scheme.theta, mobility)
    weight = dt * (damper_theta(f.kd, dt, s.scheme.theta, mobility) * f.kd + theta * a.gamma * dt * f.kp)
    push = f.kp * (coordinate_difference(a.kind, f.target - a.q) - theta * dt * u) + f.kd * (f.target_speed - u)
    push += f.force
    weigh(s, b, max(weight, LIGHT / mobility if mobility > 0.0 else LIGHT), u, push)
    return 0


cdef int write_top_speed(const Scene* s, Builder* b, const Along* a, int k, double sign) except -1 nogil:
    """An end of its velocities; what was set faster loses the share of its excess that a step corrects of a depth."""
    cdef double excess = max(0.0, fabs(a.now[k]) - a.freedom.top_speed)
    begin_row(b, UNILATERAL, 0.0, 0.0, sign * a.now[k], sign * a.then[k], 0.0,
              -a.freedom.top_speed - (1.0 - s.erp) * excess, -INFINITY, key_of(a, BELOW if sign > 0.0 else ABOVE))
    return a.add(b, s, a.joint, k, sign)


cdef int write_along(const Scene* s, Builder* b, const Along* a) except -1 nogil:
    """All that acts; keys ascend."""
    cdef int k, allowed = allowed_directions(a.kind), only = only_direction(a.kind)
    for k in range(6):
        if allowed >> k & 1 and a.near & BY_SPRING:
            write_passive(s, b, a, k)
    for k in range(6):
        if allowed >> k & 1 and is_rough(a.freedom):
            write_dry(s, b, a, k)
    if a.near & NEAR_LOWER:
        write_end(s, b, a, only, 1.0)
    if a.near & NEAR_UPPER:
        write_end(s, b, a, only, -1.0)
    if a.near & BY_MOTOR:
        write_drive(s, b, a, only)
    if a.near & NEAR_BELOW:
        write_top_speed(s, b, a, only, 1.0)
    if a.near & NEAR_ABOVE:
        write_top_speed(s, b, a, only, -1.0)
    return 0


cdef Reading reading_of(int feature, int kind) noexcept nogil:
    """Along which direction a block of this feature acts, and with which sign."""
    if feature < LOWER:
        return Reading(direction=feature - (DRY if feature >= DRY else PASSIVE), sign=1.0)
    return Reading(direction=only_direction(kind), sign=-1.0 if feature == UPPER or feature == ABOVE else 1.0)


cdef inline double greatest_mobility(Builder* b, const Block* block) noexcept nogil:
    """That of the rows of the block begun last."""
    cdef double most = 0.0
    cdef int i, first = block.first_row - 3 * b.problem.n_cones
    close_row(b)
    for i in range(block.rows):
        most = max(most, mobility_of(b, first + i))
    return most


cdef inline void give_way(const Scene* s, Builder* b, Block* block, Softness soft, double theta,
                          const double* error) noexcept nogil:
    """Rows of compliance, whose velocity counts from what is left of their errors."""
    cdef double dt = s.dt, k = 1.0 / soft.softness, weight = dt * (theta * dt * k + soft.damping), ahead
    cdef int i
    block.compliance = 1.0 / weight
    for i in range(block.rows):
        ahead = dt * k * error[i] / weight
        b.v_start[block.first_row + i] += ahead
        b.v_free[block.first_row + i] += ahead
        b.position_target[block.first_row + i] = -INFINITY


cdef inline double yielding_theta(const Scene* s, Builder* b, const Block* block, const Softness* soft) noexcept nogil:
    """Where in the step rows act that give way: at its end if they are too stiff for the step to be seen swinging."""
    cdef double dt = s.dt, k = 1.0 / soft.softness
    return 1.0 if (k * dt + soft.damping) * dt * greatest_mobility(b, block) > UNRESOLVED else max(0.5, s.scheme.theta)


cdef void soften(const Scene* s, Builder* b, const Softness* soft, const double* error) noexcept nogil:
    """The rows of the block begun last give way: their impulses are those of springs and dampers, implicit.

    lam = -dt (e + theta dt r+) / softness - dt damping r+ with their errors e [rad or m]: a compliance of what is
    before r+ counts from what is left.  Bodies move by r+, and with theta = 1/2 the spring gives back no more than it
    took, at any time step.
    """
    cdef Block* block = b.block + b.problem.n_cones + b.n_blocks - 1
    give_way(s, b, block, soft[0], yielding_theta(s, b, block, soft), error)


cdef void soften_stop(const Scene* s, Builder* b, const Softness* soft, double gap) noexcept nogil:
    """The stop whose row was begun last gives way: as `soften`, but it pushes alone, and not before it is met.

    In the step that closes a gap the spring acts by what it is pressed at the end: pressed for a part of the step, it
    takes no less than it will give back.  The damper acts from the next step on, since it knows of no part.
    """
    cdef Block* block = b.block + b.problem.n_cones + b.n_blocks - 1
    cdef Softness met = soft[0]
    cdef double theta = yielding_theta(s, b, block, soft)
    if gap > 0.0:
        met.damping, theta = 0.0, 1.0
    b.v_free[block.first_row] += b.target[block.first_row]
    b.target[block.first_row] = 0.0
    give_way(s, b, block, met, theta, &gap)
