"""Where two moving shapes meet: time_of_contact.pxd."""

from libc.math cimport fmax, fmin, sqrt

from rbdyn.collision._types cimport HALF_SPACE, N_KINDS, SPHERE, ContactBuffer, ContactPoint, PosedShape
from rbdyn.collision.kernels.core cimport core_radius, support
from rbdyn.collision.kernels.gjk cimport separate
from rbdyn.collision.kernels.vectors cimport axis_z, unit_or
from rbdyn.collision.motion.path cimport MovingShape, move_to, shift_at
from rbdyn.collision.pair_table cimport PairEntry, collide
from rbdyn.spatial._algebra cimport Vec3, add3, dot3, neg3, scale3, sub3, vec3, zero3

cdef double TOUCH = 0.5            # share of the margin: shapes in each other by less have not met
cdef double OBEYED = 0.05          # share of the margin: rows that a motion disobeys by less are left as they are
cdef double SMALL_TURN = 0.1       # [rad] by less, no corner comes that was neither seen nor on the face that is near
cdef enum:
    MAX_LOOKS = 60                 # at one pair
    HALVINGS = 10

cdef struct Meeting:               # of two shapes, sought
    const PairEntry* table
    MovingShape* a
    MovingShape* b
    Sink* sink
    double margin, touch, obeyed   # [m]
    double beyond                  # [m]
    double way                     # [m] no two points approach by more in the whole step
    double alone                   # [m] nor by more if either of them is stopped; 0: only one moves
    double gap                     # [m] between them at the start, as far as it was asked for
    double angle                   # [rad] of relative rotation, at most


# ---- one look --------------------------------------------------------------------------------

cdef double gap_of(const PosedShape* a, const PosedShape* b, double reach, Vec3* n) noexcept nogil:
    """Distance [m], and the normal into a; negative if they overlap; some number above `reach` if they are that far."""
    cdef double r = core_radius(a) + core_radius(b)
    cdef Vec3 x
    if b.s.kind == HALF_SPACE:
        n[0] = axis_z(&b.X.R)
        return dot3(n[0], sub3(support(a, neg3(n[0])), b.X.p)) - r
    if a.s.kind == HALF_SPACE:
        n[0] = neg3(axis_z(&a.X.R))
        return -dot3(n[0], sub3(support(b, n[0]), a.X.p)) - r
    if a.s.kind == SPHERE and b.s.kind == SPHERE:
        x = sub3(a.X.p, b.X.p)
        n[0] = unit_or(x, vec3(0.0, 0.0, 1.0))
        return sqrt(dot3(x, x)) - r
    return separate(a, b, r + reach, &x, n) - r


cdef int look(Meeting* m, double t, double margin) noexcept nogil:
    """Append the contacts at the fraction t of the step; the index of the first."""
    cdef int first = m.sink.out.n
    move_to(m.a, t)
    move_to(m.b, t)
    collide(m.table, N_KINDS, &m.a.later, &m.b.later, margin, m.sink)
    return first


cdef double deepest_of(const ContactBuffer* out, int first) noexcept nogil:
    """[m] of the contacts from `first` on."""
    cdef double depth = -1e300
    cdef int i
    for i in range(first, out.n):
        depth = fmax(depth, out.point[i].depth)
    return depth


cdef double closing(const Meeting* m, const ContactPoint* c, double t) noexcept nogil:
    """How far the two surfaces approach in a whole step, at the place that they have at t [m]."""
    return dot3(c.normal, sub3(shift_at(m.b, c.position, t), shift_at(m.a, c.position, t)))


# ---- the step's start ------------------------------------------------------------------------

cdef bint is_obeyed(const Meeting* m, const ContactPoint* c) noexcept nogil:
    """Whether the motion closes no more than the gap."""
    return closing(m, c, 0.0) + fmin(c.depth, 0.0) <= m.obeyed


cdef bint is_steady(Meeting* m, int first) noexcept nogil:
    """Whether the contacts from `first` on are all there is: the motion obeys them, and brings no others."""
    cdef ContactBuffer* out = m.sink.out
    cdef int i, n = out.n
    cdef bint steady = True
    if m.way <= 2.0 * m.margin:
        return True
    if m.angle > SMALL_TURN:
        return False
    if m.a.path.spin + m.b.path.spin > m.touch:          # what is farther may come down
        look(m, 0.0, m.margin + m.way)
    for i in range(first, out.n):
        if not is_obeyed(m, &out.point[i]):
            steady = False
            break
    out.n = n
    return steady


cdef void keep_obeyed(Meeting* m, int first) noexcept nogil:
    """Of the contacts from `first` on, those that the motion obeys anyhow, as bodies do that roll, slide or rest."""
    cdef ContactBuffer* out = m.sink.out
    cdef int i, n = first
    for i in range(first, out.n):
        if is_obeyed(m, &out.point[i]):
            out.point[n] = out.point[i]
            n += 1
    out.n = n


# ---- the way ---------------------------------------------------------------------------------

cdef double next_arrival(const Meeting* m, int first, double t) noexcept nogil:
    """When the next of the contacts from `first` on, seen at t, will be as deep as TOUCH.

    No later than a small turn on, since corners that were not seen may come; beyond the step's end: never.
    """
    cdef const ContactBuffer* out = m.sink.out
    cdef double wait = 2.0, speed
    cdef int i
    for i in range(first, out.n):
        speed = closing(m, &out.point[i], t)
        if speed * (1.0 - t) > m.touch - out.point[i].depth:
            wait = fmin(wait, 1.02 * (m.touch - out.point[i].depth) / speed)
    if m.angle * (1.0 - t) > SMALL_TURN:
        wait = fmin(wait, SMALL_TURN / m.angle)
    return t + fmax(wait, 1e-3)


cdef double shallow_time(Meeting* m, double before, double after) noexcept nogil:
    """A time at which they have met but are not deep, between one before and one after, by bisection."""
    cdef double t, depth
    cdef int first = m.sink.out.n
    for _ in range(HALVINGS):
        t = 0.5 * (before + after)
        look(m, t, m.margin)
        depth = deepest_of(m.sink.out, first)
        m.sink.out.n = first
        if depth <= m.touch:
            before = t
        else:
            after = t
            if depth <= m.margin:
                break
    return after


cdef double first_touch(Meeting* m, double t) noexcept nogil:
    """When they first touched that are in each other by a little at t; t itself if they had another normal then."""
    cdef ContactBuffer* out = m.sink.out
    cdef int first = look(m, t, m.margin), i, deepest = first
    cdef double speed, start = t
    cdef Vec3 n
    for i in range(first, out.n):
        if out.point[i].depth > out.point[deepest].depth:
            deepest = i
    if out.n > first and t > 0.0:
        n = out.point[deepest].normal
        speed = closing(m, &out.point[deepest], t)
        if speed > 0.0:
            start = fmax(0.0, t - out.point[deepest].depth / speed)
        out.n = first
        look(m, start, m.margin)
        if out.n == first or dot3(n, out.point[first].normal) < 0.9999:
            start = t
    out.n = first
    return start


cdef double meeting_time(Meeting* m, bint* near) noexcept nogil:
    """The fraction of the step at which they meet; above 1 if they do not, `near` saying whether they nearly do."""
    cdef ContactBuffer* out = m.sink.out
    cdef double t = 0.0, before = 0.0, gap, rate, depth
    cdef int first = out.n
    cdef Vec3 n = zero3()
    near[0] = True
    for _ in range(MAX_LOOKS):
        move_to(m.a, t)
        move_to(m.b, t)
        gap = gap_of(&m.a.later, &m.b.later, m.way + m.alone + m.beyond + m.margin, &n)
        if t == 0.0:
            m.gap = gap
        if gap > m.touch:
            rate = fmin(m.way, dot3(n, sub3(m.b.path.shift, m.a.path.shift)) + m.a.path.spin + m.b.path.spin)
            if rate * (1.0 - t) <= gap:
                near[0] = rate * (1.0 - t) > gap - m.beyond - m.margin
                return 2.0
            before = t
            t += gap / rate
            continue
        look(m, t, m.margin)
        depth = deepest_of(out, first)
        out.n = first
        if depth > m.margin and t > 0.0:
            return first_touch(m, shallow_time(m, before, t))
        if depth > m.touch:
            return first_touch(m, t)
        if t >= 1.0:
            return 2.0
        look(m, t, m.margin + m.way)
        before = t
        t = fmin(1.0, next_arrival(m, first, t))
        out.n = first
    return t


# ---- contacts of a later time ----------------------------------------------------------------

cdef void see_from_start(Meeting* m, int first, double t, bint met) noexcept nogil:
    """Make rows of the contacts at t: a body that goes on as it does may just get there, or as far as it gets.

    Each body has the moment arms of that time.  Two that move freely must share one point, or their impulses would
    make angular momentum: it goes with the smaller one, whose arms matter more.
    """
    cdef ContactBuffer* out = m.sink.out
    cdef ContactPoint* c
    cdef Vec3 to_a = m.a.motion.v, to_b = m.b.motion.v
    cdef double speed, depth, share
    cdef int i, n = first
    if m.a.now.s.dynamic and m.b.now.s.dynamic:
        share = m.a.now.s.bounds.radius / (m.a.now.s.bounds.radius + m.b.now.s.bounds.radius)
        to_a = to_b = add3(scale3(1.0 - share, to_a), scale3(share, to_b))
    for i in range(first, out.n):
        c = &out.point[i]
        speed = closing(m, c, t)
        if speed <= 0.0 and c.depth < -m.margin:
            continue
        c.to_a = scale3(-t, to_a)
        c.to_b = scale3(-t, to_b)
        speed = dot3(c.normal, sub3(shift_at(m.b, add3(c.position, c.to_b), 0.0),
                                    shift_at(m.a, add3(c.position, c.to_a), 0.0)))
        depth = c.depth if met else fmin(c.depth, 0.0)
        c.depth = fmin(depth - t * speed, fmax(depth, 0.0))
        out.point[n] = c[0]
        n += 1
    out.n = n


cdef double turn_between(const MovingShape* a, const MovingShape* b) noexcept nogil:
    cdef Vec3 w = sub3(a.motion.w, b.motion.w)
    return sqrt(dot3(w, w))


cdef double way_of(const MovingShape* a) noexcept nogil:
    return sqrt(dot3(a.path.shift, a.path.shift)) + a.path.spin


cdef double way_between(const MovingShape* a, const MovingShape* b) noexcept nogil:
    """[m] no two points approach by more."""
    cdef Vec3 shift = sub3(a.path.shift, b.path.shift)
    return sqrt(dot3(shift, shift)) + a.path.spin + b.path.spin


cdef Meeting meeting(const PairEntry* table, MovingShape* a, MovingShape* b, double margin, double beyond,
                     Sink* sink) noexcept nogil:
    cdef Meeting m
    m.gap = 0.0
    m.table, m.a, m.b, m.sink, m.margin, m.beyond = table, a, b, sink, margin, beyond
    m.touch, m.obeyed = TOUCH * margin, OBEYED * margin
    m.alone = 0.0 if a.still or b.still else fmax(way_of(a), way_of(b))
    m.way, m.angle = way_between(a, b), turn_between(a, b)
    return m


cdef double step_towards(const Meeting* m, const ContactPoint* c) noexcept nogil:
    """How far one of the two moves towards where the other is now [m], whatever the other does."""
    return fmax(dot3(c.normal, shift_at(m.b, c.position, 0.0)), -dot3(c.normal, shift_at(m.a, c.position, 0.0)))


cdef bint may_stop(const Meeting* m, int first) noexcept nogil:
    """Whether the contacts from `first` on hold somebody up."""
    cdef const ContactBuffer* out = m.sink.out
    cdef int i
    for i in range(first, out.n):
        if step_towards(m, &out.point[i]) > m.touch:
            return True
    return False


cdef Outcome collide_moving(const PairEntry* table, MovingShape* a, MovingShape* b, double margin, double beyond,
                            Sink* sink) noexcept nogil:
    """Emit the contacts of two shapes, normals into the first: those now, or those where they meet in the step."""
    cdef ContactBuffer* out = sink.out
    cdef Meeting m = meeting(table, a, b, margin, beyond, sink)
    cdef int first = out.n
    cdef double t
    cdef bint near
    if table[a.now.s.kind * N_KINDS + b.now.s.kind].kernel == NULL:
        return FREE
    collide(table, N_KINDS, &a.now, &b.now, margin, sink)
    if out.n > first and is_steady(&m, first):
        return STOPS if may_stop(&m, first) else FREE
    t = meeting_time(&m, &near)
    if t <= 1.0:
        out.n = first
        look(&m, t, fmax(margin, 2.0 * (1.0 - t) * m.way))
        see_from_start(&m, first, t, True)
        return STOPS
    keep_obeyed(&m, first)
    if out.n == first and near:
        look(&m, 1.0, margin + beyond)
        see_from_start(&m, first, 1.0, False)
    if out.n > first:
        return STOPS if may_stop(&m, first) else FREE
    return ALONGSIDE if m.gap < m.alone else FREE


cdef void collide_if_stopped(const PairEntry* table, MovingShape* a, MovingShape* b, double margin,
                             Sink* sink) noexcept nogil:
    """Emit the contacts of two that move side by side, one of which is stopped: the other comes so far."""
    cdef ContactBuffer* out = sink.out
    cdef Meeting m = meeting(table, a, b, margin, 0.0, sink)
    cdef const ContactPoint* c
    cdef int first = look(&m, 0.0, m.alone), i, n = first
    for i in range(first, out.n):
        c = &out.point[i]
        if is_obeyed(&m, c) and -c.depth <= step_towards(&m, c):
            out.point[n] = c[0]
            n += 1
    out.n = n
