# Phases of a step, each over all that a scene has: pipeline.pyx has their order.

from rbdyn.kernels.kinematics cimport poses, velocities
from rbdyn.spatial._algebra cimport motion, mul3, scale3, zero_m
from rbdyn.stepping.constraints.bodies.joints cimport look_at_joints
from rbdyn.stepping.constraints.bodies.wires cimport look_at_wires
from rbdyn.stepping.constraints.joints.couplings cimport look_at_couplings
from rbdyn.stepping.articulated cimport (
    system_accelerations, system_change, system_commit, system_finite, system_free, system_move,
    system_settle,
)
from rbdyn.stepping.movers cimport list_movers, note_shown
from rbdyn.stepping.rest cimport system_sleeps
from rbdyn.stepping.scene cimport STATIC, Scene, SingleState, System, sleeps
from rbdyn.stepping.schemes cimport scheme_of
from rbdyn.stepping.single cimport (
    Single, single_accelerations, single_clear_forces, single_commit, single_finite, single_free, single_move,
    single_of,
)
from rbdyn.stepping.flight.meetings cimport mark_meetings
from rbdyn.stepping.records cimport clear_records, commit_records
from rbdyn.stepping.touch cimport mark_touched
from rbdyn.stepping.wrenches cimport system_clear_wrenches

cdef inline void show_system(Scene* s, System* r) noexcept nogil:
    """Where its bodies are and how far they move in a step, where collision can see them."""
    cdef int i
    poses(r.m, r.d)
    velocities(r.m, r.d)
    for i in range(r.m.nb):
        s.pose[r.handle + i].R = r.d.R[i]
        s.pose[r.handle + i].p = r.d.p[i]
        s.motion[r.handle + i].w = scale3(s.dt, mul3(r.d.R[i], r.d.vel[i].w))
        s.motion[r.handle + i].v = scale3(s.dt, mul3(r.d.R[i], r.d.vel[i].v))

cdef inline void kinematics(Scene* s) noexcept nogil:
    """q, v -> poses of all bodies and how far they move in a step; of systems that sleep both are known."""
    cdef const SingleState* b
    cdef int k, i
    for k in range(s.n_system):
        if not system_sleeps(s, s.system + k):
            show_system(s, s.system + k)
    list_movers(s)
    for i in range(s.n_movers):
        k = s.mover[i]
        b = s.single_state + k
        s.pose[s.single[k].handle].R = b.R
        s.pose[s.single[k].handle].p = b.p
        s.motion[s.single[k].handle] = zero_m()
        if s.single[k].type != STATIC:
            s.motion[s.single[k].handle] = motion(scale3(s.dt, b.w), scale3(s.dt, b.v))

cdef inline void free_velocities(Scene* s) noexcept nogil:
    """Velocities at the end of the step without constraint impulses; articulated inertias on the way."""
    cdef Single b
    cdef int k, i
    clear_records(s)
    look_at_joints(s)
    look_at_wires(s)
    look_at_couplings(s)
    mark_touched(s)
    mark_meetings(s)
    for k in range(s.n_system):
        if not system_sleeps(s, s.system + k):
            system_free(s.system + k, s.dt, scheme_of(s, s.system + k))
    for i in range(s.n_movers):
        k = s.mover[i]
        if not sleeps(s, k):
            b = single_of(s, k)
            single_free(&b, s.gravity, s.dt)

cdef inline void clear_pushes(Scene* s) noexcept nogil:
    """No pose moves beyond its velocity."""
    cdef int k
    for k in range(s.n_system):
        s.system[k].work.pushed = False
    for k in range(s.n_movers):
        s.single_scratch[s.mover[k]].pushed = False

cdef inline void change_velocities(Scene* s) noexcept nogil:
    """New velocities of articulated systems, whose bodies' other things may meet in the rest of the step."""
    cdef int k
    for k in range(s.n_system):
        if not system_sleeps(s, s.system + k):
            system_change(s.system + k)

cdef inline void integrate(Scene* s) noexcept nogil:
    """New positions, and velocities as they follow from them, beside the old ones."""
    cdef Single b
    cdef int k, i
    for k in range(s.n_system):
        if not system_sleeps(s, s.system + k):
            system_move(s.system + k, scheme_of(s, s.system + k), s.dt, s.erp_speed)
            system_settle(s.system + k, s.dt, scheme_of(s, s.system + k))
    for i in range(s.n_movers):
        k = s.mover[i]
        if not sleeps(s, k):
            b = single_of(s, k)
            single_move(&b, s.scheme, s.dt)

cdef inline bint is_finite(Scene* s) noexcept nogil:
    """Whether the step's end is finite; else failed_* says whose is not."""
    cdef Single b
    cdef int k, i
    s.failed_system = s.failed_single = -1
    for k in range(s.n_system):
        if not system_sleeps(s, s.system + k) and not system_finite(s.system + k):
            s.failed_system = k
            return False
    for i in range(s.n_movers):
        k = s.mover[i]
        b = single_of(s, k)
        if not sleeps(s, k) and not single_finite(&b):
            s.failed_single = k
            return False
    return True

cdef inline void clear_external(Scene* s) noexcept nogil:
    """Forget external forces: they live one step, also one that fails."""
    cdef Single b
    cdef int k, i
    for k in range(s.n_system):
        system_clear_wrenches(s.system + k)
    for i in range(s.n_movers):
        k = s.mover[i]
        b = single_of(s, k)
        single_clear_forces(&b)

cdef inline void commit(Scene* s) noexcept nogil:
    """The step's end becomes the state."""
    cdef Single b
    cdef int k, i
    for k in range(s.n_system):
        if system_sleeps(s, s.system + k):
            continue
        if s.keep_accelerations:
            system_accelerations(s.system + k, s.dt)
        system_commit(s.system + k, s.dt)
    commit_records(s)
    for i in range(s.n_movers):
        k = s.mover[i]
        if sleeps(s, k):
            continue
        b = single_of(s, k)
        if s.keep_accelerations:
            single_accelerations(&b, s.dt)
        single_commit(&b)
    note_shown(s)
