"""The problem of how far poses move to correct depths: positions.pxd."""

from libc.math cimport INFINITY
from libc.stdlib cimport free
from libc.string cimport memset

from rbdyn.contact.operator cimport BodyVelocity
from rbdyn.contact.problem cimport BOX, CONE, ContactProblem, RowSide
from rbdyn.memory cimport grow
from rbdyn.spatial._algebra cimport Vec3, add3, cross3, dot3, scale3, smul3, sub3, sym3, vec3

cdef double ANYWHERE = 1e6    # [m/s] v_free of a row that corrects nothing: no impulse
cdef double SLOWEST = 1e-6    # [m/s] what is asked for less is not worth a solve: depths come to the slop, not to rest


cdef void release_positions(PositionProblem* q) noexcept nogil:
    """Give all memory back."""
    free(q.block)
    free(q.v_free)
    free(q.impulse)
    free(q.body)
    free(q.z)
    memset(q, 0, sizeof(PositionProblem))


cdef bint asks_for_positions(const ContactProblem* p) noexcept nogil:
    """Whether any pose is to be moved; a gap that may close asks for nothing."""
    cdef int i
    if p.position_target == NULL:
        return False
    for i in range(p.n_rows):
        if p.position_target[i] > SLOWEST:
            return True
    return False


cdef inline Vec3 at(const double* x) noexcept nogil:
    return vec3(x[0], x[1], x[2])


cdef inline void push(PositionProblem* q, const ContactProblem* p, int body, Vec3 linear, Vec3 angular) noexcept nogil:
    """An impulse and its moment on a single body."""
    cdef BodyVelocity* b = q.body + body
    cdef const double* I = p.inverse_inertia + 6 * body
    b.v = add3(b.v, scale3(p.inverse_mass[body], linear))
    b.w = add3(b.w, smul3(sym3(I[0], I[1], I[2], I[3], I[4], I[5]), angular))


cdef void push_cone(PositionProblem* q, const ContactProblem* p, int i) noexcept nogil:
    """All that the impulse of cone i moves."""
    cdef const double* R = p.frame + 9 * i
    cdef const double* lam = p.impulse + 3 * i
    cdef Vec3 f = add3(add3(scale3(lam[0], at(R)), scale3(lam[1], at(R + 3))), scale3(lam[2], at(R + 6)))
    cdef int j
    if p.single_a != NULL and p.single_a[i] >= 0:
        push(q, p, p.single_a[i], f, cross3(at(p.arm_a + 3 * i), f))
    if p.single_b != NULL and p.single_b[i] >= 0:
        f = scale3(-1.0, f)
        push(q, p, p.single_b[i], f, cross3(at(p.arm_b + 3 * i), f))
    if p.entry3_start != NULL:
        for j in range(p.entry3_start[i], p.entry3_start[i + 1]):
            q.z[p.entry3[j].coordinate] += p.entry3[j].x * lam[0] + p.entry3[j].y * lam[1] + p.entry3[j].n * lam[2]


cdef void push_row(PositionProblem* q, const ContactProblem* p, int r) noexcept nogil:
    """All that the impulse of row r of those that are no cone's moves."""
    cdef double lam = p.impulse[3 * p.n_cones + r]
    cdef const RowSide* side
    cdef int j
    if p.side != NULL:
        for j in range(2):
            side = p.side + 2 * r + j
            if side.body >= 0:
                push(q, p, side.body, scale3(lam, at(side.linear)), scale3(lam, at(side.angular)))
    if p.entry_start != NULL:
        for j in range(p.entry_start[r], p.entry_start[r + 1]):
            q.z[p.entry[j].coordinate] += p.entry[j].y * lam


cdef void find_velocities(PositionProblem* q, const ContactProblem* p) noexcept nogil:
    """body and z: what the impulses in p, this problem or the first one, make."""
    cdef int i
    if p.n_single > 0:
        memset(q.body, 0, p.n_single * sizeof(BodyVelocity))
    if p.n_coordinates > 0:
        memset(q.z, 0, p.n_coordinates * sizeof(double))
    for i in range(p.n_cones):
        push_cone(q, p, i)
    for i in range(p.n_rows - 3 * p.n_cones):
        push_row(q, p, i)


cdef inline double point_speed(const PositionProblem* q, int body, Vec3 direction, const double* arm) noexcept nogil:
    """Speed of a single body's point along a direction."""
    return dot3(direction, sub3(q.body[body].v, cross3(at(arm), q.body[body].w)))


cdef double normal_speed(const PositionProblem* q, const ContactProblem* p, int i) noexcept nogil:
    """What `body` and `z` make of the normal velocity of cone i."""
    cdef Vec3 normal = at(p.frame + 9 * i + 6)
    cdef double v = 0.0
    cdef int j
    if p.single_a != NULL and p.single_a[i] >= 0:
        v += point_speed(q, p.single_a[i], normal, p.arm_a + 3 * i)
    if p.single_b != NULL and p.single_b[i] >= 0:
        v -= point_speed(q, p.single_b[i], normal, p.arm_b + 3 * i)
    if p.entry3_start != NULL:
        for j in range(p.entry3_start[i], p.entry3_start[i + 1]):
            v += p.entry3[j].n * q.z[p.entry3[j].coordinate]
    return v


cdef double row_speed(const PositionProblem* q, const ContactProblem* p, int r) noexcept nogil:
    """What they make of row r of those that are no cone's."""
    cdef const RowSide* side
    cdef double v = 0.0
    cdef int j
    if p.side != NULL:
        for j in range(2):
            side = p.side + 2 * r + j
            if side.body >= 0:
                v += dot3(at(side.linear), q.body[side.body].v) + dot3(at(side.angular), q.body[side.body].w)
    if p.entry_start != NULL:
        for j in range(p.entry_start[r], p.entry_start[r + 1]):
            v += p.entry[j].y * q.z[p.entry[j].coordinate]
    return v


cdef void write_row(PositionProblem* q, const ContactProblem* p, int row, double change) noexcept nogil:
    """v_free of a row: the bodies' own velocity, with the change that the impulses make, less the position target."""
    q.v_free[row] = ANYWHERE
    if p.position_target[row] > -INFINITY:
        q.v_free[row] = p.v_free[row] + change - p.position_target[row]
        if p.target != NULL:
            q.v_free[row] += p.target[row]


cdef int write_positions(PositionProblem* q, const ContactProblem* p) except -1 nogil:
    """Make the problem from the first one, which is solved.  Friction and forces with bounds hold no pose."""
    cdef ContactProblem* mine = &q.problem
    cdef int i, r
    grow(<void**> &q.block, &q.room[0], p.n, sizeof(p.block[0]))
    grow(<void**> &q.v_free, &q.room[1], p.n_rows, sizeof(double))
    grow(<void**> &q.impulse, &q.room[2], p.n_rows, sizeof(double))
    grow(<void**> &q.body, &q.room[3], p.n_single, sizeof(BodyVelocity))
    grow(<void**> &q.z, &q.room[4], p.n_coordinates, sizeof(double))
    find_velocities(q, p)
    for i in range(p.n):
        q.block[i] = p.block[i]
        q.block[i].compliance = 0.0
        if p.block[i].law == CONE:
            q.block[i].a = q.v_free[3 * i] = q.v_free[3 * i + 1] = 0.0
            write_row(q, p, 3 * i + 2, normal_speed(q, p, i))
            continue
        if p.block[i].law == BOX:
            q.block[i].a = q.block[i].b = 0.0
        for r in range(p.block[i].first_row, p.block[i].first_row + p.block[i].rows):
            write_row(q, p, r, row_speed(q, p, r - 3 * p.n_cones))
    mine[0] = p[0]
    mine.block, mine.v_free, mine.impulse = q.block, q.v_free, q.impulse
    mine.target = mine.position_target = NULL
    return 0
