"""Dry friction of joints: a bounded row for each degree of freedom that has some.

Coulomb's law, |tau| <= f and tau opposite to the motion where there is any: in a step the impulse is within f dt, and
stops the degree of freedom if it can.  What moves slower than f dt / m is at rest at the end of the step.

What is at rest at the start of the step, that is slower than a threshold, is held by up to the static force; what that
cannot hold slides in this very step.  What slides and would turn round within the step comes to rest on the way.  Both
show at the end of a step, which then is done again.  Below the threshold the static force falls with the speed as that
of a pair of materials does (targets.pxd).
"""

from libc.math cimport INFINITY, fabs
from libc.string cimport memset

from rbdyn.contact.problem cimport BOX, ContactProblem, Key
from rbdyn.contact.targets cimport effective_friction
from rbdyn.stepping.builder cimport Builder, Count, Share, add_coordinate, begin_row
from rbdyn.stepping.constraints.joints.home cimport take_home
from rbdyn.stepping.rest cimport system_sleeps
from rbdyn.stepping.scene cimport (
    AS_IT_MOVES, BREAKS_LOOSE, COMES_TO_REST, FRICTION_FORCE, Friction, Scene, System, SystemControl,
)


cdef void list_friction(System* s) noexcept nogil:
    """Note the degrees of freedom whose friction is not 0."""
    cdef SystemControl* c = &s.control
    cdef double resting
    cdef int k
    memset(s.work.hold, 0, s.m.nv * sizeof(int))          # of what may have another place now
    s.work.n_judged = c.n_slides = 0
    for k in range(s.m.nv):
        resting = c.static_friction[k] if c.static_threshold[k] > 0.0 else c.friction[k]
        if resting > 0.0:
            c.slide[c.n_slides] = Friction(dof=k, sliding=c.friction[k], resting=resting,
                                           threshold=c.static_threshold[k])
            c.n_slides += 1


cdef Count count_friction(const Scene* s) noexcept nogil:
    """One row for each."""
    cdef int k, n = 0
    for k in range(s.n_system):
        if not system_sleeps(s, s.system + k):
            n += s.system[k].control.n_slides
    return Count(cones=0, blocks=n, rows=n)


cdef inline double bound(const System* s, int j) noexcept nogil:
    """What friction j can hold in this step [N m or N]."""
    cdef const Friction* f = s.control.slide + j
    if s.work.hold[j] == COMES_TO_REST:
        return f.resting
    if s.work.hold[j] == BREAKS_LOOSE:
        return f.sliding
    return effective_friction(f.sliding, f.resting, f.threshold, fabs(s.d.v[f.dof]))


cdef int write_friction(const Scene* s, Builder* b) except -1 nogil:
    cdef System* r
    cdef double most
    cdef int k, j, dof
    for k in range(s.n_system):
        r = s.system + k
        if system_sleeps(s, r):
            continue
        for j in range(r.control.n_slides):
            dof = r.control.slide[j].dof
            most = s.dt * bound(r, j)
            begin_row(b, BOX, -most, most, r.d.v[dof], r.work.v_free[dof], 0.0, 0.0, -INFINITY,
                      Key(source=FRICTION_SOURCE, id_a=r.handle, id_b=dof, feature=0))
            add_coordinate(b, r, dof, 1.0)
    return 0


cdef void read_friction(const Scene* s, const ContactProblem* p, Share share) noexcept nogil:
    """Give the impulses to the systems."""
    take_home(s, p, share, FRICTION_FORCE, 1)


cdef void clear_friction(const Scene* s) noexcept nogil:
    """All that rests is held, all that slides goes on: a step begins."""
    cdef System* r
    cdef int k
    for k in range(s.n_system):
        r = s.system + k
        if r.work.n_judged:
            memset(r.work.hold, 0, r.control.n_slides * sizeof(int))
            r.work.n_judged = 0


cdef inline int judged(const System* s, int j, double dt) noexcept nogil:
    """What the end of the step says of friction j."""
    cdef const Friction* f = s.control.slide + j
    cdef double most = bound(s, j), v = s.work.v_next[f.dof], at_start = s.d.v[f.dof]
    cdef double force = fabs(s.work.by_rows[FRICTION_FORCE * s.m.nv + f.dof]) / dt
    if most > f.sliding and force >= most * (1.0 - 1e-9) and v != 0.0:
        return BREAKS_LOOSE
    if s.work.hold[j] == AS_IT_MOVES and f.resting > f.sliding and fabs(at_start) >= f.threshold and at_start * v < 0.0:
        return COMES_TO_REST
    return s.work.hold[j]


cdef bint find_judged(const Scene* s) noexcept nogil:
    """Whether something breaks loose or comes to rest within the step: then it has to be done again."""
    cdef System* r
    cdef bint found = False
    cdef int k, j, state
    for k in range(s.n_system):
        r = s.system + k
        if system_sleeps(s, r):
            continue
        for j in range(r.control.n_slides):
            if r.control.slide[j].resting > r.control.slide[j].sliding:
                state = judged(r, j, s.dt)
                if state != r.work.hold[j]:
                    r.work.hold[j] = state
                    r.work.n_judged += 1
                    found = True
    return found
