"""Where contacts were at the step before: trails.pxd."""

from libc.math cimport INFINITY, fabs, sqrt

from rbdyn.collision._types cimport ContactPoint
from rbdyn.kernels.acceleration cimport velocity_product
from rbdyn.spatial._algebra cimport Mat3, Motion, Vec3, add3, cross3, dot3, mul3, scale3, smul3, sub3, zero3
from rbdyn.stepping.pair_history cimport PairTable, Trail, comes_before, is_of_pair
from rbdyn.stepping.scene cimport SINGLE_BODY, SYSTEM_BODY, BodyHandle, Scene, System
from rbdyn.stepping.single cimport Single, angular_momentum, single_of

cdef double SLOWEST = 1e-6     # [m/s] at a contact: what is slower takes no energy that anybody would miss
cdef double FARTHEST = 0.5     # of its arm that a contact moves in a step, and still is taken for the same one
cdef double FASTEST = 0.25     # of its arm that the material at it moves by, if a step is to tell how it turns


cdef inline Vec3 arm_of(const Scene* s, const BodyHandle* body, Vec3 at) noexcept nogil:
    """Of a point, from the centre of a single body, from the origin of a link [m]."""
    if body.kind == SINGLE_BODY:
        return sub3(at, s.single_state[body.index].p)
    if body.kind == SYSTEM_BODY:
        return sub3(at, s.system[body.index].d.p[body.body])
    return zero3()


cdef const Trail* follow(PairTable* t, const ContactPoint* c, Vec3 arm_a, Vec3 arm_b) noexcept nogil:
    """Note a contact; which one of the same shapes was nearest to it, or NULL.  They come in the order of shapes.

    Not the one with the same feature: those of a rim have new ones at each quarter of a turn.
    """
    cdef const Trail* known = <const Trail*> t.now
    cdef const Trail* best = NULL
    cdef double least = INFINITY, distance
    cdef Vec3 x, y
    cdef int k
    (<Trail*> t.next)[t.n_next] = Trail(a=c.shape_a, b=c.shape_b, arm_a=arm_a, arm_b=arm_b)
    t.n_next += 1
    while t.at < t.n and comes_before(known + t.at, c):
        t.at += 1
    k = t.at
    while k < t.n and is_of_pair(known + k, c):
        x, y = sub3(arm_a, known[k].arm_a), sub3(arm_b, known[k].arm_b)
        distance = dot3(x, x) + dot3(y, y)
        if distance < least:
            least = distance
            best = known + k
        k += 1
    return best


cdef inline bint is_told(const Scene* s, const BodyHandle* body, Vec3 arm, Vec3 old) noexcept nogil:
    """Whether the step is short enough to tell how a contact moves over its body."""
    cdef Vec3 way = sub3(arm, old), turn, w
    cdef double far = dot3(arm, arm)
    if body.kind == SYSTEM_BODY:
        w = mul3(s.system[body.index].d.R[body.body], s.system[body.index].d.vel[body.body].w)
    else:
        w = s.single_state[body.index].w
    turn = scale3(s.dt, cross3(w, arm))
    return dot3(way, way) <= FARTHEST * FARTHEST * far and dot3(turn, turn) <= FASTEST * FASTEST * far


cdef inline Vec3 bend_of_link(System* r, int body, Vec3 arm, Vec3 old, double dt) noexcept nogil:
    """dt (a + alpha x old) + w x (arm - old): its origin is carried along by the joints before it."""
    cdef Motion a = velocity_product(r.m, r.d, body), u = r.d.vel[body]
    cdef Vec3 origin = mul3(r.d.R[body], add3(a.v, cross3(u.w, u.v)))
    cdef Vec3 turning = cross3(mul3(r.d.R[body], a.w), old)
    return add3(scale3(dt, add3(origin, turning)), cross3(mul3(r.d.R[body], u.w), sub3(arm, old)))


cdef inline Vec3 bend_of(const Scene* s, const BodyHandle* body, Vec3 arm, Vec3 old) noexcept nogil:
    """Change of the velocity of a body's material at a contact, while its momenta, or its joints' velocities, stay."""
    cdef Single b
    cdef Vec3 w, gyration
    if body.kind == SYSTEM_BODY:
        return bend_of_link(s.system + body.index, body.body, arm, old, s.dt)
    if body.kind != SINGLE_BODY:
        return zero3()
    b = single_of(s, body.index)
    w = b.state.w
    if b.body.isotropic:
        return cross3(w, sub3(arm, old))
    gyration = scale3(-s.dt, smul3(b.work.inverse_I, cross3(w, angular_momentum(&b, &b.state.R, w))))
    return add3(cross3(w, sub3(arm, old)), cross3(gyration, old))


cdef Vec3 half_bend(PairTable* t, const Scene* s, const ContactPoint* c, const Mat3* E, Vec3 v) noexcept nogil:
    """Half of the change d, along the axes E of a contact, whose bodies' velocity along them is v; and note it.

    Contacts of a later time of the step have none: there the trail would be of two times.
    """
    cdef const BodyHandle* A = s.body + c.body_a
    cdef const BodyHandle* B = s.body + c.body_b
    cdef const Trail* old
    cdef Vec3 arm_a, arm_b, d
    cdef double most = v.x * v.x + v.y * v.y, length
    if most + v.z * v.z < SLOWEST * SLOWEST or dot3(c.to_a, c.to_a) > 0.0 or dot3(c.to_b, c.to_b) > 0.0:
        return zero3()
    arm_a, arm_b = arm_of(s, A, c.position), arm_of(s, B, c.position)
    old = follow(t, c, arm_a, arm_b)
    if old == NULL or not (is_told(s, A, arm_a, old.arm_a) and is_told(s, B, arm_b, old.arm_b)):
        return zero3()
    d = scale3(0.5, mul3(E[0], sub3(bend_of(s, A, arm_a, old.arm_a), bend_of(s, B, arm_b, old.arm_b))))
    if A.kind == SYSTEM_BODY or B.kind == SYSTEM_BODY:
        most += v.z * v.z
        length = dot3(d, d)
        return scale3(sqrt(most / length), d) if length > most else d
    length = d.x * d.x + d.y * d.y
    if length > most:
        length = sqrt(most / length)
        d.x, d.y = length * d.x, length * d.y
    if fabs(d.z) > fabs(v.z):
        d.z = v.z if d.z * v.z > 0.0 else -v.z
    return d
