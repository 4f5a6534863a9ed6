"""Torsional and rolling friction: moments between two bodies in contact, about the normal and across it.

They resist the bodies' relative angular velocity, by no more than a length times the normal impulse of the contact.
Contacts come first in the problem: contact i is cone i.
"""

from rbdyn.collision._types cimport ContactPoint
from rbdyn.contact.problem cimport ContactProblem, Key
from rbdyn.spatial._algebra cimport Vec3, add3, dot3, mul3, scale3, smul3, vec3, zero3
from rbdyn.stepping.builder cimport Builder, Count, Share, add_axis, add_row, begin_disc, gather_row, use_system
from rbdyn.stepping.scene cimport (
    SINGLE_BODY, SYSTEM_BODY, BodyHandle, PairProperties, Scene, SingleScratch, System, pair_properties,
)
from rbdyn.stepping.touch cimport note_blows


cdef inline const PairProperties* properties(const Scene* s, const ContactPoint* c) noexcept nogil:
    return pair_properties(&s.pairs, s.material[c.shape_a], s.material[c.shape_b])


cdef Count count_rolling(const Scene* s) noexcept nogil:
    """A row about the normal, two across it, of each contact between materials with such coefficients."""
    cdef Count count = Count(0, 0, 0)
    cdef const PairProperties* pair
    cdef int i
    if not s.pairs.roll:
        return count
    for i in range(s.contacts.n):
        pair = properties(s, s.contacts.point + i)
        if pair.torsional_friction > 0.0:
            count.blocks += 1
            count.rows += 1
        if pair.rolling_friction > 0.0:
            count.blocks += 1
            count.rows += 2
    return count


cdef inline void spins(const Scene* s, const BodyHandle* body, double sign, Vec3* now, Vec3* free_) noexcept nogil:
    """Add the world angular velocity at the start of the step, and at its end without constraint impulses."""
    cdef System* r
    if body.kind == SINGLE_BODY:
        now[0] = add3(now[0], scale3(sign, s.single_state[body.index].w))
        free_[0] = add3(free_[0], scale3(sign, s.single_scratch[body.index].w_free))
    elif body.kind == SYSTEM_BODY:
        r = s.system + body.index
        use_system(r)
        now[0] = add3(now[0], scale3(sign, mul3(r.d.R[body.body], r.d.vel[body.body].w)))
        free_[0] = add3(free_[0], scale3(sign, r.work.twist[body.body].w))


cdef inline Vec3 axis_of(const double* frame, int i, int axis) noexcept nogil:
    """Axis 0 (t1), 1 (t2) or 2 (normal) of cone i."""
    cdef const double* e = frame + 9 * i + 3 * axis
    return vec3(e[0], e[1], e[2])


cdef int write_disc(const Scene* s, Builder* b, int i, int first, int rows, double coefficient,
                    int source) except -1 nogil:
    """The block about the axes of contact i from `first` on."""
    cdef const ContactPoint* c = s.contacts.point + i
    cdef const BodyHandle* A = s.body + c.body_a
    cdef const BodyHandle* B = s.body + c.body_b
    cdef Vec3 now = zero3(), spin = zero3(), e
    cdef int axis
    spins(s, A, 1.0, &now, &spin)
    spins(s, B, -1.0, &now, &spin)
    begin_disc(b, rows, coefficient, i, Key(source=source, id_a=c.shape_a, id_b=c.shape_b, feature=c.feature))
    for axis in range(first, first + rows):
        e = axis_of(b.frame, i, axis)
        add_row(b, dot3(e, now), dot3(e, spin))
        add_axis(b, s, A, e, 1.0)
        add_axis(b, s, B, e, -1.0)
    return 0


cdef int write_rolling(const Scene* s, Builder* b) except -1 nogil:
    """First all about normals, then all across: keys ascend."""
    cdef const PairProperties* pair
    cdef int i
    if not s.pairs.roll:
        return 0
    for i in range(s.contacts.n):
        pair = properties(s, s.contacts.point + i)
        if pair.torsional_friction > 0.0:
            write_disc(s, b, i, 2, 1, pair.torsional_friction, TORSION_SOURCE)
    for i in range(s.contacts.n):
        pair = properties(s, s.contacts.point + i)
        if pair.rolling_friction > 0.0:
            write_disc(s, b, i, 0, 2, pair.rolling_friction, ROLLING_SOURCE)
    return 0


cdef inline void turn(const Scene* s, const BodyHandle* body, Vec3 moment) noexcept nogil:
    """Give an angular impulse [N m s] to a single body."""
    cdef SingleScratch* w
    if body.kind == SINGLE_BODY:
        w = s.single_scratch + body.index
        w.dw = add3(w.dw, smul3(w.inverse_I, moment))


cdef void read_rolling(const Scene* s, const ContactProblem* p, Share share) noexcept nogil:
    """Give the moments to the bodies."""
    cdef const ContactPoint* c
    cdef const BodyHandle* A
    cdef const BodyHandle* B
    cdef Vec3 moment
    cdef int i, r, row, first
    for i in range(share.block, share.block_end):
        c = s.contacts.point + p.block[i].partner
        A = s.body + c.body_a
        B = s.body + c.body_b
        first = 2 if p.block[i].rows == 1 else 0
        moment = zero3()
        for r in range(p.block[i].rows):
            row = p.block[i].first_row + r
            moment = add3(moment, scale3(p.impulse[row], axis_of(p.frame, p.block[i].partner, first + r)))
            if A.kind == SYSTEM_BODY:
                gather_row(p, row, s.system + A.index)
            if B.kind == SYSTEM_BODY and not (A.kind == SYSTEM_BODY and A.index == B.index):
                gather_row(p, row, s.system + B.index)
        turn(s, A, moment)
        turn(s, B, scale3(-1.0, moment))
        note_blows(s, A, B, c.position, c.position, zero3(), moment)
