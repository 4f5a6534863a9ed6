"""Where two moving shapes meet: time_of_contact.pxd."""

from libc.math cimport fmax, fmin

from rbdyn.collision._types cimport HALF_SPACE, N_KINDS, ContactBuffer, ContactPoint
from rbdyn.collision.motion.meeting cimport (
    Meeting, closing, deepest_of, least_gap, look_at, look_closer, meeting, meeting_time, next_arrival,
)
from rbdyn.collision.motion.path cimport MovingShape, find_end, gap_along, radius_of, shift_at
from rbdyn.collision.pair_table cimport PairEntry, collide
from rbdyn.collision.sink cimport Sink
from rbdyn.spatial._algebra cimport Vec3, add3, dot3, scale3, sub3

cdef double SAME = 1.0 - 1e-6      # cosine between normals that are one
cdef double ALIKE = 0.9            # and between those of surfaces, which have many
cdef double FAST = 0.5             # share of the smaller radius by which two come in a step, and the time counts,
cdef double FAST_THIN = 1.0        # or of half the thickness of what moves, if that is less
cdef double IN_THIN = 0.25         # if it leads in by this share of that: what rolls or slides along does not
cdef double FOLLOWED = 0.5         # [rad] what turns by more may have come nearer in between
cdef double DEEP_THIN = 0.1        # share of half the thickness by which ends may go in unseen

# ---- the step's start ------------------------------------------------------------------------

cdef bint is_obeyed(const Meeting* m, const ContactPoint* c) noexcept nogil:
    """Whether the motion closes no more than the gap."""
    return closing(m, c, 0.0) + fmin(c.depth, 0.0) <= m.obeyed


cdef bint is_steady(const Meeting* m, int first) noexcept nogil:
    """Whether those contacts from `first` on that are in reach are obeyed by the motion, which brings no others."""
    cdef const ContactBuffer* out = m.sink.out
    cdef double reach = m.margin + (m.way if m.winding or m.a.path.spin + m.b.path.spin > m.touch else 0.0)
    cdef int i
    if m.turns:
        return False
    for i in range(first, out.n):                # what is farther than the margin may come down
        if out.point[i].depth > -reach and not is_obeyed(m, &out.point[i]):
            return False
    return True


cdef bint brings_ends(Meeting* m, int first) noexcept nogil:
    """Whether the motion takes some end of what is thin in, which may be none of the contacts from `first` on."""
    cdef ContactBuffer* out = m.sink.out
    cdef double deep = fmax(0.0, deepest_of(out, first)) + DEEP_THIN * m.thin
    cdef int n = look_at(m, 1.0, m.margin)
    cdef bint brings = deepest_of(out, n) > deep
    out.n = n
    return brings


cdef inline bint has_corners_to_come(const MovingShape* a) noexcept nogil:
    """Whether turning may bring some that were not seen."""
    return not (a.still or a.now.s.bounds.round or a.now.s.kind == HALF_SPACE)


cdef bint is_there(const Meeting* m, const ContactPoint* c, int first) noexcept nogil:
    """Whether some contact from `first` on has about the normal of another one."""
    cdef const ContactBuffer* out = m.sink.out
    cdef int i
    for i in range(first, out.n):
        if dot3(c.normal, out.point[i].normal) > ALIKE:
            return True
    return False


cdef bint goes_on(Meeting* m, int first) noexcept nogil:
    """Whether all contacts from `first` on that the motion does not obey touch already, and do so at the end.

    Bodies that roll or tumble in contact move into each other a little if nothing holds them, by the square of the
    step.  Those of the step's start are their contacts; an edge that is passed over has another normal at the end.
    """
    cdef ContactBuffer* out = m.sink.out
    cdef double reach = m.margin + m.way
    cdef int i, n = out.n
    cdef bint same
    if m.turns and (has_corners_to_come(m.a) or has_corners_to_come(m.b)):
        return False
    for i in range(first, n):
        if -reach < out.point[i].depth < -m.touch and not is_obeyed(m, &out.point[i]):
            return False
    look_at(m, 1.0, m.margin)
    if m.winding:
        same = True
        for i in range(first, n):
            same &= out.point[i].depth < -m.touch or is_obeyed(m, &out.point[i]) or is_there(m, &out.point[i], n)
    else:
        same = out.n > n and dot3(out.point[first].normal, out.point[n].normal) > SAME
    out.n = n
    return same


cdef void keep_near(Meeting* m, int first, double margin) noexcept nogil:
    """Of the contacts from `first` on, found with a larger margin, those within this one."""
    cdef ContactBuffer* out = m.sink.out
    cdef int i, n = first
    for i in range(first, out.n):
        if out.point[i].depth > -margin:
            if n < i:
                out.point[n] = out.point[i]
            n += 1
    out.n = n


cdef void keep_obeyed(const Meeting* m, int first) noexcept nogil:
    """Of the contacts from `first` on, those that the motion obeys anyhow, as bodies do that roll, slide or rest."""
    cdef ContactBuffer* out = m.sink.out
    cdef int i, n = first
    for i in range(first, out.n):
        if is_obeyed(m, &out.point[i]):
            if n < i:
                out.point[n] = out.point[i]
            n += 1
    out.n = n


# ---- contacts of a later time ----------------------------------------------------------------

cdef void see_from_start(Meeting* m, int first, double t, bint met) noexcept nogil:
    """Make rows of the contacts at t: a body that goes on as it does may just get there, or as far as it gets.

    Each body has the moment arms of that time.  Two that move freely must share one point, or their impulses would
    make angular momentum: it goes with the smaller one, whose arms matter more.
    """
    cdef ContactBuffer* out = m.sink.out
    cdef ContactPoint* c
    cdef Vec3 to_a = m.a.motion.v, to_b = m.b.motion.v
    cdef double speed, depth
    cdef int i, n = first
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
        if n < i:
            out.point[n] = c[0]
        n += 1
    out.n = n


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


cdef Outcome rows_now(const Meeting* m, int first) noexcept nogil:
    """Leave the contacts from `first` on."""
    return STOPS if may_stop(m, first) else FREE


cdef double approach(Meeting* m, int first, double t) noexcept nogil:
    """How far they would come nearer along the normals at t, in a whole step [m]: what rolls or slides does not."""
    cdef const ContactBuffer* out = m.sink.out
    cdef double most = 0.0
    cdef Vec3 n
    cdef int i
    if m.angle > FOLLOWED:
        return m.way
    for i in range(first, out.n):
        most = fmax(most, closing(m, &out.point[i], t))
    if out.n > first:
        n = out.point[first].normal
        find_end(m.a)
        find_end(m.b)
        most = fmax(most, gap_along(&m.a.now, &m.b.now, n) - gap_along(&m.a.end, &m.b.end, n))
    return most


cdef bint is_fast(Meeting* m, int first, double t) noexcept nogil:
    """Whether they approach in a step by a good part of the smaller shape's size, or of the thinner one's.

    What turns while it closes such a gap meets the other one elsewhere, or not at all, and what is hit on one end
    turns its other end in by as much.
    """
    if m.way > FAST * fmin(radius_of(m.a), radius_of(m.b)):
        return True
    return m.way > FAST_THIN * m.thin and approach(m, first, t) > IN_THIN * m.thin


cdef Outcome rows_then(Meeting* m, int first, double t) noexcept nogil:
    """Leave the contacts from `first` on, seen at t, where they meet."""
    cdef ContactBuffer* out = m.sink.out
    cdef int i
    cdef bint fast = is_fast(m, first, t)
    for i in range(first, out.n if fast or t > 0.0 else first):
        out.point[i].time, out.point[i].depth_then, out.point[i].fast = t, out.point[i].depth, fast
    see_from_start(m, first, t, True)
    return STOPS


cdef Outcome rows_of_passing(Meeting* m, int first, bint near) noexcept nogil:
    """Of two that do not meet: leave what the motion obeys, or else what acceleration may bring."""
    keep_obeyed(m, first)
    if m.sink.out.n == first and near:
        look_at(m, 1.0, m.margin + m.beyond)
        see_from_start(m, first, 1.0, False)
    if m.sink.out.n > first:
        return rows_now(m, first)
    return ALONGSIDE if m.gap < m.alone else FREE


cdef Outcome collide_near(Meeting* m, int first) noexcept nogil:
    """Of two that are near at the start; their contacts are those from `first` on, with a margin for all of the way."""
    cdef ContactBuffer* out = m.sink.out
    cdef int n = out.n
    cdef double t
    cdef bint near, slow = m.way <= (m.margin if m.winding else 2.0 * m.margin)
    if not slow:
        look_closer(m)
        m.turns |= m.angle > m.small_turn and brings_ends(m, first)
    if slow or is_steady(m, first):
        keep_near(m, first, m.margin)
        if out.n < n:                            # a smaller margin may choose other corners
            out.n = first
            m.sink.again = not (m.winding or m.angle > m.small_turn)       # nor was the end looked at meanwhile
            look_at(m, 0.0, m.margin)
            m.sink.again = False
        return rows_now(m, first)
    if deepest_of(out, first) > m.touch or goes_on(m, first):
        keep_near(m, first, fmax(m.margin, 2.0 * m.way))
        return rows_then(m, first, 0.0)
    t = fmin(1.0, next_arrival(m, first, 0.0))
    out.n = first
    t = meeting_time(m, t, &near)
    if t <= 1.0:
        look_at(m, t, fmax(m.margin, 2.0 * (1.0 - t) * m.way))
        return rows_then(m, first, t)
    look_at(m, 0.0, m.margin)
    return rows_of_passing(m, first, near)


cdef Outcome collide_far(Meeting* m) noexcept nogil:
    """Of two that are apart at the start."""
    cdef int first = m.sink.out.n
    cdef bint near
    cdef double t
    look_closer(m)
    t = meeting_time(m, 0.0, &near)
    if t <= 1.0:
        look_at(m, t, fmax(m.margin, 2.0 * (1.0 - t) * m.way))
        return rows_then(m, first, t)
    return rows_of_passing(m, first, near)


cdef Outcome collide_moving(const PairEntry* table, MovingShape* a, MovingShape* b, double margin, double beyond,
                            Sink* sink, double gap, Vec3* axis) noexcept nogil:
    """Emit the contacts of two shapes, normals into the first: those now, or those where they meet in the step.

    `axis` is one along which they may be apart, by `gap`, and is put where they were found to be.
    """
    cdef ContactBuffer* out = sink.out
    cdef Meeting m = meeting(table, a, b, margin, beyond, sink)
    cdef int first = out.n
    cdef Outcome outcome
    if gap > margin + beyond:
        find_end(a)
        find_end(b)
        if least_gap(gap, gap_along(&a.end, &b.end, axis[0]), a.path.sag + b.path.sag) > margin + beyond:
            return ALONGSIDE if gap < m.alone else FREE
    if gap <= margin:
        collide(table, N_KINDS, &a.now, &b.now, margin if m.way <= 2.0 * margin and not m.winding else
                margin + 2.0 * m.way, sink)
        if deepest_of(out, first) > -margin:
            axis[0] = out.point[first].normal
            return collide_near(&m, first)
        out.n = first
    outcome = collide_far(&m)
    axis[0] = m.axis
    return outcome


cdef bint collide_if_stopped(const PairEntry* table, MovingShape* a, MovingShape* b, double margin,
                             Sink* sink) noexcept nogil:
    """Emit the contacts of two that move side by side, one of which is stopped: the other comes so far.

    False if there are none.
    """
    cdef ContactBuffer* out = sink.out
    cdef Meeting m = meeting(table, a, b, margin, 0.0, sink)
    cdef const ContactPoint* c
    cdef int first = look_at(&m, 0.0, m.alone), i, n = first
    for i in range(first, out.n):
        c = &out.point[i]
        if is_obeyed(&m, c) and -c.depth <= step_towards(&m, c):
            if n < i:
                out.point[n] = c[0]
            n += 1
    out.n = n
    return n > first
