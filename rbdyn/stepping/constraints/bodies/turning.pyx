"""How compliant wires and springs turn the bodies that they pull beside their centres.

A pull P at the arm r from the centre of mass turns with neither of them: the second derivative of its potential by
the body's rotation is

    K = (P . r) 1 - (r P^T + P r^T) / 2

with the eigenvalues P . r about the axis across both, (P . r + |P| |r|) / 2 about the one in their plane along
r / |r| - P / |P|, and (P . r - |P| |r|) / 2 <= 0 about the one between them.  Rows take their arms from the start of
the step, or from its middle: this swing is explicit, and would grow where steps hardly resolve it, of all wires of a
body together.  There the first two stiffnesses act at the end of the step, a row each: they bring the rotation to rest,
and leave the rest of the motion as it is.
"""

from libc.math cimport sqrt

from rbdyn.contact.problem cimport BILATERAL, ContactProblem, Key
from rbdyn.spatial._algebra cimport Vec3, add3, cross3, dot3, scale3, smul3, sub3, zero3
from rbdyn.stepping.builder cimport Builder, add_push, add_row, begin_block
from rbdyn.stepping.constraints.bodies.wire cimport (
    SPRING, SPRING_SOURCE, TURNING, WIRE_SOURCE, Wire, is_elastic, normal_to, tension_of,
)
from rbdyn.stepping.points cimport note_wrench, push_body
from rbdyn.stepping.scene cimport DYNAMIC, SINGLE_BODY, BodyHandle, Scene, SingleParameters, SingleScratch

cdef double FAST = 0.5        # (w dt)^2 of all swings of a body beyond which they are led to rest


cdef inline bint is_turned(const Scene* s, const Wire* w, int i) noexcept nogil:
    """Whether it is elastic, and anchor i on a single body that forces turn.

    What a stiff wire pulls with among others that hold the same is no force that a swing would feel.
    """
    cdef const BodyHandle* body = s.body + w.anchor[i].handle
    return is_elastic(w) and w.link.near and body.kind == SINGLE_BODY and s.single[body.index].type == DYNAMIC


cdef inline Vec3 arm_of(const Scene* s, const Wire* w, int i) noexcept nogil:
    """From the centre of mass to anchor i, world [m]."""
    return sub3(w.at[i], s.single_state[s.body[w.anchor[i].handle].index].p)


cdef inline double stiffest(Vec3 r, Vec3 P) noexcept nogil:
    """The largest eigenvalue of K [N m]."""
    return 0.5 * (dot3(P, r) + sqrt(dot3(P, P) * dot3(r, r)))


cdef inline double angular_mobility(const Scene* s, int k) noexcept nogil:
    """About the largest of single body k [1/(kg m^2)]: in principal axes that is what it is."""
    cdef const SingleParameters* body = s.single + k
    return max(body.inverse_I_b.xx, body.inverse_I_b.yy, body.inverse_I_b.zz)


cdef double turned_mobility(const Scene* s, const Wire* w, int i) noexcept nogil:
    """How much anchor i, on a single body, moves at most since an impulse there turns that [1/kg]."""
    cdef Vec3 r = arm_of(s, w, i)
    return dot3(r, r) * angular_mobility(s, s.body[w.anchor[i].handle].index)


cdef void clear_turning(const Scene* s, const Wire* w) noexcept nogil:
    """Nothing turns its bodies yet."""
    cdef int i
    for i in range(w.n):
        if is_turned(s, w, i):
            s.single_scratch[s.body[w.anchor[i].handle].index].turning = 0.0


cdef void note_turning(const Scene* s, const Wire* w) noexcept nogil:
    """Add to each of its bodies about what (w dt)^2 it swings with."""
    cdef int i, k
    for i in range(w.n):
        if is_turned(s, w, i):
            k = s.body[w.anchor[i].handle].index
            s.single_scratch[k].turning += s.dt * s.dt * angular_mobility(s, k) * stiffest(
                arm_of(s, w, i), scale3(tension_of(w), w.pull[i]))


cdef void find_turning(const Scene* s, Wire* w) noexcept nogil:
    """Which of its bodies swing too fast, and the axes about which they do."""
    cdef Vec3 r, P, x, y
    cdef double arm, pull, along
    cdef int i
    for i in range(w.n):
        w.swings[i] = False
        if not is_turned(s, w, i) or s.single_scratch[s.body[w.anchor[i].handle].index].turning <= FAST:
            continue
        r, P = arm_of(s, w, i), scale3(tension_of(w), w.pull[i])
        arm, pull, along = sqrt(dot3(r, r)), sqrt(dot3(P, P)), dot3(P, r)
        if not stiffest(r, P) > 0.0:
            continue
        w.swings[i] = True
        r, P = scale3(1.0 / arm, r), scale3(1.0 / pull, P)
        x = sub3(r, P)
        x = normal_to(P) if dot3(x, x) < 1e-12 else scale3(1.0 / sqrt(dot3(x, x)), x)
        y = add3(r, P)
        y = cross3(x, scale3(1.0 / sqrt(dot3(y, y)), y)) if dot3(y, y) > 0.0 else zero3()
        w.about[2 * i] = scale3(sqrt(0.5 * (along + pull * arm)), x)
        w.about[2 * i + 1] = scale3(sqrt(max(0.0, along)), y)


cdef int count_turning(const Wire* w) noexcept nogil:
    """How many blocks of two rows it has about bodies."""
    cdef int i, n = 0
    for i in range(w.n):
        n += w.swings[i]
    return n


cdef int write_turning(const Scene* s, Builder* b, const Wire* w, bint flies) except -1 nogil:
    """Two rows about each body that swings fast: springs towards the rotation that it has at the start.

    In flight the arms of the wire are those of the middle, which is half of a step with the velocity of the start.
    """
    cdef const BodyHandle* body
    cdef Vec3 axis
    cdef double known
    cdef int i, k
    for i in range(w.n):
        if not w.swings[i]:
            continue
        body = s.body + w.anchor[i].handle
        begin_block(b, BILATERAL, 2, Key(source=SPRING_SOURCE if w.kind == SPRING else WIRE_SOURCE, id_a=w.link.id,
                                         id_b=0, feature=TURNING + i))
        b.block[b.problem.n_cones + b.n_blocks - 1].compliance = 1.0 / (s.dt * s.dt)
        for k in range(2 * i, 2 * i + 2):
            axis = w.about[k]
            known = 0.5 * dot3(axis, s.single_state[body.index].w) if flies else 0.0
            add_row(b, dot3(axis, s.single_state[body.index].w) - known,
                    dot3(axis, s.single_scratch[body.index].w_free) - known)
            add_push(b, s, body, w.at[i], zero3(), axis)
    return 0


cdef void read_turning(const Scene* s, Wire* w, const ContactProblem* p, int block, bint outside) noexcept nogil:
    """Give the moments of one of these blocks to its body: as a part of its free motion, if it flies."""
    cdef int i = <int> p.block[block].key.feature - TURNING, row = p.block[block].first_row
    cdef const BodyHandle* body = s.body + w.anchor[i].handle
    cdef SingleScratch* scratch
    cdef Vec3 moment = add3(scale3(p.impulse[row], w.about[2 * i]), scale3(p.impulse[row + 1], w.about[2 * i + 1]))
    if w.stops:
        push_body(s, body, w.at[i], zero3(), moment, outside)
        s.single_scratch[body.index].in_contact = True
    else:
        scratch = s.single_scratch + body.index
        scratch.w_free = add3(scratch.w_free, smul3(scratch.inverse_I, moment))
    if i == w.n - 1:
        note_wrench(&w.link.next, moment, zero3())
