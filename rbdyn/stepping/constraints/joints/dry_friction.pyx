"""Dry friction of joints: a bounded row for each degree of freedom that has some.

Coulomb's law, |tau| <= f and tau opposite to the motion where there is any: in a step the impulse is within f dt, and
stops the degree of freedom if it can.  What moves slower than f dt / m is at rest at the end of the step.
"""

from libc.math cimport INFINITY

from rbdyn.contact.problem cimport BOX, ContactProblem, Key
from rbdyn.stepping.builder cimport Builder, Count, Share, add_coordinate, begin_row, gather_rows
from rbdyn.stepping.scene cimport Friction, Scene, System


cdef void list_friction(System* s, const double* force) noexcept nogil:
    """Note the degrees of freedom whose friction (nv,) is not 0."""
    cdef int k
    s.control.n_friction = 0
    for k in range(s.m.nv):
        if force[k] > 0.0:
            s.control.friction[s.control.n_friction] = Friction(dof=k, force=force[k])
            s.control.n_friction += 1


cdef Count count_friction(const Scene* s) noexcept nogil:
    """One row for each."""
    cdef int k, n = 0
    for k in range(s.n_system):
        n += s.system[k].control.n_friction
    return Count(cones=0, blocks=n, rows=n)


cdef int write_friction(const Scene* s, Builder* b) except -1 nogil:
    cdef System* r
    cdef const Friction* f
    cdef int k, j
    for k in range(s.n_system):
        r = s.system + k
        for j in range(r.control.n_friction):
            f = r.control.friction + j
            begin_row(b, BOX, -s.dt * f.force, s.dt * f.force, r.d.v[f.dof], r.work.v_free[f.dof], 0.0, 0.0, -INFINITY,
                      Key(source=FRICTION_SOURCE, id_a=r.handle, id_b=f.dof, feature=0))
            add_coordinate(b, r, f.dof, 1.0)
    return 0


cdef void read_friction(const Scene* s, const ContactProblem* p, Share share) noexcept nogil:
    """Give the impulses to the systems."""
    gather_rows(s, p, share)
