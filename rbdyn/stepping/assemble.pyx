"""The contact problem of one step, source by source.  A new kind of constraint is one file and one line here."""

from libc.math cimport sqrt
from libc.string cimport memcpy

from rbdyn.contact.operator cimport BodyVelocity
from rbdyn.contact.after.positions cimport asks_for_positions, release_positions, write_positions
from rbdyn.contact.after.velocities cimport find_velocities, release_velocities
from rbdyn.contact.problem cimport CONE, Block, Key
from rbdyn.spatial._algebra cimport Vec3, add3, cross3, dot3, scale3, sub3
from rbdyn.stepping.builder cimport Builder, Count, Share, begin_problem, builder_free, end_problem
from rbdyn.stepping.constraints.bodies.joints cimport count_joints, read_joints, write_joints
from rbdyn.stepping.constraints.bodies.loops cimport (
    count_loops, find_loop_overloads, read_loops, release_motors, write_loops,
)
from rbdyn.stepping.constraints.bodies.wires cimport count_wires, read_wires, write_wires
from rbdyn.stepping.constraints.contact.contacts cimport count_contacts, read_contacts, write_contacts
from rbdyn.stepping.constraints.contact.rolling cimport count_rolling, read_rolling, write_rolling
from rbdyn.stepping.constraints.joints.ball_limits cimport count_ball_limits, read_ball_limits, write_ball_limits
from rbdyn.stepping.constraints.joints.couplings cimport count_couplings, read_couplings, write_couplings
from rbdyn.stepping.constraints.joints.dry_friction cimport (
    clear_friction, count_friction, find_judged, read_friction, write_friction,
)
from rbdyn.stepping.constraints.joints.limits cimport (
    clear_passed, count_limits, find_passed, read_limits, write_limits,
)
from rbdyn.stepping.constraints.joints.mimics cimport count_mimics, read_mimics, write_mimics
from rbdyn.stepping.constraints.joints.motors cimport (
    clear_motor_rows, count_motors, find_overloads, find_turned, read_motors, write_motors,
)
from rbdyn.stepping.constraints.joints.velocity_limits cimport (
    clear_speeding, count_velocity_limits, find_speeders, read_velocity_limits, write_velocity_limits,
)
from rbdyn.stepping.links cimport N_LINK_KINDS, Link
from rbdyn.stepping.loops.closed_rows cimport load_loops
from rbdyn.stepping.loops.elimination cimport joint_velocities
from rbdyn.stepping.loops.stops cimport clear_stopped, find_stopped
from rbdyn.stepping.scene cimport SINGLE_BODY, SYSTEM_BODY, BodyHandle, Scene, SingleScratch, System

cdef double TURN = 3.0         # rad/s for each m/s that poses are corrected with

cdef Source[N_SOURCES] SOURCES
SOURCES[:] = [
    Source(count_contacts, write_contacts, read_contacts),
    Source(count_limits, write_limits, read_limits),
    Source(count_motors, write_motors, read_motors),
    Source(count_friction, write_friction, read_friction),
    Source(count_velocity_limits, write_velocity_limits, read_velocity_limits),
    Source(count_ball_limits, write_ball_limits, read_ball_limits),
    Source(count_mimics, write_mimics, read_mimics),
    Source(count_couplings, write_couplings, read_couplings),
    Source(count_loops, write_loops, read_loops),
    Source(count_joints, write_joints, read_joints),
    Source(count_wires, write_wires, read_wires),
    Source(count_rolling, write_rolling, read_rolling),      # discs: the last
]


cdef void assembly_free(Assembly* a) noexcept:
    """Give all memory back."""
    builder_free(&a.builder)
    release_positions(&a.positions)
    release_velocities(&a.velocities)


cdef int assemble(Assembly* a, const Scene* scene) except -1 nogil:
    """Write the problem of this step from its contacts and the free velocities: cones first, then all other blocks."""
    cdef Count count, total = Count(0, 0, 0)
    cdef Share* share
    cdef int k
    for k in range(N_SOURCES):
        share = a.share + k
        count = SOURCES[k].count(scene)
        share.cone, share.block = total.cones, total.blocks
        total.cones += count.cones
        total.blocks += count.blocks
        total.rows += count.rows
        share.cone_end, share.block_end = total.cones, total.blocks
    for k in range(N_SOURCES):
        a.share[k].block += total.cones
        a.share[k].block_end += total.cones
    begin_problem(&a.builder, scene, total)
    for k in range(N_SOURCES):
        if k == CONTACTS or a.share[k].block_end > a.share[k].block:      # contacts note that there are none
            SOURCES[k].write(scene, &a.builder)
    end_problem(&a.builder)
    return 0


cdef int begin_found(Assembly* a, const Scene* scene, int cones) except -1:
    """The problem of a step that was, as far as its contacts are read: room for frames and impulses of its cones."""
    cdef Builder* b = &a.builder
    cdef int k
    begin_problem(b, scene, Count(cones=cones, blocks=0, rows=0))
    b.spare = 0
    for k in range(cones):
        b.entry3_start[k] = 0
        b.block[k] = Block(law=CONE, first_row=3 * k, rows=3, partner=-1, a=0.0, b=0.0, compliance=0.0,
                           key=Key(source=0, id_a=0, id_b=0, feature=0))
        b.single_a[k] = b.single_b[k] = -1
    b.n_cones = cones
    end_problem(b)
    b.problem.v_free = NULL                              # it is no problem that anybody could read as a whole
    for k in range(N_SOURCES):
        a.share[k] = Share(cone=cones, cone_end=cones, block=cones, block_end=cones)
    a.share[CONTACTS].cone = 0
    return 0


cdef void apply_impulses(Assembly* a, const Scene* scene) noexcept nogil:
    """Every source takes the solved impulses of its blocks home."""
    cdef int k
    load_loops(&a.builder)
    for k in range(N_SOURCES):
        SOURCES[k].read(scene, &a.builder.problem, a.share[k])


cdef void forget_late_rows(const Scene* scene) noexcept nogil:
    """No constraint was found that the step before left out."""
    clear_motor_rows(scene)
    clear_speeding(scene)
    clear_passed(scene)
    clear_friction(scene)
    release_motors(scene)
    clear_stopped(scene)


cdef bint find_late_rows(const Scene* scene) noexcept nogil:
    """Whether the step's end does not meet a law that had no row, and has one now: then it has to be done again."""
    cdef bint found = find_overloads(scene)
    found |= find_speeders(scene)
    found |= find_passed(scene)
    found |= find_loop_overloads(scene)
    found |= find_stopped(scene)
    found |= find_turned(scene)
    return find_judged(scene) or found


cdef bint write_position_problem(Assembly* a) except -1 nogil:
    """How far poses move beyond the velocities, as a problem, once the first one is solved; False if none has to."""
    if not asks_for_positions(&a.builder.problem):
        return False
    write_positions(&a.positions, &a.builder.problem, &a.velocities)
    return True


cdef bint moves(const double* z, int n) noexcept nogil:
    """Whether any of these is not zero."""
    cdef int k
    for k in range(n):
        if z[k] != 0.0:
            return True
    return False


cdef inline double share_of(double speed, double most) noexcept nogil:
    """What part of a push is no faster than `most`; one that is no number stays none, and the step says so."""
    return most / speed if speed > most else 1.0


cdef double system_share(const System* s, double most) noexcept nogil:
    """What part of the push in work.change moves no body faster than `most` [m/s], and turns none by more than TURN."""
    cdef double share = 1.0
    cdef Vec3 w, v
    cdef int i
    for i in range(1, s.m.nb):
        w = s.work.change[i].w
        v = add3(s.work.change[i].v, cross3(w, sub3(s.d.p[i], s.work.origin)))
        share = min(share, share_of(sqrt(dot3(v, v)), most), share_of(sqrt(dot3(w, w)), TURN * most))
    return share


cdef inline double* share_at(const Scene* s, int handle) noexcept nogil:
    """Where the share of a body's push is; NULL for what is not pushed."""
    cdef const BodyHandle* body = s.body + handle
    if body.kind == SINGLE_BODY:
        return &s.single_scratch[body.index].push_share if s.single_scratch[body.index].pushed else NULL
    if body.kind == SYSTEM_BODY:
        return &s.system[body.index].work.push_share if s.system[body.index].work.pushed else NULL
    return NULL


cdef bint share_along(const Scene* s, const Link* link) noexcept nogil:
    """What a constraint connects takes the smallest share of all that it connects; returns whether that was news."""
    cdef double least = 1.0
    cdef double* share
    cdef bint news = False
    cdef int i
    for i in range(link.n_bodies):
        share = share_at(s, link.body[i])
        if share != NULL:
            least = min(least, share[0])
    for i in range(link.n_bodies):
        share = share_at(s, link.body[i])
        if share != NULL and share[0] > least:
            share[0] = least
            news = True
    return news


cdef void share_alike(const Scene* s) noexcept nogil:
    """Of bodies that constraints connect all are pushed by the same share: else some would open."""
    cdef bint news = True
    cdef int kind, k
    while news:
        news = False
        for kind in range(N_LINK_KINDS):
            for k in range(s.link[kind].n):
                news |= share_along(s, s.link[kind].item[k])


cdef int apply_pushes(Assembly* a, const Scene* scene) except -1 nogil:
    """The bodies take home what they move with beyond their velocities, in this step alone.

    What is not moved keeps its bits: even a push of nothing turns by rounding.  Bodies that do not fit between others
    ask one another for more and more: none is moved faster than one depth is corrected.
    """
    cdef const BodyVelocity* body
    cdef SingleScratch* b
    cdef System* r
    cdef double most = scene.erp_speed
    cdef bint slower = False
    cdef int k, i
    find_velocities(&a.velocities, &a.positions.problem, NULL)
    for i in range(scene.n_movers):
        b = scene.single_scratch + scene.mover[i]
        body = a.velocities.body + scene.mover[i]
        b.push_share = min(share_of(sqrt(dot3(body.v, body.v)), most),
                           share_of(sqrt(dot3(body.w, body.w)), TURN * most))
        b.pushed = b.inverse_mass > 0.0 and (dot3(body.v, body.v) > 0.0 or dot3(body.w, body.w) > 0.0)
        slower |= b.pushed and b.push_share < 1.0
    for k in range(scene.n_system):
        r = scene.system + k
        r.work.pushed = r.work.active and moves(a.velocities.z + r.work.coordinate, r.m.nv)
        if r.work.pushed:
            memcpy(r.work.push, a.velocities.z + r.work.coordinate, r.m.nv * sizeof(double))
            joint_velocities(r, r.work.push)
            r.work.push_share = system_share(r, most)
            slower |= r.work.push_share < 1.0
    if slower:
        share_alike(scene)
    for i in range(scene.n_movers):
        b = scene.single_scratch + scene.mover[i]
        body = a.velocities.body + scene.mover[i]
        b.push_v, b.push_w = scale3(b.push_share, body.v), scale3(b.push_share, body.w)
    for k in range(scene.n_system):
        r = scene.system + k
        for i in range(r.m.nv if r.work.pushed else 0):
            r.work.push[i] *= r.work.push_share
    return 0
