"""When two moving shapes meet: meeting.pxd."""

from libc.math cimport INFINITY, fabs, fmax, fmin, sqrt

from rbdyn.collision._types cimport (
    BOX, BOX_CORE, ELLIPSOID, HALF_SPACE, N_KINDS, SPHERE, TRIANGLE, Bounds, ContactBuffer, Pose, PosedShape,
    ShapeRecord,
)
from rbdyn.collision.kernels.box_box cimport box_gap
from rbdyn.collision.kernels.core cimport core_radius
from rbdyn.collision.kernels.gjk cimport descend
from rbdyn.collision.kernels.vectors cimport axis_x, axis_y, axis_z, norm3
from rbdyn.collision.motion.path cimport (
    MovingShape, approach_along, axis_between, find_end, gap_along, is_axial, is_coarse, move_to, radius_of, thickness,
)
from rbdyn.collision.pair_table cimport PairEntry, collide
from rbdyn.collision.sink cimport Sink
from rbdyn.spatial._algebra cimport Mat3, Vec3, add3, dot3, mul3, scale3, sub3, zero3

cdef double TOUCH = 0.5            # share of the margin: shapes in each other by less have not met
cdef double OBEYED = 0.05          # share of the margin: rows that a motion disobeys by less are left as they are
cdef double SMALL_TURN = 0.1       # [rad] by less, no corner of compact shapes comes that was not seen nor near
cdef double SMALL_THIN = 0.5       # share of half the thickness by which a small turn moves the ends of thin ones,
cdef double LEAST_TURN = 0.005     # [rad] but no smaller turn is looked at
cdef double ROUGHLY = 0.1          # share of the square of a distance by which gaps may be told too small
cdef double THIN = 0.25            # share of two thicknesses by which shapes may be in each other unseen
cdef enum:
    MAX_LOOKS = 60                 # at one pair,
    LOOKS_A_TURN = 3               # and some more for each small turn where they spin,
    MAX_RADIANS = 100              # as far as anything else of them is known,
    MAX_MORE = 6000
    HALVINGS = 10


cdef Vec3 turn_of(const MovingShape* a) noexcept nogil:
    """Its rotation, but for that about its own axis, if it looks the same from all sides of it [rad]."""
    cdef const ShapeRecord* s = a.now.s
    cdef const Mat3* R = &a.now.X.R
    cdef Vec3 e = s.bounds.ellipsoid, axis
    cdef bint spheroid = s.kind == ELLIPSOID
    if s.bounds.round:
        return zero3()
    if is_axial(s) or (spheroid and e.x == e.y):
        axis = axis_z(R)
    elif spheroid and e.x == e.z:
        axis = axis_y(R)
    elif spheroid and e.y == e.z:
        axis = axis_x(R)
    else:
        return a.motion.w
    return sub3(a.motion.w, scale3(dot3(a.motion.w, axis), axis))


cdef double turn_between(const MovingShape* a, const MovingShape* b) noexcept nogil:
    """[rad] by which their surfaces turn to each other: what rolls turns none."""
    return fmin(norm3(sub3(a.motion.w, b.motion.w)), norm3(sub3(turn_of(a), turn_of(b))))


cdef double way_between(const MovingShape* a, const MovingShape* b) noexcept nogil:
    """[m] no two points approach by more."""
    cdef Vec3 shift = sub3(a.path.shift, b.path.shift)
    return sqrt(dot3(shift, shift)) + a.path.spin + b.path.spin


cdef double least_part(const PosedShape* a) noexcept nogil:
    """Half extents, at least, of the parts whose sum bounds it [m]: no more than half its thickness."""
    cdef const Bounds* k = &a.s.bounds
    if a.s.kind == HALF_SPACE:
        return INFINITY
    return (k.ball + fmin(k.box.x, fmin(k.box.y, k.box.z))
            + fmin(k.ellipsoid.x, fmin(k.ellipsoid.y, k.ellipsoid.z)))


cdef double sliding_time(const Meeting* m) noexcept nogil:
    """In t of the step the surface under what slides turns up by angle way t^2 at most: no more than is told apart.

    Compact shapes can afford the closer looks of a lower bound.
    """
    cdef double most, rise = m.angle * m.way
    if m.small_turn < SMALL_TURN:
        most = THIN * (thickness(&m.a.now) + thickness(&m.b.now))
    else:
        most = THIN * (least_part(&m.a.now) + least_part(&m.b.now))
    return sqrt(most / rise) if rise > most else 2.0


cdef Meeting meeting(const PairEntry* table, MovingShape* a, MovingShape* b, double margin, double beyond,
                     Sink* sink) noexcept nogil:
    cdef Meeting m
    m.gap = m.angle = m.slide = m.thin = m.small_turn = 0.0
    m.turns, m.axis = False, zero3()
    m.winding = a.now.s.kind > TRIANGLE or b.now.s.kind > TRIANGLE
    m.table, m.a, m.b, m.sink, m.margin, m.beyond = table, a, b, sink, margin, beyond
    m.touch, m.obeyed = TOUCH * margin, OBEYED * margin
    m.met = 0.0
    m.alone = 0.0 if a.still or b.still else fmax(a.path.way, b.path.way)
    m.way = way_between(a, b)
    return m


cdef double thickness_of(const MovingShape* a) noexcept nogil:
    """Half of it [m], if it moves: what rests may be as thin as it likes."""
    return INFINITY if a.still else thickness(&a.now)


cdef void look_closer(Meeting* m) noexcept nogil:
    m.angle = turn_between(m.a, m.b)
    m.thin = fmin(thickness_of(m.a), thickness_of(m.b))
    m.small_turn = fmin(SMALL_TURN, fmax(LEAST_TURN, SMALL_THIN * m.thin / fmin(radius_of(m.a), radius_of(m.b))))
    m.turns = m.angle > SMALL_TURN
    m.slide = sliding_time(m)
    m.axis = axis_between(&m.a.now, &m.b.now)


# ---- one look --------------------------------------------------------------------------------

cdef void put_box_around(const PosedShape* a, ShapeRecord* s, Pose* X, PosedShape* box) noexcept nogil:
    """The box around a shape, as a shape of its own."""
    s[0], X[0] = a.s[0], a.X[0]
    s.kind, s.core = BOX, BOX_CORE
    X.p = add3(X.p, mul3(X.R, s.bounds.center))
    box.s, box.X = s, X


cdef double gap_of(Meeting* m, double reach) noexcept nogil:
    """A gap between them where they are now looked at [m], along m.axis: positive, and about as large as it can be.

    Negative if they overlap; some number above `reach` if they are that far.
    """
    cdef const PosedShape* a = &m.a.later
    cdef const PosedShape* b = &m.b.later
    cdef double r = core_radius(a) + core_radius(b)
    cdef Vec3 x
    cdef ShapeRecord[2] box
    cdef Pose[2] X
    cdef PosedShape[2] around
    if a.s.kind == HALF_SPACE or b.s.kind == HALF_SPACE or (a.s.kind == SPHERE and b.s.kind == SPHERE):
        m.axis = axis_between(a, b)
    elif a.s.kind == BOX and b.s.kind == BOX:
        return box_gap(a, b, &m.axis)
    elif is_coarse(a) or is_coarse(b):
        around[0], around[1] = a[0], b[0]
        if is_coarse(a):
            put_box_around(a, &box[0], &X[0], &around[0])
        if is_coarse(b):
            put_box_around(b, &box[1], &X[1], &around[1])
        if descend(&around[0], &around[1], r + reach, m.axis, ROUGHLY, &x, &m.axis) < 0.0:
            return -r
    elif descend(a, b, r + reach, m.axis, ROUGHLY, &x, &m.axis) < 0.0:
        return -r
    return gap_along(a, b, m.axis)


cdef int look(Meeting* m, double margin) noexcept nogil:
    """Append the contacts where they are; the index of the first."""
    cdef int first = m.sink.out.n
    collide(m.table, N_KINDS, &m.a.later, &m.b.later, margin, m.sink)
    return first


cdef int look_at(Meeting* m, double t, double margin) noexcept nogil:
    """Append the contacts at the fraction t of the step; the index of the first."""
    move_to(m.a, t)
    move_to(m.b, t)
    return look(m, margin)


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
    if m.angle * (1.0 - t) > m.small_turn:
        wait = fmin(wait, m.small_turn / m.angle)
    wait = fmin(wait, m.slide)
    return t + fmax(wait, 1e-3)


cdef double shallow_time(Meeting* m, double before, double after) noexcept nogil:
    """A time at which they have met but are not deep, between one before and one after, by bisection."""
    cdef double t, depth
    cdef int first = m.sink.out.n
    for _ in range(HALVINGS):
        t = 0.5 * (before + after)
        look_at(m, t, m.margin)
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
    """When they were in each other by `met` that are so by some more at t; t itself if they had another normal then."""
    cdef ContactBuffer* out = m.sink.out
    cdef int first = look_at(m, t, m.margin), i, deepest = first
    cdef double speed, start = t
    cdef Vec3 n
    for i in range(first, out.n):
        if out.point[i].depth > out.point[deepest].depth:
            deepest = i
    if out.n > first and t > 0.0:
        n = out.point[deepest].normal
        speed = closing(m, &out.point[deepest], t)
        if speed > 0.0:
            start = fmax(0.0, t - (out.point[deepest].depth - m.met) / speed)
        out.n = first
        look_at(m, start, m.margin)
        if out.n == first or dot3(n, out.point[first].normal) < 0.9999:
            start = t
    out.n = first
    return start


cdef double least_gap(double gap, double end, double sag) noexcept nogil:
    """The least of (1 - s) gap + s end - s (1 - s) sag, s from 0 to 1."""
    cdef double s
    if fabs(end - gap) >= sag:
        return fmin(gap, end)
    s = 0.5 * (1.0 - (end - gap) / sag)
    return gap + s * (end - gap) - s * (1.0 - s) * sag


cdef double gap_is_gone(double gap, double end, double sag) noexcept nogil:
    """The first s at which (1 - s) gap + s end - s (1 - s) sag is 0; gap > 0, and there is one."""
    cdef double b = gap - end + sag
    return fmin(1.0, 2.0 * gap / (b + sqrt(fmax(0.0, b * b - 4.0 * sag * gap))))


cdef bint passes(Meeting* m, double* t, double gap, bint* near) noexcept nogil:
    """Whether two with a gap along m.axis at t do not meet in the rest of the step; else t is as late as they can.

    Points approach by so much at most, and none leaves the line between its places by more than its path's sag.
    """
    cdef double rest = 1.0 - t[0], sag = rest * rest * (m.a.path.sag + m.b.path.sag)
    cdef double rate = fmin(m.way, approach_along(&m.a.path, &m.b.path, m.axis)), end, least
    if rate * rest <= gap - m.beyond - m.margin:
        near[0] = False
        return True
    end = gap_along(&m.a.end, &m.b.end, m.axis)
    least = fmax(least_gap(gap, end, sag), gap - rate * rest)
    near[0] = least < m.beyond + m.margin
    if least < 0.0:
        t[0] += fmax(gap / rate, rest * gap_is_gone(gap, end, sag))
    return least >= 0.0


cdef double meeting_time(Meeting* m, double t, bint* near) noexcept nogil:
    """The fraction of the step, from t on, at which they meet; above 1: they do not, `near` says whether nearly."""
    cdef ContactBuffer* out = m.sink.out
    cdef double before = 0.0, start, gap, depth, reach = m.way + m.beyond + m.margin
    cdef int first = out.n
    near[0] = True
    if t == 0.0:
        reach += m.alone
    find_end(m.a)
    find_end(m.b)
    for _ in range(MAX_LOOKS + <int> fmin(MAX_MORE, LOOKS_A_TURN * fmin(m.angle, MAX_RADIANS) / m.small_turn)):
        move_to(m.a, t)
        move_to(m.b, t)
        gap = gap_of(m, reach)
        if t == 0.0:
            m.gap = gap
        if gap > m.touch:
            start = t
            if passes(m, &t, gap, near):
                return 2.0
            before = start
            continue
        look(m, m.margin)
        depth = deepest_of(out, first)
        out.n = first
        if depth > m.margin and t > 0.0:
            return first_touch(m, shallow_time(m, before, t))
        if depth > m.touch:
            return first_touch(m, t)
        if t >= 1.0:
            return 2.0
        look(m, m.margin + m.way)
        before = t
        t = fmin(1.0, next_arrival(m, first, t))
        out.n = first
    return t
