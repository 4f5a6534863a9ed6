"""What impulses make of velocities: velocities.pxd."""

from libc.stdlib cimport free
from libc.string cimport memset

from rbdyn.contact.operator cimport BodyVelocity
from rbdyn.contact.problem cimport ContactProblem, Entry3, RowSide, further_sides
from rbdyn.memory cimport grow
from rbdyn.spatial._algebra cimport Vec3, add3, cross3, dot3, scale3, smul3, sub3, sym3


cdef void release_velocities(Velocities* q) noexcept nogil:
    """Give all memory back."""
    free(q.body)
    free(q.z)
    memset(q, 0, sizeof(Velocities))


cdef inline void push(Velocities* q, const ContactProblem* p, int body, Vec3 linear, Vec3 angular) noexcept nogil:
    """An impulse and its moment on a single body."""
    cdef BodyVelocity* b = q.body + body
    cdef const double* I = p.inverse_inertia + 6 * body
    b.v = add3(b.v, scale3(p.inverse_mass[body], linear))
    b.w = add3(b.w, smul3(sym3(I[0], I[1], I[2], I[3], I[4], I[5]), angular))


cdef void push_cone(Velocities* q, const ContactProblem* p, int i) noexcept nogil:
    """All that the impulse of cone i moves."""
    cdef const double* R = p.frame + 9 * i
    cdef const double* lam = p.impulse + 3 * i
    cdef Vec3 f
    cdef int j
    if lam[0] == 0.0 and lam[1] == 0.0 and lam[2] == 0.0:
        return
    f = add3(add3(scale3(lam[0], at(R)), scale3(lam[1], at(R + 3))), scale3(lam[2], at(R + 6)))
    if p.single_a != NULL and p.single_a[i] >= 0:
        push(q, p, p.single_a[i], f, cross3(at(p.arm_a + 3 * i), f))
    if p.single_b != NULL and p.single_b[i] >= 0:
        f = scale3(-1.0, f)
        push(q, p, p.single_b[i], f, cross3(at(p.arm_b + 3 * i), f))
    if p.entry3_start != NULL:
        for j in range(p.entry3_start[i], p.entry3_start[i + 1]):
            q.z[p.entry3[j].coordinate] += p.entry3[j].x * lam[0] + p.entry3[j].y * lam[1] + p.entry3[j].n * lam[2]


cdef void push_row(Velocities* q, const ContactProblem* p, int r) noexcept nogil:
    """All that the impulse of row r of those that are no cone's moves."""
    cdef double lam = p.impulse[3 * p.n_cones + r]
    cdef const RowSide* side
    cdef int j
    side = p.side + 2 * r if p.side != NULL else NULL
    while side != NULL:
        for j in range(2):
            if side[j].body >= 0:
                push(q, p, side[j].body, scale3(lam, at(side[j].linear)), scale3(lam, at(side[j].angular)))
        side = further_sides(p, side)
    if p.entry_start != NULL:
        for j in range(p.entry_start[r], p.entry_start[r + 1]):
            q.z[p.entry[j].coordinate] += p.entry[j].y * lam


cdef int find_velocities(Velocities* q, const ContactProblem* p, const int* island) except -1 nogil:
    """body and z: what the impulses in p make; with `island` (n,) those of blocks where it is not negative."""
    cdef int i, r
    grow(<void**> &q.body, &q.room[0], p.n_single, sizeof(BodyVelocity))
    grow(<void**> &q.z, &q.room[1], p.n_coordinates, sizeof(double))
    if p.n_single > 0:
        memset(q.body, 0, p.n_single * sizeof(BodyVelocity))
    if p.n_coordinates > 0:
        memset(q.z, 0, p.n_coordinates * sizeof(double))
    for i in range(p.n_cones):
        if island == NULL or island[i] >= 0:
            push_cone(q, p, i)
    for i in range(p.n_cones, p.n):
        if island == NULL or island[i] >= 0:
            for r in range(p.block[i].first_row, p.block[i].first_row + p.block[i].rows):
                push_row(q, p, r - 3 * p.n_cones)
    return 0


cdef inline double point_speed(const Velocities* q, int body, Vec3 direction, const double* arm) noexcept nogil:
    """Speed of a single body's point along a direction."""
    return dot3(direction, sub3(q.body[body].v, cross3(at(arm), q.body[body].w)))


cdef double cone_speed(const Velocities* q, const ContactProblem* p, int i, int axis) noexcept nogil:
    """The change of velocity of cone i along its axis 0 (t1), 1 (t2) or 2 (normal) [m/s]."""
    cdef Vec3 direction = at(p.frame + 9 * i + 3 * axis)
    cdef const Entry3* y
    cdef double v = 0.0
    cdef int j
    if p.single_a != NULL and p.single_a[i] >= 0:
        v += point_speed(q, p.single_a[i], direction, p.arm_a + 3 * i)
    if p.single_b != NULL and p.single_b[i] >= 0:
        v -= point_speed(q, p.single_b[i], direction, p.arm_b + 3 * i)
    if p.entry3_start != NULL:
        for j in range(p.entry3_start[i], p.entry3_start[i + 1]):
            y = p.entry3 + j
            v += (y.x if axis == 0 else (y.y if axis == 1 else y.n)) * q.z[y.coordinate]
    return v


cdef double row_speed(const Velocities* q, const ContactProblem* p, int r) noexcept nogil:
    """The change of velocity of row r of those that are no cone's [m/s or rad/s]."""
    cdef const BodyVelocity* moved
    cdef const RowSide* side
    cdef double v = 0.0
    cdef int j
    side = p.side + 2 * r if p.side != NULL else NULL
    while side != NULL:
        for j in range(2):
            if side[j].body >= 0:
                moved = q.body + side[j].body
                v += dot3(at(side[j].linear), moved.v) + dot3(at(side[j].angular), moved.w)
        side = further_sides(p, side)
    if p.entry_start != NULL:
        for j in range(p.entry_start[r], p.entry_start[r + 1]):
            v += p.entry[j].y * q.z[p.entry[j].coordinate]
    return v
