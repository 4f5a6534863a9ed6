"""Loop joints in the problem: springs, dampers, rotors, dry friction and limits; and their rows, unless eliminated.

A loop joint has no coordinate.  What acts along a direction in which it moves is a row of that direction, at whose
velocity r the joint opens:

- Spring, damper and rotor: the impulse of (I + dt D + theta dt^2 K) (r+ - r) = dt (K (rest - q - theta dt r) - D r)
  is lam = -w (r+ - r*), a bilateral row of compliance 1 / w whose velocity counts from r* (as that of motors).
- Dry friction: a box of f dt.
- Limits, with one degree of freedom: a unilateral row for each end that is near.

Rows in place of elimination have the same target, K v = -dt/2 k (stepping/loops), and are closed in positions.
"""

from libc.math cimport INFINITY, isfinite

from rbdyn.contact.problem cimport BOX, UNILATERAL, ContactProblem, Key
from rbdyn.contact.targets cimport position_target, target_velocity
from rbdyn.kernels.cod cimport norm_of
from rbdyn.kernels.kinematics cimport velocities
from rbdyn.kernels.loops cimport component, loop_biases, relative_bias, relative_velocity
from rbdyn.model._model cimport CData, CLoop
from rbdyn.model.joints.dispatch cimport allowed_directions, coupled_motion
from rbdyn.spatial._algebra cimport Motion
from rbdyn.stepping.builder cimport (
    Builder, Count, Share, add_dense_row, add_loop_direction, add_row, aim_row, begin_bilateral, begin_row, gather_row,
    use_system,
)
from rbdyn.stepping.loops.elimination cimport decompose_rows, loop_rows
from rbdyn.stepping.loops.rows cimport loop_coordinate, turned_back
from rbdyn.stepping.scene cimport LoopJoint, Scene, System


cdef double REACH = 50.0      # change of velocity that other impulses are expected to stay below [rad/s or m/s]


cdef inline bint is_passive(const CLoop* c, const LoopJoint* j) noexcept nogil:
    """Whether a spring, a damper or a rotor acts along what a loop joint allows."""
    return c.rotor > 0.0 or j.damping > 0.0 or j.stiffness > 0.0


cdef inline int width(int allowed) noexcept nogil:
    """Degrees of freedom."""
    cdef int k, n = 0
    for k in range(6):
        n += allowed >> k & 1
    return n


cdef inline int only_direction(int allowed) noexcept nogil:
    """The direction of a joint with one degree of freedom, else -1."""
    cdef int k
    if width(allowed) == 1:
        for k in range(6):
            if allowed >> k & 1:
                return k
    return -1


cdef int find_near(const Scene* s, const System* r, int n) noexcept nogil:
    """Which ends of its limits a loop joint could pass in this step: 1 the lower, 2 the upper."""
    cdef const LoopJoint* j = r.control.loop + n
    cdef const CLoop* c = r.m.loops + n
    cdef int k = only_direction(allowed_directions(c.kind))
    cdef double q, rate
    if k < 0 or not (isfinite(j.lower) or isfinite(j.upper)):
        return 0
    q = loop_coordinate(r.d, c)
    rate = component(relative_velocity(r.d, c), k)
    return ((q - j.lower + s.dt * rate < s.dt * REACH) | (j.upper - q - s.dt * rate < s.dt * REACH) << 1)


cdef Count count_loops(const Scene* s) noexcept nogil:
    """A block of each loop joint that is not eliminated, a row of each direction and each thing that acts there."""
    cdef Count total = Count(0, 0, 0)
    cdef System* r
    cdef const LoopJoint* j
    cdef int k, n, rows
    for k in range(s.n_system):
        r = s.system + k
        if r.m.n_loops:
            velocities(r.m, r.d)
        for n in range(r.m.n_loops):
            j = r.control.loop + n
            r.work.loops.near[n] = find_near(s, r, n)
            rows = (is_passive(r.m.loops + n, j) + (j.friction > 0.0)) * (6 - r.m.loops[n].rows)
            rows += (r.work.loops.near[n] & 1) + (r.work.loops.near[n] >> 1)
            total.rows += rows
            total.blocks += rows
            if r.control.inloop and r.m.loops[n].rows:
                total.rows += r.m.loops[n].rows
                total.blocks += 1
    return total


cdef inline Key key_of(const System* r, int n, int feature) noexcept nogil:
    return Key(source=LOOP_SOURCE, id_a=r.handle, id_b=n, feature=feature)


cdef int write_closed(const Scene* s, Builder* b, System* r, int n, Motion now, Motion free_) except -1 nogil:
    """The rows of a loop joint that is not eliminated."""
    cdef const CLoop* c = r.m.loops + n
    cdef int k, row = c.row, allowed = allowed_directions(c.kind)
    cdef double target
    if not r.control.inloop or c.rows == 0:
        return 0
    now, free_ = coupled_motion(c.kind, c.parameter, now), coupled_motion(c.kind, c.parameter, free_)
    begin_bilateral(b, c.rows, key_of(r, n, CLOSED))
    for k in range(6):
        if allowed >> k & 1:
            continue
        target = -0.5 * s.dt * r.work.loops.b[row]
        add_row(b, component(now, k), component(free_, k))
        aim_row(b, target, target)
        if r.work.loops.scale[row] > 0.0:
            add_dense_row(b, r, r.work.loops.Y.A + <size_t> r.m.nv * row, 1.0)
        row += 1
    return 0


cdef void find_rows(System* r) noexcept nogil:
    """The rows of all loop joints, in loops.Y, and scale: 0 for one that is nothing beside the longest, 1 else."""
    cdef double longest = 0.0
    cdef int i
    loop_rows(r, r.d)
    for i in range(r.m.nc):
        r.work.loops.scale[i] = norm_of(r.m.nv, r.work.loops.Y.A + <size_t> r.m.nv * i)
        longest = max(longest, r.work.loops.scale[i])
    for i in range(r.m.nc):
        r.work.loops.scale[i] = 1.0 if r.work.loops.scale[i] > 1e-9 * longest else 0.0


cdef int write_passive(const Scene* s, Builder* b, System* r, int n, Motion now, Motion free_) except -1 nogil:
    """Spring, damper and rotor along each direction."""
    cdef const CLoop* c = r.m.loops + n
    cdef const LoopJoint* j = r.control.loop + n
    cdef int k, allowed = allowed_directions(c.kind)
    cdef double theta = s.scheme.theta, dt = s.dt, weight, push, rate
    if not is_passive(c, j):
        return 0
    weight = c.rotor + dt * j.damping + theta * dt * dt * j.stiffness
    for k in range(6):
        if not allowed >> k & 1:
            continue
        rate = component(now, k)
        push = -j.damping * rate - c.rotor * component(relative_bias(r.d, c), k)
        if j.stiffness > 0.0:
            push += j.stiffness * (turned_back(c, j.rest - loop_coordinate(r.d, c)) - theta * dt * rate)
        begin_bilateral(b, 1, key_of(r, n, PASSIVE + k))
        b.block[b.problem.n_cones + b.n_blocks - 1].compliance = 1.0 / weight
        add_row(b, rate, component(free_, k))
        b.v_free[3 * b.problem.n_cones + b.n_rows - 1] -= rate + dt * push / weight
        add_loop_direction(b, r, n, k, 1.0)
    return 0


cdef int write_dry(const Scene* s, Builder* b, System* r, int n, Motion now, Motion free_) except -1 nogil:
    """Dry friction along each direction."""
    cdef double most = s.dt * r.control.loop[n].friction
    cdef int k, allowed = allowed_directions(r.m.loops[n].kind)
    if most == 0.0:
        return 0
    for k in range(6):
        if allowed >> k & 1:
            begin_row(b, BOX, -most, most, component(now, k), component(free_, k), 0.0, 0.0, -INFINITY,
                      key_of(r, n, DRY + k))
            add_loop_direction(b, r, n, k, 1.0)
    return 0


cdef int write_limits_of(const Scene* s, Builder* b, System* r, int n, Motion now, Motion free_) except -1 nogil:
    """The ends of its limits that are near, as those of joints of the tree."""
    cdef const LoopJoint* j = r.control.loop + n
    cdef const CLoop* c = r.m.loops + n
    cdef double gap, sign
    cdef int k = only_direction(allowed_directions(c.kind)), end
    for end in range(2):
        if not r.work.loops.near[n] >> end & 1:
            continue
        sign = -1.0 if end else 1.0
        gap = sign * (loop_coordinate(r.d, c) - (j.upper if end else j.lower))
        begin_row(b, UNILATERAL, 0.0, 0.0, sign * component(now, k), sign * component(free_, k), -gap,
                  target_velocity(-sign * component(now, k), -gap, s.dt, 0.0, 0.0),
                  position_target(-gap, s.dt, s.erp, s.slop, s.erp_speed), key_of(r, n, UPPER if end else LOWER))
        add_loop_direction(b, r, n, k, sign)
    return 0


cdef int write_loops(const Scene* s, Builder* b) except -1 nogil:
    cdef System* r
    cdef CData free_
    cdef Motion now, then
    cdef int k, n
    for k in range(s.n_system):
        r = s.system + k
        if r.m.n_loops == 0 or not has_rows(r):
            continue
        use_system(r)
        loop_biases(r.m, r.d, r.work.loops.b)
        if r.control.inloop:
            find_rows(r)
        free_ = r.d[0]
        free_.vel = r.work.twist
        for n in range(r.m.n_loops):
            now, then = relative_velocity(r.d, r.m.loops + n), relative_velocity(&free_, r.m.loops + n)
            write_closed(s, b, r, n, now, then)
            write_passive(s, b, r, n, now, then)
            write_dry(s, b, r, n, now, then)
            write_limits_of(s, b, r, n, now, then)
        if r.control.inloop:
            decompose_rows(r, 0.0)                     # for positions
    return 0


cdef bint has_rows(const System* r) noexcept nogil:
    """Whether any of its loop joints has rows in this step."""
    cdef int n
    if r.control.inloop:
        return True
    for n in range(r.m.n_loops):
        if (is_passive(r.m.loops + n, r.control.loop + n) or r.control.loop[n].friction > 0.0
                or r.work.loops.near[n]):
            return True
    return False


cdef void read_loops(const Scene* s, const ContactProblem* p, Share share) noexcept nogil:
    """Give the impulses to the systems, and keep what each joint did."""
    cdef System* r = s.system
    cdef double* along
    cdef const CLoop* c
    cdef double l
    cdef int i, k, n, row, feature
    for i in range(share.block, share.block_end):
        while r.handle != <int> p.block[i].key.id_a:
            r += 1
        n, feature = p.block[i].key.id_b, p.block[i].key.feature
        c = r.m.loops + n
        row = p.block[i].first_row
        for k in range(p.block[i].rows):
            gather_row(p, row + k, r)
        if feature == CLOSED:
            for k in range(c.rows):
                r.work.loops.lam[c.row + k] = p.impulse[row + k]
            continue
        along = r.work.loops.along + 6 * n
        l = p.impulse[row]
        if feature >= LOWER:
            k = only_direction(allowed_directions(c.kind))
            along[k] += -l if feature == UPPER else l
            r.work.loops.held |= l > 0.0
        else:
            along[feature - (DRY if feature >= DRY else PASSIVE)] += l
