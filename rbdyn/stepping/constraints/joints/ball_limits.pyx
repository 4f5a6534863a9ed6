"""Limits of spherical joints: of the angle, of a cone and of the twist, a unilateral row for each that is near.

With the rotation R, the axis a of the twist before the joint, R a after it, and the angular velocity w before it:

    angle     of R about its axis n                    its rate is  n . w
    cone      between a and R a                        (a x R a) . w / |a x R a|
    twist     of R = S T about a, S the shortest turn of a to R a           (a + R a) . w / (1 + a . R a)

They are approached as the limits of other joints are: the gap closes and no further, or bounces by `limit_restitution`
of the joint's first degree of freedom; depth is corrected by poses, unless they give way.
"""

from libc.math cimport INFINITY, atan2, fabs, sqrt
from libc.string cimport memset

from rbdyn.contact.problem cimport UNILATERAL, ContactProblem, Key
from rbdyn.contact.targets cimport position_target
from rbdyn.spatial._algebra cimport Vec3, add3, cross3, dot3, scale3, vec3
from rbdyn.stepping.builder cimport Builder, Count, Share, add_coordinate, begin_row, gather_row
from rbdyn.stepping.constraints.bodies.freedoms cimport soften_stop
from rbdyn.stepping.freedom cimport Softness
from rbdyn.stepping.rest cimport system_sleeps
from rbdyn.stepping.scene cimport LIMIT_FORCE, BallLimit, Scene, System
from rbdyn.stepping.schemes cimport stop_velocity

cdef double REACH = 50.0       # change of angular velocity that impulses are expected to stay below [rad/s]
cdef double SMALL = 1e-6       # of a sine, below which an axis says nothing

cdef enum:
    ENDS = 4                   # angle, cone, least and largest twist

cdef struct End:
    double gap                 # how far the limit is [rad]; INFINITY where there is none
    Vec3 away                  # times the angular velocity: how fast it opens


cdef inline Vec3 velocity(const double* v) noexcept nogil:
    return vec3(v[0], v[1], v[2])


cdef inline Vec3 turned(double w, Vec3 u, Vec3 a) noexcept nogil:
    """R a for the quaternion (w, u)."""
    cdef Vec3 t = scale3(2.0, cross3(u, a))
    return add3(a, add3(scale3(w, t), cross3(u, t)))


cdef inline void find_ends(const System* s, const BallLimit* ball, End* end) noexcept nogil:
    """The four limits at the present configuration."""
    cdef const double* q = s.d.q + ball.q
    cdef double w = q[0], size, sine, cosine, twist
    cdef Vec3 u = vec3(q[1], q[2], q[3]), a = ball.axis, b, n
    cdef int k
    for k in range(ENDS):
        end[k].gap, end[k].away = INFINITY, vec3(0.0, 0.0, 0.0)
    size = sqrt(dot3(u, u))
    if ball.angle < INFINITY and size > SMALL:
        end[0].gap = ball.angle - 2.0 * atan2(size, fabs(w))
        end[0].away = scale3((-1.0 if w >= 0.0 else 1.0) / size, u)
    b = turned(w, u, a)
    n = cross3(a, b)
    sine, cosine = sqrt(dot3(n, n)), dot3(a, b)
    if ball.cone < INFINITY and sine > SMALL:
        end[1].gap = ball.cone - atan2(sine, cosine)
        end[1].away = scale3(-1.0 / sine, n)
    if (ball.twist_lower > -INFINITY or ball.twist_upper < INFINITY) and 1.0 + cosine > SMALL:
        twist = 2.0 * atan2(dot3(u, a), w) if w >= 0.0 else 2.0 * atan2(-dot3(u, a), -w)
        n = scale3(1.0 / (1.0 + cosine), add3(a, b))
        end[2].gap, end[2].away = twist - ball.twist_lower, n
        end[3].gap, end[3].away = ball.twist_upper - twist, scale3(-1.0, n)


cdef inline bint is_near(const Scene* s, const System* r, const BallLimit* ball, const End* end) noexcept nogil:
    """Whether the limit could be passed in this step."""
    return end.gap + s.dt * dot3(end.away, velocity(r.work.v_free + ball.dof)) <= s.dt * REACH


cdef Count count_ball_limits(const Scene* s) noexcept nogil:
    """One row for each that is near."""
    cdef End end[ENDS]
    cdef System* r
    cdef int k, j, i, n = 0
    for k in range(s.n_system):
        r = s.system + k
        if system_sleeps(s, r):
            continue
        for j in range(r.control.n_balls):
            find_ends(r, r.control.ball + j, end)
            for i in range(ENDS):
                n += is_near(s, r, r.control.ball + j, end + i)
    return Count(cones=0, blocks=n, rows=n)


cdef int write_end(const Scene* s, Builder* b, System* r, const BallLimit* ball, const End* end,
                   int i) except -1 nogil:
    """How fast the limit opens, less its target."""
    cdef double v = dot3(end.away, velocity(r.d.v + ball.dof))
    cdef double v_free = dot3(end.away, velocity(r.work.v_free + ball.dof))
    cdef Softness soft = Softness(r.control.limit_softness[ball.dof], r.control.limit_damping[ball.dof])
    cdef double bounce = stop_velocity(s, r, -v, -v_free, end.gap, r.control.restitution[ball.dof])
    begin_row(b, UNILATERAL, 0.0, 0.0, v, v_free, -end.gap, bounce,
              position_target(-end.gap, s.dt, s.erp, s.slop, s.erp_speed),
              Key(source=BALL_SOURCE, id_a=r.handle, id_b=ENDS * ball.dof + i, feature=0))
    add_coordinate(b, r, ball.dof, end.away.x)
    add_coordinate(b, r, ball.dof + 1, end.away.y)
    add_coordinate(b, r, ball.dof + 2, end.away.z)
    if soft.softness > 0.0:
        soften_stop(s, b, &soft, end.gap)
    return 0


cdef int write_ball_limits(const Scene* s, Builder* b) except -1 nogil:
    cdef End end[ENDS]
    cdef System* r
    cdef int k, j, i
    for k in range(s.n_system):
        r = s.system + k
        if system_sleeps(s, r):
            continue
        for j in range(r.control.n_balls):
            find_ends(r, r.control.ball + j, end)
            for i in range(ENDS):
                if is_near(s, r, r.control.ball + j, end + i):
                    write_end(s, b, r, r.control.ball + j, end + i, i)
    return 0


cdef inline void take_end(const ContactProblem* p, int row, System* r, int j, const End* end, int i) noexcept nogil:
    """The impulse of one limit home; a joint that is held moves with its new velocity (system_move).

    One that bounces moves as it would in the air: that keeps its energy.
    """
    cdef const BallLimit* ball = r.control.ball + j
    cdef double* force = r.work.by_rows + LIMIT_FORCE * r.m.nv + ball.dof
    cdef double impulse = p.impulse[row]
    gather_row(p, row, r)
    r.work.at_balls[ENDS * j + i] = impulse
    force[0] += impulse * end.away.x
    force[1] += impulse * end.away.y
    force[2] += impulse * end.away.z
    if impulse > 0.0 and p.target[row] > 0.0:
        r.work.bounces = True
    elif impulse > 0.0:
        r.work.held[ball.dof] = r.work.held[ball.dof + 1] = r.work.held[ball.dof + 2] = True


cdef void read_ball_limits(const Scene* s, const ContactProblem* p, Share share) noexcept nogil:
    """Give the impulses to the systems, beside those of other joints' limits."""
    cdef End end[ENDS]
    cdef System* r
    cdef int k, j, i, block = share.block
    for k in range(s.n_system):
        r = s.system + k
        if system_sleeps(s, r):
            continue
        memset(r.work.at_balls, 0, ENDS * r.control.n_balls * sizeof(double))
        for j in range(r.control.n_balls):
            find_ends(r, r.control.ball + j, end)
            for i in range(ENDS):
                if is_near(s, r, r.control.ball + j, end + i):
                    take_end(p, p.block[block].first_row, r, j, end + i, i)
                    block += 1
