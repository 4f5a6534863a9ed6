"""Loop joints in the problem: what acts along their motion, and their rows, unless eliminated.

A loop joint has no coordinate: springs, dampers, rotors, dry friction, limits and motors are rows (freedoms.pyx).

Rows in place of elimination have the same target, K v = -dt/2 k (stepping/loops), and are closed in positions.  Those
that give way are not.
"""

from rbdyn.contact.problem cimport ContactProblem, Key
from rbdyn.kernels.cod cimport norm_of
from rbdyn.kernels.kinematics cimport velocities
from rbdyn.kernels.loops cimport component, loop_biases, row_bias, row_error, row_velocity
from rbdyn.model._model cimport CData, CLoop
from rbdyn.model.joints.dispatch cimport allowed_directions
from rbdyn.spatial._algebra cimport Motion
from rbdyn.stepping.builder cimport (
    Builder, Count, Share, add_dense_row, add_loop_direction, add_row, aim_row, begin_bilateral, gather_row, use_system,
)
from rbdyn.stepping.columns cimport free_body_velocity
from rbdyn.stepping.constraints.bodies.freedoms cimport (
    BY_MOTOR, Along, Reading, count_along, forces_of, near_ends, reading_of, soften, write_along,
)
from rbdyn.stepping.freedom cimport (
    CLOSED, DRIVE, LOWER, SHIFTED, UPPER, Freedom, Softness, acts, only_direction,
)
from rbdyn.stepping.loops.elimination cimport decompose_rows, loop_rows
from rbdyn.stepping.loops.forces cimport find_misjudged
from rbdyn.stepping.loops.rows cimport loop_coordinate
from rbdyn.stepping.rest cimport system_sleeps
from rbdyn.stepping.scene cimport MOTOR_IN_ROW, MOTOR_WITHIN, Scene, System
from rbdyn.stepping.schemes cimport scheme_of

cdef struct LoopHere:         # a loop joint, for its rows
    System* system
    int loop


cdef inline bint gives_way(const System* r, int n) noexcept nogil:
    """Whether rows of a loop joint have a softness."""
    return r.control.inloop and (r.control.soft[2 * n].softness > 0.0 or r.control.soft[2 * n + 1].softness > 0.0)


cdef inline int rotations(const CLoop* c) noexcept nogil:
    """How many of its rows are rotations."""
    cdef int k, n = 0, allowed = allowed_directions(c.kind)
    for k in range(3):
        n += not allowed >> k & 1
    return n


cdef int find_near(const Scene* s, const System* r, int n) noexcept nogil:
    """Which rows a loop joint has in this step along what it allows.

    Where loops are eliminated springs and motors are part of free motion, but motors of which the solver decides.
    """
    cdef const CLoop* c = r.m.loops + n
    cdef const Freedom* f = r.control.loop + n
    cdef int k = only_direction(c.kind), near = forces_of(f)
    cdef double rate
    if r.work.loops.eliminated:
        near = near & BY_MOTOR if r.work.loops.motor[n] == MOTOR_IN_ROW else 0
    if k >= 0 and acts(f):
        rate = component(row_velocity(r.d, c), k)
        near |= near_ends(s, f, loop_coordinate(r.d, c), rate, rate)
    return near


cdef Count count_loops(const Scene* s) noexcept nogil:
    """A block or two of each loop joint that is not eliminated, a row of each direction and each thing that acts."""
    cdef Count total = Count(0, 0, 0), more
    cdef System* r
    cdef const CLoop* c
    cdef int k, n
    for k in range(s.n_system):
        r = s.system + k
        if system_sleeps(s, r):
            continue
        if r.m.n_loops:
            velocities(r.m, r.d)
        for n in range(r.m.n_loops):
            c = r.m.loops + n
            r.work.loops.near[n] = find_near(s, r, n)
            if acts(r.control.loop + n):
                more = count_along(r.control.loop + n, c.kind, r.work.loops.near[n])
                total.rows += more.rows
                total.blocks += more.blocks
            if r.control.inloop and c.rows:
                total.rows += c.rows
                total.blocks += 1 + (gives_way(r, n) and 0 < rotations(c) < c.rows)
    return total


cdef inline Key key_of(const System* r, int n, int feature) noexcept nogil:
    return Key(source=LOOP_SOURCE, id_a=r.handle, id_b=n, feature=feature)


cdef int write_rows(const Scene* s, Builder* b, System* r, int n, int first, int end, Motion now,
                    Motion free_) except -1 nogil:
    """Those rows of a loop joint that is not eliminated whose directions are from `first` to `end`, as a block."""
    cdef const CLoop* c = r.m.loops + n
    cdef const Softness* soft = r.control.soft + 2 * n + (first == 3)
    cdef int k, row = c.row, allowed = allowed_directions(c.kind), rows = 0
    cdef Motion e = row_error(r.d, c)
    cdef double[6] error
    cdef double target
    for k in range(end):
        if not allowed >> k & 1:
            row += k < first
            rows += k >= first
    if rows == 0:
        return 0
    begin_bilateral(b, rows, key_of(r, n, SHIFTED if first == 3 else CLOSED))
    rows = 0
    for k in range(first, end):
        if allowed >> k & 1:
            continue
        target = -0.5 * s.dt * r.work.loops.b[row]
        add_row(b, component(now, k), component(free_, k))
        aim_row(b, target, target)
        if r.work.loops.scale[row] > 0.0:
            add_dense_row(b, r, r.work.loops.Y.A + <size_t> r.m.nv * row, 1.0)
        error[rows] = component(e, k)
        rows += 1
        row += 1
    if soft.softness > 0.0:
        soften(s, b, soft, error)
    return 0


cdef int write_closed(const Scene* s, Builder* b, System* r, int n, Motion now, Motion free_) except -1 nogil:
    """The rows of a loop joint that is not eliminated; rotations by themselves where they give way."""
    cdef const CLoop* c = r.m.loops + n
    if not r.control.inloop or c.rows == 0:
        return 0
    if gives_way(r, n):
        write_rows(s, b, r, n, 0, 3, now, free_)
        return write_rows(s, b, r, n, 3, 6, now, free_)
    return write_rows(s, b, r, n, 0, 6, now, free_)


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


cdef int add_direction(Builder* b, const Scene* s, void* joint, int k, double sign) except -1 nogil:
    """The row begun last acts along direction k of a loop joint."""
    cdef LoopHere* here = <LoopHere*> joint
    return add_loop_direction(b, here.system, here.loop, k, sign)


cdef int write_freedom(const Scene* s, Builder* b, System* r, int n, Motion now, Motion free_) except -1 nogil:
    """What acts along what a loop joint allows."""
    cdef const CLoop* c = r.m.loops + n
    cdef Along a
    cdef LoopHere here
    cdef Motion bias
    cdef int k
    if not acts(r.control.loop + n):
        return 0
    here.system, here.loop = r, n
    bias = row_bias(r.d, c)
    a.freedom, a.kind, a.near = r.control.loop + n, c.kind, r.work.loops.near[n]
    a.joint, a.add, a.key = &here, add_direction, key_of(r, n, 0)
    a.q = loop_coordinate(r.d, c) if only_direction(c.kind) >= 0 else 0.0
    a.gamma = scheme_of(s, r).gamma
    a.mixed = a.gamma != s.scheme.gamma
    for k in range(6):
        a.now[k], a.then[k], a.bias[k] = component(now, k), component(free_, k), component(bias, k)
    return write_along(s, b, &a)


cdef int write_loops(const Scene* s, Builder* b) except -1 nogil:
    cdef System* r
    cdef CData free_
    cdef Motion now, then
    cdef int k, n
    for k in range(s.n_system):
        r = s.system + k
        if r.m.n_loops == 0 or system_sleeps(s, r) or not has_rows(r):
            continue
        use_system(r)
        loop_biases(r.m, r.d, r.work.loops.b)
        if r.control.inloop:
            find_rows(r)
        free_ = r.d[0]
        free_.vel = r.ahead.vel                        # its midpoint is done, its end not begun
        for n in range(r.m.nb):
            free_.vel[n] = free_body_velocity(r, n)
        for n in range(r.m.n_loops):
            now, then = row_velocity(r.d, r.m.loops + n), row_velocity(&free_, r.m.loops + n)
            write_closed(s, b, r, n, now, then)
            write_freedom(s, b, r, n, now, then)
        if r.control.inloop:
            decompose_rows(r, 0.0)                     # for positions
    return 0


cdef bint has_rows(const System* r) noexcept nogil:
    """Whether any of its loop joints has rows in this step."""
    cdef const Freedom* f
    cdef int n
    if r.control.inloop:
        return True
    for n in range(r.m.n_loops):
        f = r.control.loop + n
        if acts(f) and count_along(f, r.m.loops[n].kind, r.work.loops.near[n]).rows > 0:
            return True
    return False


cdef inline void keep(System* r, int n, int feature, double impulse, double target) noexcept nogil:
    """Note what a block along what a loop joint allows did.  What bounces off a stop is not held by it."""
    cdef Reading what = reading_of(feature, r.m.loops[n].kind)
    r.work.loops.along[6 * n + what.direction] += what.sign * impulse
    if feature == DRIVE:
        r.work.loops.drive[2 * n] = impulse
    if feature == LOWER or feature == UPPER:
        r.work.loops.held |= impulse > 0.0 and target <= 0.0
        r.work.bounces |= impulse > 0.0 and target > 0.0


cdef void read_loops(const Scene* s, const ContactProblem* p, Share share) noexcept nogil:
    """Give the impulses to the systems, and keep what each joint did."""
    cdef System* r = s.system
    cdef const CLoop* c
    cdef int i, k, n, row, feature, first
    for i in range(share.block, share.block_end):
        while r.handle != <int> p.block[i].key.id_a:
            r += 1
        n, feature = p.block[i].key.id_b, p.block[i].key.feature
        c = r.m.loops + n
        row = p.block[i].first_row
        for k in range(p.block[i].rows):
            gather_row(p, row + k, r)
        if feature > SHIFTED:
            keep(r, n, feature, p.impulse[row], p.target[row])
            continue
        first = c.row + (rotations(c) if feature == SHIFTED else 0)
        for k in range(p.block[i].rows):
            r.work.loops.lam[first + k] = p.impulse[row + k]


cdef void release_motors(const Scene* s) noexcept nogil:
    """A step begins: no motor is the solver's."""
    cdef System* r
    cdef int k, n
    for k in range(s.n_system):
        r = s.system + k
        for n in range(r.m.n_loops):
            r.work.loops.motor[n] = MOTOR_WITHIN


cdef bint find_loop_overloads(const Scene* s) noexcept nogil:
    """Whether motors of loop joints got rows, since the end of the step is not what they can do."""
    cdef bint found = False
    cdef int k
    for k in range(s.n_system):
        if s.system[k].work.loops.eliminated:
            found |= find_misjudged(s.system + k)
    return found
